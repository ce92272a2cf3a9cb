"""Tests graphs and tensors as messages, traces, node tracebacks, functions, session handles."""
import json
import traceback

import numpy as np
import pytest
import weir as tf
from weir import _weir
from weir._names import find
from weir.lib.timeline import Timeline


# --- graph_util -------------------------------------------------------------------------------------------------------------
def test_extract_sub_graph(graph):
    a = tf.constant(1.0, name="a")
    tf.negative(a, name="b")
    tf.exp(a, name="c")
    part = tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["b"])
    assert [n.name for n in part.node] == ["a", "b"] and part.versions == graph.as_graph_def().versions
    with pytest.raises(TypeError):
        tf.graph_util.extract_sub_graph(graph.as_graph_def(), "b")
    with pytest.raises(AssertionError):
        tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["z"])


@pytest.mark.parametrize("use_resource", [False, True])
def test_freeze(graph, use_resource):
    x = tf.placeholder(tf.float32, name="x")
    v = tf.get_variable("v", initializer=tf.constant(3.0), use_resource=use_resource)
    w = tf.get_variable("w", initializer=tf.constant(4.0))
    tf.add(x * v, w, name="y")
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        frozen = tf.graph_util.convert_variables_to_constants(s, graph.as_graph_def(), ["y"])
        kept = tf.graph_util.convert_variables_to_constants(s, graph.as_graph_def(), ["y"], variable_names_blacklist=["w"])
    assert not any("Var" in n.op or n.op == "Assign" for n in frozen.node)
    assert [n.name for n in kept.node if n.op == "VariableV2"] == ["w"]
    with tf.Graph().as_default(), tf.Session() as s:
        y, = tf.import_graph_def(frozen, return_elements=["y:0"])
        assert s.run(y, {"import/x:0": 2.0}) == 10


def test_remove_training_nodes(graph):
    a = tf.constant(1.0, name="a")
    tf.negative(tf.check_numerics(tf.identity(a, name="i"), "m", name="check"), name="y")
    trimmed = tf.graph_util.remove_training_nodes(graph.as_graph_def(), protected_nodes=["y"])
    assert [(n.name, list(n.input)) for n in trimmed.node] == [("a", []), ("y", ["a"])]


def test_must_run_on_cpu():
    assert tf.graph_util.must_run_on_cpu(tf.constant("s").op) and not tf.graph_util.must_run_on_cpu(tf.constant(1.0).op)
    v = tf.Variable(1.0)
    assert tf.graph_util.must_run_on_cpu(v.op, pin_variables_on_cpu=True) and not tf.graph_util.must_run_on_cpu(v.op)


# --- tensors as messages ----------------------------------------------------------------------------------------------------
def test_tensor_proto():
    for value in (np.arange(6, dtype=np.float32).reshape(2, 3), np.array(5), np.array([b"a", b"bc"], object), np.array([True]),
                  np.zeros([0, 2], np.int64)):
        proto = tf.make_tensor_proto(value)
        back = tf.make_ndarray(proto)
        assert back.shape == value.shape and back.tolist() == value.tolist()
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], dtype=tf.int64)).dtype == np.int64
    assert tf.make_ndarray(tf.make_tensor_proto(7, shape=[2, 2])).tolist() == [[7, 7], [7, 7]]
    with pytest.raises(TypeError):
        tf.make_tensor_proto([1, 2], shape=[2, 1], verify_shape=True)
    with pytest.raises(ValueError):
        tf.make_tensor_proto([1, 2, 3], shape=[2])
    proto = tf.make_tensor_proto([1.0])
    proto.tensor_shape.dim[0].size = 1 << 60
    with pytest.raises((ValueError, tf.errors.OpError)):
        tf.make_ndarray(proto)


def test_constant_value():
    assert tf.get_static_value(tf.constant([1, 2]) + 1) is None or tf.get_static_value(tf.constant([1, 2]) + 1).tolist() == [2, 3]
    assert tf.contrib.util.constant_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.contrib.util.constant_value(tf.placeholder(tf.float32)) is None


# --- traces -----------------------------------------------------------------------------------------------------------------
def test_timeline():
    y = tf.matmul(tf.random_normal([10, 10]), tf.ones([10, 10]), name="product")
    metadata = tf.RunMetadata()
    with tf.Session() as s:
        s.run(y, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    events = json.loads(Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True))["traceEvents"]
    ops = {e["args"]["name"]: e for e in events if e["ph"] == "X"}
    assert ops["product"]["name"] == "MatMul" and ops["product"]["dur"] >= 1
    assert any(e["ph"] == "M" and "CPU:0" in e["args"]["name"] for e in events)


# --- node tracebacks --------------------------------------------------------------------------------------------------------
def make_here():
    return tf.constant(1.0) + tf.constant(2.0)


def test_traceback():
    op = make_here().op
    frame = op.traceback[-1]
    assert frame[0] == __file__ and frame[2] == "make_here" and "tf.constant(2.0)" in frame[3]
    assert op.traceback[-2][2] == "test_traceback"
    assert op.inputs[0].op.traceback[-1][2] == "make_here"
    frames = [f for f in tf.reduce_mean([1.0]).op.traceback if f[0] == __file__]
    assert frames[-1][1] == traceback.extract_stack()[-1].lineno - 1


def test_errors_say_where_the_op_was_made():
    def bad():
        return tf.check_numerics(tf.constant([1.0]) / 0.0, "not finite")
    y = bad()
    with tf.Session() as s, pytest.raises(tf.errors.InvalidArgumentError) as error:
        s.run(y)
    assert "not finite" in str(error.value) and f"{__file__}:" in str(error.value) and "in bad" in str(error.value)
    assert __file__ not in error.value.message


def test_tracebacks_do_not_keep_frames_alive():
    import gc
    import weakref

    class Local:
        pass
    local = Local()
    ref = weakref.ref(local)

    def build(held):
        return tf.constant(1.0)
    op = build(local)
    del local
    gc.collect()
    assert ref() is None and op is not None


# --- functions --------------------------------------------------------------------------------------------------------------
def test_functions_capture(graph):
    from weir import _names
    Defun = _names.find("python.framework.function.Defun")
    c = tf.constant(10.0)
    v = tf.Variable(5.0)

    @Defun(tf.float32)
    def scaled(x):
        return x * c + v + tf.stack([c, 1.0])[1]

    y = scaled(tf.constant(2.0))
    assert len(scaled.captured_inputs) == 2
    d, = tf.gradients(y, [c])
    with tf.Session() as s:
        s.run(v.initializer)
        assert s.run(y) == 26
        s.run(v.assign(6.0))
        assert s.run(y) == 27
        assert s.run(d) == 2


def test_functions_in_functions_capture():
    from weir import _names
    Defun = _names.find("python.framework.function.Defun")
    c = tf.constant(10.0)

    @Defun(tf.float32)
    def outer(x):
        @Defun(tf.float32)
        def inner(z):
            return z + c * x
        return inner(x)

    with tf.Session() as s:
        assert s.run(outer(tf.constant(2.0))) == 22


def test_functions_with_a_gradient_in_python():
    from weir import _names
    Defun = _names.find("python.framework.function.Defun")

    def gradient(op, dy):
        return dy * 100.0

    @Defun(tf.float32, python_grad_func=gradient, func_name="with_gradient_in_python")
    def square(x):
        return x * x

    x = tf.constant(3.0)
    with tf.Session() as s:
        assert s.run([square(x), tf.gradients(square(x), x)[0]]) == [9, 100]


def test_custom_gradient():
    @tf.custom_gradient
    def clipped(x):
        return tf.exp(x), lambda dy: dy * 7.0
    x = tf.constant([1.0, 2.0])
    y = clipped(x)
    with tf.Session() as s:
        np.testing.assert_allclose(s.run(y), np.exp([1, 2]), rtol=1e-6)
        assert s.run(tf.gradients(y, x)[0]).tolist() == [7, 7]


def test_custom_gradient_of_variables():
    v = tf.get_variable("v", [], initializer=tf.ones_initializer(), use_resource=True)

    @tf.custom_gradient
    def scaled(x):
        return x * v, lambda dy, variables: (dy * 3.0, [dy * 5.0 for _ in variables])
    x = tf.constant(2.0)
    y = scaled(x)
    with tf.Session() as s:
        s.run(v.initializer)
        assert s.run([y, *tf.gradients(y, [x, v])]) == [2, 3, 5]

    @tf.custom_gradient
    def forgets_variables(x):
        return x * v, lambda dy: dy

    @tf.custom_gradient
    def forgets_a_gradient(x):
        return x * v, lambda dy, variables: (dy, [])

    @tf.custom_gradient
    def makes_a_reference(x):
        return x * tf.get_variable("reference", [], use_resource=False), lambda dy, variables: (dy, variables)

    with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        forgets_variables(x)
    with pytest.raises(ValueError, match="Must return gradient for each variable"):
        tf.gradients(forgets_a_gradient(x), x)
    with pytest.raises(TypeError, match="must be `ResourceVariable`s"):
        makes_a_reference(x)


def test_recompute_grad():
    calls = []

    def noted(what):
        def note(x):
            calls.append(what)
            return x
        return note

    def f(x, z):
        x = x + 0.0 * tf.stop_gradient(tf.py_func(noted("f"), [x], tf.float32))
        return tf.sin(x) * z, z * z

    x, z = tf.constant([1.0, 2.0]), tf.constant(4.0)
    a, b = tf.recompute_grad(f)(x, z)
    da = tf.py_func(noted("gradient"), [a], tf.float32)
    da.set_shape([2])
    with tf.Session() as s:
        dx, dz = s.run(tf.gradients([a, b], [x, z], [da, None]))
    assert calls == ["f", "gradient", "f"]
    sines = np.sin([1, 2])
    np.testing.assert_allclose(dx, np.cos([1, 2]) * 4 * sines * 4, rtol=1e-5)
    np.testing.assert_allclose(dz, np.sum(sines * sines * 4) + 8, rtol=1e-5)


def test_recompute_grad_of_variables():
    outer = tf.get_variable("outer", [2], initializer=tf.constant_initializer(3.0), use_resource=True)

    @tf.recompute_grad
    def f(x):
        inner = tf.get_variable("inner", [2], initializer=tf.constant_initializer(0.5))
        return tf.layers.dense(tf.reshape(tf.sin(x * outer) * inner, [1, 2]), 1, name="dense", kernel_initializer=tf.ones_initializer())

    x = tf.constant([1.0, 2.0])
    with tf.variable_scope("scope", use_resource=True):
        y = f(x)
    variables = tf.trainable_variables()
    assert [v.op.name for v in variables] == ["outer", "scope/inner", "scope/dense/kernel", "scope/dense/bias"]
    gradients = tf.gradients(y, [x, *variables])
    assert len(tf.trainable_variables()) == 4
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        dx, douter, dinner, dkernel, dbias = s.run(gradients)
    sines, cosines = np.sin([3, 6]), np.cos([3, 6])
    np.testing.assert_allclose(dx, cosines * 3 * 0.5, rtol=1e-5)
    np.testing.assert_allclose(douter, cosines * [1, 2] * 0.5, rtol=1e-5)
    np.testing.assert_allclose(dinner, sines, rtol=1e-5)
    np.testing.assert_allclose(dkernel[:, 0], sines * 0.5, rtol=1e-5)
    assert dbias.tolist() == [1]


# --- session handles --------------------------------------------------------------------------------------------------------
def test_session_handles():
    a = tf.constant(10)
    kept = tf.get_session_handle(a * 3)
    holder, value = tf.get_session_tensor("", tf.int32)
    x = tf.placeholder(tf.int32)
    with tf.Session() as s:
        handle = s.run(kept)
        assert handle.eval() == 30
        assert s.run(value + 1, {holder: handle.handle}) == 31
        assert s.run(value + 1, {holder: handle}) == 31
        assert s.run(x + 1, {x: handle}) == 31
        both = s.run([kept, a])
        assert both[1] == 10 and both[0].handle != handle.handle
        handle.delete()
        with pytest.raises(tf.errors.InvalidArgumentError):
            handle.eval()


def test_everything_is_freed():
    import gc
    import weakref
    g = tf.Graph()
    with g.as_default():
        make_here()
    ref = weakref.ref(g)
    del g
    gc.collect()
    assert ref() is None and _weir.get_default_graph() is not None


# --- tensorflow.python.tools ---
def frozen(build):
    """A frozen graph with the node "out", what it computes from the node "in", and the input."""
    x = np.random.RandomState(0).rand(2, 4, 4, 3).astype(np.float32)
    out = tf.identity(build(tf.placeholder(tf.float32, [None, 4, 4, 3], name="in")), name="out")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for v in tf.global_variables():
            session.run(v.assign(tf.random_uniform(v.shape, 0.5, 1.5, seed=1)))
        graph = tf.graph_util.convert_variables_to_constants(session, tf.get_default_graph().as_graph_def(), ["out"])
        return graph, session.run(out, {"in:0": x}), x


def computed(graph, x, name="in"):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.import_graph_def(graph, return_elements=["out:0"])[0], {f"import/{name}:0": x})


@pytest.mark.parametrize("kind", ["conv", "conv with bias", "depthwise", "unscaled"])
def test_batch_norms_are_folded_into_convolutions(kind):
    def build(x):
        if kind == "depthwise":
            y = tf.nn.depthwise_conv2d(x, tf.get_variable("w", [2, 2, 3, 2]), [1, 1, 1, 1], "SAME")
        else:
            y = tf.layers.conv2d(x, 5, 2, use_bias=kind == "conv with bias", bias_initializer=tf.ones_initializer())
        return tf.nn.relu(tf.layers.batch_normalization(y, fused=True, scale=kind != "unscaled"))
    graph, wanted, x = frozen(build)
    library = find("python.tools.optimize_for_inference_lib")
    folded = library.optimize_for_inference(graph, ["in"], ["out"], tf.float32.as_datatype_enum)
    ops = [node.op for node in folded.node]
    assert not any(op.startswith("FusedBatchNorm") for op in ops) and ops.count("BiasAdd") == ops.count("Identity") == 1
    np.testing.assert_allclose(computed(folded, x), wanted, rtol=1e-5, atol=1e-5)


def test_batch_norms_that_cannot_be_folded_remain():
    graph, wanted, x = frozen(lambda x: tf.layers.batch_normalization(tf.nn.relu(x), fused=True))
    library = find("python.tools.optimize_for_inference_lib")
    kept = library.optimize_for_inference(graph, ["in"], ["out"], tf.float32.as_datatype_enum)
    assert any(node.op.startswith("FusedBatchNorm") for node in kept.node)
    np.testing.assert_allclose(computed(kept, x), wanted, rtol=1e-5)
    graph.node.add(name="in")
    with pytest.raises(ValueError, match="Duplicate node names detected for in"):
        library.ensure_graph_is_valid(graph)
    graph.node[-1].name, graph.node[-1].input[:] = "new", ["^gone"]
    with pytest.raises(ValueError, match="Input for new not found: \\^gone"):
        library.ensure_graph_is_valid(graph)


def test_unused_nodes_are_stripped(tmp_path, capsys):
    graph, _, _ = frozen(lambda x: tf.square(tf.nn.relu(x, name="middle")))
    library = find("python.tools.strip_unused_lib")
    stripped = library.strip_unused(graph, ["middle"], ["out"], tf.float32.as_datatype_enum)
    assert [(node.name, node.op) for node in stripped.node] == [("middle", "Placeholder"), ("Square", "Square"), ("out", "Identity")]
    assert computed(stripped, np.float32([3.0]), "middle").tolist() == [9.0]
    for names, error in ((["gone"], KeyError), (["middle:0"], ValueError)):
        with pytest.raises(error):
            library.strip_unused(graph, names, ["out"], 1)
    (tmp_path / "a.pb").write_bytes(graph.SerializeToString())
    library.strip_unused_from_files(str(tmp_path / "a.pb"), True, str(tmp_path / "b.pbtxt"), False, "middle", "out", 1)
    library.strip_unused_from_files(str(tmp_path / "b.pbtxt"), False, str(tmp_path / "c.pb"), True, "middle", "out", 1)
    assert type(graph).FromString((tmp_path / "c.pb").read_bytes()) == stripped and "3 ops in the final graph." in capsys.readouterr().out
    assert library.strip_unused_from_files(str(tmp_path / "none"), True, "", True, "", "out", 1) == -1
