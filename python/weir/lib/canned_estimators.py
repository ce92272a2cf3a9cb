"""The estimators of tf.estimator with ready-made models: linear, deep, both, and baselines."""
import math as _math

from weir import _weir
from weir.lib.estimator import Estimator as _Estimator
from weir.lib.estimator_config import ModeKeys as _ModeKeys
from weir.lib.heads import classification_head as _classification_head
from weir.lib.heads import regression_head as _regression_head

_INT64, _FLOAT = _weir.dtypes["int64"], _weir.dtypes["float32"]
_MIN_SLICE_SIZE = 64 << 20
_OPTIMIZERS = {"Adagrad": "AdagradOptimizer", "Adam": "AdamOptimizer", "Ftrl": "FtrlOptimizer", "RMSProp": "RMSPropOptimizer",
               "SGD": "GradientDescentOptimizer"}


def _default_activation(x):
    import weir as tf
    return tf.nn.relu(x)


def _optimizer_of(given, learning_rate):
    """Returns the optimizer for a name, a function that makes one, or an optimizer."""
    import weir as tf
    if isinstance(given, str):
        if given not in _OPTIMIZERS:
            raise ValueError(f"Unsupported optimizer name: {given}. Supported names are: {tuple(sorted(_OPTIMIZERS))}")
        return getattr(tf.train, _OPTIMIZERS[given])(learning_rate=learning_rate)
    if callable(given):
        given = given()
    if not isinstance(given, tf.train.Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {given}")
    return given


def _linear_rate(columns, most):
    return min(most, 1.0 / _math.sqrt(max(1, len(list(columns)))))


def _check_features(features):
    if not isinstance(features, dict):
        raise ValueError(f"features should be a dictionary of `Tensor`s. Given type: {type(features)}")


def _partitioner(config, **kwargs):
    import weir as tf
    return tf.min_max_variable_partitioner(max_partitions=max(1, config.num_ps_replicas if config else 0), **kwargs)


def _values(features):
    return tuple(features.values())


def _summarize_layer(value, name):
    import weir as tf
    tf.summary.scalar(f"{name}/fraction_of_zero_values", tf.nn.zero_fraction(value))
    tf.summary.histogram(f"{name}/activation", value)


# --- logits ------------------------------------------------------------------------------------------------------------------
def linear_logit_fn_builder(units, feature_columns, sparse_combiner="sum"):
    """Returns a function that makes the logits of a linear model from features."""
    def linear_logit_fn(features):
        import weir as tf
        variables = {}
        logits = tf.feature_column.linear_model(features, feature_columns, units=units, sparse_combiner=sparse_combiner,
                                                cols_to_vars=variables)
        (bias,) = variables.pop("bias")
        if units > 1:
            tf.summary.histogram("bias", bias)
        else:
            tf.summary.scalar("bias", tf.convert_to_tensor(bias)[0])
        weights = [tf.reshape(part, [-1]) for parts in variables.values() for part in (parts if isinstance(parts, list) else [parts])]
        if weights:
            tf.summary.scalar("fraction_of_zero_weights", tf.nn.zero_fraction(tf.concat(weights, 0)))
        return logits
    return linear_logit_fn


def dnn_logit_fn_builder(units, hidden_units, feature_columns, activation_fn, dropout, input_layer_partitioner, batch_norm):
    """Returns a function that makes the logits of a deep model from features and the mode."""
    if not isinstance(units, int):
        raise ValueError(f"units must be an int. Given type: {type(units)}")

    def dnn_logit_fn(features, mode):
        import weir as tf
        training = mode == _ModeKeys.TRAIN
        scope = tf.get_variable_scope().name
        prefix = scope + "/" if scope else ""
        with tf.variable_scope("input_from_feature_columns", values=_values(features), partitioner=input_layer_partitioner):
            net = tf.feature_column.input_layer(features, feature_columns)
        for index, size in enumerate(hidden_units):
            name = f"hiddenlayer_{index}"
            net = tf.layers.dense(net, size, activation=activation_fn, kernel_initializer=tf.glorot_uniform_initializer(), name=name)
            if dropout is not None and training:
                net = tf.layers.dropout(net, rate=dropout, training=True)
            if batch_norm:
                with tf.variable_scope(name, auxiliary_name_scope=False):
                    net = tf.layers.batch_normalization(net, momentum=0.999, training=training, name=f"batchnorm_{index}")
            _summarize_layer(net, prefix + name)
        logits = tf.layers.dense(net, units, kernel_initializer=tf.glorot_uniform_initializer(), name="logits")
        _summarize_layer(logits, prefix + "logits")
        return logits
    return dnn_logit_fn


def call_logit_fn(logit_fn, features, mode, params, config):
    """Calls a function that makes logits with the arguments that it accepts."""
    from weir.lib.estimator import arguments_of
    names = arguments_of(logit_fn)
    given = {"mode": mode, "params": params, "config": config}
    logits = logit_fn(features=features, **{name: value for name, value in given.items() if name in names})
    import weir as tf
    if not isinstance(logits, (dict, tf.Tensor)):
        raise ValueError("logit_fn should return a Tensor or a dictionary mapping strings to Tensors.  logit_fn returned: %s" % logits)
    return logits


def _linear_model_fn(head, columns, optimizer, partitioner, sparse_combiner):
    columns = tuple(columns or ())

    def model_fn(features, labels, mode, config):
        import weir as tf
        _check_features(features)
        chosen = _optimizer_of(optimizer, _linear_rate(columns, 0.2))
        with tf.variable_scope("linear", values=_values(features), partitioner=partitioner or _partitioner(
                config, min_slice_size=_MIN_SLICE_SIZE)):
            logits = linear_logit_fn_builder(head.logits_dimension, columns, sparse_combiner)(features)
            return head.create_estimator_spec(features, mode, logits, labels, optimizer=chosen)
    return model_fn


def _dnn_model_fn(head, hidden_units, columns, optimizer, activation_fn, dropout, input_layer_partitioner, batch_norm):
    columns = tuple(columns or ())

    def model_fn(features, labels, mode, config):
        import weir as tf
        _check_features(features)
        chosen = _optimizer_of(optimizer, 0.05)
        with tf.variable_scope("dnn", values=_values(features), partitioner=_partitioner(config)):
            build = dnn_logit_fn_builder(head.logits_dimension, hidden_units, columns, activation_fn, dropout,
                                         input_layer_partitioner or _partitioner(config, min_slice_size=_MIN_SLICE_SIZE), batch_norm)
            return head.create_estimator_spec(features, mode, build(features, mode), labels, optimizer=chosen)
    return model_fn


def _combined_model_fn(head, linear_columns, linear_optimizer, dnn_columns, dnn_optimizer, hidden_units, activation_fn, dropout,
                       input_layer_partitioner, batch_norm, sparse_combiner):
    linear_columns, dnn_columns = tuple(linear_columns or ()), tuple(dnn_columns or ())
    if not linear_columns and not dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")

    def model_fn(features, labels, mode, config):
        import weir as tf
        _check_features(features)
        partitioner = input_layer_partitioner or _partitioner(config, min_slice_size=_MIN_SLICE_SIZE)
        logits, chosen = [], []
        if dnn_columns:
            if not hidden_units:
                raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
            with tf.variable_scope("dnn", values=_values(features), partitioner=_own_partitioner(config)):
                build = dnn_logit_fn_builder(head.logits_dimension, hidden_units, dnn_columns, activation_fn, dropout, partitioner,
                                             batch_norm)
                logits.append(build(features, mode))
            chosen.append(("dnn", _optimizer_of(dnn_optimizer, 0.001)))
        if linear_columns:
            with tf.variable_scope("linear", values=_values(features), partitioner=input_layer_partitioner or _own_partitioner(
                    config, min_slice_size=_MIN_SLICE_SIZE)) as scope:
                made = linear_logit_fn_builder(head.logits_dimension, linear_columns, sparse_combiner)(features)
                _summarize_layer(made, scope.name)
                logits.append(made)
            chosen.append(("linear", _optimizer_of(linear_optimizer, _linear_rate(linear_columns, 0.005))))

        def train_op_fn(loss):
            step = tf.train.get_global_step()
            steps = [optimizer.minimize(loss, var_list=tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope))
                     for scope, optimizer in chosen]
            with tf.control_dependencies([tf.group(*steps)]):
                return tf.assign_add(step, 1).op
        return head.create_estimator_spec(features, mode, tf.add_n(logits) if len(logits) > 1 else logits[0], labels,
                                          train_op_fn=train_op_fn)
    return model_fn


def _own_partitioner(config, **kwargs):
    """Without parameter servers, the variables of combined models are not partitioned."""
    return _partitioner(config, **kwargs) if config and config.num_ps_replicas else None


def _baseline_model_fn(head, optimizer):
    def model_fn(features, labels, mode, config):
        import weir as tf
        _check_features(features)
        with tf.variable_scope("baseline", values=_values(features)):
            bias = tf.get_variable("bias", [head.logits_dimension], initializer=tf.zeros_initializer())
            some = next(iter(features.values()))
            batch = some.dense_shape[:1] if hasattr(some, "dense_shape") else tf.shape(some, out_type=tf.int64)[:1]
            logits = tf.tile(tf.expand_dims(bias, 0), tf.concat([batch, tf.constant([1], tf.int64)], 0))
        return head.create_estimator_spec(features, mode, logits, labels, optimizer=_optimizer_of(optimizer, 0.3))
    return model_fn


# --- estimators --------------------------------------------------------------------------------------------------------------
class LinearClassifier(_Estimator):
    """A linear classifier."""

    def __init__(self, feature_columns, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None, optimizer="Ftrl", config=None,
                 partitioner=None, warm_start_from=None, loss_reduction="weighted_sum", sparse_combiner="sum"):
        head = _classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_linear_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner), model_dir, config,
                         warm_start_from=warm_start_from)


class LinearRegressor(_Estimator):
    """A linear regression."""

    def __init__(self, feature_columns, model_dir=None, label_dimension=1, weight_column=None, optimizer="Ftrl", config=None,
                 partitioner=None, warm_start_from=None, loss_reduction="weighted_sum", sparse_combiner="sum"):
        head = _regression_head(label_dimension, weight_column, loss_reduction)
        super().__init__(_linear_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner), model_dir, config,
                         warm_start_from=warm_start_from)


class LinearEstimator(_Estimator):
    """A linear model with any head."""

    def __init__(self, head, feature_columns, model_dir=None, optimizer="Ftrl", config=None, partitioner=None, sparse_combiner="sum"):
        super().__init__(_linear_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner), model_dir, config)


class DNNClassifier(_Estimator):
    """A classifier with hidden layers."""

    def __init__(self, hidden_units, feature_columns, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None,
                 optimizer="Adagrad", activation_fn=_default_activation, dropout=None, input_layer_partitioner=None, config=None,
                 warm_start_from=None, loss_reduction="weighted_sum", batch_norm=False):
        head = _classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_dnn_model_fn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout, input_layer_partitioner,
                                       batch_norm), model_dir, config, warm_start_from=warm_start_from)


class DNNRegressor(_Estimator):
    """A regression with hidden layers."""

    def __init__(self, hidden_units, feature_columns, model_dir=None, label_dimension=1, weight_column=None, optimizer="Adagrad",
                 activation_fn=_default_activation, dropout=None, input_layer_partitioner=None, config=None, warm_start_from=None,
                 loss_reduction="weighted_sum", batch_norm=False):
        head = _regression_head(label_dimension, weight_column, loss_reduction)
        super().__init__(_dnn_model_fn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout, input_layer_partitioner,
                                       batch_norm), model_dir, config, warm_start_from=warm_start_from)


class DNNEstimator(_Estimator):
    """A model with hidden layers and any head."""

    def __init__(self, head, hidden_units, feature_columns, model_dir=None, optimizer="Adagrad", activation_fn=_default_activation,
                 dropout=None, input_layer_partitioner=None, config=None, warm_start_from=None, batch_norm=False):
        super().__init__(_dnn_model_fn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout, input_layer_partitioner,
                                       batch_norm), model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedClassifier(_Estimator):
    """A classifier that adds the logits of a linear model and of hidden layers."""

    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer="Ftrl", dnn_feature_columns=None,
                 dnn_optimizer="Adagrad", dnn_hidden_units=None, dnn_activation_fn=_default_activation, dnn_dropout=None, n_classes=2,
                 weight_column=None, label_vocabulary=None, input_layer_partitioner=None, config=None, warm_start_from=None,
                 loss_reduction="weighted_sum", batch_norm=False, linear_sparse_combiner="sum"):
        head = _classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_combined_model_fn(head, linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer,
                                            dnn_hidden_units, dnn_activation_fn, dnn_dropout, input_layer_partitioner, batch_norm,
                                            linear_sparse_combiner), model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedRegressor(_Estimator):
    """A regression that adds the outputs of a linear model and of hidden layers."""

    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer="Ftrl", dnn_feature_columns=None,
                 dnn_optimizer="Adagrad", dnn_hidden_units=None, dnn_activation_fn=_default_activation, dnn_dropout=None, label_dimension=1,
                 weight_column=None, input_layer_partitioner=None, config=None, warm_start_from=None, loss_reduction="weighted_sum",
                 batch_norm=False, linear_sparse_combiner="sum"):
        head = _regression_head(label_dimension, weight_column, loss_reduction)
        super().__init__(_combined_model_fn(head, linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer,
                                            dnn_hidden_units, dnn_activation_fn, dnn_dropout, input_layer_partitioner, batch_norm,
                                            linear_sparse_combiner), model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedEstimator(_Estimator):
    """A linear model and hidden layers with any head."""

    def __init__(self, head, model_dir=None, linear_feature_columns=None, linear_optimizer="Ftrl", dnn_feature_columns=None,
                 dnn_optimizer="Adagrad", dnn_hidden_units=None, dnn_activation_fn=_default_activation, dnn_dropout=None,
                 input_layer_partitioner=None, config=None, linear_sparse_combiner="sum"):
        super().__init__(_combined_model_fn(head, linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer,
                                            dnn_hidden_units, dnn_activation_fn, dnn_dropout, input_layer_partitioner, False,
                                            linear_sparse_combiner), model_dir, config)


class BaselineClassifier(_Estimator):
    """A baseline: predicts how frequent each class is, and ignores the features."""

    def __init__(self, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None, optimizer="Ftrl", config=None,
                 loss_reduction="weighted_sum"):
        super().__init__(_baseline_model_fn(_classification_head(n_classes, weight_column, label_vocabulary, loss_reduction), optimizer),
                         model_dir, config)


class BaselineRegressor(_Estimator):
    """A baseline: predicts the mean label, and ignores the features."""

    def __init__(self, model_dir=None, label_dimension=1, weight_column=None, optimizer="Ftrl", config=None,
                 loss_reduction="weighted_sum"):
        super().__init__(_baseline_model_fn(_regression_head(label_dimension, weight_column, loss_reduction), optimizer), model_dir, config)


class BaselineEstimator(_Estimator):
    """A baseline with any head: learns only a bias."""

    def __init__(self, head, model_dir=None, optimizer="Ftrl", config=None):
        super().__init__(_baseline_model_fn(head, optimizer), model_dir, config)


# --- parsing specs -----------------------------------------------------------------------------------------------------------
def _parse_spec(feature_columns, label_key, label_spec, weight_column):
    import weir as tf
    spec = tf.feature_column.make_parse_example_spec(feature_columns)
    if label_key in spec:
        raise ValueError(f"label should not be used as feature. label_key: {label_key}, features: {list(spec)}")
    spec[label_key] = label_spec
    if weight_column is not None:
        column = tf.feature_column.numeric_column(weight_column) if isinstance(weight_column, str) else weight_column
        spec.update(tf.feature_column.make_parse_example_spec([column]))
    return spec


def classifier_parse_example_spec(feature_columns, label_key, label_dtype=_INT64, label_default=None, weight_column=None):
    """Returns the parsing spec of the features and of a label."""
    import weir as tf
    return _parse_spec(feature_columns, label_key, tf.FixedLenFeature([1], label_dtype, label_default), weight_column)


def regressor_parse_example_spec(feature_columns, label_key, label_dtype=_FLOAT, label_default=None, label_dimension=1, weight_column=None):
    """Returns the parsing spec of the features and of numeric labels."""
    import weir as tf
    return _parse_spec(feature_columns, label_key, tf.FixedLenFeature([label_dimension], label_dtype, label_default),
                       weight_column)
