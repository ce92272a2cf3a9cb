"""Tests tf.metrics over several batches against the same metric of all data at once in numpy."""
import numpy as np
import pytest

import weir as tf

RNG = np.random.RandomState(4)
LABELS = RNG.randint(0, 3, (4, 6))
CLASSES = np.where(RNG.uniform(size=(4, 6)) < 0.6, LABELS, RNG.randint(0, 3, (4, 6)))
TRUTH = RNG.uniform(size=(4, 6)) < 0.5
SCORES = np.clip(TRUTH * 0.4 + RNG.uniform(0, 0.6, (4, 6)), 0, 1).astype(np.float32)
WEIGHTS = RNG.choice([0.0, 0.5, 2.0], (4, 6)).astype(np.float32)


def streamed(measure, *arrays):
    """Returns the metric after all batches, and the result of each update."""
    fed = [tf.placeholder(a.dtype, (None,) + a.shape[2:]) for a in arrays]
    value, update = measure(*fed)
    assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) and not tf.global_variables()
    assert tf.local_variables() == tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        updates = [sess.run(update, dict(zip(fed, batch))) for batch in zip(*arrays)]
        last = sess.run(value)
        assert np.allclose(last, sess.run(value))
    return last, updates


def cells(threshold, weights=None):
    weights = np.ones(TRUTH.shape) if weights is None else weights
    said = SCORES > threshold
    return [(weights * (TRUTH == label) * (said == guess)).sum() for label, guess in ((1, 1), (1, 0), (0, 0), (0, 1))]  # tp, fn, tn, fp


def test_mean():
    last, updates = streamed(tf.metrics.mean, SCORES)
    assert last == pytest.approx(SCORES.mean(), rel=1e-6)
    assert updates == pytest.approx([SCORES[:n].mean() for n in (1, 2, 3, 4)], rel=1e-6)
    assert [v.op.name for v in tf.local_variables()] == ["mean/total", "mean/count"]


def test_mean_with_weights():
    last, _ = streamed(lambda x, w: tf.metrics.mean(x, w), SCORES, WEIGHTS)
    assert last == pytest.approx((SCORES * WEIGHTS).sum() / WEIGHTS.sum(), rel=1e-6)


def test_metrics_without_data_are_zero():
    value, update = tf.metrics.mean(tf.constant([1.0, 2.0]), weights=0.0)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        assert sess.run(value) == 0 and sess.run(update) == 0
        empty, more = tf.metrics.accuracy(tf.zeros([0]), tf.zeros([0]))
        sess.run(tf.local_variables_initializer())
        assert sess.run(more) == 0 and sess.run(empty) == 0


def test_mean_tensor():
    fed = tf.placeholder(tf.float32, [6])
    value, update = tf.metrics.mean_tensor(fed)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        for row in SCORES:
            sess.run(update, {fed: row})
        np.testing.assert_allclose(sess.run(value), SCORES.mean(0), rtol=1e-6)
    with pytest.raises(ValueError, match="must be known"):
        tf.metrics.mean_tensor(tf.placeholder(tf.float32, [None]))


def test_mean_tensor_with_weights():
    fed, weights = tf.placeholder(tf.float32, [6]), tf.placeholder(tf.float32, [6])
    value, update = tf.metrics.mean_tensor(fed, weights)
    ample = WEIGHTS + 1
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        for row, weight in zip(SCORES, ample):
            sess.run(update, {fed: row, weights: weight})
        np.testing.assert_allclose(sess.run(value), (SCORES * ample).sum(0) / ample.sum(0), rtol=1e-6)


def test_accuracy():
    last, updates = streamed(tf.metrics.accuracy, LABELS, CLASSES)
    assert last == pytest.approx((LABELS == CLASSES).mean())
    assert len(updates) == 4 and updates[-1] == pytest.approx(last)
    assert [v.op.name for v in tf.local_variables()] == ["accuracy/total", "accuracy/count"]
    value, update = tf.metrics.accuracy([1, 2], [1, 2])
    assert (value.op.name, update.op.name) == ("accuracy_1/value", "accuracy_1/update_op")


def test_columns_and_types_fit_together():
    last, _ = streamed(lambda a, b, w: tf.metrics.accuracy(a, tf.cast(tf.expand_dims(b, 1), tf.float32), w), LABELS, CLASSES, WEIGHTS)
    assert last == pytest.approx(((LABELS == CLASSES) * WEIGHTS).sum() / WEIGHTS.sum(), rel=1e-6)


def test_errors():
    a, b = SCORES, TRUTH.astype(np.float32)
    assert streamed(tf.metrics.mean_squared_error, b, a)[0] == pytest.approx(((a - b) ** 2).mean(), rel=1e-5)


def test_root_and_absolute_errors():
    a, b = SCORES, TRUTH.astype(np.float32)
    last, updates = streamed(lambda x, y, w: tf.metrics.root_mean_squared_error(x, y, w), b, a, WEIGHTS)
    assert last == pytest.approx(np.sqrt(((a - b) ** 2 * WEIGHTS).sum() / WEIGHTS.sum()), rel=1e-5)
    assert updates[-1] == pytest.approx(last)


def test_absolute_error():
    assert streamed(tf.metrics.mean_absolute_error, TRUTH.astype(np.float32), SCORES)[0] == pytest.approx(np.abs(TRUTH - SCORES).mean(), rel=1e-5)


def test_relative_error():
    last, _ = streamed(tf.metrics.mean_relative_error, TRUTH.astype(np.float32), SCORES, WEIGHTS)
    wanted = np.where(WEIGHTS == 0, 0, np.abs(TRUTH - SCORES) / np.where(WEIGHTS == 0, 1, WEIGHTS)).mean()
    assert last == pytest.approx(wanted, rel=1e-5)


def test_cosine_distance():
    a = SCORES.reshape(4, 3, 2) / np.linalg.norm(SCORES.reshape(4, 3, 2), axis=2, keepdims=True)
    b = a[:, ::-1]
    last, _ = streamed(lambda x, y: tf.metrics.mean_cosine_distance(x, y, dim=1), a, b)
    assert last == pytest.approx((1 - (a * b).sum(2)).mean(), rel=1e-4)


def test_percentage_below():
    last, _ = streamed(lambda x: tf.metrics.percentage_below(x, 0.5), SCORES)
    assert last == pytest.approx((SCORES < 0.5).mean())
    assert tf.local_variables()[0].op.name == "percentage_below_threshold/total"


def test_values_at_the_threshold_are_not_below_it():
    value, update = tf.metrics.percentage_below([0.25, 0.5, 0.75, 0.5], 0.5)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        assert sess.run(update) == 0.25


def test_a_weight_for_each_row():
    value, update = tf.metrics.mean([[1.0], [2.0], [4.0]], weights=[1.0, 0.0, 3.0])
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        assert sess.run(update) == 13 / 4


@pytest.mark.parametrize("weighted", [False, True])
def test_precision_and_recall(weighted):
    arrays = (TRUTH, SCORES > 0.5) + ((WEIGHTS,) if weighted else ())
    tp, fn, tn, fp = cells(0.5, WEIGHTS if weighted else None)
    assert streamed(tf.metrics.precision, *arrays)[0] == pytest.approx(tp / (tp + fp))
    assert [v.op.name for v in tf.local_variables()] == ["precision/true_positives/count", "precision/false_positives/count"]


@pytest.mark.parametrize("weighted", [False, True])
def test_recall(weighted):
    arrays = (TRUTH, SCORES > 0.5) + ((WEIGHTS,) if weighted else ())
    tp, fn, tn, fp = cells(0.5, WEIGHTS if weighted else None)
    assert streamed(tf.metrics.recall, *arrays)[0] == pytest.approx(tp / (tp + fn))


@pytest.mark.parametrize("measure", [tf.metrics.precision, tf.metrics.recall])
def test_precision_and_recall_without_data(measure):
    value, update = measure([False, False], [False, False])
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        assert sess.run(value) == 0 and sess.run(update) == 0 and sess.run(value) == 0


@pytest.mark.parametrize("at, name", enumerate(["true_positives", "false_negatives", "true_negatives", "false_positives"]))
def test_counts(at, name):
    assert streamed(getattr(tf.metrics, name), TRUTH, SCORES > 0.5)[0] == cells(0.5)[at]


@pytest.mark.parametrize("at, name", enumerate(["true_positives", "false_negatives", "true_negatives", "false_positives"]))
def test_counts_at_thresholds(at, name):
    measure = getattr(tf.metrics, name + "_at_thresholds")
    last, updates = streamed(lambda a, b, w: measure(a, b, [0.2, 0.5, 0.8], w), TRUTH, SCORES, WEIGHTS)
    np.testing.assert_allclose(last, [cells(t, WEIGHTS)[at] for t in (0.2, 0.5, 0.8)])
    np.testing.assert_allclose(updates[-1], last)


def test_precision_and_recall_at_thresholds():
    last, _ = streamed(lambda a, b: tf.metrics.precision_at_thresholds(a, b, [0.2, 0.5]), TRUTH, SCORES)
    np.testing.assert_allclose(last, [cells(t)[0] / (cells(t)[0] + cells(t)[3]) for t in (0.2, 0.5)], rtol=1e-5)


def test_recall_at_thresholds():
    last, _ = streamed(lambda a, b: tf.metrics.recall_at_thresholds(a, b, [0.2, 0.5]), TRUTH, SCORES)
    np.testing.assert_allclose(last, [cells(t)[0] / (cells(t)[0] + cells(t)[1]) for t in (0.2, 0.5)], rtol=1e-5)


def exact_auc():
    """The fraction of pairs in which a positive example scores above a negative one."""
    positive, negative = SCORES[TRUTH], SCORES[~TRUTH]
    return np.mean((positive[:, None] > negative) + 0.5 * (positive[:, None] == negative))


@pytest.mark.parametrize("method, sign", [("trapezoidal", 0), ("minoring", -1), ("majoring", 1)])
def test_auc(method, sign):
    last, updates = streamed(lambda a, b: tf.metrics.auc(a, b, num_thresholds=2000, summation_method=method), TRUTH, SCORES)
    assert last == pytest.approx(exact_auc(), abs=0.003 if sign == 0 else 0.05)
    assert (last - exact_auc()) * sign >= -0.003 and updates[-1] == pytest.approx(last)
    assert [v.op.name for v in tf.local_variables()] == ["auc/true_positives", "auc/false_negatives", "auc/true_negatives", "auc/false_positives"]


@pytest.mark.parametrize("method", ["trapezoidal", "minoring", "majoring", "careful_interpolation"])
def test_auc_of_precision_and_recall(method):
    last, _ = streamed(lambda a, b: tf.metrics.auc(a, b, curve="PR", num_thresholds=2000, summation_method=method), TRUTH, SCORES)
    order = np.argsort(-SCORES.ravel())
    hits = TRUTH.ravel()[order]
    average_precision = (np.cumsum(hits) / np.arange(1, 25))[hits].mean()
    assert last == pytest.approx(average_precision, abs=0.05)


@pytest.mark.parametrize("curve", ["ROC", "PR"])
@pytest.mark.parametrize("method, height", [("trapezoidal", lambda a, b: (a + b) / 2), ("minoring", np.minimum), ("majoring", np.maximum)])
def test_auc_of_few_thresholds(curve, method, height):
    last, _ = streamed(lambda a, b: tf.metrics.auc(a, b, curve=curve, num_thresholds=5, summation_method=method), TRUTH, SCORES)
    tp, fn, tn, fp = np.array([cells(t) for t in (-1e-7, 0.25, 0.5, 0.75, 1 + 1e-7)]).T
    recall = (tp + 1e-6) / (tp + fn + 1e-6)
    x, y = (fp / (fp + tn + 1e-6), recall) if curve == "ROC" else (recall, (tp + 1e-6) / (tp + fp + 1e-6))
    assert last == pytest.approx(((x[:-1] - x[1:]) * height(y[:-1], y[1:])).sum(), rel=1e-5)


def test_auc_of_given_thresholds():
    last, _ = streamed(lambda a, b: tf.metrics.auc(a, b, thresholds=[0.75, 0.25, 0.5]), TRUTH, SCORES)
    with tf.Graph().as_default():
        even, _ = streamed(lambda a, b: tf.metrics.auc(a, b, num_thresholds=5), TRUTH, SCORES)
    assert last == pytest.approx(even, rel=1e-6)


def test_a_perfect_classifier():
    value, update = tf.metrics.auc([0, 1, 0, 1], [0.0, 1.0, 0.1, 0.9])
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        sess.run(update)
        assert sess.run(value) == pytest.approx(1.0, abs=1e-6)


def test_points_of_the_curve():
    steps = np.concatenate([[-1e-7], np.arange(1, 9) / 9, [1 + 1e-7]]).astype(np.float32)
    last, _ = streamed(lambda a, b: tf.metrics.sensitivity_at_specificity(a, b, 0.8, num_thresholds=10), TRUTH, SCORES)
    counts = np.array([cells(t) for t in steps])
    at = np.argmin(np.abs(counts[:, 2] / (counts[:, 2] + counts[:, 3]) - 0.8))
    assert last == pytest.approx(counts[at, 0] / (counts[at, 0] + counts[at, 1]), rel=1e-5)


def test_the_other_points_of_the_curve():
    steps = np.concatenate([[-1e-7], np.arange(1, 9) / 9, [1 - 1e-7]]).astype(np.float32)
    last, _ = streamed(lambda a, b: tf.metrics.specificity_at_sensitivity(a, b, 0.8, num_thresholds=10), TRUTH, SCORES)
    counts = np.array([cells(t) for t in steps])
    distance = np.abs(counts[:, 0] / (counts[:, 0] + counts[:, 1]) - 0.8)
    at = np.flatnonzero(distance == distance.min())[-1]
    assert last == pytest.approx(counts[at, 2] / (counts[at, 2] + counts[at, 3]), rel=1e-5)


def test_mean_iou():
    last, updates = streamed(lambda a, b: tf.metrics.mean_iou(a, b, 4), LABELS, CLASSES)
    shares = [((LABELS == c) & (CLASSES == c)).sum() / ((LABELS == c) | (CLASSES == c)).sum() for c in range(3)]
    assert last == pytest.approx(np.mean(shares), rel=1e-5)
    assert updates[-1].shape == (4, 4) and updates[-1].sum() == LABELS.size
    assert tf.local_variables()[0].op.name == "mean_iou/total_confusion_matrix"


def test_mean_iou_with_weights():
    last, updates = streamed(lambda a, b, w: tf.metrics.mean_iou(a, b, 3, weights=w), LABELS, CLASSES, WEIGHTS)
    shares = [WEIGHTS[(LABELS == c) & (CLASSES == c)].sum() / WEIGHTS[(LABELS == c) | (CLASSES == c)].sum() for c in range(3)]
    assert last == pytest.approx(np.mean(shares), rel=1e-5)
    assert updates[-1].sum() == WEIGHTS.sum()


def test_mean_per_class_accuracy():
    last, updates = streamed(lambda a, b: tf.metrics.mean_per_class_accuracy(a, b, 3), LABELS, CLASSES)
    shares = [(CLASSES == LABELS)[LABELS == c].mean() for c in range(3)]
    assert last == pytest.approx(np.mean(shares), rel=1e-5)
    np.testing.assert_allclose(updates[-1], shares, rtol=1e-5)


def test_mean_per_class_accuracy_with_weights():
    last, _ = streamed(lambda a, b, w: tf.metrics.mean_per_class_accuracy(a, b, 3, weights=w), LABELS, CLASSES, WEIGHTS)
    shares = [((CLASSES == LABELS) * WEIGHTS)[LABELS == c].sum() / WEIGHTS[LABELS == c].sum() for c in range(3)]
    assert last == pytest.approx(np.mean(shares), rel=1e-5)


def test_collections():
    value, update = tf.metrics.precision([True], [True], metrics_collections=["mine", "yours"], updates_collections=tf.GraphKeys.UPDATE_OPS)
    assert tf.get_collection("mine") == [value] and tf.get_collection("yours") == [value]
    assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == [update]


def test_given_names():
    with tf.variable_scope("eval"):
        value, _ = tf.metrics.mean([1.0], name="loss")
        again, _ = tf.metrics.mean([1.0])
        third, _ = tf.metrics.mean([1.0])
    assert [v.op.name for v in (value, again, third)] == ["eval/loss/value", "eval/mean/value", "eval/mean_1/value"]


def test_resource_variables():
    with tf.variable_scope("", use_resource=True):
        value, update = tf.metrics.mean_per_class_accuracy([0, 1, 1], [0, 1, 0], 2)
        mean, more = tf.metrics.mean([1.0, 3.0])
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        np.testing.assert_allclose(sess.run([update, more])[0], [1, 0.5])
        assert sess.run([value, mean]) == [0.75, 2.0]


def test_wrong_arguments():
    with pytest.raises(ValueError, match="incompatible"):
        tf.metrics.accuracy(tf.zeros([3]), tf.zeros([4]))
    with pytest.raises(ValueError, match="can not be broadcast"):
        tf.metrics.mean(tf.zeros([3, 2]), weights=tf.zeros([2, 2]))
    with pytest.raises(ValueError, match="curve must be either ROC or PR"):
        tf.metrics.auc([True], [0.5], curve="XY")
    with pytest.raises(ValueError, match="Invalid summation_method"):
        tf.metrics.auc([True], [0.5], summation_method="guess")
    with pytest.raises(ValueError, match="num_thresholds"):
        tf.metrics.auc([True], [0.5], num_thresholds=1)
    with pytest.raises(ValueError, match="specificity"):
        tf.metrics.sensitivity_at_specificity([True], [0.5], 1.5)
    with pytest.raises(ValueError, match="num_classes"):
        tf.metrics.mean_iou([0], [0], 0)
    scores = tf.placeholder(tf.float32, [1])
    _, update = tf.metrics.auc([True], scores)
    _, classes = tf.metrics.mean_iou(tf.placeholder_with_default([7], [1]), [0], 3)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="predictions must be in"):
            sess.run(update, {scores: [1.5]})
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(classes)


# --- metrics of the top k classes
RANK_LABELS = RNG.randint(0, 5, (4, 6, 2)).astype(np.int64)
RANK_SCORES = RNG.permutation(4 * 6 * 5).reshape(4, 6, 5).astype(np.float32)


def ranked(k, class_id=None, weights=None):
    """Weighted counts of true positives, false positives and false negatives among the top k scores of each row."""
    counts = np.zeros(3)
    for labels, scores, weight in zip(RANK_LABELS.reshape(-1, 2), RANK_SCORES.reshape(-1, 5), np.ones(24) if weights is None else weights.ravel()):
        given, wanted = set(np.argsort(-scores)[:k]), set(labels)
        if class_id is not None:
            given, wanted = given & {class_id}, wanted & {class_id}
        counts += weight * np.array([len(given & wanted), len(given - wanted), len(wanted - given)])
    return counts


@pytest.mark.parametrize("class_id", [None, 2])
@pytest.mark.parametrize("k", [1, 3])
def test_precision_and_recall_at_k(k, class_id):
    right, wrong, missed = ranked(k, class_id)
    value, updates = streamed(lambda l, s: tf.metrics.precision_at_k(l, s, k, class_id), RANK_LABELS, RANK_SCORES)
    assert value.dtype == np.float64 and np.isclose(value, right / (right + wrong)) and updates[-1] == value
    suffix = f"_at_{k}" + ("" if class_id is None else f"_class{class_id}")
    assert [v.op.name for v in tf.local_variables()] == [f"precision{suffix}/{name}_positive{suffix}" for name in ("true", "false")]
    value, _ = streamed(lambda l, s: tf.metrics.recall_at_k(l, s, k, class_id, name="mine"), RANK_LABELS, RANK_SCORES)
    assert np.isclose(value, right / (right + missed))
    assert [v.op.name for v in tf.local_variables()][2:] == [f"mine/true_positive{suffix}", f"mine/false_negative{suffix}"]


def streamed_alone(measure, *arrays):
    with tf.Graph().as_default():
        return streamed(measure, *arrays)


def test_precision_and_recall_at_k_with_weights_and_chosen_classes():
    rows = RNG.choice([0.0, 0.5, 2.0], (4, 6)).astype(np.float32)
    right, wrong, missed = ranked(2, weights=rows)
    value, _ = streamed_alone(lambda l, s, w: tf.metrics.precision_at_k(l, s, 2, weights=w), RANK_LABELS, RANK_SCORES, rows)
    assert np.isclose(value, right / (right + wrong))
    best = np.argsort(-RANK_SCORES, 2)[:, :, :2]
    value, _ = streamed_alone(lambda l, p, w: tf.metrics.recall_at_top_k(l, p, weights=w), RANK_LABELS, best, rows)
    assert np.isclose(value, right / (right + missed))
    value, _ = streamed_alone(lambda l, p: tf.metrics.precision_at_top_k(l, p), RANK_LABELS, best.astype(np.int32))
    right, wrong, _ = ranked(2)
    assert np.isclose(value, right / (right + wrong))
    with pytest.raises(ValueError, match="broadcast"):
        tf.metrics.precision_at_k(RANK_LABELS[0], RANK_SCORES[0], 2, weights=np.ones([5]))
    with pytest.raises(ValueError, match="labels"):
        tf.metrics.precision_at_k(RANK_LABELS, RANK_SCORES[0], 2)


def average_precision(wanted, scores, k):
    best = np.argsort(-scores)[:k]
    found = [label in wanted for label in best]
    return sum(np.mean(found[:i + 1]) for i in range(k) if found[i]) / min(len(wanted), k)


def test_average_precision_at_k():
    labels = np.stack([RNG.permutation(5)[:2] for _ in range(24)]).reshape(4, 6, 2).astype(np.int64)
    each = [average_precision(set(l), s, 3) for l, s in zip(labels.reshape(-1, 2), RANK_SCORES.reshape(-1, 5))]
    value, updates = streamed_alone(lambda l, s: tf.metrics.average_precision_at_k(l, s, 3), labels, RANK_SCORES)
    assert np.isclose(value, np.mean(each)) and np.isclose(updates[0], np.mean(each[:6]))
    rows = RNG.choice([0.5, 2.0], (4, 6)).astype(np.float32)
    value, _ = streamed_alone(lambda l, s, w: tf.metrics.average_precision_at_k(l, s, 3, weights=w), labels, RANK_SCORES, rows)
    assert np.isclose(value, (rows.ravel() * each).sum() / rows.sum())


def test_sparse_labels_at_k():
    """Rows with two, one and no labels. Labels that are too large are ignored."""
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], np.int64([4, 1, 2]), [3, 2])
    scores = np.float32([[0, 4, 1, 2, 3], [9, 8, 7, 6, 5], [1, 2, 3, 4, 5]])
    metrics = [tf.metrics.precision_at_k(labels, scores, 2), tf.metrics.recall_at_k(labels, scores, 2),
               tf.metrics.recall_at_k(labels, scores, 2, class_id=2), tf.metrics.sparse_precision_at_k(labels, scores, 1)]
    two = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [1, 1]], np.int64([4, 1, 2, 7]), [2, 2])
    metrics.append(tf.metrics.sparse_average_precision_at_k(two, scores[:2], 3))
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        values = sess.run([update for _, update in metrics])
    assert np.allclose(values, [2 / 6, 2 / 3, 0, 1 / 3, (1 + (1 / 3) / 2) / 2])
