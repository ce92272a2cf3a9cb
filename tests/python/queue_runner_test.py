"""Tests queue runners."""
import threading

import pytest

import weir as tf


def counting(limit):
    """Returns a queue, an op that enqueues the next number below `limit`, and an initialized session."""
    queue = tf.FIFOQueue(10, tf.int32, name="numbers")
    enqueue = queue.enqueue([tf.Variable(0, name="n").count_up_to(limit)])
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return queue, enqueue, session


def test_the_queue_is_closed_at_the_end_of_the_input():
    queue, enqueue, session = counting(3)
    runner = tf.train.QueueRunner(queue, [enqueue])
    tf.train.add_queue_runner(runner)
    assert tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) == [runner]
    element, size = queue.dequeue(), queue.size()
    coord = tf.train.Coordinator()
    with session:
        threads = tf.train.start_queue_runners(session, coord)
        assert [(t.name, t.daemon) for t in threads] == [("QueueRunnerThread-numbers-numbers_enqueue", True),
                                                         ("QueueRunnerThread-numbers-close_on_stop", True)]
        threads[0].join()
        assert not coord.should_stop()
        assert [session.run(element) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)
        assert session.run(size) == 0
        coord.request_stop()
        coord.join(threads)
    assert runner.exceptions_raised == []


def test_a_stop_wakes_waiting_steps():
    queue = tf.FIFOQueue(1, tf.float32)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 3)
    element = queue.dequeue()
    coord = tf.train.Coordinator()
    with tf.Session() as session:
        threads = runner.create_threads(session, coord=coord, start=True)
        assert len(threads) == 4
        assert [session.run(element) for _ in range(5)] == [1.0] * 5
        assert runner.create_threads(session, coord=tf.train.Coordinator()) == []
        coord.request_stop()
        coord.join(threads)
        assert len(runner.create_threads(session)) == 3


def test_an_error_reaches_the_coordinator():
    queue = tf.FIFOQueue(1, tf.float32)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.check_numerics(tf.log(tf.constant(-1.0)), "bad"))])
    with tf.Session() as session:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(session, coord=coord, start=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
            coord.join(threads)


def test_an_error_without_a_coordinator_is_kept(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda arguments: None)
    queue = tf.FIFOQueue(1, tf.float32)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.check_numerics(tf.log(tf.constant(-1.0)), "bad"))])
    with tf.Session() as session:
        for thread in runner.create_threads(session, start=True):
            thread.join()
    assert [type(error) for error in runner.exceptions_raised] == [tf.errors.InvalidArgumentError]


def test_messages():
    queue, enqueue, _ = counting(3)
    runner = tf.train.QueueRunner(queue, [enqueue], queue_closed_exception_types=(
        tf.errors.OutOfRangeError, tf.errors.CancelledError))
    message = runner.to_proto()
    assert message.queue_name == "numbers" and list(message.enqueue_op_name) == ["numbers_enqueue"]
    assert (message.close_op_name, message.cancel_op_name) == ("numbers_Close", "numbers_Close_1")
    assert sorted(message.queue_closed_exception_types) == [tf.errors.CANCELLED, tf.errors.OUT_OF_RANGE]
    again = tf.train.QueueRunner.from_proto(message)
    assert again.name == "numbers" and again.enqueue_ops == [enqueue] and again.cancel_op == runner.cancel_op
    with pytest.raises(KeyError, match="nope/numbers"):
        tf.train.QueueRunner.from_proto(message, import_scope="nope")
    assert runner.to_proto(export_scope="nope") is None


def test_errors():
    queue, enqueue, session = counting(3)
    message = tf.train.QueueRunner(queue, [enqueue]).to_proto()
    for arguments in ({}, {"queue": queue}, {"queue": queue, "enqueue_ops": []}):
        with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
            tf.train.QueueRunner(**arguments)
    with pytest.raises(ValueError, match="mutually exclusive"):
        tf.train.QueueRunner(queue, [enqueue], queue_runner_def=message)
    for types in ([ValueError], (ValueError,), ()):
        with pytest.raises(TypeError, match="tuple of tf.error types"):
            tf.train.QueueRunner(queue, [enqueue], queue_closed_exception_types=types)
    with pytest.raises(ValueError, match="No default session"):
        tf.train.start_queue_runners()
    with pytest.raises(TypeError, match="must be a `tf.Session` object"):
        tf.train.start_queue_runners(sess=3)
