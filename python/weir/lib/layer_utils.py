"""Small checks and collections that layers written for TensorFlow use: tensorflow.python.layers.utils and
tensorflow.contrib.layers.python.layers.utils."""
import collections

from weir import _weir

NamedOutputs = collections.namedtuple("NamedOutputs", ["name", "outputs"])


def normalize_data_format(value):
    lower = value.lower()
    if lower not in ("channels_first", "channels_last"):
        raise ValueError(f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {value}')
    return lower


def convert_data_format(data_format, ndim):
    """Returns the ops' name of a data format: "channels_last" of 4 dimensions is "NHWC"."""
    names = {3: ("NWC", "NCW"), 4: ("NHWC", "NCHW"), 5: ("NDHWC", "NCDHW")}
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Invalid data_format: {data_format}")
    if ndim not in names:
        raise ValueError(f"Input rank not supported: {ndim}")
    return names[ndim][data_format == "channels_first"]


def normalize_padding(value):
    lower = value.lower()
    if lower not in ("valid", "same"):
        raise ValueError(f'The `padding` argument must be one of "valid", "same". Received: {lower}')
    return lower


def normalize_tuple(value, n, name):
    """Returns a tuple of n integers from one integer or n of them."""
    if isinstance(value, int):
        return (value,) * n
    message = f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
    try:
        items = tuple(value)
    except TypeError:
        raise ValueError(message) from None
    if len(items) != n:
        raise ValueError(message)
    for item in items:
        try:
            int(item)
        except (ValueError, TypeError):
            raise ValueError(f"{message} including element {item} of type {type(item)}") from None
    return items


def conv_output_length(input_length, filter_size, padding, stride, dilation=1):
    """Returns the length of a convolution's output, or None if the input's is unknown."""
    if input_length is None:
        return None
    wide = filter_size + (filter_size - 1) * (dilation - 1)
    length = {"same": input_length, "valid": input_length - wide + 1, "full": input_length + wide - 1}[padding]
    return (length + stride - 1) // stride


def deconv_output_length(input_length, filter_size, padding, stride):
    """Returns the length of a transposed convolution's output, or None if the input's is unknown."""
    if input_length is None:
        return None
    input_length *= stride
    if padding == "valid":
        return input_length + max(filter_size - stride, 0)
    return input_length - (stride + filter_size - 2) if padding == "full" else input_length


def constant_value(pred):
    """Returns a condition's value if it is known while the graph is built: True, False or None."""
    if isinstance(pred, bool):
        return pred
    if isinstance(pred, (int, float)) and pred in (0, 1):
        return bool(pred)
    if isinstance(pred, _weir.Variable):
        return None
    if not isinstance(pred, _weir.Tensor):
        raise TypeError("`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: %s" % type(pred))
    value = _weir.constant_value(pred)
    return None if value is None else bool(value)


def smart_cond(pred, true_fn=None, false_fn=None, name=None):
    """Calls one of two functions if the condition is known; else builds a tf.cond."""
    value = constant_value(pred)
    if value is None:
        return _weir.cond(pred, true_fn, false_fn, name=name)
    return true_fn() if value else false_fn()


def static_cond(pred, fn1, fn2):
    """Calls fn1 or fn2, by a condition that is known while the graph is built."""
    if not callable(fn1) or not callable(fn2):
        raise TypeError("fn1 and fn2 must be callable.")
    return fn1() if pred else fn2()


def collect_named_outputs(collections, alias, outputs):
    """Adds a tensor with an alias to collections. Returns the tensor."""
    if collections:
        append_tensor_alias(outputs, alias)
        graph = outputs.graph
        for name in [collections] if isinstance(collections, str) else collections:
            graph.add_to_collection(name, outputs)
    return outputs


def append_tensor_alias(tensor, alias):
    """Adds an alias to a tensor, without a slash at its end."""
    alias = alias[:-1] if alias.endswith("/") else alias
    tensor.aliases = [*get_known_aliases(tensor), alias]
    if hasattr(tensor, "name"):
        _aliases_of(tensor.graph)[tensor.name] = tensor.aliases  # for collections, which make new objects
    return tensor


def _aliases_of(graph):
    if not hasattr(graph, "_tensor_aliases"):
        graph._tensor_aliases = {}
    return graph._tensor_aliases


def get_known_aliases(tensor):
    """Returns the aliases of a tensor, which may be none."""
    known = getattr(tensor, "aliases", None)
    return known or _aliases_of(tensor.graph).get(getattr(tensor, "name", None), [])


def get_tensor_aliases(tensor):
    """Returns the aliases of a tensor, or its name if it has none."""
    known = get_known_aliases(tensor)
    if known:
        return known
    return [tensor.op.name if tensor.name.endswith(":0") else tensor.name]


def gather_tensors_aliases(tensors):
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def convert_collection_to_dict(collection, clear_collection=False):
    """Returns the tensors of a collection by their aliases."""
    graph = _weir.get_default_graph()
    found = collections.OrderedDict((alias, tensor) for tensor in graph.get_collection(collection) for alias in get_tensor_aliases(tensor))
    if clear_collection:
        graph.clear_collection(collection)
    return found


def get_variable_collections(variables_collections, name):
    """Returns the collections of a variable from a dict by name, or the list itself."""
    return variables_collections.get(name) if isinstance(variables_collections, dict) else variables_collections


def channel_dimension(shape, data_format, min_rank=1):
    return _dimension(shape, 1 if data_format.startswith("NC") else -1, min_rank)


def last_dimension(shape, min_rank=1):
    return _dimension(shape, -1, min_rank)


def _dimension(shape, at, min_rank):
    sizes = _weir.TensorShape(shape)
    if sizes.ndims is None:
        raise ValueError("dims of shape must be known but is None")
    if sizes.ndims < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {sizes.ndims}")
    value = sizes.as_list()[at]
    if value is None:
        raise ValueError(f"dimension of {shape} must be known but is None")
    return value


def two_element_tuple(int_or_tuple):
    """Returns (height, width) from an integer, a pair or a shape of two dimensions."""
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if isinstance(int_or_tuple, _weir.TensorShape) and len(int_or_tuple) == 2:
        return tuple(int_or_tuple.as_list())
    raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")


def n_positive_integers(n, value):
    """Returns a tuple of n positive integers from one of them or n of them."""
    items = (value,) * n if isinstance(value, int) else tuple(value)
    if len(items) != n or any(int(item) < 1 for item in items):
        raise ValueError(f"Expected {n} positive integers, got {value}")
    return tuple(int(item) for item in items)
