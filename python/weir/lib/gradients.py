"""Decorators that register gradients in Python, and the names of aggregation methods."""
from weir import _weir


class RegisterGradient:
    """@tf.RegisterGradient("MyOp"): the decorated function(op, *grads) gives the gradients for the op's inputs."""

    def __init__(self, op_type):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, function):
        return _weir.register_gradient(self._op_type, function)


def no_gradient(op_type):
    _weir.register_no_gradient(op_type)


class AggregationMethod:
    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients:
    NONE = "none"
    ZERO = "zero"
