"""Loops that compute gradients, on paths that bring no gradient back. Expected values are TensorFlow's."""
import numpy as np
import pytest

import weir as tf


def powers(x, turns=4):
    """x + x^2 + ... with a body whose first result is part of the second."""
    def body(i, y, r):
        y = y * x
        return i + 1, y, r + y
    return tf.while_loop(lambda i, *_: i < turns, body, [0, 1.0, 0.0])[2]


CASES = {
    "stop_gradient": (lambda r, g, x: tf.gradients(r + tf.stop_gradient(g), x), [10.0]),
    "print": (lambda r, g, x: tf.gradients(tf.Print(r, [g], first_n=0), x), [10.0]),
    "floor": (lambda r, g, x: tf.gradients(r + tf.floor(g), x), [10.0]),
    "times x": (lambda r, g, x: tf.gradients(r + tf.stop_gradient(g) * x, x), [20.0]),
    "without the loop": (lambda r, g, x: tf.gradients(x * x + tf.stop_gradient(g), x), [2.0]),
    "two ys": (lambda r, g, x: tf.gradients([r, tf.stop_gradient(g)], [x, r]), [10.0, 1.0]),
    "into a loop": (lambda r, g, x: tf.gradients(tf.while_loop(
        lambda i, z: i < 3, lambda i, z: (i + 1, z * x + tf.stop_gradient(g)), [0, 1.0])[1] + r, x), [43.0]),
    "again": (lambda r, g, x: tf.gradients(
        r + tf.stop_gradient(tf.gradients(r * tf.stop_gradient(g), x)[0]), x), [10.0]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_gradient_beside_one_that_ends(name):
    build, expected = CASES[name]
    with tf.Graph().as_default():
        x = tf.Variable(1.0)
        r = powers(x)
        results = build(r, tf.gradients(r, x)[0], x)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            np.testing.assert_allclose(sess.run(results), expected, rtol=1e-6)


def test_nested_loops():
    with tf.Graph().as_default():
        x = tf.Variable(1.5)

        def outer(i, r):
            s = tf.while_loop(lambda j, _: j < 2, lambda j, s: (j + 1, s * x), [0, r])[1]
            return i + 1, s + r
        r = tf.while_loop(lambda i, _: i < 3, outer, [0, 1.0])[1]
        g = tf.gradients(r, x)[0]
        again = tf.gradients(r + tf.stop_gradient(g * g), x)[0]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            np.testing.assert_allclose(sess.run([g, again]), [95.0625, 95.0625], rtol=1e-6)


def test_a_second_derivative_of_a_loop_is_an_error():
    with tf.Graph().as_default():
        x = tf.Variable(1.0)
        r = powers(x)
        with pytest.raises(TypeError, match=r"^Second-order gradient for while loops not supported\.$"):
            tf.gradients(r + tf.gradients(r, x)[0], x)
