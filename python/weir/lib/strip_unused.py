"""tensorflow.python.tools.strip_unused_lib: the part of a graph between its inputs and outputs."""
from weir.lib import gfile, graph_util
from weir.proto import message_class


def _types(placeholder_type_enum, count):
    return list(placeholder_type_enum) if isinstance(placeholder_type_enum, (list, tuple)) else [placeholder_type_enum] * count


def strip_unused(input_graph_def, input_node_names, output_node_names, placeholder_type_enum):
    """Returns the nodes that the outputs need, with placeholders of these types in place of the inputs."""
    for name in input_node_names:
        if ":" in name:
            raise ValueError(f"Name '{name}' appears to refer to a Tensor, not an Operation.")
    missing = set(input_node_names) - {node.name for node in input_graph_def.node}
    if missing:
        raise KeyError(f"The following input nodes were not found: {missing}")
    types = dict(zip(input_node_names, _types(placeholder_type_enum, len(input_node_names))))
    graph = message_class("GraphDef")()
    for node in input_graph_def.node:
        made = graph.node.add()
        if node.name not in types:
            made.CopyFrom(node)
            continue
        made.name, made.op = node.name, "Placeholder"
        made.attr["dtype"].type = types[node.name]
        for key in ("_output_shapes", "shape"):
            if key in node.attr:
                made.attr[key].CopyFrom(node.attr[key])
    return graph_util.extract_sub_graph(graph, output_node_names)


def read_graph(path, binary):
    graph = message_class("GraphDef")()
    if binary:
        graph.ParseFromString(gfile.read_file_to_string(path, binary_mode=True))
    else:
        from google.protobuf import text_format  # type: ignore
        text_format.Parse(gfile.read_file_to_string(path), graph)
    return graph


def strip_unused_from_files(input_graph, input_binary, output_graph, output_binary, input_node_names, output_node_names, placeholder_type_enum):
    """Reads a graph, strips it and writes it. The names are lists that commas separate."""
    if not gfile.exists(input_graph):
        print(f"Input graph file '{input_graph}' does not exist!")
        return -1
    if not output_node_names:
        print("You need to supply the name of a node to --output_node_names.")
        return -1
    stripped = strip_unused(read_graph(input_graph, input_binary), input_node_names.split(","), output_node_names.split(","), placeholder_type_enum)
    if output_binary:
        with gfile.GFile(output_graph, "wb") as file:
            file.write(stripped.SerializeToString())
    else:
        gfile.write_string_to_file(output_graph, str(stripped))
    print(f"{len(stripped.node)} ops in the final graph.")
    return None
