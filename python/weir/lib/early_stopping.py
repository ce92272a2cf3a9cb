"""tf.estimator.experimental: hooks that end training early, and that evaluate while training."""
import collections as _collections
import os as _os

from weir.lib import gfile as _gfile
from weir.lib import hooks as _hooks
from weir.lib import log as _log
from weir.lib.estimator import Estimator as _Estimator

_EVENT_FILES = "*.tfevents.*"


def read_eval_metrics(eval_dir):
    """Returns the metrics of all evaluations in a directory, by step."""
    from weir.lib.summary import summary_iterator
    found = _collections.defaultdict(dict)
    for path in _gfile.glob(_os.path.join(eval_dir, _EVENT_FILES)):
        for event in summary_iterator(path):
            metrics = {value.tag: value.simple_value for value in event.summary.value if value.HasField("simple_value")}
            if metrics:
                found[event.step].update(metrics)
    return _collections.OrderedDict(sorted(found.items()))


def _stop_variable():
    import weir as tf
    with tf.variable_scope("signal_early_stopping", reuse=tf.AUTO_REUSE):
        return tf.get_variable("STOP", [], tf.bool, initializer=tf.constant_initializer(False), trainable=False,
                               collections=[tf.GraphKeys.GLOBAL_VARIABLES])


class _StopOnPredicateHook(_hooks.SessionRunHook):
    """Calls a function at intervals to decide whether to stop, and signals a stop to all tasks through a variable."""

    def __init__(self, should_stop_fn, run_every_secs, run_every_steps):
        if not callable(should_stop_fn):
            raise TypeError("`should_stop_fn` must be callable")
        self._should_stop_fn = should_stop_fn
        self._timer = _hooks.SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)

    def begin(self):
        import weir as tf
        self._timer.reset()
        self._step = tf.train.get_global_step()
        self._stop_op = _stop_variable().assign(True)

    def before_run(self, run_context):
        return _hooks.SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        step = int(run_values.results)
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop_fn():
            _log.info("Requesting early stopping at global step %d", step)
            run_context.session.run(self._stop_op)
            run_context.request_stop()


class _CheckForStoppingHook(_hooks.SessionRunHook):
    """Stops when the chief has signalled a stop."""

    def begin(self):
        self._stop = _stop_variable()

    def before_run(self, run_context):
        return _hooks.SessionRunArgs(self._stop)

    def after_run(self, run_context, run_values):
        if run_values.results:
            _log.info("Early stopping requested, suspending run.")
            run_context.request_stop()


def make_early_stopping_hook(estimator, should_stop_fn, run_every_secs=60, run_every_steps=None):
    """Returns a hook that stops training in all tasks when should_stop_fn() returns True on the chief."""
    if not isinstance(estimator, _Estimator):
        raise TypeError(f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}")
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    return _StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps) if estimator.config.is_chief else _CheckForStoppingHook()


def _hook_of(estimator, should_stop, eval_dir, run_every_secs, run_every_steps):
    eval_dir = eval_dir or estimator.eval_dir()
    return make_early_stopping_hook(estimator, lambda: should_stop(read_eval_metrics(eval_dir)), run_every_secs, run_every_steps)


def _stop_at_threshold(estimator, metric_name, threshold, passed, eval_dir, min_steps, run_every_secs, run_every_steps):
    def should_stop(metrics):
        return any(step >= min_steps and metric_name in values and passed(values[metric_name], threshold) for step, values in metrics.items())
    return _hook_of(estimator, should_stop, eval_dir, run_every_secs, run_every_steps)


def stop_if_higher_hook(estimator, metric_name, threshold, eval_dir=None, min_steps=0, run_every_secs=60, run_every_steps=None):
    return _stop_at_threshold(estimator, metric_name, threshold, lambda value, limit: value > limit, eval_dir, min_steps, run_every_secs,
                              run_every_steps)


def stop_if_lower_hook(estimator, metric_name, threshold, eval_dir=None, min_steps=0, run_every_secs=60, run_every_steps=None):
    return _stop_at_threshold(estimator, metric_name, threshold, lambda value, limit: value < limit, eval_dir, min_steps, run_every_secs,
                              run_every_steps)


def _stop_without_progress(estimator, metric_name, max_steps, better, eval_dir, min_steps, run_every_secs, run_every_steps):
    def should_stop(metrics):
        best, best_step = None, None
        for step, values in metrics.items():
            if step < min_steps or metric_name not in values:
                continue
            if best is None or better(values[metric_name], best):
                best, best_step = values[metric_name], step
            elif step - best_step >= max_steps:
                return True
        return False
    return _hook_of(estimator, should_stop, eval_dir, run_every_secs, run_every_steps)


def stop_if_no_increase_hook(estimator, metric_name, max_steps_without_increase, eval_dir=None, min_steps=0, run_every_secs=60,
                             run_every_steps=None):
    return _stop_without_progress(estimator, metric_name, max_steps_without_increase, lambda value, best: value > best, eval_dir, min_steps,
                                  run_every_secs, run_every_steps)


def stop_if_no_decrease_hook(estimator, metric_name, max_steps_without_decrease, eval_dir=None, min_steps=0, run_every_secs=60,
                             run_every_steps=None):
    return _stop_without_progress(estimator, metric_name, max_steps_without_decrease, lambda value, best: value < best, eval_dir, min_steps,
                                  run_every_secs, run_every_steps)


class InMemoryEvaluatorHook(_hooks.SessionRunHook):
    """Evaluates with the current values of the variables every N steps of training in one process."""

    def __init__(self, estimator, input_fn, steps=None, hooks=None, name=None, every_n_iter=100):
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
        self._estimator, self._input_fn, self._steps, self._hooks, self._name = estimator, input_fn, steps, hooks, name
        self._every, self._count, self._evaluated = every_n_iter, 0, None

    def begin(self):
        import weir as tf
        self._saver = tf.train.Saver(save_relative_paths=True)
        self._step = tf.train.get_global_step()

    def _evaluate(self, session):
        import tempfile
        step = int(session.run(self._step))
        if step == self._evaluated:
            return
        self._evaluated = step
        with tempfile.TemporaryDirectory() as folder:
            path = self._saver.save(session, _os.path.join(folder, "model.ckpt"), write_meta_graph=False)
            self._estimator.evaluate(self._input_fn, self._steps, self._hooks, checkpoint_path=path, name=self._name)

    def after_create_session(self, session, coord):
        self._evaluate(session)

    def after_run(self, run_context, run_values):
        self._count += 1
        if self._count % self._every == 0:
            self._evaluate(run_context.session)

    def end(self, session):
        self._evaluate(session)


def add_metrics(estimator, metric_fn):
    """Returns an estimator that also computes the metrics of metric_fn(features, labels, predictions, config). metric_fn may omit
    parameters that it does not need.
    """
    from weir.lib.estimator import ModeKeys, arguments_of
    names = arguments_of(metric_fn)
    unknown = set(names) - {"features", "labels", "predictions", "config", "self"}
    if unknown:
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {sorted(unknown)}")

    def model_fn(features, labels, mode, config):
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        given = {"features": features, "labels": labels, "predictions": spec.predictions, "config": config}
        more = metric_fn(**{name: value for name, value in given.items() if name in names}) or {}
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **more})
    return _Estimator(model_fn, estimator.model_dir, estimator.config)


class _StopAtCheckpointStepHook(_hooks.SessionRunHook):
    """Stops at a step, after a checkpoint of that step exists."""

    def __init__(self, model_dir, last_step, wait_secs):
        self._model_dir, self._last_step, self._wait_secs = model_dir, last_step, wait_secs

    def begin(self):
        import weir as tf
        self._step = tf.train.get_global_step()

    def before_run(self, run_context):
        return _hooks.SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        import time

        from weir import _weir
        if int(run_values.results) + 1 < self._last_step:
            return
        while True:
            latest = _weir.latest_checkpoint(self._model_dir)
            if latest and int(_weir.load_variable(latest, "global_step")) >= self._last_step:
                return run_context.request_stop()
            time.sleep(self._wait_secs)


def make_stop_at_checkpoint_step_hook(estimator, last_step, wait_after_file_check_secs=30):
    """Returns a hook that stops the chief at a step, and the other tasks when the chief has saved that step."""
    if estimator.config.is_chief:
        return _hooks.StopAtStepHook(last_step=last_step)
    return _StopAtCheckpointStepHook(estimator.model_dir, last_step, wait_after_file_check_secs)
