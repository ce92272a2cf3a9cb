"""tf.estimator: roles from TF_CONFIG, what each role does, and the results of training, evaluation and prediction."""
import contextlib
import json
import os
import sys
import tempfile
from unittest import mock

import numpy as np

CASES = {}

PROPERTIES = ["task_type", "task_id", "global_id_in_cluster", "master", "evaluation_master", "is_chief", "num_ps_replicas",
              "num_worker_replicas", "model_dir", "service"]
CHIEF = {"chief": ["c:1"], "ps": ["p:1", "p:2"], "worker": ["w:1", "w:2"]}
MASTER = {"master": ["c:1"], "ps": ["p:1", "p:2"], "worker": ["w:1", "w:2"]}
OTHERS = {**CHIEF, "aaa": ["a:1", "a:2"], "zzz": ["z:1"], "evaluator": ["e:1"]}


@contextlib.contextmanager
def tf_config(config):
    changed = {} if config is None else {"TF_CONFIG": json.dumps(config)}
    with mock.patch.dict(os.environ, changed):
        if config is None:
            os.environ.pop("TF_CONFIG", None)
        yield


def role(config):
    def case(tf):
        with tf_config(config):
            made = tf.estimator.RunConfig()
        filters = list(made.session_config.device_filters) if made.session_config else None
        return [made.cluster_spec.as_dict(), [getattr(made, name) for name in PROPERTIES], filters]
    return case


def task(cluster, job, index, **more):
    return {"cluster": cluster, "task": {"type": job, "index": index}, **more}


CONFIGS = {
    "none": None, "empty": {}, "worker without a cluster": {"task": {"type": "worker", "index": 0}},
    "second worker without a cluster": {"task": {"type": "worker", "index": 1}}, "chief without a cluster": {"task": {"type": "chief", "index": 0}},
    "evaluator without a cluster": {"task": {"type": "evaluator", "index": 0}}, "only an index": {"task": {"index": 1}},
    "empty cluster and task": {"cluster": {}, "task": {}}, "no task": {"cluster": CHIEF}, "no type": {"cluster": CHIEF, "task": {"index": 0}},
    "no index": {"cluster": CHIEF, "task": {"type": "worker"}}, "index as text": task(CHIEF, "worker", "1"),
    "unknown job": task(CHIEF, "baker", 0), "negative index": task(CHIEF, "worker", -1), "index too large": task(CHIEF, "worker", 2),
    "master that is no chief": task(CHIEF, "master", 0), "no chief": task({"ps": ["p:1"], "worker": ["w:1"]}, "worker", 0),
    "evaluator of no chief": task({"ps": ["p:1"], "worker": ["w:1"]}, "evaluator", 0), "two chiefs": task({"chief": ["a:1", "b:1"]}, "chief", 0),
    "chief and master": task({"chief": ["a:1"], "master": ["b:1"]}, "chief", 0), "two masters": task({"master": ["a:1", "b:1"]}, "master", 0),
    "chief alone": task({"chief": ["a:1"]}, "chief", 0), "master alone": task({"master": ["a:1"]}, "master", 0),
    "chief and evaluator": task({"chief": ["a:1"], "evaluator": ["e:1"]}, "chief", 0),
    "evaluator of a master": task(MASTER, "evaluator", 0), "evaluator in the cluster": task(OTHERS, "evaluator", 0),
    "empty ps job": task({"chief": ["a:1"], "ps": []}, "chief", 0), "gaps": task({"chief": ["a:1"], "ps": {"3": "p:1"}}, "ps", 3),
    "session masters": {"session_master": "grpc://foo", "eval_session_master": "grpc://bar"},
    "session master of a chief": task(CHIEF, "chief", 0, session_master="grpc://foo", eval_session_master="grpc://bar"),
    "session master of an evaluator": task(CHIEF, "evaluator", 0, session_master="grpc://foo", eval_session_master="grpc://bar"),
    "model_dir": {"model_dir": "/x"}, "empty model_dir": {"model_dir": ""}, "service": {"service": {"a": 1}}, "wrong service": {"service": 3},
    "cluster that is a list": {"cluster": []}, "cluster that is a number": {"cluster": 3}, "job that is text": task({"chief": "c:1"}, "chief", 0),
    **{f"{job} {index} of a chief": task(CHIEF, job, index) for job, index in
       [("chief", 0), ("worker", 0), ("worker", 1), ("ps", 0), ("ps", 1), ("evaluator", 0), ("evaluator", 1), ("chief", 1)]},
    **{f"{job} {index} of a master": task(MASTER, job, index) for job, index in [("master", 0), ("worker", 1), ("ps", 1), ("chief", 0)]},
    **{f"{job} {index} of many jobs": task(OTHERS, job, index) for job, index in
       [("aaa", 0), ("aaa", 1), ("zzz", 0), ("ps", 1), ("worker", 1), ("chief", 0)]},
}
CASES.update({f"RunConfig {name}": role(config) for name, config in CONFIGS.items()})


def settings(**kwargs):
    def case(tf):
        with tf_config(None):
            made = tf.estimator.RunConfig(**{name: value(tf) if name == "session_config" else value for name, value in kwargs.items()})
        return [made.save_checkpoints_steps, made.save_checkpoints_secs, made.save_summary_steps, made.keep_checkpoint_max,
                made.tf_random_seed, made.log_step_count_steps, made.model_dir, made.protocol]
    return case


def replaced(**kwargs):
    def case(tf):
        with tf_config(None):
            first = tf.estimator.RunConfig(model_dir="a")
            made = first.replace(**kwargs)
        return [made.save_checkpoints_steps, made.save_checkpoints_secs, made.model_dir, made.tf_random_seed, first.model_dir]
    return case


for kwargs in [dict(model_dir=""), dict(save_checkpoints_steps=1, save_checkpoints_secs=1), dict(save_checkpoints_steps=None, save_checkpoints_secs=None),
               dict(save_checkpoints_steps=5), dict(save_checkpoints_secs=5), dict(save_checkpoints_steps=0), dict(save_summary_steps=0),
               dict(save_summary_steps=-1), dict(keep_checkpoint_max=0), dict(keep_checkpoint_max=-1), dict(keep_checkpoint_max=None),
               dict(tf_random_seed=1.5), dict(tf_random_seed="a"), dict(log_step_count_steps=0), dict(log_step_count_steps=None),
               dict(protocol="grpc"), dict(protocol=3), dict(device_fn=3), dict(device_fn=lambda op: ""), dict(device_fn=lambda: ""),
               dict(keep_checkpoint_every_n_hours=0), dict(save_summary_steps=None), dict(session_creation_timeout_secs=0),
               dict(save_checkpoints_secs=-1), dict(session_config=lambda tf: 3), dict(session_config=lambda tf: tf.ConfigProto())]:
    label = ", ".join(f"{name}={'f' if callable(value) else value}" for name, value in kwargs.items())
    while f"RunConfig({label})" in CASES:
        label += " again"
    CASES[f"RunConfig({label})"] = settings(**kwargs)
for kwargs in [dict(model_dir="x"), dict(save_checkpoints_steps=5), dict(save_checkpoints_secs=5), dict(foo=1), dict(tf_random_seed=5), dict(master="a"),
               dict(save_checkpoints_steps=5, save_checkpoints_secs=5), dict(service=1)]:
    CASES[f"RunConfig.replace({kwargs})"] = replaced(**kwargs)


# --- specs ---------------------------------------------------------------------------------------------------------------------
def spec(mode, build):
    def case(tf):
        made = tf.estimator.EstimatorSpec(mode, **build(tf))
        return [list(made._fields), made.mode, sorted(made.export_outputs) if made.export_outputs else made.export_outputs,
                sorted(made.predictions) if isinstance(made.predictions, dict) else made.predictions.name,
                made.loss.shape.as_list() if made.loss is not None else None, len(made.eval_metric_ops), made.scaffold is not None]
    return case


SPECS = {
    "train without a loss": ("train", lambda tf: dict(train_op=tf.no_op())),
    "train without an op": ("train", lambda tf: dict(loss=tf.constant(1.0))),
    "train": ("train", lambda tf: dict(loss=tf.constant(1.0), train_op=tf.no_op())),
    "train with a vector": ("train", lambda tf: dict(loss=tf.constant([1.0, 2.0]), train_op=tf.no_op())),
    "train with a vector of one": ("train", lambda tf: dict(loss=tf.constant([1.0]), train_op=tf.no_op())),
    "train with a number": ("train", lambda tf: dict(loss=1.0, train_op=tf.no_op())),
    "train op that is a number": ("train", lambda tf: dict(loss=tf.constant(1.0), train_op=3)),
    "train op that is a tensor": ("train", lambda tf: dict(loss=tf.constant(1.0), train_op=tf.constant(3))),
    "eval without a loss": ("eval", lambda tf: {}),
    "eval": ("eval", lambda tf: dict(loss=tf.constant(1.0), eval_metric_ops={"m": tf.metrics.mean(1.0)})),
    "eval with a number as metric": ("eval", lambda tf: dict(loss=tf.constant(1.0), eval_metric_ops={"a": 3})),
    "eval with a list of metrics": ("eval", lambda tf: dict(loss=tf.constant(1.0), eval_metric_ops=[3])),
    "infer without predictions": ("infer", lambda tf: {}),
    "infer": ("infer", lambda tf: dict(predictions=tf.constant(1.0))),
    "infer with a dict": ("infer", lambda tf: dict(predictions={"a": tf.constant(1), "b": tf.constant(2)})),
    "infer with a number in a dict": ("infer", lambda tf: dict(predictions={"a": 3})),
    "infer with a number": ("infer", lambda tf: dict(predictions=3)),
    "infer with wrong hooks": ("infer", lambda tf: dict(predictions=tf.constant(1.0), prediction_hooks=[3])),
    "infer with a wrong scaffold": ("infer", lambda tf: dict(predictions=tf.constant(1.0), scaffold=3)),
    "infer with wrong outputs": ("infer", lambda tf: dict(predictions=tf.constant(1.0), export_outputs={"a": 3})),
    "infer with outputs that are no dict": ("infer", lambda tf: dict(predictions=tf.constant(1.0), export_outputs=3)),
    "infer with two outputs": ("infer", lambda tf: dict(predictions=tf.constant(1.0), export_outputs={
        name: tf.estimator.export.PredictOutput(tf.constant(1)) for name in "ab"})),
    "infer with one output": ("infer", lambda tf: dict(predictions=tf.constant(1.0), export_outputs={
        "a": tf.estimator.export.PredictOutput(tf.constant(1))})),
    "another mode": ("foo", lambda tf: dict(predictions=tf.constant(1.0))),
}
CASES.update({f"EstimatorSpec {name}": spec(*row) for name, row in SPECS.items()})

OUTPUTS = {
    "PredictOutput of a number": lambda e, c, s: e.PredictOutput(3), "PredictOutput": lambda e, c, s: sorted(e.PredictOutput(c).outputs),
    "PredictOutput of a dict": lambda e, c, s: sorted(e.PredictOutput({"a": c, "b": s}).outputs),
    "ClassificationOutput of nothing": lambda e, c, s: e.ClassificationOutput(), "ClassificationOutput with a number": lambda e, c, s: e.ClassificationOutput(3),
    "ClassificationOutput with float classes": lambda e, c, s: e.ClassificationOutput(classes=c),
    "ClassificationOutput with string scores": lambda e, c, s: e.ClassificationOutput(scores=s),
    "ClassificationOutput": lambda e, c, s: [e.ClassificationOutput(c, s).scores.name, e.ClassificationOutput(c, s).classes.name],
    "RegressionOutput of a number": lambda e, c, s: e.RegressionOutput(3), "RegressionOutput of strings": lambda e, c, s: e.RegressionOutput(s),
    "RegressionOutput": lambda e, c, s: e.RegressionOutput(c).value.name,
    "ServingInputReceiver of nothing": lambda e, c, s: e.ServingInputReceiver(None, None),
    "ServingInputReceiver of numbers": lambda e, c, s: e.ServingInputReceiver({"a": 1}, {"a": 1}),
    "ServingInputReceiver of tensors": lambda e, c, s: [sorted(part) for part in e.ServingInputReceiver(c, c)[:2]],
    "ServingInputReceiver with alternatives": lambda e, c, s: sorted(e.ServingInputReceiver({"a": c}, c, {"b": c, "d": {"c": c}})[2]),
    "TensorServingInputReceiver of a dict": lambda e, c, s: e.TensorServingInputReceiver({}, {}),
    "TensorServingInputReceiver": lambda e, c, s: e.TensorServingInputReceiver(c, c).features.name,
}
CASES.update({name: lambda tf, make=make: make(tf.estimator.export, tf.constant([1.0]), tf.constant(["a"])) for name, make in OUTPUTS.items()})


def train_spec(**kwargs):
    return lambda tf: list(tf.estimator.TrainSpec(lambda: None, **kwargs)[1:])


def eval_spec(make):
    def case(tf):
        made = tf.estimator.EvalSpec(lambda: None, **make(tf))
        return [*made[1:4], len(made.exporters), *made[5:]]
    return case


for kwargs in [{}, dict(max_steps=0), dict(max_steps=5), dict(hooks=[3]), dict(saving_listeners=3), dict(saving_listeners=[3])]:
    CASES[f"TrainSpec({kwargs})"] = train_spec(**kwargs)
CASES["TrainSpec of a number"] = lambda tf: tf.estimator.TrainSpec(3)
for name, make in {
        "nothing": lambda tf: {}, "no steps": lambda tf: dict(steps=0), "all steps": lambda tf: dict(steps=None), "a number as name": lambda tf: dict(name=3),
        "wrong hooks": lambda tf: dict(hooks=[3]), "a number as exporter": lambda tf: dict(exporters=3), "a list of numbers": lambda tf: dict(exporters=[3]),
        "a negative delay": lambda tf: dict(start_delay_secs=-1), "a negative throttle": lambda tf: dict(throttle_secs=-1),
        "an exporter": lambda tf: dict(exporters=tf.estimator.FinalExporter("a", None)),
        "two exporters": lambda tf: dict(exporters=[tf.estimator.FinalExporter("a", None), tf.estimator.LatestExporter("b", None)]),
        "the same name twice": lambda tf: dict(exporters=[tf.estimator.FinalExporter("a", None)] * 2)}.items():
    CASES[f"EvalSpec with {name}"] = eval_spec(make)


# --- loops -----------------------------------------------------------------------------------------------------------------------
def line_model(features, labels, mode):
    """y = w x, by a model that starts at w = 0."""
    tf = line_model.tf
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    y = w * features["x"]
    predictions = {"y": y, "twice": 2 * y}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions)
    loss = tf.reduce_mean(tf.square(y - labels))
    train_op = tf.train.GradientDescentOptimizer(0.001).minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, predictions, loss, train_op, {"mae": tf.metrics.mean_absolute_error(labels, y)})


def points(tf, repeat=1, batch=5):
    def input_fn():
        x = np.arange(10, dtype=np.float32)
        return tf.data.Dataset.from_tensor_slices(({"x": x}, 2 * x)).batch(batch).repeat(repeat)
    return input_fn


@contextlib.contextmanager
def line(tf, config=None, **kwargs):
    line_model.tf = tf
    with tempfile.TemporaryDirectory() as folder, tf_config(config):
        yield tf.estimator.Estimator(line_model, folder, config=tf.estimator.RunConfig(tf_random_seed=1, **kwargs))


def events(tf, folder):
    """The tags and values of the event files of a folder, by step, without times and rates."""
    found = []
    for name in sorted(os.listdir(folder)):
        if "tfevents" not in name:
            continue
        for event in tf.train.summary_iterator(os.path.join(folder, name)):
            for value in event.summary.value:
                if value.tag not in ("global_step/sec", "checkpoint_path"):
                    found.append([event.step, value.tag, value.simple_value])
                elif value.tag == "checkpoint_path":
                    found.append([event.step, value.tag, os.path.basename(value.tensor.string_val[0].decode())])
    return found


def trains(tf):
    with line(tf, save_summary_steps=2) as estimator:
        returned = estimator.train(points(tf, 2))
        checkpoints = sorted(name for name in os.listdir(estimator.model_dir) if name.endswith(".index"))
        state = open(os.path.join(estimator.model_dir, "checkpoint")).read()
        return [returned is estimator, estimator.get_variable_names(), estimator.get_variable_value("w"),
                estimator.get_variable_value("global_step"), checkpoints, state, events(tf, estimator.model_dir)]


def steps_of_training(tf):
    with line(tf) as estimator:
        seen = []
        for kwargs in (dict(steps=3), dict(steps=2), dict(max_steps=4), dict(max_steps=9), dict(max_steps=9)):
            estimator.train(points(tf, None), **kwargs)
            seen.append(int(estimator.get_variable_value("global_step")))
        return seen


def evaluates(tf):
    with line(tf) as estimator:
        untrained = estimator.evaluate(points(tf))
        estimator.train(points(tf), max_steps=2)
        first = estimator.latest_checkpoint()
        estimator.train(points(tf), steps=2)
        results = [estimator.evaluate(points(tf)), estimator.evaluate(points(tf), steps=1, name="part"),
                   estimator.evaluate(points(tf), checkpoint_path=first)]
        folders = [os.path.basename(estimator.eval_dir()), os.path.basename(estimator.eval_dir("part"))]
        return [{key: float(value) for key, value in result.items()} for result in [untrained, *results]] + [
            folders, events(tf, estimator.eval_dir()), events(tf, estimator.eval_dir("part"))]


def predicts(tf):
    with line(tf) as estimator:
        estimator.train(points(tf), max_steps=2)

        def features():
            return tf.data.Dataset.from_tensor_slices({"x": np.arange(5, dtype=np.float32)}).batch(2)
        batches = list(estimator.predict(features, yield_single_examples=False))
        only = list(estimator.predict(features, predict_keys=["twice"]))
        some = estimator.predict(points(tf))
        return [list(estimator.predict(features)), batches, only, next(some)]


CASES.update({"Estimator.train": trains, "Estimator.train for some steps": steps_of_training, "Estimator.evaluate": evaluates,
              "Estimator.predict": predicts})


def called(act, **kwargs):
    def case(tf):
        with line(tf, **kwargs) as estimator:
            return act(tf, estimator)
    return case


CALLS = {
    "train with steps and max_steps": lambda tf, e: e.train(points(tf), steps=1, max_steps=1),
    "train no step": lambda tf, e: e.train(points(tf), steps=0), "train to no step": lambda tf, e: e.train(points(tf), max_steps=0),
    "train with wrong hooks": lambda tf, e: e.train(points(tf), hooks=[3]), "train with wrong listeners": lambda tf, e: e.train(points(tf), saving_listeners=[3]),
    "evaluate no step": lambda tf, e: e.evaluate(points(tf), steps=0), "train with three results": lambda tf, e: e.train(lambda: (1, 2, 3)),
    "variables of no checkpoint": lambda tf, e: e.get_variable_names(), "latest of no checkpoint": lambda tf, e: e.latest_checkpoint(),
    "export no checkpoint": lambda tf, e: e.export_saved_model(e.model_dir, lambda: None),
    "train_and_evaluate a number": lambda tf, e: tf.estimator.train_and_evaluate(3, tf.estimator.TrainSpec(points(tf)), tf.estimator.EvalSpec(points(tf))),
    "train_and_evaluate without a TrainSpec": lambda tf, e: tf.estimator.train_and_evaluate(e, 3, tf.estimator.EvalSpec(points(tf))),
    "train_and_evaluate without an EvalSpec": lambda tf, e: tf.estimator.train_and_evaluate(e, tf.estimator.TrainSpec(points(tf)), 3),
    "predict with wrong keys": lambda tf, e: next(e.predict(points(tf), predict_keys=["foo"])),
}
CASES.update({f"Estimator: {name}": called(act) for name, act in CALLS.items()})


def constructed(make):
    def case(tf):
        with tf_config(None):
            made = make(tf.estimator)
        return [made.params, made.model_dir]
    return case


def plain_model(features, labels, mode):
    return None


for name, make in {
        "no model_fn": lambda e: e.Estimator(None, "/tmp/x"), "no features": lambda e: e.Estimator(lambda labels: 1, "/tmp/x"),
        "another argument": lambda e: e.Estimator(lambda features, foo: 1, "/tmp/x"), "params": lambda e: e.Estimator(lambda features, params: 1, "/tmp/x", params={"a": 1}),
        "params that are not taken": lambda e: e.Estimator(plain_model, "/tmp/x", params={}), "no params": lambda e: e.Estimator(lambda features, params: 1, "/tmp/x"),
        "a number as config": lambda e: e.Estimator(plain_model, "/tmp/x", config=3), "two folders": lambda e: e.Estimator(plain_model, "/tmp/x", config=e.RunConfig("/tmp/y")),
        "a folder in the config": lambda e: e.Estimator(plain_model, config=e.RunConfig("/tmp/y")),
        "an overridden method": lambda e: type("S", (e.Estimator,), {"train": lambda self: 1})(plain_model, "/tmp/x"),
        "another method": lambda e: type("S", (e.Estimator,), {"foo": lambda self: 1})(plain_model, "/tmp/x")}.items():
    CASES[f"Estimator with {name}"] = constructed(make)


# --- train_and_evaluate ----------------------------------------------------------------------------------------------------------
class Server:
    """Takes the place of tf.train.Server, and writes down the calls."""

    log: list = []

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True):
        self.log.append(["server", job_name, task_index, start, protocol])

    def start(self):
        self.log.append("start")

    def join(self):
        self.log.append("join")


def runs(config, max_steps=10, throttle=0, save=3, trains=True, before=(), **kwargs):
    """The calls of train and evaluate, the exports and the result of train_and_evaluate."""
    def case(tf):
        log = Server.log = []

        class Exporter(tf.estimator.Exporter):
            name = "exporter"

            def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
                log.append(["export", os.path.relpath(export_path, estimator.model_dir), os.path.basename(checkpoint_path), bool(is_the_final_export)])
                return f"exported {eval_result['global_step']}"
        kind = tf.estimator.Estimator
        train, evaluate = kind.train, kind.evaluate

        def logged_train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
            log.append(["train", max_steps, len(hooks or []), len(saving_listeners or [])])
            return train(self, input_fn, hooks=hooks, max_steps=max_steps, saving_listeners=saving_listeners) if trains else self

        def logged_evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
            result = evaluate(self, input_fn, steps=steps, hooks=hooks, checkpoint_path=checkpoint_path, name=name)
            log.append(["evaluate", steps, name, os.path.basename(checkpoint_path), int(result["global_step"])])
            return result
        inner = sys.modules.get("tensorflow_estimator.python.estimator.training")
        server = mock.patch.object(inner.server_lib if tf.__name__ != "weir" else tf.train, "Server", Server)
        with line(tf) as first:
            for steps in before:
                first.train(points(tf, None), max_steps=steps)
            with tf_config(config):
                estimator = kind(line_model, first.model_dir, config=tf.estimator.RunConfig(save_checkpoints_steps=save, **kwargs))
            with mock.patch.object(kind, "train", logged_train), mock.patch.object(kind, "evaluate", logged_evaluate), server:
                result = tf.estimator.train_and_evaluate(
                    estimator, tf.estimator.TrainSpec(points(tf, None), max_steps),
                    tf.estimator.EvalSpec(points(tf, None), steps=2, exporters=[Exporter()], start_delay_secs=0, throttle_secs=throttle))
        if result is not None and result[0] is not None:
            result = [{key: float(value) for key, value in result[0].items()}, result[1]]
        return [log, result]
    return case


RUNS = {
    "alone": runs(None), "alone, with a throttle": runs(None, throttle=600), "alone, ending with a checkpoint": runs(None, max_steps=9),
    "alone, all steps done": runs(None, max_steps=9, before=[9]), "alone, some steps done": runs(None, max_steps=12, before=[9]),
    "alone, a checkpoint at the end": runs(None, save=100), "alone, without checkpoints": runs(None, save=None),
    "chief": runs(task(CHIEF, "chief", 0), trains=False), "ps": runs(task(CHIEF, "ps", 1), trains=False),
    "worker": runs(task(CHIEF, "worker", 1), trains=False, experimental_max_worker_delay_secs=0),
    "worker with a protocol": runs(task(CHIEF, "worker", 1), trains=False, experimental_max_worker_delay_secs=0, protocol="grpc"),
    "master": runs(task(MASTER, "master", 0), trains=False), "master alone": runs(task({"master": ["c:1"]}, "master", 0)),
    "chief alone": runs(task({"chief": ["c:1"]}, "chief", 0)), "another job": runs(task(OTHERS, "zzz", 0), trains=False),
    "evaluator of a model that is done": runs(task(CHIEF, "evaluator", 0), max_steps=9, before=[9]),
}
CASES.update({f"train_and_evaluate {name}": case for name, case in RUNS.items()})
