"""The table that Model.summary() prints."""
from weir.lib.keras import state
from weir.lib.keras.base import InputLayer, _shape_tuple, flatten


def _shape_text(layer):
    if not layer._inbound_nodes:
        return "multiple"
    shapes = {str(_shapes(node.outputs)) for node in layer._inbound_nodes}
    if isinstance(layer, InputLayer):
        return str([_shape_tuple(layer._inbound_nodes[0].outputs)])
    return shapes.pop() if len(shapes) == 1 else "multiple"


def _shapes(outputs):
    found = [_shape_tuple(tensor) for tensor in flatten(outputs)]
    return found[0] if len(found) == 1 else found


def _connections(layer, nodes):
    found = []
    for node in layer._inbound_nodes:
        if any(node is other for other in nodes):
            for tensor in node.keras_inputs:
                before, index = state.history(tensor)
                number = next(i for i, one in enumerate(before.layer._inbound_nodes) if one is before)
                found.append(f"'{before.layer.name}[{number}][{index}]'")
    return found


def _lines(fields, ends):
    """Formats one row of the table: field i ends at position ends[i]. Longer texts continue on the next line."""
    fields = [field if isinstance(field, list) else [field] for field in fields]
    lines = []
    while any(fields):
        line, start = "", 0
        for i, end in enumerate(ends):
            width = end - start - (2 if i < len(ends) - 1 else 0)
            if fields[i]:
                text = fields[i][0]
                line += text[:width]
                fields[i] = ([" " + text[width:]] if text[width:] else []) + fields[i][1:]
            line = line.ljust(end)
            start = end
        lines.append(line)
    return lines


def _bytes_text(variables):
    size = sum(v.shape.num_elements() * v.dtype.base_dtype.size for v in variables)
    for unit in ("Byte", "KB", "MB", "GB", "TB"):
        if size < 1024 or unit == "TB":
            return f"{size:.2f} {unit}"
        size /= 1024


def _count(variables):
    return sum(v.shape.num_elements() for v in variables)


def write(model, line_length, positions, show):
    if not model.built:
        raise ValueError("This model has not yet been built. Build the model first by calling `build()` or by calling the model on a batch of data.")
    nodes = model._nodes if model._is_graph else []
    is_chain = not model._is_graph or all(len(node.keras_inputs) <= 1 for node in nodes) and len(model.inputs) == 1 and all(
        len([1 for node in nodes if any(node is n for n in layer._inbound_nodes)]) <= 1 for layer in model.layers)
    heads = [" Layer (type)", "Output Shape", "Param #"]
    if not is_chain:
        line_length, positions = (98, [0.3, 0.6, 0.7, 1.0]) if line_length == 65 else (line_length, [0.3, 0.6, 0.7, 1.0])
        heads.append("Connected to")
    ends = [int(line_length * p) for p in positions]
    show(f'Model: "{model.name}"')
    show("_" * line_length)
    show(_lines(list(heads), ends)[0])
    show("=" * line_length)
    for layer in model.layers:
        kind = "Functional" if type(layer).__name__ == "Model" and layer._is_graph else type(layer).__name__
        row = [f" {layer.name} ({kind})", _shape_text(layer), str(layer.count_params() if layer.built else "0 (unused)")]
        if not is_chain:
            found = _connections(layer, nodes)
            row.append(["[" + found[0] + ("," if len(found) > 1 else "]")] + [f" {c}" + ("," if i < len(found) - 2 else "]") for i, c in enumerate(found[1:])]
                       if found else "[]")
        for line in _lines(row, ends):
            show(line)
        show(" " * line_length)
    show("=" * line_length)
    trainable, fixed = model.trainable_weights, model.non_trainable_weights
    for title, variables in (("Total", trainable + fixed), ("Trainable", trainable), ("Non-trainable", fixed)):
        show(f"{title} params: {_count(variables)} ({_bytes_text(variables)})")
    show("_" * line_length)


