"""Tests tf.layers: names of variables and nodes, sharing, and values, with numpy as the reference."""
import copy

import numpy as np
import pytest
import weir as tf
from evaluation import evaluate

RNG = np.random.RandomState(5)


@pytest.fixture(autouse=True)
def seed_of_initial_values():
    tf.set_random_seed(7)


def real(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def names(variables):
    return [v.name for v in variables]


def test_dense():
    x = real(4, 3)
    y = tf.layers.dense(x, 5, tf.nn.relu, bias_initializer=tf.constant_initializer(0.5))
    assert y.op.name == "dense/Relu" and y.shape.as_list() == [4, 5]
    assert names(tf.trainable_variables()) == ["dense/kernel:0", "dense/bias:0"]
    value, kernel, bias = evaluate([y, *tf.trainable_variables()])
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
    values = evaluate([first, again, a, b])
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
    np.testing.assert_allclose(*evaluate([y, expected]), rtol=1e-5, atol=1e-6)
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
def test_channels_first_equals_channels_last(build):
    x = real(2, 5, 6, 3)
    bias = tf.constant_initializer([1.0, 2.0, 3.0, 4.0])
    last = build(x, name="layer", bias_initializer=bias)
    first = build(x.transpose(0, 3, 1, 2), name="layer", bias_initializer=bias, reuse=True, data_format="channels_first")
    a, b = evaluate([last, first])
    np.testing.assert_allclose(a, b.transpose(0, 2, 3, 1), rtol=1e-4, atol=1e-5)


def test_transposed_convolutions():
    x = tf.placeholder(tf.float32, [None, 4, 5, 3])
    y = tf.layers.conv2d_transpose(x, 6, 3, strides=2, padding="same")
    z = tf.layers.conv2d_transpose(x, 6, 3, strides=2)
    assert y.shape.as_list() == [None, 8, 10, 6] and z.shape.as_list() == [None, 9, 11, 6]
    a, b = evaluate([y, z], {x: real(2, 4, 5, 3)})
    assert a.shape == (2, 8, 10, 6) and b.shape == (2, 9, 11, 6)
    assert tf.global_variables()[0].shape.as_list() == [3, 3, 6, 3]
    unknown = tf.placeholder(tf.float32, [None, None, None, 3])
    w = tf.layers.conv2d_transpose(unknown, 6, 3, strides=2)
    assert w.shape.as_list() == [None, None, None, 6] and evaluate(w, {unknown: real(2, 4, 5, 3)}).shape == (2, 9, 11, 6)


def test_pooling_and_flatten():
    x = real(2, 4, 6, 3)
    y = tf.layers.max_pooling2d(x, 2, 2)
    assert y.op.name == "max_pooling2d/MaxPool"
    z = tf.layers.average_pooling2d(x, [2, 2], [2, 2], "same", name="mean")
    flat = tf.layers.flatten(z)
    assert flat.shape.as_list() == [2, 18] and flat.op.name == "flatten/Reshape"
    a, b = evaluate([y, flat])
    blocks = x.reshape(2, 2, 2, 3, 2, 3)
    np.testing.assert_allclose(a, blocks.max((2, 4)), rtol=1e-6)
    np.testing.assert_allclose(b, blocks.mean((2, 4)).reshape(2, -1), rtol=1e-5)
    assert tf.layers.max_pooling1d(real(2, 6, 3), 2, 2).shape.as_list() == [2, 3, 3]
    assert tf.layers.average_pooling3d(real(1, 4, 4, 4, 2), 2, 2).shape.as_list() == [1, 2, 2, 2, 2]
    first = tf.layers.flatten(x, data_format="channels_first")
    np.testing.assert_array_equal(evaluate(first), x.transpose(0, 2, 3, 1).reshape(2, -1))
    unknown = tf.placeholder(tf.float32, [None, None, 3])
    assert evaluate(tf.layers.flatten(unknown), {unknown: real(2, 5, 3)}).shape == (2, 15)


def test_dropout():
    x = np.ones([100, 10], np.float32)
    training = tf.placeholder(tf.bool, [])
    y = tf.layers.dropout(x, 0.4, training=training, seed=1)
    kept = evaluate(y, {training: True})
    assert set(np.unique(kept).round(4)) == {0, np.float32(1 / 0.6).round(4)}
    np.testing.assert_array_equal(evaluate(y, {training: False}), x)
    np.testing.assert_array_equal(evaluate(tf.layers.dropout(x, 0.4)), x)


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
    assert np.abs(evaluate(y).astype(np.float32).mean((0, 1, 2))).max() < 1e-2


def renormalized(batches, momentum, renorm_momentum, clipping, virtual=None, epsilon=1e-3):
    """The output of each batch, and at the end moving_mean, moving_variance, moving_stddev, renorm_mean and renorm_stddev, in numpy."""
    channels = batches[0].shape[-1]
    mean_of, stddev_of, moving_mean, moving_stddev = np.zeros(channels), np.ones(channels), np.zeros(channels), np.ones(channels)
    outputs = []
    for x in batches:
        parts = x if virtual is None else x.reshape(virtual, -1, channels)
        mean, variance = parts.mean(0), parts.var(0)
        whole_mean, whole_variance = (mean, variance) if virtual is None else (mean.mean(0), variance.mean(0))
        stddev = np.sqrt(whole_variance + epsilon)
        r = np.clip(stddev / stddev_of, clipping.get("rmin", 0), clipping.get("rmax", np.inf))
        d = np.clip((whole_mean - mean_of) / stddev_of, -clipping.get("dmax", np.inf), clipping.get("dmax", np.inf))
        outputs.append(((parts - mean) / np.sqrt(variance + epsilon) * r + d).reshape(x.shape))
        mean_of = mean_of + (whole_mean - mean_of) * (1 - renorm_momentum)
        stddev_of = stddev_of + (stddev - stddev_of) * (1 - renorm_momentum)
        moving_mean = moving_mean + (whole_mean - moving_mean) * (1 - momentum)
        moving_stddev = moving_stddev + (stddev - moving_stddev) * (1 - momentum)
    return outputs, [moving_mean, moving_stddev ** 2 - epsilon, moving_stddev, mean_of, stddev_of]


@pytest.mark.parametrize("clipping", [{}, {"rmin": 0.5, "rmax": 1.5, "dmax": 0.7}])
@pytest.mark.parametrize("virtual", [None, 2])
@pytest.mark.parametrize("dynamic", [False, True])
def test_batch_renormalization(clipping, virtual, dynamic):
    batches = [real(6, 3) * (i + 1) + i for i in range(4)]
    x = tf.placeholder(tf.float32, [6, 3])
    training = tf.placeholder(tf.bool, []) if dynamic else True
    y = tf.layers.batch_normalization(x, momentum=0.75, training=training, renorm=True, renorm_clipping=clipping, renorm_momentum=0.9,
                                      virtual_batch_size=virtual)
    moving = tf.global_variables()[2:]
    assert [v.op.name.split("/")[1] for v in moving] == ["moving_mean", "moving_variance", "moving_stddev", "renorm_mean", "renorm_stddev"]
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    outputs, averages = renormalized(batches, 0.75, 0.9, clipping, virtual)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for batch, output in zip(batches, outputs):
            value, _ = session.run([y, updates], {x: batch, **({training: True} if dynamic else {})})
            np.testing.assert_allclose(value, output, rtol=1e-4, atol=1e-4)
        for var, average in zip(moving, averages):
            np.testing.assert_allclose(session.run(var).ravel(), average, rtol=1e-4, atol=1e-5)
        if dynamic:
            before = session.run(moving)
            value, _ = session.run([y, updates], {x: batches[0], training: False})
            np.testing.assert_allclose(value, (batches[0] - averages[0]) / np.sqrt(averages[1] + 1e-3), rtol=1e-4, atol=1e-4)
            for old, new in zip(before, session.run(moving)):
                np.testing.assert_array_equal(old, new)


def test_batch_renormalization_has_constant_corrections():
    """Gradients go through the batch's moments, but not through the corrections."""
    x = tf.constant(real(6, 3))
    weights = real(6, 3)
    dx, = tf.gradients(tf.layers.batch_normalization(x, training=True, renorm=True) * weights, x)
    plain, = tf.gradients(tf.layers.batch_normalization(x, training=True) * weights, x)
    stddev = np.sqrt(evaluate(x).var(0) + 1e-3)  # the correction at the start, when the average is 1
    np.testing.assert_allclose(evaluate(dx), evaluate(plain) * stddev, rtol=1e-4, atol=1e-5)


def test_averages_of_batch_renormalization_start_like_the_moving_ones():
    tf.layers.batch_normalization(real(6, 3), training=True, renorm=True, moving_variance_initializer=tf.constant_initializer(4.0),
                                  moving_mean_initializer=tf.constant_initializer(0.5))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [session.run(v)[0] for v in tf.global_variables()[2:]] == [0.5, 4, 2, 0.5, 2]


def test_shapes_of_variables_for_virtual_batches():
    layer = tf.layers.BatchNormalization(axis=1, virtual_batch_size=2)
    assert layer(tf.placeholder(tf.float32, [None, 5, 4]), training=True).shape.as_list() == [None, 5, 4]
    assert {tuple(v.shape.as_list()) for v in layer.weights} == {(1, 1, 5, 1)}


@pytest.mark.parametrize("arguments, text", [
    ({"renorm": True, "fused": True}, "renorm=True"),
    ({"virtual_batch_size": 2, "fused": True}, "virtual_batch_size"),
    ({"virtual_batch_size": 0}, "virtual_batch_size must be a positive integer"),
    ({"virtual_batch_size": 2, "axis": 0}, "axis"),
    ({"renorm": True, "renorm_clipping": {"max": 1}}, "renorm_clipping"),
])
def test_wrong_options_of_batch_renormalization(arguments, text):
    with pytest.raises(ValueError, match=text):
        tf.layers.batch_normalization(real(4, 2, 3, 2), **arguments)


@pytest.mark.parametrize("fused", [None, True, False])
def test_batch_normalization_fused_or_not(fused):
    tf.layers.batch_normalization(real(4, 3, 3, 2), training=True, fused=fused)
    assert ("FusedBatchNormV3" in {op.type for op in tf.get_default_graph().get_operations()}) == (fused is not False)


def test_batch_normalization_of_wide_values_and_in_pieces():
    training = tf.placeholder(tf.bool, [])
    y = tf.layers.batch_normalization(tf.constant(real(4, 3).astype(np.float64)), training=training)
    assert y.dtype == tf.float64 and evaluate(y, {training: True}).shape == (4, 3)
    with tf.variable_scope("split", partitioner=tf.fixed_size_partitioner(2)):
        z = tf.layers.batch_normalization(real(4, 6), training=True)
    assert names(tf.global_variables())[-4:] == ["split/batch_normalization/beta/part_0:0", "split/batch_normalization/beta/part_1:0",
                                                 "split/batch_normalization/moving_mean:0", "split/batch_normalization/moving_variance:0"]
    assert evaluate(z).shape == (4, 6)
    update = tf.get_collection(tf.GraphKeys.UPDATE_OPS)[-1].op
    assert update.name == "split/batch_normalization/AssignMovingAvg_1"
    assert update.colocation_groups() == [b"loc:@split/batch_normalization/moving_variance"]


def test_regularizers_and_layers_of_the_user():
    def regularizer(w):
        return tf.reduce_sum(tf.square(w))

    layer = tf.layers.Dense(3, kernel_regularizer=regularizer, kernel_initializer=tf.ones_initializer())
    layer(real(2, 2))
    assert evaluate(tf.losses.get_regularization_loss()) == 6 and len(layer.losses) == 1

    class Scaled(tf.layers.Layer):
        def build(self, input_shape):
            self.factor = self.add_variable("factor", [], initializer=tf.constant_initializer(2.0))
            super().build(input_shape)

        def call(self, inputs):
            return inputs * self.factor

    scaled = Scaled(name="twice")
    x = real(3)
    np.testing.assert_allclose(evaluate(scaled(x)), 2 * x, rtol=1e-6)
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
    value, expected = evaluate([y, wanted])
    assert y.shape.as_list() == list(expected.shape)
    np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)


def test_separable_conv1d_as_a_layer():
    layer = tf.layers.SeparableConv1D(4, 3, activation=tf.nn.relu, use_bias=False)
    a, b = layer(real(1, 6, 2)), layer(real(1, 7, 2))
    assert len(layer.variables) == 2 and a.shape.as_list() == [1, 4, 4] and b.shape.as_list() == [1, 5, 4]
    assert (evaluate(a) >= 0).all()


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

    np.testing.assert_array_equal(evaluate(Doubling(2)([[1.0, 3.0]])), [[2.0, 6.0]])


def test_weights_as_arrays():
    with tf.Graph().as_default(), tf.Session() as sess:
        layer = tf.layers.Dense(2, name="d")
        y = layer(tf.constant([[1.0, 2.0]]))
        sess.run(tf.global_variables_initializer())
        kernel, bias = layer.get_weights()
        assert kernel.shape == (2, 2) and bias.tolist() == [0, 0]
        layer.set_weights([np.eye(2), np.array([10, 20])])
        assert sess.run(y).tolist() == [[11, 22]] and layer.count_params() == 6
        with pytest.raises(ValueError, match="weight list of length 1"):
            layer.set_weights([kernel])
        with pytest.raises(ValueError, match="not compatible"):
            layer.set_weights([kernel, np.zeros(3)])


def test_members_of_layers():
    with tf.Graph().as_default():
        layer = tf.layers.Dense(2, activity_regularizer=tf.contrib.layers.l2_regularizer(0.1), name="d")
        layer(tf.ones([1, 2]))
        assert not layer.stateful and not layer.dynamic and layer.inbound_nodes == [] and callable(layer.activity_regularizer)
        assert layer.get_losses_for(None) == layer.losses and len(layer.losses) == 1 and layer.get_updates_for(None) == []
        for name in ("input", "output", "input_shape", "output_shape"):
            with pytest.raises(AttributeError, match="Layer d is not connected"):
                getattr(layer, name)


@pytest.mark.parametrize("make", [
    lambda: tf.layers.Dense(3, activation=tf.nn.relu, kernel_initializer=tf.zeros_initializer(), name="x"),
    lambda: tf.layers.Conv2D(2, 3, strides=2, padding="same", name="x"),
    lambda: tf.layers.SeparableConv2D(2, 3, name="x"), lambda: tf.layers.Conv2DTranspose(2, 3, name="x"),
    lambda: tf.layers.MaxPooling2D(2, 2, name="x"), lambda: tf.layers.BatchNormalization(momentum=0.5, name="x"),
    lambda: tf.layers.Flatten(name="x"), lambda: tf.layers.Dropout(0.25, name="x"),
    lambda: tf.nn.rnn_cell.GRUCell(3, activation=tf.nn.relu, kernel_initializer=tf.ones_initializer(), name="x"),
    lambda: tf.nn.rnn_cell.LSTMCell(3, use_peepholes=True, num_proj=2, name="x"), lambda: tf.nn.rnn_cell.BasicLSTMCell(3, name="x"),
    lambda: tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(3, name="y"), 0.5, name="x"),
    lambda: tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.BasicRNNCell(3, name="y"), name="x")])
def test_a_layer_is_made_from_its_configuration(make):
    layer = make()
    config = layer.get_config()
    again = type(layer).from_config(config)
    assert type(again) is type(layer) and again.get_config() == config and config["name"] == "x"


def test_settings_by_name():
    with tf.Graph().as_default():
        y = tf.layers.dense(tf.ones([1, 2]), 2, activation="relu", kernel_initializer="ones", kernel_regularizer="l2")
        assert y.op.type == "Relu" and len(tf.losses.get_regularization_losses()) == 1
        assert evaluate(y).tolist() == [[2, 2]]
