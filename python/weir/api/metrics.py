"""tf.metrics."""

_CELLS = ["true_positives", "false_negatives", "true_negatives", "false_positives"]
_NAMES = ["accuracy", "auc", "mean", "mean_absolute_error", "mean_cosine_distance", "mean_iou", "mean_per_class_accuracy", "mean_relative_error",
          "mean_squared_error", "mean_tensor", "percentage_below", "precision", "precision_at_thresholds", "recall", "recall_at_thresholds",
          "root_mean_squared_error", "precision_at_k", "recall_at_k", "precision_at_top_k", "recall_at_top_k", "average_precision_at_k", "sensitivity_at_specificity", "specificity_at_sensitivity", *_CELLS,
          *(f"{cell}_at_thresholds" for cell in _CELLS)]

NAMES = {
    **{f"metrics.{name}": f"metric_{name}" for name in _NAMES},
    "metrics.sparse_precision_at_k": "=metrics.precision_at_k",
    "metrics.sparse_average_precision_at_k": "=metrics.average_precision_at_k",
    "python.ops.metrics.*": "=metrics.",
    "python.ops.metrics_impl.*": "=metrics.",
}
