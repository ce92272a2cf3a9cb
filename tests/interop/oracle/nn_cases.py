"""Activations, losses and normalization, by TensorFlow's public names."""
from oracle.draw import ints, real
from oracle.tensorflow1 import tf


def make(recorder):
    case = recorder.case
    case("softmax", tf.nn.softmax, [real(3, 5)])
    case("log_softmax", tf.nn.log_softmax, [real(3, 5)])
    case("xent", lambda x, y: tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.nn.softmax(y), logits=x), [real(4, 3), real(4, 3)])
    case("sparse_xent", lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x), [real(4, 5), ints(4)])
    case("sigmoid_xent", lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid(y), logits=x), [real(4, 3), real(4, 3)])
    case("bias_add", tf.nn.bias_add, [real(2, 3, 4), real(4)])
    case("l2_loss", tf.nn.l2_loss, [real(3, 4)])
    case("leaky_relu", lambda x: tf.nn.leaky_relu(x, 0.1), [real(3, 4)])
    case("moments", lambda x: tf.nn.moments(x, [0]), [real(5, 3)])
    case("l2_normalize", lambda x: tf.nn.l2_normalize(x, 1), [real(3, 4)])
    case("mlp", lambda x, w, b, v: tf.nn.softmax(tf.matmul(tf.nn.relu(tf.matmul(x, w) + b), v)), [real(5, 4), real(4, 6), real(6), real(6, 3)])
