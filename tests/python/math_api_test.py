"""Tests arithmetic under its public names, with numpy as the reference."""
import numpy as np
import pytest
import weir as tf


def run(make, **feeds):
    """Builds a new graph and runs it. `make` gets one placeholder per array."""
    with tf.Graph().as_default(), tf.Session() as session:
        holders = {name: tf.placeholder(np.asarray(v).dtype, np.asarray(v).shape) for name, v in feeds.items()}
        return session.run(make(**holders), {holders[name]: v for name, v in feeds.items()})


X = np.array([[1.5, -2.0, 3.0], [0.25, 4.0, -6.0]], np.float32)
POSITIVE = np.abs(X) + 0.1
UNIT = X / 10

UNARY = [
    ("abs", np.abs, X), ("negative", np.negative, X), ("square", np.square, X), ("sign", np.sign, X), ("floor", np.floor, X),
    ("ceil", np.ceil, X), ("exp", np.exp, X), ("expm1", np.expm1, X), ("log", np.log, POSITIVE), ("log1p", np.log1p, POSITIVE),
    ("sqrt", np.sqrt, POSITIVE), ("rsqrt", lambda v: 1 / np.sqrt(v), POSITIVE), ("reciprocal", lambda v: 1 / v, X),
    ("sin", np.sin, X), ("cos", np.cos, X), ("tan", np.tan, X), ("asin", np.arcsin, UNIT), ("acos", np.arccos, UNIT),
    ("atan", np.arctan, X), ("sinh", np.sinh, X), ("cosh", np.cosh, X), ("tanh", np.tanh, X),
    ("sigmoid", lambda v: 1 / (1 + np.exp(-v)), X), ("round", np.round, X), ("is_nan", np.isnan, X), ("is_finite", np.isfinite, X),
    ("log_sigmoid", lambda v: -np.log1p(np.exp(-v)), X), ("neg", np.negative, X), ("inv", lambda v: 1 / v, X),
    ("reduce_sum", np.sum, X), ("reduce_mean", np.mean, X), ("reduce_max", np.max, X), ("reduce_min", np.min, X),
    ("reduce_prod", np.prod, X), ("reduce_logsumexp", lambda v: np.log(np.sum(np.exp(v))), X), ("norm", np.linalg.norm, X),
    ("transpose", np.transpose, X),
]


@pytest.mark.parametrize("name, expected, x", UNARY, ids=[u[0] for u in UNARY])
def test_unary(name, expected, x):
    np.testing.assert_allclose(run(lambda x: getattr(tf, name)(x), x=x), expected(x), rtol=2e-5, atol=1e-6)


BINARY = [
    ("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply), ("divide", np.divide), ("truediv", np.divide),
    ("div", np.divide), ("maximum", np.maximum), ("minimum", np.minimum), ("squared_difference", lambda a, b: (a - b) ** 2),
    ("floordiv", np.floor_divide), ("mod", np.mod), ("floormod", np.mod), ("mul", np.multiply), ("sub", np.subtract),
    ("less", np.less), ("greater_equal", np.greater_equal), ("equal", np.equal), ("not_equal", np.not_equal), ("atan2", np.arctan2),
]


@pytest.mark.parametrize("name, expected", BINARY, ids=[b[0] for b in BINARY])
def test_binary(name, expected):
    y = np.array([[2.0, 3.0, -1.5]], np.float32)
    np.testing.assert_allclose(run(lambda x, y: getattr(tf, name)(x, y), x=X, y=y), expected(X, y), rtol=1e-5)


def test_literals_take_the_type_of_the_tensor():
    assert run(lambda x: tf.add(x, 1), x=X).dtype == np.float32
    assert run(lambda x: tf.truediv(x, 2), x=np.int32(3)) == 1.5
    assert run(lambda x: tf.div(x, 2), x=np.int32(-3)) == -2


def test_reductions_know_axes_and_old_names():
    np.testing.assert_allclose(run(lambda x: tf.reduce_sum(x, 1), x=X), X.sum(1))
    np.testing.assert_allclose(run(lambda x: tf.reduce_sum(x, axis=[0, 1], keepdims=True), x=X), X.sum(keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(run(lambda x: tf.reduce_mean(x, reduction_indices=[0], keep_dims=True), x=X), X.mean(0, keepdims=True))
    np.testing.assert_allclose(run(lambda x: tf.math.reduce_variance(x, 0), x=X), X.var(0), rtol=1e-5)
    np.testing.assert_allclose(run(lambda x: tf.math.reduce_std(x), x=X), X.std(), rtol=1e-5)
    assert run(lambda x: tf.reduce_all(x), x=np.array([True, False])) == False  # noqa: E712
    assert run(lambda x: tf.reduce_any(x), x=np.array([True, False])) == True  # noqa: E712
    assert run(lambda x: tf.count_nonzero(x), x=np.array([0, 3, 0, 1])) == 2
    with pytest.raises(ValueError):
        run(lambda x: tf.reduce_sum(x, axis=0, reduction_indices=1), x=X)


def test_reducing_all_axes_is_a_scalar_even_of_unknown_rank():
    with tf.Graph().as_default():
        assert tf.reduce_sum(tf.placeholder(tf.float32)).shape == ()
        assert tf.reduce_mean(tf.placeholder(tf.float32, [2, 3]), name="m").op.name == "m"


def test_arg_extremes():
    assert list(run(lambda x: tf.argmax(x, 1), x=X)) == list(X.argmax(1))
    assert list(run(lambda x: tf.argmin(x, dimension=0), x=X)) == list(X.argmin(0))
    assert run(lambda x: tf.argmax(x, output_type=tf.int32), x=X).dtype == np.int32


def test_casts():
    assert run(lambda x: tf.cast(x, tf.int32), x=X).dtype == np.int32
    assert run(lambda x: tf.to_float(x), x=np.int32(2)) == 2.0
    assert list(run(lambda x: tf.saturate_cast(x, tf.uint8), x=np.array([-5, 3, 300]))) == [0, 3, 255]
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        assert tf.cast(x, tf.float32) is x


def test_products():
    a, b = np.random.RandomState(0).rand(2, 3, 4).astype(np.float32), np.random.RandomState(1).rand(2, 4, 5).astype(np.float32)
    np.testing.assert_allclose(run(lambda a, b: tf.matmul(a, b), a=a[0], b=b[0]), a[0] @ b[0], rtol=1e-5)
    np.testing.assert_allclose(run(lambda a, b: tf.matmul(a, b, transpose_a=True), a=a[0].T.copy(), b=b[0]), a[0] @ b[0], rtol=1e-5)
    np.testing.assert_allclose(run(lambda a, b: tf.matmul(a, b), a=a, b=b), a @ b, rtol=1e-5)
    np.testing.assert_allclose(run(lambda a, b: tf.tensordot(a, b, 1), a=a, b=b[0]), np.tensordot(a, b[0], 1), rtol=1e-5)
    np.testing.assert_allclose(run(lambda a, b: tf.tensordot(a, b, [[2, 0], [1, 0]]), a=a, b=b), np.tensordot(a, b, [[2, 0], [1, 0]]), rtol=1e-5)
    for equation in ("bij,bjk->bik", "bij,bjk->ik", "bij,bjk->kb"):
        np.testing.assert_allclose(run(lambda a, b: tf.einsum(equation, a, b), a=a, b=b), np.einsum(equation, a, b), rtol=1e-5)
    np.testing.assert_allclose(run(lambda a: tf.einsum("bij->ji", a), a=a), np.einsum("bij->ji", a), rtol=1e-5)
    with pytest.raises(ValueError):
        run(lambda a: tf.matmul(a, a, transpose_a=True, adjoint_a=True), a=a)


def test_einsum():
    rng = np.random.RandomState(0)
    shapes = {"...ij,jk->...ik": [(2, 2, 3), (3, 4)], "ii->i": [(3, 3)], "ii->": [(3, 3)], "ij...->...ji": [(2, 3, 2)], "...,...->...": [(2, 3), (2, 3)],
              "ij,jk": [(2, 3), (3, 4)], "...ij,...jk": [(2, 2, 3), (2, 3, 4)], "ij,j->": [(2, 3), (3,)], "ijj,k->ik": [(2, 3, 3), (3,)],
              ",ij->ij": [(), (2, 3)], "->": [()], "...": [(2, 3)], "AB,Bc->Ac": [(2, 3), (3, 4)], "i,j,k->kij": [(3,), (2,), (4,)],
              "b i j , b j k -> b i k": [(2, 2, 3), (2, 3, 4)], "...ij,...jk->...ik": [(5, 1, 2, 3), (4, 3, 2)], "...i,...i->...": [(1, 3), (5, 3)],
              "i...i->...": [(3, 2, 3)]}
    for equation, sizes in shapes.items():
        arrays = [np.asarray(rng.rand(*size)) for size in sizes]
        with tf.Graph().as_default(), tf.Session() as session:
            inputs = [tf.constant(a) for a in arrays]
            y = tf.einsum(equation, *inputs)
            expected = np.einsum(equation, *arrays)
            assert y.shape.as_list() == list(expected.shape), equation
            values = session.run([y] + tf.gradients(y, inputs))
            np.testing.assert_allclose(values[0], expected, rtol=1e-6, err_msg=equation)
            # The sum is linear in each operand, so it equals the gradient times the operand.
            for array, gradient in zip(arrays, values[1:]):
                np.testing.assert_allclose((array * gradient).sum(), expected.sum(), rtol=1e-6, err_msg=equation)
    a = rng.rand(2, 3)
    np.testing.assert_allclose(run(lambda a: tf.einsum("i...->...", a), a=a), a.sum(0))
    for wrong in ("ij->iji", "ij->ijk", "i1->i", "ij->..", "ijk->", "...ij...->ij", "...ij->ij", "ij,jk->ik"):
        with pytest.raises(ValueError):
            run(lambda a: tf.einsum(wrong, np.ones([2, 2, 2]) if wrong == "...ij->ij" else a), a=a)
    with pytest.raises(TypeError):
        run(lambda a: tf.einsum("ij->i", a, other=1), a=a)


def test_norms():
    np.testing.assert_allclose(run(lambda x: tf.norm(x, 1, axis=1), x=X), np.abs(X).sum(1))
    np.testing.assert_allclose(run(lambda x: tf.norm(x, np.inf, axis=0, keepdims=True), x=X), np.abs(X).max(0, keepdims=True))
    np.testing.assert_allclose(run(lambda x: tf.norm(x, "fro", axis=(0, 1)), x=X), np.linalg.norm(X), rtol=1e-6)
    np.testing.assert_allclose(run(lambda x: tf.norm(x, 3, axis=1), x=X), (np.abs(X) ** 3).sum(1) ** (1 / 3), rtol=1e-5)


def test_sequences_and_counts():
    with tf.Graph().as_default(), tf.Session() as s:
        assert list(s.run(tf.range(5))) == [0, 1, 2, 3, 4]
        assert list(s.run(tf.range(1, 2, 0.5))) == [1.0, 1.5]
        assert list(s.run(tf.range(3, dtype=tf.int64))) == [0, 1, 2]
        np.testing.assert_allclose(s.run(tf.linspace(0.0, 1.0, 3)), [0, 0.5, 1])
        assert s.run(tf.add_n([tf.constant(1.0), tf.constant(2.0), tf.constant(4.0)])) == 7
        assert list(s.run(tf.cumsum([1, 2, 3], exclusive=True))) == [0, 1, 3]
        np.testing.assert_array_equal(s.run(tf.confusion_matrix([0, 1, 1], [0, 1, 0])), [[1, 0], [1, 1]])
        assert list(s.run(tf.bincount([1, 1, 3]))) == [0, 2, 0, 1]
        assert s.run(tf.scalar_mul(3.0, tf.constant(2.0))) == 6
        assert s.run(tf.trace(tf.eye(3))) == 3
        np.testing.assert_allclose(s.run(tf.math.polyval([1.0, 2.0, 3.0], tf.constant(2.0))), 11)
        assert s.run(tf.logical_xor(True, False)) == True  # noqa: E712


def test_complex():
    with tf.Graph().as_default(), tf.Session() as s:
        z = tf.complex(tf.constant(3.0), tf.constant(-4.0))
        assert s.run([tf.real(z), tf.imag(z), tf.abs(z), tf.complex_abs(z), tf.conj(z)]) == [3, -4, 5, 5, 3 + 4j]
        assert z.dtype == tf.complex64 and tf.real(tf.constant(2.0)).dtype == tf.float32


def test_segments():
    with tf.Graph().as_default(), tf.Session() as s:
        data = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        np.testing.assert_allclose(s.run(tf.segment_sum(data, [0, 0, 1])), [[4, 6], [5, 6]])
        np.testing.assert_allclose(s.run(tf.unsorted_segment_mean(data, [1, 0, 1], 2)), [[3, 4], [3, 4]])
        np.testing.assert_allclose(s.run(tf.sparse_segment_mean(data, [0, 2], [0, 0])), [[3, 4]])


def test_names():
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        assert [t.op.name for t in (tf.square(x), tf.multiply(x, x), tf.divide(x, x), tf.matmul([[1.0]], [[1.0]]), tf.cast(x, tf.int32))] == [
            "Square", "Mul", "truediv", "MatMul", "Cast"]
