"""tf.contrib.metrics and tf.contrib.losses against numpy. tests/interop/both/slim_answers.py compares them with tf-slim."""
import numpy as np
import pytest

import weir as tf

metrics = tf.contrib.metrics
RNG = np.random.RandomState(4)
BATCHES = [(RNG.rand(50).astype(np.float32), RNG.rand(50) > 0.4) for _ in range(3)]
SCORES, LABELS = np.concatenate([p for p, _ in BATCHES]), np.concatenate([l for _, l in BATCHES])


def streamed(make):
    """Returns the last update and the value after all batches."""
    p, l = tf.placeholder(tf.float32, [50]), tf.placeholder(tf.bool, [50])
    value, update = make(p, l)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        for scores, labels in BATCHES:
            last = sess.run(update, {p: scores, l: labels})
        return last, sess.run(value)


def both(make):
    last, value = streamed(make)
    np.testing.assert_array_equal(last, value)
    return value


def floats(x):
    return tf.cast(x, tf.float32)


def rates(threshold):
    positive = SCORES > threshold
    return (positive & ~LABELS).sum() / (~LABELS).sum(), (~positive & LABELS).sum() / LABELS.sum()


def test_covariance_and_correlation():
    y = LABELS.astype(np.float64)
    np.testing.assert_allclose(both(lambda p, l: metrics.streaming_covariance(p, floats(l))), np.cov(SCORES, y)[0, 1], rtol=1e-3)
    np.testing.assert_allclose(both(lambda p, l: metrics.streaming_pearson_correlation(p, floats(l))), np.corrcoef(SCORES, y)[0, 1], rtol=1e-3)
    weights = np.arange(50) % 3
    repeated = np.tile(weights, 3)
    np.testing.assert_allclose(both(lambda p, l: metrics.streaming_covariance(p, floats(l), weights=weights.astype(np.float32))),
                               np.cov(np.repeat(SCORES, repeated), np.repeat(y, repeated))[0, 1], rtol=1e-3)


def test_values_are_concatenated():
    last, value = streamed(lambda p, l: metrics.streaming_concat(tf.reshape(p, [25, 2]), axis=1))
    np.testing.assert_array_equal(value, np.concatenate([p.reshape(25, 2) for p, _ in BATCHES], 1))
    assert last == 6
    _, value = streamed(lambda p, l: metrics.streaming_concat(p, max_size=70))
    np.testing.assert_array_equal(value, SCORES[:70])
    with pytest.raises(ValueError):
        metrics.streaming_concat(tf.placeholder(tf.float32, [None, None]))


def test_rates_of_errors():
    assert abs(both(lambda p, l: metrics.streaming_false_positive_rate(p > 0.5, l)) - rates(0.5)[0]) < 1e-6
    assert abs(both(lambda p, l: metrics.streaming_false_negative_rate(p > 0.5, l)) - rates(0.5)[1]) < 1e-6
    thresholds = [0.2, 0.7]
    found = [both(lambda p, l: metrics.streaming_false_positive_rate_at_thresholds(p, l, thresholds)),
             both(lambda p, l: metrics.streaming_false_negative_rate_at_thresholds(p, l, thresholds))]
    np.testing.assert_allclose(found, np.transpose([rates(t) for t in thresholds]), rtol=1e-5)


def at_thresholds(count=200):
    thresholds = np.float32([-1e-7, *(i / (count - 1) for i in range(1, count - 1)), 1 + 1e-7])
    positive = SCORES > thresholds[:, None]
    true, false = (positive & LABELS).sum(1), (positive & ~LABELS).sum(1)
    return true / np.maximum(true + false, 1e-7), true / LABELS.sum()


def test_precision_and_recall_at_thresholds():
    precision, recall = at_thresholds()
    best = (2 * precision * recall / (precision + recall + 1e-7)).max()
    assert abs(both(lambda p, l: metrics.f1_score(l, p)) - best) < 1e-4
    assert abs(both(lambda p, l: metrics.precision_at_recall(l, p, 0.6)) - precision[(recall >= 0.6).sum() - 1]) < 1e-4
    assert abs(both(lambda p, l: metrics.recall_at_precision(l, p, 0.65)) - recall[abs(precision - 0.65).argmin()]) < 1e-4
    assert both(lambda p, l: metrics.recall_at_precision(l, p, 1.0, strict_mode=True)) <= 1.0
    points, _ = metrics.streaming_curve_points(tf.constant(LABELS), tf.constant(SCORES), num_thresholds=7)
    assert points.shape.as_list() == [7, 2]
    with pytest.raises(ValueError):
        metrics.precision_at_recall(tf.constant(LABELS), tf.constant(SCORES), 1.5)


def test_precision_at_recall_without_samples():
    with tf.Graph().as_default(), tf.Session() as sess:
        value, update = metrics.precision_at_recall(tf.constant([0, 1, 1, 0]), tf.constant([0.1, 0.9, 0.6, 0.4]), 0.5)
        sess.run(tf.local_variables_initializer())
        assert sess.run(value) == 1.0
        assert sess.run(update) == sess.run(value) == pytest.approx(1.0)


def test_agreement_beyond_chance():
    predicted = (SCORES > 0.5).astype(int)
    y = LABELS.astype(int)
    expected = sum((predicted == c).mean() * (y == c).mean() for c in range(2))
    kappa = both(lambda p, l: metrics.cohen_kappa(tf.cast(l, tf.int64), tf.cast(p > 0.5, tf.int64), 2))
    assert abs(kappa - ((predicted == y).mean() - expected) / (1 - expected)) < 1e-6
    with pytest.raises(ValueError):
        metrics.cohen_kappa(tf.constant([0]), tf.constant([0]), 1)


def test_counts():
    assert both(lambda p, l: metrics.count(p)) == 150
    assert both(lambda p, l: metrics.count(p, weights=tf.ones([50]) * 0.5)) == 75


def test_ranks():
    best, labels = tf.constant([[0, 2], [1, 2]], tf.int64), tf.constant([[0, 1], [2, 0]], tf.int64)
    made = [metrics.streaming_sparse_precision_at_top_k(best, labels), metrics.sparse_recall_at_top_k(labels, best),
            metrics.streaming_sparse_average_precision_at_top_k(best, labels), metrics.streaming_recall_at_k(tf.eye(3), [0, 1, 1], 1)]
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        np.testing.assert_allclose([sess.run(update) for _, update in made], [0.5, 0.5, 0.375, 2 / 3], rtol=1e-6)


def test_losses_take_predictions_first():
    losses = tf.contrib.losses
    logits = np.float32([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])
    soft = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    made = [losses.softmax_cross_entropy(logits, np.eye(3, dtype=np.float32)[[1, 2]]), losses.sparse_softmax_cross_entropy(logits, [1, 2]),
            losses.absolute_difference(logits, np.zeros((2, 3), np.float32), weights=2.0), losses.log_loss(soft, np.ones((2, 3), np.float32))]
    hinge = losses.hinge_loss(tf.constant([[0.5, -2.0]]), tf.constant([[1.0, 0.0]]))
    entropy = -np.log(soft[[0, 1], [1, 2]]).mean()
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(made), [entropy, entropy, 2 * abs(logits).mean(), -np.log(soft + 1e-7).mean()], rtol=1e-5)
        np.testing.assert_array_equal(sess.run(hinge), [[0.5, 0.0]])
    assert losses.get_losses() == made
