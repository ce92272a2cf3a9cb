"""Tests operators and indexing of tensors."""
import operator

import numpy as np
import pytest

import weir as tf

raw = tf.raw_ops


def run(fetches, feed_dict=None):
    with tf.Session() as sess:
        return sess.run(fetches, feed_dict)


A = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)
B = np.array([[2.0, 3.0], [-1.0, 5.0]], np.float32)


@pytest.mark.parametrize("op, name, kind", [
    (operator.add, "add", "AddV2"), (operator.sub, "sub", "Sub"), (operator.mul, "mul", "Mul"),
    (operator.truediv, "truediv", "RealDiv"), (operator.floordiv, "floordiv", "FloorDiv"), (operator.mod, "mod", "FloorMod"),
    (operator.matmul, "matmul", "MatMul"), (operator.lt, "Less", "Less"), (operator.le, "LessEqual", "LessEqual"),
    (operator.gt, "Greater", "Greater"), (operator.ge, "GreaterEqual", "GreaterEqual"),
])
def test_binary_operators(op, name, kind):
    a = tf.constant(A, name="a")
    b = tf.constant(B, name="b")
    c = op(a, b)
    assert c.op.name == name and c.op.type == kind
    literal = op(a, B)
    reflected = op(A, b) if kind in ("AddV2", "Sub", "Mul", "RealDiv", "FloorDiv", "FloorMod", "MatMul") else c
    for value in run([c, literal, reflected]):
        np.testing.assert_allclose(value, op(A, B), rtol=1e-6)
    assert literal.op.inputs[1].name == f"{name}_1/y:0"


def test_unary_and_logic():
    a = tf.constant([True, False])
    b = tf.constant([True, True])
    x = tf.constant([-1.5, 2.0])
    values = run([a & b, a | b, a ^ b, ~a, -x, abs(x), x ** 2.0, 2.0 ** x, 1 - x, 3 / x])
    expected = [[True, False], [True, True], [False, True], [False, True], [1.5, -2], [1.5, 2], [2.25, 4], [2 ** -1.5, 4], [2.5, -1],
                [-2, 1.5]]
    for value, wanted in zip(values, expected):
        np.testing.assert_allclose(value, wanted, rtol=1e-6)
    assert (a & b).op.name.startswith("and")


def test_integer_division_gives_reals():
    x = tf.constant([7, 8])
    assert (x / 2).dtype == tf.float64 and (x // 2).dtype == tf.int32
    np.testing.assert_allclose(run(x / 2), [3.5, 4])


def test_types_must_match():
    with pytest.raises(TypeError):
        tf.constant(1.0) + tf.constant(1)
    with pytest.raises(TypeError):
        tf.constant(1) + 2.5
    with pytest.raises(ValueError, match="None values not supported"):
        tf.constant(1.0) + None
    with pytest.raises(TypeError):
        tf.constant([1, 2]) < "a"
    # A failed operation does not change the scopes.
    assert tf.constant(1, name="fine").name == "fine:0"


X = np.arange(2 * 3 * 4).reshape(2, 3, 4).astype(np.float32)


@pytest.mark.parametrize("key", [
    np.s_[0], np.s_[-1], np.s_[1, 2], np.s_[:, 1], np.s_[..., 0], np.s_[0, ..., 1:3], np.s_[::-1], np.s_[:, ::2, -1:0:-1],
    np.s_[np.newaxis], np.s_[:, None, 1], np.s_[..., None], np.s_[1:1], np.s_[0:100], np.s_[...], np.s_[np.int64(1), np.int32(0)],
    np.s_[:, :, 3], (),
])
def test_indexing(key):
    x = tf.constant(X)
    result = x[key]
    np.testing.assert_array_equal(run(result), X[key])
    assert result.shape.as_list() == list(X[key].shape)


def test_indexing_with_tensors():
    x = tf.constant(X)
    i = raw.Placeholder(dtype=tf.int32, shape=[])
    j = raw.Placeholder(dtype=tf.int64, shape=[])
    result = run([x[i], x[:i], x[0, i:, ::2], x[j], x[tf.Dimension(1)]], {i: 1, j: 1})
    for value, wanted in zip(result, [X[1], X[:1], X[0, 1:, ::2], X[1], X[1]]):
        np.testing.assert_array_equal(value, wanted)
    assert x[0].op.name == "strided_slice_5" and x[0].op.inputs[1].op.name == "strided_slice_6/stack"


def test_wrong_indices():
    x = tf.constant([1, 2, 3])
    for key in (1.5, "a", np.bool_(True), tf.constant(1.0)):
        with pytest.raises(TypeError, match="are valid indices"):
            x[key]
    for key in ((0, 0), (..., ...)):
        with pytest.raises(ValueError):
            x[key]
    for key in (True, tf.constant(True), np.array(True)):
        with pytest.raises(ValueError, match="mask cannot be scalar"):
            x[key]
    with pytest.raises(ValueError):
        tf.constant(1)[0]


def test_python_protocols():
    x = tf.constant([[1, 2], [3, 4]])
    assert [run(row).tolist() for row in x] == [[1, 2], [3, 4]]
    for value in (tf.constant(1), raw.Placeholder(dtype=tf.float32)):
        with pytest.raises(TypeError):
            iter(value)
    with pytest.raises(TypeError, match="Python `bool`"):
        bool(x)
    with pytest.raises(TypeError):
        len(x)
    with pytest.raises(NotImplementedError):
        np.array(x)
    assert isinstance(np.float32(2) * tf.constant(1.0), tf.Tensor)
    assert isinstance(np.ones(2, np.float32) + tf.constant([1.0, 2.0]), tf.Tensor)
