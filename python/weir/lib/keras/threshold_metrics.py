"""tf.keras.metrics of decisions at thresholds: counts, precision, recall, AUC and related ones; also MeanIoU and means of tensors."""
import weir as tf
from weir.lib.keras.metrics import Metric, _Reduced

_EPSILON = 1e-7


def _checked_thresholds(thresholds, default=0.5):
    """Returns the thresholds as a list."""
    values = [default] if thresholds is None else list(thresholds) if isinstance(thresholds, (list, tuple)) else [thresholds]
    if any(value is None or not 0 <= value <= 1 for value in values):
        raise ValueError(f"Threshold values must be in [0, 1]. Invalid values: {[v for v in values if v is None or not 0 <= v <= 1]}")
    return [float(value) for value in values]


def _broadcast_weights(weights, values):
    weights = tf.cast(weights, values.dtype)
    if weights.shape.ndims is not None and values.shape.ndims is not None:
        for _ in range(values.shape.ndims - weights.shape.ndims if weights.shape.ndims else 0):
            weights = tf.expand_dims(weights, -1)
        if weights.shape.ndims > values.shape.ndims:
            weights = tf.squeeze(weights, [-1])
    return weights * tf.ones_like(values)


def _counts(thresholds, y_true, y_pred, sample_weight=None, top_k=None, class_id=None):
    """Returns the weighted numbers of true positives, false positives, true negatives and false negatives by threshold."""
    y_pred = tf.cast(y_pred, tf.float32)
    y_true = tf.cast(y_true, tf.float32)
    in_range = [tf.debugging.assert_greater_equal(y_pred, 0.0, message="predictions must be >= 0"),
                tf.debugging.assert_less_equal(y_pred, 1.0, message="predictions must be <= 1")]
    with tf.control_dependencies(in_range):
        y_pred = tf.identity(y_pred)
    if y_pred.shape.ndims is not None and y_true.shape.ndims is not None:
        if y_true.shape.ndims == y_pred.shape.ndims + 1:
            y_true = tf.squeeze(y_true, [-1])
        elif y_pred.shape.ndims == y_true.shape.ndims + 1:
            y_pred = tf.squeeze(y_pred, [-1])
    y_pred.shape.assert_is_compatible_with(y_true.shape)
    if top_k is not None:
        _, found = tf.nn.top_k(y_pred, top_k, sorted=False)
        chosen = tf.reduce_sum(tf.one_hot(found, tf.shape(y_pred)[-1], axis=-1), axis=-2)
        y_pred = tf.where(chosen > 0, y_pred, tf.fill(tf.shape(y_pred), float("-inf")))
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
    weights = tf.ones_like(y_pred) if sample_weight is None else _broadcast_weights(sample_weight, y_pred)
    limits = tf.reshape(tf.constant(thresholds, tf.float32), [-1, 1])
    positive = tf.reshape(y_pred, [1, -1]) > limits
    label = tf.cast(tf.reshape(y_true, [1, -1]), tf.bool)
    weights = tf.reshape(weights, [1, -1])

    def count(a, b):
        return tf.reduce_sum(tf.cast(tf.logical_and(a, b), tf.float32) * weights, 1)

    return (count(positive, label), count(positive, tf.logical_not(label)),
            count(tf.logical_not(positive), tf.logical_not(label)), count(tf.logical_not(positive), label))


class _ConfusionCount(Metric):
    _index = 0  # of the value to accumulate, in the result of _counts

    def __init__(self, thresholds=None, name=None, dtype=None):
        super().__init__(name, dtype)
        self.init_thresholds = thresholds
        self.thresholds = _checked_thresholds(thresholds)
        self.accumulator = self.add_weight("accumulator", (len(self.thresholds),))

    def update_state(self, y_true, y_pred, sample_weight=None):
        return self.accumulator.assign_add(_counts(self.thresholds, y_true, y_pred, sample_weight)[self._index])

    def result(self):
        return tf.identity(self.accumulator[0] if len(self.thresholds) == 1 else self.accumulator)

    def get_config(self):
        return {"name": self.name, "dtype": self.dtype.name, "thresholds": self.init_thresholds}


class TruePositives(_ConfusionCount):
    _index = 0


class FalsePositives(_ConfusionCount):
    _index = 1


class TrueNegatives(_ConfusionCount):
    _index = 2


class FalseNegatives(_ConfusionCount):
    _index = 3


class _Ratio(Metric):
    """true_positives / (true_positives + value number _index of _counts)."""
    _index = 1
    _other = "false_positives"

    def __init__(self, thresholds=None, top_k=None, class_id=None, name=None, dtype=None):
        super().__init__(name, dtype)
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        self.thresholds = [float("-inf")] if thresholds is None and top_k is not None else _checked_thresholds(thresholds)
        self.true_positives = self.add_weight("true_positives", (len(self.thresholds),))
        setattr(self, self._other, self.add_weight(self._other, (len(self.thresholds),)))

    def update_state(self, y_true, y_pred, sample_weight=None):
        counts = _counts(self.thresholds, y_true, y_pred, sample_weight, self.top_k, self.class_id)
        return tf.group(self.true_positives.assign_add(counts[0]), getattr(self, self._other).assign_add(counts[self._index]))

    def result(self):
        found = tf.math.divide_no_nan(self.true_positives, self.true_positives + getattr(self, self._other))
        return found[0] if len(self.thresholds) == 1 else found

    def get_config(self):
        return {"name": self.name, "dtype": self.dtype.name, "thresholds": self.init_thresholds, "top_k": self.top_k, "class_id": self.class_id}


class Precision(_Ratio):
    pass


class Recall(_Ratio):
    _index = 3
    _other = "false_negatives"


class _AtAllThresholds(Metric):
    def __init__(self, thresholds, name=None, dtype=None):
        super().__init__(name, dtype)
        self.thresholds = thresholds
        shape = (len(thresholds),)
        self.true_positives = self.add_weight("true_positives", shape)
        self.true_negatives = self.add_weight("true_negatives", shape)
        self.false_positives = self.add_weight("false_positives", shape)
        self.false_negatives = self.add_weight("false_negatives", shape)

    def update_state(self, y_true, y_pred, sample_weight=None):
        tp, fp, tn, fn = _counts(self.thresholds, y_true, y_pred, sample_weight)
        return tf.group(self.true_positives.assign_add(tp), self.false_positives.assign_add(fp), self.true_negatives.assign_add(tn),
                        self.false_negatives.assign_add(fn))


def _spread(count):
    """Returns `count` evenly spaced thresholds; the first is slightly below 0 and the last slightly above 1."""
    return [-_EPSILON, *((i + 1) / (count - 1) for i in range(count - 2)), 1 + _EPSILON]


class _AtBestThreshold(_AtAllThresholds):
    def __init__(self, value, num_thresholds, name, dtype):
        if num_thresholds <= 0:
            raise ValueError("`num_thresholds` must be > 0.")
        self.value = value
        self.num_thresholds = num_thresholds
        super().__init__([0.5] if num_thresholds == 1 else [0.0, *((i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)), 1.0],
                         name, dtype)

    def _sensitivities(self):
        return tf.math.divide_no_nan(self.true_positives, self.true_positives + self.false_negatives)

    def _specificities(self):
        return tf.math.divide_no_nan(self.true_negatives, self.true_negatives + self.false_positives)

    def _largest(self, wanted, constrained):
        """Returns the maximum of `wanted` where `constrained` is at least self.value; 0 if it is nowhere."""
        return tf.reduce_max(tf.where(constrained >= self.value, wanted, tf.zeros_like(wanted)))


class SensitivityAtSpecificity(_AtBestThreshold):
    def __init__(self, specificity, num_thresholds=200, name=None, dtype=None):
        if not 0 <= specificity <= 1:
            raise ValueError("`specificity` must be in the range [0, 1].")
        self.specificity = specificity
        super().__init__(specificity, num_thresholds, name, dtype)

    def result(self):
        return self._largest(self._sensitivities(), self._specificities())


class SpecificityAtSensitivity(_AtBestThreshold):
    def __init__(self, sensitivity, num_thresholds=200, name=None, dtype=None):
        if not 0 <= sensitivity <= 1:
            raise ValueError("`sensitivity` must be in the range [0, 1].")
        self.sensitivity = sensitivity
        super().__init__(sensitivity, num_thresholds, name, dtype)

    def result(self):
        return self._largest(self._specificities(), self._sensitivities())


class AUC(_AtAllThresholds):
    """The area under the ROC or precision-recall curve, by a sum over thresholds."""

    def __init__(self, num_thresholds=200, curve="ROC", summation_method="interpolation", name=None, dtype=None, thresholds=None):
        if str(curve) not in ("ROC", "PR"):
            raise ValueError(f'Invalid AUC curve value "{curve}".')
        if summation_method not in ("interpolation", "majoring", "minoring"):
            raise ValueError(f'Invalid AUC summation method value "{summation_method}".')
        if thresholds is not None:
            inner = sorted(_checked_thresholds(thresholds))
            limits = [-_EPSILON, *inner, 1 + _EPSILON]
        else:
            if num_thresholds <= 1:
                raise ValueError("`num_thresholds` must be > 1.")
            limits = _spread(num_thresholds)
        self.num_thresholds = len(limits)
        self.curve = curve
        self.summation_method = summation_method
        super().__init__(limits, name, dtype)

    def _interpolated_pr(self):
        """The area under the precision-recall curve, with true positives interpolated linearly in the predicted positives."""
        tp, positives = self.true_positives, self.true_positives + self.false_positives
        d_tp = tp[:-1] - tp[1:]
        d_p = positives[:-1] - positives[1:]
        slope = tf.math.divide_no_nan(d_tp, tf.maximum(d_p, 0.0))
        intercept = tp[1:] - slope * positives[1:]
        ratio = tf.where(tf.logical_and(positives[:-1] > 0, positives[1:] > 0),
                         tf.math.divide_no_nan(positives[:-1], tf.maximum(positives[1:], 0.0)), tf.ones_like(positives[1:]))
        area = tf.math.divide_no_nan(slope * (d_tp + intercept * tf.math.log(ratio)),
                                     tf.maximum(self.true_positives[1:] + self.false_negatives[1:], 0.0))
        return tf.reduce_sum(area)

    def result(self):
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self._interpolated_pr()
        recall = tf.math.divide_no_nan(self.true_positives, self.true_positives + self.false_negatives)
        if self.curve == "ROC":
            x, y = tf.math.divide_no_nan(self.false_positives, self.false_positives + self.true_negatives), recall
        else:
            x, y = recall, tf.math.divide_no_nan(self.true_positives, self.true_positives + self.false_positives)
        left, right = y[:-1], y[1:]
        heights = {"interpolation": lambda: (left + right) / 2, "minoring": lambda: tf.minimum(left, right),
                   "majoring": lambda: tf.maximum(left, right)}[self.summation_method]()
        return tf.reduce_sum((x[:-1] - x[1:]) * heights)


class MeanIoU(Metric):
    """The mean over the classes of intersection over union."""

    def __init__(self, num_classes, name=None, dtype=None):
        super().__init__(name, dtype)
        self.num_classes = num_classes
        self.total_cm = self.add_weight("total_confusion_matrix", (num_classes, num_classes), dtype=tf.float64)

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = (tf.reshape(tf.cast(y, self.dtype), [-1]) for y in (y_true, y_pred))
        weights = None if sample_weight is None else tf.reshape(tf.cast(sample_weight, self.dtype), [-1])
        found = tf.math.confusion_matrix(tf.cast(y_true, tf.int64), tf.cast(y_pred, tf.int64), self.num_classes, weights=weights, dtype=tf.float64)
        return self.total_cm.assign_add(found)

    def result(self):
        rows = tf.cast(tf.reduce_sum(self.total_cm, 0), self.dtype)
        columns = tf.cast(tf.reduce_sum(self.total_cm, 1), self.dtype)
        hits = tf.cast(tf.linalg.diag_part(self.total_cm), self.dtype)
        union = rows + columns - hits
        valid = tf.reduce_sum(tf.cast(tf.not_equal(union, 0), self.dtype))
        return tf.math.divide_no_nan(tf.reduce_sum(tf.math.divide_no_nan(hits, union)), valid)


class MeanTensor(Metric):
    """The mean of each element of tensors of one shape."""

    def __init__(self, name="mean_tensor", dtype=None):
        super().__init__(name, dtype)
        self.total = self.count = None

    def _build(self, shape):
        self.total = self.add_weight("total", tuple(shape.as_list()))
        self.count = self.add_weight("count", tuple(shape.as_list()))

    def update_state(self, values, sample_weight=None):
        values = tf.cast(values, self.dtype)
        if self.total is None:
            self._build(values.shape)
        elif values.shape.as_list() != self.total.shape.as_list():
            raise ValueError(f"MeanTensor input values must always have the same shape. Expected shape (set during the first call): "
                             f"{tuple(self.total.shape.as_list())}. Got: {tuple(values.shape.as_list())}")
        weights = tf.ones_like(values) if sample_weight is None else _broadcast_weights(sample_weight, values)
        return tf.group(self.total.assign_add(values * weights), self.count.assign_add(weights))

    def result(self):
        if self.total is None:
            raise ValueError("MeanTensor does not have any result yet. Please call the MeanTensor instance or use `.update_state(value)` "
                             "before retrieving the result.")
        return tf.math.divide_no_nan(self.total, self.count)


class MeanRelativeError(_Reduced):
    """The mean of |y_pred - y_true| / normalizer."""

    def __init__(self, normalizer, name=None, dtype=None):
        super().__init__(name, dtype)
        self.count = self.add_weight("count")
        self.normalizer = tf.cast(normalizer, self.dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = tf.cast(y_true, self.dtype), tf.cast(y_pred, self.dtype)
        if y_true.shape.ndims == (y_pred.shape.ndims or 0) + 1:
            y_true = tf.squeeze(y_true, [-1])
        errors = tf.math.divide_no_nan(tf.abs(y_true - y_pred), self.normalizer)
        total, count = self._add(errors, sample_weight)
        return tf.group(total, self.count.assign_add(count))

    def result(self):
        return tf.math.divide_no_nan(self.total, self.count)
