"""tensorflow.python.ops.resource_variable_ops.ResourceVariable."""
from weir import _weir


class _IsResource(type):
    def __instancecheck__(cls, value):
        return isinstance(value, _weir.Variable) and value.op._traits.is_variable_handle


class ResourceVariable(metaclass=_IsResource):
    """Makes a resource variable. isinstance() distinguishes such variables from references."""

    def __new__(cls, initial_value=None, trainable=True, collections=None, validate_shape=True, caching_device=None, name=None,
                dtype=None, constraint=None, shape=None):
        return _weir.Variable(initial_value, trainable=trainable, collections=collections, validate_shape=validate_shape,
                              caching_device=caching_device, name=name, dtype=dtype, constraint=constraint, use_resource=True,
                              shape=shape)


def is_resource_variable(var):
    return isinstance(var, ResourceVariable)
