"""Tests tf.layers: names of variables and nodes, sharing, and values, with numpy as the reference."""
import copy

import numpy as np
import pytest
import weir as tf

RNG = np.random.RandomState(5)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)  # for initial values
        yield graph


def real(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


def names(variables):
    return [v.name for v in variables]


def test_dense():
    x = real(4, 3)
    y = tf.layers.dense(x, 5, tf.nn.relu, bias_initializer=tf.constant_initializer(0.5))
    assert y.op.name == "dense/Relu" and y.shape.as_list() == [4, 5]
    assert names(tf.trainable_variables()) == ["dense/kernel:0", "dense/bias:0"]
    value, kernel, bias = run([y, *tf.trainable_variables()])
    np.testing.assert_allclose(value, np.maximum(x @ kernel + bias, 0), rtol=1e-5, atol=1e-6)
    assert bias.tolist() == [0.5] * 5
    assert tf.layers.dense(x, 2).op.name == "dense_1/BiasAdd"
    assert tf.layers.dense(real(2, 3, 4), 5, use_bias=False, name="deep").shape.as_list() == [2, 3, 5]
    with pytest.raises(ValueError, match="already exists"):
        tf.layers.dense(x, 5, name="deep")
    with pytest.raises(ValueError, match="channel|last"):
        tf.layers.dense(tf.placeholder(tf.float32, [2, None]), 5)


def test_variables_are_shared():
    x = real(4, 3)
    first = tf.layers.dense(x, 5, name="shared")
    again = tf.layers.dense(x, 5, name="shared", reuse=True)
    layer = tf.layers.Dense(5)
    a, b = layer(x), layer(x)
    assert len(tf.global_variables()) == 4 and names(layer.variables) == ["dense/kernel:0", "dense/bias:0"]
    values = run([first, again, a, b])
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[2], values[3])
    with tf.variable_scope("outer"):
        tf.layers.dense(x, 2, name="inner")
    assert tf.global_variables()[-1].name == "outer/inner/bias:0"


def test_convolutions():
    x = real(2, 6, 6, 3)
    y = tf.layers.conv2d(x, 4, 3, strides=2, padding="same", activation=tf.nn.relu)
    assert y.op.name == "conv2d/Relu" and y.shape.as_list() == [2, 3, 3, 4]
    assert names(tf.trainable_variables()) == ["conv2d/kernel:0", "conv2d/bias:0"]
    assert tf.trainable_variables()[0].shape.as_list() == [3, 3, 3, 4]
    kernel = tf.trainable_variables()[0]
    expected = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME"))
    np.testing.assert_allclose(*run([y, expected]), rtol=1e-5, atol=1e-6)
    assert tf.layers.conv1d(real(2, 7, 3), 4, 3).shape.as_list() == [2, 5, 4]
    assert tf.layers.conv3d(real(1, 4, 4, 4, 2), 3, 2).shape.as_list() == [1, 3, 3, 3, 3]
    assert tf.layers.conv2d(x.transpose(0, 3, 1, 2), 4, 3, data_format="channels_first").shape.as_list() == [2, 4, 4, 4]
    assert tf.layers.conv2d(x, 4, (3, 2), dilation_rate=2).shape.as_list() == [2, 2, 4, 4]
    separable = tf.layers.SeparableConv2D(8, 3, depth_multiplier=2)
    assert separable(x).shape.as_list() == [2, 4, 4, 8]
    assert [w.shape.as_list() for w in separable.weights] == [[3, 3, 3, 2], [1, 1, 6, 8], [8]]
    with pytest.raises(ValueError, match="padding"):
        tf.layers.conv2d(x, 4, 3, padding="full")
    with pytest.raises(ValueError, match="kernel_size"):
        tf.layers.conv2d(x, 4, (3, 3, 3))


@pytest.mark.parametrize("build", [
    lambda x, **options: tf.layers.conv2d(x, 4, 3, strides=2, padding="same", **options),
    lambda x, **options: tf.layers.conv2d_transpose(x, 4, 3, strides=2, **options),
    lambda x, **options: tf.layers.separable_conv2d(x, 4, 3, depth_multiplier=2, pointwise_initializer=tf.random_normal_initializer(seed=2),
                                                    depthwise_initializer=tf.random_normal_initializer(seed=3), **options),
])
def test_channels_first_give_what_channels_last_give(build):
    x = real(2, 5, 6, 3)
    bias = tf.constant_initializer([1.0, 2.0, 3.0, 4.0])
    last = build(x, name="layer", bias_initializer=bias)
    first = build(x.transpose(0, 3, 1, 2), name="layer", bias_initializer=bias, reuse=True, data_format="channels_first")
    a, b = run([last, first])
    np.testing.assert_allclose(a, b.transpose(0, 2, 3, 1), rtol=1e-4, atol=1e-5)


def test_transposed_convolutions():
    x = tf.placeholder(tf.float32, [None, 4, 5, 3])
    y = tf.layers.conv2d_transpose(x, 6, 3, strides=2, padding="same")
    z = tf.layers.conv2d_transpose(x, 6, 3, strides=2)
    assert y.shape.as_list() == [None, 8, 10, 6] and z.shape.as_list() == [None, 9, 11, 6]
    a, b = run([y, z], {x: real(2, 4, 5, 3)})
    assert a.shape == (2, 8, 10, 6) and b.shape == (2, 9, 11, 6)
    assert tf.global_variables()[0].shape.as_list() == [3, 3, 6, 3]
    unknown = tf.placeholder(tf.float32, [None, None, None, 3])
    w = tf.layers.conv2d_transpose(unknown, 6, 3, strides=2)
    assert w.shape.as_list() == [None, None, None, 6] and run(w, {unknown: real(2, 4, 5, 3)}).shape == (2, 9, 11, 6)


def test_pooling_and_flatten():
    x = real(2, 4, 6, 3)
    y = tf.layers.max_pooling2d(x, 2, 2)
    assert y.op.name == "max_pooling2d/MaxPool"
    z = tf.layers.average_pooling2d(x, [2, 2], [2, 2], "same", name="mean")
    flat = tf.layers.flatten(z)
    assert flat.shape.as_list() == [2, 18] and flat.op.name == "flatten/Reshape"
    a, b = run([y, flat])
    blocks = x.reshape(2, 2, 2, 3, 2, 3)
    np.testing.assert_allclose(a, blocks.max((2, 4)), rtol=1e-6)
    np.testing.assert_allclose(b, blocks.mean((2, 4)).reshape(2, -1), rtol=1e-5)
    assert tf.layers.max_pooling1d(real(2, 6, 3), 2, 2).shape.as_list() == [2, 3, 3]
    assert tf.layers.average_pooling3d(real(1, 4, 4, 4, 2), 2, 2).shape.as_list() == [1, 2, 2, 2, 2]
    first = tf.layers.flatten(x, data_format="channels_first")
    np.testing.assert_array_equal(run(first), x.transpose(0, 2, 3, 1).reshape(2, -1))
    unknown = tf.placeholder(tf.float32, [None, None, 3])
    assert run(tf.layers.flatten(unknown), {unknown: real(2, 5, 3)}).shape == (2, 15)


def test_dropout():
    x = np.ones([100, 10], np.float32)
    training = tf.placeholder(tf.bool, [])
    y = tf.layers.dropout(x, 0.4, training=training, seed=1)
    kept = run(y, {training: True})
    assert set(np.unique(kept).round(4)) == {0, np.float32(1 / 0.6).round(4)}
    np.testing.assert_array_equal(run(y, {training: False}), x)
    np.testing.assert_array_equal(run(tf.layers.dropout(x, 0.4)), x)


@pytest.mark.parametrize("shape, axis", [([8, 3, 4, 5], -1), ([8, 5, 3, 4], 1), ([8, 5], -1), ([8, 5, 3], 1)])
def test_batch_normalization(shape, axis):
    x = real(*shape) * 3 + 1
    training = tf.placeholder(tf.bool, [])
    y = tf.layers.batch_normalization(x, axis=axis, momentum=0.75, training=training)
    assert names(tf.trainable_variables()) == ["batch_normalization/gamma:0", "batch_normalization/beta:0"]
    assert names(tf.global_variables())[2:] == ["batch_normalization/moving_mean:0", "batch_normalization/moving_variance:0"]
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert len(updates) == 2
    axes = tuple(i for i in range(len(shape)) if i != axis % len(shape))
    mean, variance, count = x.mean(axes), x.var(axes), x.size / 5
    fused = len(shape) == 4
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        value = session.run(y, {training: True})
        np.testing.assert_allclose(value.mean(axes), np.zeros(5), atol=1e-5)
        np.testing.assert_allclose(value.std(axes), np.sqrt(variance / (variance + 1e-3)), rtol=1e-4)
        session.run(updates, {training: True})
        moving = session.run(tf.global_variables()[2:])
        np.testing.assert_allclose(moving[0], mean * 0.25, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(moving[1], 0.75 + 0.25 * variance * (count / (count - 1) if fused else 1), rtol=1e-4)
        session.run(updates, {training: False})
        np.testing.assert_array_equal(session.run(tf.global_variables()[2]), moving[0])
        spread = [-1 if i == axis % len(shape) else 1 for i in range(len(shape))]
        expected = (x - moving[0].reshape(spread)) / np.sqrt(moving[1].reshape(spread) + 1e-3)
        np.testing.assert_allclose(session.run(y, {training: False}), expected, rtol=1e-4, atol=1e-4)


def test_batch_normalization_of_a_trained_model_updates_nothing():
    tf.layers.batch_normalization(real(2, 3, 3, 4))
    assert not tf.get_collection(tf.GraphKeys.UPDATE_OPS)


def test_batch_normalization_of_halves_keeps_its_averages_as_floats():
    y = tf.layers.batch_normalization(real(4, 3, 3, 2).astype(np.float16), training=True)
    assert y.dtype == tf.float16 and {v.dtype.base_dtype for v in tf.global_variables()} == {tf.float32}
    assert np.abs(run(y).astype(np.float32).mean((0, 1, 2))).max() < 1e-2


@pytest.mark.parametrize("fused", [None, True, False])
def test_batch_normalization_fused_or_not(fused):
    tf.layers.batch_normalization(real(4, 3, 3, 2), training=True, fused=fused)
    assert ("FusedBatchNormV3" in {op.type for op in tf.get_default_graph().get_operations()}) == (fused is not False)


def test_batch_normalization_of_wide_values_and_in_pieces():
    training = tf.placeholder(tf.bool, [])
    y = tf.layers.batch_normalization(tf.constant(real(4, 3).astype(np.float64)), training=training)
    assert y.dtype == tf.float64 and run(y, {training: True}).shape == (4, 3)
    with tf.variable_scope("split", partitioner=tf.fixed_size_partitioner(2)):
        z = tf.layers.batch_normalization(real(4, 6), training=True)
    assert names(tf.global_variables())[-4:] == ["split/batch_normalization/beta/part_0:0", "split/batch_normalization/beta/part_1:0",
                                                 "split/batch_normalization/moving_mean:0", "split/batch_normalization/moving_variance:0"]
    assert run(z).shape == (4, 6)
    update = tf.get_collection(tf.GraphKeys.UPDATE_OPS)[-1].op
    assert update.name == "split/batch_normalization/AssignMovingAvg_1"
    assert update.colocation_groups() == [b"loc:@split/batch_normalization/moving_variance"]


def test_regularizers_and_own_layers():
    def regularizer(w):
        return tf.reduce_sum(tf.square(w))

    layer = tf.layers.Dense(3, kernel_regularizer=regularizer, kernel_initializer=tf.ones_initializer())
    layer(real(2, 2))
    assert run(tf.losses.get_regularization_loss()) == 6 and len(layer.losses) == 1

    class Scaled(tf.layers.Layer):
        def build(self, input_shape):
            self.factor = self.add_variable("factor", [], initializer=tf.constant_initializer(2.0))
            super().build(input_shape)

        def call(self, inputs):
            return inputs * self.factor

    scaled = Scaled(name="twice")
    x = real(3)
    np.testing.assert_allclose(run(scaled(x)), 2 * x, rtol=1e-6)
    assert names(scaled.trainable_variables) == ["twice/factor:0"] and scaled.count_params() == 1


@pytest.mark.parametrize("padding,stride,rate", [("valid", 1, 1), ("same", 2, 1), ("valid", 1, 3), ("same", 1, 2)])
def test_separable_conv1d(padding, stride, rate):
    x = real(2, 9, 3)
    y = tf.layers.separable_conv1d(x, 5, 3, stride, padding, dilation_rate=rate, depth_multiplier=2, bias_initializer=tf.constant_initializer(0.5))
    assert names(tf.trainable_variables()) == ["separable_conv1d/depthwise_kernel:0", "separable_conv1d/pointwise_kernel:0", "separable_conv1d/bias:0"]
    depthwise, pointwise, bias = tf.trainable_variables()
    assert depthwise.shape.as_list() == [3, 3, 2] and pointwise.shape.as_list() == [1, 6, 5]
    # Expected: a convolution of each channel alone, then a pointwise convolution.
    each = [tf.nn.conv1d(x[:, :, c:c + 1], depthwise[:, c:c + 1], stride, padding.upper(), dilations=rate) for c in range(3)]
    wanted = tf.nn.conv1d(tf.concat(each, 2), pointwise, 1, "VALID") + bias
    value, expected = run([y, wanted])
    assert y.shape.as_list() == list(expected.shape)
    np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)


def test_separable_conv1d_as_a_layer():
    layer = tf.layers.SeparableConv1D(4, 3, activation=tf.nn.relu, use_bias=False)
    a, b = layer(real(1, 6, 2)), layer(real(1, 7, 2))
    assert len(layer.variables) == 2 and a.shape.as_list() == [1, 4, 4] and b.shape.as_list() == [1, 5, 4]
    assert (run(a) >= 0).all()


@pytest.mark.parametrize("make", [lambda: tf.layers.Dense(3), lambda: tf.layers.Conv2D(3, 2), lambda: tf.layers.SeparableConv2D(3, 2),
                                  lambda: tf.layers.BatchNormalization(), lambda: tf.layers.Dropout()])
def test_a_copy_of_an_unused_layer_has_its_own_variables(make):
    layer = make()
    other = copy.deepcopy(layer)
    x = tf.ones([1, 4, 4, 2])
    layer(x), other(x)
    assert not {v.name for v in layer.weights} & {v.name for v in other.weights}
    assert len(tf.global_variables()) == 2 * len(layer.weights)


def test_a_layer_may_have_its_own_build():
    class Doubling(tf.layers.Dense):
        def build(self, input_shape):
            self.kernel, self.bias = tf.constant([[2.0, 0.0], [0.0, 2.0]]), None
            self.built = True

    np.testing.assert_array_equal(run(Doubling(2)([[1.0, 3.0]])), [[2.0, 6.0]])
