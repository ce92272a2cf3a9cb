"""The end of a process whose daemon threads are in the middle of something: it exits as if they were not there."""
import subprocess
import sys
import textwrap

import pytest

PATIENCE = 120
RUNS = 4

# Four threads do the same over and over; the program ends as soon as each has done it three times.
PROGRAM = textwrap.dedent("""
    import sys, threading
    import numpy as np
    import weir as tf
    kind, folder = sys.argv[1:]
    v = tf.get_variable("v", [64], initializer=tf.zeros_initializer())
    x = tf.placeholder(tf.float32, [64])
    update, total = v.assign_add(x), tf.reduce_sum(v)
    never = tf.FIFOQueue(1, tf.float32).dequeue()
    saver = tf.train.Saver()
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    path = saver.save(sess, folder + "/model")
    if kind == "load":
        tf.saved_model.simple_save(sess, folder + "/export", {"x": x}, {"total": total})
    call = sess.make_callable([update, total], [x])
    done = threading.Semaphore(0)

    def load():
        with tf.Graph().as_default(), tf.Session() as other:
            tf.saved_model.load(other, ["serve"], folder + "/export")

    def hang():
        done.release(3)
        sess.run(never)

    work = {"run": lambda: sess.run([update, total], {x: np.ones(64)}), "callable": lambda: call(np.ones(64)), "hang": hang, "load": load,
            "save": lambda: saver.save(sess, folder + f"/model{threading.get_ident()}"), "restore": lambda: saver.restore(sess, path)}[kind]

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


@pytest.mark.parametrize("kind", ["run", "callable", "hang", "save", "restore", "load"])
def test_daemon_threads_in_a_step_do_not_disturb_the_exit(kind, tmp_path):
    for run in range(RUNS):
        folder = tmp_path / str(run)
        folder.mkdir()
        ended = subprocess.run([sys.executable, "-c", PROGRAM, kind, str(folder)], capture_output=True, text=True, timeout=PATIENCE)
        assert (ended.returncode, ended.stdout) == (0, "ends\n"), f"run {run}: {ended.returncode}\n{ended.stderr}"


def test_a_session_may_end_while_another_thread_collects():
    """The end of a session waits without the GIL; the collector does not take what is ending for garbage."""
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
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stdout) == (0, "ends\n"), ended.stderr
