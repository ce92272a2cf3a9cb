"""Tests hooks, alone and in monitored sessions."""
import glob
import json
import os
import shutil

import numpy as np
import pytest

import weir as tf


@pytest.fixture(autouse=True)
def no_cached_writers():
    yield
    tf.summary.FileWriterCache.clear()


@pytest.fixture
def lines(monkeypatch):
    """Collects the log lines."""
    found = []
    for level in ("info", "warning", "error"):
        monkeypatch.setattr(f"weir.lib.log.{level}", lambda message, *args: found.append(message % args))
    return found


def count():
    """Returns an op that increments the global step."""
    return tf.assign_add(tf.train.get_or_create_global_step(), 1)


def run_all(hooks, train, **arguments):
    values = []
    with tf.train.SingularMonitoredSession(hooks=hooks, **arguments) as sess:
        while not sess.should_stop():
            values.append(sess.run(train))
    return values


def events(folder):
    tf.summary.FileWriterCache.clear()
    found = [event for path in sorted(glob.glob(os.path.join(folder, "*tfevents*"))) for event in tf.train.summary_iterator(path)]
    return [event for event in found if not event.file_version]


def test_timer():
    timer = tf.train.SecondOrStepTimer(every_steps=3)
    assert timer.last_triggered_step() is None and timer.should_trigger_for_step(0)
    assert timer.update_last_triggered_step(0) == (None, None)
    assert [timer.should_trigger_for_step(step) for step in range(5)] == [False, False, False, True, True]
    seconds, steps = timer.update_last_triggered_step(4)
    assert seconds >= 0 and steps == 4 and timer.last_triggered_step() == 4
    timer.reset()
    assert timer.should_trigger_for_step(4)
    every_second = tf.train.SecondOrStepTimer(every_secs=0.0)
    every_second.update_last_triggered_step(1)
    assert not every_second.should_trigger_for_step(1) and every_second.should_trigger_for_step(2)
    for bad in ({}, {"every_secs": 1.0, "every_steps": 1}):
        with pytest.raises(ValueError):
            tf.train.SecondOrStepTimer(**bad)


def test_stop_at_step():
    train = count()
    assert run_all([tf.train.StopAtStepHook(num_steps=3)], train) == [1, 2, 3]
    for bad in ({}, {"num_steps": 1, "last_step": 2}):
        with pytest.raises(ValueError):
            tf.train.StopAtStepHook(**bad)


def test_stop_at_last_step():
    train = count()
    assert run_all([tf.train.StopAtStepHook(last_step=2)], train) == [1, 2]


def test_hooks_that_need_a_global_step(tmp_path):
    tf.Variable(1)
    for hook in (tf.train.StopAtStepHook(num_steps=3), tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1),
                 tf.train.StepCounterHook()):
        with pytest.raises(RuntimeError, match="Global step should be created to use"):
            tf.train.SingularMonitoredSession(hooks=[hook])


def test_logging_tensors(lines):
    train = count()
    loss = tf.cast(train, tf.float32) * 0.5
    run_all([tf.train.LoggingTensorHook({"b": loss, "a": train.name}, every_n_iter=2), tf.train.StopAtStepHook(num_steps=4)], train)
    assert len(lines) == 2
    assert lines[0] == "a = 1, b = 0.5" and lines[1].startswith("a = 3, b = 1.5 (") and lines[1].endswith(" sec)")


def test_logging_at_end_with_a_formatter(lines):
    train = count()
    seen = []
    hook = tf.train.LoggingTensorHook([train], at_end=True, formatter=lambda values: seen.append(dict(values)) or "formatted")
    run_all([hook, tf.train.StopAtStepHook(num_steps=2)], train)
    assert lines == ["formatted"] and seen == [{train: 3}]
    for bad in ({}, {"every_n_iter": 1, "every_n_secs": 1.0}, {"every_n_iter": 0}):
        with pytest.raises(ValueError):
            tf.train.LoggingTensorHook([train], **bad)


def test_a_directory_that_is_gone_is_named(tmp_path):
    train = count()
    folder = tmp_path / "parent" / "checkpoints"
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Parent directory of {folder}/model.ckpt doesn't exist, can't save"):
        with tf.train.MonitoredTrainingSession(checkpoint_dir=str(folder), save_checkpoint_steps=2) as sess:
            sess.run(train)
            shutil.rmtree(tmp_path / "parent")
            sess.run(train)
            sess.run(train)
    with pytest.raises(tf.errors.NotFoundError, match="checkpoints"):  # events cannot be written there either
        tf.summary.FileWriterCache.clear()


def test_logged_numbers_are_as_short_as_numpys(lines):
    train = count()
    values = {"a": tf.constant(0.1), "b": tf.constant([0.1, 2.0]), "c": tf.constant(1e-7, tf.float64), "d": tf.constant("text")}
    run_all([tf.train.LoggingTensorHook(values, every_n_iter=100), tf.train.StopAtStepHook(num_steps=1)], train)
    assert lines == ["a = 0.1, b = [0.1 2. ], c = 1e-07, d = b'text'"]


def test_classes_derived_from_the_logging_hook(lines):
    """Derived classes get the values by tag and can log them in their own way."""
    train = count()
    seen = []

    class Own(tf.train.LoggingTensorHook):
        def _log_tensors(self, tensor_values):
            seen.append(dict(tensor_values))
            super()._log_tensors(tensor_values)

    class After(tf.train.LoggingTensorHook):
        def after_run(self, run_context, run_values):
            seen.append(run_values.results)
            super().after_run(run_context, run_values)

    run_all([Own({"t": train}, every_n_iter=2), tf.train.StopAtStepHook(num_steps=3)], train)
    assert seen == [{"t": 1}, {"t": 3}] and lines[0] == "t = 1" and len(lines) == 2
    seen.clear()
    run_all([After({"t": train}, every_n_iter=2), tf.train.StopAtStepHook(num_steps=3)], train)
    assert seen == [{"t": 1}, None, {"t": 3}] and len(lines) == 4


def test_nan(lines):
    x = tf.placeholder(tf.float32, [])
    with tf.train.SingularMonitoredSession(hooks=[tf.train.NanTensorHook(x + 1.0)]) as sess:
        sess.run(x, {x: 1.0})
        with pytest.raises(tf.train.NanLossDuringTrainingError, match="NaN loss during training."):
            sess.run(x, {x: np.nan})
    with tf.train.SingularMonitoredSession(hooks=[tf.train.NanTensorHook(x.name, fail_on_nan_loss=False)]) as sess:
        sess.run(x, {x: np.nan})
        assert sess.should_stop()
    assert lines == ["Model diverged with loss = NaN."] * 2


def test_names_of_operations_stand_for_their_outputs(lines):
    train = count()
    tf.nn.softmax([1.0, 1.0], name="softmax_tensor")
    tf.split([1, 2], 2, name="halves")
    hook = tf.train.LoggingTensorHook({"probabilities": "softmax_tensor"}, every_n_iter=10)
    run_all([hook, tf.train.StopAtStepHook(num_steps=1)], train)
    assert lines == ["probabilities = [0.5 0.5]"]
    with pytest.raises(ValueError, match="Name halves is ambiguous"):
        run_all([tf.train.LoggingTensorHook(["halves"], every_n_iter=1)], train)
    with pytest.raises(KeyError, match="nowhere"):
        run_all([tf.train.LoggingTensorHook(["nowhere"], every_n_iter=1)], train)
    with tf.Graph().as_default():
        elsewhere = tf.constant(1.0)
    with pytest.raises(ValueError, match="graph attribute that is equal to current graph"):
        run_all([tf.train.LoggingTensorHook([elsewhere], every_n_iter=1)], train)


def test_nan_in_a_tensor_that_is_made_after_the_hook(lines):
    by_tensor, by_operation = tf.train.NanTensorHook("loss:0"), tf.train.NanTensorHook("loss")
    loss = tf.constant(np.nan, name="loss")
    for hook in (by_tensor, by_operation):
        with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
            with pytest.raises(tf.train.NanLossDuringTrainingError):
                sess.run(loss)
    with pytest.raises(KeyError, match="nowhere"):
        tf.train.SingularMonitoredSession(hooks=[tf.train.NanTensorHook("nowhere")])


def test_summaries_by_name(tmp_path):
    train = count()
    hook = tf.train.SummarySaverHook(save_steps=1, output_dir=str(tmp_path), summary_op="s:0")
    tf.summary.scalar("s", 3.0)
    run_all([hook, tf.train.StopAtStepHook(num_steps=1)], train)
    assert [value.simple_value for event in events(tmp_path) for value in event.summary.value] == [3.0]


def test_waiting_for_a_step(lines):
    step = tf.train.get_or_create_global_step()
    move = tf.assign(step, 7)

    class Mover(tf.train.SessionRunHook):
        def before_run(self, run_context):
            run_context.session.run(move)

    with tf.train.SingularMonitoredSession(hooks=[Mover(), tf.train.GlobalStepWaiterHook(7)]) as sess:
        assert sess.run(step) == 7
    assert lines == ["Waiting for global step 7 before starting training.", "Done waiting for global step 7."]


def test_final_ops_and_feeds():
    x = tf.placeholder(tf.float32, [])
    train = count()
    numbers = iter([1.0, 2.0])
    final = tf.train.FinalOpsHook({"step": train, "x": x}, {x: 9.0})
    with tf.train.SingularMonitoredSession(hooks=[tf.train.FeedFnHook(lambda: {x: next(numbers)}), final]) as sess:
        assert [sess.run(x) for _ in range(2)] == [1.0, 2.0]
    assert final.final_ops_values == {"step": 1, "x": 9.0}


def test_two_feeds_of_one_tensor():
    x = tf.placeholder(tf.float32, [])
    feed = tf.train.FeedFnHook(lambda: {x: 1.0})
    with tf.train.SingularMonitoredSession(hooks=[feed]) as sess:
        with pytest.raises(RuntimeError, match="fed by a SessionRunHook and user"):
            sess.run(x, {x: 2.0})
    with tf.train.SingularMonitoredSession(hooks=[feed, tf.train.FeedFnHook(lambda: {x: 1.0})]) as sess:
        with pytest.raises(RuntimeError, match="fed by two hooks"):
            sess.run(x)


class Listener(tf.train.CheckpointSaverListener):
    def __init__(self, stop_after=None):
        self.calls = []
        self.stop_after = stop_after

    def begin(self):
        self.calls.append("begin")

    def before_save(self, session, global_step_value):
        assert session.run(tf.train.get_global_step()) == global_step_value
        self.calls.append(f"before {global_step_value}")

    def after_save(self, session, global_step_value):
        self.calls.append(f"after {global_step_value}")
        return global_step_value == self.stop_after

    def end(self, session, global_step_value):
        self.calls.append(f"end {global_step_value}")


def test_checkpoints(tmp_path, lines):
    train = count()
    listener = Listener()
    saver = tf.train.Saver()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, saver=saver, listeners=[listener])
    run_all([hook, tf.train.StopAtStepHook(num_steps=5)], train)
    assert listener.calls == ["begin", *(f"{when} {step}" for step in (0, 2, 4, 5) for when in ("before", "after")), "end 5"]
    assert lines == [f"Saving checkpoints for {step} into {tmp_path}/model.ckpt." for step in (0, 2, 4, 5)]
    assert tf.train.latest_checkpoint(str(tmp_path)) == f"{tmp_path}/model.ckpt-5"
    assert "global_step" in (tmp_path / "graph.pbtxt").read_text()
    logs = [(event.step, event.session_log.checkpoint_path) for event in events(tmp_path) if event.HasField("session_log")]
    assert logs == [(step, f"{tmp_path}/model.ckpt") for step in (0, 2, 4, 5)]


def test_a_listener_requests_a_stop(tmp_path):
    train = count()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1, saver=tf.train.Saver(), listeners=[Listener(stop_after=3)])
    assert run_all([hook], train) == [1, 2, 3]


def test_the_saver_of_a_checkpoint_hook(tmp_path):
    train = count()
    scaffold = tf.train.Scaffold()
    with pytest.raises(ValueError, match="both saver and scaffold"):
        tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1, saver=tf.train.Saver(), scaffold=scaffold)
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_secs=1000, scaffold=scaffold)
    run_all([hook, tf.train.StopAtStepHook(num_steps=1)], train, scaffold=scaffold)
    assert tf.train.latest_checkpoint(str(tmp_path)) == f"{tmp_path}/model.ckpt-1"


def test_a_scaffold_without_a_session_has_no_saver(tmp_path):
    train = count()
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1, scaffold=tf.train.Scaffold())
    with pytest.raises(RuntimeError, match="the scaffold has no saver"):
        run_all([hook, tf.train.StopAtStepHook(num_steps=1)], train)


@pytest.mark.parametrize("padded", [False, True])
def test_the_restored_checkpoint_is_not_overwritten(tmp_path, padded):
    name = "00000003" if padded else "3"
    for last in (3, 5):
        with tf.Graph().as_default():
            train = count()
            scaffold = tf.train.Scaffold(saver=tf.train.Saver(pad_step_number=padded))
            with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), save_checkpoint_secs=1000, scaffold=scaffold,
                                                   hooks=[tf.train.StopAtStepHook(last_step=last)]) as session:
                if last == 5:
                    assert {path: os.stat(path).st_mtime_ns for path in saved} == saved
                while not session.should_stop():
                    session.run(train)
        saved = {str(path): os.stat(path).st_mtime_ns for path in tmp_path.glob(f"model.ckpt-{name}*")}
        assert len(saved) == 3
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("5")



def test_summaries(tmp_path):
    train = count()
    tf.summary.scalar("step", tf.cast(train, tf.float32))
    hook = tf.train.SummarySaverHook(save_steps=2, output_dir=str(tmp_path), summary_op=tf.summary.merge_all())
    run_all([hook, tf.train.StopAtStepHook(num_steps=5)], train)
    found = [(event.step, event.summary.value[0].simple_value) for event in events(tmp_path) if event.HasField("summary")]
    assert found == [(1, 1.0), (3, 3.0), (5, 5.0)]
    starts = [event.step for event in events(tmp_path) if event.HasField("session_log")]
    assert starts == [1]
    for bad in ({}, {"scaffold": tf.train.Scaffold(), "summary_op": tf.constant("")}):
        with pytest.raises(ValueError, match="Exactly one"):
            tf.train.SummarySaverHook(save_steps=1, **bad)


class Writer:
    """A user-defined summary writer."""

    def __init__(self):
        self.values = []

    def add_summary(self, summary, step):
        self.values += [(step, value.tag) for value in summary.value]

    def add_session_log(self, log, step):
        self.values.append((step, log.status))

    def flush(self):
        self.values.append("flush")


def test_a_writer_of_the_user():
    train = count()
    writer = Writer()
    both = [tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 1.0)]
    hooks = [tf.train.SummarySaverHook(save_steps=1, summary_writer=writer, summary_op=both), tf.train.StopAtStepHook(num_steps=2)]
    run_all(hooks, train)
    assert writer.values == [(1, tf.SessionLog.START), (1, "a"), (1, "b"), (2, "a"), (2, "b"), "flush"]


def test_steps_per_second(tmp_path, lines):
    train = count()
    hook = tf.train.StepCounterHook(every_n_steps=2, output_dir=str(tmp_path))
    run_all([hook, tf.train.StopAtStepHook(num_steps=6)], train)
    found = [(event.step, event.summary.value[0].tag) for event in events(tmp_path) if event.HasField("summary")]
    assert found == [(3, "global_step/sec"), (5, "global_step/sec")]
    assert [line.split(":")[0] for line in lines] == ["global_step/sec"] * 2
    for bad in ({"every_n_steps": None}, {"every_n_steps": 1, "every_n_secs": 1.0}):
        with pytest.raises(ValueError, match="exactly one of"):
            tf.train.StepCounterHook(**bad)


def test_a_global_step_that_does_not_advance_is_logged(lines):
    tf.train.get_or_create_global_step()
    with tf.train.SingularMonitoredSession(hooks=[tf.train.StepCounterHook()]) as sess:
        for _ in range(20):
            sess.run(tf.train.get_global_step())
    assert len(lines) == 5 and all("has not been increased" in line for line in lines)


def test_profiles(tmp_path):
    train = count()
    run_all([tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path)), tf.train.StopAtStepHook(num_steps=5)], train)
    traces = sorted(path.name for path in tmp_path.glob("timeline-*.json"))
    assert traces == ["timeline-2.json", "timeline-4.json"]
    assert json.loads((tmp_path / traces[0]).read_text())["traceEvents"]
    assert [event.tagged_run_metadata.tag for event in events(tmp_path) if event.HasField("tagged_run_metadata")] == ["step_2", "step_4"]


class Recorder(tf.train.SessionRunHook):
    """Records its calls with their arguments."""

    def __init__(self, args=None):
        self.calls = []
        self.args = args

    def begin(self):
        self.calls.append("begin")

    def after_create_session(self, session, coord):
        assert isinstance(session, tf.Session) and isinstance(coord, tf.train.Coordinator)
        assert session.graph.finalized
        self.calls.append("after_create_session")

    def before_run(self, run_context):
        self.calls.append(("before_run", run_context.original_args, run_context.stop_requested))
        self.session = run_context.session
        return self.args

    def after_run(self, run_context, run_values):
        self.calls.append(("after_run", run_values))

    def end(self, session):
        assert session is self.session
        self.calls.append("end")


def test_a_hook_of_the_user():
    x = tf.placeholder(tf.float32, [], name="x")
    y, z = x + 1.0, x * 2.0
    plain = Recorder()
    fetching = Recorder(tf.train.SessionRunArgs({"z": [z, "x:0"], "op": y.op}, options=tf.RunOptions(trace_level=3)))
    with tf.train.SingularMonitoredSession(hooks=[plain, fetching]) as sess:
        assert sess.run({"y": y}, {x: 3.0}) == {"y": 4.0}
    before = ("before_run", ({"y": y}, {x: 3.0}, None), False)
    assert [call if isinstance(call, str) else call[0] for call in plain.calls] == [
        "begin", "after_create_session", "before_run", "after_run", "end"]
    assert plain.calls[2] == before and plain.calls[3][1].results is None
    values = fetching.calls[3][1]
    assert values.results == {"z": [6.0, 3.0], "op": None}
    assert values.options.trace_level == 3 and values.run_metadata.step_stats.dev_stats


def test_a_hook_derived_from_a_built_in_one():
    train = count()

    class Twice(tf.train.StopAtStepHook):
        def __init__(self):
            super().__init__(num_steps=2)
            self.seen = []

        def after_run(self, run_context, run_values):
            self.seen.append(run_values.results)
            super().after_run(run_context, run_values)

    hook = Twice()
    assert run_all([hook], train) == [1, 2]
    assert len(hook.seen) == 2


def test_hook_methods_called_directly():
    train = count()
    hook = tf.train.StopAtStepHook(last_step=2)
    hook.begin()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        hook.after_create_session(sess, tf.train.Coordinator())
        stops = []
        for _ in range(3):
            context = tf.train.SessionRunContext(tf.train.SessionRunArgs(train), sess)
            args = hook.before_run(context)
            _, results = sess.run([train, args.fetches])
            hook.after_run(context, tf.train.SessionRunValues(results, tf.RunOptions(), tf.RunMetadata()))
            stops.append(context.stop_requested)
        hook.end(sess)
    assert stops == [False, True, True]


def test_errors_of_hooks_are_the_users_own():
    class Fails(tf.train.SessionRunHook):
        def before_run(self, run_context):
            raise KeyError("mine")

    one = tf.constant(1)
    with tf.train.SingularMonitoredSession(hooks=[Fails()]) as sess:
        with pytest.raises(KeyError, match="mine"):
            sess.run(one)
    with pytest.raises(TypeError, match="SessionRunHook"):
        tf.train.SingularMonitoredSession(hooks=["no hook"])


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_global_step_of_another_name(tmp_path, use_resource):
    with tf.variable_scope("outer", use_resource=use_resource):
        step = tf.get_variable("count", [], tf.int64, tf.zeros_initializer(), trainable=False)
    tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, step)
    train = tf.assign_add(step, 1)
    assert run_all([tf.train.StepCounterHook(1, output_dir=str(tmp_path)), tf.train.StopAtStepHook(num_steps=3)], train) == [1, 2, 3]
    assert {value.tag for event in events(tmp_path) for value in event.summary.value} == {"outer/count/sec"}


def test_several_global_steps():
    for name in "ab":
        tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, tf.get_variable(name, [], tf.int64, trainable=False))
    with pytest.raises(RuntimeError, match="Global step should be created to use StopAtStepHook"):
        tf.train.SingularMonitoredSession(hooks=[tf.train.StopAtStepHook(num_steps=3)])


def test_a_class_in_place_of_a_hook_is_an_error():
    with pytest.raises(TypeError, match=r"pass StopAtStepHook\(...\), not the class"):
        tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook])


def test_where_the_global_step_is_found():
    """As in TensorFlow, the global step is the only item of its collection, else the tensor of that name. It must be an
    integer scalar."""
    def found(*items, **named):
        with tf.Graph().as_default():
            for name, value in named.items():
                tf.Variable(value, name=name)
            for item in items:
                tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, item if isinstance(item, str) else tf.Variable(item, name="mine"))
            return tf.train.get_global_step()
    assert found() is None
    assert found(0, 0) is None
    assert found(0).name == "mine:0"
    assert found(global_step=0).name == "global_step:0"
    assert found(0, global_step=0).name == "mine:0"
    for items, named, said in [((0.5,), {}, "integer type"), (([1, 2],), {}, "not scalar"), ((), {"global_step": 0.5}, "integer type"),
                               (("x",), {}, "must be a Variable or Tensor")]:
        with pytest.raises(TypeError, match=said):
            found(*items, **named)
    with pytest.raises(TypeError, match="must be a Variable or Tensor: x"):
        tf.train.assert_global_step("x")


class Written:
    """A summary writer that records the steps."""

    def __init__(self):
        self.steps = []

    def add_summary(self, summary, global_step=None):
        self.steps.append(global_step)

    def add_session_log(self, session_log, global_step=None):
        pass

    def flush(self):
        pass


def increment_after_reads():
    """As in TensorFlow's own training loops: a hook fetches the global step from before its increment."""
    from weir.lib.global_step import _increment_global_step
    tf.train.get_or_create_global_step()
    return _increment_global_step(1)


@pytest.mark.parametrize("every, wanted", [(1, list(range(1, 21))), (8, [1, 9, 17]), (3, [1, 4, 7, 10, 13, 16, 19]), (2.5, [1, 4, 7, 10, 13, 16, 19])])
def test_summaries_come_at_their_interval(every, wanted):
    train, written = increment_after_reads(), Written()
    tf.summary.scalar("s", 1.0)
    hook = tf.train.SummarySaverHook(save_steps=every, summary_writer=written, summary_op=tf.summary.merge_all())
    run_all([hook, tf.train.StopAtStepHook(20)], train)
    assert written.steps == wanted and hook._timer.last_triggered_step() == wanted[-1]


def test_fractions_of_steps():
    hook = tf.train.StopAtStepHook(num_steps=2.0)
    assert hook._num_steps == 2.0 and hook._last_step is None
    assert run_all([hook], count()) == [1, 2] and hook._last_step == 2
    assert run_all([tf.train.StopAtStepHook(last_step=2.5)], count()) == [1, 2, 3]
    assert tf.train.StopAtStepHook(last_step=7)._last_step == 7


def test_classes_derived_from_the_step_counter():
    class Rates(tf.train.StepCounterHook):
        def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
            rates.append((elapsed_steps, global_step, elapsed_time >= 0))
            super()._log_and_record(elapsed_steps, elapsed_time, global_step)
    rates, written = [], Written()
    run_all([Rates(every_n_steps=3, summary_writer=written), tf.train.StopAtStepHook(8)], increment_after_reads())
    assert rates == [(3, 4, True), (3, 7, True)] and written.steps == [4, 7]
