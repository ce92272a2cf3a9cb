"""slim.model_analyzer: sizes of tensors and variables."""


def tensor_description(var):
    """Returns the type and shape, e.g. "(float32 2x3)"."""
    return f"({var.dtype.name} {'x'.join(str(size) for size in var.get_shape())})"


def _heading(text):
    print("---------", text, "---------", sep="\n")


def analyze_ops(graph, print_info=False):
    """Returns the number of elements of all tensors whose shape is known."""
    if print_info:
        _heading("Operations: name -> (type shapes) [size]")
    total = 0
    for op in graph.get_operations():
        size = sum(output.get_shape().num_elements() or 0 for output in op.outputs)
        total += size
        if print_info:
            print(op.name, "\t->", ", ".join(tensor_description(o) for o in op.outputs if o.get_shape()), f"[{size}]")
    return total


def analyze_vars(variables, print_info=False):
    """Returns the number of elements and the number of bytes of variables."""
    if print_info:
        _heading("Variables: name (type shape) [size]")
    total, total_bytes = 0, 0
    for var in variables:
        size = var.get_shape().num_elements() or 0
        total += size
        total_bytes += size * var.dtype.size
        if print_info:
            print(var.name, tensor_description(var), f"[{size}, bytes: {size * var.dtype.size}]")
    if print_info:
        print(f"Total size of variables: {total}")
        print(f"Total bytes of variables: {total_bytes}")
    return total, total_bytes
