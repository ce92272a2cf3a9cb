"""Checkpoints, savers, meta graphs, record files and MNIST's files."""

_CHECKPOINTS = ["NewCheckpointReader", "load_checkpoint", "load_variable", "list_variables", "latest_checkpoint", "get_checkpoint_state",
                "generate_checkpoint_state_proto", "update_checkpoint_state", "checkpoint_exists", "get_checkpoint_mtimes",
                "remove_checkpoint", "init_from_checkpoint"]
_SAVED_MODEL_CONSTANTS = ["ASSETS_DIRECTORY", "ASSETS_KEY", "LEGACY_INIT_OP_KEY", "MAIN_OP_KEY", "SAVED_MODEL_FILENAME_PB",
                          "SAVED_MODEL_FILENAME_PBTXT", "SAVED_MODEL_SCHEMA_VERSION", "VARIABLES_DIRECTORY", "VARIABLES_FILENAME"]
_TAGS = ["SERVING", "TRAINING", "GPU", "TPU"]
_SIGNATURE_CONSTANTS = ["DEFAULT_SERVING_SIGNATURE_DEF_KEY", "CLASSIFY_INPUTS", "CLASSIFY_METHOD_NAME", "CLASSIFY_OUTPUT_CLASSES",
                        "CLASSIFY_OUTPUT_SCORES", "PREDICT_INPUTS", "PREDICT_METHOD_NAME", "PREDICT_OUTPUTS", "REGRESS_INPUTS",
                        "REGRESS_METHOD_NAME", "REGRESS_OUTPUTS"]
_SIGNATURES = ["build_signature_def", "classification_signature_def", "is_valid_signature", "predict_signature_def",
               "regression_signature_def"]
_TENSOR_INFOS = ["build_tensor_info", "get_tensor_from_tensor_info"]
# The submodules of tf.saved_model, which also contain these names.
_SAVED_MODEL = {
    "constants": _SAVED_MODEL_CONSTANTS, "tag_constants": _TAGS, "signature_constants": _SIGNATURE_CONSTANTS,
    "signature_def_utils": _SIGNATURES, "utils": _TENSOR_INFOS, "loader": ["load", "contains_saved_model"],
}
_RECORDS = ["TFRecordWriter", "TFRecordOptions", "TFRecordCompressionType", "tf_record_iterator"]

NAMES = {
    "train.Saver": "Saver",
    **{f"train.{name}": f"weir.lib.checkpoint:{name}" for name in ("Checkpoint", "CheckpointManager", "checkpoints_iterator")},
    **{f"train.{name}": name for name in _CHECKPOINTS},
    "train.import_meta_graph": "import_meta_graph",
    "train.export_meta_graph": "weir.lib.meta_graph:export_meta_graph",
    **{f"contrib.framework.{name}": name for name in ["load_checkpoint", "load_variable", "list_variables", "init_from_checkpoint"]},
    **{f"saved_model.{name}": f"weir.lib.saved_model:{name}" for names in _SAVED_MODEL.values() for name in names},
    **{f"saved_model.{part}.{name}": f"=saved_model.{name}" for part, names in _SAVED_MODEL.items() for name in names},
    "saved_model.Builder": "weir.lib.saved_model:Builder",
    "saved_model.builder.SavedModelBuilder": "=saved_model.Builder",
    "saved_model.simple_save": "weir.lib.saved_model:simple_save",
    "saved_model.load_v2": "weir.lib.loaded_model:load_v2",
    "saved_model.maybe_saved_model_directory": "weir.lib.saved_model:contains_saved_model",
    "saved_model.loader.maybe_saved_model_directory": "weir.lib.saved_model:contains_saved_model",
    "saved_model.main_op.main_op": "weir.lib.saved_model:main_op",
    "saved_model.main_op.main_op_with_restore": "weir.lib.saved_model:main_op_with_restore",
    "saved_model.main_op_with_restore": "weir.lib.saved_model:main_op_with_restore",
    **{f"python.saved_model.{part}.{name}": f"=saved_model.{name}" for part, names in _SAVED_MODEL.items() for name in names},
    "python.saved_model.builder.SavedModelBuilder": "=saved_model.Builder",
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
