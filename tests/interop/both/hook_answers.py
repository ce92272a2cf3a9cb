"""Hooks step by step: when they trigger, for every interval, start and increment, and their attributes."""
import glob
import itertools
import os
import re
import tempfile

CASES = {}


class Writer:
    """Records the calls that tf.summary.FileWriter would get."""

    def __init__(self):
        self.summaries, self.logs = [], []

    def get_logdir(self):
        return "/nowhere"

    def add_summary(self, summary, global_step=None):
        self.summaries.append(int(global_step))

    def add_session_log(self, session_log, global_step=None):
        self.logs.append([int(session_log.status), int(global_step)])

    def add_graph(self, graph, global_step=None, graph_def=None):
        pass

    def add_meta_graph(self, meta_graph_def, global_step=None):
        pass

    def flush(self):
        self.logs.append("flush")

    def close(self):
        pass


def steps_of(folder, pattern):
    return sorted(int(re.search(r"-(\d+)\.", path).group(1)) for path in glob.glob(os.path.join(folder, pattern)))


def train(tf, make_hook, runs, start=0, increment=1):
    """Runs steps with the hook make_hook(x). Returns whether and where it stopped."""
    step = tf.train.get_or_create_global_step()
    x = tf.Variable(0.0, name="x")
    tf.summary.scalar("s", x)
    hook = make_hook(x)
    # The global step is incremented after all reads of it, as in a training step.
    with tf.control_dependencies([tf.assign_add(x, 1.0), step + 0]):
        after_reads = tf.no_op()
    read = tf.get_default_graph().get_collection("global_step_read_op_cache")
    with tf.control_dependencies([after_reads] + read):
        more = tf.assign_add(step, increment)
    begin = step.assign(start)
    scaffold = tf.train.Scaffold(init_op=tf.global_variables_initializer(), init_fn=lambda scaffold, sess: sess.run(begin))
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold), hooks=[hook]) as sess:
        for i in range(runs):
            if sess.should_stop():
                return i
            sess.run(more)
    return None


def prepared(tf, hook):
    """Calls begin() of the hook, which adds its read of the global step to the graph."""
    hook.begin()
    return hook


def summaries(every, start, increment):
    def case(tf):
        writer = Writer()
        train(tf, lambda x: prepared(tf, tf.train.SummarySaverHook(save_steps=every, summary_writer=writer, summary_op=tf.summary.merge_all())),
              20, start, increment)
        return [writer.summaries, writer.logs]
    return case


def counts(every, start, increment):
    def case(tf):
        writer = Writer()
        train(tf, lambda x: prepared(tf, tf.train.StepCounterHook(every_n_steps=every, summary_writer=writer)), 20, start, increment)
        return writer.summaries
    return case


def checkpoints(every, start, increment):
    def case(tf):
        with tempfile.TemporaryDirectory() as folder:
            def hook(x):
                return prepared(tf, tf.train.CheckpointSaverHook(folder, save_steps=every, saver=tf.train.Saver(max_to_keep=100)))
            train(tf, hook, 12, start, increment)
            return steps_of(folder, "*.index")
    return case


def traces(every, start, increment):
    def case(tf):
        with tempfile.TemporaryDirectory() as folder:
            train(tf, lambda x: prepared(tf, tf.train.ProfilerHook(save_steps=every, output_dir=folder)), 8, start, increment)
            return steps_of(folder, "timeline-*")
    return case


def logged(every, start, increment, at_end=False):
    def case(tf):
        lines = []

        def note(values):
            lines.append(float(values["x"]))
            return ""
        train(tf, lambda x: tf.train.LoggingTensorHook({"x": x.value()}, every_n_iter=every, at_end=at_end, formatter=note), 20, start, increment)
        return lines
    return case


for every, start, increment in itertools.product([1, 2, 3, 8, 2.0, 2.5], [0, 3], [1, 7]):
    label = f"every {every} from {start} by {increment}"
    CASES[f"SummarySaverHook {label}"] = summaries(every, start, increment)
    CASES[f"StepCounterHook {label}"] = counts(every, start, increment)
    if start == 0:
        CASES[f"CheckpointSaverHook {label}"] = checkpoints(every, start, increment)
        CASES[f"LoggingTensorHook {label}"] = logged(every, start, increment)
    if start == 0 and every in (3, 2.5):
        CASES[f"ProfilerHook {label}"] = traces(every, start, increment)
        CASES[f"LoggingTensorHook {label} and at the end"] = logged(every, start, increment, at_end=True)


def stops(start, **arguments):
    def case(tf):
        hook = tf.train.StopAtStepHook(**arguments)
        given = [hook._num_steps, hook._last_step]
        stopped = train(tf, lambda x: hook, 9, start)
        return [given, stopped, float(hook._last_step)]
    return case


for start, (key, value) in itertools.product([0, 2], [("num_steps", 3), ("num_steps", 2.0), ("num_steps", 2.5), ("num_steps", 0), ("num_steps", -1),
                                                      ("last_step", 5), ("last_step", 4.0), ("last_step", 0)]):
    CASES[f"StopAtStepHook {key} {value} from {start}"] = stops(start, **{key: value})


def attributes(make, *names):
    def case(tf):
        hook = make(tf)
        values = [getattr(hook, name, "missing") for name in names]
        return [value if value is None or isinstance(value, (str, int, float, bool)) else True for value in values]
    return case


CASES["StepCounterHook attributes"] = attributes(lambda tf: tf.train.StepCounterHook(5), "_summary_writer", "_output_dir", "_timer")
CASES["CheckpointSaverHook attributes"] = attributes(lambda tf: tf.train.CheckpointSaverHook("/tmp/x", save_steps=3), "_saver", "_checkpoint_dir",
                                                     "_save_path", "_scaffold", "_timer", "_listeners")
CASES["SummarySaverHook attributes"] = attributes(lambda tf: tf.train.SummarySaverHook(3, output_dir="/tmp/x", summary_op=tf.constant("")),
                                                  "_summary_op", "_output_dir", "_scaffold", "_timer")
CASES["LoggingTensorHook attributes"] = attributes(lambda tf: tf.train.LoggingTensorHook(["a"], every_n_iter=3), "_tag_order", "_tensors", "_formatter",
                                                   "_timer", "_log_at_end")
CASES["NanTensorHook attributes"] = attributes(lambda tf: tf.train.NanTensorHook(tf.constant(1.0)), "_loss_tensor", "_fail_on_nan_loss")
CASES["GlobalStepWaiterHook attributes"] = attributes(lambda tf: tf.train.GlobalStepWaiterHook(3), "_wait_until_step")


def timer(interval):
    def case(tf):
        made, seen = tf.train.SecondOrStepTimer(every_steps=interval), []
        for step in range(9):
            due = made.should_trigger_for_step(step)
            seen.append([due, made.update_last_triggered_step(step)[1] if due else None, made.last_triggered_step()])
        made.reset()
        return seen + [made.last_triggered_step()]
    return case


for interval in (1, 3, 2.5):
    CASES[f"SecondOrStepTimer {interval}"] = timer(interval)


def timer_of_a_hook(tf):
    hook = tf.train.SummarySaverHook(save_steps=3, summary_writer=Writer(), summary_op=tf.constant(""))
    before = hook._timer.last_triggered_step()
    train(tf, lambda x: prepared(tf, hook), 5)
    return [before, int(hook._timer.last_triggered_step()), hook._timer.should_trigger_for_step(6), hook._timer.should_trigger_for_step(7)]


CASES["the timer of a hook"] = timer_of_a_hook


def recorded_rates(tf):
    class Rates(tf.train.StepCounterHook):
        seen = []

        def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
            self.seen.append([int(elapsed_steps), int(global_step)])
    hook = Rates(every_n_steps=3, summary_writer=Writer())
    train(tf, lambda x: prepared(tf, hook), 9)
    return hook.seen


CASES["a derived StepCounterHook"] = recorded_rates


def listened(tf):
    class Listener(tf.train.CheckpointSaverListener):
        calls = []

        def begin(self):
            self.calls.append("begin")

        def before_save(self, session, global_step_value):
            self.calls.append(f"before {global_step_value}")

        def after_save(self, session, global_step_value):
            self.calls.append(f"after {global_step_value}")
            return global_step_value >= 3

        def end(self, session, global_step_value):
            self.calls.append(f"end {global_step_value}")
    with tempfile.TemporaryDirectory() as folder:
        stopped = train(tf, lambda x: tf.train.CheckpointSaverHook(folder, save_steps=3, listeners=[Listener()]), 8)
    return [stopped, Listener.calls]


CASES["a listener that stops"] = listened
