"""TensorFlow's global switches. Weir always builds graphs, with reference variables."""


import enum


class VariableSynchronization(enum.Enum):
    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


def executing_eagerly():
    return False


def off():
    """No-op: the feature does not exist here."""


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    raise NotImplementedError("Weir has no eager mode: build a graph and run it in a Session")


def is_tensor(x):
    from weir import _weir
    return isinstance(x, (_weir.Tensor, _weir.SparseTensor, _weir.IndexedSlices, _weir.Variable))


def init_scope():
    """Clears control dependencies and control flow contexts within the block."""
    from weir import _weir
    return _weir.control_dependencies(None)


def no_regularizer(_):
    """A regularizer that adds nothing. Overrides the scope's regularizer."""
    return None


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    from weir import _weir
    if hasattr(value, "indices") and hasattr(value, "dense_shape"):
        value = _weir.SparseTensor.from_value(value)
    if isinstance(value, _weir.SparseTensor):
        if dtype is not None and value.dtype != dtype:
            raise RuntimeError(f"Sparse dtype mismatch. Requested: {dtype}, Actual: {value.dtype}")
        return value
    return _weir.convert_to_tensor(value, dtype, name)


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    from weir import _weir
    if isinstance(value, (_weir.IndexedSlices, _weir.SparseTensor)):
        if dtype is not None and value.dtype != dtype:
            raise ValueError(f"Tensor conversion requested dtype {dtype} for Tensor with dtype {value.dtype}")
        return value
    return _weir.convert_to_tensor(value, dtype, name)
