"""Tests the errors of calls with arguments of wrong types, names or number."""
import re

import pytest

import weir as tf

ROW = [[1.0, 2.0]]


@pytest.mark.parametrize("call, text", [
    (lambda: tf.nn.softmax(ROW, axis="x"), "Expected int for argument 'axis' not 'x'."),
    (lambda: tf.nn.softmax(ROW, axis=1.5), "Expected int for argument 'axis' not 1.5."),
    (lambda: tf.nn.softmax(ROW, axis=2 ** 70), f"Expected int for argument 'axis' not {2 ** 70}."),
    (lambda: tf.nn.softmax(ROW, axis=2 ** 40), f"Expected int for argument 'axis' not {2 ** 40}."),
    (lambda: tf.nn.softmax(ROW, name=3), "Expected str for argument 'name' not 3."),
    (lambda: tf.unstack(ROW, num="x" * 200), f"Expected int for argument 'num' not '{'x' * 99}..."),
    (lambda: tf.nn.softmax(ROW, axes=1), "softmax() got an unexpected keyword argument 'axes'"),
    (lambda: tf.nn.softmax(ROW, logits=ROW), "softmax() got multiple values for argument 'logits'"),
    (lambda: tf.nn.softmax(), "softmax() missing 1 required positional argument: 'logits'"),
    (lambda: tf.matmul(), "matmul() missing 2 required positional arguments: 'a' and 'b'"),
    (lambda: tf.get_default_graph().get_tensor_by_name(), "get_tensor_by_name() missing 1 required positional argument: 'name'"),
    (lambda: tf.train.Saver([tf.Variable(1.0)], max_to_keep="x"), "Expected int for argument 'max_to_keep' not 'x'."),
    (lambda: tf.get_default_graph().finalize(1), "finalize() takes 1 positional argument but 2 were given"),
])
def test_the_wrong_argument_is_named(call, text):
    with tf.Graph().as_default(), pytest.raises(TypeError, match=f"^{re.escape(text)}"):
        call()


def test_no_signature_of_cpp_is_shown():
    for call in (lambda: tf.train.Saver(max_to_keep="x"), lambda: tf.TensorShape([1]).with_rank("x"),
                 lambda: tf.while_loop(1, 2, 3, parallel_iterations="x"), lambda: tf.ConfigProto(inter_op_parallelism_threads="x")):
        with tf.Graph().as_default(), pytest.raises(TypeError) as raised:
            call()
        assert "incompatible" not in str(raised.value) and "Invoked with" not in str(raised.value)


def test_names_of_files_are_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call in (tf.gfile.MakeDirs, tf.gfile.ListDirectory, tf.gfile.Remove, tf.gfile.Stat, tf.gfile.Open):
        for name in (None, 1):
            with pytest.raises(TypeError, match=f"Expected binary or unicode string, got {name}"):
                call(name)
    with pytest.raises(TypeError):
        tf.gfile.Open("file", None)
    tf.gfile.MakeDirs("")
    assert list(tmp_path.iterdir()) == []
