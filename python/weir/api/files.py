"""Checkpoints, savers, meta graphs, record files and MNIST's files."""

_CHECKPOINTS = ["NewCheckpointReader", "load_checkpoint", "load_variable", "list_variables", "latest_checkpoint", "get_checkpoint_state",
                "generate_checkpoint_state_proto", "update_checkpoint_state", "checkpoint_exists", "get_checkpoint_mtimes",
                "remove_checkpoint", "init_from_checkpoint"]
_META_GRAPHS = ["export_meta_graph", "import_meta_graph"]
_RECORDS = ["TFRecordWriter", "TFRecordOptions", "TFRecordCompressionType", "tf_record_iterator"]

NAMES = {
    "train.Saver": "Saver",
    **{f"train.{name}": name for name in _CHECKPOINTS + _META_GRAPHS},
    **{f"contrib.framework.{name}": name for name in ["load_checkpoint", "load_variable", "list_variables", "init_from_checkpoint"]},
    "train.write_graph": "weir.lib.graph_util:write_graph",
    "io.write_graph": "weir.lib.graph_util:write_graph",
    **{f"{module}.{name}": f"weir.lib.records:{name}" for module in ("python_io", "io") for name in _RECORDS},
    "python.lib.io.tf_record.*": "=python_io.",
    "examples.tutorials.mnist.input_data": "weir.lib.mnist:",
    "contrib.learn.datasets.mnist": "weir.lib.mnist:",
    "contrib.learn.python.learn.datasets.mnist": "weir.lib.mnist:",
    "python.training.saver.*": "=train.",
    "python.training.checkpoint_management.*": "=train.",
    "python.training.checkpoint_utils.*": "=train.",
    "python.pywrap_tensorflow.NewCheckpointReader": "NewCheckpointReader",
    "python.framework.ops.register_proto_function": "weir.lib.collection:register_proto_function",
}
