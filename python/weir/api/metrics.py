"""tf.metrics."""

_CELLS = ["true_positives", "false_negatives", "true_negatives", "false_positives"]
_NAMES = ["accuracy", "auc", "mean", "mean_absolute_error", "mean_cosine_distance", "mean_iou", "mean_per_class_accuracy", "mean_relative_error",
          "mean_squared_error", "mean_tensor", "percentage_below", "precision", "precision_at_thresholds", "recall", "recall_at_thresholds",
          "root_mean_squared_error", "sensitivity_at_specificity", "specificity_at_sensitivity", *_CELLS,
          *(f"{cell}_at_thresholds" for cell in _CELLS)]

NAMES = {
    **{f"metrics.{name}": f"metric_{name}" for name in _NAMES},
    "python.ops.metrics.*": "=metrics.",
    "python.ops.metrics_impl.*": "=metrics.",
}
