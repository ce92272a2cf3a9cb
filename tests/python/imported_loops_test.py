"""Tests gradients through loops and conds of an imported meta graph, which has their contexts in its collections."""
import pathlib

import pytest

import weir as tf

# Written by TensorFlow 2.15 for the program below, as are the numbers: x -> (z, dz/dx, dz/dw).
FILE = str(pathlib.Path(__file__).resolve().parents[1] / "data" / "tensorflow_loops.meta")
EXPECTED = {0.5: (0.9308163, 5.5389137, [0, 0]), 2.0: (4500, 4500, [1200, 7200]), -1.0: (-2, 2, [0, 0])}


def program():
    x, w = tf.placeholder(tf.float32, [], name="x"), tf.constant([2.0, 3.0], name="w")

    def outer(i, a):
        def inner(j, b):
            return [j + 1, tf.cond(b[0] > 1.0, lambda: b * w, lambda: tf.sin(b) * x)]
        return [i + 1, a + tf.while_loop(lambda j, b: j < 2, inner, [0, a])[1]]
    y = tf.while_loop(lambda i, a: i < 3, outer, [0, tf.ones([2]) * x], maximum_iterations=5)[1]
    tf.identity(tf.cond(x > 0.0, lambda: tf.reduce_sum(y) * x, lambda: x * 2, name="choice"), name="z")


def exported(with_gradient=False):
    with tf.Graph().as_default() as graph:
        program()
        if with_gradient:
            tf.gradients(graph.get_tensor_by_name("z:0"), graph.get_tensor_by_name("x:0"))
        return tf.train.export_meta_graph()


def check_gradients(meta, scope=""):
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta, import_scope=scope or None)
        x, w, z = (graph.get_tensor_by_name((scope and scope + "/") + name + ":0") for name in "xwz")
        gradients = tf.gradients(z, [x, w])
        with tf.Session() as session:
            for value, (expected, dx, dw) in EXPECTED.items():
                found = session.run([z, *gradients], {x: value})
                assert found[0] == pytest.approx(expected, rel=1e-5)
                assert found[1] == pytest.approx(dx, rel=1e-5)
                assert list(found[2]) == pytest.approx(dw, rel=1e-5)
        return tf.train.export_meta_graph()


@pytest.mark.parametrize("scope", ["", "scope"])
def test_gradients_through_loops_that_tensorflow_exported(scope):
    check_gradients(FILE, scope)


@pytest.mark.parametrize("scope", ["", "scope"])
@pytest.mark.parametrize("with_gradient", [False, True])
def test_gradients_through_loops_that_were_exported_again(scope, with_gradient):
    again = check_gradients(exported(with_gradient), scope)
    assert {key: len(again.collection_def[key].bytes_list.value) for key in ("cond_context", "while_context")} == {"cond_context": 2, "while_context": 1}


def test_contexts_are_those_of_tensorflow():
    meta, tensorflow = exported(), tf.MetaGraphDef()
    tensorflow.ParseFromString(pathlib.Path(FILE).read_bytes())
    for key in ("cond_context", "while_context"):
        assert len(meta.collection_def[key].bytes_list.value) == len(tensorflow.collection_def[key].bytes_list.value)


def test_contexts_without_their_nodes_are_left_out():
    meta = exported()
    with tf.Graph().as_default() as graph:
        tf.constant(1.0)
        other = tf.train.export_meta_graph()
        for key in ("cond_context", "while_context"):
            other.collection_def[key].CopyFrom(meta.collection_def[key])
    other.collection_def["while_context"].bytes_list.value.append(b"\xff\xff")
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(other)
        assert [op.name for op in graph.get_operations()] == ["Const"]


def test_loop_of_a_graph_def_has_no_context():
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(exported().graph_def, name="")
        with pytest.raises(NotImplementedError, match="without its while context"):
            tf.gradients(graph.get_tensor_by_name("z:0"), graph.get_tensor_by_name("x:0"))
