"""tf.estimator.RunConfig and ModeKeys. The role of this task, from TF_CONFIG, is resolved in C++."""
import copy as _copy
import inspect as _inspect
import json as _json
import os as _os

from weir import _weir
from weir.proto import message_class

_USE_DEFAULT = object()


class ModeKeys:
    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class ContribModeKeys:
    """tf.contrib.learn.ModeKeys."""
    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


class TaskType:
    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


_REPLACEABLE = ["model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs", "session_config",
                "keep_checkpoint_max", "keep_checkpoint_every_n_hours", "log_step_count_steps", "train_distribute", "device_fn",
                "protocol", "eval_distribute", "experimental_distribute", "experimental_max_worker_delay_secs",
                "session_creation_timeout_secs"]


def _is_int(value):
    return hasattr(value, "__index__")


def _check(name, accepted, message):
    if not accepted:
        raise ValueError(f"{name} {message}")


def _session_config_of(role):
    """The default configuration of sessions in a cluster: a session sees its own task and the parameter servers only. None for jobs
    of other names."""
    own = {TaskType.CHIEF: ["/job:chief"], TaskType.MASTER: ["/job:master"], TaskType.PS: ["/job:worker", "/job:chief", "/job:master"],
           TaskType.WORKER: [f"/job:worker/task:{role['task_id']}"]}.get(role["task_type"])
    if own is None:
        return None
    config = message_class("ConfigProto")(allow_soft_placement=True, device_filters=["/job:ps", *own])
    config.graph_options.rewrite_options.meta_optimizer_iterations = 1
    return config


class RunConfig:
    """Settings of an Estimator: files, intervals and the role of this task, which the environment variable TF_CONFIG describes."""

    def __init__(self, model_dir=None, tf_random_seed=None, save_summary_steps=100, save_checkpoints_steps=_USE_DEFAULT,
                 save_checkpoints_secs=_USE_DEFAULT, session_config=None, keep_checkpoint_max=5, keep_checkpoint_every_n_hours=10000,
                 log_step_count_steps=100, train_distribute=None, device_fn=None, protocol=None, eval_distribute=None,
                 experimental_distribute=None, experimental_max_worker_delay_secs=None, session_creation_timeout_secs=7200):
        for what, value in (("train_distribute", train_distribute), ("eval_distribute", eval_distribute),
                            ("experimental_distribute", experimental_distribute)):
            if value is not None:
                raise NotImplementedError(f"RunConfig({what}=...): there are no distribution strategies; train on a cluster that TF_CONFIG "
                                          "describes, with parameter servers")
        if save_checkpoints_steps is _USE_DEFAULT and save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_steps, save_checkpoints_secs = None, 600
        elif save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is _USE_DEFAULT:
            save_checkpoints_steps = None
        text = _os.environ.get("TF_CONFIG")
        self._role = _weir.task_role("{}" if text is None else text)
        if model_dir is None:
            model_dir = self._role["model_dir"] or None
        elif self._role["model_dir"] and _os.fspath(model_dir) != self._role["model_dir"]:
            raise ValueError(f"`model_dir` provided in RunConfig construct, if set, must have the same value as the model_dir in TF_CONFIG. "
                             f"model_dir: {model_dir}\nTF_CONFIG[\"model_dir\"]: {self._role['model_dir']}.")
        if session_config is None and self._role["cluster"]:
            session_config = _session_config_of(self._role)
        self._set({"model_dir": model_dir, "tf_random_seed": tf_random_seed, "save_summary_steps": save_summary_steps,
                   "save_checkpoints_steps": save_checkpoints_steps, "save_checkpoints_secs": save_checkpoints_secs,
                   "session_config": session_config, "keep_checkpoint_max": keep_checkpoint_max,
                   "keep_checkpoint_every_n_hours": keep_checkpoint_every_n_hours, "log_step_count_steps": log_step_count_steps,
                   "train_distribute": None, "device_fn": device_fn, "protocol": protocol, "eval_distribute": None,
                   "experimental_max_worker_delay_secs": experimental_max_worker_delay_secs,
                   "session_creation_timeout_secs": session_creation_timeout_secs})

    def _set(self, values):
        checkpoints = values.get("save_checkpoints_steps"), values.get("save_checkpoints_secs")
        if all(value is not None for value in checkpoints):
            raise ValueError("`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.")
        for name, value in values.items():
            if name == "model_dir" and value is not None:
                _check(name, value, "should be non-empty.")
                value = _os.fspath(value)
            if value is not None and name in ("save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs", "keep_checkpoint_max"):
                _check(name, value >= 0, "should be >= 0")
            if value is not None and name in ("keep_checkpoint_every_n_hours", "log_step_count_steps", "session_creation_timeout_secs"):
                _check(name, value > 0, "should be > 0")
            if name == "tf_random_seed" and value is not None:
                _check(name, _is_int(value), "must be integer.")
            if name == "session_config" and value is not None:
                _check(name, type(value).__name__ == "ConfigProto", "must be instance of ConfigProto")
            if name == "device_fn" and value is not None:
                _check(name, callable(value) and list(_inspect.signature(value).parameters) == ["op"],
                       'must be callable with exactly one argument "op".')
            if name == "protocol" and value is not None:
                _check(name, value in ("grpc", "grpc+verbs"), "should be grpc or grpc+verbs")
            setattr(self, "_" + name, value)

    def replace(self, **kwargs):
        """Returns a copy with other values of some properties."""
        for name in kwargs:
            if name not in _REPLACEABLE:
                raise ValueError(f"Replacing {name} is not supported. Allowed properties are {_REPLACEABLE}.")
        if kwargs.get("save_checkpoints_steps") is not None and "save_checkpoints_secs" not in kwargs:
            kwargs["save_checkpoints_secs"] = None
        if kwargs.get("save_checkpoints_secs") is not None and "save_checkpoints_steps" not in kwargs:
            kwargs["save_checkpoints_steps"] = None
        made = _copy.copy(self)
        made._set(kwargs)
        return made

    _replace = replace

    cluster_spec = property(lambda self: _weir.ClusterSpec(self._role["cluster"]))
    task_type = property(lambda self: self._role["task_type"])
    task_id = property(lambda self: self._role["task_id"])
    global_id_in_cluster = property(lambda self: self._role["global_id_in_cluster"])
    master = property(lambda self: self._role["master"])
    evaluation_master = property(lambda self: self._role["evaluation_master"])
    is_chief = property(lambda self: self._role["is_chief"])
    num_ps_replicas = property(lambda self: self._role["num_ps_replicas"])
    num_worker_replicas = property(lambda self: self._role["num_worker_replicas"])
    service = property(lambda self: _json.loads(self._role["service"]) if self._role["service"] else None)

    device_fn = property(lambda self: self._device_fn)
    eval_distribute = property(lambda self: self._eval_distribute)
    experimental_max_worker_delay_secs = property(lambda self: self._experimental_max_worker_delay_secs)
    keep_checkpoint_every_n_hours = property(lambda self: self._keep_checkpoint_every_n_hours)
    keep_checkpoint_max = property(lambda self: self._keep_checkpoint_max)
    log_step_count_steps = property(lambda self: self._log_step_count_steps)
    model_dir = property(lambda self: self._model_dir)
    protocol = property(lambda self: self._protocol)
    save_checkpoints_secs = property(lambda self: self._save_checkpoints_secs)
    save_checkpoints_steps = property(lambda self: self._save_checkpoints_steps)
    save_summary_steps = property(lambda self: self._save_summary_steps)
    session_config = property(lambda self: self._session_config)
    session_creation_timeout_secs = property(lambda self: self._session_creation_timeout_secs)
    tf_random_seed = property(lambda self: self._tf_random_seed)
    train_distribute = property(lambda self: self._train_distribute)
