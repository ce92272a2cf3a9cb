"""Decorators for gradients written in Python, and constants for aggregation methods."""
from weir import _weir


class RegisterGradient:
    """Decorator @tf.RegisterGradient("MyOp") for a function(op, *grads) that returns gradients of the op's inputs."""

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


def custom_gradient(f=None):
    """Decorator for a function that returns (results, gradient function): the results get that gradient function."""
    import functools

    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        inputs = [_weir.op_function("Identity")(_weir.convert_to_tensor(arg)) for arg in args]
        result, gradient = f(*inputs, **kwargs)
        results = [_weir.convert_to_tensor(r) for r in _weir.nest_flatten(result)]
        graph = (results + inputs)[0].graph
        name = f"CustomGradient-{id(gradient)}-{graph.unique_name('custom_gradient')}"

        def backward(op, *result_gradients):
            found = _weir.nest_flatten(gradient(*result_gradients[:len(results)]))
            if len(found) != len(inputs):
                raise ValueError(f"the gradient function returned {len(found)} gradients for {len(inputs)} inputs")
            return [None] * len(results) + found

        _weir.register_gradient(name, backward)
        with graph.gradient_override_map({"IdentityN": name}):
            outputs = _weir.op_function("IdentityN")(results + inputs)
        return _weir.nest_pack_sequence_as(result, list(outputs)[:len(results)])

    return decorated


def grad_pass_through(f):
    """Decorator: computes f forward, and the identity backward."""
    @custom_gradient
    def passed(*args, **kwargs):
        return f(*args, **kwargs), lambda *grads: list(grads)
    return passed
