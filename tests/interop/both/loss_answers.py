"""tf.losses and tf.metrics with weights of every shape."""
import itertools

import numpy as np

from both.answers import evaluate

CASES = {}
RNG = np.random.RandomState(0)
PREDICTIONS = RNG.rand(3, 2).astype(np.float32)
LABELS = RNG.rand(3, 2).astype(np.float32)
BINARY = (LABELS > 0.5).astype(np.float32)
CLASSES = np.array([0, 1, 1])
SHAPES = [(), (1,), (3,), (2,), (3, 1), (1, 1), (1, 2), (3, 2), (3, 1, 1), (2, 3), (4, 1)]
LOSSES = {
    "absolute_difference": lambda losses, **k: losses.absolute_difference(LABELS, PREDICTIONS, **k),
    "mean_squared_error": lambda losses, **k: losses.mean_squared_error(LABELS, PREDICTIONS, **k),
    "log_loss": lambda losses, **k: losses.log_loss(LABELS, PREDICTIONS, **k),
    "huber_loss": lambda losses, **k: losses.huber_loss(LABELS, PREDICTIONS, **k),
    "hinge_loss": lambda losses, **k: losses.hinge_loss(BINARY, PREDICTIONS, **k),
    "cosine_distance": lambda losses, **k: losses.cosine_distance(LABELS, PREDICTIONS, axis=1, **k),
    "sigmoid": lambda losses, **k: losses.sigmoid_cross_entropy(BINARY, PREDICTIONS, **k),
    "softmax": lambda losses, **k: losses.softmax_cross_entropy(np.eye(2, dtype=np.float32)[CLASSES], PREDICTIONS, **k),
    "sparse_softmax": lambda losses, **k: losses.sparse_softmax_cross_entropy(CLASSES, PREDICTIONS, **k),
    "sparse_softmax of columns": lambda losses, **k: losses.sparse_softmax_cross_entropy(CLASSES[:, None], PREDICTIONS, **k),
    "sparse_softmax of deep logits": lambda losses, **k: losses.sparse_softmax_cross_entropy(CLASSES, PREDICTIONS[..., None], **k),
    "compute_weighted_loss": lambda losses, **k: losses.compute_weighted_loss(PREDICTIONS, **k),
    "compute_weighted_loss of a vector": lambda losses, **k: losses.compute_weighted_loss(PREDICTIONS[:, 0], **k),
}


def weights_of(shape):
    return (np.arange(np.prod(shape, dtype=int)) % 3 + (shape == ())).reshape(shape).astype(np.float32)


def loss(make, shape, reduction):
    def case(tf):
        value = make(tf.losses, weights=weights_of(shape), reduction=getattr(tf.losses.Reduction, reduction))
        return [str(value.shape), value.name, evaluate(tf, value)]
    return case


def loss_of_unknown_weights(make, shape):
    def case(tf):
        weights = tf.placeholder(tf.float32)
        value = make(tf.losses, weights=weights)
        return [str(value.shape), evaluate(tf, value, {weights: weights_of(shape)})]
    return case


for (name, make), shape in itertools.product(LOSSES.items(), SHAPES):
    for reduction in ["SUM_BY_NONZERO_WEIGHTS", "NONE"] + (["SUM", "MEAN", "SUM_OVER_BATCH_SIZE"] if name == "sparse_softmax" else []):
        CASES[f"{name} {shape} {reduction}"] = loss(make, shape, reduction)
    if name != "softmax":
        CASES[f"{name} {shape} unknown"] = loss_of_unknown_weights(make, shape)
for shape in SHAPES:
    CASES[f"mean_pairwise_squared_error {shape}"] = lambda tf, shape=shape: evaluate(
        tf, tf.losses.mean_pairwise_squared_error(LABELS, PREDICTIONS, weights=weights_of(shape)))


def unknown_ranks(tf):
    labels, logits = tf.placeholder(tf.int64), tf.placeholder(tf.float32, [None, 2])
    value = tf.losses.sparse_softmax_cross_entropy(labels, logits, weights=weights_of((3, 1)))
    return evaluate(tf, value, {labels: CLASSES[:, None], logits: PREDICTIONS})


CASES["sparse_softmax of unknown ranks"] = unknown_ranks

METRICS = {
    "mean": lambda metrics, w: metrics.mean(PREDICTIONS, weights=w),
    "accuracy": lambda metrics, w: metrics.accuracy(BINARY, (PREDICTIONS > 0.5).astype(np.float32), weights=w),
    "mean_squared_error": lambda metrics, w: metrics.mean_squared_error(LABELS, PREDICTIONS, weights=w),
    "precision": lambda metrics, w: metrics.precision(LABELS > 0.5, PREDICTIONS > 0.5, weights=w),
    "auc": lambda metrics, w: metrics.auc(LABELS > 0.5, PREDICTIONS, weights=w),
    "percentage_below": lambda metrics, w: metrics.percentage_below(PREDICTIONS, 0.5, weights=w),
    "recall_at_thresholds": lambda metrics, w: metrics.recall_at_thresholds(LABELS > 0.5, PREDICTIONS, [0.3, 0.6], weights=w),
}


def metric(make, shape):
    def case(tf):
        value, update = make(tf.metrics, weights_of(shape))
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            sess.run(update)
            return [str(value.shape), sess.run(value)]
    return case


def metric_of_unknown_weights(make, shape):
    def case(tf):
        weights = tf.placeholder(tf.float32)
        value, update = make(tf.metrics, weights)
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            return [str(value.shape), sess.run(update, {weights: weights_of(shape)})]
    return case


for (name, make), shape in itertools.product(METRICS.items(), SHAPES):
    CASES[f"metric {name} {shape}"] = metric(make, shape)
    CASES[f"metric {name} {shape} unknown"] = metric_of_unknown_weights(make, shape)


def loss_of_sizes_that_come_late(shape, declared):
    def case(tf):
        weights = tf.placeholder(tf.float32, declared)
        predictions = tf.placeholder(tf.float32, [None, 2])
        value = tf.losses.mean_squared_error(tf.zeros_like(predictions), predictions, weights=weights)
        return evaluate(tf, value, {weights: weights_of(shape), predictions: PREDICTIONS})
    return case


for shape, declared in [((3, 1), [None, 1]), ((1, 1), [None, 1]), ((2, 1), [None, 1]), ((3, 2), [None, 2]), ((4, 2), [None, 2]),
                        ((3, 2), [3, None]), ((3, 1), [3, None]), ((3, 3), [3, None]), ((1, 2), [None, None]), ((2, 2), [None, None])]:
    CASES[f"weights {shape} for a placeholder of {declared}"] = loss_of_sizes_that_come_late(shape, declared)


def loss_of_values_that_come_late(values_shape, weights_shape, shape):
    def case(tf):
        values, weights = tf.placeholder(tf.float32, values_shape), tf.placeholder(tf.float32, weights_shape)
        value = tf.losses.compute_weighted_loss(values, weights)
        return evaluate(tf, value, {values: PREDICTIONS, weights: weights_of(shape)})
    return case


for values_shape, weights_shape in [(None, None), (None, [None, None]), ([3, 2], None), ([None, 2], [None, None])]:
    for shape in [(), (2,), (3, 1), (1, 1), (3, 2), (2, 2), (1, 1, 1)]:
        if weights_shape is None or len(shape) == len(weights_shape):
            CASES[f"weights {shape} declared {weights_shape} for values {values_shape}"] = loss_of_values_that_come_late(values_shape, weights_shape, shape)
