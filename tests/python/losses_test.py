"""Tests tf.losses against the formulas in numpy."""
import numpy as np
import pytest
import weir as tf

RNG = np.random.RandomState(0)
P = RNG.rand(3, 4).astype(np.float32)
Y = (RNG.rand(3, 4) > 0.5).astype(np.float32)
W = np.array([[1.0], [0.0], [2.0]], np.float32)


def sigmoid_loss(x, z):
    return np.maximum(x, 0) - x * z + np.log1p(np.exp(-np.abs(x)))


def softmax_loss(x, z):
    return np.log(np.exp(x).sum(1)) - (x * z).sum(1)


CASES = {
    "absolute_difference": (lambda **k: tf.losses.absolute_difference(Y, P, **k), np.abs(P - Y)),
    "cosine_distance": (lambda **k: tf.losses.cosine_distance(Y, P, axis=1, **k), 1 - (P * Y).sum(1, keepdims=True)),
    "hinge_loss": (lambda **k: tf.losses.hinge_loss(Y, P, **k), np.maximum(0, 1 - (2 * Y - 1) * P)),
    "huber_loss": (lambda **k: tf.losses.huber_loss(Y, P, delta=0.3, **k),
                   np.where(np.abs(P - Y) <= 0.3, 0.5 * (P - Y) ** 2, 0.3 * np.abs(P - Y) - 0.5 * 0.09)),
    "log_loss": (lambda **k: tf.losses.log_loss(Y, P, **k), -Y * np.log(P + 1e-7) - (1 - Y) * np.log(1 - P + 1e-7)),
    "mean_squared_error": (lambda **k: tf.losses.mean_squared_error(Y, P, **k), (P - Y) ** 2),
    "sigmoid_cross_entropy": (lambda **k: tf.losses.sigmoid_cross_entropy(Y, P, label_smoothing=0.1, **k),
                              sigmoid_loss(P, Y * 0.9 + 0.05)),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_reductions(name):
    function, each = CASES[name]
    weighted = each * W
    present = np.broadcast_to(W != 0, each.shape).sum()
    expected = {
        "none": weighted, "weighted_sum": weighted.sum(), "weighted_mean": weighted.sum() / np.broadcast_to(W, each.shape).sum(),
        "weighted_sum_over_batch_size": weighted.sum() / each.size, "weighted_sum_by_nonzero_weights": weighted.sum() / present,
    }
    with tf.Session() as s:
        for reduction, value in expected.items():
            np.testing.assert_allclose(s.run(function(weights=W, reduction=reduction)), value, rtol=1e-5, err_msg=reduction)
        np.testing.assert_allclose(s.run(function()), each.mean(), rtol=1e-5)
        assert s.run(function(weights=0.0)) == 0


def test_classes():
    labels = np.eye(4, dtype=np.float32)[[0, 2, 3]]
    with tf.Session() as s:
        smooth = labels * 0.9 + 0.1 / 4
        np.testing.assert_allclose(s.run(tf.losses.softmax_cross_entropy(labels, P, label_smoothing=0.1)), softmax_loss(P, smooth).mean(), rtol=1e-5)
        np.testing.assert_allclose(s.run(tf.losses.sparse_softmax_cross_entropy([0, 2, 3], P, weights=2.0)), 2 * softmax_loss(P, labels).mean(),
                                   rtol=1e-5)
        np.testing.assert_allclose(s.run(tf.losses.sparse_softmax_cross_entropy([[0], [2], [3]], P)), softmax_loss(P, labels).mean(), rtol=1e-5)


def test_log_loss_of_a_certain_mistake_is_finite():
    loss = tf.losses.log_loss([[1.0, 0.0]], [[0.0, 1.0]], reduction="none")
    with tf.Session() as s:
        np.testing.assert_allclose(s.run(loss), [[-np.log(1e-7)] * 2], rtol=1e-2)  # 1 - 1 + 1e-7 has few correct digits


def test_labels_of_classes_are_not_trained():
    labels, logits = tf.constant(np.eye(4, dtype=np.float32)[[0, 2, 3]]), tf.constant(P)
    loss = tf.losses.softmax_cross_entropy(labels, logits)
    assert tf.gradients(loss, labels) == [None] and tf.gradients(loss, logits)[0] is not None


def test_pairs():
    d = P - Y
    pairs = np.mean([sum((a - b) ** 2 for a in row for b in row) / (4 * 3) for row in d]) * 3
    with tf.Session() as s:
        np.testing.assert_allclose(s.run(tf.losses.mean_pairwise_squared_error(Y, P)), pairs, rtol=1e-4)
        np.testing.assert_allclose(s.run(tf.losses.mean_pairwise_squared_error(Y, P, weights=2.0)), 2 * pairs, rtol=1e-4)
        first = sum((a - b) ** 2 for a in d[0] for b in d[0]) / (4 * 3)
        np.testing.assert_allclose(s.run(tf.losses.mean_pairwise_squared_error(Y, P, weights=[[3.0], [0.0], [0.0]])), 3 * first, rtol=1e-4)


def test_collections(graph):
    first = tf.losses.mean_squared_error(Y, P, scope="a")
    second = tf.losses.absolute_difference(Y, P)
    tf.losses.hinge_loss(Y, P, loss_collection=None)
    assert first.name == "a/value:0" and second.name == "absolute_difference/value:0"
    assert tf.losses.get_losses() == [first, second] and tf.losses.get_losses("a") == [first, second]
    assert tf.losses.get_losses("absolute") == [second]
    tf.losses.add_loss(tf.constant(1.0))
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(10.0))
    with tf.Session() as s:
        parts = s.run([first, second])
        np.testing.assert_allclose(s.run(tf.losses.get_total_loss()), sum(parts) + 11, rtol=1e-5)
        np.testing.assert_allclose(s.run(tf.losses.get_total_loss(False)), sum(parts) + 1, rtol=1e-5)
        assert s.run(tf.losses.get_regularization_loss()) == 10


def test_gradient_reaches_the_predictions():
    p = tf.constant(P)
    with tf.Session() as s:
        np.testing.assert_allclose(s.run(tf.gradients(tf.losses.mean_squared_error(Y, p), p)[0]), 2 * (P - Y) / 12, rtol=1e-5)


def test_errors():
    with pytest.raises(ValueError):
        tf.losses.mean_squared_error(Y, P[:2])
    with pytest.raises(ValueError):
        tf.losses.mean_squared_error(Y, P, weights=np.ones([3], np.float32))
    with pytest.raises(ValueError):
        tf.losses.mean_squared_error(Y, P, weights=np.ones([3, 2], np.float32))
    with pytest.raises(ValueError):
        tf.losses.mean_squared_error(Y, P, reduction="sum")
    with pytest.raises(ValueError):
        tf.losses.mean_squared_error(None, P)
    with pytest.raises(ValueError):
        tf.losses.cosine_distance(Y, P)


@pytest.mark.parametrize("labels", [[0, 1, 1], [[0], [1], [1]]])
@pytest.mark.parametrize("weights", [[1.0, 0.0, 2.0], [[1.0], [0.0], [2.0]]])
@pytest.mark.parametrize("known", [True, False])
def test_weights_of_a_sparse_loss_may_be_a_column(labels, weights, known):
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.constant(weights) if known else tf.placeholder_with_default(weights, None)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, P, weights=w)
        plain = tf.losses.sparse_softmax_cross_entropy([0, 1, 1], P, weights=[1.0, 0.0, 2.0])
        np.testing.assert_allclose(*sess.run([loss, plain]), rtol=1e-6)
