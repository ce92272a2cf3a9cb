"""tf.keras.metrics: functions with a value per example, and objects that average them over steps."""
import weir as tf
from weir import _weir
from weir.lib.keras import base, losses, objects
from weir.lib.keras.losses import (  # noqa: F401: public names
    KLD, MAE, MAPE, MSE, MSLE, binary_crossentropy, categorical_crossentropy, cosine, cosine_proximity, hinge, kld, kullback_leibler_divergence, mae,
    mape, mean_absolute_error, mean_absolute_percentage_error, mean_squared_error, mean_squared_logarithmic_error, mse, msle, poisson,
    sparse_categorical_crossentropy, squared_hinge)


def binary_accuracy(y_true, y_pred, threshold=0.5):
    return _weir.keras_loss("binary_accuracy", y_true, y_pred, threshold=float(threshold))


def categorical_accuracy(y_true, y_pred):
    return _weir.keras_loss("categorical_accuracy", y_true, y_pred)


def sparse_categorical_accuracy(y_true, y_pred):
    return _weir.keras_loss("sparse_categorical_accuracy", y_true, y_pred)


def top_k_categorical_accuracy(y_true, y_pred, k=5):
    return _weir.keras_loss("top_k_categorical_accuracy", y_true, y_pred, k=k)


def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5):
    return _weir.keras_loss("sparse_top_k_categorical_accuracy", y_true, y_pred, k=k)


class Metric:
    """Base class: update_state(...) returns an op, result() a tensor."""

    def __init__(self, name=None, dtype=None, **kwargs):
        self.name = name or base.unique_name(base._snake_case(type(self).__name__))
        self.dtype = tf.as_dtype(dtype or "float32")
        self.weights = []

    def add_weight(self, name, shape=(), aggregation=None, synchronization=None, initializer="zeros", dtype=None):
        from weir.lib.keras import initializers
        made = initializers.get(initializer)
        variable = tf.Variable(lambda: made(list(shape), dtype=dtype or self.dtype), trainable=False, name=name, use_resource=True,
                               dtype=dtype or self.dtype, collections=[tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.METRIC_VARIABLES])
        self.weights.append(variable)
        return variable

    variables = property(lambda self: list(self.weights))

    def update_state(self, *args, **kwargs):
        raise NotImplementedError("Must be implemented in subclasses.")

    def result(self):
        raise NotImplementedError("Must be implemented in subclasses.")

    def reset_states(self):
        from weir.lib.keras import backend
        import numpy as np
        backend.batch_set_value([(v, np.zeros(v.shape.as_list())) for v in self.weights])

    def __call__(self, *args, **kwargs):
        with tf.control_dependencies([self.update_state(*args, **kwargs)]):
            return tf.identity(self.result())


class _Reduced(Metric):
    def __init__(self, name=None, dtype=None):
        super().__init__(name, dtype)
        self.total = self.add_weight("total")

    def _add(self, values, sample_weight):
        values = tf.cast(values, self.dtype)
        if sample_weight is not None:
            weights = tf.cast(sample_weight, self.dtype)
            for _ in range((values.shape.ndims or 0) - (weights.shape.ndims or 0) if weights.shape.ndims else 0):
                weights = tf.expand_dims(weights, -1)
            weights = weights * tf.ones_like(values)
            return self.total.assign_add(tf.reduce_sum(values * weights)), tf.reduce_sum(weights)
        return self.total.assign_add(tf.reduce_sum(values)), tf.cast(tf.size(values), self.dtype)


class Sum(_Reduced):
    def __init__(self, name="sum", dtype=None):
        super().__init__(name, dtype)

    def update_state(self, values, sample_weight=None):
        return self._add(values, sample_weight)[0].op

    def result(self):
        return tf.identity(self.total)


class Mean(_Reduced):
    def __init__(self, name="mean", dtype=None):
        super().__init__(name, dtype)
        self.count = self.add_weight("count")

    def update_state(self, values, sample_weight=None):
        total, count = self._add(values, sample_weight)
        return tf.group(total, self.count.assign_add(count))

    def result(self):
        return tf.div_no_nan(self.total.read_value(), self.count.read_value())


def _mean_of(class_name, function, default):
    def __init__(self, name=default, dtype=None):
        Mean.__init__(self, name, dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        return Mean.update_state(self, function(y_true, y_pred), sample_weight)

    return type(class_name, (Mean,), {"__init__": __init__, "update_state": update_state, "__module__": __name__})


def _equal(y_true, y_pred):
    return tf.cast(tf.equal(y_true, tf.cast(y_pred, tf.convert_to_tensor(y_true).dtype)), tf.float32)


Accuracy = _mean_of("Accuracy", _equal, "accuracy")
CategoricalAccuracy = _mean_of("CategoricalAccuracy", categorical_accuracy, "categorical_accuracy")
SparseCategoricalAccuracy = _mean_of("SparseCategoricalAccuracy", sparse_categorical_accuracy, "sparse_categorical_accuracy")
MeanSquaredError = _mean_of("MeanSquaredError", mse, "mean_squared_error")
MeanAbsoluteError = _mean_of("MeanAbsoluteError", mae, "mean_absolute_error")
MeanAbsolutePercentageError = _mean_of("MeanAbsolutePercentageError", mape, "mean_absolute_percentage_error")
MeanSquaredLogarithmicError = _mean_of("MeanSquaredLogarithmicError", msle, "mean_squared_logarithmic_error")
Hinge, SquaredHinge = _mean_of("Hinge", hinge, "hinge"), _mean_of("SquaredHinge", squared_hinge, "squared_hinge")
CategoricalHinge = _mean_of("CategoricalHinge", losses.categorical_hinge, "categorical_hinge")
Poisson, LogCoshError = _mean_of("Poisson", poisson, "poisson"), _mean_of("LogCoshError", losses.logcosh, "logcosh")
KLDivergence = _mean_of("KLDivergence", kld, "kullback_leibler_divergence")


class BinaryAccuracy(Mean):
    def __init__(self, name="binary_accuracy", dtype=None, threshold=0.5):
        super().__init__(name, dtype)
        self.threshold = threshold

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(binary_accuracy(y_true, y_pred, self.threshold), sample_weight)


class BinaryCrossentropy(Mean):
    def __init__(self, name="binary_crossentropy", dtype=None, from_logits=False, label_smoothing=0):
        super().__init__(name, dtype)
        self.from_logits, self.label_smoothing = from_logits, label_smoothing

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(binary_crossentropy(y_true, y_pred, self.from_logits, self.label_smoothing), sample_weight)


class CategoricalCrossentropy(Mean):
    def __init__(self, name="categorical_crossentropy", dtype=None, from_logits=False, label_smoothing=0):
        super().__init__(name, dtype)
        self.from_logits, self.label_smoothing = from_logits, label_smoothing

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(categorical_crossentropy(y_true, y_pred, self.from_logits, self.label_smoothing), sample_weight)


class SparseCategoricalCrossentropy(Mean):
    def __init__(self, name="sparse_categorical_crossentropy", dtype=None, from_logits=False, axis=-1):
        super().__init__(name, dtype)
        self.from_logits, self.axis = from_logits, axis

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(sparse_categorical_crossentropy(y_true, y_pred, self.from_logits, self.axis), sample_weight)


class TopKCategoricalAccuracy(Mean):
    def __init__(self, k=5, name="top_k_categorical_accuracy", dtype=None):
        super().__init__(name, dtype)
        self.k = k

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(top_k_categorical_accuracy(y_true, y_pred, self.k), sample_weight)


class SparseTopKCategoricalAccuracy(Mean):
    def __init__(self, k=5, name="sparse_top_k_categorical_accuracy", dtype=None):
        super().__init__(name, dtype)
        self.k = k

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(sparse_top_k_categorical_accuracy(y_true, y_pred, self.k), sample_weight)


class RootMeanSquaredError(Mean):
    def __init__(self, name="root_mean_squared_error", dtype=None):
        super().__init__(name, dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(tf.squared_difference(y_pred, tf.cast(y_true, tf.convert_to_tensor(y_pred).dtype)), sample_weight)

    def result(self):
        return tf.sqrt(super().result())


class CosineSimilarity(Mean):
    def __init__(self, name="cosine_similarity", dtype=None, axis=-1):
        super().__init__(name, dtype)
        self.axis = axis

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(-losses.cosine_similarity(y_true, y_pred, self.axis), sample_weight)


_NAMES = {name: value for name, value in list(globals().items()) if not name.startswith("_") and callable(value) and name != "tf"}


def serialize(metric):
    return objects.serialize_keras_object(metric)


def deserialize(config, custom_objects=None):
    return objects.deserialize_keras_object(config, _NAMES, custom_objects, "metric function")


def get(identifier):
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret metric function identifier: {identifier}")
