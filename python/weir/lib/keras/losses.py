"""tf.keras.losses: functions with a loss per example, and objects that reduce it to a number. C++ computes them."""
import weir as tf
from weir import _weir
from weir.lib.keras import objects
from weir.lib.keras.state import settings


def _loss(kind, y_true, y_pred, **options):
    return _weir.keras_loss(kind, y_true, y_pred, epsilon=settings.epsilon, **options)


def _function(kind):
    def loss(y_true, y_pred):
        return _loss(kind, y_true, y_pred)
    loss.__name__ = loss.__qualname__ = kind
    return loss


mean_squared_error = mse = MSE = _function("mean_squared_error")
mean_absolute_error = mae = MAE = _function("mean_absolute_error")
mean_absolute_percentage_error = mape = MAPE = _function("mean_absolute_percentage_error")
mean_squared_logarithmic_error = msle = MSLE = _function("mean_squared_logarithmic_error")
kullback_leibler_divergence = kld = KLD = _function("kullback_leibler_divergence")
hinge, squared_hinge, categorical_hinge = _function("hinge"), _function("squared_hinge"), _function("categorical_hinge")
logcosh, poisson = _function("logcosh"), _function("poisson")


def huber_loss(y_true, y_pred, delta=1.0):
    return _loss("huber_loss", y_true, y_pred, delta=float(delta))


def cosine_similarity(y_true, y_pred, axis=-1):
    return _loss("cosine_similarity", y_true, y_pred, axis=axis)


cosine = cosine_proximity = cosine_similarity


def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0):
    return _loss("binary_crossentropy", y_true, y_pred, from_logits=from_logits, label_smoothing=float(label_smoothing))


def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0):
    return _loss("categorical_crossentropy", y_true, y_pred, from_logits=from_logits, label_smoothing=float(label_smoothing))


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, axis=-1):
    from weir.lib.keras import backend
    return backend.sparse_categorical_crossentropy(y_true, y_pred, from_logits, axis)


# --- objects
class Reduction:
    AUTO, NONE, SUM, SUM_OVER_BATCH_SIZE = "auto", "none", "sum", "sum_over_batch_size"


class Loss:
    """Base class: call(y_true, y_pred) returns a loss per example."""

    def __init__(self, reduction="auto", name=None):
        if reduction not in ("auto", "none", "sum", "sum_over_batch_size"):
            raise ValueError(f"Invalid Reduction Key: {reduction}")
        self.reduction, self.name = reduction, name

    def call(self, y_true, y_pred):
        raise NotImplementedError("Must be implemented in subclasses.")

    def __call__(self, y_true, y_pred, sample_weight=None):
        with tf.name_scope((self.name or type(self).__name__).strip("_")):
            losses = tf.convert_to_tensor(self.call(tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred)))
            if sample_weight is not None:
                weights = tf.cast(sample_weight, losses.dtype)
                if weights.shape.ndims is not None and losses.shape.ndims is not None:
                    if weights.shape.ndims == losses.shape.ndims + 1:
                        weights = tf.squeeze(weights, [-1])
                    for _ in range(losses.shape.ndims - weights.shape.ndims if weights.shape.ndims else 0):
                        weights = tf.expand_dims(weights, -1)
                losses = losses * weights
            if self.reduction == "none":
                return losses
            total = tf.reduce_sum(losses)
            return total if self.reduction == "sum" else tf.div_no_nan(total, tf.cast(tf.size(losses), total.dtype))

    def get_config(self):
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def _class(name, function, default):
    """A Loss without parameters of its own."""
    def __init__(self, reduction="auto", name=default):
        Loss.__init__(self, reduction, name)

    return type(name, (Loss,), {"__init__": __init__, "call": lambda self, y_true, y_pred: function(y_true, y_pred), "__module__": __name__})


MeanSquaredError = _class("MeanSquaredError", mse, "mean_squared_error")
MeanAbsoluteError = _class("MeanAbsoluteError", mae, "mean_absolute_error")
MeanAbsolutePercentageError = _class("MeanAbsolutePercentageError", mape, "mean_absolute_percentage_error")
MeanSquaredLogarithmicError = _class("MeanSquaredLogarithmicError", msle, "mean_squared_logarithmic_error")
Hinge, SquaredHinge = _class("Hinge", hinge, "hinge"), _class("SquaredHinge", squared_hinge, "squared_hinge")
CategoricalHinge = _class("CategoricalHinge", categorical_hinge, "categorical_hinge")
Poisson, LogCosh = _class("Poisson", poisson, "poisson"), _class("LogCosh", logcosh, "logcosh")
KLDivergence = _class("KLDivergence", kld, "kullback_leibler_divergence")


class Huber(Loss):
    def __init__(self, delta=1.0, reduction="auto", name="huber_loss"):
        super().__init__(reduction, name)
        self.delta = delta

    def call(self, y_true, y_pred):
        return huber_loss(y_true, y_pred, self.delta)


class CosineSimilarity(Loss):
    def __init__(self, axis=-1, reduction="auto", name="cosine_similarity"):
        super().__init__(reduction, name)
        self.axis = axis

    def call(self, y_true, y_pred):
        return cosine_similarity(y_true, y_pred, self.axis)


class BinaryCrossentropy(Loss):
    def __init__(self, from_logits=False, label_smoothing=0, reduction="auto", name="binary_crossentropy"):
        super().__init__(reduction, name)
        self.from_logits, self.label_smoothing = from_logits, label_smoothing

    def call(self, y_true, y_pred):
        return binary_crossentropy(y_true, y_pred, self.from_logits, self.label_smoothing)


class CategoricalCrossentropy(Loss):
    def __init__(self, from_logits=False, label_smoothing=0, reduction="auto", name="categorical_crossentropy"):
        super().__init__(reduction, name)
        self.from_logits, self.label_smoothing = from_logits, label_smoothing

    def call(self, y_true, y_pred):
        return categorical_crossentropy(y_true, y_pred, self.from_logits, self.label_smoothing)


class SparseCategoricalCrossentropy(Loss):
    def __init__(self, from_logits=False, reduction="auto", name="sparse_categorical_crossentropy"):
        super().__init__(reduction, name)
        self.from_logits = from_logits

    def call(self, y_true, y_pred):
        return sparse_categorical_crossentropy(y_true, y_pred, self.from_logits)


_NAMES = {name: value for name, value in list(globals().items())
          if not name.startswith("_") and (getattr(value, "__module__", None) == __name__) and callable(value)}


def serialize(loss):
    return objects.serialize_keras_object(loss)


def deserialize(name, custom_objects=None):
    return objects.deserialize_keras_object(name, _NAMES, custom_objects, "loss function")


def get(identifier):
    return objects.get_keras_object(identifier, deserialize, "loss function")
