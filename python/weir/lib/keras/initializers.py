"""tf.keras.initializers: those of tf.initializers, with the defaults and names of Keras."""
from weir import _weir
from weir.lib import initializers as _tf
from weir.lib.initializers import Constant, Identity, Initializer, Ones, Orthogonal, VarianceScaling, Zeros, he_normal, he_uniform, lecun_normal, lecun_uniform
from weir.lib.keras.objects import deserialize_keras_object, get_keras_object, serialize_keras_object

_float32 = _weir.dtypes["float32"]


class RandomNormal(_tf.RandomNormal):
    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=_float32):
        super().__init__(mean, stddev, seed, dtype)


class RandomUniform(_tf.RandomUniform):
    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype=_float32):
        super().__init__(minval, maxval, seed, dtype)


class TruncatedNormal(_tf.TruncatedNormal):
    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=_float32):
        super().__init__(mean, stddev, seed, dtype)


GlorotUniform, GlorotNormal = _tf.GlorotUniform, _tf.GlorotNormal
constant, identity, ones, orthogonal, zeros = Constant, Identity, Ones, Orthogonal, Zeros
normal = random_normal = RandomNormal
uniform = random_uniform = RandomUniform
truncated_normal = TruncatedNormal
glorot_normal, glorot_uniform = GlorotNormal, GlorotUniform
one, zero = Ones, Zeros

_NAMES = {name: value for name, value in list(globals().items())
          if not name.startswith("_") and (isinstance(value, type) and issubclass(value, Initializer) or name.startswith(("he_", "lecun_")))}


def serialize(initializer):
    return serialize_keras_object(initializer)


def deserialize(config, custom_objects=None):
    if isinstance(config, str) and config in ("he_normal", "he_uniform", "lecun_normal", "lecun_uniform"):
        return _NAMES[config]()
    return deserialize_keras_object(config, _NAMES, custom_objects, "initializer")


def get(identifier):
    return identifier() if isinstance(identifier, type) else get_keras_object(identifier, deserialize, "initializer")
