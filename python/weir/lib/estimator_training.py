"""tf.estimator.train_and_evaluate with its specs and exporters. What each role does is C++ (train/train_and_evaluate.h)."""
import collections as _collections
import os as _os

from weir import _weir
from weir.lib import gfile as _gfile
from weir.lib import log as _log
from weir.lib.estimator import Estimator as _Estimator
from weir.lib.estimator import arguments_of as _arguments_of
from weir.lib.hooks import CheckpointSaverListener as _CheckpointSaverListener
from weir.lib.hooks import SessionRunHook as _SessionRunHook


def _checked_input_fn(input_fn):
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")
    return input_fn


def _all_of(kind, items, name, what):
    items = tuple(items or ())
    for item in items:
        if not isinstance(item, kind):
            raise TypeError(f"All {name} must be `{what}` instances, given: {item}")
    return items


def _positive(name, value):
    if value is not None and value <= 0:
        raise ValueError(f"Must specify {name} > 0, given: {value}")
    return value


class TrainSpec(_collections.namedtuple("TrainSpec", ["input_fn", "max_steps", "hooks", "saving_listeners"])):
    """How train_and_evaluate trains."""

    def __new__(cls, input_fn, max_steps=None, hooks=None, saving_listeners=None):
        return super().__new__(cls, _checked_input_fn(input_fn), _positive("max_steps", max_steps),
                               _all_of(_SessionRunHook, hooks, "hooks", "SessionRunHook"),
                               _all_of(_CheckpointSaverListener, saving_listeners, "saving_listeners", "CheckpointSaverListener"))


class EvalSpec(_collections.namedtuple("EvalSpec", ["input_fn", "steps", "name", "hooks", "exporters", "start_delay_secs",
                                                    "throttle_secs"])):
    """How train_and_evaluate evaluates and exports."""

    def __new__(cls, input_fn, steps=100, name=None, hooks=None, exporters=None, start_delay_secs=120, throttle_secs=600):
        _checked_input_fn(input_fn)
        _positive("steps", steps)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        hooks = _all_of(_SessionRunHook, hooks, "hooks", "SessionRunHook")
        exporters = cls._checked_exporters(exporters)
        for what, value in (("start_delay_secs", start_delay_secs), ("throttle_secs", throttle_secs)):
            if value < 0:
                raise ValueError(f"Must specify {what} >= 0, given: {value}")
        return super().__new__(cls, input_fn, steps, name, hooks, exporters, start_delay_secs, throttle_secs)

    @staticmethod
    def _checked_exporters(exporters):
        if exporters is None:
            return ()
        found = (exporters,) if isinstance(exporters, Exporter) else exporters
        try:
            found = tuple(found)
            valid = all(isinstance(item, Exporter) for item in found)
        except TypeError:
            valid = False
        if not valid:
            raise TypeError(f"`exporters` must be an Exporter, an iterable of Exporter, or `None`, found {exporters}.")
        names = [item.name for item in found]
        if None in names or len(set(names)) != len(names):
            raise ValueError(f"`exporters` must have unique names. Such a name cannot be `None`. All exporter names: {names}")
        return found


class _Listener(_CheckpointSaverListener):
    """Evaluates checkpoints while the model trains."""

    def __init__(self, inner):
        self._inner = inner

    def begin(self):
        self._inner.begin()

    def after_save(self, session, global_step_value):
        return self._inner.after_save(int(global_step_value))

    def end(self, session, global_step_value):
        self._inner.end(int(global_step_value))


class _Program:
    """The callbacks of C++, which decides from the role of this task which of them to call."""

    def __init__(self, estimator, train_spec, eval_spec):
        self.estimator, self.train_spec, self.eval_spec = estimator, train_spec, eval_spec
        self.metrics = self.exports = self.server = None

    def start_server(self):
        import weir as tf
        config = self.estimator.config
        self.server = tf.train.Server(config.cluster_spec, job_name=config.task_type, task_index=config.task_id,
                                      start=False, protocol=config.protocol)
        self.server.start()

    def join_server(self):
        self.server.join()

    def train(self, listener):
        listeners = self.train_spec.saving_listeners + (() if listener is None else (_Listener(listener),))
        self.estimator.train(input_fn=self.train_spec.input_fn, max_steps=self.train_spec.max_steps, hooks=list(self.train_spec.hooks),
                             saving_listeners=listeners)

    def evaluate(self, checkpoint):
        spec = self.eval_spec
        self.metrics = self.estimator.evaluate(input_fn=spec.input_fn, steps=spec.steps, name=spec.name, checkpoint_path=checkpoint,
                                               hooks=spec.hooks)
        if not isinstance(self.metrics, dict):
            raise TypeError(f"`Estimator.evaluate` should return dict. Given {type(self.metrics)}.")
        if "global_step" not in self.metrics:
            raise ValueError(f"`Estimator.evaluate` result should have `global_step`. Given {self.metrics}.")
        return int(self.metrics["global_step"])

    def export(self, checkpoint, is_last):
        base = _os.path.join(self.estimator.model_dir, "export")
        self.exports = [exporter.export(estimator=self.estimator, export_path=_os.path.join(base, exporter.name),
                                        checkpoint_path=checkpoint, eval_result=self.metrics, is_the_final_export=is_last)
                        for exporter in self.eval_spec.exporters]


def train_and_evaluate(estimator, train_spec, eval_spec):
    """Trains, evaluates or serves, depending on the role of this task. A process without a cluster trains and evaluates, and
    returns the last metrics and exports.
    """
    for name, value, kind in (("estimator", estimator, _Estimator), ("train_spec", train_spec, TrainSpec),
                              ("eval_spec", eval_spec, EvalSpec)):
        if not isinstance(value, kind):
            raise TypeError(f"`{name}` must have type `tf.estimator.{kind.__name__}`. Got: {type(value)}")
    program = _Program(estimator, train_spec, eval_spec)
    config = estimator.config
    _weir.train_and_evaluate(config, estimator.model_dir, program, train_spec.max_steps, eval_spec.start_delay_secs,
                             eval_spec.throttle_secs)
    alone = not config.cluster_spec.as_dict() and config.task_type != "evaluator"
    return (program.metrics, program.exports) if alone else None


# --- exporters -----------------------------------------------------------------------------------------------------------
class Exporter:
    """Base class of exporters. train_and_evaluate calls export after each evaluation."""

    @property
    def name(self):
        """The directory below `export`."""
        raise NotImplementedError(f"name is not implemented for {type(self).__name__}.")

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        """Returns what train_and_evaluate is to return, for example the path of the exported model."""
        raise NotImplementedError(f"export is not implemented for {type(self).__name__}.")


class _ModelExporter(Exporter):
    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False):
        self._name, self._serving_input_receiver_fn = name, serving_input_receiver_fn
        self._assets_extra, self._as_text = assets_extra, as_text

    @property
    def name(self):
        return self._name

    def _save(self, estimator, export_path, checkpoint_path):
        return estimator.export_saved_model(export_path, self._serving_input_receiver_fn, assets_extra=self._assets_extra,
                                            as_text=self._as_text, checkpoint_path=checkpoint_path)


class FinalExporter(_ModelExporter):
    """Exports the model once, at the end of training."""

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if not is_the_final_export:
            return None
        _log.info("Performing the final export in the end of training.")
        return self._save(estimator, export_path, checkpoint_path)


class _KeepingExporter(_ModelExporter):
    def __init__(self, name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be positive number")
        self._exports_to_keep = exports_to_keep

    def _save(self, estimator, export_path, checkpoint_path):
        saved = super()._save(estimator, export_path, checkpoint_path)
        if self._exports_to_keep is not None:
            _weir.delete_old_exports(export_path, self._exports_to_keep)
        return saved


class LatestExporter(_KeepingExporter):
    """Exports the model after each evaluation, and keeps the latest exports."""

    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False, exports_to_keep=5):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        return self._save(estimator, export_path, checkpoint_path)


def _loss_smaller(best_eval_result, current_eval_result):
    for result, what in ((best_eval_result, "best_eval_result"), (current_eval_result, "current_eval_result")):
        if not result or "loss" not in result:
            raise ValueError(f"{what} cannot be empty or no loss is found in it.")
    return best_eval_result["loss"] > current_eval_result["loss"]


class BestExporter(_KeepingExporter):
    """Exports the model when compare_fn prefers its evaluation to the best one so far."""

    def __init__(self, name="best_exporter", serving_input_receiver_fn=None, event_file_pattern="eval/*.tfevents.*",
                 compare_fn=_loss_smaller, assets_extra=None, as_text=False, exports_to_keep=5):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        if not callable(compare_fn):
            raise TypeError("`compare_fn` must be callable.")
        arguments = _arguments_of(compare_fn)
        for needed in ("best_eval_result", "current_eval_result"):
            if needed not in arguments:
                raise ValueError(f"compare_fn ({compare_fn}) must include {needed} argument.")
        unknown = sorted(set(arguments) - {"best_eval_result", "current_eval_result"})
        if unknown:
            raise ValueError(f"compare_fn ({compare_fn}) has following not expected args: {unknown}")
        self._compare_fn, self._event_file_pattern = compare_fn, event_file_pattern
        self._best, self._model_dir = None, None

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if self._model_dir != estimator.model_dir and self._event_file_pattern:
            _log.info("Loading best metric from event files.")
            self._model_dir = estimator.model_dir
            self._best = self._best_of_events(_os.path.join(self._model_dir, self._event_file_pattern))
        if self._best is not None and not self._compare_fn(best_eval_result=self._best, current_eval_result=eval_result):
            return None
        _log.info("Performing best model export.")
        self._best = eval_result
        return self._save(estimator, export_path, checkpoint_path)

    def _best_of_events(self, pattern):
        from weir.lib.summary import summary_iterator
        best = None
        for path in _gfile.glob(pattern):
            for event in summary_iterator(path):
                result = {value.tag: value.simple_value for value in event.summary.value if value.HasField("simple_value")}
                if result and (best is None or self._compare_fn(best_eval_result=best, current_eval_result=result)):
                    best = result
        return best
