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


def sparse(rows, columns):
    return tf.SparseTensor([[0, 0], [rows - 1, columns - 1]], [1.0, 2.0], [rows, columns])


def sparse_ids(rows, columns):
    return tf.cast(sparse(rows, columns), tf.int64)


@pytest.mark.parametrize("kind, call", [
    (ValueError, lambda: tf.accumulate_n([tf.constant([1.0]), tf.constant([1])])),
    (tf.errors.InvalidArgumentError, lambda: tf.metrics.auc([True], [1.5])),
    (ValueError, lambda: tf.assert_rank([1.0], 2)),
    (AttributeError, lambda: tf.gradients(None, tf.constant(1.0))),
    (AttributeError, lambda: tf.variables_initializer([tf.constant(1.0)])),
    (AttributeError, lambda: tf.is_variable_initialized("x")),
    (TypeError, lambda: tf.repeat(tf.placeholder(tf.float32), [1, 2], axis=0)),
    (TypeError, lambda: tf.nn.softmax(tf.placeholder(tf.float32), axis=1)),
    (TypeError, lambda: tf.image.rgb_to_yuv(tf.placeholder(tf.float32))),
    (TypeError, lambda: tf.image.crop_to_bounding_box(tf.ones([4, 4, 3]), None, 1, 2, 2)),
    (TypeError, lambda: tf.image.pad_to_bounding_box(tf.ones([4, 4, 3]), [], 1, 6, 6)),
    (TypeError, lambda: tf.image.ssim(tf.ones([12, 12, 1]), tf.ones([12, 12, 1], tf.float64), 1.0)),
    (ValueError, lambda: tf.image.resize_images(tf.ones([4, 4, 3]), [1.5, 2])),
    (ValueError, lambda: tf.nn.embedding_lookup_sparse(tf.ones([3, 2]), sparse_ids(2, 2), tf.SparseTensor([[0, 0]], [1.0], [2, 2]))),
    (ValueError, lambda: tf.sparse_retain(sparse(2, 3), [True])),
    (ValueError, lambda: tf.sparse_transpose(sparse(2, 3), perm=[0])),
    (TypeError, lambda: tf.metrics.precision_at_k([[1.0]], [[0.5, 0.5]], 1)),
    (ValueError, lambda: tf.metrics.recall_at_k(tf.constant([[1]], tf.int64), [[0.5, 0.5]], None)),
    (TypeError, lambda: tf.group(None, tf.constant(1.0))),
    (ValueError, lambda: tf.group(tf.constant(1.0), nonsense=1)),
    (TypeError, lambda: tf.conj(tf.constant(["a"]))),
    (TypeError, lambda: tf.real(tf.constant(["a"]))),
    (TypeError, lambda: tf.math.angle(tf.constant(["a"]))),
    (ValueError, lambda: tf.train.piecewise_constant(tf.constant(1.5), [2, 5], [1, 2, 3])),
    (ValueError, lambda: tf.train.piecewise_constant(tf.constant(3), [2, 5], None)),
    (ValueError, lambda: tf.train.piecewise_constant(tf.constant(3), "x", [1, 2, 3])),
    (ValueError, lambda: tf.nn.max_pool(tf.ones([1, 4, 4, 2]), [1, 0, 2, 1], [1, 2, 2, 1], "VALID")),
    (ValueError, lambda: tf.nn.pool(tf.ones([1, 4, 4, 2]), [2, 0], "MAX", "SAME")),
    (ValueError, lambda: tf.nn.pool(tf.ones([1, 4, 4, 2]), [2], "MAX", "SAME")),
    (ValueError, lambda: tf.nn.atrous_conv2d(tf.placeholder(tf.float32), tf.placeholder(tf.float32), 2, "SAME")),
])
def test_the_class_of_an_error(kind, call):
    with tf.Graph().as_default(), pytest.raises(kind) as raised:
        call()
    assert raised.type is kind


def test_what_looks_wrong_but_is_accepted():
    with tf.Graph().as_default():
        other = tf.Graph()
        with other.as_default():
            stranger = tf.constant(1.0)
        assert tf.Variable([1.0], expected_shape=[3]).shape == [1]
        assert tf.train.AdagradOptimizer(0.1).get_slot(tf.constant(1.0), "accumulator") is None
        queue = tf.FIFOQueue(None, [tf.int32], shapes=[[]])
        step = tf.constant(3, tf.int64)
        rate = tf.train.piecewise_constant(step, [2, 5], [1.0, 2.0, 3.0])
        with tf.Session() as session:
            session.run(queue.enqueue_many([list(range(1000))]))
            assert session.run([queue.size(), rate]) == [1000, 2.0]
        with pytest.raises(ValueError, match="must be from the same graph"):
            tf.group(tf.constant(1.0), stranger)
