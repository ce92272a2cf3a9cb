"""tf.contrib.estimator: heads of canned models, clipping of gradients, and predictions that have features, too."""
import collections as _collections

from weir.lib import heads as _heads

_OVER_BATCH, _SUM = "weighted_sum_over_batch_size", "weighted_sum"
LossSpec = _collections.namedtuple("LossSpec", ["training_loss", "unreduced_loss", "weights", "processed_labels"])


def _old(kind, *args, **kwargs):
    """Returns a head of a class of tf.estimator, with the methods that heads of canned models have."""
    class Old(kind):
        def create_loss(self, features, mode, logits, labels):
            return LossSpec(*self._parts(labels, logits, features))
    Old.__name__ = Old.__qualname__ = kind.__name__
    return _heads.old_head(Old(*args, **kwargs))


def binary_classification_head(weight_column=None, thresholds=None, label_vocabulary=None, loss_reduction=_OVER_BATCH, loss_fn=None, name=None):
    return _old(_heads.BinaryClassHead, weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name)


def multi_class_head(n_classes, weight_column=None, label_vocabulary=None, loss_reduction=_OVER_BATCH, loss_fn=None, name=None):
    return _old(_heads.MultiClassHead, n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


def regression_head(weight_column=None, label_dimension=1, loss_reduction=_OVER_BATCH, loss_fn=None, inverse_link_fn=None, name=None):
    return _old(_heads.RegressionHead, label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name)


def poisson_regression_head(weight_column=None, label_dimension=1, loss_reduction=_OVER_BATCH, compute_full_loss=True, name=None):
    return _old(_heads.PoissonRegressionHead, label_dimension, weight_column, loss_reduction, compute_full_loss, name)


def logistic_regression_head(weight_column=None, loss_reduction=_OVER_BATCH, name=None):
    return _old(_heads.LogisticRegressionHead, weight_column, loss_reduction, name)


def multi_label_head(n_classes, weight_column=None, thresholds=None, label_vocabulary=None, loss_reduction=_OVER_BATCH, loss_fn=None,
                     classes_for_class_based_metrics=None, name=None):
    return _old(_heads.MultiLabelHead, n_classes, weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn,
                classes_for_class_based_metrics, name)


def multi_head(heads, head_weights=None):
    return _heads.MultiHead(heads, head_weights)


# The functions of estimator.canned.head, which sum losses by default.
def _binary_logistic_head_with_sigmoid_cross_entropy_loss(weight_column=None, thresholds=None, label_vocabulary=None, loss_reduction=_SUM,
                                                          loss_fn=None, name=None):
    return binary_classification_head(weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name)


def _multi_class_head_with_softmax_cross_entropy_loss(n_classes, weight_column=None, label_vocabulary=None, loss_reduction=_SUM, loss_fn=None,
                                                      name=None):
    return multi_class_head(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


def _regression_head(weight_column=None, label_dimension=1, loss_reduction=_SUM, loss_fn=None, inverse_link_fn=None, name=None):
    return regression_head(weight_column, label_dimension, loss_reduction, loss_fn, inverse_link_fn, name)


_regression_head_with_mean_squared_error_loss = _regression_head


def clip_gradients_by_norm(optimizer, clip_norm):
    """Returns an optimizer that scales gradients whose global norm exceeds clip_norm, and then applies them with `optimizer`."""
    import weir as tf

    class ClippingOptimizer(tf.train.Optimizer):
        def __init__(self):
            super().__init__(False, "ClipByNorm" + optimizer.get_name())

        def compute_gradients(self, *args, **kwargs):
            return optimizer.compute_gradients(*args, **kwargs)

        def apply_gradients(self, grads_and_vars, global_step=None, name=None):
            gradients, variables = zip(*grads_and_vars)
            return optimizer.apply_gradients(list(zip(tf.clip_by_global_norm(gradients, clip_norm)[0], variables)), global_step, name)

        def get_slot(self, *args, **kwargs):
            return optimizer.get_slot(*args, **kwargs)

        def get_slot_names(self, *args, **kwargs):
            return optimizer.get_slot_names(*args, **kwargs)

        def variables(self):
            return optimizer.variables()
    return ClippingOptimizer()


def _forwarded(features, keys, sparse_default_values):
    """Yields the keys and tensors of the features that predictions get."""
    import weir as tf
    for key in features if keys is None else keys:
        if key not in features:
            raise ValueError(f"keys should be exist in features. Key ({key}) is not in features dict. Given features: {sorted(features)}")
        feature = tf.contrib.framework.convert_to_tensor_or_sparse_tensor(features[key])
        if key in (sparse_default_values or {}):
            if not isinstance(feature, tf.SparseTensor):
                raise ValueError(f"Feature ({key}) is expected to be a SparseTensor.")
            feature = tf.sparse_tensor_to_dense(feature, default_value=sparse_default_values[key])
        if isinstance(feature, tf.SparseTensor):
            raise ValueError(f"Feature ({key}) should be a Tensor. Please use keys argument of forward_features to filter unwanted features, or "
                             f"sparse_default_values to make it dense. Type of features[{key}] is {type(feature)}.")
        yield key, feature


def forward_features(estimator, keys=None, sparse_default_values=None):
    """Returns an estimator whose predictions have features, too: those with these keys, or all."""
    from weir.lib.estimator import Estimator
    from weir.lib.estimator_export import PredictOutput
    from weir.lib.saved_model import DEFAULT_SERVING_SIGNATURE_DEF_KEY
    keys = [keys] if isinstance(keys, str) else keys

    def model_fn(features, labels, mode, config):
        spec = estimator.model_fn(features, labels, mode, config)
        if not spec.predictions:
            return spec
        if not isinstance(spec.predictions, dict):
            raise ValueError(f"Predictions should be a dict to be able to forward features. Given: {type(spec.predictions)}")
        forwarded = dict(_forwarded(features, keys, sparse_default_values))
        taken = sorted(set(forwarded) & set(spec.predictions))
        if taken:
            raise ValueError(f"Forwarded feature key ({taken[0]}) is already exist in predictions.")
        spec = spec._replace(predictions={**spec.predictions, **forwarded})
        for key in ("predict", DEFAULT_SERVING_SIGNATURE_DEF_KEY):
            output = (spec.export_outputs or {}).get(key)
            if isinstance(output, PredictOutput):
                output.outputs.update(forwarded)
        return spec
    return Estimator(model_fn=model_fn, model_dir=estimator.model_dir, config=estimator.config)
