"""Tests small public names: files, tests, and modules below tensorflow.python."""
import importlib
import ipaddress
import os
import socket

import numpy as np
import pytest

import weir as tf


def test_walking_over_a_missing_folder_calls_onerror(tmp_path):
    errors = []
    assert list(tf.io.gfile.walk(str(tmp_path / "none"), onerror=errors.append)) == []
    assert [type(e) for e in errors] == [tf.errors.NotFoundError]


def test_a_local_cluster():
    workers, servers = tf.test.create_local_cluster(2, 1)
    assert len(workers) == 2 and len(servers) == 1
    with tf.device("/job:ps/task:0"):
        v = tf.get_variable("v", initializer=1.0)
    with tf.Session(workers[0].target) as sess:
        sess.run(v.initializer)
        sess.run(v.assign_add(2.0))
    with tf.Session(workers[1].target) as sess:
        assert sess.run(v) == 3


def test_a_local_cluster_needs_no_resolver(monkeypatch):
    """A machine without /etc/hosts cannot resolve "localhost"."""
    class Socket(socket.socket):
        def bind(self, address):
            ipaddress.ip_address(address[0])
            super().bind(address)

    monkeypatch.setattr(socket, "socket", Socket)
    workers, servers = tf.test.create_local_cluster(1, 1)
    assert len(workers) == len(servers) == 1


def test_image_gradients_need_a_rank():
    with pytest.raises(ValueError, match="expects a 4D tensor"):
        tf.image.image_gradients(tf.placeholder(tf.float32))


def test_transposed_convolution_with_dilations_is_refused():
    with pytest.raises(NotImplementedError, match="atrous_conv2d_transpose"):
        tf.nn.conv_transpose(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), [1, 2, 2, 1], 1, dilations=2)


def test_inner_modules_have_the_functions_that_programs_use():
    def inner(name):
        return importlib.import_module("weir.python." + name)
    ops, shapes = inner("framework.ops"), inner("framework.tensor_shape")
    assert ops.uid() < ops.uid()
    with tf.name_scope("a/b"):
        assert ops.get_name_scope() == "a/b"
    assert [ops.strip_name_scope(n, "a") for n in ("a/b", "^a/b", "loc:@a/b", "c/b")] == ["b", "^b", "loc:@b", "c/b"]
    assert [ops.prepend_name_scope(n, "a/") for n in ("b", "^b", "loc:@b")] == ["a/b", "^a/b", "loc:@a/b"]
    assert shapes.unknown_shape(2).as_list() == [None, None] and shapes.matrix(2, 3).as_list() == [2, 3] and shapes.scalar().as_list() == []
    assert inner("ops.gen_math_ops").mat_mul is tf.raw_ops.MatMul
    assert inner("ops.resource_variable_ops").is_resource_variable(tf.get_variable("v", [], use_resource=True))
    decorator = inner("util.tf_decorator")

    def function(x, y=1):
        return x

    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    decorated = decorator.make_decorator(function, wrapper)
    assert decorated.__name__ == "function" and decorator.unwrap(decorated) == ([decorated], function)
    assert inner("util.tf_inspect").getargspec(decorated) == (["x", "y"], None, None, (1,))
    assert inner("saved_model.builder_impl").SavedModelBuilder is tf.saved_model.builder.SavedModelBuilder
    with tf.compat.forward_compatibility_horizon(2019, 1, 1):
        assert tf.resource_loader.get_path_to_datafile("x") == os.path.join(os.path.dirname(os.path.abspath(__file__)), "x")


@pytest.mark.parametrize("use_resource", [False, True])
def test_freezing_a_graph(tmp_path, use_resource):
    freeze_graph = importlib.import_module("weir.python.tools.freeze_graph")
    x = tf.placeholder(tf.float32, [2], name="x")
    with tf.device("/cpu:0"):
        y = tf.identity(x * tf.get_variable("v", initializer=[2.0, 3.0], use_resource=use_resource), name="y")
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = saver.save(sess, str(tmp_path / "model"))
        tf.train.write_graph(sess.graph_def, str(tmp_path), "graph.pbtxt")
        tf.saved_model.simple_save(sess, str(tmp_path / "saved"), {"x": x}, {"y": y})

    def frozen(graph="", meta="", saved=None, is_binary=False):
        out = str(tmp_path / "frozen.pb")
        freeze_graph.freeze_graph(graph, "", is_binary, path, "y", "save/restore_all", "save/Const:0", out, True, "", input_meta_graph=meta,
                                  input_saved_model_dir=saved)
        graph_def = tf.GraphDef()
        with open(out, "rb") as file:
            graph_def.ParseFromString(file.read())
        assert not [node.op for node in graph_def.node if "Var" in node.op or "Save" in node.op]
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.import_graph_def(graph_def, name="")
            return sess.run("y:0", {"x:0": [1.0, 1.0]}).tolist()
    assert frozen(graph=str(tmp_path / "graph.pbtxt")) == [2, 3]
    assert frozen(meta=path + ".meta", is_binary=True) == [2, 3]
    assert frozen(saved=str(tmp_path / "saved")) == [2, 3]
    with pytest.raises(IOError, match="does not exist"):
        frozen(graph="none")
    with pytest.raises(ValueError, match="Input checkpoint 'none' doesn't exist"):
        freeze_graph.freeze_graph_with_def_protos(tf.GraphDef(), None, "none", "y", "", "", "", True, "")


def test_reciprocals():
    with tf.Session() as sess:
        assert sess.run(tf.math.reciprocal_no_nan(tf.constant([0.0, 4.0]))).tolist() == [0, 0.25]
        np.testing.assert_array_equal(sess.run(tf.math.reciprocal_no_nan(tf.constant([0, 4], tf.complex64))), [0, 0.25])


def test_resource_variables_by_default():
    try:
        tf.enable_resource_variables()
        with tf.Graph().as_default():
            tf.layers.dense(tf.ones([1, 2]), 2)
            assert [v.op.type for v in tf.global_variables()] == ["VarHandleOp", "VarHandleOp"]
    finally:
        tf.disable_resource_variables()
    assert tf.get_variable("v", []).op.type == "VariableV2"


def test_a_module_is_saved_by_its_attributes(tmp_path):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.parts = [tf.get_variable("w", initializer=1.0)]
    with tf.Session() as sess:
        model = Model()
        sess.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(model=model).write(tmp_path / "m")
    assert "model/parts/0/.ATTRIBUTES/VARIABLE_VALUE" in tf.train.NewCheckpointReader(path).get_variable_to_shape_map()


def test_control_flow_v2():
    assert not tf.control_flow_v2_enabled()
    tf.enable_control_flow_v2()
    try:
        assert tf.control_flow_v2_enabled()
        with tf.Session() as sess:
            assert sess.run(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.cond(tf.constant(True), lambda: 1, lambda: 2)])) == 3
    finally:
        tf.disable_control_flow_v2()
    assert not tf.control_flow_v2_enabled()


def test_quantize_by_a_negative_axis():
    x = tf.constant([[0.0, 1.0], [2.0, 4.0]])
    q, low, high = tf.quantization.quantize(x, [0.0, 0.0], [1.0, 4.0], tf.quint8, axis=-2)
    back = tf.quantization.dequantize(q, low, high, axis=-2)
    with tf.Session() as sess:
        assert sess.run(q).tolist() == [[0, 255], [128, 255]]
        np.testing.assert_allclose(sess.run(back), [[0, 1], [128 / 255 * 4, 4]], rtol=1e-6)
    with pytest.raises(ValueError, match="known rank to use negative axis"):
        tf.quantize(tf.placeholder(tf.float32), [0.0], [1.0], tf.quint8, axis=-1)
