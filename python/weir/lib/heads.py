"""The heads of tf.estimator: what a model does with its logits. Losses, predictions and metrics are C++ (train/heads.h)."""
from weir import _weir
from weir.lib import estimator_export as _export
from weir.lib.estimator import EstimatorSpec as _EstimatorSpec
from weir.lib.estimator import arguments_of as _arguments_of
from weir.lib.estimator_config import ModeKeys as _ModeKeys


def _feature(features, column):
    """Returns the feature that a key or a numeric column names."""
    if isinstance(column, str):
        if column not in features:
            raise ValueError(f"there is no feature {column!r}, which is to hold the weights of examples; given: {sorted(features)}")
        return features[column]
    value = features[column.key]
    return column.normalizer_fn(value) if column.normalizer_fn else value


class Head:
    """Base class of heads. create_estimator_spec makes the spec of a model from its logits."""

    @property
    def name(self):
        raise NotImplementedError(f"name is not implemented for {type(self).__name__}")

    @property
    def logits_dimension(self):
        raise NotImplementedError(f"logits_dimension is not implemented for {type(self).__name__}")

    @property
    def loss_reduction(self):
        raise NotImplementedError(f"loss_reduction is not implemented for {type(self).__name__}")

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
        raise NotImplementedError(f"loss is not implemented for {type(self).__name__}")

    def predictions(self, logits, keys=None):
        raise NotImplementedError(f"predictions is not implemented for {type(self).__name__}")

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None, trainable_variables=None, train_op_fn=None,
                              update_ops=None, regularization_losses=None):
        raise NotImplementedError(f"create_estimator_spec is not implemented for {type(self).__name__}")


def train_op_of(loss, optimizer, train_op_fn, trainable_variables, update_ops):
    """Returns the operation of a training step, with the updates that layers need."""
    import weir as tf
    if optimizer is not None and train_op_fn is not None:
        raise ValueError("train_op_fn and optimizer cannot both be set.")
    if train_op_fn is not None:
        train_op = train_op_fn(loss)
    elif optimizer is not None:
        train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step(), var_list=trainable_variables)
    else:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS) if update_ops is None else list(update_ops)
    return tf.group(train_op, *update_ops) if update_ops else train_op


class _KindHead(Head):
    """A head of one kind. `_old` heads, those of canned estimators, also summarize the average loss."""

    _old = False

    def _set(self, kind, dimension, weight_column, loss_reduction, loss_fn, name, label_vocabulary=None, thresholds=None, full_loss=True,
             classes=None, inverse_link_fn=None):
        if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
            raise ValueError(f"label_vocabulary should be a list or a tuple. Given type: {type(label_vocabulary)}")
        for threshold in thresholds or ():
            if not 0 < threshold < 1:
                raise ValueError(f"thresholds not in (0, 1): {tuple(thresholds)}.")
        if loss_fn is not None:
            missing = {"labels", "logits"} - set(_arguments_of(loss_fn))
            unknown = set(_arguments_of(loss_fn)) - {"labels", "logits", "features", "loss_reduction"}
            if missing:
                raise ValueError(f"loss_fn must contain argument: {sorted(missing)[0]}. Given arguments: {_arguments_of(loss_fn)}")
            if unknown:
                raise ValueError(f"loss_fn has unexpected args: {sorted(unknown)}")
        self._name, self._weight_column, self._loss_reduction, self._loss_fn = name, weight_column, loss_reduction, loss_fn
        self._inverse_link_fn = inverse_link_fn
        self._options = _weir.HeadOptions(kind, dimension, list(label_vocabulary or []), list(thresholds or []), loss_reduction, name or "",
                                          full_loss, list(classes or []))

    name = property(lambda self: self._name)
    logits_dimension = property(lambda self: self._options.logits_dimension)
    loss_reduction = property(lambda self: self._loss_reduction)

    def _parts(self, labels, logits, features):
        """Returns the total loss, the losses of examples, their weights and the prepared labels."""
        if labels is None:
            raise ValueError("You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your data contains "
                             "your label feature. Check that your input_fn properly parses and returns labels.")
        weights = None if self._weight_column is None else _feature(features, self._weight_column)
        loss_fn = None
        if self._loss_fn is not None:
            names = _arguments_of(self._loss_fn)
            more = {name: value for name, value in (("features", features), ("loss_reduction", self._loss_reduction)) if name in names}
            loss_fn = lambda labels, logits: self._loss_fn(labels=labels, logits=logits, **more)  # noqa: E731
        return self._options.loss(logits, self._dense(labels), weights, loss_fn)

    def _dense(self, labels):
        if hasattr(labels, "dense_shape"):
            raise ValueError("SparseTensor labels are not supported.")
        return labels

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
        import weir as tf
        total = self._parts(labels, logits, features)[0]
        return tf.add_n([total, *regularization_losses]) if regularization_losses else total

    def predictions(self, logits, keys=None):
        """Returns the tensors of a prediction by name: all, or those with these names."""
        made = self._options.predictions(logits, self._inverse_link_fn)
        return made if keys is None else {key: made[key] for key in keys}

    def _export_outputs(self, predictions):
        raise NotImplementedError

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None, trainable_variables=None, train_op_fn=None,
                              update_ops=None, regularization_losses=None):
        import weir as tf
        with tf.name_scope(self._name or "head"):
            predictions = self.predictions(logits)
            if mode == _ModeKeys.PREDICT:
                return _EstimatorSpec(mode, predictions, export_outputs=self._export_outputs(predictions))
            total, per_example, weights, prepared = self._parts(labels, logits, features)
            regularization = tf.add_n(regularization_losses) if regularization_losses else None
            loss = total if regularization is None else total + regularization
            if mode == _ModeKeys.EVAL:
                metrics = self._options.metrics(total, per_example, weights, prepared, predictions)
                if regularization is not None:
                    metrics[self._key("loss/regularization")] = tf.metrics.mean(regularization)
                return _EstimatorSpec(mode, predictions, loss=loss, eval_metric_ops=metrics)
            train_op = train_op_of(loss, optimizer, train_op_fn, trainable_variables, update_ops)
        with tf.name_scope(""):
            tf.summary.scalar(self._key("loss"), loss)
            if self._old:
                tf.summary.scalar(self._key("average_loss"), total / tf.reduce_sum(weights * tf.ones_like(per_example)))
            if regularization is not None:
                tf.summary.scalar(self._key("loss/regularization"), regularization)
        return _EstimatorSpec(mode, predictions, loss=loss, train_op=train_op)

    def _key(self, key):
        return f"{key}/{self._name}" if self._name else key


class _ClassesHead(_KindHead):
    def _export_outputs(self, predictions):
        all_classes = predictions["all_classes"] if "all_classes" in predictions else predictions["classes"]
        classification = _export.ClassificationOutput(predictions["probabilities"], all_classes)
        outputs = {_export.DEFAULT_KEY: classification, "classification": classification}
        if "logistic" in predictions:
            outputs["regression"] = _export.RegressionOutput(predictions["logistic"])
        return {**outputs, "predict": _export.PredictOutput(predictions)}


class BinaryClassHead(_ClassesHead):
    """One logit for whether an example is of class 1."""

    def __init__(self, weight_column=None, thresholds=None, label_vocabulary=None, loss_reduction="sum_over_batch_size", loss_fn=None,
                 name=None):
        self._set("binary", 1, weight_column, loss_reduction, loss_fn, name, label_vocabulary, thresholds)


class MultiClassHead(_ClassesHead):
    """A logit for each of several classes, of which one applies."""

    def __init__(self, n_classes, weight_column=None, label_vocabulary=None, loss_reduction="sum_over_batch_size", loss_fn=None, name=None):
        if n_classes is None or n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise ValueError(f"Length of label_vocabulary must equal n_classes. Given: {len(label_vocabulary)}, {n_classes}")
        self._set("multi_class", n_classes, weight_column, loss_reduction, loss_fn, name, label_vocabulary)


class MultiLabelHead(_ClassesHead):
    """A logit for each of several classes, of which any number applies. Labels are multi-hot, or sparse class ids or words."""

    def __init__(self, n_classes, weight_column=None, thresholds=None, label_vocabulary=None, loss_reduction="sum_over_batch_size",
                 loss_fn=None, classes_for_class_based_metrics=None, name=None):
        if n_classes is None or n_classes < 2:
            raise ValueError(f"n_classes must be > 1 for multi-label classification. Given: {n_classes}")
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise ValueError(f"Length of label_vocabulary must be n_classes ({n_classes}). Given: {len(label_vocabulary)}")
        self._vocabulary, self._n_classes = label_vocabulary, n_classes
        classes = [label_vocabulary.index(item) if isinstance(item, str) else item for item in classes_for_class_based_metrics or ()]
        self._set("multi_label", n_classes, weight_column, loss_reduction, loss_fn, name, label_vocabulary, thresholds, classes=classes)

    def _dense(self, labels):
        import weir as tf
        if not hasattr(labels, "dense_shape"):
            return labels
        ids = labels
        if labels.dtype.base_dtype == tf.string:
            table = tf.contrib.lookup.index_table_from_tensor(list(self._vocabulary), name="class_id_lookup")
            ids = tf.SparseTensor(labels.indices, table.lookup(labels.values), labels.dense_shape)
        return tf.cast(tf.sparse.to_indicator(tf.SparseTensor(ids.indices, tf.cast(ids.values, tf.int64), ids.dense_shape),
                                              self._n_classes), tf.int64)


class _ValuesHead(_KindHead):
    def _export_outputs(self, predictions):
        regression = _export.RegressionOutput(predictions["predictions"])
        return {_export.DEFAULT_KEY: regression, "regression": regression, "predict": _export.PredictOutput(predictions)}


class RegressionHead(_ValuesHead):
    """Numbers, with squared errors as the loss."""

    def __init__(self, label_dimension=1, weight_column=None, loss_reduction="sum_over_batch_size", loss_fn=None, inverse_link_fn=None,
                 name=None):
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        self._set("regression", label_dimension, weight_column, loss_reduction, loss_fn, name, inverse_link_fn=inverse_link_fn)


class PoissonRegressionHead(_ValuesHead):
    """Counts: the logits are logarithms of the predictions."""

    def __init__(self, label_dimension=1, weight_column=None, loss_reduction="sum_over_batch_size", compute_full_loss=True, name=None):
        self._set("poisson", label_dimension, weight_column, loss_reduction, None, name, full_loss=compute_full_loss)


class LogisticRegressionHead(_ValuesHead):
    """Numbers from 0 to 1."""

    def __init__(self, weight_column=None, loss_reduction="sum_over_batch_size", name=None):
        self._set("logistic", 1, weight_column, loss_reduction, None, name)


class MultiHead(Head):
    """Several heads with names. Logits and labels are dicts by these names; logits may also be one tensor with all of them."""

    def __init__(self, heads, head_weights=None):
        if not heads:
            raise ValueError(f"Must specify heads. Given: {heads}")
        if head_weights and len(head_weights) != len(heads):
            raise ValueError(f"heads and head_weights must have the same size. Given len(heads): {len(heads)}. Given len(head_weights): "
                             f"{len(head_weights)}.")
        names = [head.name for head in heads]
        if None in names:
            raise ValueError(f"All given heads must have name specified. Given: {heads}")
        self._heads, self._weights = tuple(heads), tuple(head_weights or [1.0] * len(heads))
        self._name = "_".join(names)

    name = property(lambda self: self._name)
    logits_dimension = property(lambda self: sum(head.logits_dimension for head in self._heads))
    loss_reduction = property(lambda self: self._heads[0].loss_reduction)

    def _logits_of(self, logits):
        import weir as tf
        if isinstance(logits, dict):
            for head in self._heads:
                if head.name not in logits:
                    raise ValueError(f"logits has missing values for head(s): {head.name}")
            return logits
        parts = tf.split(logits, [head.logits_dimension for head in self._heads], axis=-1)
        return {head.name: part for head, part in zip(self._heads, parts)}

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
        import weir as tf
        logits = self._logits_of(logits)
        losses = [weight * head.loss(labels[head.name], logits[head.name], features, mode) for head, weight in
                  zip(self._heads, self._weights)]
        return tf.add_n([*losses, *(regularization_losses or [])])

    def predictions(self, logits, keys=None):
        logits = self._logits_of(logits)
        return {(head.name, key): value for head in self._heads for key, value in head.predictions(logits[head.name], keys).items()}

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None, trainable_variables=None, train_op_fn=None,
                              update_ops=None, regularization_losses=None):
        import weir as tf
        logits = self._logits_of(logits)
        specs = {}
        for head in self._heads:
            specs[head.name] = head.create_estimator_spec(features, _ModeKeys.EVAL if mode == _ModeKeys.TRAIN else mode, logits[head.name],
                                                          None if labels is None else labels[head.name])
        predictions = {(name, key): value for name, spec in specs.items() for key, value in spec.predictions.items()}
        if mode == _ModeKeys.PREDICT:
            outputs = {f"{name}/{key}": value for name, spec in specs.items() for key, value in spec.export_outputs.items()
                       if key != _export.DEFAULT_KEY}
            first = self._heads[0].name
            outputs[_export.DEFAULT_KEY] = specs[first].export_outputs[_export.DEFAULT_KEY]
            outputs["predict"] = _export.PredictOutput({f"{name}/{key}": value for (name, key), value in predictions.items()})
            return _EstimatorSpec(mode, predictions, export_outputs=outputs)
        losses = [weight * specs[head.name].loss for head, weight in zip(self._heads, self._weights)]
        loss = tf.add_n([*losses, *(regularization_losses or [])])
        if mode == _ModeKeys.EVAL:
            metrics = {key: value for spec in specs.values() for key, value in spec.eval_metric_ops.items()}
            for name, spec in specs.items():
                metrics[f"loss/{name}"] = tf.metrics.mean(spec.loss)
            return _EstimatorSpec(mode, predictions, loss=loss, eval_metric_ops=metrics)
        train_op = train_op_of(loss, optimizer, train_op_fn, trainable_variables, update_ops)
        with tf.name_scope(""):
            tf.summary.scalar("loss", loss)
            for name, spec in specs.items():
                tf.summary.scalar(f"loss/{name}", spec.loss)
        return _EstimatorSpec(mode, predictions, loss=loss, train_op=train_op)


def old_head(head):
    """Makes a head behave like those of canned estimators.

    It computes areas under curves by trapezoids, and summarizes the average loss.
    """
    head._options.interpolate_areas = False
    head._old = head.loss_reduction in ("sum", "weighted_sum")
    return head


def classification_head(n_classes, weight_column, label_vocabulary, loss_reduction, name=None):
    if n_classes == 2:
        return old_head(BinaryClassHead(weight_column, None, label_vocabulary, loss_reduction, None, name))
    return old_head(MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction, None, name))


def regression_head(label_dimension, weight_column, loss_reduction, name=None):
    return old_head(RegressionHead(label_dimension, weight_column, loss_reduction, None, None, name))
