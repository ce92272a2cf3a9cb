"""Graphs, sessions, types, shapes, errors, messages."""

_DTYPES = [
    "float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "bool", "string", "complex64", "complex128", "resource", "variant", "qint8", "qint16", "qint32", "quint8", "quint16",
]
_DTYPE_ALIASES = {"half": "float16", "double": "float64"}

_MESSAGES = [
    "ConfigProto", "GPUOptions", "OptimizerOptions", "GraphOptions", "RunOptions", "RunMetadata", "GraphDef", "NodeDef",
    "AttrValue", "NameAttrList", "MetaGraphDef", "Summary", "SummaryMetadata", "Event", "SessionLog", "LogMessage", "HistogramProto",
    "TensorInfo",
]
_TRAIN_MESSAGES = [
    "Example", "SequenceExample", "Feature", "Features", "FeatureList", "FeatureLists", "BytesList", "FloatList", "Int64List",
    "ClusterDef", "JobDef", "ServerDef", "SaverDef",
]

NAMES = {
    # graphs
    "Graph": "Graph",
    "Operation": "Operation",
    "Tensor": "Tensor",
    "SparseTensor": "SparseTensor",
    "SparseTensorValue": "weir.lib.values:SparseTensorValue",
    "IndexedSlices": "IndexedSlices",
    "IndexedSlicesValue": "weir.lib.values:IndexedSlicesValue",
    "TensorSpec": "weir.lib.specs:TensorSpec",
    "TypeSpec": "weir.lib.specs:TypeSpec",
    "SparseTensorSpec": "weir.lib.specs:SparseTensorSpec",
    "IndexedSlicesSpec": "weir.lib.specs:IndexedSlicesSpec",
    "TensorArraySpec": "weir.lib.specs:TensorArraySpec",
    "function": "weir.lib.function:function",
    "wrap_function": "weir.lib.function:wrap_function",
    "autograph.experimental.do_not_convert": "weir.lib.function:do_not_convert",
    "python.eager.def_function.function": "weir.lib.function:function",
    "DeviceSpec": "DeviceSpec",
    "GraphKeys": "weir.lib.graph_keys:GraphKeys",
    "get_default_graph": "get_default_graph",
    "reset_default_graph": "reset_default_graph",
    "name_scope": "name_scope",
    "device": "device",
    "control_dependencies": "control_dependencies",
    "colocate_with": "colocate_with",
    "container": "container",
    "add_to_collection": "add_to_collection",
    "add_to_collections": "add_to_collections",
    "get_collection": "get_collection",
    "get_collection_ref": "get_collection_ref",
    "convert_to_tensor": "convert_to_tensor",
    "register_tensor_conversion_function": "register_tensor_conversion_function",
    "constant": "constant",
    "newaxis": None,
    "import_graph_def": "import_graph_def",
    "graph_util": "weir.lib.graph_util:",
    "python.framework.graph_util": "weir.lib.graph_util:",
    "make_tensor_proto": "make_tensor_proto",
    "make_ndarray": "make_ndarray",
    "get_static_value": "constant_value",
    "contrib.util.make_tensor_proto": "make_tensor_proto",
    "contrib.util.make_ndarray": "make_ndarray",
    "contrib.util.constant_value": "constant_value",
    "python.framework.tensor_util.make_tensor_proto": "make_tensor_proto",
    "python.framework.tensor_util.make_ndarray": "make_ndarray",
    "python.framework.tensor_util.MakeNdarray": "make_ndarray",
    "python.framework.tensor_util.constant_value": "constant_value",
    "python.framework.tensor_util.constant_value_as_shape": "constant_value_as_shape",
    "op_scope": "(values, name, default_name=None) name_scope",
    "init_scope": "weir.lib.modes:init_scope",
    "py_func": "py_func",
    "py_function": "weir.lib.py_function:py_function",
    "load_op_library": "weir.lib.libraries:load_op_library",
    "load_library": "weir.lib.libraries:load_library",
    "load_file_system_library": "weir.lib.libraries:load_file_system_library",
    # sessions
    "Session": "weir.lib.session:Session",
    "InteractiveSession": "weir.lib.session:InteractiveSession",
    "get_default_session": "get_default_session",
    "get_session_handle": "weir.lib.session_ops:get_session_handle",
    "get_session_tensor": "weir.lib.session_ops:get_session_tensor",
    "delete_session_tensor": "weir.lib.session_ops:delete_session_tensor",
    "python.ops.session_ops": "weir.lib.session_ops:",
    "python.client.timeline": "weir.lib.timeline:",
    # types and shapes
    "DType": "DType",
    "as_dtype": "as_dtype",
    "QUANTIZED_DTYPES": "weir.lib.values:QUANTIZED_DTYPES",
    "dtypes.QUANTIZED_DTYPES": "weir.lib.values:QUANTIZED_DTYPES",
    "TensorShape": "TensorShape",
    "Dimension": "Dimension",
    # raw ops
    "raw_ops": "weir.raw_ops:",
    # errors
    "errors": "weir.errors:",
    "OpError": "weir.errors:OpError",
    # TensorFlow's modules
    "python.framework.ops.*": "=",
    "python.framework.ops.register_tensor_conversion_function": "=register_tensor_conversion_function",
    "python.framework.dtypes.*": "=",
    "python.framework.tensor_shape.*": "=",
    "python.framework.errors": "weir.errors:",
    "python.framework.errors_impl": "weir.errors:",
    "python.framework.constant_op.constant": "=constant",
    "python.client.session.*": "=",
    "python.client.session.register_session_run_conversion_functions": "register_session_run_conversion_functions",
}
NAMES.update({name: f"dtype:{name}" for name in _DTYPES})
NAMES.update({name: f"dtype:{target}" for name, target in _DTYPE_ALIASES.items()})
NAMES.update({f"{name}_ref": f"dtype:{name}_ref" for name in _DTYPES if name not in ("resource", "variant")})
NAMES.update({f"dtypes.{name}": f"={name}" for name in [*_DTYPES, *_DTYPE_ALIASES, "DType", "as_dtype"]})
NAMES.update({name: f"proto:{name}" for name in _MESSAGES})
NAMES.update({f"train.{name}": f"proto:{name}" for name in _TRAIN_MESSAGES})
NAMES.update({f"summary.{name}": f"proto:{name}" for name in ("Event", "SessionLog", "Summary", "TaggedRunMetadata")})
