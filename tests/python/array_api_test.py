"""Tests array functions under their public names, with numpy as the reference."""
import numpy as np
import pytest
import weir as tf

X = np.arange(24).reshape(2, 3, 4).astype(np.float32)


def value(make):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


def same(make, expected):
    np.testing.assert_array_equal(value(make), expected)


def test_filled():
    same(lambda: tf.zeros([2, 3]), np.zeros((2, 3)))
    same(lambda: tf.zeros([]), 0)
    same(lambda: tf.zeros(3, tf.int32), np.zeros(3, np.int32))
    same(lambda: tf.zeros((), "float"), 0)
    same(lambda: tf.ones([2], tf.float16), np.ones(2))
    same(lambda: tf.ones([40, 50], tf.int64), np.ones((40, 50)))
    same(lambda: tf.zeros(tf.stack([2, 3])), np.zeros((2, 3)))
    same(lambda: tf.zeros(tf.TensorShape([2, 1])), np.zeros((2, 1)))
    same(lambda: tf.fill([2, 2], 7), np.full((2, 2), 7))
    same(lambda: tf.zeros_like(X), np.zeros_like(X))
    same(lambda: tf.ones_like(tf.constant([1, 2]), dtype=tf.bool), [True, True])
    same(lambda: tf.eye(2), np.eye(2))
    same(lambda: tf.eye(2, 3, batch_shape=[2]), np.broadcast_to(np.eye(2, 3), (2, 2, 3)))
    assert value(lambda: tf.zeros([1], tf.string))[0] == b""


def test_sizes():
    same(lambda: tf.shape(X), [2, 3, 4])
    assert value(lambda: tf.shape(X, out_type=tf.int64)).dtype == np.int64
    same(lambda: tf.size(X), 24)
    same(lambda: tf.rank(X), 3)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        assert tf.shape(x).op.type == "Shape" and tf.shape(tf.zeros([2, 3])).op.type == "Const"


def test_joins():
    a, b = X[0], X[1]
    same(lambda: tf.concat([a, b], 1), np.concatenate([a, b], 1))
    same(lambda: tf.concat(1, [a, b]), np.concatenate([a, b], 1))
    same(lambda: tf.concat(concat_dim=0, values=[a, b]), np.concatenate([a, b], 0))
    same(lambda: tf.concat([a], 0), a)
    same(lambda: tf.stack([a, b]), X)
    same(lambda: tf.pack([a, b]), X)
    same(lambda: tf.stack([a, b], axis=-1), np.stack([a, b], -1))
    same(lambda: tf.unstack(X)[1], b)
    same(lambda: tf.unpack(tf.constant(X), axis=2)[3], X[:, :, 3])
    with pytest.raises(ValueError):
        value(lambda: tf.stack([tf.constant(a)], axis=4))
    with pytest.raises(ValueError):
        value(lambda: tf.unstack(tf.placeholder(tf.float32)))


def test_splits():
    for i, part in enumerate(value(lambda: tf.split(tf.constant(X), 2, axis=2))):
        np.testing.assert_array_equal(part, np.split(X, 2, 2)[i])
    for i, part in enumerate(value(lambda: tf.split(tf.constant(X), [1, 3], -1))):
        np.testing.assert_array_equal(part, np.split(X, [1], 2)[i])
    for i, part in enumerate(value(lambda: tf.split(1, 3, tf.constant(X)))):
        np.testing.assert_array_equal(part, np.split(X, 3, 1)[i])
    for i, part in enumerate(value(lambda: tf.split(split_dim=0, num_split=2, value=tf.constant(X)))):
        np.testing.assert_array_equal(part, X[i:i + 1])


def test_order_of_axes():
    same(lambda: tf.transpose(X), X.T)
    same(lambda: tf.transpose(X, [1, 0, 2]), X.transpose(1, 0, 2))
    same(lambda: tf.matrix_transpose(X), X.swapaxes(1, 2))
    same(lambda: tf.reshape(X, [-1, 4]), X.reshape(-1, 4))
    same(lambda: tf.expand_dims(X, 1), X[:, None])
    same(lambda: tf.expand_dims(X, dim=-1), X[..., None])
    same(lambda: tf.squeeze(X[:1]), X[0])
    same(lambda: tf.squeeze(X[:1], 0), X[0])
    same(lambda: tf.squeeze(X[:1], squeeze_dims=[0]), X[0])
    same(lambda: tf.reverse(X, [0, -1]), X[::-1, :, ::-1])
    same(lambda: tf.reverse(X, [True, False, False]), X[::-1])
    same(lambda: tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_dim=1, batch_dim=0), [[2, 1, 3], [6, 5, 4]])


def test_gather_mask_slice_and_tile():
    same(lambda: tf.gather(X, [1, 0]), X[[1, 0]])
    same(lambda: tf.gather(X, [2, 0], axis=1), X[:, [2, 0]])
    same(lambda: tf.gather_nd(X, [[0, 1], [1, 2]]), X[[0, 1], [1, 2]])
    same(lambda: tf.boolean_mask(X, [True, False]), X[[True, False]])
    same(lambda: tf.boolean_mask(X, X > 10), X[X > 10])
    same(lambda: tf.boolean_mask(X, [True, False, True], axis=1), X[:, [0, 2]])
    same(lambda: tf.where([True, False, True]), [[0], [2]])
    same(lambda: tf.where(X > 5, X, -X), np.where(X > 5, X, -X))
    same(lambda: tf.select([True, False], [1, 2], [3, 4]), [1, 4])
    same(lambda: tf.slice(X, [0, 1, 2], [1, 2, -1]), X[:1, 1:3, 2:])
    same(lambda: tf.strided_slice(X, [0, 0, 0], [2, 3, 4], [1, 2, 2]), X[:, ::2, ::2])
    same(lambda: tf.strided_slice(X, [1], [2]), X[1:2])
    same(lambda: tf.tile([[1, 2]], [2, 2]), np.tile([[1, 2]], [2, 2]))
    with pytest.raises(ValueError):
        value(lambda: tf.where([True], x=[1]))


def test_one_hot():
    same(lambda: tf.one_hot([0, 2, -1], 3), [[1, 0, 0], [0, 0, 1], [0, 0, 0]])
    assert value(lambda: tf.one_hot([1], 2)).dtype == np.float32
    same(lambda: tf.one_hot([0, 1], 2, on_value=5, off_value=-1), [[5, -1], [-1, 5]])
    same(lambda: tf.one_hot([0, 1, 1], 2, axis=0, dtype=tf.int64), [[1, 0, 0], [0, 1, 1]])
    same(lambda: tf.one_hot([0], 2, on_value=True, off_value=False), [[True, False]])


def test_pad():
    same(lambda: tf.pad([[1, 2]], [[1, 0], [0, 2]]), np.pad([[1, 2]], [[1, 0], [0, 2]]))
    same(lambda: tf.pad([1, 2, 3], [[2, 1]], "REFLECT"), [3, 2, 1, 2, 3, 2])
    same(lambda: tf.pad([1, 2], [[1, 1]], mode="symmetric"), [1, 1, 2, 2])
    same(lambda: tf.pad([1, 2], [[1, 1]], constant_values=9), [9, 1, 2, 9])


def test_masks_and_grids():
    same(lambda: tf.sequence_mask([1, 3], 4), [[1, 0, 0, 0], [1, 1, 1, 0]])
    same(lambda: tf.sequence_mask([1, 2], dtype=tf.float32), [[1, 0], [1, 1]])
    for indexing in ("xy", "ij"):
        for got, want in zip(value(lambda: tf.meshgrid([1, 2, 3], [4, 5], indexing=indexing)), np.meshgrid([1, 2, 3], [4, 5], indexing=indexing)):
            np.testing.assert_array_equal(got, want)


def test_sort_search_and_unique():
    v = [[3, 1, 2], [9, 8, 7]]
    same(lambda: tf.sort(v), np.sort(v))
    same(lambda: tf.sort(v, direction="DESCENDING"), -np.sort(-np.array(v)))
    same(lambda: tf.sort(v, axis=0), np.sort(v, 0))
    same(lambda: tf.argsort([3.0, 1.0, 2.0]), [1, 2, 0])
    same(lambda: tf.nn.top_k([1, 5, 3], 2).values, [5, 3])
    same(lambda: tf.nn.in_top_k([[0.1, 0.9], [0.8, 0.2]], [1, 1], 1), [True, False])
    same(lambda: tf.unique([4, 4, 2]).y, [4, 2])
    same(lambda: tf.setdiff1d([1, 2, 3], [2]).out, [1, 3])
    same(lambda: tf.searchsorted([1, 3, 5], [3, 4], side="right"), [2, 2])
    same(lambda: tf.repeat([[1, 2], [3, 4]], [1, 2], axis=0), [[1, 2], [3, 4], [3, 4]])


def test_names():
    with tf.Graph().as_default():
        x = tf.constant(X)
        names = [t.op.name for t in (tf.concat([x, x], 0), tf.stack([x, x]), tf.transpose(x), tf.zeros([2]), tf.reshape(x, [24]), tf.unstack(x)[0],
                                     tf.split(x, 2)[0], tf.one_hot([1], 2), tf.gather(x, [0]), tf.expand_dims(x, 0))]
        assert names == ["concat", "stack", "transpose", "zeros", "Reshape", "unstack", "split", "one_hot", "GatherV2", "ExpandDims"]


def test_random():
    with tf.Graph().as_default(), tf.Session() as s:
        assert s.run(tf.random_normal([3, 2])).shape == (3, 2)
        assert s.run(tf.truncated_normal([5], stddev=0.1, seed=1)).shape == (5,)
        u = s.run(tf.random_uniform([100], -1, 1))
        assert u.min() >= -1 and u.max() < 1
        i = s.run(tf.random_uniform([100], maxval=5, dtype=tf.int32))
        assert i.min() >= 0 and i.max() < 5
        assert sorted(s.run(tf.random_shuffle([3, 1, 2]))) == [1, 2, 3]
        assert s.run(tf.multinomial([[0.0, 100.0]], 4)).tolist() == [[1, 1, 1, 1]]
        assert s.run(tf.random_crop(X, [1, 2, 2])).shape == (1, 2, 2)
        assert s.run(tf.random_gamma([3], 2.0)).shape == (3,)
    with tf.Graph().as_default():
        with pytest.raises(ValueError):
            tf.random_uniform([1], dtype=tf.int32)


def test_seeds():
    def draw():
        with tf.Graph().as_default(), tf.Session() as s:
            tf.set_random_seed(7)
            return s.run([tf.random_uniform([2]), tf.random_normal([2], seed=3)])
    first, second = draw(), draw()
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
    with tf.Graph().as_default():
        assert tf.get_seed(None) == (None, None)
        tf.set_random_seed(7)
        assert tf.get_seed(3) == (7, 3)


def test_zeros_of_a_known_shape_are_one_node():
    with tf.Graph().as_default() as graph:
        for shape in ([2, 3], (), [], 4, tf.TensorShape([2]), np.array([1, 2]), [tf.Dimension(3)], [0, 5]):
            tf.zeros(shape)
            tf.ones(shape, tf.int32)
        assert {op.type for op in graph.get_operations()} == {"Const"}
        assert len(graph.get_operations()) == 16
        assert [tf.zeros(s).shape.as_list() for s in ([2, 3], [], 4, [0, 5])] == [[2, 3], [], [4], [0, 5]]
        before = len(graph.get_operations())
        assert tf.zeros([1000]).op.type == "Fill"
        assert [op.name for op in graph.get_operations()[before:]] == ["zeros_12/shape_as_tensor", "zeros_12/Const", "zeros_12"]
        n = tf.placeholder(tf.int32, [])
        assert tf.zeros([n, 2]).op.type == "Fill"
