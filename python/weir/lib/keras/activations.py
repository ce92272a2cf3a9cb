"""tf.keras.activations."""
import weir as tf
from weir import _weir
from weir.lib.keras.objects import deserialize_keras_object


def elu(x, alpha=1.0):
    y = tf.nn.elu(x)
    return y if alpha == 1 else tf.where(tf.greater(x, 0), y, alpha * y)


def exponential(x):
    return tf.exp(x)


def hard_sigmoid(x):
    return _weir.keras_hard_sigmoid(x)


def linear(x):
    return x


def relu(x, alpha=0.0, max_value=None, threshold=0):
    return _weir.keras_relu(x, float(alpha), None if max_value is None else float(max_value), float(threshold))


def selu(x):
    return tf.nn.selu(x)


def sigmoid(x):
    return tf.nn.sigmoid(x)


def softmax(x, axis=-1):
    if tf.convert_to_tensor(x).shape.ndims == 1:
        raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")
    return tf.nn.softmax(x, axis=axis)


def softplus(x):
    return tf.nn.softplus(x)


def softsign(x):
    return tf.nn.softsign(x)


def swish(x):
    return tf.nn.swish(x)


def tanh(x):
    return tf.nn.tanh(x)


_FUNCTIONS = {f.__name__: f for f in (elu, exponential, hard_sigmoid, linear, relu, selu, sigmoid, softmax, softplus, softsign, swish, tanh)}


def serialize(activation):
    return getattr(activation, "__name__", None)


def deserialize(name, custom_objects=None):
    return deserialize_keras_object(name, _FUNCTIONS, custom_objects, "activation function")


def get(identifier):
    if identifier is None:
        return linear
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise TypeError(f"Could not interpret activation function identifier: {identifier!r}")
