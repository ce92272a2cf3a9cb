"""tf.keras.regularizers."""
from weir import _weir
from weir.lib.keras.objects import deserialize_keras_object, get_keras_object, serialize_keras_object


class Regularizer:
    """Base class: a callable that returns the penalty of a tensor."""

    def __call__(self, x):
        return 0.0

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class L1L2(Regularizer):
    def __init__(self, l1=0.0, l2=0.0):
        self.l1, self.l2 = float(l1), float(l2)

    def __call__(self, x):
        return _weir.keras_penalty(x, self.l1, self.l2)

    def get_config(self):
        return {"l1": self.l1, "l2": self.l2}


def l1(l=0.01):
    return L1L2(l1=l)


def l2(l=0.01):
    return L1L2(l2=l)


def l1_l2(l1=0.01, l2=0.01):
    return L1L2(l1=l1, l2=l2)


_NAMES = {"L1L2": L1L2, "l1": l1, "l2": l2, "l1_l2": l1_l2}


def serialize(regularizer):
    return serialize_keras_object(regularizer)


def deserialize(config, custom_objects=None):
    if config in ("l1", "l2", "l1_l2") if isinstance(config, str) else False:
        return _NAMES[config]()
    return deserialize_keras_object(config, _NAMES, custom_objects, "regularizer")


def get(identifier):
    return get_keras_object(identifier, deserialize, "regularizer")
