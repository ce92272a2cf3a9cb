"""Tests that a cancelled step ends within a second: it does not wait for kernels that cannot be interrupted."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import weir as tf

# Time limit for the end of a step: one second, plus a margin for a busy machine.
PATIENCE = 1.9


def sleeping(seconds=6.0):
    return tf.py_func(lambda: time.sleep(seconds) or np.float32(1), [], tf.float32)


def square(size, dtype=tf.float32):
    return tf.random_uniform([size, size], dtype=dtype)


def elements(dataset):
    return tf.data.make_one_shot_iterator(dataset).get_next()


def endless():
    return tf.data.Dataset.range(2 ** 62)


# Each of these takes seconds, minutes or forever.
LONG = {
    "py_func": sleeping,
    "matmul": lambda: tf.reduce_sum(tf.matmul(square(4500), square(4500))),
    "matmul of doubles": lambda: tf.reduce_sum(tf.matmul(square(3500, tf.float64), square(3500, tf.float64))),
    "convolution": lambda: tf.reduce_sum(tf.nn.conv2d(tf.random_uniform([4, 256, 256, 64]), tf.random_uniform([7, 7, 64, 64]), [1, 1, 1, 1], "SAME")),
    "inverse": lambda: tf.matrix_inverse(square(3000, tf.float64) + 3000 * tf.eye(3000, dtype=tf.float64)),
    "eigenvalues": lambda: tf.self_adjoint_eig(square(1500, tf.float64))[0],
    "loop": lambda: tf.while_loop(lambda i: i > -1.0, lambda i: i + 1.0, [0.0]),
    "shuffle buffer": lambda: elements(endless().shuffle(2 ** 62)),
    "shuffle buffer of a repeated dataset": lambda: elements(endless().apply(tf.data.experimental.shuffle_and_repeat(2 ** 62))),
    "skip": lambda: elements(endless().skip(2 ** 61)),
    "shard": lambda: elements(endless().shard(2 ** 60, 2 ** 59)),
    "filter": lambda: elements(endless().filter(lambda x: x < 0)),
    "batch": lambda: elements(endless().batch(2 ** 60)),
    "window": lambda: elements(endless().window(2 ** 60).flat_map(lambda w: w)),
    "zip": lambda: elements(tf.data.Dataset.zip((endless(), endless().filter(lambda x: x < 0)))),
    "flat_map": lambda: elements(endless().flat_map(lambda x: tf.data.Dataset.range(0))),
    "interleave": lambda: elements(endless().interleave(lambda x: tf.data.Dataset.range(0), 4, 1)),
    "parallel interleave": lambda: elements(endless().interleave(lambda x: tf.data.Dataset.range(0), 4, 1, num_parallel_calls=4)),
    "unbatch": lambda: elements(endless().map(lambda x: tf.zeros([0])).unbatch()),
    "ignored errors": lambda: elements(endless().map(lambda x: 1 // (x * 0)).apply(tf.data.experimental.ignore_errors())),
    "prefetch": lambda: elements(endless().filter(lambda x: x < 0).prefetch(3)),
    "parallel map": lambda: elements(endless().filter(lambda x: x < 0).map(lambda x: x, num_parallel_calls=2)),
    "map_and_batch": lambda: elements(endless().apply(tf.data.experimental.map_and_batch(lambda x: x, 2 ** 60))),
    "cache": lambda: elements(endless().cache().skip(2 ** 60)),
    "concatenate": lambda: elements(endless().filter(lambda x: x < 0).concatenate(endless())),
    "repeat of nothing": lambda: elements(tf.data.Dataset.range(1).filter(lambda x: x < 0).concatenate(tf.data.Dataset.range(1).filter(lambda x: x < 0)).repeat(2 ** 60)),
    "reduce": lambda: endless().reduce(np.int64(0), lambda s, x: s + x),
    "map that sleeps": lambda: elements(tf.data.Dataset.range(3).map(lambda x: sleeping())),
    "parallel map that sleeps": lambda: elements(tf.data.Dataset.range(3).map(lambda x: sleeping(), num_parallel_calls=2)),
    "generator that sleeps": lambda: elements(tf.data.Dataset.from_generator(lambda: (time.sleep(6.0) for _ in range(3)), tf.float32)),
}


def seconds_to_fail(run, error):
    began = time.monotonic()
    with pytest.raises(error):
        run()
    return time.monotonic() - began


@pytest.mark.parametrize("name", LONG)
def test_a_step_that_times_out(name):
    with tf.Graph().as_default(), tf.Session() as sess:
        y = LONG[name]()
        took = seconds_to_fail(lambda: sess.run(y, options=tf.RunOptions(timeout_in_ms=150)), tf.errors.DeadlineExceededError)
        assert took < 0.15 + PATIENCE
        began = time.monotonic()
        sess.close()
        assert time.monotonic() - began < PATIENCE


@pytest.mark.parametrize("name", ["py_func", "matmul", "shuffle buffer", "filter", "map that sleeps", "parallel map that sleeps"])
def test_closing_a_session_ends_its_steps(name):
    with tf.Graph().as_default():
        sess = tf.Session()
        y = LONG[name]()
        ended = []

        def run():
            with pytest.raises(tf.errors.CancelledError):
                sess.run(y)
            ended.append(time.monotonic())
        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(0.2)
        began = time.monotonic()
        sess.close()
        assert time.monotonic() - began < PATIENCE
        thread.join(10)
        assert ended and ended[0] - began < PATIENCE


def waiting_for_a_queue(parallel):
    q = tf.FIFOQueue(10, tf.int64, [[]])
    dataset = tf.data.Dataset.range(3).map(lambda x: q.dequeue(), num_parallel_calls=2 if parallel else None)
    return q, tf.data.make_initializable_iterator(dataset)


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("how", ["close", "initializer"])
def test_a_function_that_waits_for_a_queue(parallel, how):
    with tf.Graph().as_default():
        _, iterator = waiting_for_a_queue(parallel)
        following = iterator.get_next()
        sess = tf.Session()
        sess.run(iterator.initializer)
        errors = []

        def run():
            try:
                sess.run(following)
            except tf.errors.OpError as error:
                errors.append(error)
        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(0.2)
        began = time.monotonic()
        if how == "close":
            sess.close()
        else:
            sess.run(iterator.initializer)
        assert time.monotonic() - began < PATIENCE
        thread.join(10)
        assert time.monotonic() - began < PATIENCE
        assert isinstance(errors[0], tf.errors.CancelledError)
        sess.close()


def test_a_file_that_is_a_pipe_is_an_error_at_once(tmp_path):
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    reads = [tf.read_file(pipe), elements(tf.data.TextLineDataset(pipe)), elements(tf.data.TFRecordDataset(pipe)),
             tf.decode_raw(tf.read_file(pipe), tf.uint8)]
    with tf.Session() as sess:
        for read in reads:
            assert seconds_to_fail(lambda: sess.run(read), tf.errors.InvalidArgumentError) < PATIENCE
        assert seconds_to_fail(lambda: sess.run(tf.write_file(pipe, "text")), tf.errors.FailedPreconditionError) < PATIENCE


def test_a_program_ends_though_a_call_does_not():
    program = ("import time, numpy as np, weir as tf\n"
               "y = tf.py_func(lambda: time.sleep(30) or np.float32(1), [], tf.float32)\n"
               "sess = tf.Session()\n"
               "try:\n"
               "    sess.run(y, options=tf.RunOptions(timeout_in_ms=50))\n"
               "except tf.errors.DeadlineExceededError:\n"
               "    print('ended')\n")
    began = time.monotonic()
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=25)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "ended\n", "")
    assert time.monotonic() - began < 10


SERVER = """
import sys, weir as tf
server = tf.train.Server.create_local_server()
print(server.target, flush=True)
server.join()
"""


@pytest.fixture
def server():
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    yield process, process.stdout.readline().strip()
    process.kill()
    process.wait()


def threads_of(process):
    return len(os.listdir(f"/proc/{process.pid}/task"))


def test_a_server_ends_steps_whose_client_has_left_and_obeys_sigterm(server):
    process, target = server
    with tf.Graph().as_default():
        y = LONG["matmul"]()
        z = LONG["shuffle buffer"]()
        sess = tf.Session(target)
        for tensor in (y, z):
            took = seconds_to_fail(lambda: sess.run(tensor, options=tf.RunOptions(timeout_in_ms=150)), tf.errors.DeadlineExceededError)
            assert took < 0.15 + PATIENCE
        sess.run(tf.constant(1))
        endless_step = LONG["filter"]()
        thread = threading.Thread(target=lambda: pytest.raises(tf.errors.OpError, sess.run, endless_step))
        thread.start()
        time.sleep(0.3)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(15)
        assert time.monotonic() - began < 3 + 3
        thread.join(10)


def test_clients_that_leave_leave_no_threads_behind(server, tmp_path):
    process, target = server
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    with tf.Graph().as_default():
        name = tf.placeholder(tf.string, [])
        reads = [tf.read_file(name), LONG["filter"]()]
        with tf.Session(target) as sess:
            def run(read):
                with pytest.raises(tf.errors.OpError):
                    sess.run(read, {name: pipe}, options=tf.RunOptions(timeout_in_ms=100))

            def threads_after_clients():
                clients = [threading.Thread(target=run, args=(reads[i % 2],)) for i in range(40)]
                for client in clients:
                    client.start()
                for client in clients:
                    client.join()
                return threads_of(process)
            first = threads_after_clients()
            assert max(threads_after_clients() for _ in range(3)) <= first + 30  # threads are reused


def test_folding_constants_does_not_delay_the_deadline():
    """Both are constants, so the plan could compute the distance before the step begins."""
    hypothesis, truth = (tf.SparseTensor([[0, i] for i in range(30000)], [letter] * 30000, [1, 30000]) for letter in "ab")
    with tf.Session() as session:
        start = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(tf.edit_distance(hypothesis, truth), options=tf.RunOptions(timeout_in_ms=300))
        assert time.monotonic() - start < 2 * PATIENCE


def test_closing_a_session_ends_random_numbers():
    session = tf.Session()
    numbers = tf.reduce_sum(tf.random_gamma([10 ** 9], 0.5))
    closer = threading.Timer(0.3, session.close)
    closer.start()
    start = time.monotonic()
    with pytest.raises((tf.errors.CancelledError, RuntimeError)):
        session.run(numbers)
    closer.join()
    assert time.monotonic() - start < 0.3 + 2 * PATIENCE
