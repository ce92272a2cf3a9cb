"""Tests tf.gradients, and gradients defined in Python."""
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


def test_types_without_gradients():
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


def test_no_gradient_is_a_lookup_error():
    x = tf.constant(np.ones([1, 1, 1, 2], np.float32))
    with pytest.raises(LookupError, match="LRNGrad"):
        tf.gradients(raw.LRNGrad(input_grads=x, input_image=x, output_image=x), x)
    with pytest.raises(LookupError, match="not this one"):
        tf.gradients(raw.PreventGradient(input=x, message="not this one"), x)
    v = tf.Variable(1.0)
    with pytest.raises(LookupError):
        tf.train.GradientDescentOptimizer(0.1).minimize(raw.PreventGradient(input=v.value()))


def test_sparse_values():
    """Compared with TensorFlow's numbers."""
    v, w = tf.constant([1.0, 2.0, 3.0]), tf.constant([10.0, -2.0])
    a = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
    part = raw.SparseSlice(indices=a.indices, values=v, shape=[3, 4], start=[1, 0], size=[2, 3])
    slice_grad, = tf.gradients(part.output_values * [2.0, 3.0], v)

    def added(values, threshold):
        return raw.SparseAdd(a_indices=a.indices, a_values=v, a_shape=[3, 4], b_indices=[[0, 1], [2, 3]], b_values=values, b_shape=[3, 4],
                             thresh=threshold).sum_values

    add_grads = tf.gradients(added(w, 0.0) * [2.0, 3.0, 4.0, 5.0], [v, w])
    small_grad, = tf.gradients(added([-1.0, -2.0], 0.1) * [3.0, 4.0, 5.0], v)
    with tf.Session() as sess:
        assert sess.run(slice_grad).tolist() == [0, 2, 3]
        assert [g.tolist() for g in sess.run(add_grads)] == [[2, 3, 4], [2, 5]]
        assert sess.run(small_grad).tolist() == [0, 3, 4]
        with pytest.raises(tf.errors.InternalError, match="propagated"):
            sess.run(raw.SparseSliceGrad(backprop_val_grad=[1.0], input_indices=[[0, 0]], input_start=[0, 0], output_indices=[[5, 5]]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="columns"):
            sess.run(raw.SparseAddGrad(backprop_val_grad=[1.0], a_indices=[[0, 0]], b_indices=[[0]], sum_indices=[[0, 0]]))


def test_gamma_samples():
    """Implicit reparameterization, compared with TensorFlow's numbers for the same seed."""
    alpha, beta = tf.constant([0.3, 1.0, 2.5, 20.0]), tf.constant([1.0, 2.0, 0.5, 3.0])
    samples = tf.random_gamma([2], alpha, beta, seed=4)
    a = np.array([0.01, 0.3, 1, 2.5, 20, 100, 1000, 1e5, 2, 2, 1e-3])
    x = np.array([1e-5, 0.2, 1.5, 2, 18, 110, 990, 1.001e5, 0, 60, 0.5])
    slopes = raw.RandomGammaGrad(alpha=a, sample=x)
    with tf.Session() as sess:
        drawn, d_alpha, d_beta = sess.run([samples] + tf.gradients(samples, [alpha, beta]))
        np.testing.assert_allclose(drawn[0], [1.9109059e-02, 8.5280991e-01, 9.7982988, 6.5333157], rtol=1e-5)
        np.testing.assert_allclose(d_alpha, [0.24979214, 1.3734188, 3.5875802, 0.675412], rtol=1e-4)
        np.testing.assert_allclose(d_beta, [-1.9253498e-02, -0.69996142, -20.917149, -4.4876847], rtol=1e-5)
        np.testing.assert_allclose(sess.run(slopes), [1.09521582e-02, 1.21203726, 1.43093744, 0.953462703, 0.956179944, 1.05016062, 0.995149096,
                                                      1.00050150, 0, 3.74969286, 461.992167], rtol=1e-7)


REAL = np.arange(9).reshape(3, 3) % 4 - 1.3
SQUARE = REAL + 1j * ((np.arange(9).reshape(3, 3) * 5) % 7 - 2.0)
TALL = np.vstack([SQUARE, SQUARE[:1] * 1j + SQUARE[1:2].conj()])
WEIGHTS = np.arange(1, 17).reshape(4, 4) % 5 - 1.7


def weights_of(x):
    return tf.constant(WEIGHTS[:x.shape[0], :x.shape[1]])


def test_complex_decompositions():
    """Compared with the first rows of TensorFlow's gradients."""
    def first_row(matrix, loss):
        with tf.Graph().as_default(), tf.Session() as sess:
            m = tf.constant(matrix)
            return sess.run(tf.gradients(loss(m), m)[0])[0]

    def qr_loss(m):
        q, r = tf.qr(m)
        return tf.reduce_sum(tf.real(r) ** 2 * weights_of(r)) + tf.reduce_sum(tf.abs(q) * weights_of(q))

    np.testing.assert_allclose(first_row(SQUARE, qr_loss), [8.05854334 + 1.73739764j, 3.71512857 + 0.20434044j, 4.02213672 + 1.95764976j], rtol=1e-6)
    np.testing.assert_allclose(first_row(TALL, qr_loss), [3.12256922 + 2.02653595j, 1.19394474 + 1.22547649j, 1.3796838 + 2.45502753j], rtol=1e-6)
    np.testing.assert_allclose(first_row(TALL.T.copy(), qr_loss), [-3.18396593 + 12.74494741j, -3.72868481 - 3.96768952j,
                                                                   2.66449465 + 1.77776904j, 4.61218509 + 8.31946666j], rtol=1e-6)

    def svd_loss(which):
        def loss(m):
            s, u, v = tf.svd(m)
            if which == "s":
                return tf.reduce_sum(s * [1.0, 2.0, 3.0])
            if which == "p":
                product = tf.matmul(u * tf.cast(weights_of(u)[:1], u.dtype), v, adjoint_b=True)
                return tf.reduce_sum(tf.real(product) * weights_of(product))
            return tf.reduce_sum(tf.abs(u if which == "u" else v) * weights_of(u if which == "u" else v))
        return loss

    np.testing.assert_allclose(first_row(SQUARE, svd_loss("s")), [-1.99371519 - 0.96750679j, -0.60451957 + 0.19812776j, -0.59061596 + 0.54990742j], rtol=1e-6)
    np.testing.assert_allclose(first_row(SQUARE, svd_loss("u")), [0.02438609 + 0.111248j, -0.02734223 - 0.00382748j, -0.12852773 - 0.1655035j], rtol=1e-5)
    np.testing.assert_allclose(first_row(SQUARE, svd_loss("v")), [0.02530274 + 0.01940053j, 0.02156888 - 0.07959652j, 0.2186909 + 0.33447686j], rtol=1e-5)
    np.testing.assert_allclose(first_row(SQUARE, svd_loss("p")), [0.33377442 - 0.09118748j, 0.48252786 - 0.27074131j, -0.59078489 - 0.11717772j], rtol=1e-5)
    np.testing.assert_allclose(first_row(TALL, svd_loss("p")), [0.38885449 - 0.01365079j, 0.16378989 + 0.05051168j, -0.04474899 - 0.23063131j], rtol=1e-5)
    np.testing.assert_allclose(first_row(TALL.T.copy(), svd_loss("p")), [0.40566312 + 0.80368479j, -0.34992223 + 0.17831931j,
                                                                         -0.2637213 + 0.23841941j, 0.19929809 + 0.27746776j], rtol=1e-5)


@pytest.mark.parametrize("method", [None, tf.AggregationMethod.ADD_N, tf.AggregationMethod.EXPERIMENTAL_TREE,
                                    tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N])
def test_paths_add_up(method):
    x = tf.constant([1.0, 2.0])
    for paths in (2, 3, 5):
        y = tf.add_n([x * float(i + 1) for i in range(paths)])
        grad, = tf.gradients(y, x, aggregation_method=method)
        with tf.Session() as sess:
            np.testing.assert_allclose(sess.run(grad), [paths * (paths + 1) / 2] * 2)


def test_rows_of_both_index_types_add_up():
    x = tf.constant([[1.0], [2.0], [3.0]])
    rows = tf.gather(x, tf.constant([0, 2])) + tf.gather(x, tf.constant([2, 2], tf.int64))
    grad, = tf.gradients(rows, x)
    assert isinstance(grad, tf.IndexedSlices) and grad.indices.dtype == tf.int64
    with_dense, = tf.gradients([rows, x], x)
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(tf.convert_to_tensor(grad)), [[1], [0], [3]])
        np.testing.assert_allclose(sess.run(tf.convert_to_tensor(with_dense)), [[2], [1], [4]])


def test_an_x_that_depends_on_another():
    x = tf.constant(3.0)
    y = x * x
    z = y * y
    dx, dy = tf.gradients(z, [x, y])
    only, = tf.gradients(z, [y])
    with tf.Session() as sess:
        assert sess.run([dx, dy, only]) == [108, 18, 18]


def test_hessians():
    x = tf.constant([1.0, 2.0])
    hessian, = tf.hessians(x[0] * x[0] * x[1] + x[1], x)
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(hessian), [[4, 2], [2, 0]])


@pytest.mark.parametrize("use_resource", [False, True])
def test_zeros_for_variables_that_are_not_connected(use_resource):
    with tf.Graph().as_default(), tf.Session() as sess:
        v, w = (tf.Variable(np.ones((2, 3), np.float32), use_resource=use_resource) for _ in range(2))
        gradients = tf.gradients(tf.reduce_sum(tf.gather(v, [0])), [v, w], unconnected_gradients="zero")
        assert isinstance(gradients[0], tf.IndexedSlices) and gradients[1].shape.as_list() == [2, 3]
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(gradients[1]), np.zeros((2, 3)))
        assert tf.gradients(v, w, unconnected_gradients="none") == [None]
        with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'some'"):
            tf.gradients(v, w, unconnected_gradients="some")


def gradient_beside_one_that_is_stopped(y, x):
    """d/dx of y + stop_gradient(dy/dx): autodiff visits the backward loop, but no gradient flows through it."""
    first, = tf.gradients(y, x)
    return [first] + tf.gradients(y + tf.stop_gradient(first), x)


def loop_over_array(c, a):
    """A loop variable whose gradient is not requested depends on itself, and is written to an array."""
    def turn(i, b, array):
        element = tf.identity(b - c)
        return i + 1, element, array.write(i, element)
    array = tf.TensorArray(tf.float32, size=3, element_shape=[])
    _, _, array = tf.while_loop(lambda i, *_: i < 3, turn, [0, a, array])
    return tf.tanh(tf.reduce_sum(array.stack() * 0.5))


@pytest.mark.parametrize("make, wanted", [
    (lambda c, a: tf.while_loop(lambda i, b: i < 3, lambda i, b: (i + 1, b * c), [0, a])[1], 0.135),
    (lambda c, a: tf.while_loop(lambda i, b: i < 3, lambda i, b: (i + 1, tf.stop_gradient(b) * c), [0, a])[1], 0.045),
    (loop_over_array, -2.93350),
])
def test_gradients_that_are_stopped_do_not_stop_others(make, wanted):
    with tf.Graph().as_default(), tf.Session() as sess:
        c = tf.constant(0.3)
        np.testing.assert_allclose(sess.run(gradient_beside_one_that_is_stopped(make(c, tf.constant(0.5)), c)), [wanted, wanted], rtol=1e-5)


def test_stopped_gradients_of_a_loop_are_zero_and_missing_ones_none():
    def gradient(body, n, init, x, test=lambda i, *_: i < 3):
        return tf.gradients(tf.while_loop(test, body, [tf.constant(0)] + init)[n], x)[0]
    with tf.Graph().as_default(), tf.Session() as sess:
        x, c = tf.constant(2.0), tf.constant(3.0)
        zeros = [gradient(lambda i, a: (i + 1, tf.stop_gradient(a) * 2), 1, [x], x),
                 gradient(lambda i, a: (i + 1, tf.identity(c)), 1, [x], x),
                 gradient(lambda i, a, b: (i + 1, a * 2 + tf.stop_gradient(b), b * 2), 1, [c, x], x),
                 gradient(lambda i, a, b: (i + 1, a * 2 + tf.stop_gradient(b), b), 1, [c, x], x)]
        assert sess.run(zeros) == [0, 0, 0, 0]
        assert gradient(lambda i, a: (i + 1, a * tf.stop_gradient(x)), 1, [c], x) is None
        assert gradient(lambda i, a: (i + 1, a * 2), 1, [tf.stop_gradient(x)], x) is None
        assert gradient(lambda i, a, b: (i + 1, a * 2, b), 1, [c, x], x, test=lambda i, a, b: b < 10) is None
