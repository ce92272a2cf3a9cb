"""Tests estimators: input functions, exports, warm starts, hooks, devices and errors. tests/interop/both/estimator_answers.py
compares training, evaluation and prediction with TensorFlow."""
import gc
import json
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest

import weir as tf

X = np.arange(10, dtype=np.float32)


def line(features, labels, mode, params):
    slope = tf.get_variable("slope", [], initializer=tf.constant_initializer(params.get("start", 0.0)))
    y = slope * features["x"]
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, {"y": y})
    loss = tf.reduce_mean(tf.square(y - labels))
    train_op = tf.train.GradientDescentOptimizer(params.get("rate", 0.001)).minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, {"y": y}, loss, train_op, {"mean": tf.metrics.mean(y)})


def points(repeat=None):
    return tf.data.Dataset.from_tensor_slices(({"x": X}, 2 * X)).batch(5).repeat(repeat)


def make(folder, config=None, **params):
    return tf.estimator.Estimator(line, str(folder), config=config, params=params)


def serving_input():
    x = tf.placeholder(tf.float32, [None], name="x")
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


@pytest.fixture
def trained(tmp_path):
    return make(tmp_path / "model").train(points, steps=3)


def served(folder, x):
    """Returns what the exported model predicts."""
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load(session, ["serve"], folder)
        signature = model.signature_def["serving_default"]
        return session.run(signature.outputs["y"].name, {signature.inputs["x"].name: x})


def test_a_model_is_exported_and_served(trained, tmp_path):
    extra = tmp_path / "words.txt"
    extra.write_text("a\nb\n")
    folder = trained.export_saved_model(str(tmp_path / "export"), serving_input, assets_extra={"sub/words.txt": str(extra)})
    assert os.path.dirname(folder).decode() == str(tmp_path / "export") and os.path.basename(folder).isdigit()
    np.testing.assert_allclose(served(folder.decode(), X), trained.get_variable_value("slope") * X, rtol=1e-6)
    assert (tmp_path / "export" / os.path.basename(folder).decode() / "assets.extra/sub/words.txt").read_text() == "a\nb\n"
    second = trained.export_savedmodel(str(tmp_path / "export"), serving_input, as_text=True)
    assert int(os.path.basename(second)) > int(os.path.basename(folder))
    assert os.path.exists(os.path.join(second, b"saved_model.pbtxt"))
    np.testing.assert_allclose(served(second.decode(), X), served(folder.decode(), X))
    assert not [name for name in os.listdir(tmp_path / "export") if name.startswith("temp-")]


def exports(model_dir, name):
    folder = os.path.join(model_dir, "export", name)
    return sorted(os.listdir(folder)) if os.path.exists(folder) else []


def test_exporters(tmp_path):
    config = tf.estimator.RunConfig(save_checkpoints_steps=2)
    estimator = make(tmp_path / "model", config)
    exporters = [tf.estimator.FinalExporter("final", serving_input), tf.estimator.LatestExporter("latest", serving_input, exports_to_keep=2)]
    spec = tf.estimator.EvalSpec(points, steps=1, exporters=exporters, throttle_secs=0)
    metrics, paths = tf.estimator.train_and_evaluate(estimator, tf.estimator.TrainSpec(points, max_steps=8), spec)
    assert metrics["global_step"] == 8 and len(paths) == 2
    final, latest = exports(estimator.model_dir, "final"), exports(estimator.model_dir, "latest")
    assert [os.path.basename(path).decode() for path in paths] == [final[-1], latest[-1]]
    assert len(final) == 1 and len(latest) == 2


def test_the_best_model_is_exported(trained):
    exporter = tf.estimator.BestExporter("best", serving_input, event_file_pattern=None)

    def export(loss):
        return exporter.export(trained, os.path.join(trained.model_dir, "export/best"), trained.latest_checkpoint(), {"loss": loss}, False)
    assert [export(loss) is not None for loss in (3.0, 4.0, 2.0, 2.0, 1.0)] == [True, False, True, False, True]
    assert len(exports(trained.model_dir, "best")) == 3
    with pytest.raises(ValueError, match="best_eval_result"):
        tf.estimator.BestExporter("best", serving_input, compare_fn=lambda a: True)


def test_variables_start_with_those_of_a_checkpoint(trained, tmp_path):
    warm = tf.estimator.Estimator(line, str(tmp_path / "warm"), params={"rate": 0.0}, warm_start_from=trained.model_dir)
    warm.train(points, steps=1)
    assert warm.get_variable_value("slope") == trained.get_variable_value("slope") != 0
    settings = tf.estimator.WarmStartSettings(trained.model_dir, vars_to_warm_start="no match")
    cold = tf.estimator.Estimator(line, str(tmp_path / "cold"), params={"rate": 0.0}, warm_start_from=settings)
    assert cold.train(points, steps=1).get_variable_value("slope") == 0
    with pytest.raises(ValueError):
        tf.estimator.Estimator(line, str(tmp_path / "x"), params={}, warm_start_from=3)


def test_a_renamed_variable_is_warm_started(trained):
    with tf.Graph().as_default():
        other = tf.get_variable("other", [])
        tf.train.warm_start(trained.model_dir, var_name_to_prev_var_name={"other": "slope"})
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(other) == trained.get_variable_value("slope")


# --- input ---------------------------------------------------------------------------------------------------------------
def all_batches(input_fn, limit=20):
    found = []
    with tf.Graph().as_default():
        values = input_fn()
        tf.train.get_or_create_global_step()
        with tf.train.MonitoredSession() as session:
            while not session.should_stop() and len(found) < limit:
                found.append(session.run(values))
    return found


def test_numpy_input_fn_batches_across_epochs():
    x = {"a": np.arange(5), "b": np.arange(10.0).reshape(5, 2)}
    found = all_batches(tf.estimator.inputs.numpy_input_fn(x, np.arange(5) * 10, batch_size=2, num_epochs=2, shuffle=False))
    assert [features["a"].tolist() for features, _ in found] == [[0, 1], [2, 3], [4, 0], [1, 2], [3, 4]]
    assert [labels.tolist() for _, labels in found] == [[0, 10], [20, 30], [40, 0], [10, 20], [30, 40]]
    assert found[0][0]["b"].tolist() == [[0.0, 1.0], [2.0, 3.0]]


def test_numpy_input_fn_with_an_array_and_an_incomplete_batch():
    found = all_batches(tf.estimator.inputs.numpy_input_fn(np.arange(5), batch_size=3, shuffle=False))
    assert [batch.tolist() for batch in found] == [[0, 1, 2], [3, 4]]
    words = all_batches(tf.estimator.inputs.numpy_input_fn(np.array(["a", "bc"]), shuffle=False))
    assert words[0].tolist() == [b"a", b"bc"]


def test_numpy_input_fn_shuffles_and_repeats():
    found = all_batches(tf.estimator.inputs.numpy_input_fn(np.arange(100), batch_size=50, num_epochs=None, shuffle=True), limit=4)
    first, second = np.concatenate(found[:2]), np.concatenate(found[2:])
    assert sorted(first) == sorted(second) == list(range(100)) and first.tolist() != second.tolist() != list(range(100))


def test_numpy_input_fn_errors():
    with pytest.raises(ValueError, match="shuffle"):
        tf.estimator.inputs.numpy_input_fn({"x": X})
    for x, y, error in [([1, 2], None, TypeError), ({}, None, ValueError), ({"x": X}, X[:3], ValueError), ({"x": X}, {}, ValueError)]:
        with tf.Graph().as_default(), pytest.raises(error):
            tf.estimator.inputs.numpy_input_fn(x, y, shuffle=False)()


def test_input_functions_get_what_they_ask_for(tmp_path):
    seen = {}

    def input_fn(mode, params, config):
        seen[mode] = (params, config.model_dir)
        return points()
    estimator = make(tmp_path / "model", rate=0.5)
    estimator.train(input_fn, steps=1)
    estimator.evaluate(input_fn, steps=1)
    next(estimator.predict(input_fn))
    assert seen == {mode: ({"rate": 0.5}, str(tmp_path / "model")) for mode in ("train", "eval", "infer")}


def test_placeholders_of_serving_inputs():
    with tf.Graph().as_default():
        receiver = tf.estimator.export.build_raw_serving_input_receiver_fn({"a": tf.zeros([3, 2])})()
        assert receiver.features["a"].shape.as_list() == [None, 2] and receiver.receiver_tensors == receiver.features
        parsing = tf.estimator.export.build_parsing_serving_input_receiver_fn({"a": tf.FixedLenFeature([2], tf.float32)}, 4)()
        assert parsing.features["a"].shape.as_list() == [4, 2] and list(parsing.receiver_tensors) == ["examples"]


# --- loops -----------------------------------------------------------------------------------------------------------------
class Notes(tf.train.SessionRunHook):
    def __init__(self):
        self.calls = []

    def begin(self):
        self.calls.append(tf.get_default_graph())

    def after_create_session(self, session, coord):
        self.calls.append(session.graph is self.calls[0])

    def after_run(self, run_context, run_values):
        self.calls.append("run")

    def end(self, session):
        self.calls.append("end")


def test_hooks_run_in_all_modes(trained):
    for act in (lambda hooks: trained.train(points, hooks=hooks, steps=2), lambda hooks: trained.evaluate(points, steps=2, hooks=hooks),
                lambda hooks: list(trained.predict(lambda: points(1), hooks=hooks))):
        hook = Notes()
        act([hook])
        assert hook.calls[1:] == [True, "run", "run", "end"]


def test_listeners_of_a_given_saver(tmp_path):
    saved = []

    class Listener(tf.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            saved.append(global_step_value)
    folder = str(tmp_path / "model")
    config = tf.estimator.RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None)
    hook = tf.train.CheckpointSaverHook(folder, save_steps=2)
    make(folder, config).train(points, hooks=[hook], steps=5, saving_listeners=[Listener()])
    assert saved == [0, 2, 4, 5]
    with pytest.raises(ValueError, match="CheckpointSaverHook"):
        make(folder, config).train(points, steps=5, saving_listeners=[Listener()])


def test_an_exception_of_the_model_is_raised(tmp_path):
    class Wrong(Exception):
        pass

    def model(features, labels, mode):
        raise Wrong("no model")
    estimator = tf.estimator.Estimator(model, str(tmp_path))
    for act in (lambda: estimator.train(points), lambda: estimator.evaluate(points), lambda: next(estimator.predict(points))):
        with pytest.raises(Wrong, match="no model"):
            act()


def test_a_loss_that_is_not_a_number_ends_training(tmp_path):
    with pytest.raises(tf.train.NanLossDuringTrainingError):
        make(tmp_path, rate=1e30).train(points, steps=20)


def test_a_step_that_fails_ends_training(tmp_path):
    def input_fn():
        return points().map(lambda features, y: (features, tf.check_numerics(y / 0.0, "y is infinite")))
    with pytest.raises(tf.errors.InvalidArgumentError, match="y is infinite"):
        make(tmp_path).train(input_fn)


def test_predictions_that_are_not_read_to_the_end_are_closed(trained):
    hook = Notes()
    predictions = trained.predict(points, hooks=[hook])
    assert set(next(predictions)) == {"y"}
    predictions.close()
    assert hook.calls[1:] == [True, "run"]


def test_a_model_is_freed(tmp_path):
    graphs = []

    def model(features, labels, mode, params):
        graphs.append(weakref.ref(tf.get_default_graph()))
        return line(features, labels, mode, params)
    estimator = tf.estimator.Estimator(model, str(tmp_path), params={})
    estimator.train(points, steps=2)
    estimator.evaluate(points, steps=1)
    list(estimator.predict(lambda: points(1)))
    gc.collect()
    assert [graph() for graph in graphs] == [None, None, None]


def test_early_stopping(tmp_path):
    estimator = make(tmp_path)
    hook = tf.estimator.experimental.make_early_stopping_hook(estimator, lambda: True, run_every_secs=None, run_every_steps=3)
    estimator.train(points, hooks=[hook], steps=100)
    assert estimator.get_variable_value("global_step") < 10
    estimator.evaluate(points, steps=1)
    stop = tf.estimator.experimental.stop_if_lower_hook(estimator, "loss", 1e9, run_every_secs=None, run_every_steps=1)
    before = int(estimator.get_variable_value("global_step"))
    estimator.train(points, hooks=[stop], steps=100)
    assert estimator.get_variable_value("global_step") < before + 10


def test_added_metrics(trained):
    more = tf.estimator.add_metrics(trained, lambda labels, predictions: {"labels": tf.metrics.mean(labels)})
    results = more.evaluate(points, steps=2)
    assert results["labels"] == 9.0 and set(results) == {"labels", "mean", "loss", "global_step"}


@pytest.mark.parametrize("make_estimator", [
    lambda head, column, **kwargs: tf.estimator.LinearEstimator(head, [column], **kwargs),
    lambda head, column, **kwargs: tf.estimator.DNNEstimator(head, [4], [column], activation_fn=tf.tanh, **kwargs)])
def test_canned_models_with_any_head(tmp_path, make_estimator):
    estimator = make_estimator(tf.estimator.RegressionHead(), tf.feature_column.numeric_column("x"), model_dir=str(tmp_path))
    before = estimator.train(points, steps=1).evaluate(points, steps=2)["loss"]
    estimator.train(points, steps=20)
    assert estimator.evaluate(points, steps=2)["loss"] < before


# --- clusters ----------------------------------------------------------------------------------------------------------------
def test_variables_are_placed_on_parameter_servers(tmp_path, monkeypatch):
    cluster = {"chief": ["localhost:1"], "ps": ["localhost:2", "localhost:3"], "worker": ["localhost:4"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 0}}))
    devices = []

    class Built(Exception):
        pass

    def model(features, labels, mode):
        w = tf.get_variable("w", [])
        devices.extend([tf.train.get_global_step().device, w.device, (w * 2.0).device])
        raise Built
    with pytest.raises(Built):
        tf.estimator.Estimator(model, str(tmp_path)).train(points)
    assert devices == ["/job:ps/task:0", "/job:ps/task:1", "/job:worker/task:0"]


def test_a_device_function(tmp_path):
    devices = []

    def model(features, labels, mode, params):
        devices.append(tf.get_variable("w", []).device)
        return line(features, labels, mode, params)
    config = tf.estimator.RunConfig(device_fn=lambda op: "/cpu:0")
    tf.estimator.Estimator(model, str(tmp_path), config=config, params={}).train(points, steps=1)
    assert devices == ["/cpu:0"]


def test_importing_weir_imports_no_estimator():
    program = "import sys, weir as tf; tf.train; assert not [m for m in sys.modules if m.startswith('weir.lib.estimator')]; tf.estimator.Estimator"
    subprocess.run([sys.executable, "-c", program], check=True)
