"""tf.nn under its public names, with numpy as the reference."""
import numpy as np
import pytest
import weir as tf

LOGITS = np.array([[1.0, 2.0, 0.5], [-1.0, 0.0, 3.0]], np.float32)
LABELS = np.array([[0.0, 1.0, 0.0], [0.2, 0.3, 0.5]], np.float32)


def value(make):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


def close(make, expected, tolerance=1e-5):
    np.testing.assert_allclose(value(make), expected, rtol=tolerance, atol=1e-6)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def test_activations():
    close(lambda: tf.nn.relu(LOGITS), np.maximum(LOGITS, 0))
    close(lambda: tf.nn.relu6(LOGITS * 5), np.clip(LOGITS * 5, 0, 6))
    close(lambda: tf.nn.leaky_relu(LOGITS, 0.1), np.where(LOGITS > 0, LOGITS, 0.1 * LOGITS))
    close(lambda: tf.nn.elu(LOGITS), np.where(LOGITS > 0, LOGITS, np.expm1(LOGITS)))
    close(lambda: tf.nn.softplus(LOGITS), np.log1p(np.exp(LOGITS)))
    close(lambda: tf.nn.softsign(LOGITS), LOGITS / (1 + np.abs(LOGITS)))
    close(lambda: tf.nn.crelu(LOGITS), np.maximum(np.concatenate([LOGITS, -LOGITS], -1), 0))
    close(lambda: tf.nn.swish(LOGITS), LOGITS / (1 + np.exp(-LOGITS)))


def test_softmax():
    close(lambda: tf.nn.softmax(LOGITS), softmax(LOGITS))
    close(lambda: tf.nn.softmax(LOGITS, axis=0), softmax(LOGITS, 0))
    close(lambda: tf.nn.softmax(LOGITS, dim=0), softmax(LOGITS, 0))
    close(lambda: tf.nn.log_softmax(LOGITS), np.log(softmax(LOGITS)))


def test_cross_entropies():
    expected = -(LABELS * np.log(softmax(LOGITS))).sum(-1)
    close(lambda: tf.nn.softmax_cross_entropy_with_logits(labels=LABELS, logits=LOGITS), expected)
    close(lambda: tf.nn.softmax_cross_entropy_with_logits(LOGITS, LABELS), expected)
    close(lambda: tf.nn.softmax_cross_entropy_with_logits_v2(LABELS, LOGITS), expected)
    sparse = -np.log(softmax(LOGITS))[[0, 1], [1, 2]]
    close(lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2], logits=LOGITS), sparse)
    close(lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(LOGITS, np.array([1, 2], np.int64)), sparse)
    p = 1 / (1 + np.exp(-LOGITS))
    sigmoid = -LABELS * np.log(p) - (1 - LABELS) * np.log(1 - p)
    close(lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=LABELS, logits=LOGITS), sigmoid)
    close(lambda: tf.nn.sigmoid_cross_entropy_with_logits(LOGITS, LABELS), sigmoid)
    close(lambda: tf.nn.weighted_cross_entropy_with_logits(targets=LABELS, logits=LOGITS, pos_weight=1.0), sigmoid)
    with pytest.raises(ValueError):
        value(lambda: tf.nn.softmax_cross_entropy_with_logits(logits=LOGITS))


def test_dropout():
    x = np.ones([1000], np.float32)
    for make in (lambda: tf.nn.dropout(x, 0.5, seed=1), lambda: tf.nn.dropout(x, rate=0.5, seed=1)):
        got = value(make)
        assert set(np.unique(got)) == {0.0, 2.0} and 400 < (got > 0).sum() < 600
    close(lambda: tf.nn.dropout(tf.constant(x), 1.0), x)
    with pytest.raises(ValueError):
        value(lambda: tf.nn.dropout(x, keep_prob=0.0))
    with pytest.raises(ValueError):
        value(lambda: tf.nn.dropout(x))


def test_normalization():
    mean, variance = value(lambda: tf.nn.moments(tf.constant(LOGITS), [0]))
    np.testing.assert_allclose(mean, LOGITS.mean(0), rtol=1e-5)
    np.testing.assert_allclose(variance, LOGITS.var(0), rtol=1e-5)
    assert value(lambda: tf.nn.moments(LOGITS, [0, 1], keep_dims=True))[0].shape == (1, 1)
    close(lambda: tf.nn.batch_normalization(LOGITS, 0.5, 4.0, 1.0, 2.0, 0.0), (LOGITS - 0.5) / 2 * 2 + 1)
    close(lambda: tf.nn.batch_normalization(tf.constant(LOGITS), tf.constant(0.5), tf.constant(4.0), None, None, 0.0), (LOGITS - 0.5) / 2)
    close(lambda: tf.nn.l2_normalize(LOGITS, 1), LOGITS / np.linalg.norm(LOGITS, axis=1, keepdims=True))
    close(lambda: tf.nn.l2_normalize(LOGITS, dim=0), LOGITS / np.linalg.norm(LOGITS, axis=0, keepdims=True))
    close(lambda: tf.nn.zero_fraction([0.0, 1.0, 0.0, 2.0]), 0.5)
    close(lambda: tf.nn.l2_loss(LOGITS), (LOGITS ** 2).sum() / 2)


def test_layers():
    w, b = np.random.RandomState(0).rand(3, 2).astype(np.float32), np.float32([0.5, -9.0])
    close(lambda: tf.nn.xw_plus_b(LOGITS, w, b), LOGITS @ w + b)
    close(lambda: tf.nn.relu_layer(LOGITS, w, b), np.maximum(LOGITS @ w + b, 0))
    close(lambda: tf.nn.bias_add(LOGITS, [1.0, 2.0, 3.0]), LOGITS + [1, 2, 3])


TABLE = np.arange(10, dtype=np.float32).reshape(5, 2)


def test_embedding_lookup():
    close(lambda: tf.nn.embedding_lookup(TABLE, [3, 1]), TABLE[[3, 1]])
    close(lambda: tf.nn.embedding_lookup(tf.constant(TABLE), [[3], [1]]), TABLE[[[3], [1]]])
    parts = [TABLE[0::2], TABLE[1::2]]
    close(lambda: tf.nn.embedding_lookup([tf.constant(p) for p in parts], [3, 0, 4]), TABLE[[3, 0, 4]])
    halves = [TABLE[:3], TABLE[3:]]
    close(lambda: tf.nn.embedding_lookup([tf.constant(p) for p in halves], [3, 0, 4], partition_strategy="div"), TABLE[[3, 0, 4]])
    norms = np.maximum(np.linalg.norm(TABLE[[3, 0]], axis=1, keepdims=True), 1)
    close(lambda: tf.nn.embedding_lookup(TABLE, [3, 0], max_norm=1.0), TABLE[[3, 0]] / norms)
    with pytest.raises(ValueError):
        value(lambda: tf.nn.embedding_lookup([], [1]))
    with pytest.raises(ValueError):
        value(lambda: tf.nn.embedding_lookup(TABLE, [1], partition_strategy="no"))


def test_embedding_lookup_of_variables():
    with tf.Graph().as_default(), tf.Session() as s:
        for resource in (False, True):
            table = tf.Variable(TABLE, use_resource=resource)
            rows = tf.nn.embedding_lookup(table, [2, 2])
            (gradient,) = tf.gradients(tf.reduce_sum(rows), [table])
            assert isinstance(gradient, tf.IndexedSlices)
            s.run(table.initializer)
            np.testing.assert_array_equal(s.run(rows), TABLE[[2, 2]])


def test_embedding_lookup_sparse():
    def lookup(combiner):
        ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 3, 4]), [2, 2])
        return tf.nn.embedding_lookup_sparse(tf.constant(TABLE), ids, None, combiner=combiner)
    close(lambda: lookup("sum"), [TABLE[1] + TABLE[3], TABLE[4]])
    close(lambda: lookup("mean"), [(TABLE[1] + TABLE[3]) / 2, TABLE[4]])
