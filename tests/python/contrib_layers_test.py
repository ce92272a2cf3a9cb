"""Tests tf.contrib.layers: older names and defaults for the same layers."""
import numpy as np
import pytest
import weir as tf
from evaluation import evaluate

layers = tf.contrib.layers


def test_layers_and_their_variables():
    x = np.random.RandomState(1).rand(2, 8, 8, 3).astype(np.float32)
    h = layers.conv2d(x, 4, 3, scope="conv1", variables_collections=["kept"])
    assert h.shape.as_list() == [2, 8, 8, 4] and h.op.name == "conv1/Relu"
    h = layers.max_pool2d(h, 2)
    h = layers.flatten(h)
    assert h.shape.as_list() == [2, 64]
    h = layers.dropout(layers.fully_connected(h, 16), 0.9, is_training=False)
    y = layers.fully_connected(h, 10, activation_fn=None, scope="logits")
    assert [v.name for v in tf.global_variables()] == [
        "conv1/weights:0", "conv1/biases:0", "fully_connected/weights:0", "fully_connected/biases:0", "logits/weights:0", "logits/biases:0"]
    assert [v.name for v in tf.get_collection("kept")] == ["conv1/weights:0", "conv1/biases:0"]
    assert evaluate(y).shape == (2, 10)
    again = layers.fully_connected(h, 10, activation_fn=None, scope="logits", reuse=True)
    np.testing.assert_array_equal(*evaluate([y, again]))


def test_batch_norm():
    x = np.random.RandomState(1).rand(16, 3).astype(np.float32)
    y = layers.batch_norm(x, decay=0.5)
    assert [v.name for v in tf.global_variables()] == ["BatchNorm/beta:0", "BatchNorm/moving_mean:0", "BatchNorm/moving_variance:0"]
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 2
    np.testing.assert_allclose(evaluate(y).mean(0), np.zeros(3), atol=1e-5)
    z = layers.batch_norm(x, decay=0.5, updates_collections=None, scope="now")
    mean = next(v for v in tf.global_variables() if v.name == "now/moving_mean:0")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(z)
        np.testing.assert_allclose(session.run(mean), x.mean(0) / 2, rtol=1e-5)
    normalized = layers.fully_connected(x, 4, normalizer_fn=layers.batch_norm, scope="fc")
    assert "fc/biases:0" not in [v.name for v in tf.global_variables()] and normalized.op.name == "fc/Relu"


def test_regularizers():
    w = tf.Variable([1.0, -2.0])
    assert evaluate(layers.l2_regularizer(0.5)(w)) == 1.25 and evaluate(layers.l1_regularizer(0.5)(w)) == 1.5
    assert evaluate(layers.l1_l2_regularizer(0.5, 0.5)(w)) == 2.75
    assert layers.l2_regularizer(0.0)(w) is None
    assert layers.l2_regularizer(0.1)(w).op.name == "l2_regularizer_1"
    with pytest.raises(ValueError, match="integer"):
        layers.l2_regularizer(1)
    with pytest.raises(ValueError, match="less than 0"):
        layers.l1_regularizer(-1.0)
    tf.get_variable("v", [2], initializer=tf.ones_initializer(), regularizer=layers.l2_regularizer(0.5))
    assert evaluate(tf.losses.get_regularization_losses()) == [0.5]
    assert evaluate(layers.apply_regularization(layers.l2_regularizer(0.5), [w])) == 1.25


def test_arg_scope_gives_defaults_to_layers():
    arg_scope = tf.contrib.framework.arg_scope
    x = np.random.RandomState(1).rand(2, 8, 8, 3).astype(np.float32)
    with arg_scope([layers.conv2d, layers.fully_connected], activation_fn=None, weights_regularizer=layers.l2_regularizer(0.1)):
        with arg_scope([layers.conv2d], normalizer_fn=layers.batch_norm, normalizer_params={"scale": True}) as scope:
            y = layers.conv2d(x, 4, 3, scope="a")
        with arg_scope(scope), arg_scope([layers.batch_norm], is_training=False):
            layers.convolution2d(x, 4, 3, scope="b", activation_fn=tf.nn.relu)
        z = layers.fully_connected(layers.flatten(y), 5, scope="c")
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 2  # those of a; b has is_training=False
    assert z.op.name == "c/BiasAdd" and len(tf.losses.get_regularization_losses()) == 3
    names = [v.op.name for v in tf.global_variables() if v.op.name.startswith("b/")]
    assert names == ["b/weights", "b/BatchNorm/gamma", "b/BatchNorm/beta", "b/BatchNorm/moving_mean", "b/BatchNorm/moving_variance"]
    assert set(tf.model_variables()) == set(tf.global_variables())
    assert tf.contrib.framework.has_arg_scope(layers.conv2d) and layers.conv2d is tf.contrib.slim.conv2d
    assert "normalizer_fn" in tf.contrib.framework.arg_scoped_arguments(layers.conv2d)


def test_repeated_and_stacked_layers():
    slim = tf.contrib.slim
    x = np.random.RandomState(1).rand(2, 8, 8, 3).astype(np.float32)
    with slim.arg_scope([slim.conv2d], biases_initializer=None):
        h = slim.repeat(x, 2, slim.conv2d, 4, [3, 3], scope="conv1")
        h = slim.stack(h, slim.conv2d, [(5, [1, 1]), (6, [3, 3])], scope="s")
        h = layers.repeat(h, 1, layers.conv2d, 6, 1)
    y = layers.stack(layers.flatten(h), layers.linear, [7, 3])
    assert [v.op.name for v in tf.global_variables()] == [
        "conv1/conv1_1/weights", "conv1/conv1_2/weights", "s/s_1/weights", "s/s_2/weights", "Repeat/convolution2d_1/weights",
        "Stack/fully_connected_1/weights", "Stack/fully_connected_1/biases", "Stack/fully_connected_2/weights", "Stack/fully_connected_2/biases"]
    np.testing.assert_allclose(evaluate(slim.softmax(y)).sum(1), [1, 1], rtol=1e-5)


def test_convolutions_in_one_and_three_dimensions():
    assert layers.conv1d(tf.zeros([2, 8, 3]), 4, 3).op.name == "Conv/Relu"
    assert layers.conv3d(tf.zeros([2, 4, 4, 4, 3]), 4, 3, stride=2).shape.as_list() == [2, 2, 2, 2, 4]
    with pytest.raises(ValueError, match="expects input with rank 4, got 3"):
        layers.conv2d(tf.zeros([2, 8, 3]), 4, 3)


@pytest.mark.parametrize("initializer, stddev", [
    (lambda: layers.variance_scaling_initializer(), 1.3 * 2 / 12),
    (lambda: layers.variance_scaling_initializer(1.0, "FAN_OUT"), 1.3 / 48),
    (lambda: layers.xavier_initializer(uniform=False), 1.3 / 30),
])
def test_initializers_scale_truncated_normals_as_contrib_does(initializer, stddev):
    tf.get_variable("w", [3, 4, 16], initializer=initializer())
    made = tf.get_default_graph().get_tensor_by_name("w/Initializer/truncated_normal/stddev:0")
    np.testing.assert_allclose(evaluate(made), np.sqrt(stddev), rtol=1e-6)
