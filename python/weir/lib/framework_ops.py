"""Functions of tensorflow.python.framework.ops and tensor_shape that have no public name."""
import itertools as _itertools

from weir import _weir

_uids = _itertools.count(1)


def uid():
    """Returns a number that no other call returns."""
    return next(_uids)


def get_name_scope():
    return _weir.get_default_graph().get_name_scope()


def strip_name_scope(name, export_scope):
    """Removes a leading scope from the name of a node. Keeps a leading "^" or "loc:@"."""
    if not export_scope:
        return name
    for mark in ("^", "loc:@", ""):
        if name.startswith(mark + export_scope + "/"):
            return mark + name[len(mark) + len(export_scope) + 1:]
    return name


def prepend_name_scope(name, import_scope):
    """Prefixes the name of a node with a scope. Keeps a leading "^" or "loc:@"."""
    if not import_scope:
        return name
    import_scope = import_scope.rstrip("/")
    for mark in ("^", "loc:@", ""):
        if name.startswith(mark):
            return f"{mark}{import_scope}/{name[len(mark):]}"


def convert_n_to_tensor(values, dtype=None, name=None, preferred_dtype=None):
    return [_weir.convert_to_tensor(value, dtype, None if name is None else f"{name}_{i}") for i, value in enumerate(values)]


def internal_convert_to_tensor(value, dtype=None, name=None, as_ref=False, preferred_dtype=None, ctx=None, accept_symbolic_tensors=True):
    return _weir.convert_to_tensor(value, dtype, name)


def as_shape(shape):
    return _weir.TensorShape(shape)


def as_dimension(value):
    return _weir.Dimension(value)


def unknown_shape(rank=None, **kwargs):
    return _weir.TensorShape(None if rank is None else [None] * rank)


def scalar():
    return _weir.TensorShape([])


def vector(length):
    return _weir.TensorShape([length])


def matrix(rows, cols):
    return _weir.TensorShape([rows, cols])


def is_sparse(tensor):
    """Whether the object is a SparseTensor or the value of one."""
    from weir.lib.values import SparseTensorValue
    return isinstance(tensor, (_weir.SparseTensor, SparseTensorValue))


class EagerTensor:
    """No object is an EagerTensor: Weir builds graphs."""


def merge_device(spec):
    """Returns a device function that fills in what the device of an operation leaves open."""
    from weir._names import find
    device_spec = find("DeviceSpec")
    given = spec if isinstance(spec, device_spec) else device_spec.from_string(spec or "")

    def merged(node_def):
        device = device_spec.from_string(given.to_string())
        device.merge_from(device_spec.from_string(node_def.device or ""))
        return device

    return merged


def reduced_shape(input_shape, axes):
    """Returns the shape after a reduction of these axes that keeps them with size 1."""
    from weir._names import find
    input_shape, axes = _weir.convert_to_tensor(input_shape, "int32"), _weir.convert_to_tensor(axes, "int32")
    rank = find("size")(input_shape)
    ones = find("fill")(find("shape")(axes), 1)
    return find("dynamic_stitch")([find("range")(rank), find("floormod")(axes, rank)], [input_shape, ones])
