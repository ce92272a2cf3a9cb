"""Tests Coordinator and LooperThread."""
import gc
import os
import signal
import subprocess
import sys
import threading
import traceback
import weakref

import pytest

import weir as tf


@pytest.fixture
def stuck():
    """Yields a thread that runs until the test ends."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait, daemon=True, name="stuck")
    thread.start()
    yield thread
    end.set()
    thread.join()


def test_a_stop_reaches_all_threads():
    coord = tf.train.Coordinator()
    threads = [threading.Thread(target=coord.wait_for_stop) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert not coord.should_stop() and not coord.wait_for_stop(0.0)
    coord.request_stop()
    coord.join(threads)
    assert coord.should_stop() and coord.joined and coord.wait_for_stop()
    assert not any(thread.is_alive() for thread in threads)


def test_the_first_exception_is_raised_by_join_with_its_traceback():
    coord = tf.train.Coordinator()

    def fail_here():
        raise ValueError("first")

    def work():
        with coord.stop_on_exception():
            fail_here()

    thread = threading.Thread(target=work)
    thread.start()
    coord.wait_for_stop()
    coord.request_stop(KeyError("second"))
    with pytest.raises(ValueError, match="first") as caught:
        coord.join([thread])
    assert "fail_here" in [frame.name for frame in traceback.extract_tb(caught.tb)]
    with pytest.raises(ValueError, match="first"):
        coord.raise_requested_exception()
    with pytest.raises(KeyError, match="late"):
        coord.request_stop(KeyError("late"))
    coord.clear_stop()
    assert not coord.should_stop() and not coord.joined
    coord.raise_requested_exception()
    coord.join()


def test_the_first_exception_is_logged(caplog):
    """A program that never calls join() must still log why its queues were closed."""
    coord = tf.train.Coordinator()
    coord.request_stop(ValueError("the cause"))
    coord.request_stop(ValueError("what follows"))
    tf.train.Coordinator().request_stop(tf.errors.OutOfRangeError(None, None, "a clean end"))
    tf.train.Coordinator().request_stop(tf.errors.CancelledError(None, None, "the session was closed"))
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("ERROR", "Error reported to Coordinator: <class 'ValueError'>, the cause")]


def test_arguments_of_request_stop():
    for given in (ValueError("x"), (ValueError, ValueError("x"), None), (ValueError, None, None)):
        coord = tf.train.Coordinator()
        coord.request_stop(given)
        with pytest.raises(ValueError):
            coord.join()
    coord = tf.train.Coordinator()
    for wrong in ("x", 5, (1, 2), (1, 2, 3)):
        with pytest.raises(TypeError, match="ex must be an exception"):
            coord.request_stop(wrong)
    assert not coord.should_stop()
    coord.request_stop(sys.exc_info())
    coord.join()


def test_clean_stops():
    coord = tf.train.Coordinator()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    coord.join()
    coord = tf.train.Coordinator(clean_stop_exception_types=(KeyError, tf.errors.AbortedError))
    coord.request_stop(tf.errors.AbortedError(None, None, "fine"))
    coord.join()
    coord = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    with pytest.raises(tf.errors.OutOfRangeError):
        coord.join()


def test_threads_that_do_not_stop_are_named(stuck):
    coord = tf.train.Coordinator()
    coord.register_thread(stuck)
    coord.request_stop()
    with pytest.raises(RuntimeError, match="threads still running: stuck"):
        coord.join(stop_grace_period_secs=0.01)
    coord.join([stuck], stop_grace_period_secs=0.01, ignore_live_threads=True)
    coord = tf.train.Coordinator()
    coord.request_stop(ValueError("the cause"))
    with pytest.raises(ValueError, match="the cause"):
        coord.join([stuck], stop_grace_period_secs=0)
    assert coord.joined


def test_join_without_a_stop_waits_for_the_threads():
    coord = tf.train.Coordinator()
    thread = threading.Thread(target=lambda: None)
    thread.start()
    coord.join([thread])
    assert coord.joined and not coord.should_stop()
    with pytest.raises(AttributeError, match="is_alive"):
        coord.join([3])


def test_stop_on_exception_takes_all_kinds():
    for raised in (RuntimeError, KeyboardInterrupt, SystemExit):
        coord = tf.train.Coordinator()
        with coord.stop_on_exception():
            raise raised("x")
        assert coord.should_stop()
        with pytest.raises(raised):
            coord.join()
    coord = tf.train.Coordinator()
    with coord.stop_on_exception():
        pass
    assert not coord.should_stop()


def test_control_c_ends_a_wait(stuck):
    for wait in (lambda coord: coord.wait_for_stop(), lambda coord: coord.join([stuck])):
        coord = tf.train.Coordinator()
        timer = threading.Timer(0.01, os.kill, [os.getpid(), signal.SIGINT])
        with pytest.raises(KeyboardInterrupt):
            timer.start()  # on a busy machine the signal may arrive before this returns
            wait(coord)
        timer.join()
        assert not coord.should_stop() and not coord.joined


def test_a_reported_exception_does_not_keep_its_coordinator():
    def fail():
        coord = tf.train.Coordinator()
        tf.train.LooperThread(coord, 1)
        with coord.stop_on_exception():
            raise ValueError("its traceback holds this frame, which holds the coordinator")
        return weakref.ref(coord)

    coord = fail()
    gc.collect()
    assert coord() is None


def test_looper_calls_until_the_stop():
    for interval in (0.001, None, 0):
        coord = tf.train.Coordinator()
        calls = []

        def target(x, y):
            calls.append(x + y)
            if len(calls) == 3:
                coord.request_stop()

        thread = tf.train.LooperThread.loop(coord, interval, target, args=(1,), kwargs={"y": 2})
        coord.join()
        assert calls == [3, 3, 3] and thread.daemon and not thread.is_alive()


def test_looper_subclasses():
    coord = tf.train.Coordinator()
    calls = []

    class Mine(tf.train.LooperThread):
        def start_loop(self):
            calls.append("start")

        def run_loop(self):
            calls.append("run")
            self._coord.request_stop()

        def stop_loop(self):
            calls.append("stop")

    Mine(coord, 1000).start()
    coord.join()
    assert calls == ["start", "run", "stop"]


def test_looper_errors():
    coord = tf.train.Coordinator()

    def fail():
        raise ValueError("in the loop")

    tf.train.LooperThread.loop(coord, 1000, fail)
    with pytest.raises(ValueError, match="in the loop"):
        coord.join()
    with pytest.raises(ValueError, match="must be a Coordinator"):
        tf.train.LooperThread(None, 1)
    with pytest.raises(ValueError, match="require that you also pass 'target'"):
        tf.train.LooperThread(tf.train.Coordinator(), 1, args=(1,))


def test_a_program_may_end_while_daemons_wait():
    program = """
import threading, weir as tf
coord = tf.train.Coordinator()
for interval in (0.0005, 0.001, 1000):
    for _ in range(4):
        tf.train.LooperThread.loop(coord, interval, lambda: None)
threading.Thread(target=coord.wait_for_stop, daemon=True).start()
print("done")
"""
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")
