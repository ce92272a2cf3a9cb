"""Tests the exit of a process with busy daemon threads: it must exit as if they did not exist. Runs with an empty
environment and default buffering of standard error."""
import os
import subprocess
import sys
import textwrap
import time

import pytest

PATIENCE = 120
RUNS = 2

# Four threads repeat the same action. The program ends as soon as each has done it three times.
PROGRAM = textwrap.dedent("""
    import sys, threading, time
    import numpy as np
    import weir as tf
    kind, folder = sys.argv[1:]
    v = tf.get_variable("v", [64], initializer=tf.zeros_initializer())
    x = tf.placeholder(tf.float32, [64])
    update, total = v.assign_add(x), tf.reduce_sum(v)
    queue = tf.FIFOQueue(1, tf.float32)
    never = queue.dequeue()
    slow = tf.py_func(lambda: time.sleep(1000), [], [])
    called = tf.py_func(lambda value: value + np.float32(1), [total], tf.float32)
    saver = tf.train.Saver()
    coord = tf.train.Coordinator()
    element = tf.data.Dataset.range(10**9).map(lambda i: tf.py_func(lambda n: n + 1, [i], tf.int64)).make_one_shot_iterator().get_next()
    stuck = tf.data.Dataset.range(1).repeat().filter(lambda i: i > 0).make_one_shot_iterator().get_next()
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    path = saver.save(sess, folder + "/model")
    if kind == "load":
        tf.saved_model.simple_save(sess, folder + "/export", {"x": x}, {"total": total})
    call = sess.make_callable([update, total], [x])
    writer = tf.summary.FileWriter(folder + "/events")
    done = threading.Semaphore(0)

    def load():
        with tf.Graph().as_default(), tf.Session() as other:
            tf.saved_model.load(other, ["serve"], folder + "/export")

    # The first call does not return.
    def hang(blocked):
        def work():
            done.release(3)
            blocked()
        return work

    def build():
        with tf.Graph().as_default():
            w = tf.get_variable("w", [4, 4], initializer=lambda shape, **_: tf.ones(shape))
            y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.matmul(y, w)), [0, w])[1]
            with tf.device(lambda op: "/cpu:0"):
                train = tf.train.AdamOptimizer().minimize(tf.reduce_sum(tf.layers.dense(y, 3)))
            with tf.Session() as other:
                other.run(tf.global_variables_initializer())
                other.run(train)

    class SleepingHook(tf.train.SessionRunHook):
        def before_run(self, run_context):
            time.sleep(1000)

    def monitored(hooks):
        with tf.Graph().as_default():
            one = tf.constant(1)
            with tf.train.MonitoredSession(hooks=hooks) as other:
                done.release(3)
                other.run(one)

    def wrong():
        try:
            sess.run(tf.errors.OpError)
        except TypeError:
            pass

    def remote():
        server = tf.train.Server.create_local_server()
        with tf.Graph().as_default(), tf.Session(server.target) as other:
            stays = tf.FIFOQueue(1, tf.float32).dequeue()
            done.release(3)
            other.run(stays)

    work = {"run": lambda: sess.run([update, total], {x: np.ones(64)}),
            "callable": lambda: call(np.ones(64)),
            "hang": hang(lambda: sess.run(never)),
            "partial": hang(lambda: sess.partial_run(sess.partial_run_setup([never], [x]), never)),
            "load": load,
            "save": lambda: saver.save(sess, folder + f"/model{threading.get_ident()}"),
            "restore": lambda: saver.restore(sess, path),
            "build": build,
            "sessions": lambda: tf.Session(graph=v.graph).close(),
            "graphs": lambda: tf.Graph().as_graph_def(),
            "errors": wrong,
            "py_func": lambda: sess.run(called),
            "sleeping_py_func": hang(lambda: sess.run(slow)),
            "dataset": lambda: sess.run(element),
            "stuck_dataset": hang(lambda: sess.run(stuck)),
            "server": hang(lambda: tf.train.Server.create_local_server().join()),
            "remote": remote,
            "coordinator": hang(lambda: coord.wait_for_stop()),
            "loop": hang(lambda: tf.train.LooperThread.loop(coord, 0.001, target=lambda: None)),
            "sleeping_loop": hang(lambda: tf.train.LooperThread.loop(coord, None, target=lambda: time.sleep(1000))),
            "monitored": lambda: monitored([]),
            "sleeping_hook": lambda: monitored([SleepingHook()]),
            "events": lambda: writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="t", simple_value=1.0)]), 1),
            }[kind]

    def forever():
        while True:
            work()
            done.release()

    for _ in range(4):
        threading.Thread(target=forever, daemon=True).start()
    for _ in range(12):
        done.acquire()
    print("ends", flush=True)
""")
KINDS = ["run", "callable", "hang", "partial", "save", "restore", "load", "build", "sessions", "graphs", "errors", "py_func", "sleeping_py_func",
         "dataset", "stuck_dataset", "server", "remote", "coordinator", "loop", "sleeping_loop", "monitored", "sleeping_hook", "events"]


def run(program, *arguments):
    """Runs with a clean environment: PYTHONUNBUFFERED would hide threads that write while the interpreter ends."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ["PYTHONPATH"], "HOME": os.environ.get("HOME", "/"), "WEIR_LOG": "error"}
    return subprocess.run([sys.executable, "-c", program, *map(str, arguments)], env=environment, capture_output=True, text=True,
                          timeout=PATIENCE)


@pytest.mark.parametrize("kind", KINDS)
def test_daemon_threads_in_a_step_do_not_disturb_the_exit(kind, tmp_path):
    for number in range(RUNS):
        folder = tmp_path / str(number)
        folder.mkdir()
        start = time.monotonic()
        ended = run(PROGRAM, kind, folder)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ends\n", ""), f"run {number}: {ended.returncode}\n{ended.stderr}"
        assert time.monotonic() - start < 30


@pytest.mark.parametrize("how, status", [("sys.exit(3)", 3), ("raise SystemExit('stop')", 1), ("raise ValueError('wrong')", 1), ("", 0)])
def test_the_exit_status_stays(how, status):
    """Also if a thread never ends."""
    program = textwrap.dedent(f"""
        import sys, threading, time
        import weir as tf
        slow = tf.py_func(lambda: started.set() or time.sleep(1000), [], [])
        started = threading.Event()
        sess = tf.Session()
        threading.Thread(target=lambda: sess.run(slow), daemon=True).start()
        started.wait()
        print("ends")
        {how}
    """)
    ended = run(program)
    assert (ended.returncode, ended.stdout) == (status, "ends\n"), ended.stderr
    assert "Cancelled" not in ended.stderr and "Fatal" not in ended.stderr


def test_threads_that_fail_while_the_program_ends_do_not_abort_it():
    """The program closes the session, so its threads report errors while the interpreter shuts down."""
    program = textwrap.dedent("""
        import threading
        import weir as tf
        never = tf.FIFOQueue(1, tf.float32).dequeue()
        with tf.Session() as sess:
            for _ in range(8):
                threading.Thread(target=lambda: sess.run(never), daemon=True).start()
            sess.run(tf.constant(1))
        print("ends")
    """)
    for _ in range(RUNS):
        ended = run(program)
        assert (ended.returncode, ended.stdout) == (0, "ends\n"), ended.stderr


def test_a_forked_child_exits_while_its_parent_has_threads_in_steps():
    program = textwrap.dedent("""
        import os, sys, threading
        import weir as tf
        total = tf.reduce_sum(tf.ones([1000]))
        sess = tf.Session()
        def forever():
            while True:
                sess.run(total)
        for _ in range(4):
            threading.Thread(target=forever, daemon=True).start()
        sess.run(total)
        child = os.fork()
        if child == 0:
            sys.exit(5)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    start = time.monotonic()
    ended = run(program)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "5\n", "")
    assert time.monotonic() - start < 10


def test_a_session_may_end_while_another_thread_collects():
    """Closing a session waits without the GIL. Meanwhile the garbage collector must not collect the session."""
    program = textwrap.dedent("""
        import gc, threading
        import weir as tf
        c = tf.constant(1)
        graph = tf.get_default_graph()
        collected = threading.Event()

        def forever():
            while not collected.is_set():
                assert tf.Session(graph=graph).run(c) == 1

        threads = [threading.Thread(target=forever) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(200):
            gc.collect()
        collected.set()
        for thread in threads:
            thread.join()
        print("ends", flush=True)
    """)
    ended = run(program)
    assert (ended.returncode, ended.stdout) == (0, "ends\n"), ended.stderr
