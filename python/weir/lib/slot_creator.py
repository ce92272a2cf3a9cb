"""tensorflow.python.training.slot_creator: variables that belong to another variable, for optimizers."""
import contextlib as _contextlib

from weir import _weir
from weir._names import find as _find
from weir.lib.variables import is_resource_variable as _is_resource


def _make(primary, val, name, colocate, validate_shape, shape, dtype):
    is_variable = isinstance(primary, _find("Variable"))
    prefix = primary._shared_name if is_variable else primary.op.name
    outer = _weir.get_variable_scope()
    with _weir.variable_scope(None, f"{prefix}/{name}", auxiliary_name_scope=False) as scope:
        unique_name = scope.name[len(outer.name) + 1:] if outer.name else scope.name
    partitioner = outer.partitioner
    outer.set_partitioner(None)
    try:
        with _weir.get_default_graph().colocate_with(primary.op) if colocate else _contextlib.nullcontext():
            slot = _weir.get_variable(unique_name, shape=shape, dtype=dtype, initializer=val, trainable=False, validate_shape=validate_shape,
                                      use_resource=is_variable and _is_resource(primary))
    finally:
        outer.set_partitioner(partitioner)
    part = primary._save_slice_info if is_variable else None
    if part is not None and slot.shape.ndims != 0:
        rank = slot.shape.ndims
        own_name = slot.op.name[len(primary.op.name) + 1:]
        slot._set_save_slice_info(_weir.SaveSliceInfo(f"{part.full_name}/{own_name}", part.full_shape[:rank], part.var_offset[:rank],
                                                      part.var_shape[:rank]))
    return slot


def create_slot(primary, val, name, colocate_with_primary=True):
    """Returns a variable "<name of primary>/<name>" with the initial value `val`."""
    return _make(primary, val, name, colocate_with_primary, val.get_shape().is_fully_defined(), None, None)


def create_slot_with_initializer(primary, initializer, shape, dtype, name, colocate_with_primary=True):
    return _make(primary, initializer, name, colocate_with_primary, shape.is_fully_defined(), shape, dtype)


def create_zeros_slot(primary, name, dtype=None, colocate_with_primary=True):
    """Returns a variable of zeros "<name of primary>/<name>" with the shape of `primary`."""
    dtype = primary.dtype.base_dtype if dtype is None else dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot_with_initializer(primary, _find("zeros_initializer")(), shape, dtype, name, colocate_with_primary)
    value = primary.initialized_value() if isinstance(primary, _find("Variable")) else primary
    return create_slot(primary, _find("zeros")(_find("shape")(value), dtype=dtype), name, colocate_with_primary)
