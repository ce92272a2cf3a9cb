"""tensorflow.python.tools.freeze_graph: writes a graph whose variables are constants with the values of a checkpoint."""
import os

from weir import _weir
from weir.lib import gfile, graph_util
from weir.lib.session import Session


def _items(text):
    return [item.strip() for item in text.split(",") if item.strip()] if isinstance(text, str) else list(text or [])


def freeze_graph_with_def_protos(input_graph_def, input_saver_def, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name,
                                 output_graph, clear_devices, initializer_nodes, variable_names_whitelist="", variable_names_blacklist="",
                                 input_meta_graph_def=None, input_saved_model_dir=None, saved_model_tags=None, checkpoint_version=2):
    """Returns the frozen graph. Writes it to `output_graph` unless that is empty."""
    outputs = _items(output_node_names)
    if not input_saved_model_dir and not _weir.checkpoint_exists(input_checkpoint):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
    if not outputs:
        raise ValueError("You must supply the name of a node to --output_node_names.")
    with _weir.Graph().as_default(), Session() as session:
        if input_saved_model_dir:
            from weir.lib import saved_model
            graph_def = saved_model.load(session, saved_model_tags, input_saved_model_dir).graph_def
        elif input_meta_graph_def is not None:
            graph_def = input_meta_graph_def.graph_def
            _without_devices(graph_def, clear_devices)
            _weir.import_meta_graph(input_meta_graph_def, clear_devices=True).restore(session, input_checkpoint)
        else:
            graph_def = input_graph_def
            _without_devices(graph_def, clear_devices)
            graph_util.import_graph_def(graph_def, name="")
            _restore(session, graph_def, input_saver_def, input_checkpoint)
        if _items(initializer_nodes):
            session.run(_items(initializer_nodes))
        frozen = graph_util.convert_variables_to_constants(session, graph_def, outputs, _items(variable_names_whitelist) or None,
                                                           _items(variable_names_blacklist) or None)
    if output_graph:
        with gfile.GFile(output_graph, "wb") as file:
            file.write(frozen.SerializeToString())
    return frozen


def _without_devices(graph_def, clear):
    if clear:
        for node in graph_def.node:
            node.device = ""


def _restore(session, graph_def, saver_def, checkpoint):
    if saver_def:
        _weir.Saver(saver_def=saver_def).restore(session, checkpoint)
        return
    saved = _weir.NewCheckpointReader(checkpoint).get_variable_to_shape_map()
    reads = [(name, value) for name, value in _weir.variables_of_graph_def(graph_def) if name in saved]
    values = _weir.NewCheckpointReader(checkpoint)
    assigns, feeds = [], {}
    for name, _ in reads:
        handle = session.graph.get_tensor_by_name(name + ":0")
        array = values.get_tensor(name)
        value = _weir.op_function("Placeholder")(dtype=array.dtype if array.dtype != object else "string")
        is_resource = handle.dtype.base_dtype.name == "resource"
        assigns.append(_weir.op_function("AssignVariableOp" if is_resource else "Assign")(handle, value))
        feeds[value] = array
    session.run(assigns, feeds)


def freeze_graph(input_graph, input_saver, input_binary, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name, output_graph,
                 clear_devices, initializer_nodes, variable_names_whitelist="", variable_names_blacklist="", input_meta_graph=None,
                 input_saved_model_dir=None, saved_model_tags="serve", checkpoint_version=2):
    """Reads a graph (or a meta graph, or a saved model) and a checkpoint, and writes the graph with constants for its variables."""
    import weir.proto
    graph_def = saver_def = meta_graph_def = None
    if input_saved_model_dir:
        pass
    elif input_graph:
        graph_def = _read(weir.proto.message_class("GraphDef"), input_graph, input_binary)
    elif input_meta_graph:
        meta_graph_def = _read(weir.proto.message_class("MetaGraphDef"), input_meta_graph, input_binary)
    if input_saver:
        saver_def = _read(weir.proto.message_class("SaverDef"), input_saver, input_binary)
    return freeze_graph_with_def_protos(graph_def, saver_def, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name, output_graph,
                                        clear_devices, initializer_nodes, variable_names_whitelist, variable_names_blacklist, meta_graph_def,
                                        input_saved_model_dir, _items(saved_model_tags), checkpoint_version)


def _read(message, path, is_binary):
    if not gfile.exists(path):
        raise IOError(f"Input file '{os.fspath(path)}' does not exist!")
    read = message()
    with gfile.GFile(path, "rb") as file:
        data = file.read()
    if is_binary:
        read.ParseFromString(data)
    else:
        from google.protobuf import text_format  # type: ignore[import]
        text_format.Parse(data.decode(), read)
    return read
