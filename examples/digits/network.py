"""The network of the digit trainer: two convolutional and two dense layers. Shared by train.py and predict.py."""
import tensorflow as tf

SIDE = 28  # width and height of an image, in pixels
DIGITS = 10


def _weights(name, shape, regularizer):
    return tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=(2.0 / _inputs(shape)) ** 0.5),
                           regularizer=regularizer)


def _inputs(shape):
    count = 1
    for size in shape[:-1]:
        count *= size
    return count


def _biases(size):
    return tf.get_variable("biases", [size], initializer=tf.constant_initializer(0.0))


def _convolution(images, name, size, channels, regularizer):
    with tf.variable_scope(name):
        filters = _weights("filters", [size, size, images.shape[3].value, channels], regularizer)
        features = tf.nn.conv2d(images, filters, strides=[1, 1, 1, 1], padding="SAME")
        features = tf.nn.relu(tf.nn.bias_add(features, _biases(channels)))
        return tf.nn.max_pool(features, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


def _dense(values, name, size, regularizer):
    with tf.variable_scope(name):
        weights = _weights("weights", [values.shape[1].value, size], regularizer)
        return tf.nn.bias_add(tf.matmul(values, weights), _biases(size))


def logits(images, keep_probability=1.0, regularizer=None, reuse=False):
    """Maps images [n, 28, 28, 1] in 0..1 to logits [n, 10]."""
    with tf.variable_scope("network", reuse=reuse):
        features = _convolution(images, "convolution1", 5, 12, regularizer)
        features = _convolution(features, "convolution2", 5, 24, regularizer)
        side = SIDE // 4
        values = tf.reshape(features, [-1, side * side * 24])
        values = tf.tanh(_dense(values, "dense1", 96, regularizer))
        if keep_probability < 1.0:
            values = tf.nn.dropout(values, keep_prob=keep_probability)
        return _dense(values, "dense2", DIGITS, regularizer)
