"""tensorflow.python.framework.meta_graph: meta graphs of the nodes and variables below a scope."""
from google.protobuf import text_format as _text_format  # type: ignore

from weir import _weir
from weir._names import find as _find
from weir.lib import gfile as _gfile
from weir.lib.framework_ops import strip_name_scope as _strip_name_scope
from weir.lib.graph_keys import GraphKeys as _GraphKeys


def read_meta_graph_file(filename):
    """Returns the MetaGraphDef of a binary or text file."""
    if not _gfile.exists(filename):
        raise OSError(f"File {filename} does not exist.")
    with _gfile.GFile(filename, "rb") as file:
        data = file.read()
    meta = _find("MetaGraphDef")()
    try:
        meta.ParseFromString(data)
        return meta
    except Exception:  # not binary: the protobuf library's DecodeError
        meta.Clear()
    try:
        return _text_format.Merge(data.decode(), meta)
    except _text_format.ParseError as error:
        raise OSError(f"Cannot parse file {filename}: {error}.") from None


def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None, collection_list=None, as_text=False, graph=None,
                      export_scope=None, clear_devices=False, clear_extraneous_savers=False, strip_default_attrs=False, save_debug_info=False,
                      **kwargs):
    """Returns the graph, its collections and a saver as a MetaGraphDef, and writes it to a file if one is given."""
    return _weir.export_meta_graph(filename=filename, meta_info_def=meta_info_def, graph_def=graph_def, saver_def=saver_def,
                                   collection_list=collection_list, as_text=as_text, graph=graph, export_scope=export_scope,
                                   clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers,
                                   strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info)


def _variables_below(graph, scope):
    names = {}
    for variable in graph.get_collection(_GraphKeys.GLOBAL_VARIABLES, scope=f"{scope.rstrip('/')}/" if scope else None):
        names[_strip_name_scope(variable.op.name, scope)] = variable
    return names


def export_scoped_meta_graph(filename=None, graph_def=None, graph=None, export_scope=None, as_text=False, unbound_inputs_col_name="unbound_inputs",
                             clear_devices=False, saver_def=None, clear_extraneous_savers=False, strip_default_attrs=False, save_debug_info=False,
                             **kwargs):
    """Returns the MetaGraphDef of the nodes below a scope, and its variables by name within the scope."""
    graph = graph or _weir.get_default_graph()
    meta = export_meta_graph(filename=filename, graph_def=graph_def, graph=graph, export_scope=export_scope, as_text=as_text,
                             clear_devices=clear_devices, saver_def=saver_def, clear_extraneous_savers=clear_extraneous_savers,
                             strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info, **kwargs)
    return meta, _variables_below(graph, export_scope)


def import_scoped_meta_graph(meta_graph_or_file, clear_devices=False, graph=None, import_scope=None, input_map=None,
                             unbound_inputs_col_name="unbound_inputs"):
    """Adds a meta graph to the graph. Returns its variables by name within import_scope."""
    graph = graph or _weir.get_default_graph()
    with graph.as_default():
        _weir.import_meta_graph(meta_graph_or_file, clear_devices=clear_devices, import_scope=import_scope, input_map=input_map)
    return _variables_below(graph, import_scope)


def copy_scoped_meta_graph(from_scope, to_scope, from_graph=None, to_graph=None):
    """Copies the nodes below a scope to another scope. Returns the variables of the copy."""
    from_graph = from_graph or _weir.get_default_graph()
    to_graph = to_graph or from_graph
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError(f"'from_scope' and 'to_scope' need to be different when performing copy in the same graph: {from_scope!r}")
    meta, _ = export_scoped_meta_graph(graph=from_graph, export_scope=from_scope)
    return import_scoped_meta_graph(meta, graph=to_graph, import_scope=to_scope)
