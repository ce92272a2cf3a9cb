"""The linear layer of recurrent cells, with its variables in the scope of its caller."""
from weir import _weir


def _two_dimensional(parts):
    """Returns the total width of tensors of shape [batch, width]."""
    for part in parts:
        if part.shape.ndims != 2:
            raise ValueError(f"linear is expecting 2D arguments: {part.shape}")
        if part.shape[1].value is None:
            raise ValueError(f"linear expects shape[1] to be provided for shape {part.shape}, but saw {part.shape[1]}")
    return sum(part.shape[1].value for part in parts)


def _zeros():
    from weir.lib.initializers import Constant
    return Constant(0)


class Linear:
    """Multiplies a tensor, or the concatenation of several, by a kernel. Creates the variables "kernel" and "bias" in the current scope."""

    def __init__(self, args, output_size, build_bias, bias_initializer=None, kernel_initializer=None):
        if args is None or (isinstance(args, (list, tuple)) and not args):
            raise ValueError("`args` must be specified")
        self._is_sequence = isinstance(args, (list, tuple))
        parts = args if self._is_sequence else [args]
        self._build_bias, dtype = build_bias, parts[0].dtype
        self._weights = _weir.get_variable("kernel", [_two_dimensional(parts), output_size], dtype=dtype, initializer=kernel_initializer)
        if build_bias:
            self._biases = _weir.get_variable("bias", [output_size], dtype=dtype, initializer=bias_initializer or _zeros())

    def __call__(self, args):
        parts = args if self._is_sequence else [args]
        product = _weir.matmul(parts[0] if len(parts) == 1 else _weir.concat(parts, 1), self._weights)
        return _weir.op_function("BiasAdd")(product, self._biases) if self._build_bias else product


def linear(args, output_size, bias, bias_initializer=None, kernel_initializer=None):
    return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)
