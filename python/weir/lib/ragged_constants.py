"""tf.ragged.constant, tf.ragged.constant_value and tf.ragged.placeholder."""
from weir import _weir
from weir.lib.ragged import RaggedTensor, RaggedTensorValue

_INT64 = _weir.dtypes["int64"]


def _depths(pylist):
    """Returns the nesting depth of lists."""
    if not isinstance(pylist, (list, tuple)) and not hasattr(pylist, "tolist"):
        return 0
    return 1 + max((_depths(item) for item in pylist), default=0)


def _uniform(items):
    """Whether all items are lists of one length, or none is a list."""
    lists = [isinstance(item, (list, tuple)) for item in items]
    return (all(lists) and len({len(item) for item in items}) <= 1) if any(lists) else True


def _constant(pylist, dtype, ragged_rank, inner_shape, splits_dtype, make_values, make_ragged):
    import numpy as np
    if hasattr(pylist, "tolist"):
        pylist = pylist.tolist()
    if not isinstance(pylist, (list, tuple)):
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
        return make_values(pylist, ())
    depth = _depths(pylist)
    inner = None if inner_shape is None else tuple(inner_shape) if isinstance(inner_shape, (list, tuple)) else (inner_shape,)
    if ragged_rank is None:
        ragged_rank = depth - 1 if inner is None else depth - 1 - len(inner)
    if ragged_rank < 0 or ragged_rank >= max(depth, ragged_rank + 1 if depth <= 1 else depth):
        raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
    nested, values = [], list(pylist)
    for _ in range(ragged_rank):
        if not all(isinstance(item, (list, tuple)) for item in values):
            raise ValueError(f"Invalid pylist={pylist!r}: inconsistent nesting of lists")
        nested.append(np.cumsum([0] + [len(item) for item in values]).astype(_weir.as_dtype(splits_dtype).as_numpy_dtype))
        values = [item for row in values for item in row]
    if inner is None and any(isinstance(item, (list, tuple)) for item in values) and not _uniform(values):
        raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
    if inner is None and ragged_rank == depth - 1 and any(isinstance(item, (list, tuple)) for item in values):
        raise ValueError(f"Invalid pylist={pylist!r}: inconsistent nesting of lists")
    result = make_values(values, (len(values), *inner) if inner is not None else None)
    for splits in reversed(nested):
        result = make_ragged(result, splits)
    return result


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=_INT64):
    with _weir.name_scope(name, "RaggedConstant"):
        def make(values, shape):
            default = None if dtype is not None or values else "float32"
            return _weir.constant(values, dtype=dtype or default, shape=shape or None if shape != () else None)

        return _constant(pylist, dtype, ragged_rank, inner_shape, row_splits_dtype, make,
                         lambda values, splits: RaggedTensor(values, _weir.convert_to_tensor(splits), internal=True))


def constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None, row_splits_dtype="int64"):
    import numpy as np

    def make(values, shape):
        found = np.array(values, dtype=None if dtype is None else _weir.as_dtype(dtype).as_numpy_dtype if not isinstance(dtype, type) else dtype)
        return found.reshape(shape) if shape else found

    return _constant(pylist, dtype, ragged_rank, inner_shape, np.dtype(row_splits_dtype).name, make, RaggedTensorValue)


def _placeholder(dtype, shape, name):
    return _weir.op_function("Placeholder")(dtype=dtype, shape=shape, name=name)


def placeholder(dtype, ragged_rank, value_shape=None, name=None):
    if ragged_rank == 0:
        return _placeholder(dtype, value_shape, name)
    with _weir.name_scope(name, "RaggedPlaceholder"):
        result = _placeholder(dtype, _weir.TensorShape([None]).concatenate(_weir.TensorShape(value_shape)), "flat_values")
        for number in reversed(range(ragged_rank)):
            splits = _placeholder(_INT64, [None], f"row_splits_{number}")
            result = RaggedTensor(result, splits, internal=True)
        return result
