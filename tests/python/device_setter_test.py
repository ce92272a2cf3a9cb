"""Tests replica_device_setter."""
import pytest

import weir as tf


def devices():
    return {op.name: op.device for op in tf.get_default_graph().get_operations()}


def test_variables_rotate_over_ps_tasks_and_others_are_on_the_worker():
    cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]})
    with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:1", cluster=cluster)):
        v = tf.Variable([1.0, 2.0], name="v")
        w = tf.get_variable("w", [3], use_resource=True)
        x = tf.Variable(1.0, name="x")
        y = v * x
    assert [v.device, w.device, x.device] == ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"]
    assert y.device == "/job:worker/task:1"
    assert v.initializer.device == v.device and v.value().device == v.device


def test_slots_stay_with_their_variables():
    with tf.device(tf.train.replica_device_setter(ps_tasks=3)):
        first = tf.Variable([1.0], name="first")
        second = tf.Variable([2.0], name="second")
        optimizer = tf.train.AdagradOptimizer(0.1)
        train = optimizer.minimize(tf.reduce_sum(first * second))
    for variable in (first, second):
        assert optimizer.get_slot(variable, "accumulator").device == variable.device
    found = devices()
    assert found["Adagrad/update_second/ApplyAdagrad"] == second.device
    assert found["Adagrad/learning_rate"] == train.device == "/job:worker"


def test_partitions_are_spread():
    with tf.device(tf.train.replica_device_setter(ps_tasks=3)):
        table = tf.get_variable("table", [10, 2], partitioner=tf.fixed_size_partitioner(4))
    assert [part.device for part in table] == [f"/job:ps/task:{task}" for task in (0, 1, 2, 0)]


def test_the_setter_can_be_called():
    setter = tf.train.replica_device_setter(ps_tasks=2)
    assert setter(tf.constant(1.0).op) == "/job:worker"
    assert setter(tf.Variable(1.0).op) == "/job:ps/task:0"


def test_a_function_of_the_program_chooses():
    seen = []

    def strategy(op):
        seen.append((op.name, op.type, op.outputs[0].shape.as_list()))
        return 1

    with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_strategy=strategy)):
        v = tf.Variable([1.0, 2.0], name="v")
    assert v.device == "/job:ps/task:1"
    assert seen == [("v", "VariableV2", [2])]


def test_an_exception_of_the_strategy_is_raised_unchanged():
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_strategy=lambda op: {}[op.name])):
        with pytest.raises(KeyError, match="v"):
            tf.Variable(1.0, name="v")


def test_greedy_by_bytes():
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(2, tf.contrib.training.byte_size_load_fn)
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_strategy=strategy)):
        sizes = [100, 30, 60, 5, 20]
        variables = [tf.Variable(tf.zeros([size]), name=f"v{size}") for size in sizes]
    assert [v.device[-1] for v in variables] == ["0", "1", "1", "1", "1"]
    assert tf.contrib.training.byte_size_load_fn(variables[0].op) == 400


def test_greedy_by_a_load_of_the_program():
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(num_tasks=2, load_fn=lambda op: 1)
    assert [strategy(tf.Variable(0.0).op) for _ in range(3)] == [0, 1, 0]
    with pytest.raises(TypeError, match="load_fn"):
        tf.contrib.training.GreedyLoadBalancingStrategy(2, 3)


@pytest.mark.parametrize("rows", [1000, None])
def test_uses_of_a_table_are_colocated_with_it(rows):
    with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device="/job:worker/task:0")):
        table = tf.Variable(tf.placeholder_with_default(tf.zeros([1000, 4]), [rows, 4]), validate_shape=rows is not None)
        found = tf.nn.embedding_lookup(table, tf.placeholder(tf.int64, [None]))
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.square(found)))
    readers = [op for op in tf.get_default_graph().get_operations()
               if any(tensor.op.type in ("VariableV2", "Variable") and tensor.shape.ndims != 0 for tensor in op.inputs)]
    assert {"GatherV2", "ScatterSub"} <= {op.type for op in readers}
    assert [op.name for op in readers if not op.device.startswith("/job:ps") and not op.colocation_groups()] == []


def test_random_by_name():
    choose = tf.contrib.training.RandomStrategy(5)
    again = tf.contrib.training.RandomStrategy(5, seed=0)
    ops = [tf.Variable(0.0).op for _ in range(20)]
    assert [choose(op) for op in ops] == [again(op) for op in ops]
    assert len({choose(op) for op in ops}) > 1


def test_without_parameter_servers_there_is_none():
    assert tf.train.replica_device_setter() is None
    assert tf.train.replica_device_setter(cluster={"worker": ["a:1"]}) is None
    with tf.device("/job:outer"), tf.device(tf.train.replica_device_setter()):
        assert tf.constant(1).device == ""


@pytest.mark.parametrize("arguments, error, text", [
    (dict(ps_tasks=1, ps_strategy=3), TypeError, "ps_strategy must be callable"),
    (dict(cluster="a"), TypeError, "`cluster` must be a dictionary"),
    (dict(ps_tasks=1, ps_device="/jib:ps"), ValueError, "/jib:ps"),
    (dict(ps_tasks=-1), ValueError, "ps_tasks"),
])
def test_errors(arguments, error, text):
    with pytest.raises(error, match=text):
        tf.train.replica_device_setter(**arguments)
