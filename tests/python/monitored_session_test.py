"""Tests monitored sessions: life cycle, recovery, step functions, threads and errors."""
import gc
import glob
import os
import signal
import subprocess
import sys
import threading
import weakref

import pytest

import weir as tf
from free_addresses import free_cluster


@pytest.fixture(autouse=True)
def no_cached_writers():
    yield
    tf.summary.FileWriterCache.clear()


def count():
    return tf.assign_add(tf.train.get_or_create_global_step(), 1)


class Sessions(tf.train.SessionCreator):
    """Creates sessions and records them."""

    def __init__(self, fail=()):
        self.inner = tf.train.ChiefSessionCreator()
        self.made = []
        self.fail = list(fail)

    def create_session(self):
        if self.fail:
            raise self.fail.pop(0)
        self.made.append(self.inner.create_session())
        return self.made[-1]


def lost(kind=tf.errors.AbortedError):
    return kind(None, None, "a task was lost")


class FailsAt(tf.train.SessionRunHook):
    """Raises each error once, in the step with its number."""

    def __init__(self, errors):
        self.errors = dict(errors)
        self.step = 0
        self.sessions = []

    def after_create_session(self, session, coord):
        self.sessions.append(session)

    def after_run(self, run_context, run_values):
        self.step += 1
        if self.step in self.errors:
            raise self.errors.pop(self.step)


def test_a_model_is_initialized():
    v = tf.Variable(3.0)
    local = tf.Variable(4.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    with tf.train.MonitoredSession() as sess:
        assert sess.run([v, local]) == [3.0, 4.0]
        assert sess.graph is tf.get_default_graph() and not sess.should_stop()
        assert tf.get_default_graph().finalized
    assert sess.should_stop() and sess.graph is None
    assert not tf.get_default_graph().finalized
    with pytest.raises(RuntimeError, match="already closed"):
        sess.run(v)
    with pytest.raises(RuntimeError, match="already closed"):
        sess.close()


def test_options_and_metadata():
    metadata = tf.RunMetadata()
    one = tf.Variable(1.0)
    with tf.train.MonitoredSession() as sess:
        sess.run(one, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    assert metadata.step_stats.dev_stats


def test_run_after_a_stop_was_requested():
    train = count()
    with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(num_steps=1)]) as sess:
        assert sess.run(train) == 1
        assert sess.should_stop()
        with pytest.raises(RuntimeError, match="after should_stop"):
            sess.run(train)


@pytest.mark.parametrize("kind", [tf.errors.AbortedError, tf.errors.UnavailableError])
def test_a_lost_task_is_recovered_from(kind, tmp_path):
    train = count()
    creator = Sessions()
    creator.inner = tf.train.ChiefSessionCreator(checkpoint_dir=str(tmp_path))
    hook = FailsAt({3: lost(kind), 5: lost(kind)})
    saver = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1, saver=tf.train.Saver())
    with tf.train.MonitoredSession(creator, hooks=[saver, hook, tf.train.StopAtStepHook(last_step=6)]) as sess:
        values = []
        while not sess.should_stop():
            values.append(sess.run(train))
    # The third step is saved before it fails. After the recovery, the caller gets the value of the fourth.
    assert values == [1, 2, 4, 6] and len(creator.made) == 3
    assert hook.sessions == creator.made


def test_making_a_session_is_tried_again():
    creator = Sessions(fail=[lost(), lost(tf.errors.UnavailableError)])
    one = tf.constant(1)
    with tf.train.MonitoredSession(creator, recovery_wait_secs=0.01) as sess:
        assert sess.run(one) == 1
    with pytest.raises(ValueError, match="mine"):
        tf.train.MonitoredSession(Sessions(fail=[ValueError("mine")]))


def test_other_errors_are_the_callers():
    x = tf.placeholder(tf.float32, [2])
    hook = FailsAt({2: tf.errors.InternalError(None, None, "broken")})
    with tf.train.MonitoredSession(Sessions(), hooks=[hook]) as sess:
        with pytest.raises(ValueError, match="shape"):
            sess.run(x, {x: [1.0]})
        assert list(sess.run(x, {x: [1.0, 2.0]})) == [1.0, 2.0]
        with pytest.raises(tf.errors.InternalError, match="broken"):
            sess.run(x, {x: [1.0, 2.0]})
        assert len(hook.sessions) == 1


def test_a_singular_session_does_not_recover():
    one = tf.constant(1)
    hook = FailsAt({1: lost()})
    with pytest.raises(tf.errors.AbortedError, match="lost"):
        with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
            assert isinstance(sess.raw_session(), tf.Session)
            sess.run(one)


class Ends(tf.train.SessionRunHook):
    ended = False

    def end(self, session):
        self.ended = True


@pytest.mark.parametrize("error, goes_through, ended", [
    (tf.errors.OutOfRangeError(None, None, "no more"), False, True),
    (StopIteration("enough"), False, True),
    (tf.errors.InternalError(None, None, "broken"), True, False),
    (KeyboardInterrupt(), True, False),
])
def test_exceptions_that_leave_the_with_block(error, goes_through, ended):
    hook = Ends()
    try:
        with tf.train.MonitoredSession(hooks=[hook]) as sess:
            raise error
    except BaseException as caught:
        assert caught is error and goes_through
    else:
        assert not goes_through
    assert hook.ended is ended and sess.should_stop()


def test_step_functions():
    train = count()
    twice = tf.train.get_global_step() * 2
    seen = []

    class Looks(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            seen.append("hook")

    def step(step_context):
        step_context.session.run(train)
        return step_context.run_with_hooks(twice)

    with tf.train.MonitoredSession(hooks=[Looks()]) as sess:
        assert sess.run_step_fn(step) == 2
        assert seen == ["hook"]
        with pytest.raises(ValueError, match="step_context"):
            sess.run_step_fn(lambda a, b: None)
        sess.run_step_fn(lambda step_context: step_context.request_stop())
        seen.append("not reached")
    assert seen == ["hook"]


def test_step_functions_are_called_again_after_a_loss():
    train = count()
    creator = Sessions()
    calls = []

    def step(step_context):
        calls.append(step_context.session)
        if len(calls) == 1:
            raise lost()
        return step_context.run_with_hooks(train)

    with tf.train.MonitoredSession(creator) as sess:
        assert sess.run_step_fn(step) == 1
    assert calls == creator.made and len(calls) == 2


def test_queue_runners_are_started_and_end():
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[()])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([7])]))
    before = threading.active_count()
    value = queue.dequeue()
    with tf.train.MonitoredSession() as sess:
        assert [sess.run(value) for _ in range(20)] == [7] * 20
    assert threading.active_count() == before


def test_an_input_that_ends():
    queue = tf.FIFOQueue(10, [tf.int64], shapes=[()])
    fill, value, close = queue.enqueue_many([[0, 1, 2]]), queue.dequeue(), queue.close()
    got = []
    with tf.train.MonitoredSession() as sess:
        sess.run(fill)
        sess.run(close)
        while not sess.should_stop():
            got.append(sess.run(value))
    assert got == [0, 1, 2]


def test_a_thread_that_requests_a_stop():
    one = tf.constant(1)

    class Stops(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            self.coord = coord

    hook = Stops()
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        sess.run(one)
        hook.coord.request_stop()
        assert sess.should_stop()


def test_an_error_of_a_thread_is_raised_at_the_end():
    hook = Ends()
    kept = []

    class Keeps(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            kept.append(coord)

    with pytest.raises(KeyError, match="mine"):
        with tf.train.MonitoredSession(hooks=[hook, Keeps()]) as sess:
            kept[0].request_stop(KeyError("mine"))
            assert sess.should_stop()
    assert hook.ended


def train_to(last_step, folder, **arguments):
    with tf.Graph().as_default():
        train = count()
        tf.summary.scalar("step", tf.cast(train, tf.float32))
        values = []
        with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=[tf.train.StopAtStepHook(last_step=last_step)],
                                               **arguments) as sess:
            while not sess.should_stop():
                values.append(sess.run(train))
    tf.summary.FileWriterCache.clear()
    return values


def test_training_sessions_continue_from_the_checkpoint(tmp_path):
    folder = str(tmp_path)
    assert train_to(3, folder) == [1, 2, 3]
    assert tf.train.latest_checkpoint(folder).endswith("model.ckpt-3")
    assert train_to(5, folder, save_checkpoint_steps=1, save_summaries_steps=1, log_step_count_steps=1) == [4, 5]
    found = [event for path in glob.glob(os.path.join(folder, "*tfevents*")) for event in tf.train.summary_iterator(path)]
    tags = {(event.step, value.tag) for event in found for value in event.summary.value}
    assert {(1, "step"), (4, "step"), (5, "step"), (5, "global_step/sec")} <= tags


def test_training_sessions_without_files():
    train = count()
    with tf.train.MonitoredTrainingSession(chief_only_hooks=[tf.train.StopAtStepHook(num_steps=2)]) as sess:
        while not sess.should_stop():
            last = sess.run(train)
    assert last == 2


def test_a_scaffold(tmp_path):
    v = tf.Variable(1.0, name="v")
    fed = tf.placeholder(tf.float32, [])
    called = []
    tf.train.get_or_create_global_step()
    init_step = tf.train.get_global_step().initializer
    scaffold = tf.train.Scaffold(init_op=tf.group(tf.assign(v, fed), init_step), init_feed_dict={fed: 5.0},
                                 init_fn=lambda s, sess: called.append(isinstance(sess, tf.Session)))
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), scaffold=scaffold) as sess:
        assert sess.run(v) == 5.0
    assert called == [True] and tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-0")


def test_replicas_that_step_together(tmp_path):
    spec = free_cluster(ps=1, worker=2)
    servers = [tf.train.Server(spec, job_name=job, task_index=task) for job, task in (("ps", 0), ("worker", 0), ("worker", 1))]
    ended = {}

    def train(task):
        setter = tf.train.replica_device_setter(ps_tasks=1, worker_device=f"/job:worker/task:{task}")
        with tf.Graph().as_default(), tf.device(setter):
            step = tf.train.get_or_create_global_step()
            w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
            optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=2)
            op = optimizer.minimize(tf.square(w - float(task)), global_step=step)
            hooks = [optimizer.make_session_run_hook(task == 0, num_tokens=0), tf.train.StopAtStepHook(last_step=50)]
            with tf.train.MonitoredTrainingSession(servers[1 + task].target, is_chief=task == 0, hooks=hooks,
                                                   checkpoint_dir=str(tmp_path) if task == 0 else None) as sess:
                while not sess.should_stop():
                    _, value = sess.run([op, w])
            ended[task] = float(value)

    threads = [threading.Thread(target=train, args=(task,), daemon=True) for task in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(ended) == [0, 1]
    assert all(abs(value - 0.5) < 1e-3 for value in ended.values())  # the mean of the targets of both workers


WAITS = """
import sys
import weir as tf

queue = tf.FIFOQueue(1, [tf.int32], shapes=[()])
value, one = queue.dequeue(), tf.constant(1)


class Waits(tf.train.SessionRunHook):
    def before_run(self, run_context):
        run_context.session.run(value)


ended = tf.train.FinalOpsHook(one)
try:
    with tf.train.MonitoredSession(hooks=[ended] + ([Waits()] if sys.argv[1] == "hook" else [])) as sess:
        print("waits", flush=True)
        sess.run(value if sys.argv[1] == "step" else one)
except KeyboardInterrupt:
    print("interrupted", ended.final_ops_values)
"""


@pytest.mark.parametrize("where", ["step", "hook"])
def test_an_interrupt_ends_waits(where):
    child = subprocess.Popen([sys.executable, "-c", WAITS, where], stdout=subprocess.PIPE, text=True,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert child.stdout.readline() == "waits\n"
    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=60)
    assert said == "interrupted None\n" and child.returncode == 0


FORGETS = """
import sys
import weir as tf

queue = tf.FIFOQueue(10, [tf.int32], shapes=[()])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([7])] * 2))
train, value = tf.assign_add(tf.train.get_or_create_global_step(), 1), queue.dequeue()
hook = tf.train.FeedFnHook(dict)
sess = tf.train.MonitoredTrainingSession(checkpoint_dir=sys.argv[1], hooks=[hook])
hook.session = sess
print(*sess.run([train, value]))
"""


def test_a_program_that_closes_nothing_ends(tmp_path):
    done = subprocess.run([sys.executable, "-c", FORGETS, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 7\n", "")


INTERRUPTED_LOG = """
import logging, os, signal, sys
import weir as tf
class Interrupt(logging.Handler):
    def emit(self, record):
        if "Saving checkpoints for 3" in record.getMessage():
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
tf.logging.set_verbosity(tf.logging.INFO)
logging.getLogger("tensorflow").addHandler(Interrupt())
train = tf.assign_add(tf.train.get_or_create_global_step(), 1)
try:
    with tf.train.MonitoredTrainingSession(checkpoint_dir=sys.argv[1], save_checkpoint_secs=None, save_checkpoint_steps=1,
                                           hooks=[tf.train.StopAtStepHook(last_step=100)]) as session:
        while not session.should_stop():
            step = session.run(train)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_that_comes_while_a_line_is_logged_is_not_lost(tmp_path):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_LOG, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr
    assert "Exception ignored" not in done.stderr


class LosesATask(tf.train.SessionRunHook):
    """Makes the first steps fail as if a parameter server were lost."""

    def __init__(self, losses=1):
        self.losses, self.graphs = losses, []

    def after_create_session(self, session, coord):
        self.graphs.append(tf.get_default_graph())

    def after_run(self, run_context, run_values):
        if self.losses > 0:
            self.losses -= 1
            raise tf.errors.UnavailableError(None, None, "lost")


def test_a_new_session_is_of_the_same_graph_whatever_the_default_is_then():
    graph = tf.get_default_graph()
    step = tf.train.get_or_create_global_step()
    more = step.assign_add(1)
    hook = LosesATask()
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        with tf.Graph().as_default():
            session.run(more)
        assert session.graph is graph
    assert hook.graphs == [graph, graph]


class ThreadOfSomeKind:
    """A fake thread for a coordinator, which raises its exception while the session is being closed."""
    name = "some"

    def __init__(self, error):
        self.error = error

    def is_alive(self):
        raise self.error


def test_an_exception_while_the_session_ends_does_not_hide_the_first():
    class Fails(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            coord.register_thread(ThreadOfSomeKind(ValueError("second")))
            raise KeyError("first")
    with pytest.raises(KeyError, match="first"):
        tf.train.MonitoredSession(hooks=[Fails()])


def test_only_errors_of_steps_have_a_code():
    """An attribute `error_code` of other exceptions has no meaning for the session."""
    class Strange(Exception):
        error_code = 14  # that of UnavailableError, which would cause recovery
        message = "not of a step"

    class Fails(tf.train.SessionRunHook):
        calls = 0

        def before_run(self, run_context):
            self.calls += 1
            raise Strange("mine")
    hook = Fails()
    step = tf.train.get_or_create_global_step()
    session = tf.train.MonitoredSession(hooks=[hook])
    with pytest.raises(Strange, match="mine"):
        session.run(step)
    assert hook.calls == 1
    session._core.close(True)
    coord = tf.train.Coordinator()
    coord.request_stop(Strange("other"))
    with pytest.raises(Strange, match="other"):
        coord.join()


def test_a_scaffold_with_an_init_fn_is_collected():
    def init_fn(scaffold, session):
        pass
    scaffold = tf.train.Scaffold(init_fn=init_fn)
    tf.train.get_or_create_global_step()
    gone = weakref.ref(scaffold)
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold)) as session:
        session.run(tf.train.get_global_step())
    del scaffold, session
    gc.collect()
    assert gone() is None


class KeepsCoordinator(tf.train.SessionRunHook):
    def __init__(self):
        self.coords = []

    def after_create_session(self, session, coord):
        self.coords.append(coord)


def report(coord, error):
    """Reports the error to the coordinator, as a thread does."""
    try:
        raise error
    except BaseException as raised:
        coord.request_stop(raised)


@pytest.mark.parametrize("error", [tf.errors.AbortedError, tf.errors.UnavailableError])
def test_a_task_that_a_thread_has_lost(error):
    one, hook, sessions = tf.constant(1), KeepsCoordinator(), Sessions()
    with tf.train.MonitoredSession(sessions, [hook]) as sess:
        report(hook.coords[0], error(None, None, "lost"))
        assert sess.run(one) == 1 and len(hook.coords) == 1  # the session itself still works
        assert not sess.should_stop() and len(hook.coords) == 2
        assert not hook.coords[1].should_stop() and sess._coordinated_creator.coord is hook.coords[1]
        assert sess.run(one) == 1 and not sess.should_stop()
    with pytest.raises(error, match="lost"):
        with tf.train.SingularMonitoredSession([hook]) as sess:
            report(hook.coords[-1], error(None, None, "lost"))
            assert sess.run(one) == 1
            sess.should_stop()


def test_another_error_of_a_thread_stops_but_lets_steps_run():
    one, hook = tf.constant(1), KeepsCoordinator()
    sess = tf.train.MonitoredSession(hooks=[hook])
    report(hook.coords[0], KeyError("mine"))
    assert sess.should_stop() and sess.run(one) == 1 and sess.should_stop() and len(hook.coords) == 1
    with pytest.raises(KeyError, match="mine"):
        sess.close()
