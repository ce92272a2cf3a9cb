"""tf.gradients from Python, and gradients written in Python."""
import numpy as np
import pytest

import weir as tf

raw = tf.raw_ops


def test_values():
    x = tf.constant([2.0, 3.0])
    y = x * x + 3.0 * x
    grad, = tf.gradients(y, x)
    weighted, = tf.gradients([y], [x], grad_ys=[[1.0, 10.0]])
    unconnected = tf.gradients(y, [tf.constant(1.0)])
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(grad), [7, 9])
        np.testing.assert_allclose(sess.run(weighted), [7, 90])
    assert unconnected == [None] and grad.name.startswith("gradients/")


def test_stop_gradients():
    x = tf.constant(2.0)
    y = x * x
    z = y + x
    grad, = tf.gradients(z, x, stop_gradients=[y])
    with tf.Session() as sess:
        assert sess.run(grad) == 1


def test_a_gradient_in_python(graph):
    seen = []

    @tf.RegisterGradient("TimesTen")
    def times_ten(op, grad):
        seen.append(op.type)
        return grad * 10.0

    x = tf.constant(1.0)
    with graph.gradient_override_map({"Identity": "TimesTen"}):
        y = raw.Identity(input=x)
    grad, = tf.gradients(y, x)
    with tf.Session() as sess:
        assert sess.run(grad) == 10
    assert seen == ["Identity"]
    with pytest.raises(KeyError):
        tf.RegisterGradient("TimesTen")(times_ten)

    @tf.RegisterGradient("Fails")
    def fails(op, grad):
        raise ZeroDivisionError("mine")

    with graph.gradient_override_map({"Identity": "Fails"}):
        z = raw.Identity(input=x)
    with pytest.raises(ZeroDivisionError, match="mine"):
        tf.gradients(z, x)


def test_errors():
    x = tf.constant(1.0)
    assert tf.gradients(tf.constant(1), x) == [None]
    with pytest.raises(ValueError):
        tf.gradients(x * x, x, grad_ys=[1.0, 2.0])
    assert tf.gradients(3.0, x) == [None]
    assert tf.gradients(tf.py_func(lambda v: v, [x], tf.float32), x) == [None]


def test_what_is_not_real_has_no_gradient():
    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0])
        n = tf.Variable([1, 2])
        assert tf.gradients(tf.argmax(v), v) == [None]
        assert tf.gradients(v > 1, v) == [None]
        assert tf.gradients(n * 2, n) == [None]
        assert tf.gradients(tf.cast(n, tf.float32), n) == [None]
        with pytest.raises(TypeError, match="grad_ys"):
            tf.gradients(tf.complex(v, v), v)
        with pytest.raises(TypeError, match="string"):
            tf.gradients(tf.as_string(v), v)
