"""TensorFlow's global switches. Weir always builds graphs."""


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


_control_flow_v2 = False


def enable_control_flow_v2():
    """Only changes what control_flow_v2_enabled returns: both kinds of control flow compute the same values."""
    global _control_flow_v2
    _control_flow_v2 = True


def disable_control_flow_v2():
    global _control_flow_v2
    _control_flow_v2 = False


def control_flow_v2_enabled():
    return _control_flow_v2


def enable_resource_variables():
    """Makes variables resources, in the default graph and in new graphs, unless a call or a variable scope says otherwise."""
    from weir import _weir
    _weir._set_resource_variables(True)


def disable_resource_variables():
    from weir import _weir
    _weir._set_resource_variables(False)


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
