"""Programs with queues and accumulators. Every step enqueues as much as it dequeues, so that steps can be repeated."""
import numpy as np

from both.program import Program

X = np.arange(8, dtype=np.float32).reshape(4, 2)


def fifo(tf):
    q = tf.FIFOQueue(10, [tf.float32, tf.string], shapes=[[2], []])
    many = q.enqueue_many([X, ["a", "b", "c", "d"]])
    with tf.control_dependencies([many]):
        one = q.enqueue([[8.0, 9.0], "e"])
    with tf.control_dependencies([one]):
        size, closed = q.size(), q.is_closed()
    with tf.control_dependencies([size]):
        first = q.dequeue()
    with tf.control_dependencies([first[0]]):
        batch = q.dequeue_many(2)
    with tf.control_dependencies([batch[0]]):
        rest = q.dequeue_up_to(2, name="rest")
    return {"look": [size, closed, *first, *batch, *rest]}


def names_of_components(tf):
    with tf.name_scope("input"):
        q = tf.FIFOQueue(5, [tf.int32, tf.float32], names=["label", "image"], shared_name="examples", name="examples")
        enqueue = q.enqueue({"image": X, "label": 7})
        with tf.control_dependencies([enqueue]):
            other = q.enqueue({"image": X + 1.0, "label": 8}, name="again")
    with tf.control_dependencies([enqueue]):
        first = q.dequeue()
    with tf.control_dependencies([other, first["label"]]):
        second = q.dequeue("second")
    return {"look": [first["label"], tf.shape(first["image"]), second["label"] + first["label"], tf.shape(second["image"])]}


def random(seed=None, graph_seed=None, shared_name=None):
    def build(tf):
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        q = tf.RandomShuffleQueue(100, 0, tf.int32, shapes=[()], seed=seed, shared_name=shared_name)
        with tf.control_dependencies([q.enqueue_many([list(range(30))])]):
            seven = q.dequeue_many(7)
        with tf.control_dependencies([q.enqueue_many([seven])]):
            return {"look": [seven, q.dequeue_many(30)], "feeds": [{}] * 3}
    return build


def padding(tf):
    q = tf.PaddingFIFOQueue(10, [tf.int32, tf.string], shapes=[[None], [None, 2]])
    one = q.enqueue([[1], [["a", "b"]]])
    with tf.control_dependencies([one]):
        two = q.enqueue_many([[[1, 2, 3], [4, 5, 6]], np.array([[[b"x", b"y"]] * 2] * 2)])
    with tf.control_dependencies([two]):
        first = q.dequeue_many(2)
    with tf.control_dependencies([first[0]]):
        last = q.dequeue()
    return {"look": [*first, *last]}


def priority(tf):
    q = tf.PriorityQueue(10, [tf.string], shapes=[()])
    with tf.control_dependencies([q.enqueue_many([[5, -3, 9, 1], ["a", "b", "c", "d"]])]):
        first = q.dequeue()
    with tf.control_dependencies([first[0]]):
        rest = q.dequeue_many(3)
    return {"look": [*first, *rest]}


def one_of_several(tf):
    queues = [tf.FIFOQueue(5, [tf.float32, tf.int32], shapes=[[2, i], [4]], name="q%d" % i) for i in (3, 5)]
    chosen = tf.QueueBase.from_list(tf.constant(1), queues)
    with tf.control_dependencies([queues[1].enqueue([np.ones([2, 5], np.float32), [1, 2, 3, 4]])]):
        return {"look": list(chosen.dequeue())}


def closing(tf):
    q = tf.FIFOQueue(5, tf.int32, shapes=[()], name="closing")
    put = q.enqueue_many([[1, 2, 3]])
    with tf.control_dependencies([put]):
        close = q.close()
    with tf.control_dependencies([close]):
        closed = q.is_closed()
    with tf.control_dependencies([closed]):
        rest = q.dequeue_up_to(10)
    with tf.control_dependencies([rest]):
        again = q.close(cancel_pending_enqueues=True)
    with tf.control_dependencies([again]):
        return {"look": [tf.identity(closed), tf.identity(rest)]}


def dense_gradients(reduction_type):
    def build(tf):
        a = tf.ConditionalAccumulator(tf.float32, shape=[4, 2], name="sum", reduction_type=reduction_type)
        zero = a.set_global_step(0)
        with tf.control_dependencies([zero]):
            grads = [a.apply_grad(X), a.apply_grad(X * 3.0, local_step=tf.constant(1)), a.apply_grad(X * 5.0, local_step=-1)]
        with tf.control_dependencies(grads):
            count = a.num_accumulated()
        with tf.control_dependencies([count]):
            return {"look": [tf.identity(count), a.take_grad(2)]}
    return build


def sparse_gradients(tf):
    a = tf.SparseConditionalAccumulator(tf.float32, shape=[9, 2])
    zero = a.set_global_step(0)
    with tf.control_dependencies([zero]):
        first = a.apply_grad(np.int64([0, 3, 5, 7]), X)
    with tf.control_dependencies([first]):
        second = a.apply_indexed_slices_grad(tf.IndexedSlices(tf.constant(X[:2] * 4.0), tf.constant([3, 4]), tf.constant([9, 2])))
    with tf.control_dependencies([second]):
        count = a.num_accumulated()
    with tf.control_dependencies([count]):
        taken = a.take_indexed_slices_grad(2)
    return {"look": [tf.identity(count), taken.indices, taken.values, taken.dense_shape]}


def programs():
    return [Program("queue fifo", fifo), Program("queue names", names_of_components), Program("queue padding", padding),
            Program("queue priority", priority), Program("queue from list", one_of_several), Program("queue closing", closing),
            Program("queue random seed", random(seed=3)), Program("queue random graph seed", random(graph_seed=42)),
            Program("queue random shared", random(graph_seed=42, shared_name="shared")),
            Program("accumulator mean", dense_gradients("MEAN")), Program("accumulator sum", dense_gradients("SUM")),
            Program("accumulator sparse", sparse_gradients)]
