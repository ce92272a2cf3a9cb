"""Tests tf.train.Supervisor in one process: sessions, services and threads of a trainer."""
import glob
import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import weir as tf


@pytest.fixture
def logdir(tmp_path):
    return str(tmp_path / "logs")


def events(logdir):
    return [event for path in sorted(glob.glob(f"{logdir}/events.out.tfevents.*")) for event in tf.train.summary_iterator(path)]


def values(logdir):
    return {(value.tag, event.step) for event in events(logdir) for value in event.summary.value}


def session_log(logdir):
    return [(tf.SessionLog.SessionStatus.Name(event.session_log.status), event.step) for event in events(logdir)
            if event.HasField("session_log")]


def test_missing_parts_are_created(graph):
    tf.Variable(1.0, name="v")
    sv = tf.train.Supervisor()
    assert sv.init_op.name == "init" and sv.ready_op.op.type == "GatherV2" and sv.saver.saver_def.max_to_keep == 5
    assert [sv.ready_for_local_init_op, sv.summary_op, sv.global_step, sv.save_path, sv.summary_writer, sv.init_feed_dict] == [None] * 6
    assert (sv.is_chief, sv.save_model_secs, sv.save_summaries_secs) == (True, 600, 120)
    assert isinstance(sv.session_manager, tf.train.SessionManager) and isinstance(sv.coord, tf.train.Coordinator)
    assert graph.finalized
    assert graph.get_collection(tf.GraphKeys.INIT_OP) == [sv.init_op]
    assert graph.get_collection(tf.GraphKeys.SAVERS) == [sv.saver]
    assert len(graph.get_collection(tf.GraphKeys.LOCAL_INIT_OP)) == 1


def test_given_parts_are_used(graph, logdir):
    v = tf.Variable(1.0, name="v")
    step = tf.Variable(0, name="steps")
    given = dict(init_op=tf.global_variables_initializer(), ready_op=None, saver=tf.train.Saver([v]), summary_op=None,
                 global_step=step, summary_writer=None, local_init_op=tf.no_op())
    sv = tf.train.Supervisor(logdir=logdir, checkpoint_basename="m", save_model_secs=0, **given)
    for name in given:
        if name != "local_init_op":
            assert getattr(sv, name) is given[name], name
    assert sv.save_path == os.path.join(logdir, "m")
    assert not graph.get_collection(tf.GraphKeys.LOCAL_INIT_OP)
    with sv.managed_session() as sess:
        assert sess.run(v) == 1.0
    assert os.listdir(logdir) == ["graph.pbtxt"]


def test_the_global_step_is_found_by_its_name():
    step = tf.Variable(0, name="global_step")
    assert tf.train.Supervisor().global_step.name == step.name


def test_a_global_step_may_be_a_float(logdir):
    step = tf.Variable(0.0, name="step")
    more = step.assign_add(3.5)
    sv = tf.train.Supervisor(logdir=logdir, global_step=step)
    with sv.managed_session() as sess:
        sess.run(more)
        assert tf.train.global_step(sess, step) == 3


def test_a_managed_session_is_the_callers_until_it_ends():
    v = tf.Variable(7.0)
    sv = tf.train.Supervisor()
    with sv.managed_session() as sess:
        assert not sv.should_stop()
        assert sess.run(v) == 7.0
    assert sv.should_stop()
    with pytest.raises(RuntimeError, match="closed"):
        sess.run(v)
    with sv.managed_session(config=tf.ConfigProto(intra_op_parallelism_threads=1)) as sess:
        assert not sv.should_stop() and sess.run(v) == 7.0


def test_stopping_inside_and_again(logdir):
    v = tf.Variable(7.0)
    sv = tf.train.Supervisor(logdir=logdir)
    with sv.managed_session() as sess:
        sv.stop()
        assert sess.run(v) == 7.0
    sv.stop()
    assert len([status for status, _ in session_log(logdir) if status == "STOP"]) == 1


def test_exceptions_of_the_block_are_raised_when_it_ends():
    tf.Variable(1.0)
    sv = tf.train.Supervisor()
    with pytest.raises(ZeroDivisionError):
        with sv.managed_session():
            1 / 0
    assert sv.should_stop()
    with sv.managed_session():
        raise tf.errors.OutOfRangeError(None, None, "the end of the input")
    with pytest.raises(KeyboardInterrupt):
        with sv.managed_session() as sess:
            raise KeyboardInterrupt
    assert sess._closed


def test_exceptions_of_threads_stop_the_block():
    tf.Variable(1.0)
    sv = tf.train.Supervisor()

    def fail():
        raise ValueError("of the thread")
    with pytest.raises(ValueError, match="of the thread"):
        with sv.managed_session():
            sv.loop(None, fail)
            sv.wait_for_stop()


def test_the_model_is_not_ready(graph):
    v = tf.Variable(1.0, name="v")
    with pytest.raises(RuntimeError, match="Variables not initialized: v"):
        with tf.train.Supervisor(init_op=None).managed_session():
            pytest.fail("there is no session")
    graph._unsafe_unfinalize()
    seen = []

    def init_fn(sess):
        seen.append(sess)
        sess.run(v.initializer)
    with tf.train.Supervisor(init_op=None, init_fn=init_fn).managed_session() as sess:
        assert seen == [sess] and sess.run(v) == 1.0


def test_init_and_local_init():
    x = tf.placeholder(tf.float32, [])
    v = tf.Variable(x, name="v")
    local = tf.Variable(2.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    table = tf.contrib.lookup.index_table_from_tensor(["a", "b"])
    found = table.lookup(tf.constant("b"))
    with tf.train.Supervisor(init_feed_dict={x: 3.0}, local_init_run_options=tf.RunOptions()).managed_session() as sess:
        assert sess.run([v, local, found]) == [3.0, 2.0, 1]


def test_checkpoints_are_saved_and_restored(logdir):
    for start in (0, 5):
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            more = tf.assign_add(step, 1)
            sv = tf.train.Supervisor(logdir=logdir, save_model_secs=0.01)
            with sv.managed_session() as sess:
                assert sess.run(step) == start
                for _ in range(5):
                    last = sess.run(more)
                while tf.train.latest_checkpoint(logdir) != f"{logdir}/model.ckpt-{last}":
                    assert not sv.should_stop()
    assert os.path.exists(f"{logdir}/graph.pbtxt") and os.path.exists(f"{logdir}/model.ckpt-10.meta")
    log = session_log(logdir)
    assert log[0] == ("START", 0) and ("CHECKPOINT", 5) in log and log[-1][0] == "STOP" and ("START", 5) in log


@pytest.mark.parametrize("given", [False, True])
def test_summaries_are_written(logdir, given):
    step = tf.train.get_or_create_global_step()
    tf.summary.scalar("value", tf.cast(step, tf.float32))
    to_41 = step.assign(41)
    sv = tf.train.Supervisor(logdir=logdir, save_summaries_secs=0.01, save_model_secs=0, **({"global_step": step} if given else {}))
    with sv.managed_session() as sess:
        sess.run(to_41)
        sv.summary_computed(sess, tf.Summary(value=[tf.Summary.Value(tag="mine", simple_value=2.0)]))
        sv.summary_computed(sess, sess.run(sv.summary_op), global_step=43)
        while not {("value", 41), ("global_step/sec", 41)} <= values(logdir):  # written by the services
            assert not sv.should_stop()
            sv.summary_writer.flush()
    assert {("mine", 41), ("value", 43)} <= values(logdir)
    assert any(event.HasField("graph_def") for event in events(logdir))
    assert any(event.HasField("meta_graph_def") for event in events(logdir))


def test_services_without_a_logdir_or_a_chief():
    with tf.device("/cpu:0"):
        tf.Variable(1.0)
    sv = tf.train.Supervisor()
    assert sv.start_standard_services(None) is None
    with pytest.raises(RuntimeError, match="Writing a summary requires a summary writer."):
        sv.summary_computed(None, b"")
    tf.get_default_graph()._unsafe_unfinalize()
    sv = tf.train.Supervisor(is_chief=False, logdir="nowhere")
    assert [sv.summary_writer, sv.save_path, sv.save_model_secs, sv.save_summaries_secs] == [None] * 4
    with pytest.raises(RuntimeError, match="Only chief supervisor can start standard services"):
        sv.start_standard_services(None)


def test_replicas_need_devices():
    tf.Variable(1.0, name="v")
    with pytest.raises(ValueError, match="all Variables must have their device set: v"):
        tf.train.Supervisor(is_chief=False)


def test_queue_runners_run_once(graph):
    count = tf.Variable(0, name="count")
    queue = tf.FIFOQueue(100, tf.int32, shapes=[[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(count.assign_add(1))]))
    item = queue.dequeue()
    sv = tf.train.Supervisor()
    sess = sv.prepare_or_wait_for_session()
    assert [sess.run(item) for _ in range(3)] == [1, 2, 3]
    assert sv.start_queue_runners(sess) == []
    sv.stop()
    assert not [t for t in threading.enumerate() if t.name.startswith("QueueRunnerThread")]
    sess.close()


def test_services_can_be_disabled(logdir):
    step = tf.train.get_or_create_global_step()
    sv = tf.train.Supervisor(logdir=logdir)
    before = threading.active_count()
    sess = sv.prepare_or_wait_for_session(start_standard_services=False)
    assert threading.active_count() == before
    threads = sv.start_standard_services(sess)
    assert len(threads) == 2
    while tf.train.latest_checkpoint(logdir) != f"{logdir}/model.ckpt-0":
        assert not sv.should_stop()
    sv.stop(threads)
    assert sess.run(step) == 0
    sess.close()


def test_the_old_names(logdir):
    tf.train.get_or_create_global_step()
    sv = tf.train.Supervisor(logdir=logdir)
    sess = sv.PrepareSession("")
    sv.StartQueueRunners(sess)
    with sv.StopOnException():
        sv.Loop(1000, lambda: None)
    assert not sv.ShouldStop()
    sv.RequestStop()
    sv.WaitForStop()
    sv.Stop()
    assert sv.USE_DEFAULT == 0


def run_program(program, *arguments):
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(program), *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=dict(os.environ),
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def test_a_program_that_never_stops_its_supervisor_ends(logdir):
    child = run_program("""
        import sys, weir as tf
        step = tf.train.get_or_create_global_step()
        queue = tf.FIFOQueue(2, tf.int64, shapes=[[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.assign_add(step, 1))]))
        item = queue.dequeue()
        tf.summary.scalar("step", step)
        sv = tf.train.Supervisor(logdir=sys.argv[1], save_model_secs=0.01, save_summaries_secs=0.01)
        sess = sv.prepare_or_wait_for_session()
        while sess.run(item) < 20 or tf.train.latest_checkpoint(sys.argv[1]) is None:
            pass
        print("done.")
    """, logdir)
    out, err = child.communicate(timeout=60)
    assert (out, child.returncode) == ("done.\n", 0), err
    assert "Traceback" not in err and "Fatal" not in err


def test_ctrl_c_stops_a_trainer_cleanly(logdir):
    child = run_program("""
        import sys, weir as tf
        step = tf.train.get_or_create_global_step()
        more = tf.assign_add(step, 1)
        sv = tf.train.Supervisor(logdir=sys.argv[1])
        with sv.managed_session() as sess:
            while tf.train.latest_checkpoint(sys.argv[1]) is None:
                pass
            print("training", flush=True)
            while not sv.should_stop():
                sess.run(more)
    """, logdir)
    assert child.stdout.readline() == "training\n"
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode != 0 and err.rstrip().endswith("KeyboardInterrupt"), err
    assert session_log(logdir)[-1][0] == "STOP"


def test_a_loop_that_begins_again_after_a_restart(logdir):
    step = tf.train.get_or_create_global_step()
    more = tf.assign_add(step, 1)
    sv = tf.train.Supervisor(logdir=logdir)
    seen, errors = [], [tf.errors.AbortedError(None, None, "restarted")]

    def train(sess, last, by=1):
        seen.append(sess.run(more))
        if errors:
            raise errors.pop()
        if len(seen) == last:
            sv.request_stop()

    tf.train.basic_train_loop(sv, train, args=[3], kwargs={"by": 2})
    assert len(seen) == 3 and not errors
    with pytest.raises(ValueError, match="mine"):
        tf.train.basic_train_loop(sv, lambda sess: (_ for _ in ()).throw(ValueError("mine")))


def test_out_of_range_before_there_is_a_session_is_an_error():
    def no_session(sess):
        raise tf.errors.OutOfRangeError(None, None, "too early")
    tf.Variable(1.0)
    sv = tf.train.Supervisor(init_fn=no_session)
    with pytest.raises(tf.errors.OutOfRangeError, match="too early"):
        with sv.managed_session():
            pass


def test_a_session_whose_services_fail_is_closed(tmp_path):
    made = []

    class Watched(tf.train.Supervisor):
        def start_standard_services(self, sess):
            made.append(sess)
            return super().start_standard_services(sess)
    step = tf.Variable(np.int64(0), name="empty", collections=["elsewhere"])
    tf.Variable(1.0)
    sv = Watched(logdir=str(tmp_path), global_step=step)
    with pytest.raises(tf.errors.FailedPreconditionError, match="empty"):
        sv.prepare_or_wait_for_session()
    with pytest.raises(RuntimeError, match="closed"):
        made[0].run(step)
