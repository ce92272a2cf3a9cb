"""tf.contrib.metrics: functions on metrics, and metrics without state."""
from weir import _weir
from weir._names import find as _find


def accuracy(predictions, labels, weights=None, name=None):
    """Returns the fraction of predictions that equal their labels, in this batch."""
    if not (labels.dtype.is_integer or labels.dtype.name in ("bool", "string")):
        raise ValueError("Labels should have bool, integer, or string dtype, not %r" % labels.dtype)
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError(f"Dtypes of predictions and labels should match. Given: predictions ({predictions.dtype!r}) and labels "
                         f"({labels.dtype!r})")
    with _weir.name_scope(name or "accuracy"):
        correct = _weir.cast(_find("equal")(predictions, labels), _weir.dtypes["float32"])
        if weights is None:
            return _find("reduce_mean")(correct)
        weights = weights * _find("ones_like")(correct)
        return _find("reduce_sum")(correct * weights) / _find("reduce_sum")(weights)


def aggregate_metrics(*value_update_tuples):
    """Returns the values and the updates of metrics as two lists."""
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples):
    """Returns the values and the updates of metrics as two dicts."""
    return {name: pair[0] for name, pair in names_to_tuples.items()}, {name: pair[1] for name, pair in names_to_tuples.items()}


def streaming_recall_at_k(predictions, labels, k, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean over examples of whether the label is among the k best predictions. A row of predictions has one label."""
    found = _weir.cast(_find("nn.in_top_k")(predictions, labels, k), _weir.dtypes["float32"])
    return _find("metrics.mean")(found, weights, metrics_collections, updates_collections, name or f"recall_at_{k}")
