"""Ctrl-C: it ends what waits, wherever that is, and what the program has handled itself ends nothing afterwards."""
import subprocess
import sys
import textwrap

PATIENCE = 120

BEGIN = textwrap.dedent("""
    import os, signal, sys, threading
    import weir as tf
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = sys.argv[1]

    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)

    step = tf.train.get_or_create_global_step()
    more = step.assign_add(1)
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
