"""tf.contrib.slim, and the parts of tf.contrib.layers, losses, metrics and training that it shares."""
from weir.api.contrib import _WEIGHTED

_NORMS = ["layer_norm", "instance_norm", "group_norm", "unit_norm", "maxout", "spatial_softmax", "images_to_sequence", "sequence_to_images",
          "dense_to_sparse", "scale_gradient", "GDN", "gdn"]
_LAYERS = ["bias_add", "max_pool3d", "avg_pool3d", "conv3d_transpose", "convolution3d_transpose", "separable_conv2d", "separable_convolution2d",
           "conv2d_in_plane", "convolution2d_in_plane", "elu", "relu6", "legacy_fully_connected", "legacy_relu", "legacy_linear"]
_ENCODERS = ["bow_encoder", "embed_sequence", "embedding_lookup_unique"]
_OPTIMIZE = ["optimize_loss", "OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES"]
_SUMMARIZE = ["summarize_tensor", "summarize_activation", "summarize_tensors", "summarize_collection", "summarize_activations"]
_SUMMARIZE_MORE = ["summarize_variables", "summarize_weights", "summarize_biases"]
_LAYER_MODULES = {
    "contrib_norms": _NORMS, "contrib_layers": _LAYERS, "contrib_encoders": _ENCODERS, "contrib_optimize": _OPTIMIZE,
    "contrib_summaries": _SUMMARIZE,
}
# slim's modules: the Python modules that implement them, and their names
_SLIM = {
    "learning": ("slim_learning", ["add_gradients_summaries", "clip_gradient_norms", "multiply_gradients", "create_train_op", "train_step",
                                   "train"]),
    "dataset": ("slim_data", ["Dataset"]),
    "data_provider": ("slim_data", ["DataProvider"]),
    "data_decoder": ("slim_data", ["DataDecoder"]),
    "dataset_data_provider": ("slim_data", ["DatasetDataProvider"]),
    "parallel_reader": ("slim_data", ["ParallelReader", "parallel_read", "single_pass_read", "get_data_files"]),
    "prefetch_queue": ("slim_data", ["prefetch_queue"]),
    "tfexample_decoder": ("tfexample_decoder", ["ItemHandler", "ItemHandlerCallback", "BoundingBox", "Tensor", "LookupTensor", "BackupHandler",
                                                "SparseTensor", "Image", "BoundingBoxSequence", "KeypointsSequence", "TFExampleDecoder",
                                                "TFSequenceExampleDecoder"]),
    "summaries": ("contrib_summaries", [f"add_{kind}_summar{end}" for kind in ("histogram", "image", "scalar", "zero_fraction")
                                        for end in ("y", "ies")]),
    "queues": ("slim_queues", ["QueueRunners", "NestedQueueRunnerError"]),
    "model_analyzer": ("model_analyzer", ["analyze_ops", "analyze_vars", "tensor_description"]),
}
_WAITING = ["checkpoints_iterator", "wait_for_new_checkpoint"]
_EVALUATION = [*_WAITING, "evaluate_repeatedly", "get_or_create_eval_step", "StopAfterNEvalsHook", "SummaryAtEndHook"]
# modules of contrib.slim.nets; weir/lib/slim_nets
_NETS = {**{name: name for name in ("alexnet", "inception", "inception_v1", "inception_v2", "inception_v3", "overfeat", "resnet_v1", "resnet_v2",
                                    "vgg")}, "resnet_utils": "resnet_blocks"}
_DATA = ["dataset", "data_provider", "data_decoder", "dataset_data_provider", "parallel_reader", "prefetch_queue", "tfexample_decoder"]
_GRADIENTS = {"add_gradients_summaries": "add_gradients_summaries_of_training", "create_train_op": "create_train_op_of_training",
              **{name: name for name in ("clip_gradient_norms", "clip_gradient_norms_fn", "multiply_gradients")}}
# tf.contrib.losses: predictions come before labels
_LOSSES = {
    "absolute_difference": "(predictions, labels=None, weights=1.0, scope=None) =losses.absolute_difference",
    "compute_weighted_loss": "(losses, weights=1.0, scope=None) =losses.compute_weighted_loss",
    "cosine_distance": "(predictions, labels=None, axis=None, weights=1.0, scope=None, dim->axis) =losses.cosine_distance",
    "hinge_loss": "(logits, labels=None, scope=None) =losses.hinge_loss[reduction='none',loss_collection=None]",
    "log_loss": "(predictions, labels=None, weights=1.0, epsilon=1e-07, scope=None) =losses.log_loss",
    "mean_squared_error": "(predictions, labels=None, weights=1.0, scope=None) =losses.mean_squared_error",
    "sigmoid_cross_entropy": "(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None) =losses.sigmoid_cross_entropy",
    "softmax_cross_entropy": "(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None) =losses.softmax_cross_entropy",
    "sparse_softmax_cross_entropy": "(logits, labels, weights=1.0, scope=None) =losses.sparse_softmax_cross_entropy",
    **{name: f"=losses.{name}" for name in ("add_loss", "get_losses", "get_regularization_losses", "get_total_loss")},
}
_PAIR = f"(predictions, labels, {_WEIGHTED})"
_METRICS = {
    "count": f"(values, {_WEIGHTED}) metric_count",
    "f1_score": "(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None, name=None) "
                "metric_f1_score",
    "cohen_kappa": f"(labels, predictions_idx, num_classes, {_WEIGHTED}) metric_cohen_kappa[predictions=predictions_idx]",
    "precision_at_recall": "(labels, predictions, target_recall, weights=None, num_thresholds=200, metrics_collections=None, "
                           "updates_collections=None, name=None) metric_precision_at_recall",
    "recall_at_precision": "(labels, predictions, precision, weights=None, num_thresholds=200, metrics_collections=None, "
                           "updates_collections=None, name=None, strict_mode=False) metric_recall_at_precision",
    "sparse_recall_at_top_k": f"(labels, top_k_predictions, class_id=None, {_WEIGHTED}) "
                              "=metrics.recall_at_top_k[predictions_idx=top_k_predictions]",
    "streaming_concat": "(values, axis=0, max_size=None, metrics_collections=None, updates_collections=None, name=None) metric_concat",
    "streaming_covariance": f"{_PAIR} metric_covariance",
    "streaming_pearson_correlation": f"{_PAIR} metric_pearson_correlation",
    "streaming_curve_points": "(labels=None, predictions=None, weights=None, num_thresholds=200, metrics_collections=None, "
                              "updates_collections=None, curve='ROC', name=None) metric_curve_points",
    **{f"streaming_false_{which}_rate": f"{_PAIR} metric_false_{which}_rate" for which in ("positive", "negative")},
    **{f"streaming_false_{which}_rate_at_thresholds": f"(predictions, labels, thresholds, {_WEIGHTED}) "
       f"metric_false_{which}_rate_at_thresholds" for which in ("positive", "negative")},
    "streaming_sparse_average_precision_at_k": f"(predictions, labels, k, {_WEIGHTED}) =metrics.average_precision_at_k",
    "streaming_sparse_average_precision_at_top_k": f"(top_k_predictions, labels, {_WEIGHTED}) "
                                                   "metric_average_precision_at_top_k[predictions_idx=top_k_predictions]",
    "streaming_sparse_precision_at_top_k": f"(top_k_predictions, labels, class_id=None, {_WEIGHTED}) "
                                           "=metrics.precision_at_top_k[predictions_idx=top_k_predictions]",
    **{name: f"weir.lib.contrib_metrics:{name}" for name in ("accuracy", "aggregate_metrics", "aggregate_metric_map", "streaming_recall_at_k")},
}
NAMES = {
    **{f"contrib.{module}.{name}": f"weir.lib.{file}:{name}" for module in ("layers", "slim") for file, names in _LAYER_MODULES.items()
       for name in names},
    **{f"contrib.slim.{name}": f"weir.lib.contrib_summaries:{name}" for name in _SUMMARIZE_MORE},
    "contrib.slim.pool": "weir.lib.contrib_layers:pool",
    "contrib.slim.adaptive_clipping_fn": "weir.lib.contrib_optimize:adaptive_clipping_fn",
    "contrib.layers.python.layers.optimizers.adaptive_clipping_fn": "weir.lib.contrib_optimize:adaptive_clipping_fn",
    "contrib.layers.python.layers.layers._inner_flatten": "weir.lib.contrib_norms:_inner_flatten",
    "contrib.layers.python.layers.layers.poincare_normalize": "weir.lib.contrib_norms:poincare_normalize",
    **{f"contrib.layers.python.layers.{module}.*": "=contrib.layers." for module in ("layers", "optimizers", "summaries", "normalization")},
    **{f"contrib.slim.{name}": f"weir.lib.arg_scope:{name}" for name in ("has_arg_scope", "current_arg_scope", "arg_scoped_arguments",
                                                                         "arg_scope_func_key")},
    **{f"contrib.slim.{module}.{name}": f"weir.lib.{file}:{name}" for module, (file, names) in _SLIM.items() for name in names},
    **{f"contrib.slim.evaluation.{name}": f"weir.lib.contrib_training:{name}" for name in _EVALUATION},
    "contrib.slim.evaluation.evaluate_once": "weir.lib.contrib_training:slim_evaluate_once",
    "contrib.slim.evaluation.evaluation_loop": "weir.lib.contrib_training:slim_evaluation_loop",
    **{f"contrib.slim.python.slim.data.{module}.*": f"=contrib.slim.{module}." for module in _DATA},
    **{f"contrib.slim.python.slim.{module}.*": f"=contrib.slim.{module}." for module in ("learning", "evaluation", "summaries", "queues",
                                                                                       "model_analyzer")},
    **{f"contrib.slim.{parent}nets.{name}": f"weir.lib.slim_nets.{file}:" for parent in ("", "python.slim.") for name, file in _NETS.items()},
    "contrib.slim.zero_initializer": "=contrib.framework.zero_initializer",
    **{f"contrib.slim.{name}": f"=contrib.framework.{name}" for name in ("assert_global_step", "assert_or_get_global_step",
                                                                         "deprecated_arg_values")},
    **{f"contrib.training.{name}": f"weir.lib.contrib_training:{name}" for name in [*_EVALUATION, "evaluate_once", "train"]},
    **{f"contrib.training.{name}": f"weir.lib.contrib_optimize:{target}" for name, target in _GRADIENTS.items()},
    **{f"contrib.training.python.training.{module}.*": "=contrib.training." for module in ("training", "evaluation")},
    **{f"contrib.{module}.{name}": target for module in ("losses", "slim.losses") for name, target in _LOSSES.items()},
    "contrib.losses.python.losses.loss_ops.*": "=contrib.losses.",
    **{f"contrib.metrics.{name}": target for name, target in _METRICS.items()},
    **{f"contrib.slim.metrics.{name}": f"=contrib.metrics.{name}" for name in [*_METRICS, "confusion_matrix", *(
        f"set_{name}" for name in ("difference", "intersection", "size", "union"))]},
    "contrib.metrics.python.ops.metric_ops.*": "=contrib.metrics.",
    "contrib.metrics.python.metrics.classification.*": "=contrib.metrics.",
}
