"""Train ops: tf.contrib.layers.optimize_loss, slim.learning and tf.contrib.training's functions on gradients."""
from weir import _weir
from weir._names import find as _find
from weir.lib import log as _log
from weir.lib.graph_keys import GraphKeys

_USE_GLOBAL_STEP = 0

OPTIMIZER_CLS_NAMES = {
    "Adagrad": _weir.AdagradOptimizer,
    "Adam": _weir.AdamOptimizer,
    "Ftrl": _weir.FtrlOptimizer,
    "Momentum": lambda learning_rate: _weir.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": _weir.RMSPropOptimizer,
    "SGD": _weir.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]


# --- changes of gradients ---
def clip_gradient_norms(gradients_to_variables, max_norm):
    return _weir.clip_gradient_norms(gradients_to_variables, max_norm)


def clip_gradient_norms_fn(max_norm):
    return lambda gradients_to_variables: clip_gradient_norms(gradients_to_variables, max_norm)


def multiply_gradients(grads_and_vars, gradient_multipliers):
    """Multiplies gradients by factors, which are given by variable or by op name."""
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    return _weir.multiply_gradients(grads_and_vars, gradient_multipliers)


def _elements(grad):
    return getattr(grad, "values", grad)


def _summaries_of_gradients(grads_and_vars, joint):
    summaries = []
    for grad, var in grads_and_vars:
        if grad is None:
            _log.info("Var %s has no gradient", var.op.name)
            continue
        summaries.append(_find("summary.histogram")(f"{var.op.name}{joint}gradient", _elements(grad)))
        summaries.append(_find("summary.scalar")(f"{var.op.name}{joint}gradient_norm", _find("global_norm")([_elements(grad)])))
    return summaries


def add_gradients_summaries(grads_and_vars):
    """Adds a histogram and the norm of each gradient to the summaries."""
    return _summaries_of_gradients(grads_and_vars, "/")


def add_gradients_summaries_of_training(grads_and_vars):
    """The same with the names of tf.contrib.training: w_gradient instead of w/gradient."""
    return _summaries_of_gradients(grads_and_vars, "_")


def adaptive_clipping_fn(std_factor=2., decay=0.95, static_max_norm=None, global_step=None, report_summary=False, epsilon=1e-8, name=None):
    """Returns a function that clips gradients whose joint norm is unusually large."""
    def clip(grads_and_vars):
        pairs, max_norm = _weir.clip_gradients_adaptively(list(grads_and_vars), std_factor, decay, static_max_norm, global_step, epsilon, name)
        if report_summary:
            _find("summary.scalar")("global_norm/adaptive_max_gradient_norm", max_norm)
        return pairs
    return clip


# --- train ops ---
def _updates(update_ops):
    known = _weir.get_collection(GraphKeys.UPDATE_OPS)
    if update_ops is None:
        return known
    update_ops = list(update_ops)
    if any(not any(op is update for update in update_ops) for op in known):
        _log.warning("update_ops in create_train_op does not contain all the update_ops in GraphKeys.UPDATE_OPS")
    return update_ops


def create_train_op_of_training(total_loss, optimizer, global_step=_USE_GLOBAL_STEP, update_ops=None, variables_to_train=None,
                                transform_grads_fn=None, summarize_gradients=False, gate_gradients=1, aggregation_method=None,
                                colocate_gradients_with_ops=False, check_numerics=True):
    """tf.contrib.training.create_train_op: a tensor that runs `update_ops`, computes the loss and applies its gradients."""
    if global_step is _USE_GLOBAL_STEP:
        global_step = _find("train.get_or_create_global_step")()
    total_loss = _weir.loss_after_updates(total_loss, _updates(update_ops))
    trainable = _find("trainable_variables")()
    if variables_to_train is None:
        variables_to_train = trainable
    assert all(getattr(v, "trainable", False) or any(v is t for t in trainable) for v in variables_to_train)
    assert variables_to_train
    pairs = optimizer.compute_gradients(total_loss, variables_to_train, gate_gradients=gate_gradients, aggregation_method=aggregation_method,
                                        colocate_gradients_with_ops=colocate_gradients_with_ops)
    if transform_grads_fn:
        pairs = transform_grads_fn(pairs)
    if summarize_gradients:
        with _weir.name_scope("summarize_grads"):
            add_gradients_summaries_of_training(pairs)
    updates = optimizer.apply_gradients(pairs, global_step=global_step)
    return _weir.train_op_of(total_loss, updates, check_numerics)


def create_train_op(total_loss, optimizer, global_step=_USE_GLOBAL_STEP, update_ops=None, variables_to_train=None, clip_gradient_norm=0,
                    summarize_gradients=False, gate_gradients=1, aggregation_method=None, colocate_gradients_with_ops=False,
                    gradient_multipliers=None, check_numerics=True):
    """slim.learning.create_train_op."""
    def transform(pairs):
        if gradient_multipliers:
            with _weir.name_scope("multiply_grads"):
                pairs = multiply_gradients(pairs, gradient_multipliers)
        if clip_gradient_norm > 0:
            with _weir.name_scope("clip_grads"):
                pairs = clip_gradient_norms(pairs, clip_gradient_norm)
        return pairs
    return create_train_op_of_training(total_loss, optimizer, global_step, update_ops, variables_to_train, transform, summarize_gradients,
                                       gate_gradients, aggregation_method, colocate_gradients_with_ops, check_numerics)


def _optimizer(optimizer, rate):
    """Returns the optimizer for a name, a class, an instance or a function."""
    base = _find("train.Optimizer")
    if isinstance(optimizer, str):
        if rate is None:
            raise ValueError(f"Learning rate is None, but should be specified if optimizer is string ({optimizer}).")
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you provided {optimizer}.")
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if isinstance(optimizer, type) and issubclass(optimizer, base):
        if rate is None:
            raise ValueError(f"Learning rate is None, but should be specified if optimizer is class ({optimizer}).")
        return optimizer(learning_rate=rate)
    if isinstance(optimizer, base):
        return optimizer
    if not callable(optimizer):
        raise ValueError("Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of Optimizer or function "
                         f"with one argument. Got {optimizer}.")
    made = optimizer() if rate is None else optimizer(rate)
    if not isinstance(made, base):
        raise ValueError(f"Unrecognized optimizer: function should return subclass of Optimizer. Got {made}.")
    return made


def _rate(learning_rate):
    """Returns the learning rate as a tensor: a number becomes a variable of the scope."""
    if learning_rate is None:
        return None
    if isinstance(learning_rate, _weir.Tensor) and learning_rate.shape.ndims == 0:
        return learning_rate
    if isinstance(learning_rate, float):
        if learning_rate < 0.0:
            raise ValueError("Invalid learning_rate %s." % learning_rate)
        from weir.lib.initializers import Constant
        return _weir.get_variable("learning_rate", shape=[], trainable=False, initializer=Constant(learning_rate))
    raise ValueError(f"Learning rate should be 0d Tensor or float. Got {learning_rate} of type {type(learning_rate)}")


def optimize_loss(loss, global_step, learning_rate, optimizer, gradient_noise_scale=None, gradient_multipliers=None, clip_gradients=None,
                  learning_rate_decay_fn=None, update_ops=None, variables=None, name=None, summaries=None, colocate_gradients_with_ops=False,
                  increment_global_step=True):
    """Returns a train op for a loss: gradients with noise, factors and clipping as given, and summaries of them."""
    loss = _weir.convert_to_tensor(loss)
    loss.shape.assert_is_compatible_with([])
    if global_step is None:
        global_step = _find("train.get_global_step")()
    else:
        _find("train.assert_global_step")(global_step)
    scalar = _find("summary.scalar")
    with _weir.variable_scope(name, default_name="OptimizeLoss"):
        loss = _weir.loss_after_updates(loss, _weir.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else list(update_ops))
        rate = _rate(learning_rate)
        if summaries is None:
            summaries = ["loss", "learning_rate", "global_gradient_norm"]
        for summary in summaries:
            if summary not in OPTIMIZER_SUMMARIES:
                raise ValueError(f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {summary}.")
        if learning_rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in summaries:
                scalar("learning_rate", rate)
        opt = _optimizer(optimizer, rate)
        if variables is None:
            variables = _find("trainable_variables")()
        pairs = opt.compute_gradients(loss, variables, colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gradient_noise_scale is not None:
            pairs = _weir.add_gradient_noise(pairs, gradient_noise_scale)
        if gradient_multipliers is not None:
            multipliers = {getattr(key, "name", key): factor for key, factor in gradient_multipliers.items()}
            pairs = _weir.multiply_gradients(pairs, {var: multipliers[var.name] for grad, var in pairs
                                                     if grad is not None and var.name in multipliers})
            if not pairs:
                raise ValueError("Empty list of (gradient, var) pairs encountered. This is most likely to be caused by an improper value of "
                                 "gradient_multipliers.")
        norms = "global_gradient_norm" in summaries or "gradient_norm" in summaries
        if norms:
            scalar("global_norm/gradient_norm", _find("global_norm")([grad for grad, _ in pairs]))
        if isinstance(clip_gradients, float):
            pairs = _weir.clip_gradients_together(pairs, clip_gradients)
        elif callable(clip_gradients):
            pairs = clip_gradients(pairs)
        elif clip_gradients is not None:
            raise ValueError("Unknown type %s for clip_gradients" % type(clip_gradients))
        if "loss" in summaries:
            scalar("loss", loss)
        for grad, var in pairs:
            if grad is None:
                continue
            var_name = var.name.replace(":", "_")
            if "gradients" in summaries:
                _find("summary.histogram")(f"gradients/{var_name}", _elements(grad))
            if "gradient_norm" in summaries:
                scalar(f"gradient_norm/{var_name}", _find("global_norm")([_elements(grad)]))
        if clip_gradients is not None and norms:
            scalar("global_norm/clipped_gradient_norm", _find("global_norm")([grad for grad, _ in pairs]))
        updates = opt.apply_gradients(pairs, global_step=global_step if increment_global_step else None, name="train")
        return _weir.with_dependencies([updates], loss)
