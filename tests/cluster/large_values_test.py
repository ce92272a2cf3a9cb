"""Large values between tasks: a read of a variable that is being updated gives the old value or the new one, and
computations never change a received value."""
import os
import threading

import numpy as np
import pytest

import weir as tf
from free_addresses import free_cluster
from processes import PATIENCE, Cluster

PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"
SIZE = 1 << 20  # floats


@pytest.fixture(params=["auto", "ucx", "grpc"])
def cluster(request, monkeypatch):
    monkeypatch.setenv("WEIR_TRANSPORT", request.param)  # for the tasks
    with Cluster(**free_cluster(ps=1, worker=1)) as made:
        yield made


def session(target):
    return tf.Session(target, config=tf.ConfigProto(operation_timeout_in_ms=PATIENCE * 1000))


@pytest.mark.parametrize("resource", [False, True])
def test_a_pulled_variable_is_the_old_or_the_new_value(cluster, resource):
    with tf.device(PS):
        if resource:
            handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[SIZE], shared_name="v")
            start = tf.raw_ops.AssignVariableOp(resource=handle, value=tf.zeros([SIZE]))
            add = tf.raw_ops.AssignAddVariableOp(resource=handle, value=tf.ones([SIZE]))
            value = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
        else:
            variable = tf.Variable(tf.zeros([SIZE]), name="v")
            start, add, value = variable.initializer, tf.assign_add(variable, tf.ones([SIZE])).op, variable
    with tf.device(WORKER):
        # The chain computes in place where possible.
        twice = tf.negative(tf.negative(value * 1.0))
        looks = [tf.reduce_min(value), tf.reduce_max(value), tf.reduce_min(twice), tf.reduce_max(twice), tf.reduce_sum(tf.negative(value))]
    stop = threading.Event()
    with session(cluster.target("ps0")) as writer, session(cluster.target("worker0")) as reader:
        writer.run(start)

        def write():
            while not stop.is_set():
                writer.run(add)
        thread = threading.Thread(target=write)
        thread.start()
        try:
            seen = [reader.run(looks) for _ in range(60)]
        finally:
            stop.set()
            thread.join()
        last = writer.run(value)
    assert (last == last[0]).all()
    for lo, hi, lo_twice, hi_twice, _ in seen:
        assert lo == hi
        assert lo_twice == hi_twice
    assert [lo for lo, *_ in seen] == sorted(lo for lo, *_ in seen)


def test_what_was_pulled_outlives_its_task(cluster):
    with tf.device(PS):
        variable = tf.Variable(tf.range(SIZE))
    with tf.device(WORKER):
        kept = tf.Variable(variable.initialized_value(), collections=[])
        queue = tf.FIFOQueue(2, tf.int32, shapes=[[SIZE]])
        put, got = queue.enqueue(variable), queue.dequeue()
    with session(cluster.target("worker0")) as pulling:
        pulling.run(variable.initializer)
        pulling.run([kept.initializer, put])
        pulling.run(put)
        pulling.run(tf.assign_add(variable, tf.ones([SIZE], tf.int32)).op)
        assert (pulling.run(variable) == np.arange(SIZE) + 1).all()
        cluster.end("ps0")
        for value in (kept, got, got):
            assert (pulling.run(value) == np.arange(SIZE)).all()


def test_pushed_values_are_added_and_assigned(cluster):
    with tf.device(WORKER):
        pushed = tf.random_uniform([SIZE], seed=1) + tf.cast(tf.range(SIZE), tf.float32)
    with tf.device(PS):
        variable, other = tf.Variable(tf.zeros([SIZE]), name="a"), tf.Variable(tf.zeros([SIZE]), name="b")
        change = [tf.assign_add(variable, pushed).op, tf.assign(other, pushed).op]
    with session(cluster.target("worker0")) as pushing:
        pushing.run([variable.initializer, other.initializer])
        total = np.zeros(SIZE, np.float32)
        for _ in range(5):
            *_, value = pushing.run([*change, pushed])
            total += value
            a, b = pushing.run([variable, other])
            assert (b == value).all()
            assert (a == total).all()


def test_an_array_that_a_step_has_returned_is_seen_by_a_forked_child(cluster):
    with tf.device(WORKER):
        value = tf.fill([SIZE], 7.0) + 0.0
    server = tf.train.Server({"local": free_cluster(local=1)["local"]}, job_name="local")
    with session(cluster.target("worker0")) as remote, session(server.target) as local:
        with tf.device("/job:local/task:0"):
            here = tf.fill([SIZE], 8.0) + 0.0
        arrays = remote.run(value), local.run(here)
    child = os.fork()
    if child == 0:
        os._exit(0 if all((array == n).all() for array, n in zip(arrays, (7, 8))) else 1)
    assert os.waitpid(child, 0)[1] == 0
