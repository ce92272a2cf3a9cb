"""tf.contrib.framework: checks of types and shapes, and other small functions."""
from weir import _weir
from weir._names import find as _find


def zero_initializer(ref, use_locking=True, name="zero_initializer"):
    """Returns an op that assigns zeros to a variable."""
    return _find("assign")(ref, _find("zeros")(ref.shape, dtype=ref.dtype.base_dtype), use_locking=use_locking, name=name)


def assert_or_get_global_step(graph=None, global_step_tensor=None):
    """Returns the given global step after a check, or that of the graph."""
    if global_step_tensor is None:
        with (graph or _weir.get_default_graph()).as_default():
            return _find("train.get_global_step")()
    _find("train.assert_global_step")(global_step_tensor)
    return global_step_tensor


def assert_scalar(tensor, name=None):
    """Returns the tensor; raises ValueError if it is known not to be a scalar."""
    with _weir.name_scope(name or "assert_scalar"):
        tensor = _weir.convert_to_tensor(tensor)
        if tensor.shape.ndims not in (0, None):
            raise ValueError(f"Expected scalar shape for {tensor.name}, saw shape: {tensor.shape}.")
        return tensor


def assert_scalar_int(tensor, name=None):
    with _weir.name_scope(name or "assert_scalar_int"):
        tensor = _weir.convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError(f"Expected integer type for {tensor.name}, received type: {tensor.dtype.base_dtype}.")
        return assert_scalar(tensor, name)


def assert_same_float_dtype(tensors=None, dtype=None):
    """Returns the common type of tensors (and `dtype`), which must be a floating type; float32 without any."""
    for tensor in tensors or []:
        if tensor is not None:
            dtype = dtype or tensor.dtype.base_dtype
            if tensor.dtype.base_dtype != dtype:
                raise ValueError(f"Tensor {tensor} has type {tensor.dtype.base_dtype}, expected {dtype}.")
    dtype = _weir.as_dtype(dtype or "float32")
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


def remove_squeezable_dimensions(predictions, labels, name=None):
    """Removes a last dimension of size 1 from the tensor that has one more dimension than the other."""
    with _weir.name_scope(name or "remove_squeezable_dimensions"):
        predictions, labels = _weir.convert_to_tensor(predictions), _weir.convert_to_tensor(labels)
        more = None if None in (predictions.shape.ndims, labels.shape.ndims) else predictions.shape.ndims - labels.shape.ndims
        if more == 1:
            predictions = _find("squeeze")(predictions, [-1])
        elif more == -1:
            labels = _find("squeeze")(labels, [-1])
        return predictions, labels


def reduce_sum_n(tensors, name=None):
    """Returns the sum of the sums of tensors."""
    if not tensors:
        raise ValueError("No tensors provided.")
    with _weir.name_scope(name or "reduce_sum_n") as scope:
        sums = [_find("reduce_sum")(tensor) for tensor in tensors]
        return sums[0] if len(sums) == 1 else _weir.add_n(sums, name=scope)


def with_shape(expected_shape, tensor):
    """Sets the static shape of a tensor, and checks the shape at run time."""
    tensor = _weir.convert_to_tensor(tensor)
    if isinstance(expected_shape, _weir.Tensor):
        known = _weir.constant_value(expected_shape)
        if known is None:
            check = _find("assert_equal")(_find("shape")(tensor), expected_shape, message=f"Wrong shape for {tensor.name} [expected] [actual].")
            return _weir.with_dependencies([check], tensor)
        expected_shape = list(known)
    expected = _weir.TensorShape(expected_shape)
    if not tensor.shape.is_compatible_with(expected):
        raise ValueError(f"Invalid shape for tensor {tensor.name}, expected {expected}, got {tensor.shape}.")
    if not tensor.shape.is_fully_defined():
        check = _find("assert_equal")(_find("shape")(tensor), expected.as_list()) if expected.is_fully_defined() else None
        tensor = _weir.with_dependencies([check], tensor) if check is not None else tensor
        tensor.set_shape(expected)
    return tensor


def with_same_shape(expected_tensor, tensor):
    expected = _weir.convert_to_tensor(expected_tensor).shape
    return with_shape(expected if expected.is_fully_defined() else _find("shape")(expected_tensor), tensor)


def get_graph_from_inputs(op_input_list, graph=None):
    """Returns the graph of the inputs; the default graph if there are none."""
    found = graph
    for one in op_input_list:
        owner = getattr(one, "graph", None)
        if owner is None:
            continue
        if found is None:
            found = owner
        elif found is not owner:
            raise ValueError(f"{one} is not from the passed-in graph.")
    return found or _weir.get_default_graph()


def get_placeholders(graph):
    """Returns the placeholders of a graph."""
    return [op.outputs[0] for op in graph.get_operations() if op._traits.is_placeholder and not op.inputs]


def smart_case(pred_fn_pairs, default=None, exclusive=False, name="smart_case"):
    """Like tf.case, but calls only the chosen function if all conditions are known."""
    from weir.lib.layer_utils import constant_value
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    known = [constant_value(pred) for pred, _ in pairs]
    if None in known:
        return _find("case")(pairs, default, exclusive, name=name)
    if exclusive and sum(known) > 1:
        raise ValueError("More than one condition evaluated as True but exclusive=True.")
    for value, (_, function) in zip(known, pairs):
        if value:
            return function()
    return default() if default is not None else None
