"""Tests Python functions inside a step."""
import threading

import numpy as np
import pytest

import weir as tf


def test_values_and_types():
    x = tf.constant([1.0, 2.0])
    y = tf.py_func(lambda v: v + 1, [x], tf.float32)
    many = tf.py_func(lambda v, k: (v * k, np.int64(k)), [x, 3.0], [tf.float32, tf.int64])
    text = tf.py_func(lambda s: s + b"!", ["hello"], tf.string)
    nothing = tf.py_func(lambda: None, [], [])
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(y), [2, 3])
        a, b = sess.run(many)
        np.testing.assert_array_equal(a, [3, 6])
        assert b == 3 and sess.run(text) == b"hello!" and sess.run(nothing) is None
    assert isinstance(nothing, tf.Operation) and y.op.type == "PyFunc"
    assert tf.py_func(lambda: 1.0, [], tf.float32, stateful=False).op.type == "PyFuncStateless"


def test_strings_keep_trailing_zeros():
    y = tf.py_func(lambda s: [s + b"\0", b"b\0\0", b"\0"], [b"a\0"], tf.string)
    z = tf.py_func(lambda: b"c\0", [], tf.string)
    with tf.Session() as sess:
        assert sess.run(y).tolist() == [b"a\0\0", b"b\0\0", b"\0"]
        assert sess.run(z) == b"c\0"


@pytest.mark.parametrize("function, error", [
    (lambda: 1 / 0, tf.errors.UnknownError),
    (lambda: int("x"), tf.errors.InvalidArgumentError),
    (lambda: next(iter([])), tf.errors.OutOfRangeError),
    (lambda: np.float64(1), tf.errors.InvalidArgumentError),
    (lambda: (1.0, 2.0, 3.0), None),
])
def test_errors(function, error):
    y = tf.py_func(function, [], tf.float32)
    with tf.Session() as sess:
        if error is None:
            np.testing.assert_array_equal(sess.run(y), [1, 2, 3])
            return
        with pytest.raises(error) as raised:
            sess.run(y)
        assert raised.value.op is y.op


def test_errors_show_where_in_the_function():
    def divide(x):
        return x / 0

    def outer(x):
        return divide(int(x))

    with tf.Session() as sess, pytest.raises(tf.errors.UnknownError) as raised:
        sess.run(tf.py_func(outer, [1.0], tf.float32))
    lines = raised.value.message.splitlines()
    assert lines[:2] == ["ZeroDivisionError: division by zero", "Traceback (most recent call last):"]
    frames = [line for line in lines if line.startswith("  File ")]
    assert [frame.split(" in ")[-1] for frame in frames] == ["outer", "divide"]
    assert all(f'"{__file__}"' in frame for frame in frames)
    assert "    return x / 0" in lines


def test_functions_may_use_sessions_and_threads():
    inner = tf.Graph()
    with inner.as_default():
        c = tf.constant(5.0)
    sess = tf.Session()

    def nested():
        return tf.Session(graph=inner).run(c)

    y = tf.py_func(nested, [], tf.float32)
    results = []
    threads = [threading.Thread(target=lambda: results.append(sess.run(y))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [5, 5, 5, 5]
