"""Tests graphs: names, scopes, devices, control dependencies, collections, lookups."""
import gc
import threading
import weakref

import numpy as np
import pytest

import weir as tf

raw = tf.raw_ops


def test_names_and_scopes(graph):
    assert tf.constant(1).name == "Const:0"
    assert tf.constant(1).name == "Const_1:0"
    with tf.name_scope("a") as scope:
        assert scope == "a/"
        assert tf.constant(1, name="x").name == "a/x:0"
        with tf.name_scope("b"):
            assert raw.NoOp(name="op").name == "a/b/op"
            with tf.name_scope(None):
                assert tf.constant(1, name="root").name == "root:0"
    with tf.name_scope("a") as scope:
        assert scope == "a_1/"
    with tf.name_scope("a/") as scope:
        assert scope == "a/" and tf.constant(1, name="x").name == "a/x_1:0"
    with tf.name_scope(None, "default", [tf.constant(1)]) as scope:
        assert scope == "default/"
    assert graph.unique_name("u", mark_as_used=False) == "u" and graph.unique_name("u") == "u" and graph.unique_name("u") == "u_1"
    assert (tf.constant(1.0) * 2.0).op.inputs[1].name == "mul/y:0"
    with pytest.raises(ValueError):
        tf.constant(1, name="no spaces")
    with pytest.raises(ValueError):
        with tf.name_scope("_bad"):
            pass
    assert tf.constant(1, name="after").name == "after:0"


def test_suffixes_skip_names_that_were_handed_out(graph):
    # Suffixes count all names that were handed out, including those of empty scopes, and ignore case.
    scopes = []
    for name in ("s", "s", "s_1", "S", "s"):
        with tf.name_scope(name) as scope:
            scopes.append(scope)
    assert scopes == ["s/", "s_1/", "s_1_1/", "S_2/", "s_3/"]
    names = [tf.constant(1, name=name).op.name for name in ("x", "X", "x", "x_1", "X_2")]
    assert names == ["x", "X_1", "x_2", "x_1_1", "X_2_1"]


def test_default_graphs(graph):
    assert tf.get_default_graph() is graph
    other = tf.Graph()
    with other.as_default() as entered:
        assert entered is other and tf.constant(1).graph is other
    assert tf.constant(1).graph is graph
    with pytest.raises(RuntimeError):
        tf.reset_default_graph()
    seen = []

    def in_thread():
        seen.append(tf.get_default_graph())
        seen.append(tf.get_default_graph())

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert seen[0] is seen[1] and seen[0] is not graph


def test_identity_and_hash(graph):
    x = tf.constant(1)
    assert x.op.outputs[0] is x and graph.get_tensor_by_name("Const:0") is x and x.op is graph.get_operation_by_name("Const")
    assert x in [x] and {x: 1}[x.op.outputs[0]] == 1 and (x == tf.constant(1)) is False and x != None  # noqa: E711
    x.mark = "kept"
    assert graph.get_tensor_by_name("Const:0").mark == "kept"


def test_lookups(graph):
    x = tf.constant(1, name="x")
    assert graph.as_graph_element("x") is x.op and graph.as_graph_element("x:0") is x and graph.as_graph_element(x) is x
    assert graph.get_operations() == [x.op]
    for call, error, text in [
        (lambda: graph.get_tensor_by_name("q:0"), KeyError, "does not exist"),
        (lambda: graph.get_tensor_by_name("x"), ValueError, "refers to an Operation, not a Tensor"),
        (lambda: graph.get_operation_by_name("x:0"), ValueError, "appears to refer to a Tensor"),
        (lambda: graph.get_operation_by_name("q"), KeyError, "refers to an Operation not in the graph."),
        (lambda: graph.get_tensor_by_name("x:1"), KeyError, "only has 1 outputs"),
        (lambda: graph.get_tensor_by_name(3), TypeError, "Tensor names are strings"),
        (lambda: graph.as_graph_element(3), TypeError, "Can not convert a int into a Tensor or Operation."),
        (lambda: tf.Graph().as_graph_element(x), ValueError, "is not an element of this graph."),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert text in str(raised.value)


def test_operations(graph):
    x = raw.Placeholder(dtype=tf.float32, shape=[3], name="x")
    op = x.op
    assert op.name == "x" and op.type == "Placeholder" and op.outputs == [x] and op.values() == (x,) and op.graph is graph
    assert op.get_attr("dtype") is tf.float32 and op.get_attr("shape").dim[0].size == 3
    with pytest.raises(ValueError, match="has no attr named 'foo'"):
        op.get_attr("foo")
    assert op.node_def.op == "Placeholder" and op.node_def.attr["dtype"].type == 1 and op.op_def.name == "Placeholder"
    y = raw.Neg(x=x)
    assert x.consumers() == [y.op] and y.op.inputs[0] is x and list(y.op.inputs) == [x]
    assert repr(x) == "<tf.Tensor 'x:0' shape=(3,) dtype=float32>" and repr(op) == "<tf.Operation 'x' type=Placeholder>"
    assert str(x) == 'Tensor("x:0", shape=(3,), dtype=float32)'
    op._set_attr("_mark", tf.AttrValue(i=7))
    assert op.get_attr("_mark") == 7
    assert op.colocation_groups() == [b"loc:@x"]


def test_shapes():
    x = raw.Placeholder(dtype=tf.float32)
    assert x.shape.ndims is None
    x.set_shape([None, 3])
    assert x.get_shape().as_list() == [None, 3]
    with pytest.raises(ValueError):
        x.set_shape([2, 4])
    x.set_shape([2, None])
    assert x.shape == [2, 3]


def test_shapes_from_parts_of_shapes():
    x = raw.Placeholder(dtype=tf.float32, shape=[None, 3, 4])
    size = tf.shape(x)
    for shape, known in [
        (tf.concat([size[:-1], [2, 2]], 0), [None, 3, 2, 2]),
        (tf.concat([size[:1], [-1]], 0), [None, None]),
        (tf.concat([[-1], size[-2:]], 0), [None, 3, 4]),
        (tf.stack([-1, size[1]]), [None, 3]),
        (size[::-1], [None, None, None]),
    ]:
        assert tf.reshape(x, shape).shape.as_list() == known


def test_control_dependencies(graph):
    a = tf.constant(1, name="a")
    b = raw.NoOp(name="b")
    with tf.control_dependencies([a, b]):
        c = tf.constant(2, name="c")
        with tf.control_dependencies(None):
            d = tf.constant(3)
    assert c.op.control_inputs == [a.op, b] and d.op.control_inputs == []
    with tf.control_dependencies([a, a.op, b]), tf.control_dependencies([b]):
        assert raw.NoOp().control_inputs == [a.op, b]
    c.op._add_control_input(b)
    assert c.op.control_inputs == [a.op, b]
    with pytest.raises(TypeError):
        tf.control_dependencies([3])
    with tf.Graph().as_default():
        with pytest.raises(ValueError):
            tf.control_dependencies([a])


def test_devices(graph):
    with tf.device("/job:ps/task:1"):
        with tf.device("/cpu:0"):
            assert tf.constant(1).device == "/job:ps/task:1/device:CPU:0"
        with tf.device(None):
            assert tf.constant(1).device == ""
    seen = []

    def by_type(op):
        seen.append((op.type, op.name))
        return "/job:worker" if op.type == "Const" else None

    with tf.device(by_type):
        assert tf.constant(1, name="mine").device == "/job:worker"
        assert raw.NoOp().device == ""
    assert seen[0] == ("Const", "mine")
    with tf.device(lambda op: tf.DeviceSpec(job="ps", task=2)):
        assert tf.constant(1).device == "/job:ps/task:2"
    with tf.device(tf.DeviceSpec(job="ps")):
        assert tf.constant(1).device == "/job:ps"
    with pytest.raises(ValueError):
        with tf.device("/job:a/nonsense"):
            pass

    def fails(op):
        raise KeyError("from the device function")

    with tf.device(fails), pytest.raises(KeyError, match="from the device function"):
        tf.constant(1)
    assert tf.constant(1).device == ""


def test_colocation_and_container(graph):
    with tf.device("/job:ps"):
        a = tf.constant(1, name="a")
    with tf.colocate_with(a):
        b = tf.constant(2)
    assert b.op.colocation_groups() == [b"loc:@a"] and b.device == "/job:ps"
    with graph.gradient_override_map({"Neg": "Custom"}):
        assert raw.Neg(x=1.0).op.get_attr("_gradient_op_type") == b"Custom"
    with graph._attr_scope({"_x": tf.AttrValue(b=True)}):
        assert tf.constant(1).op.get_attr("_x") is True


def test_collections(graph):
    x = tf.constant(1, name="scope/x")
    marker = object()
    tf.add_to_collection("things", x)
    graph.add_to_collections(["things", "others", "others"], marker)
    tf.add_to_collection("things", "text")
    assert tf.get_collection("things") == [x, marker, "text"] and tf.get_collection("others") == [marker]
    assert tf.get_collection("things", scope="scope") == [x]
    assert sorted(graph.get_all_collection_keys()) == ["others", "things"]
    ref = tf.get_collection_ref("things")
    ref.append(3)
    assert tf.get_collection("things")[-1] == 3 and len(ref) == 4
    del ref[:]
    assert tf.get_collection("things") == []
    assert tf.get_collection("nothing") == []
    graph.clear_collection("others")
    assert graph.get_all_collection_keys() == []


def test_finalize_and_versions(graph):
    tf.constant(1)
    before = graph.version
    tf.constant(1)
    assert graph.version == before + 1
    graph.finalize()
    with pytest.raises(RuntimeError):
        tf.constant(1)
    assert graph.finalized and graph.graph_def_versions.producer > 0


def test_graph_def(graph):
    with tf.device("/cpu:0"):
        raw.AddV2(x=tf.constant([1.0, 2.0]), y=3.0, name="sum")
    graph_def = graph.as_graph_def(add_shapes=True)
    assert [n.name for n in graph_def.node] == ["Const", "sum/y", "sum"]
    assert list(graph_def.node[2].input) == ["Const", "sum/y"] and graph_def.node[2].device == "/device:CPU:0"
    assert graph_def.node[2].attr["_output_shapes"].list.shape[0].dim[0].size == 2


def test_create_op(graph):
    a = tf.constant([1.0])
    op = graph.create_op("AddN", [a, a], [tf.float32], name="n", attrs={"N": 2, "T": tf.AttrValue(type=1)})
    assert op.type == "AddN" and len(op.inputs) == 2
    with pytest.raises(ValueError):
        graph.create_op("NoSuchOp", [], [])


def test_graphs_are_collected():
    gone = []

    def build():
        g = tf.Graph()
        with g.as_default():
            x = tf.constant(1)
            g.add_to_collection("cycle", {"x": x, "graph": g})
        gone.append(weakref.finalize(g, lambda: None))

    build()
    gc.collect()
    assert not gone[0].alive


def test_many_threads_build(graph):
    def build():
        with graph.as_default():
            for _ in range(200):
                tf.constant(1.0) + 1.0

    threads = [threading.Thread(target=build) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    names = [op.name for op in graph.get_operations()]
    assert len(names) == len(set(names)) == 4 * 200 * 3


def test_other_graphs_tensors_do_not_mix(graph):
    x = tf.constant(1.0)
    with tf.Graph().as_default():
        y = tf.constant(1.0)
    with pytest.raises(ValueError):
        x + y


def test_changes_of_the_collections():
    with tf.Graph().as_default() as graph:
        tf.add_to_collection("k", 1)
        assert dict(graph._collections) == {"k": [1]} and "k" in graph._collections and len(graph._collections) == 1
        graph._collections["z"] = [5]
        graph._collections["z"].append(6)
        assert tf.get_collection("z") == [5, 6]
        del graph._collections["k"]
        assert tf.get_collection("k") == [] and graph._collections.get("k") is None
        with pytest.raises(KeyError):
            graph._collections["k"]
        with pytest.raises(KeyError):
            del graph._collections["k"]
        assert graph._collections.setdefault("k", [7]) == [7]
        graph._collections.clear()
        assert tf.get_collection("z") == [] and graph.get_all_collection_keys() == []
