"""Tests uses and updates of one variable in one step: a use that is ordered after an update sees the new value, any
other use the old one."""
import pathlib
import sys
import threading

import numpy as np
import pytest

import weir as tf
from free_addresses import free_cluster

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop"))
import random_steps  # noqa: E402

LARGE = 1 << 18  # number of elements; large enough for an update to be overtaken by a read


def run(*fetches, feed_dict=None, config=None):
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(list(fetches), feed_dict)


def configs():
    one = tf.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
    off = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=-1)))
    many = tf.ConfigProto(inter_op_parallelism_threads=8)
    return {"default": None, "one_thread": one, "unoptimized": off, "many_threads": many}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def slow(value, turns=20):
    """Delays a value without changing it."""
    for _ in range(turns):
        value = tf.reverse(value, [0])
    return value


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("use", [lambda v: v * 2.0, lambda v: tf.reshape(v, [2, -1]) * 2.0, lambda v: v[:3] * 2.0,
                                 lambda v: tf.gather(v, [0, 1]) * 2.0, lambda v: tf.reduce_sum(v), tf.negative,
                                 lambda v: tf.concat([v, v], 0), lambda v: tf.split(v, 2)[0] * 2.0])
def test_a_use_waits_neither_for_an_update_nor_is_overtaken(use, use_resource):
    v = tf.Variable(tf.ones([LARGE]), use_resource=use_resource)
    late = tf.to_float(tf.reduce_sum(slow(tf.zeros([LARGE]))))
    used = use(v + late) if use_resource else use(tf.cond(late > 1.0, lambda: v + 0.0, lambda: tf.identity(v)))
    expected = run(used)[0]
    update = tf.assign_add(v, tf.ones([LARGE]) * 5.0)
    for _ in range(3):
        got, _ = run(used, update.op)
        np.testing.assert_array_equal(got, expected)


def test_the_backward_pass_sees_the_weights_of_the_forward_pass():
    for seed in range(5):
        with tf.Graph().as_default():
            tf.set_random_seed(seed)
            rng = np.random.RandomState(seed)
            x = tf.constant(rng.randn(64, 128).astype(np.float32))
            y = tf.constant(rng.randn(64, 10).astype(np.float32))
            h, variables = x, []
            for i, n in enumerate([256, 256, 10]):
                w = tf.Variable(tf.random_normal([int(h.shape[1]), n], stddev=0.05), name=f"w{i}")
                b = tf.Variable(tf.zeros([n]))
                variables += [w, b]
                h = tf.matmul(h, w) + b
                if n != 10:
                    h = tf.nn.relu(h)
            loss = tf.reduce_mean(tf.square(h - y))
            grads = tf.gradients(loss, variables)
            train = tf.train.GradientDescentOptimizer(0.5).apply_gradients(zip(grads, variables))
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                before, known = sess.run([variables, grads])
                after = None
                for step in range(60):
                    sess.run(train)
                    if step == 0:
                        after = sess.run(variables)
                for b, g, a in zip(before, known, after):
                    np.testing.assert_allclose(a, b - 0.5 * g, rtol=1e-4, atol=1e-6)
                assert np.isfinite(sess.run(loss)) and sess.run(loss) < 1.0


@pytest.mark.parametrize("use_resource", [False, True])
def test_uses_after_an_update_see_it(use_resource):
    v = tf.Variable([1.0, 2.0], use_resource=use_resource)
    with tf.control_dependencies([tf.assign_add(v, [1.0, 1.0])]):
        after = v.read_value() * 10.0
    assert [x.tolist() for x in run(after, v * 10.0)] == [[20.0, 30.0], [10.0, 20.0]]


def test_a_use_through_an_early_alias_sees_the_updates_that_it_comes_after():
    v = tf.Variable([1.0, 2.0])
    alias = tf.reshape(v, [2, 1])
    with tf.control_dependencies([tf.assign_add(v, [1.0, 1.0])]):
        after = alias * 10.0
    assert [x.tolist() for x in run(after, alias * 10.0)] == [[[20.0], [30.0]], [[10.0], [20.0]]]


def test_fetching_a_variable_reads_it_last():
    v = tf.Variable([1.0])
    update = tf.assign_add(v, [1.0])
    second = tf.scatter_add(v, [0], slow(tf.constant([5.0])))
    for fetch in (v, v.value(), tf.identity(v), v.read_value()):
        assert run(fetch, update.op, second.op)[0].tolist() == [7.0]
    # Other values that share its memory are ordinary uses.
    assert run(tf.reshape(v, [1, 1]), update.op, second.op)[0].tolist() == [[1.0]]


def test_an_explicit_read_between_two_updates():
    v = tf.Variable([1.0])
    first = tf.assign_add(v, [1.0])
    with tf.control_dependencies([first]):
        between = v.read_value()
    with tf.control_dependencies([between]):
        second = tf.assign_add(v, [10.0])
    assert [x.tolist() for x in run(between, first, second)] == [[2.0], [2.0], [12.0]]


def test_two_variables_are_swapped():
    a = tf.Variable([1.0])
    b = tf.Variable([2.0])
    ab, ba = tf.assign(a, b), tf.assign(b, a)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run([ab.op, ba.op])
        assert [x.tolist() for x in sess.run([a, b])] == [[2.0], [1.0]]


@pytest.mark.parametrize("use_resource", [False, True])
def test_an_update_does_not_wait_for_a_queue(use_resource):
    v = tf.Variable([1.0], use_resource=use_resource)
    queue = tf.FIFOQueue(1, [tf.float32], [[1]])
    used = queue.dequeue() * v
    update = tf.assign_add(v, [1.0]).op
    other = tf.Variable([0.0])
    with tf.control_dependencies([update]):
        told = tf.assign(other, [1.0]).op
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        results = []
        thread = threading.Thread(target=lambda: results.append(sess.run([used, told])[0]))
        thread.start()
        while sess.run(other)[0] != 1.0:  # until the update has run, although the use still waits
            pass
        sess.run(queue.enqueue([[3.0]]))
        thread.join()
        assert results[0].tolist() == [3.0] and sess.run(v).tolist() == [2.0]


def test_a_use_in_a_branch_that_is_not_taken_does_not_stop_an_update():
    v = tf.Variable([1.0])
    p = tf.placeholder(tf.bool, [])
    used = tf.cond(p, lambda: slow(v * 2.0), lambda: tf.constant([0.0]))
    update = tf.assign_add(v, [1.0])
    assert [x.tolist() for x in run(used, update, feed_dict={p: False})] == [[0.0], [2.0]]
    assert [x.tolist() for x in run(used, update, feed_dict={p: True})] == [[2.0], [2.0]]
    guarded = tf.cond(p, lambda: tf.assign_add(v, [1.0]), lambda: tf.constant([7.0]))
    assert [x.tolist() for x in run(slow(v * 2.0), guarded, feed_dict={p: False})] == [[2.0], [7.0]]
    assert [x.tolist() for x in run(slow(v * 2.0), guarded, v, feed_dict={p: True})[::2]] == [[2.0], [2.0]]


def reached_from(value, skipped):
    """Returns 0.0, which can be reached from `value`, but does not wait for it."""
    if skipped == "branch":
        return tf.cond(tf.constant(False), lambda: value[0] * 0.0, lambda: tf.constant(0.0))
    return tf.while_loop(lambda x: x > 1.0, lambda x: x + value[0], [0.0])


@pytest.mark.parametrize("skipped", ["branch", "loop"])
@pytest.mark.parametrize("use_resource", [False, True])
def test_an_order_through_nodes_that_do_not_run(use_resource, skipped):
    v = tf.Variable(tf.ones([LARGE]), use_resource=use_resource)

    def use(*after):
        with tf.control_dependencies(after):
            return (v.read_value() if use_resource else v) * 2.0

    update = tf.assign_add(v, slow(tf.ones([LARGE])))
    with tf.control_dependencies([update]):
        value = tf.ones([1]) + 0.0
    late_use = use(reached_from(value, skipped))
    early_use = use(slow(tf.ones([LARGE])))
    early_update = tf.assign_add(v, tf.ones([LARGE]) + reached_from(early_use, skipped))
    for _ in range(3):
        assert run(late_use)[0][:2].tolist() == [4.0, 4.0]
        assert run(early_use, early_update)[0][:2].tolist() == [2.0, 2.0]


@pytest.mark.parametrize("use_resource", [False, True])
def test_loops_and_updates_outside_of_them(use_resource):
    v = tf.Variable(tf.ones([1000]), use_resource=use_resource)
    total = tf.while_loop(lambda i, _: i < 50, lambda i, s: (i + 1, s + tf.reduce_sum(v)), [0, 0.0])[1]
    update = tf.assign_add(v, tf.ones([1000]))
    for _ in range(3):
        assert run(total, update.op)[0] == 50000.0

    def add(i):
        with tf.control_dependencies([tf.assign_add(v, tf.ones([1000]))]):
            return i + 1
    turns = tf.while_loop(lambda i: i < 5, add, [0])
    for _ in range(3):
        assert [float(x) for x in run(tf.reduce_sum(slow(v * 2.0)), turns)] == [2000.0, 5.0]
    if not use_resource:
        assert run(v, turns)[0].tolist() == [6.0] * 1000


def test_a_use_and_an_update_in_one_iteration():
    v = tf.Variable([1.0])

    def turn(i, s):
        used = slow(v * 1.0)
        with tf.control_dependencies([tf.assign_add(v, [1.0]), used]):
            return i + 1, s + used
    assert run(tf.while_loop(lambda i, _: i < 4, turn, [0, tf.zeros([1])], parallel_iterations=1)[1])[0].tolist() == [10.0]


def test_values_in_a_tensor_array_do_not_change():
    v = tf.Variable([1.0])
    array = tf.TensorArray(tf.float32, 1).write(0, v)
    update = tf.assign_add(v, [1.0])
    with tf.control_dependencies([slow(tf.constant([1.0]))]):
        kept = array.read(0)
    for _ in range(5):
        assert run(kept, update.op)[0].tolist() == [1.0]


def test_pieces_of_a_step_do_not_wait_for_later_feeds():
    v = tf.Variable([1.0])
    late = tf.placeholder(tf.float32, [1])
    used = late * v
    update = tf.assign_add(v, [1.0])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        handle = sess.partial_run_setup([update, used], [late])
        assert sess.partial_run(handle, update).tolist() == [2.0]
        assert sess.partial_run(handle, used, {late: [10.0]}).tolist() == [10.0]


def test_cycles_of_uses_and_updates_do_not_deadlock():
    a, b = tf.Variable([1.0], use_resource=True), tf.Variable([2.0], use_resource=True)
    first, second = tf.assign_add(a, [10.0]).op, tf.assign_add(b, [10.0]).op
    with tf.control_dependencies([second]):
        of_a = a.read_value() * 1.0
    with tf.control_dependencies([first]):
        of_b = b.read_value() * 1.0
    # The update that was created first goes first.
    assert [x.tolist() for x in run(of_a, of_b)] == [[11.0], [2.0]]


@pytest.fixture(scope="module")
def cluster():
    """Starts ps/0, ps/1 and worker/0 in this process."""
    spec = tf.train.ClusterSpec(free_cluster(ps=2, worker=1))
    servers = [tf.train.Server(spec, job_name=job, task_index=task) for job, task in (("ps", 0), ("ps", 1), ("worker", 0))]
    yield servers
    for server in servers:
        server.stop()


DEVICES = ["/job:ps/task:0", "/job:worker/task:0", "/job:ps/task:1", "/job:worker/task:0"]


@pytest.mark.parametrize("optimized", [True, False])
def test_random_steps_over_a_cluster(cluster, optimized):
    config = None if optimized else configs()["unoptimized"]
    for seed in range(25):
        for server in cluster:
            tf.Session.reset(server.target)
        program = random_steps.draw(seed, racy=True, flow=False)
        check_racy(seed, program, config=config, target=cluster[2].target, devices=DEVICES)


def test_a_consumer_on_another_task_that_comes_after_an_update(cluster):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0], name="late")
        read = v.read_value()
        update = tf.assign_add(v, [1.0])
    with tf.device("/job:worker/task:0"):
        before = read * 10.0
        with tf.control_dependencies([update]):
            after = read * 100.0
    with tf.Session(cluster[2].target) as sess:
        sess.run(v.initializer)
        assert [x.tolist() for x in sess.run([before, after, v])] == [[10.0], [200.0], [2.0]]
        assert [x.tolist() for x in sess.run([before, update.op, v])[::2]] == [[20.0], [3.0]]


@pytest.mark.parametrize("name", list(configs()))
def test_random_steps_agree_with_sequential_execution(name):
    for seed in range(40):
        check_racy(seed, config=configs()[name])


def test_random_steps_with_control_flow_agree_with_sequential_execution():
    for seed in range(70):
        check_racy(seed, random_steps.draw(seed, racy=True))


def check_racy(seed, program=None, **how):
    program = program or random_steps.draw(seed, racy=True, flow=False)
    values, variables = random_steps.evaluate(program, racy=True)
    got, _, left = random_steps.run(tf, program, racy=True, **how)
    for name, value in values.items():
        np.testing.assert_allclose(got[name], value, rtol=1e-9, atol=1e-12, err_msg=f"seed {seed}, value {name}")
    for i, value in enumerate(variables):
        np.testing.assert_allclose(left[i], value, rtol=1e-9, atol=1e-12, err_msg=f"seed {seed}, variable {i}")
