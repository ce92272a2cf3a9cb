"""Functions of TensorFlow's modules for recurrent networks that programs import by their private names, to write cells, helpers and decoders."""
from weir import _weir
from weir._names import find as _find

_INT32 = _weir.dtypes["int32"]
WEIGHTS_VARIABLE_NAME, BIAS_VARIABLE_NAME = "kernel", "bias"


def _shape_parts(value, what):
    """Returns a part of a shape as a vector (None if it is not fully known), and as far as it is known."""
    if isinstance(value, _weir.Tensor):
        if value.shape.ndims not in (0, 1):
            raise ValueError(f"{what} tensor must be either a scalar or vector, but saw tensor: {value}")
        constant, is_scalar = _weir.constant_value(value), value.shape.ndims == 0
        known = constant.reshape(-1).tolist() if constant is not None else [None] if is_scalar else None
        return (_find("reshape")(value, [1]) if is_scalar else value), _weir.TensorShape(known)
    shape = _weir.TensorShape(value)
    return (_weir.constant(shape.as_list(), dtype=_INT32) if shape.is_fully_defined() else None), shape


def concat_shapes(prefix, suffix, static=False):
    """Joins two parts of a shape, which are numbers, shapes or tensors: to a list if `static`, else to a tensor."""
    (first, known_first), (second, known_second) = _shape_parts(prefix, "prefix"), _shape_parts(suffix, "suffix")
    if static:
        known = known_first.concatenate(known_second)
        return known.as_list() if known.ndims is not None else None
    if first is None or second is None:
        raise ValueError(f"Provided a prefix or suffix of None: {prefix} and {suffix}")
    return _weir.concat([first, second], 0)


def zero_state_tensors(state_size, batch_size, dtype):
    """Returns zeros of shape [batch_size, size] for each size."""
    return _weir.nest_map_structure(lambda size: _weir.zeros_for_batch(batch_size, _weir.TensorShape(size), dtype), state_size)


def create_zero_outputs(size, dtype, batch_size):
    """Returns zeros of shape [batch_size, size] for each size and its type."""
    return _weir.nest_map_structure(lambda s, d: _weir.zeros_for_batch(batch_size, _weir.TensorShape(s), d), size, dtype)


def _check_rank(value):
    if value.shape.ndims is not None and value.shape.ndims < 2:
        raise ValueError(f"Expected input tensor {value.name} to have rank at least 2, but saw shape: {value.shape}")


def transpose_batch_time(x):
    """Exchanges the first two axes."""
    _check_rank(x)
    if x.shape.ndims is not None:
        return _find("transpose")(x, [1, 0, *range(2, x.shape.ndims)])
    return _find("transpose")(x, _weir.concat([[1, 0], _find("range")(2, _find("rank")(x))], 0))


def best_effort_input_batch_size(flat_input):
    """Returns the batch size of time-major inputs: a number if one of them has it, else a tensor."""
    for value in flat_input:
        _check_rank(value)
        if value.shape.ndims is not None and value.shape[1].value is not None:
            return value.shape[1].value
    return _find("shape")(flat_input[0])[1]


def infer_state_dtype(explicit_dtype, state):
    """Returns the given type, or that of all parts of a state."""
    if explicit_dtype is not None:
        return explicit_dtype
    dtypes = [part.dtype for part in _weir.nest_flatten(state)]
    if not dtypes:
        raise ValueError("Unable to infer dtype from empty state.")
    if any(dtype != dtypes[0] for dtype in dtypes):
        raise ValueError("State has tensors of different inferred_dtypes. Unable to infer a single representative dtype.")
    return dtypes[0]


def unstack_ta(inp):
    """Returns a TensorArray with the time steps of a tensor."""
    array = _weir.TensorArray(inp.dtype, size=_find("shape")(inp)[0], element_shape=inp.shape[1:])
    return array.unstack(inp)


def like_rnncell(cell):
    """True if an object can be used as a cell."""
    return all(hasattr(cell, name) for name in ("output_size", "state_size")) and callable(cell) and (
        hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state"))


def assert_like_rnncell(cell_name, cell):
    """Raises TypeError if an object cannot be used as a cell."""
    problems = [f"'{name}' property is missing" for name in ("output_size", "state_size") if not hasattr(cell, name)]
    if not (hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state")):
        problems.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        problems.append("is not callable")
    if problems:
        raise TypeError(f"The argument {cell_name!r} ({cell}) is not an RNNCell: {', '.join(problems)}.")
