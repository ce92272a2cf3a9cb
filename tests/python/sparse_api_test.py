"""Tests functions of sparse tensors against numpy."""
import numpy as np
import pytest
import weir as tf

INDICES = [[0, 1], [1, 0], [1, 2]]
DENSE = np.array([[0, 1, 0], [2, 0, 3]], np.float32)


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def sparse(values=(1.0, 2.0, 3.0), indices=INDICES, shape=(2, 3)):
    return tf.SparseTensor(indices, list(values), list(shape))


def dense(session, s):
    return session.run(tf.sparse_tensor_to_dense(s))


def test_to_and_from_dense(session):
    assert dense(session, sparse()).tolist() == DENSE.tolist()
    assert session.run(tf.sparse_tensor_to_dense(sparse(), -1.0))[0].tolist() == [-1, 1, -1]
    assert session.run(tf.sparse.to_dense(tf.SparseTensor([[1]], ["a"], [2]))).tolist() == [b"", b"a"]
    found = session.run(tf.sparse.from_dense(DENSE))
    assert found.indices.tolist() == INDICES and found.values.tolist() == [1, 2, 3] and found.dense_shape.tolist() == [2, 3]
    assert dense(session, tf.sparse.eye(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]


def test_placeholder(session):
    x = tf.sparse_placeholder(tf.float32, name="x")
    assert x.values.op.name == "x/values" and x.indices.op.name == "x/indices" and x.dense_shape.op.name == "x/shape"
    y = tf.sparse_reduce_sum(x)
    value = tf.SparseTensorValue(np.array(INDICES, np.int64), np.array([1, 2, 3], np.float32), np.array([2, 3], np.int64))
    assert session.run(y, {x: value}) == 6
    known = tf.sparse_placeholder(tf.float32, shape=[2, 3])
    assert known.indices.shape.as_list() == [None, 2]
    assert session.run(tf.sparse_tensor_to_dense(known), {known: value}).tolist() == DENSE.tolist()


def test_add(session):
    total = tf.sparse_add(sparse(), sparse([5.0, -2.0], [[0, 0], [1, 0]]))
    assert isinstance(total, tf.SparseTensor)
    assert dense(session, total).tolist() == [[5, 1, 0], [0, 0, 3]]
    assert session.run(tf.sparse_add(sparse(), sparse([-2.0], [[1, 0]]), threshold=0.5)).indices.tolist() == [[0, 1], [1, 2]]
    assert session.run(tf.sparse_add(sparse(), np.ones([2, 3], np.float32))).tolist() == (DENSE + 1).tolist()
    assert session.run(tf.sparse_add(np.ones([2, 3], np.float32), sparse())).tolist() == (DENSE + 1).tolist()
    with pytest.raises(TypeError):
        tf.sparse_add([1.0], [1.0])


def test_extremes(session):
    other = sparse([-1.0, 5.0], [[0, 0], [1, 2]])
    assert dense(session, tf.sparse_maximum(sparse(), other)).tolist() == [[0, 1, 0], [2, 0, 5]]
    assert dense(session, tf.sparse_minimum(sparse(), other)).tolist() == [[-1, 0, 0], [0, 0, 3]]


def test_products(session):
    b = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert session.run(tf.sparse_tensor_dense_matmul(sparse(), b)).tolist() == (DENSE @ b).tolist()
    assert session.run(tf.sparse.matmul(sparse(), DENSE, adjoint_b=True)).tolist() == (DENSE @ DENSE.T).tolist()
    assert dense(session, sparse() * np.array([[1.0, 2.0, 3.0]], np.float32)).tolist() == (DENSE * [1, 2, 3]).tolist()
    assert dense(session, sparse() / np.array([2.0], np.float32)).tolist() == (DENSE / 2).tolist()


def test_gradients(session):
    values = tf.placeholder(tf.float32, [3])
    x = tf.SparseTensor(INDICES, values, [2, 3])
    row = tf.constant([[1.0, 2.0, 3.0]])
    weight = np.arange(6, dtype=np.float32).reshape(2, 3)
    losses = {
        "product": tf.reduce_sum(tf.sparse_tensor_to_dense(x * row) * weight),
        "quotient": tf.reduce_sum(tf.sparse_tensor_to_dense(x / row) * weight),
        "softmax": tf.reduce_sum(tf.sparse_tensor_to_dense(tf.sparse_softmax(x)) * weight),
        "sum": tf.reduce_sum(tf.sparse_tensor_to_dense(tf.sparse_add(x, sparse([4.0, 4.0], [[0, 0], [1, 2]]))) * weight),
        "slice": tf.reduce_sum(tf.sparse_slice(x, [1, 0], [1, 3]).values * [2.0, 7.0]),
    }
    given = np.array([0.5, 2.0, 3.0], np.float32)
    for name, loss in losses.items():
        gradient = session.run(tf.gradients(loss, values)[0], {values: given})
        for i in range(3):
            step = np.zeros(3, np.float32)
            step[i] = 0.01
            numeric = (session.run(loss, {values: given + step}) - session.run(loss, {values: given - step})) / 0.02
            assert abs(gradient[i] - numeric) < 0.02, (name, i)
    d_row = session.run(tf.gradients(losses["product"], row)[0], {values: given})
    assert np.allclose(d_row, [[3 * 2.0, 1 * 0.5, 5 * 3.0]])


def test_softmax(session):
    found = session.run(tf.sparse_softmax(sparse()))
    e = np.exp([2.0, 3.0])
    assert np.allclose(found.values, [1, *(e / e.sum())])


def test_reductions(session):
    assert session.run(tf.sparse_reduce_sum(sparse())) == 6
    assert session.run(tf.sparse_reduce_sum(sparse(), 1)).tolist() == [1, 5]
    assert session.run(tf.sparse_reduce_sum(sparse(), axis=-2, keepdims=True)).tolist() == [[2, 1, 3]]
    assert session.run(tf.sparse_reduce_sum(sparse(), reduction_axes=[0], keep_dims=True)).tolist() == [[2, 1, 3]]
    # Only stored elements count; the result of an empty group is zero.
    assert session.run(tf.sparse_reduce_max(sparse([-1.0], [[0, 1]]), 1)).tolist() == [-1, 0]
    part = session.run(tf.sparse_reduce_max_sparse(sparse(), 0))
    assert part.indices.tolist() == [[0], [1], [2]] and part.values.tolist() == [2, 1, 3] and part.dense_shape.tolist() == [3]
    part = session.run(tf.sparse_reduce_sum_sparse(sparse(), 1, keepdims=True))
    assert part.indices.tolist() == [[0, 0], [1, 0]] and part.values.tolist() == [1, 5] and part.dense_shape.tolist() == [2, 1]


def test_concat_and_split(session):
    joined = tf.sparse_concat(0, [sparse(), sparse()])
    assert dense(session, joined).tolist() == np.concatenate([DENSE, DENSE]).tolist()
    assert dense(session, tf.sparse_concat(axis=1, sp_inputs=[sparse(), sparse()])).tolist() == np.concatenate([DENSE, DENSE], 1).tolist()
    wide = sparse([9.0], [[0, 4]], (1, 5))
    assert dense(session, tf.sparse_concat(0, [sparse(), wide], expand_nonconcat_dim=True)).shape == (3, 5)
    parts = tf.sparse_split(sp_input=sparse(), num_split=2, axis=1)
    assert [dense(session, p).tolist() for p in parts] == [[[0, 1], [2, 0]], [[0], [3]]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(tf.sparse_split(sp_input=sparse(), num_split=4, axis=1)[0])


def test_rearranging(session):
    mixed = tf.SparseTensor([[1, 2], [0, 1], [1, 0]], [3.0, 1.0, 2.0], [2, 3])
    assert session.run(tf.sparse_reorder(mixed)).values.tolist() == [1, 2, 3]
    assert dense(session, tf.sparse_reshape(sparse(), [3, -1])).tolist() == DENSE.reshape(3, 2).tolist()
    assert dense(session, tf.sparse_transpose(sparse())).tolist() == DENSE.T.tolist()
    assert dense(session, tf.sparse_transpose(sparse(), [0, 1])).tolist() == DENSE.tolist()
    assert dense(session, tf.sparse_slice(sparse(), [0, 1], [2, 2])).tolist() == DENSE[:, 1:].tolist()
    assert dense(session, tf.sparse.expand_dims(sparse(), 1)).tolist() == DENSE[:, None].tolist()
    assert dense(session, tf.sparse.expand_dims(sparse())).tolist() == DENSE[..., None].tolist()
    assert session.run(tf.sparse_retain(sparse(), [True, False, True])).values.tolist() == [1, 3]
    assert dense(session, tf.sparse_reset_shape(sparse(), [3, 4])).shape == (3, 4)
    assert dense(session, tf.sparse_reset_shape(sparse(shape=(9, 9)))).shape == (2, 3)
    with pytest.raises(ValueError):
        tf.sparse_reset_shape(sparse(), [1, 3])
    filled, empty = tf.sparse_fill_empty_rows(sparse([1.0], [[1, 1]], (3, 2)), 7.0)
    assert dense(session, filled).tolist() == [[7, 0], [0, 1], [7, 0]]
    assert session.run(empty).tolist() == [True, False, True]


def test_ids(session):
    ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([2, 0, 0], tf.int64), [2, 2])
    assert session.run(tf.sparse_to_indicator(ids, 3)).tolist() == [[False, False, True], [True, False, False]]
    merged = tf.sparse_merge(ids, tf.SparseTensor(ids.indices, [1.0, 2.0, 3.0], ids.dense_shape), 3)
    assert session.run(merged.dense_shape).tolist() == [2, 3]
    assert session.run(merged).indices.tolist() == [[0, 2], [1, 0], [1, 0]]
    with pytest.raises(TypeError):
        tf.sparse_to_indicator(sparse(), 3)
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([12, 26, 37]), tf.constant([100, 1]))
    assert session.run(tf.sparse_mask(slices, [12, 45])).indices.tolist() == [26, 37]


def test_edit_distance(session):
    truth = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    guess = tf.SparseTensor([[0, 0]], ["b"], [1, 1])
    assert session.run(tf.edit_distance(guess, truth)).tolist() == [0.5]
    assert session.run(tf.edit_distance(guess, truth, normalize=False)).tolist() == [1]


def test_wrong_inputs(session):
    with pytest.raises(ValueError, match="incompatible"):
        tf.sparse_add(sparse(), tf.SparseTensor([[0]], [1.0], [3]))
    with pytest.raises(ValueError, match=r"Cannot reshape a tensor with 6 elements to shape \[4, 2\] \(8 elements\)"):
        tf.sparse_reshape(sparse(), [4, 2])
    assert session.run(tf.sparse_reshape(sparse(), [3, -1]).dense_shape).tolist() == [3, 2]
    for function in (tf.sparse_softmax, tf.sparse_transpose, tf.sparse_reduce_sum):
        with pytest.raises(AttributeError, match="'indices'"):
            function(tf.constant([[1.0]]))
    with pytest.raises(TypeError):
        tf.sparse_reorder([1.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run((sparse() * np.ones([2, 2], np.float32)).values)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run((tf.SparseTensor([[0]], [1], [1]) / np.array([0])).values)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(tf.sparse_reduce_max(sparse(), 5))
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(tf.sparse_softmax(tf.SparseTensor([[0]], [1.0], [2])).values)


def test_sets(session):
    a, b = np.int64([[3, 1, 1], [4, 5, 6]]), np.int64([[1, 2], [6, 6]])
    some = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], np.int64([1, 6, 7]), [2, 3])
    for result, sets in (
            (tf.sets.intersection(a, b), [{1}, {6}]), (tf.sets.union(a, b), [{1, 2, 3}, {4, 5, 6}]), (tf.sets.difference(a, b), [{3}, {4, 5}]),
            (tf.sets.set_difference(a, b, aminusb=False), [{2}, set()]), (tf.sets.union(a, some), [{1, 3}, {4, 5, 6, 7}]),
            (tf.sets.difference(some, a), [set(), {7}]), (tf.sets.difference(some, a, aminusb=False), [{3}, {4, 5}]),
            (tf.sets.intersection(some, some), [{1}, {6, 7}])):
        value = session.run(result)
        assert [set(value.values[value.indices[:, 0] == row]) for row in (0, 1)] == sets
        assert list(value.dense_shape) == [2, max(map(len, sets))]
    assert list(session.run(tf.sets.size(tf.sets.union(a, b)))) == [3, 3]
    assert session.run(tf.sets.union([["b"]], [["a"]])).values.tolist() == [b"a", b"b"]
    with pytest.raises(ValueError):
        tf.sets.union(a, b[0])


def test_functions_of_the_values(session):
    x = tf.SparseTensor([[0, 1], [1, 0]], [-4.0, 9.0], [2, 2])
    functions = {tf.abs: [4, 9], tf.negative: [4, -9], tf.sign: [-1, 1], tf.square: [16, 81], tf.erf: [-1, 1], tf.tanh: np.tanh([-4.0, 9.0]),
                 tf.math.bessel_i0e: np.i0([4.0, 9.0]) * np.exp([-4.0, -9.0])}
    for function, values in functions.items():
        y = function(x, name="f")
        assert isinstance(y, tf.SparseTensor) and y.indices is x.indices and y.values.op.name.startswith("f")
        np.testing.assert_allclose(session.run(y.values), values, rtol=1e-4)
    assert session.run(tf.sqrt(x=tf.square(x)).values).tolist() == [4, 9]
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.exp(x)
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.add(x, 1.0)
