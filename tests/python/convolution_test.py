"""Tests convolution, pooling and fused batch normalization under their public names, with numpy as the reference."""
import numpy as np
import pytest
import weir as tf

RNG = np.random.RandomState(3)


def real(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def value(make):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


def close(make, expected, tolerance=1e-4):
    np.testing.assert_allclose(value(make), expected, rtol=tolerance, atol=tolerance)


def padded(x, size, stride, dilation, padding):
    """Returns the image padded for SAME, or with explicit pairs."""
    pads = [(0, 0)]
    for i, (n, k) in enumerate(zip(x.shape[1:-1], size)):
        if padding == "SAME":
            out = -(-n // stride)
            total = max(0, (out - 1) * stride + (k - 1) * dilation + 1 - n)
            pads.append((total // 2, total - total // 2))
        else:
            pads.append((0, 0) if padding == "VALID" else tuple(padding[i + 1]))
    return np.pad(x, pads + [(0, 0)])


def conv2d(x, w, stride=1, padding="VALID", dilation=1):
    rows, columns = w.shape[:2]
    x = padded(x, (rows, columns), stride, dilation, padding)
    height = (x.shape[1] - (rows - 1) * dilation - 1) // stride + 1
    width = (x.shape[2] - (columns - 1) * dilation - 1) // stride + 1
    y = np.zeros((x.shape[0], height, width, w.shape[3]), x.dtype)
    for i in range(rows):
        for j in range(columns):
            part = x[:, i * dilation:i * dilation + (height - 1) * stride + 1:stride, j * dilation:j * dilation + (width - 1) * stride + 1:stride]
            y += part @ w[i, j]
    return y


@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [1, 2], [0, 1], [0, 0]]])
@pytest.mark.parametrize("stride", [1, 2])
def test_conv2d(padding, stride):
    x, w = real(2, 6, 7, 3), real(3, 2, 3, 5)
    expected = conv2d(x, w, stride, padding)
    close(lambda: tf.nn.conv2d(x, w, [1, stride, stride, 1], padding), expected)
    close(lambda: tf.nn.conv2d(x, filters=w, strides=stride, padding=padding), expected)
    close(lambda: tf.nn.conv2d(x, w, [stride, stride], padding, name="c"), expected)
    if isinstance(padding, str):
        first = np.transpose(x, [0, 3, 1, 2])
        close(lambda: tf.nn.conv2d(first, w, [1, 1, stride, stride], padding, data_format="NCHW"), np.transpose(expected, [0, 3, 1, 2]))


def test_names_and_shapes():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 28, 28, 1])
        y = tf.nn.conv2d(x, tf.zeros([5, 5, 1, 32]), [1, 1, 1, 1], "SAME")
        assert y.op.name == "Conv2D" and y.shape.as_list() == [None, 28, 28, 32]
        p = tf.nn.max_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        assert p.op.name == "MaxPool" and p.shape.as_list() == [None, 14, 14, 32]
        assert tf.nn.avg_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", name="mean").op.name == "mean"
        t = tf.nn.conv2d_transpose(p, tf.zeros([3, 3, 4, 32]), [8, 28, 28, 4], [1, 2, 2, 1])
        assert t.op.name == "conv2d_transpose" and t.shape.as_list() == [8, 28, 28, 4]


def test_dilated():
    x, w = real(2, 9, 8, 2), real(3, 3, 2, 3)
    for padding in ("SAME", "VALID"):
        expected = conv2d(x, w, 1, padding, 2)
        close(lambda: tf.nn.conv2d(x, w, [1, 1, 1, 1], padding, dilations=[1, 2, 2, 1]), expected)
        close(lambda: tf.nn.atrous_conv2d(x, w, 2, padding), expected)
        close(lambda: tf.nn.convolution(x, w, padding, dilation_rate=[2, 2]), expected)


def test_of_one_and_three_dimensions():
    x, w = real(2, 9, 3), real(4, 3, 5)
    expected = conv2d(x[:, None], w[None], 1, "SAME")[:, 0]
    close(lambda: tf.nn.conv1d(x, w, 1, "SAME"), expected)
    close(lambda: tf.nn.convolution(x, w, "SAME"), expected)
    close(lambda: tf.nn.conv1d(np.transpose(x, [0, 2, 1]), w, 1, "SAME", data_format="NCW"), np.transpose(expected, [0, 2, 1]))
    skipping = conv2d(x[:, None], w[None], 2, "VALID")[:, 0]
    close(lambda: tf.nn.conv1d(x, w, [1, 2, 1], "VALID"), skipping)
    close(lambda: tf.nn.conv1d(np.transpose(x, [0, 2, 1]), w, [1, 1, 2], "VALID", data_format="NCW"), np.transpose(skipping, [0, 2, 1]))
    v, u = real(1, 4, 4, 4, 2), real(1, 3, 3, 2, 3)
    slices = np.stack([conv2d(v[:, i], u[0]) for i in range(4)], 1)
    close(lambda: tf.nn.conv3d(v, u, [1, 1, 1, 1, 1], "VALID"), slices)


def test_transposed_is_the_gradient():
    x, w, y = real(2, 7, 6, 4), real(3, 2, 4, 5), real(2, 4, 3, 5)
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.constant(x)
        back, = tf.gradients(tf.nn.conv2d(images, w, [1, 2, 2, 1], "SAME"), images, y)
        there = tf.nn.conv2d_transpose(y, w, [2, 7, 6, 4], [1, 2, 2, 1], "SAME")
        a, b = session.run([back, there])
    np.testing.assert_allclose(a, b, rtol=1e-5)
    assert value(lambda: tf.nn.conv1d_transpose(real(2, 4, 3), real(3, 5, 3), [2, 8, 5], 2)).shape == (2, 8, 5)
    with pytest.raises(ValueError, match="input_sizes to contain 4 values or 2 values, but got: 3"):
        value(lambda: tf.nn.conv2d_transpose(y, w, [2, 7, 6], [1, 2, 2, 1]))


def test_depthwise_and_separable():
    x, d, p = real(2, 5, 6, 3), real(3, 3, 3, 2), real(1, 1, 6, 4)
    channels = [conv2d(x[..., c:c + 1], d[:, :, c:c + 1], 1, "SAME") for c in range(3)]
    depthwise = np.concatenate(channels, -1)
    close(lambda: tf.nn.depthwise_conv2d(x, d, [1, 1, 1, 1], "SAME"), depthwise)
    close(lambda: tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "SAME"), depthwise @ p[0, 0])


def test_pooling():
    x = real(2, 4, 6, 3)
    blocks = x.reshape(2, 2, 2, 3, 2, 3)
    close(lambda: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"), blocks.max((2, 4)))
    close(lambda: tf.nn.max_pool(x, 2, 2, "SAME"), blocks.max((2, 4)))
    close(lambda: tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"), blocks.mean((2, 4)))
    close(lambda: tf.nn.pool(x, [2, 2], "MAX", "VALID", strides=[2, 2]), blocks.max((2, 4)))
    close(lambda: tf.nn.max_pool1d(x[0], 2, 2, "VALID"), x[0].reshape(4, 3, 2, 3).max(2))
    close(lambda: tf.nn.avg_pool3d(x[:, None], 1, 1, "VALID"), x[:, None])
    largest, at = value(lambda: tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"))
    np.testing.assert_array_equal(x.reshape(2, -1)[np.arange(2)[:, None], at.reshape(2, -1)], largest.reshape(2, -1))


def test_pooling_with_gaps():
    x = real(2, 5, 7, 3)
    parts = [x[:, i:i + 3, j:j + 4] for i in (0, 2) for j in (0, 3)]
    close(lambda: tf.nn.pool(x, [2, 2], "MAX", "VALID", dilation_rate=[2, 3]), np.max(parts, 0))
    close(lambda: tf.nn.pool(x, [2, 2], "AVG", "VALID", dilations=[2, 3]), np.mean(parts, 0))
    close(lambda: tf.nn.pool(x.transpose(0, 3, 1, 2), [2, 2], "MAX", "VALID", dilation_rate=[2, 3], data_format="NCHW"), np.max(parts, 0).transpose(0, 3, 1, 2))
    close(lambda: tf.nn.pool(x[0], [3], "MAX", "VALID", dilation_rate=[2]), np.max([x[0][:, i:i + 3] for i in (0, 2, 4)], 0))
    close(lambda: tf.nn.pool(x[:, None], [1, 2, 1], "AVG", "VALID", dilation_rate=[1, 4, 1]), (x[:, None, :1] + x[:, None, 4:]) / 2)
    close(lambda: tf.nn.pool(tf.placeholder_with_default(x, [None, None, None, 3]), [2, 2], "MAX", "VALID", dilation_rate=[2, 3]), np.max(parts, 0))
    with pytest.raises(ValueError, match="SAME"):
        value(lambda: tf.nn.pool(x, [2, 2], "MAX", "SAME", dilation_rate=[2, 2]))
    with pytest.raises(ValueError, match="strides > 1"):
        value(lambda: tf.nn.pool(x, [2, 2], "MAX", "VALID", dilation_rate=[2, 2], strides=[2, 1]))


def test_a_window_larger_than_the_image_is_an_error():
    for build in (lambda x: tf.nn.conv2d(x, real(3, 3, 1, 1), [1, 1, 1, 1], "VALID"), lambda x: tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "VALID")):
        with pytest.raises(ValueError, match="Negative dimension size"):
            value(lambda: build(real(1, 2, 4, 1)))


def test_fused_batch_norm():
    x, scale, offset = real(4, 3, 3, 2), np.float32([2, 0.5]), np.float32([1, -1])
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    y, m, v = value(lambda: tf.nn.fused_batch_norm(x, scale, offset, epsilon=0.01))
    np.testing.assert_allclose(y, (x - mean) / np.sqrt(variance + 0.01) * scale + offset, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(m, mean, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(v, variance * 36 / 35, rtol=1e-4)
    y = value(lambda: tf.nn.fused_batch_norm(x, scale, offset, mean, variance, 0.01, is_training=False)[0])
    np.testing.assert_allclose(y, (x - mean) / np.sqrt(variance + 0.01) * scale + offset, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="mean"):
        tf.nn.fused_batch_norm(x, scale, offset, is_training=False)
    least = tf.nn.fused_batch_norm(x, scale, offset, epsilon=1e-12)[0].op.get_attr("epsilon")
    assert np.float32(least) == np.float32(1.001e-5)  # the minimum; smaller values are raised to it


def test_batches_of_other_sizes_in_one_session():
    w = real(3, 3, 2, 4)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None, None, 2])
        y = tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")
        for batch, size in ((1, 5), (3, 4), (0, 5), (1, 5), (5, 7)):
            images = real(batch, size, size, 2)
            np.testing.assert_allclose(session.run(y, {x: images}), conv2d(images, w, 1, "SAME"), rtol=1e-4, atol=1e-5)


def test_errors_name_the_node():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None, None, None])
        y = tf.nn.conv2d(x, real(3, 3, 2, 4), [1, 1, 1, 1], "VALID", name="small")
        with pytest.raises(tf.errors.InvalidArgumentError, match="small"):
            session.run(y, {x: real(1, 1, 1, 2)})
        with pytest.raises(tf.errors.InvalidArgumentError, match="divisible"):
            session.run(y, {x: real(1, 5, 5, 3)})
    with pytest.raises(ValueError, match="Negative dimension size"):
        tf.nn.conv2d(real(1, 1, 1, 2), real(3, 3, 2, 4), [1, 1, 1, 1], "VALID")
    with pytest.raises(ValueError, match="strides"):
        tf.nn.conv2d(real(1, 1, 1, 2), real(1, 1, 2, 4), [1, 1, 1], "VALID")


def test_a_small_network_learns():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        x, y = tf.placeholder(tf.float32, [None, 8, 8, 1]), tf.placeholder(tf.int64, [None])
        w = tf.Variable(tf.random_normal([3, 3, 1, 4], stddev=0.3))
        h = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")), [1, 4, 4, 1], [1, 4, 4, 1], "SAME")
        logits = tf.matmul(tf.reshape(h, [-1, 16]), tf.Variable(tf.random_normal([16, 2], stddev=0.3)))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        train = tf.train.AdamOptimizer(0.05).minimize(loss)
        session.run(tf.global_variables_initializer())
        labels = RNG.randint(0, 2, 64)
        images = np.zeros([64, 8, 8, 1], np.float32)
        for i, label in enumerate(labels):  # class 0: a row, class 1: a column
            at = RNG.randint(0, 8)
            images[i, at, :, 0] = 1 - label
            images[i, :, at, 0] += label
        losses = [session.run([loss, train], {x: images, y: labels})[0] for _ in range(60)]
        assert losses[-1] < losses[0] / 3
