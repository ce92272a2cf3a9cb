"""tf.graph_util: subgraphs, and graphs with variables frozen to constants."""
from weir import _weir
from weir._weir import import_graph_def  # noqa: F401 (a public name)


def _names(nodes, what):
    if isinstance(nodes, (str, bytes)):
        raise TypeError(f"{what} must be a list.")
    return [n.decode() if isinstance(n, bytes) else n for n in nodes]


def extract_sub_graph(graph_def, dest_nodes):
    """Returns the nodes that dest_nodes depend on."""
    if not hasattr(graph_def, "node"):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    wanted = _names(dest_nodes, "dest_nodes")
    known = {node.name for node in graph_def.node}
    for name in wanted:
        assert name in known, f"{name} is not in graph"
    return _weir.extract_sub_graph(graph_def, wanted)


def remove_training_nodes(input_graph, protected_nodes=None):
    return _weir.remove_training_nodes(input_graph, _names(protected_nodes or [], "protected_nodes"))


def convert_variables_to_constants(sess, input_graph_def, output_node_names, variable_names_whitelist=None, variable_names_blacklist=None):
    """Returns the part of the graph that the outputs depend on, with variables replaced by their current values."""
    part = extract_sub_graph(input_graph_def, output_node_names)
    chosen = {}
    for node, value in _weir.variables_of_graph_def(part):
        if variable_names_whitelist is not None and node not in variable_names_whitelist:
            continue
        if variable_names_blacklist is not None and node in variable_names_blacklist:
            continue
        chosen[node] = value
    values = sess.run(list(chosen.values())) if chosen else []
    return _weir.variables_to_constants(part, dict(zip(chosen, values)))


def must_run_on_cpu(node, pin_variables_on_cpu=False):
    """Whether an op uses host memory on any device: small int32 values and strings do."""
    import weir
    node_def = node.node_def if isinstance(node, _weir.Operation) else node
    if node_def.op in ("Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp", "ReadVariableOp"):
        return bool(pin_variables_on_cpu)
    host = (weir.string.as_datatype_enum, weir.int32.as_datatype_enum)
    if node_def.op == "Const":
        return node_def.attr["dtype"].type in host
    if node_def.op in ("DynamicStitch", "ParallelDynamicStitch"):
        return node_def.attr["T"].type == host[1]
    if node_def.op == "Cast":
        return node_def.attr["SrcT"].type == host[1]
    return False


def tensor_shape_from_node_def_name(graph, input_name):
    return graph.get_tensor_by_name(input_name if ":" in input_name else input_name + ":0").get_shape()


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph to a text or binary file in logdir. Returns its path."""
    import os

    from weir.lib import gfile
    graph_def = graph_or_graph_def.as_graph_def() if hasattr(graph_or_graph_def, "as_graph_def") else graph_or_graph_def
    gfile.make_dirs(logdir)
    path = os.path.join(logdir, name)
    if as_text:
        from google.protobuf import text_format  # type: ignore
        data = text_format.MessageToString(graph_def, float_format="").encode()
    else:
        data = graph_def.SerializeToString()
    with gfile.GFile(path + ".tmp", "wb") as file:
        file.write(data)
    gfile.rename(path + ".tmp", path, overwrite=True)
    return path
