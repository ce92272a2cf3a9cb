"""tf.estimator.Estimator and EstimatorSpec. The training and evaluation loops are in C++ (train/estimator.h)."""
import collections as _collections
import copy as _copy
import functools as _functools
import inspect as _inspect
import os as _os
import tempfile as _tempfile

from weir import _weir
from weir.lib import estimator_export as _export
from weir.lib import log as _log
from weir.lib.estimator_config import ModeKeys, RunConfig, TaskType  # noqa: F401 (TaskType: a public name)
from weir.lib.hooks import CheckpointSaverListener as _CheckpointSaverListener
from weir.lib.hooks import SessionRunHook as _SessionRunHook
from weir.lib.scaffold import Scaffold as _Scaffold

_MODEL_FN_ARGUMENTS = {"features", "labels", "mode", "params", "self", "config"}


def arguments_of(function):
    """Returns the names of a function's parameters, without those that functools.partial has set."""
    bound = set()
    while isinstance(function, _functools.partial):
        bound |= set(function.keywords)
        bound |= set(list(_inspect.signature(function.func).parameters)[:len(function.args)])
        function = function.func
    parameters = _inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in bound]


# --- EstimatorSpec -----------------------------------------------------------------------------------------------------------
def _is_tensor(value):
    return isinstance(value, _weir.Tensor)


def _checked_loss(loss, mode):
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        return None
    if not _is_tensor(loss):
        raise TypeError(f"loss must be Tensor, given: {loss}")
    shape = loss.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    if shape.ndims != 0:
        import weir as tf
        loss = tf.reshape(loss, [])
    return loss


def _checked_predictions(predictions, mode):
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions.")
        return {}
    items = predictions.items() if isinstance(predictions, dict) else [(None, predictions)]
    for name, value in items:
        if not _is_tensor(value) and not hasattr(value, "dense_shape"):
            raise TypeError(f"predictions{'' if name is None else f'[{name}]'} must be Tensor, given: {value}")
    return predictions


def _checked_metrics(eval_metric_ops):
    if eval_metric_ops is None:
        return {}
    if not isinstance(eval_metric_ops, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {eval_metric_ops}")
    for name, pair in eval_metric_ops.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Values of eval_metric_ops must be (metric_value, update_op) tuples, given: {pair} for key: {name}")
        for part in pair:
            if not _is_tensor(part) and not isinstance(part, _weir.Operation):
                raise TypeError(f"The value and the update of a metric must be tensors or operations, given: {part} for key: {name}")
    return dict(eval_metric_ops)


def _checked_hooks(hooks):
    hooks = tuple(hooks or ())
    for hook in hooks:
        if not isinstance(hook, _SessionRunHook):
            raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
    return hooks


def _check_graph(parts):
    graph = _weir.get_default_graph()
    for name, part in parts:
        if getattr(part, "graph", graph) is not graph:
            raise ValueError(f"{name} must be from the default graph. Possible causes of this error include: it was created outside of the "
                             f"context of the default graph, or of a different graph: {part}")


class EstimatorSpec(_collections.namedtuple("EstimatorSpec", [
        "mode", "predictions", "loss", "train_op", "eval_metric_ops", "export_outputs", "training_chief_hooks", "training_hooks",
        "scaffold", "evaluation_hooks", "prediction_hooks"])):
    """What a model function returns: the parts of the model that the mode needs."""

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None, export_outputs=None,
                training_chief_hooks=None, training_hooks=None, scaffold=None, evaluation_hooks=None, prediction_hooks=None):
        if train_op is None:
            if mode == ModeKeys.TRAIN:
                raise ValueError("Missing train_op.") if loss is not None else ValueError("Missing loss.")
        elif not _is_tensor(train_op) and not isinstance(train_op, _weir.Operation):
            raise TypeError(f"train_op must be Operation or Tensor, given: {train_op}")
        loss = _checked_loss(loss, mode)
        predictions = _checked_predictions(predictions, mode)
        eval_metric_ops = _checked_metrics(eval_metric_ops)
        _check_graph([("loss", loss), ("train_op", train_op), *((f"eval_metric_ops[{name}]", part) for name, pair in
                                                                eval_metric_ops.items() for part in pair)])
        if mode == ModeKeys.PREDICT:
            export_outputs = _export.outputs_of_spec(export_outputs, predictions)
        if scaffold is None:
            scaffold = _Scaffold()
        elif not isinstance(scaffold, _weir.Scaffold):
            raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
        return super().__new__(cls, mode, predictions, loss, train_op, eval_metric_ops, export_outputs,
                               _checked_hooks(training_chief_hooks), _checked_hooks(training_hooks), scaffold,
                               _checked_hooks(evaluation_hooks), _checked_hooks(prediction_hooks))

    def _replace(self, **kwargs):
        if "mode" in kwargs and kwargs["mode"] != self.mode:
            raise ValueError("mode of EstimatorSpec cannot be changed.")
        return EstimatorSpec(**{**self._asdict(), **kwargs})


# --- input ---------------------------------------------------------------------------------------------------------------
class _DatasetInitializerHook(_SessionRunHook):
    """Initializes the iterator of a dataset that an input function returned."""

    def __init__(self, iterator):
        self._iterator = iterator

    def begin(self):
        self._initializer = self._iterator.initializer

    def after_create_session(self, session, coord):
        session.run(self._initializer)


def parse_input(result):
    """Returns the features, the labels and the hooks of what an input function returned."""
    from weir.lib.datasets import Dataset
    hooks = []
    if isinstance(result, Dataset):
        import weir as tf
        iterator = tf.data.make_initializable_iterator(result)
        hooks.append(_DatasetInitializerHook(iterator))
        result = iterator.get_next()
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
        return result[0], result[1], hooks
    return result, None, hooks


_Model = _collections.namedtuple("_Model", ["spec", "input_hooks", "predictions", "signatures"])


# --- Estimator ---------------------------------------------------------------------------------------------------------------
class Estimator:
    """Trains, evaluates, predicts and exports with a model that model_fn builds."""

    def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None):
        self._check_overrides()
        if config is None:
            config = RunConfig()
        elif not isinstance(config, RunConfig):
            raise ValueError(f"config must be an instance of `RunConfig`, but provided {config}.")
        self._config = self._with_model_dir(config, model_dir)
        self._model_dir = self._config.model_dir
        self._session_config = self._config.session_config
        self._device_fn = self._config.device_fn
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        self._check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params = _copy.deepcopy(params or {})
        self._warm_start_settings = _warm_start_settings(warm_start_from)

    def _check_overrides(self):
        allowed = {"model_fn", "_create_and_assert_global_step"}
        if type(self).__module__.startswith("weir.lib."):
            return
        own = {name for base in type(self).__mro__ if base.__module__.startswith("weir.lib.") and issubclass(base, Estimator)
               for name in base.__dict__ if not name.startswith("__")}
        overridden = sorted(own & set(type(self).__dict__) - allowed)
        if overridden:
            raise ValueError(f"Subclasses of Estimator cannot override members of Estimator. {type(self)} does override {overridden}")

    @staticmethod
    def _with_model_dir(config, model_dir):
        if model_dir is not None:
            model_dir = _os.fspath(model_dir)
            if config.model_dir is not None and config.model_dir != model_dir:
                raise ValueError("`model_dir` are set both in constructor and `RunConfig`, but with different values. In constructor: "
                                 f"'{model_dir}', in `RunConfig`: '{config.model_dir}' ")
        if model_dir is None and config.model_dir is None:
            model_dir = _tempfile.mkdtemp()
            _log.warning("Using temporary folder as model directory: %s", model_dir)
        return config if model_dir is None else config.replace(model_dir=model_dir)

    @staticmethod
    def _check_model_fn(model_fn, params):
        arguments = set(arguments_of(model_fn))
        if "features" not in arguments:
            raise ValueError(f"model_fn ({model_fn}) must include features argument.")
        if params is not None and "params" not in arguments:
            raise ValueError(f"model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to Estimator.")
        if params is None and "params" in arguments:
            _log.warning("Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.", model_fn)
        unknown = sorted(arguments - _MODEL_FN_ARGUMENTS)
        if unknown:
            raise ValueError(f"model_fn ({model_fn}) has following not expected args: {unknown}")

    model_dir = property(lambda self: self._model_dir)
    config = property(lambda self: _copy.deepcopy(self._config))
    params = property(lambda self: _copy.deepcopy(self._params))

    @property
    def model_fn(self):
        """The model function with the arguments features, labels, mode and config."""
        def public_model_fn(features, labels, mode, config):
            return self._call_model_fn(features, labels, mode, config)
        return public_model_fn

    # --- checkpoints ---
    def latest_checkpoint(self):
        return _weir.latest_checkpoint(self.model_dir)

    def _trained_checkpoint(self):
        latest = self.latest_checkpoint()
        if not latest:
            raise ValueError(f"Could not find trained model in model_dir: {self._model_dir}.")
        return latest

    def get_variable_value(self, name):
        """Returns the value of a variable in the latest checkpoint."""
        return _weir.load_variable(self._trained_checkpoint(), name)

    def get_variable_names(self):
        return [name for name, _ in _weir.list_variables(self._trained_checkpoint())]

    def eval_dir(self, name=None):
        """The directory for the summaries of evaluations with this name."""
        return _weir.estimator_eval_dir(self._model_dir, name)

    # --- building ---
    def _call_input_fn(self, input_fn, mode):
        import weir as tf
        arguments = arguments_of(input_fn)
        given = {"mode": mode, "params": self.params, "config": self.config}
        with tf.device("/cpu:0"):
            return input_fn(**{name: value for name, value in given.items() if name in arguments})

    def _call_model_fn(self, features, labels, mode, config):
        arguments = arguments_of(self._model_fn)
        given = {"labels": labels, "mode": mode, "params": self.params, "config": config}
        if "labels" not in arguments and labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        _log.info("Calling model_fn.")
        spec = self._model_fn(features=features, **{name: value for name, value in given.items() if name in arguments})
        _log.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    def _builder(self, input_fn, predict_keys=None):
        """Returns the function that C++ calls to add the input and the model to the default graph."""
        def build(mode):
            result = self._call_input_fn(input_fn, mode)
            if mode == ModeKeys.PREDICT:
                features, _, hooks = parse_input(result) if not isinstance(result, (list, tuple)) else (result[0], None, [])
                spec = self._call_model_fn(features, None, mode, self.config)
                return _Model(spec, hooks, _selected(spec.predictions, predict_keys), {})
            features, labels, hooks = parse_input(result)
            spec = self._call_model_fn(features, labels, mode, self.config)
            if mode == ModeKeys.TRAIN and self._warm_start_settings:
                from weir.lib.warm_start import warm_start
                warm_start(*self._warm_start_settings)
            return _Model(spec, hooks, None, {})
        return build

    def _arguments(self, build):
        return _weir.Graph(), self._config, self._model_dir, build

    # --- loops ---
    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        """Trains for some more steps, up to a global step, or until the input ends. Returns self."""
        listeners = list(saving_listeners or [])
        for listener in listeners:
            if not isinstance(listener, _CheckpointSaverListener):
                raise TypeError(f"saving_listeners must be a list of CheckpointSaverListener, given: {listener}")
        loss = _weir.estimator_train(*self._arguments(self._builder(input_fn)), _session_hooks(hooks), steps, max_steps, listeners)
        if loss is not None:
            _log.info("Loss for final step: %s.", loss)
        return self

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
        """Returns the values of the metrics, with "loss" and "global_step", and writes them as summaries."""
        return _weir.estimator_evaluate(*self._arguments(self._builder(input_fn)), _session_hooks(hooks), steps, checkpoint_path, name)

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None, yield_single_examples=True):
        """Yields the predictions for each example, or for each batch."""
        predictions = _weir.estimator_predict(*self._arguments(self._builder(input_fn, predict_keys)), _session_hooks(hooks),
                                              checkpoint_path)
        try:
            while (batch := predictions.next()) is not None:
                if not yield_single_examples:
                    yield batch
                elif isinstance(batch, dict):
                    for i in range(_batch_length(batch)):
                        yield {key: value[i] for key, value in batch.items()}
                else:
                    yield from batch
        finally:
            predictions.close(True)  # no effect at the end of the input

    # --- export ---
    def export_saved_model(self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False, checkpoint_path=None,
                           experimental_mode=ModeKeys.PREDICT):
        """Saves a model for servers to a new directory below export_dir_base. Returns the directory, as bytes."""
        return self._export(export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path, True, experimental_mode)

    def export_savedmodel(self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False, checkpoint_path=None,
                          strip_default_attrs=False):
        return self._export(export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path, strip_default_attrs,
                            ModeKeys.PREDICT)

    def _export(self, base, receiver_fn, assets_extra, as_text, checkpoint_path, strip_default_attrs, mode):
        if receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")

        def build(mode):
            receiver = receiver_fn()
            spec = self._call_model_fn(receiver.features, getattr(receiver, "labels", None), mode, self.config)
            outputs = spec.export_outputs if mode == ModeKeys.PREDICT else {mode: _supervised_output(spec, mode)}
            return _Model(spec, [], None, _export.signatures_of(outputs, receiver))
        tags = {ModeKeys.PREDICT: ["serve"], ModeKeys.TRAIN: ["train"], ModeKeys.EVAL: ["eval"]}[mode]
        return _weir.estimator_export(*self._arguments(build), base, assets_extra or {}, as_text, checkpoint_path, mode, tags,
                                      strip_default_attrs).encode()


def _supervised_output(spec, mode):
    outputs = {"loss": spec.loss}
    predictions = spec.predictions if isinstance(spec.predictions, dict) else {"output": spec.predictions}
    outputs.update({f"predictions/{name}": value for name, value in predictions.items()})
    for name, (value, update) in spec.eval_metric_ops.items():
        outputs[f"metrics/{name}/value"] = value
        if _is_tensor(update):
            outputs[f"metrics/{name}/update_op"] = update
    return _export.PredictOutput(outputs)


def _session_hooks(hooks):
    hooks = list(hooks or [])
    for hook in hooks:
        if not isinstance(hook, _SessionRunHook):
            raise TypeError(f"Hooks must be a SessionRunHook, given: {hook}")
    return hooks


def _selected(predictions, keys):
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    chosen = {name: value for name, value in predictions.items() if name in keys}
    if not chosen:
        raise ValueError(f"Expected to run at least one output from {list(predictions)}, provided {keys}.")
    return chosen


def _batch_length(batch):
    lengths = {name: value.shape[0] for name, value in batch.items()}
    for name, length in lengths.items():
        if length != next(iter(lengths.values())):
            raise ValueError(f"Batch length of predictions should be same. {name} has different batch length than others.")
    return next(iter(lengths.values()), 0)


# --- warm start --------------------------------------------------------------------------------------------------------------
class VocabInfo(_collections.namedtuple("VocabInfo", ["new_vocab", "new_vocab_size", "num_oov_buckets", "old_vocab", "old_vocab_size",
                                                      "backup_initializer", "axis"])):
    """The vocabulary of a variable's rows (or columns, with axis=1), and the one that the checkpoint was trained with."""

    def __new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size=-1, backup_initializer=None, axis=0):
        if axis not in (0, 1):
            raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")
        return super().__new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis)


class WarmStartSettings(_collections.namedtuple("WarmStartSettings", ["ckpt_to_initialize_from", "vars_to_warm_start",
                                                                      "var_name_to_vocab_info", "var_name_to_prev_var_name"])):
    """Which variables of a model start with the values of a checkpoint."""

    def __new__(cls, ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None, var_name_to_prev_var_name=None):
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        return super().__new__(cls, ckpt_to_initialize_from, vars_to_warm_start, var_name_to_vocab_info or {},
                               var_name_to_prev_var_name or {})


def _warm_start_settings(given):
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if isinstance(given, (str, bytes)):
        from weir.lib import saved_model
        path = given.decode() if isinstance(given, bytes) else given
        if saved_model.contains_saved_model(path):
            path = _os.path.join(path, saved_model.VARIABLES_DIRECTORY, saved_model.VARIABLES_FILENAME)
        return WarmStartSettings(path)
    raise ValueError(f"warm_start_from must be a string or a WarmStartSettings, instead got {type(given)}")
