"""Tests all kinds of queues and accumulators: graphs, names, blocking, closing, and queues on other tasks."""
import threading
import time

import numpy as np
import pytest

import weir as tf
from free_addresses import free_cluster


@pytest.fixture
def sess(graph):
    with tf.Session() as session:
        yield session


class Started:
    """A step that runs on its own thread."""

    def __init__(self, session, fetches, **kwargs):
        self.value = self.error = None

        def work():
            try:
                self.value = session.run(fetches, **kwargs)
            except Exception as error:
                self.error = error

        self.thread = threading.Thread(target=work)
        self.thread.start()

    def join(self):
        self.thread.join(60)
        assert not self.thread.is_alive()
        if self.error is not None:
            raise self.error
        return self.value


def wait_until(condition):
    """Waits for an effect of another task or thread."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end


def seconds(n):
    return tf.RunOptions(timeout_in_ms=int(n * 1000))


# --- graphs

def test_names_and_attributes():
    q = tf.FIFOQueue(10, tf.float32)
    assert q.name == "fifo_queue" and q.queue_ref.op.type == "FIFOQueueV2" and q.queue_ref.device == "/device:CPU:*"
    assert q.dtypes == [tf.float32] and q.names is None and q.shapes[0].ndims is None
    enqueue = q.enqueue(1.0)
    assert enqueue.name == "fifo_queue_enqueue" and enqueue.inputs[1].op.name == "fifo_queue_enqueue/component_0"
    assert q.enqueue_many([[1.0, 2.0]]).name == "fifo_queue_EnqueueMany"
    assert q.dequeue().op.name == "fifo_queue_Dequeue"
    many = q.dequeue_many(3)
    assert many.op.name == "fifo_queue_DequeueMany" and many.op.inputs[1].op.name == "fifo_queue_DequeueMany/n"
    assert q.dequeue_up_to(3).op.name == "fifo_queue_DequeueUpTo"
    assert q.close().name == "fifo_queue_Close" and q.size().op.name == "fifo_queue_Size"
    assert q.is_closed().op.name == "fifo_queue_Is_Closed"
    assert isinstance(q, tf.QueueBase) and isinstance(q, tf.queue.QueueBase)


def test_names_in_scopes():
    with tf.name_scope("input"):
        q = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[2], []], names=["x", "y"], shared_name="shared", name="q")
        assert q.name == "input/q" and q.enqueue({"x": [1.0, 2.0], "y": 1}).name == "input/q_enqueue"
    batch = q.dequeue_many(3)
    assert batch["x"].op.name == "q_DequeueMany" and batch["x"].shape.as_list() == [3, 2] and batch["y"].shape.as_list() == [3]
    assert q.dequeue_up_to(3)["x"].shape.as_list() == [None, 2]
    assert q.dequeue_many(tf.placeholder(tf.int32, []))["y"].shape.as_list() == [None]
    assert q.dequeue(name="one")["x"].op.name == "one" and q.names == ["x", "y"]
    assert q.queue_ref.op.get_attr("shared_name") == b"shared"


def test_every_kind_has_its_node():
    r = tf.RandomShuffleQueue(5, 2, tf.int32, seed=3)
    assert r.name == "random_shuffle_queue" and r.queue_ref.op.get_attr("min_after_dequeue") == 2
    assert (r.queue_ref.op.get_attr("seed"), r.queue_ref.op.get_attr("seed2")) == (87654321, 3)
    p = tf.PaddingFIFOQueue(5, [tf.int32, tf.string], shapes=[[None], [None, 2]])
    assert p.name == "padding_fifo_queue" and p.dequeue_many(2)[1].shape.as_list() == [2, None, 2]
    priority = tf.PriorityQueue(5, [tf.string], shapes=[()])
    assert priority.name == "priority_queue" and priority.dtypes == [tf.int64, tf.string]
    assert [s.as_list() for s in priority.shapes] == [[], []]
    assert priority.queue_ref.op.get_attr("component_types") == [tf.string]


def test_seeds_of_shared_queues_follow_from_their_names(graph):
    tf.set_random_seed(42)
    r = tf.RandomShuffleQueue(5, 2, tf.int32, shared_name="R")
    assert (r.queue_ref.op.get_attr("seed"), r.queue_ref.op.get_attr("seed2")) == (42, 2112010460)
    own = tf.RandomShuffleQueue(5, 2, tf.int32, seed=7, shared_name="zz")
    assert (own.queue_ref.op.get_attr("seed"), own.queue_ref.op.get_attr("seed2")) == (42, 7)


def test_forms_of_the_shapes_argument():
    assert [s.as_list() for s in tf.FIFOQueue(5, [tf.int32], shapes=[3, 4]).shapes] == [[3, 4]]
    assert [s.as_list() for s in tf.FIFOQueue(5, tf.int32, shapes=()).shapes] == [[]]
    assert [s.as_list() for s in tf.FIFOQueue(5, tf.int32, shapes=tf.TensorShape([2])).shapes] == [[2]]
    assert [s.as_list() for s in tf.FIFOQueue(5, [tf.int32, tf.float32], shapes=[(2,), ()]).shapes] == [[2], []]


@pytest.mark.parametrize("make, error, text", [
    (lambda: tf.FIFOQueue(5, [tf.int32], shapes=[[None]]), ValueError, "All shapes must be fully defined"),
    (lambda: tf.FIFOQueue(5, [tf.int32], shapes=[[1], [2]]), ValueError, "Queue shapes must have the same length as dtypes"),
    (lambda: tf.FIFOQueue(5, [tf.int32], shapes=3), TypeError, "Shapes must be a TensorShape or a list or tuple"),
    (lambda: tf.FIFOQueue(5, [tf.int32], names=["a", "b"]), ValueError, "List of names must have the same length"),
    (lambda: tf.FIFOQueue(5, []), ValueError, "component_types"),
    (lambda: tf.PaddingFIFOQueue(5, [tf.int32, tf.string], shapes=[[None]]), ValueError, "Shapes must be provided for all components"),
    (lambda: tf.PaddingFIFOQueue(5, [tf.int32], shapes=[tf.TensorShape(None)]), ValueError, "All shapes must have a defined rank"),
    (lambda: tf.PriorityQueue(5, tf.string), TypeError, "shapes"),
])
def test_invalid_queues(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_a_fraction_in_an_attribute_is_dropped():
    with tf.Graph().as_default():
        assert tf.FIFOQueue(5.5, [tf.int32]).queue_ref.op.get_attr("capacity") == 5
        assert tf.stack([[1, 2], [3, 4]], axis=1.5).op.get_attr("axis") == 1
        with pytest.raises(TypeError):
            tf.FIFOQueue(float("nan"), [tf.int32])


def test_values_that_cannot_be_enqueued():
    named = tf.FIFOQueue(5, [tf.float32, tf.int32], names=["a", "b"])
    with pytest.raises(ValueError, match="Keys in dictionary to enqueue do not match"):
        named.enqueue({"a": 1.0})
    with pytest.raises(ValueError, match="You must enqueue a dictionary"):
        named.enqueue([1.0, 2])
    q = tf.FIFOQueue(5, [tf.float32, tf.int32], shapes=[[2], []])
    with pytest.raises(ValueError, match="Queue must have names"):
        q.enqueue({"a": 1})
    with pytest.raises(TypeError):
        q.enqueue([[1.0, 2.0], 1.5])
    with pytest.raises(ValueError, match="float32"):
        q.enqueue([tf.constant([1, 2]), 1])
    with pytest.raises(ValueError, match="incompatible"):
        q.enqueue([[1.0, 2.0, 3.0], 1])
    with pytest.raises(ValueError, match="rank at least 1"):
        q.enqueue_many([tf.placeholder(tf.float32), 1])
    with pytest.raises(ValueError, match="not compatible"):
        q.enqueue_many([[[1.0, 2.0]], [1, 2]])
    with pytest.raises(ValueError, match="must be >= 0"):
        q.dequeue_many(-1)
    with pytest.raises(TypeError, match="A list of queues expected"):
        tf.QueueBase.from_list(0, [])
    with pytest.raises(TypeError, match="matching component dtypes"):
        tf.QueueBase.from_list(0, [q, tf.FIFOQueue(5, tf.int32)])


# --- running

def test_elements_are_dequeued_unchanged(sess):
    q = tf.FIFOQueue(10, [tf.float32, tf.string], shapes=[[2], []])
    sess.run(q.enqueue_many([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["a", "b", "c"]]))
    sess.run(q.enqueue([[7.0, 8.0], "d"]))
    assert sess.run(q.size()) == 4
    x, text = sess.run(q.dequeue())
    assert x.tolist() == [1, 2] and text == b"a"
    x, text = sess.run(q.dequeue_many(3))
    assert x.tolist() == [[3, 4], [5, 6], [7, 8]] and text.tolist() == [b"b", b"c", b"d"]


def test_a_fed_array_may_change_after_the_step(sess):
    q = tf.FIFOQueue(10, tf.float32)
    x = tf.placeholder(tf.float32, [8192])
    array = np.ones(8192, np.float32)
    sess.run(q.enqueue(x), {x: array})
    array[:] = 2
    assert sess.run(tf.reduce_max(q.dequeue())) == 1


def test_elements_do_not_share_memory_with_the_variable(sess):
    q = tf.FIFOQueue(10, tf.float32)
    v = tf.Variable([1.0, 2.0])
    sess.run(v.initializer)
    sess.run(q.enqueue(v))
    sess.run(tf.assign_add(v, [10.0, 10.0]))
    assert sess.run(q.dequeue()).tolist() == [1, 2]


def test_dequeue_waits_for_an_element(sess):
    q = tf.FIFOQueue(10, tf.int32, shapes=[()])
    enqueue, many = q.enqueue_many([[1, 2]]), q.dequeue_many(4)
    waiting = Started(sess, many)
    sess.run(enqueue)
    sess.run(enqueue)
    assert waiting.join().tolist() == [1, 2, 1, 2]


def test_enqueue_waits_for_room(sess):
    q = tf.FIFOQueue(2, tf.int32, shapes=[()])
    five, two = q.enqueue_many([[1, 2, 3, 4, 5]]), q.dequeue_many(5)
    waiting = Started(sess, five)
    assert sess.run(two).tolist() == [1, 2, 3, 4, 5]
    waiting.join()
    assert sess.run(q.size()) == 0


def test_a_timeout_changes_no_elements(sess):
    q = tf.FIFOQueue(3, tf.int32, shapes=[()])
    sess.run(q.enqueue_many([[1, 2]]))
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(q.dequeue_many(3), options=seconds(0.05))
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(q.enqueue_many([[3, 4]]), options=seconds(0.05))
    assert sess.run(q.dequeue_many(3)).tolist() == [1, 2, 3]
    assert sess.run(q.size()) == 0


def test_a_timeout_names_the_awaited_node(sess):
    element = tf.FIFOQueue(3, tf.int32).dequeue(name="element")
    with pytest.raises(tf.errors.DeadlineExceededError, match="element") as raised:
        sess.run(element + 1, options=seconds(0.05))
    assert raised.value.op is element.op


def test_closing(sess):
    q = tf.FIFOQueue(10, tf.int32, shapes=[()], name="q")
    sess.run(q.enqueue_many([[1, 2, 3]]))
    assert not sess.run(q.is_closed())
    sess.run(q.close())
    assert sess.run(q.is_closed())
    with pytest.raises(tf.errors.CancelledError, match="FIFOQueue 'q' is closed"):
        sess.run(q.enqueue(4))
    with pytest.raises(tf.errors.CancelledError, match="Queue 'q' is already closed"):
        sess.run(q.close())
    with pytest.raises(tf.errors.OutOfRangeError, match=r"is closed and has insufficient elements \(requested 5, current size 3\)") as caught:
        sess.run(q.dequeue_many(5))
    assert caught.value.op.type == "QueueDequeueManyV2"
    assert sess.run(q.dequeue_up_to(5)).tolist() == [1, 2, 3]
    with pytest.raises(tf.errors.OutOfRangeError):
        sess.run(q.dequeue())


def test_closing_ends_waiting_steps(sess):
    q = tf.FIFOQueue(1, tf.int32, shapes=[()])
    enqueue, close, cancel = q.enqueue_many([[1, 2]]), q.close(), q.close(cancel_pending_enqueues=True)
    size = q.size()
    waiting = Started(sess, enqueue)
    wait_until(lambda: sess.run(size) == 1)
    closing = Started(sess, close)
    sess.run(cancel)
    with pytest.raises(tf.errors.CancelledError):
        waiting.join()
    with pytest.raises(tf.errors.CancelledError):
        closing.join()
    assert sess.run(q.dequeue()) == 1


def test_closing_the_session_ends_waiting_steps(graph):
    q = tf.FIFOQueue(10, tf.int32)
    dequeue, size = q.dequeue(), q.size()
    session = tf.Session()
    session.run(size)
    waiting = Started(session, dequeue)
    session.close()
    with pytest.raises((tf.errors.CancelledError, RuntimeError)):
        waiting.join()


def test_random_order_is_the_seeds(graph):
    def order(seed):
        q = tf.RandomShuffleQueue(100, 3, tf.int32, shapes=[()], seed=seed)
        with tf.Session() as session:
            session.run(q.enqueue_many([list(range(20))]))
            return session.run(q.dequeue_many(7)).tolist()
    assert order(1) == [7, 16, 3, 6, 5, 14, 18] and order(77) == [1, 8, 2, 5, 4, 11, 15]


def test_padding_and_priorities(sess):
    p = tf.PaddingFIFOQueue(10, tf.int32, shapes=[[None]])
    sess.run(p.enqueue([[1]]))
    sess.run(p.enqueue([[2, 3]]))
    assert sess.run(p.dequeue_many(2)).tolist() == [[1, 0], [2, 3]]
    q = tf.PriorityQueue(10, tf.string, shapes=[()])
    sess.run(q.enqueue_many([[3, 1, 2], ["c", "a", "b"]]))
    assert sess.run(q.dequeue_many(3))[1].tolist() == [b"a", b"b", b"c"]


def test_one_of_several(sess):
    queues = [tf.FIFOQueue(5, [tf.float32], shapes=[[2, i]]) for i in (3, 5)]
    index = tf.placeholder(tf.int32, [])
    chosen = tf.QueueBase.from_list(index, queues)
    assert chosen.shapes[0].as_list() == [2, None]
    sess.run(queues[1].enqueue(np.ones([2, 5])))
    assert sess.run(chosen.dequeue(), {index: 1}).shape == (2, 5)


def test_sessions_have_separate_queues(graph):
    q = tf.FIFOQueue(10, tf.int32)
    enqueue, size = q.enqueue(1), q.size()
    with tf.Session() as first, tf.Session() as second:
        first.run(enqueue)
        assert first.run(size) == 1 and second.run(size) == 0


def test_many_threads(sess):
    q = tf.FIFOQueue(8, tf.int32, shapes=[()])
    x = tf.placeholder(tf.int32, [None])
    enqueue, three, size = q.enqueue_many(x), q.dequeue_many(3), q.size()
    givers = [Started(sess, enqueue, feed_dict={x: np.arange(30) + 30 * i}) for i in range(4)]
    takers = [Started(sess, three) for _ in range(40)]
    for giver in givers:
        giver.join()
    assert sorted(np.concatenate([taker.join() for taker in takers]).tolist()) == list(range(120))
    assert sess.run(size) == 0


# --- accumulators

def test_dense_accumulators(sess):
    a = tf.ConditionalAccumulator(tf.float32, shape=[2], name="a")
    assert a.name == "a" and a.dtype == tf.float32 and a.accumulator_ref.op.type == "ResourceConditionalAccumulator"
    grad, step = tf.placeholder(tf.float32), tf.placeholder(tf.int64, [])
    apply, count, take = a.apply_grad(grad, step), a.num_accumulated(), a.take_grad(2)
    assert count.op.name == "a_NumAccumulated" and take.shape.as_list() == [2] and apply.name == "ResourceAccumulatorApplyGradient"
    waiting = Started(sess, take)
    sess.run(apply, {grad: [1, 2], step: 0})
    sess.run(apply, {grad: [3, 5], step: 0})
    assert waiting.join().tolist() == [2, 3.5]
    sess.run(apply, {grad: [1, 1], step: 0})  # stale
    assert sess.run(count) == 0
    sess.run(a.set_global_step(5))
    sess.run(apply, {grad: [1, 1], step: 5})
    assert sess.run(count) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
        sess.run(apply, {grad: [1], step: 5})
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(take, options=seconds(0.05))
    assert sess.run(count) == 1
    with pytest.raises(ValueError, match="incompatible"):
        a.apply_grad([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="float64"):
        a.apply_grad(tf.constant([1.0, 2.0], tf.float64))
    with pytest.raises(ValueError, match="MAX"):
        tf.ConditionalAccumulator(tf.float32, reduction_type="MAX")


def test_sparse_accumulators(sess):
    a = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2])
    assert isinstance(a, tf.ConditionalAccumulatorBase)
    sess.run(a.apply_grad([0, 2], [[1.0, 1.0], [2.0, 2.0]]))
    sess.run(a.apply_indexed_slices_grad(tf.IndexedSlices(tf.constant([[4.0, 4.0]]), tf.constant([2]), tf.constant([4, 2]))))
    assert sess.run(a.num_accumulated()) == 2
    taken = sess.run(a.take_grad(2))
    assert taken.indices.tolist() == [0, 2] and taken.values.tolist() == [[1, 1], [3, 3]] and taken.shape.tolist() == [4, 2]
    sess.run(a.apply_grad([1], [[5.0, 5.0]], local_step=1))
    slices = sess.run(a.take_indexed_slices_grad(1))
    assert slices.indices.tolist() == [1] and slices.values.tolist() == [[5, 5]] and slices.dense_shape.tolist() == [4, 2]


# --- on another task

@pytest.fixture
def cluster():
    """Starts ps/0 and worker/0 in this process."""
    spec = tf.train.ClusterSpec(free_cluster(ps=1, worker=1))
    servers = {job: tf.train.Server(spec, job_name=job, task_index=0) for job in ("ps", "worker")}
    yield servers
    for server in servers.values():
        server.stop()


def on_ps(shared_name, capacity=2):
    with tf.device("/job:ps/task:0"):
        return tf.FIFOQueue(capacity, tf.int32, shapes=[()], shared_name=shared_name)


def test_tasks_share_a_queue_by_its_name(cluster):
    q = on_ps("tokens")
    enqueue, many = q.enqueue_many([[1, 2, 3, 4]]), q.dequeue_many(4)
    with tf.Session(cluster["worker"].target) as one, tf.Session(cluster["ps"].target) as other:
        waiting = Started(one, enqueue)
        assert other.run(many).tolist() == [1, 2, 3, 4]
        waiting.join()


def test_a_new_session_has_a_new_queue(cluster):
    q = on_ps(None)
    enqueue, close, size, closed = q.enqueue(1), q.close(), q.size(), q.is_closed()
    with tf.Session(cluster["worker"].target) as session:
        session.run(enqueue)
        assert session.run(size) == 1
        session.run(close)
    with tf.Session(cluster["worker"].target) as session:
        assert session.run(size) == 0 and not session.run(closed)


def test_a_timeout_ends_the_wait_on_another_task(cluster):
    q = on_ps("waits")
    enqueue, three, size = q.enqueue_many([[1, 2]]), q.dequeue_many(3), q.size()
    with tf.Session(cluster["worker"].target) as session:
        session.run(enqueue)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(three, options=seconds(0.2))
        wait_until(lambda: session.run(size) == 2)  # the cancellation reaches the task a moment later
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(enqueue, options=seconds(0.2))
        assert session.run(q.dequeue_many(2)).tolist() == [1, 2]


@pytest.mark.parametrize("full", [False, True])
def test_closing_the_session_ends_the_wait_on_another_task(cluster, full):
    q = on_ps("waits")
    enqueue, three, size = q.enqueue_many([[1, 2]]), q.dequeue_many(3), q.size()
    with tf.Session(cluster["ps"].target) as watcher:
        session = tf.Session(cluster["worker"].target)
        session.run(enqueue)
        waiting = Started(session, enqueue if full else three)
        if not full:
            wait_until(lambda: watcher.run(size) == 0)  # the step has taken all elements and waits for more
        session.close()
        with pytest.raises((tf.errors.OpError, RuntimeError)):
            waiting.join()
        wait_until(lambda: watcher.run(size) == 2)
        assert watcher.run(q.dequeue_many(2)).tolist() == [1, 2]
