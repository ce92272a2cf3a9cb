"""Tests Ctrl-C: it ends any wait. A signal that the program has handled itself has no effect later."""
import subprocess
import sys
import textwrap

import pytest

PATIENCE = 120

BEGIN = textwrap.dedent("""
    import os, signal, sys, threading
    import weir as tf
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = sys.argv[1]

    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)

    def soon():
        # Repeats the signal until it has an effect, because it may arrive too early.
        over = threading.Event()
        def again():
            while not over.wait(0.1):
                interrupt()
        threading.Thread(target=again, daemon=True).start()
        return over

    def ends(what):
        over = soon()
        try:
            what()
        except KeyboardInterrupt:
            over.set()
            print("interrupted", flush=True)

    step = tf.train.get_or_create_global_step()
    more = step.assign_add(1)
    never = tf.FIFOQueue(1, tf.int64).dequeue()
""")


def outcome(program, folder):
    ended = subprocess.run([sys.executable, "-c", BEGIN + textwrap.dedent(program), str(folder)], capture_output=True, text=True,
                           timeout=PATIENCE)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_an_interrupt_that_a_hook_handles_cancels_no_step(tmp_path):
    assert outcome("""
        class Careful(tf.train.SessionRunHook):
            handled = 0
            def before_run(self, context):
                try:
                    interrupt()
                    for _ in range(1000):
                        pass
                except KeyboardInterrupt:
                    self.handled += 1
        hook = Careful()
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            for _ in range(200):
                session.run(more)
            last = session.run(step)
        print(hook.handled, last)
    """, tmp_path) == "201 200\n"


def test_an_interrupt_between_steps_cancels_no_step(tmp_path):
    assert outcome("""
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(300):
                try:
                    interrupt()
                    for _ in range(1000):
                        pass
                except KeyboardInterrupt:
                    session.run(more)
            print(session.run(step))
    """, tmp_path) == "300\n"


CREATED = """
    class Waits(tf.train.SessionRunHook):
        def __init__(self, at):
            self.at = at
        def after_create_session(self, session, coord):
            if self.at == "created": session.run(never)
        def end(self, session):
            if self.at == "end": session.run(never)
"""


def test_an_interrupt_ends_waits_of_hooks(tmp_path):
    assert outcome(CREATED + """
    ends(lambda: tf.train.MonitoredSession(hooks=[Waits("created")]))
    session = tf.train.MonitoredSession(hooks=[Waits("end")])
    session.run(more)
    ends(session.close)
    """, tmp_path) == "interrupted\n" * 2


# A built-in hook or service whose step blocks: its global step is read from an empty queue.
WAITING_STEP = """
    stuck = tf.Graph()
    with stuck.as_default():
        queue = tf.FIFOQueue(4, tf.int64, shapes=[[]])
        tokens = tf.placeholder(tf.int64, [])
        fill = queue.enqueue(tokens)
        taken = queue.dequeue(name="global_step")
        tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, taken)
        v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        plain = v.assign_add(1)
"""


@pytest.mark.parametrize("hook", ["tf.train.StopAtStepHook(num_steps=3)", "tf.train.CheckpointSaverHook(folder, save_steps=1)"])
def test_ends_the_steps_of_built_in_hooks_in_a_new_session(hook, tmp_path):
    assert outcome(WAITING_STEP + f"""
    with stuck.as_default():
        ends(lambda: tf.train.MonitoredSession(hooks=[{hook}]))
    """, tmp_path) == "interrupted\n"


def test_ends_the_steps_of_built_in_hooks_at_the_end(tmp_path):
    assert outcome(WAITING_STEP + """
    with stuck.as_default():
        session = tf.train.MonitoredSession(hooks=[tf.train.LoggingTensorHook([taken], at_end=True)])
        session.run(plain)
        ends(session.close)
    """, tmp_path) == "interrupted\n"


def test_ends_the_start_of_services(tmp_path):
    assert outcome(WAITING_STEP + """
    with stuck.as_default():
        sv = tf.train.Supervisor(logdir=folder)
        ends(lambda: sv.prepare_or_wait_for_session())
    """, tmp_path) == "interrupted\n"
