"""tf.contrib: names that public programs use, and the modules below tensorflow.contrib that they import them from."""

_VARIABLES = ["variable", "model_variable", "local_variable", "global_variable", "add_model_variable", "get_variables", "get_model_variables",
              "get_local_variables", "get_trainable_variables", "get_variables_by_suffix", "get_variables_by_name", "get_unique_variable",
              "get_variables_to_restore", "filter_variables", "get_variable_full_name", "assign_from_values", "assign_from_values_fn",
              "assign_from_checkpoint", "assign_from_checkpoint_fn", "VariableDeviceChooser"]
_UTILS = ["collect_named_outputs", "append_tensor_alias", "get_tensor_aliases", "gather_tensors_aliases", "convert_collection_to_dict",
          "get_variable_collections", "channel_dimension", "last_dimension", "two_element_tuple", "n_positive_integers", "constant_value",
          "smart_cond", "static_cond", "NamedOutputs"]
# Modules that programs import for names of contrib.layers or contrib.rnn.
_LAYERS = ["contrib.layers.python.layers", "contrib.layers.python.layers.layers", "contrib.layers.python.layers.initializers",
           "contrib.layers.python.layers.regularizers", "contrib.layers.python.layers.encoders", "contrib.layers.python.ops",
           "contrib.layers.python.layers.embedding_ops"]
_RNN = ["contrib.rnn.python.ops", "contrib.rnn.python.ops.rnn_cell", "contrib.rnn.python.ops.core_rnn_cell", "contrib.rnn.python.ops.rnn",
        "contrib.rnn.python.ops.core_rnn", "contrib.rnn.python.ops.core_rnn_cell_impl"]
# metrics with the arguments that contrib.metrics gives them
_WEIGHTED = "weights=None, metrics_collections=None, updates_collections=None, name=None"
_COUNTS = ["true_positives", "true_negatives", "false_positives", "false_negatives"]
_METRICS = {
    "mean": f"(values, {_WEIGHTED}) =metrics.mean",
    "mean_tensor": f"(values, {_WEIGHTED}) =metrics.mean_tensor",
    "accuracy": f"(predictions, labels, {_WEIGHTED}) =metrics.accuracy",
    "precision": f"(predictions, labels, {_WEIGHTED}) =metrics.precision",
    "recall": f"(predictions, labels, {_WEIGHTED}) =metrics.recall",
    "auc": "(predictions, labels, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None, curve='ROC', "
           "name=None) =metrics.auc",
    "mean_absolute_error": f"(predictions, labels, {_WEIGHTED}) =metrics.mean_absolute_error",
    "mean_squared_error": f"(predictions, labels, {_WEIGHTED}) =metrics.mean_squared_error",
    "root_mean_squared_error": f"(predictions, labels, {_WEIGHTED}) =metrics.root_mean_squared_error",
    "mean_relative_error": f"(predictions, labels, normalizer, {_WEIGHTED}) =metrics.mean_relative_error",
    "mean_cosine_distance": f"(predictions, labels, dim, {_WEIGHTED}) =metrics.mean_cosine_distance",
    "mean_iou": f"(predictions, labels, num_classes, {_WEIGHTED}) =metrics.mean_iou",
    "percentage_less": "(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None) "
                       "=metrics.percentage_below",
    "precision_at_thresholds": f"(predictions, labels, thresholds, {_WEIGHTED}) =metrics.precision_at_thresholds",
    "recall_at_thresholds": f"(predictions, labels, thresholds, {_WEIGHTED}) =metrics.recall_at_thresholds",
    "sensitivity_at_specificity": "(predictions, labels, specificity, weights=None, num_thresholds=200, metrics_collections=None, "
                                  "updates_collections=None, name=None) =metrics.sensitivity_at_specificity",
    "specificity_at_sensitivity": "(predictions, labels, sensitivity, weights=None, num_thresholds=200, metrics_collections=None, "
                                  "updates_collections=None, name=None) =metrics.specificity_at_sensitivity",
    "sparse_precision_at_k": f"(predictions, labels, k, class_id=None, {_WEIGHTED}) =metrics.precision_at_k",
    "sparse_recall_at_k": f"(predictions, labels, k, class_id=None, {_WEIGHTED}) =metrics.recall_at_k",
    **{name: f"(predictions, labels, {_WEIGHTED}) =metrics.{name}" for name in _COUNTS},
    **{f"{name}_at_thresholds": f"(predictions, labels, thresholds, {_WEIGHTED}) =metrics.{name}_at_thresholds" for name in _COUNTS},
}

NAMES = {
    **{f"contrib.{module}.{name}": f"weir.lib.contrib_variables:{name}" for module in ("framework", "slim") for name in _VARIABLES},
    "create_partitioned_variables": "weir.lib.contrib_variables:create_partitioned_variables",
    "contrib.framework.python.ops.*": "=contrib.framework.",
    "contrib.framework.python.ops.arg_scope": "=contrib.framework.arg_scope",
    "contrib.framework.python.ops.variables.*": "=contrib.framework.",
    "contrib.framework.python.framework.checkpoint_utils.*": "=train.",
    "contrib.framework.python.framework.tensor_util.*": "=contrib.framework.",
    "contrib.framework.TensorSpec": "=TensorSpec",
    "contrib.framework.BoundedTensorSpec": "weir.lib.specs:BoundedTensorSpec",
    "contrib.framework.sort": "=sort",
    "contrib.framework.argsort": "=argsort",
    "contrib.framework.py_func": "=py_func",
    "contrib.framework.deprecated": "weir.lib.deprecation:deprecated",
    "contrib.framework.deprecated_args": "weir.lib.deprecation:deprecated_args",
    "contrib.framework.deprecated_arg_values": "weir.lib.deprecation:deprecated_arg_values",
    "contrib.framework.smart_cond": "weir.lib.layer_utils:smart_cond",
    "contrib.framework.smart_constant_value": "weir.lib.layer_utils:constant_value",
    "contrib.framework.convert_to_tensor_or_sparse_tensor": "=convert_to_tensor_or_sparse_tensor",
    "contrib.framework.is_non_decreasing": "=is_non_decreasing",
    "contrib.framework.is_strictly_increasing": "=is_strictly_increasing",
    "contrib.framework.is_numeric_tensor": "=is_numeric_tensor",
    **{f"{module}.*": "=contrib.layers." for module in _LAYERS},
    **{f"contrib.layers.python.layers.utils.{name}": f"weir.lib.layer_utils:{name}" for name in _UTILS},
    **{f"contrib.slim.utils.{name}": f"weir.lib.layer_utils:{name}" for name in _UTILS},
    **{f"{module}.*": "=contrib.rnn." for module in _RNN},
    **{f"contrib.metrics.streaming_{name}": target for name, target in _METRICS.items()},
    "contrib.metrics.confusion_matrix": "=confusion_matrix",
    **{f"contrib.metrics.set_{name}": f"=sets.set_{name}" for name in ("difference", "intersection", "size", "union")},
    **{f"contrib.slim.metrics.streaming_{name}": f"=contrib.metrics.streaming_{name}" for name in _METRICS},
    "contrib.nn.deprecated_flipped_softmax_cross_entropy_with_logits":
        "(logits, labels, dim=-1, name=None) =nn.softmax_cross_entropy_with_logits",
    "contrib.nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits":
        "(logits, labels, name=None) =nn.sparse_softmax_cross_entropy_with_logits",
    "contrib.nn.deprecated_flipped_sigmoid_cross_entropy_with_logits":
        "(logits, targets, name=None) =nn.sigmoid_cross_entropy_with_logits[labels=targets]",
    "contrib.lookup.string_to_index_table_from_tensor": "=contrib.lookup.index_table_from_tensor",
    "contrib.lookup.string_to_index_table_from_file": "=contrib.lookup.index_table_from_file",
}
