"""Tests tf.train.SessionManager and tf.train.Scaffold: preparing a model, and waiting for it."""
import os
import signal
import subprocess
import sys
import threading

import pytest

import weir as tf


@pytest.fixture
def server():
    made = tf.train.Server.create_local_server()
    yield made
    tf.Session.reset(made.target)


def manager(**arguments):
    return tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), **arguments)


def test_prepare_initializes():
    v = tf.Variable([1.0, 2.0])
    with manager().prepare_session("", init_op=tf.global_variables_initializer()) as sess:
        assert isinstance(sess, tf.Session)
        assert sess.graph is tf.get_default_graph()
        assert sess.run(v).tolist() == [1.0, 2.0]


def test_prepare_takes_lists_feeds_and_functions():
    x = tf.placeholder(tf.float32, [])
    v, w = tf.Variable(x, name="v"), tf.Variable(0.0, name="w")
    seen = []

    def init_fn(sess):
        seen.append(sess)
        sess.run(w.assign(v + 1))
    sess = manager().prepare_session("", init_op=[v.initializer], init_feed_dict={x: 4.0}, init_fn=init_fn,
                                     config=tf.ConfigProto(inter_op_parallelism_threads=1))
    assert seen == [sess]
    assert sess.run([v, w]) == [4.0, 5.0]
    assert sess._config.inter_op_parallelism_threads == 1


def test_a_model_that_is_not_ready_is_a_runtime_error():
    v = tf.Variable(1.0, name="v")
    tf.Variable(1.0, name="w")
    with pytest.raises(RuntimeError, match="Model is not initialized and no init_op or init_fn or local_init_op was given"):
        manager().prepare_session("")
    with pytest.raises(RuntimeError, match="Init operations did not make model ready.  Init op: init_v, .*Variables not initialized: w"):
        manager().prepare_session("", init_op=tf.variables_initializer([v], name="init_v"))


def test_errors_of_steps_and_functions_are_raised_as_they_are():
    v = tf.Variable(1.0)
    with pytest.raises(ZeroDivisionError):
        manager().prepare_session("", init_fn=lambda sess: 1 / 0)
    with pytest.raises(tf.errors.FailedPreconditionError):
        manager().prepare_session("", init_op=tf.identity(v))
    with pytest.raises(TypeError, match="config must be"):
        manager().prepare_session("", init_op=v.initializer, config=3)


def test_local_initialization_comes_when_the_model_is_ready_for_it():
    v = tf.Variable(3.0, name="v")
    local = tf.Variable(v.initialized_value() * 2, name="local", collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    m = manager(local_init_op=local.initializer, ready_for_local_init_op=tf.report_uninitialized_variables([v]))
    with pytest.raises(RuntimeError, match="did not make model ready for local_init.*Variables not initialized: v"):
        m.prepare_session("")
    assert m.prepare_session("", init_op=v.initializer).run(local) == 6.0
    with pytest.raises(ValueError, match="must also pass a local_init_op"):
        tf.train.SessionManager(ready_for_local_init_op=tf.report_uninitialized_variables())


def test_restored_from_the_latest_checkpoint_or_a_path(tmp_path):
    v = tf.Variable(1.0)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        for step in range(3):
            sess.run(v.assign(10.0 + step))
            last = saver.save(sess, tmp_path / "model", global_step=step)
    init = v.initializer
    assert manager().prepare_session("", init, saver, checkpoint_dir=tmp_path).run(v) == 12.0
    assert manager().prepare_session("", init, saver, checkpoint_filename_with_path=str(tmp_path / "model-0")).run(v) == 10.0
    sess, ready = manager().recover_session("", saver, checkpoint_dir=str(tmp_path))
    assert ready and sess.run(v) == 12.0
    sess, ready = manager().recover_session("", saver, checkpoint_dir=str(tmp_path / "nothing"))
    assert not ready
    # A checkpoint that was truncated by a crash is skipped.
    with open(last + ".index", "r+b") as torn:
        torn.truncate(10)
    assert manager().prepare_session("", init, saver, checkpoint_dir=tmp_path).run(v) == 11.0


def test_wrong_places_to_restore_from(tmp_path):
    tf.Variable(1.0)
    saver = tf.train.Saver()
    with pytest.raises(ValueError, match="Can not provide both"):
        manager().recover_session("", saver, checkpoint_dir="a", checkpoint_filename_with_path="b")
    with pytest.raises(ValueError, match="not a valid checkpoint"):
        manager().recover_session("", saver, checkpoint_filename_with_path=str(tmp_path / "none"))
    with pytest.raises(TypeError, match="Saver"):
        manager().recover_session("", saver=object())


def test_wait_for_another(server):
    v = tf.Variable(1.0)
    chief = threading.Thread(target=manager().prepare_session, args=[server.target, v.initializer])
    m = manager()
    chief.start()
    with m.wait_for_session(server.target) as sess:
        assert sess.run(v) == 1.0
    chief.join()


def test_wait_ends_in_time(server):
    tf.Variable(1.0, name="v")
    with pytest.raises(tf.errors.DeadlineExceededError, match="Session was not ready after waiting 0.05 secs. Variables not initialized: v"):
        manager().wait_for_session(server.target, max_wait_secs=0.05)


def test_a_ready_op_without_a_value_means_ready_if_it_succeeds(server):
    v = tf.Variable(1.0, name="v")
    m = tf.train.SessionManager(ready_op=tf.group(tf.identity(v)))
    with pytest.raises(tf.errors.DeadlineExceededError):
        m.wait_for_session(server.target, max_wait_secs=0)
    m.prepare_session(server.target, v.initializer)
    assert m.wait_for_session(server.target, max_wait_secs=0).run(v) == 1.0


def test_ctrl_c_ends_the_wait():
    program = """
import sys, weir as tf
tf.Variable(1.0)
m = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), recovery_wait_secs=1000)
server = tf.train.Server.create_local_server()
try:
    print("waiting", flush=True)
    m.wait_for_session(server.target)
except KeyboardInterrupt:
    print("interrupted")
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    assert child.stdout.readline() == "waiting\n"
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 0
    assert child.stdout.read() == "interrupted\n"


def test_scaffold_completes_missing_values(graph):
    v = tf.Variable(1.0, name="v")
    scaffold = tf.train.Scaffold()
    assert scaffold.init_op is None and scaffold.saver is None
    assert scaffold.finalize() is scaffold
    assert graph.finalized
    assert scaffold.init_op.name == "group_deps" and scaffold.local_init_op.name == "group_deps_1"
    assert scaffold.ready_op.name == "concat:0" and scaffold.ready_for_local_init_op.name == "concat_1:0"
    assert scaffold.summary_op is None and scaffold.init_fn is None and scaffold.init_feed_dict is None
    assert scaffold.saver.saver_def.sharded
    assert graph.get_collection(tf.GraphKeys.INIT_OP) == [scaffold.init_op]
    assert graph.get_collection(tf.GraphKeys.READY_OP) == [scaffold.ready_op]
    assert graph.get_collection(tf.GraphKeys.SAVERS) == [scaffold.saver]
    with tf.Session() as sess:
        assert sess.run(scaffold.ready_op).tolist() == [b"v"]
        sess.run(scaffold.init_op)
        assert sess.run(scaffold.ready_op).tolist() == []
        assert sess.run(v) == 1.0
    scaffold.finalize()


def test_scaffold_keeps_given_values(graph):
    v = tf.Variable(1.0, name="v")
    init, ready, saver = v.initializer, tf.report_uninitialized_variables(), tf.train.Saver()
    scaffold = tf.train.Scaffold(init_op=init, ready_op=ready, saver=saver, init_fn=lambda scaffold, sess: (scaffold, sess))
    scaffold.finalize()
    assert scaffold.init_op is init and scaffold.ready_op is ready and scaffold.saver is saver
    assert scaffold.init_fn("a session") == (scaffold, "a session")
    other = tf.train.Scaffold(copy_from_scaffold=scaffold, init_op=scaffold.local_init_op)
    assert other.init_op is scaffold.local_init_op and other.saver is saver
    assert other.init_fn("a session") == (other, "a session")
    with pytest.raises(TypeError, match="not a Scaffold"):
        tf.train.Scaffold(copy_from_scaffold=3)


def test_scaffold_refuses_to_choose(graph):
    for _ in range(2):
        graph.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, tf.no_op())
    with pytest.raises(RuntimeError, match='More than one item in the collection "local_init_op"'):
        tf.train.Scaffold().finalize()
    with pytest.raises(RuntimeError, match="More than one"):
        tf.train.Scaffold.get_or_default("local_init_op", tf.GraphKeys.LOCAL_INIT_OP, tf.no_op)
    made = tf.train.Scaffold.get_or_default("x", "x", tf.no_op)
    assert graph.get_collection("x") == [made]
