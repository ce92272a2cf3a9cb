"""tf.keras.constraints: functions of a weight that return its value after an update."""
import weir as tf
from weir import _weir
from weir.lib.keras.objects import deserialize_keras_object, get_keras_object, serialize_keras_object
from weir.lib.keras.state import settings


def _axes(axis):
    return list(axis) if isinstance(axis, (list, tuple)) else [axis]


class Constraint:
    """Base class."""

    def __call__(self, w):
        return w

    def get_config(self):
        return {}


class MaxNorm(Constraint):
    def __init__(self, max_value=2, axis=0):
        self.max_value, self.axis = max_value, axis

    def __call__(self, w):
        return _weir.keras_bounded_norms(w, _axes(self.axis), 0.0, float(self.max_value), 1.0, settings.epsilon)

    def get_config(self):
        return {"max_value": self.max_value, "axis": self.axis}


class NonNeg(Constraint):
    def __call__(self, w):
        return w * tf.cast(tf.greater_equal(w, 0.0), w.dtype.base_dtype)


class UnitNorm(Constraint):
    def __init__(self, axis=0):
        self.axis = axis

    def __call__(self, w):
        return _weir.keras_bounded_norms(w, _axes(self.axis), 1.0, 1.0, 1.0, settings.epsilon)

    def get_config(self):
        return {"axis": self.axis}


class MinMaxNorm(Constraint):
    def __init__(self, min_value=0.0, max_value=1.0, rate=1.0, axis=0):
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w):
        return _weir.keras_bounded_norms(w, _axes(self.axis), float(self.min_value), float(self.max_value), float(self.rate), settings.epsilon)

    def get_config(self):
        return {"min_value": self.min_value, "max_value": self.max_value, "rate": self.rate, "axis": self.axis}


max_norm, min_max_norm, non_neg, unit_norm = MaxNorm, MinMaxNorm, NonNeg, UnitNorm
_NAMES = {name: value for name, value in list(globals().items()) if isinstance(value, type) and issubclass(value, Constraint)}


def serialize(constraint):
    return serialize_keras_object(constraint)


def deserialize(config, custom_objects=None):
    return deserialize_keras_object(config, _NAMES, custom_objects, "constraint")


def get(identifier):
    return get_keras_object(identifier, deserialize, "constraint")
