"""Applies an op in TensorFlow's graph to tensors, or to the shapes and known values of a `shape Op(...) -> ...`
line."""
from oracle.optest_parser import definition_of
from oracle.tensorflow1 import tf
from tensorflow.python.framework import op_def_library


def default_of(attr):
    value = attr.default_value
    read = {"string": lambda v: v.s, "int": lambda v: v.i, "float": lambda v: v.f, "bool": lambda v: v.b,
            "type": lambda v: tf.as_dtype(v.type), "shape": lambda v: tf.TensorShape(v.shape),
            "tensor": lambda v: v.tensor}
    if not attr.type.startswith("list("):
        return read[attr.type](value)
    kind = attr.type[5:-1]
    items = getattr(value.list, kind if kind in ("type", "shape") else kind[0])
    return [{"type": tf.as_dtype, "shape": tf.TensorShape}.get(kind, lambda item: item)(item) for item in items]


def apply_op(op, inputs, attributes):
    """Adds a node and returns it. TensorFlow infers the attributes that follow from the inputs."""
    definition = definition_of(op)
    if len(inputs) != len(definition.input_arg):
        raise ValueError("%d inputs for %d" % (len(inputs), len(definition.input_arg)))
    follow = {name for arg in definition.input_arg for name in (arg.type_attr, arg.type_list_attr, arg.number_attr)}
    keywords = {arg.name: value for arg, value in zip(definition.input_arg, inputs)}
    for attr in definition.attr:
        if attr.name in follow:
            continue
        if attr.name in attributes:
            keywords[attr.name] = attributes[attr.name]
        elif attr.HasField("default_value"):
            keywords[attr.name] = default_of(attr)
    graph = tf.get_default_graph()
    name = graph.unique_name(op.lstrip("_"), mark_as_used=False)
    op_def_library.apply_op(op, name=name, **keywords)
    return graph.get_operation_by_name(name)


def known_shape(tensor):
    return None if tensor.shape.rank is None else tensor.shape.as_list()


def describe(shapes):
    return ", ".join("?" if shape is None else "[%s]" % ",".join("?" if size is None else str(size) for size in shape)
                     for shape in shapes)


def group(definition, literals):
    """Returns [(argument, its literals)]. List arguments are flat in the line; all lists of an op have the same
    length."""
    lists = [arg for arg in definition.input_arg if arg.number_attr or arg.type_list_attr]
    length = (len(literals) - len(definition.input_arg) + len(lists)) // len(lists) if lists else 0
    groups, at = [], 0
    for arg in definition.input_arg:
        count = length if arg in lists else 1
        groups.append((arg, arg in lists, literals[at:at + count]))
        at += count
    if at != len(literals) or any(not is_list and len(items) != 1 for _, is_list, items in groups):
        raise ValueError("%d inputs do not fit" % len(literals))
    return groups


def usual_type(definition, name):
    """Returns float if the attribute allows it, else its default or the first allowed type."""
    for attr in definition.attr:
        if attr.name == name:
            allowed = [tf.as_dtype(item) for item in attr.allowed_values.list.type]
            if allowed and tf.float32 not in allowed:
                return tf.as_dtype(attr.default_value.type) if attr.default_value.type else allowed[0]
    return tf.float32


def apply_to_shapes(op, literals, attributes):
    """Returns the shapes of the outputs."""
    definition = definition_of(op)
    groups = group(definition, literals)
    types = {name: value for name, value in attributes.items() if isinstance(value, tf.DType)}
    for arg, _, items in groups:
        for item in items:
            if item.dtype is not None and arg.type_attr:
                types.setdefault(arg.type_attr, item.dtype)

    def make(arg, item):
        dtype = tf.as_dtype(arg.type) if arg.type else item.dtype or types.get(arg.type_attr) or usual_type(definition, arg.type_attr)
        if arg.is_ref:
            return tf.raw_ops.VariableV2(shape=tf.TensorShape(item.shape), dtype=dtype.base_dtype)
        if item.value is not None:
            return tf.constant(item.value, dtype=dtype, shape=item.shape)
        return tf.placeholder(dtype, item.shape)

    inputs = [[make(arg, item) for item in items] if is_list else make(arg, items[0]) for arg, is_list, items in groups]
    return [known_shape(output) for output in apply_op(op, inputs, attributes).outputs]
