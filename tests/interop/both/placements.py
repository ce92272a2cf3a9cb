"""Graphs placed by replica_device_setter on TensorFlow and Weir: the device of each node."""

SETTERS = {
    "two_tasks": dict(ps_tasks=2),
    "three_tasks_on_cpu": dict(ps_tasks=3, ps_device="/job:ps/cpu:0", worker_device="/job:worker/task:1/gpu:0"),
    "another_job": dict(ps_tasks=2, ps_device="/job:param", worker_device=None),
    "a_task_of_its_own": dict(ps_tasks=2, ps_device="/job:ps/task:5"),
    "no_merging": dict(ps_tasks=2, worker_device="/job:worker/task:1", merge_devices=False),
    "no_ps_device": dict(ps_tasks=2, ps_device=None),
    "no_job": dict(ps_tasks=2, ps_device="/device:CPU:0"),
    "no_worker_device": dict(ps_tasks=2, worker_device=""),
    "other_ops": dict(ps_tasks=2, ps_ops=["Placeholder"]),
    "cluster": dict(cluster={"ps": ["a:1", "b:1", "c:1"], "worker": ["d:1"]}, worker_device="/job:worker/task:0"),
    "cluster_with_gaps": dict(cluster={"ps": {3: "a:1", 5: "b:1"}, "worker": ["d:1"]}),
    "cluster_without_ps": dict(cluster={"worker": ["d:1"]}),
    "strategy": dict(ps_tasks=4, ps_strategy=lambda op: len(op.name) % 4),
    "strategy_without_a_task": dict(ps_tasks=4, ps_strategy=lambda op: None),
}

# Only nodes of these types are compared. Other nodes may differ in number and name.
TYPES = {"VariableV2", "VarHandleOp", "Assign", "AssignVariableOp", "Placeholder", "ApplyAdagrad", "ResourceApplyAdagrad", "SparseApplyAdagrad", "GatherV2"}


def model(tf):
    a = tf.Variable(1.0, name="a")
    tf.placeholder(tf.float32, name="x")
    b = tf.get_variable("b", [3])
    resource = tf.get_variable("resource", [3], use_resource=True)
    tf.get_variable("parts", [10, 2], partitioner=tf.fixed_size_partitioner(4))
    for name, device in [("own", "/job:ps/task:7"), ("cpu", "/cpu:0"), ("gpu", "/gpu:1"), ("local", "/job:worker/task:3"),
                         ("replica", "/replica:2"), ("nowhere", None)]:
        with tf.device(device):
            tf.Variable(2.0, name=name)
            tf.placeholder(tf.float32, name=name + "_x")
    table = tf.get_variable("table", [100, 4])
    rows = tf.nn.embedding_lookup(table, tf.placeholder(tf.int64, [3], name="ids"), name="rows")
    tf.train.AdagradOptimizer(0.1).minimize(a * tf.reduce_sum(b * resource) + tf.reduce_sum(rows))


def answers(tf):
    """Returns {setter: {outer device: {node: device}}}."""
    found = {}
    for label, arguments in SETTERS.items():
        for outer in ("", "/job:outer/replica:4/task:9/device:GPU:3"):
            with tf.Graph().as_default() as graph, tf.device(outer), tf.device(tf.train.replica_device_setter(**arguments)):
                model(tf)
            placed = {op.name: op.device for op in graph.get_operations() if op.type in TYPES or op.name.endswith("rows_grad/Shape")}
            found.setdefault(label, {})[outer] = placed
    return found
