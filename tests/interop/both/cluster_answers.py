"""Cluster resolvers, and the profiler's counts of parameters and float operations."""
import os

CASES = {}
SPEC = {"ps": ["a:1", "b:2"], "worker": ["c:3", "d:4", "e:5"]}
TF_CONFIG = '{"cluster": {"ps": ["a:1"], "worker": ["b:2", "c:3"]}, "task": {"type": "worker", "index": "1"}, "rpc_layer": "grpc"}'


def case(function):
    CASES[function.__name__.replace("_", " ")] = function
    return function


def environment(**values):
    """Decorator: sets variables of the environment for a case."""
    def decorate(function):
        def run(tf):
            before = dict(os.environ)
            os.environ.update(values)
            try:
                return function(tf)
            finally:
                os.environ.clear()
                os.environ.update(before)
        CASES[function.__name__.replace("_", " ")] = run
        return run
    return decorate


def described(resolver):
    return [resolver.cluster_spec().as_dict(), resolver.master(), resolver.task_type, resolver.task_id, resolver.environment,
            resolver.rpc_layer]


@case
def a_simple_resolver(tf):
    resolvers = tf.distribute.cluster_resolver
    spec = tf.train.ClusterSpec(SPEC)
    one = resolvers.SimpleClusterResolver(spec, master="here", task_type="ps", task_id=1, environment="mine", rpc_layer="grpc",
                                          num_accelerators={"GPU": 2})
    return [described(one), one.master("worker", 2), one.master("worker", 2, rpc_layer="other"), one.num_accelerators(),
            described(resolvers.SimpleClusterResolver(spec))]


@case
def a_simple_resolver_of_a_dict(tf):
    return tf.distribute.cluster_resolver.SimpleClusterResolver(SPEC)


@environment(TF_CONFIG=TF_CONFIG)
def a_resolver_of_tf_config(tf):
    resolvers = tf.distribute.cluster_resolver
    one = resolvers.TFConfigClusterResolver()
    other = resolvers.TFConfigClusterResolver(task_type="ps", task_id=0, rpc_layer="http", environment="mine")
    return [described(one), one.master("ps", 0), described(other), other.master("worker", 0, "none")]


@environment(TF_CONFIG="{}")
def a_resolver_of_an_empty_tf_config(tf):
    return described(tf.distribute.cluster_resolver.TFConfigClusterResolver())


@environment(TF_CONFIG='{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}')
def a_resolver_of_one_task(tf):
    return described(tf.distribute.cluster_resolver.TFConfigClusterResolver())


@environment(TF_CONFIG='{"cluster": {"worker": ["a:1", "b:2"]}, "session_master": "there"}')
def a_resolver_with_a_session_master(tf):
    return described(tf.distribute.cluster_resolver.TFConfigClusterResolver())


@case
def a_union_of_resolvers(tf):
    resolvers = tf.distribute.cluster_resolver
    first = resolvers.SimpleClusterResolver(tf.train.ClusterSpec(SPEC), master="first", task_type="ps", task_id=1, rpc_layer="grpc")
    second = resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["f:6"], "chief": ["g:7"]}))
    sparse = resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"worker": {7: "h:8"}}))
    one = resolvers.UnionResolver(first, second)
    return [described(one), one.master("worker", 3), resolvers.UnionResolver(first, sparse).cluster_spec().as_dict()]


@case
def a_union_with_the_same_task_twice(tf):
    resolvers = tf.distribute.cluster_resolver
    one, other = (resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"worker": {7: address}})) for address in ("a:1", "b:2"))
    return resolvers.UnionResolver(one, other).cluster_spec()


@case
def a_union_of_nothing(tf):
    return tf.distribute.cluster_resolver.UnionResolver()


SLURM = {"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "5", "SLURM_STEP_NODELIST": "n[8-10],m2", "SLURM_STEP_TASKS_PER_NODE": "1(x2),2,1", "SLURM_TASKS_PER_NODE": "1(x2),2,1",
         "SLURM_NODELIST": "n[8-10],m2", "CUDA_VISIBLE_DEVICES": ""}


@environment(**SLURM)
def a_resolver_of_slurm(tf):
    one = tf.distribute.cluster_resolver.SlurmClusterResolver({"ps": 1, "worker": 4}, port_base=7000, gpus_per_node=2, gpus_per_task=1,
                                                             auto_set_gpu=False)
    return [{job: list(tasks) for job, tasks in one.cluster_spec().as_dict().items()}, list(one.get_task_info()), one.master(), one.master("ps", 0)]


@environment(**SLURM)
def too_many_jobs_for_slurm(tf):
    return tf.distribute.cluster_resolver.SlurmClusterResolver({"worker": 9}, gpus_per_node=2, gpus_per_task=1, auto_set_gpu=False).cluster_spec()


# --- the profiler ---
def model(tf):
    images = tf.placeholder(tf.float32, [2, 8, 8, 3], name="images")
    with tf.variable_scope("net"):
        kernel = tf.get_variable("conv/kernel", [3, 3, 3, 4])
        y = tf.nn.conv2d(images, kernel, [1, 2, 2, 1], "SAME", name="conv/Conv2D")
        y = tf.nn.max_pool(tf.nn.bias_add(y, tf.get_variable("conv/bias", [4])), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        y = tf.matmul(tf.reshape(y, [2, 16]), tf.get_variable("dense/kernel", [16, 5]), name="dense/MatMul")
        tf.get_variable("fixed", [7], trainable=False)
        return tf.reduce_mean(tf.square(y))


def totals(root):
    return [root.name, root.total_parameters, root.total_float_ops]


@case
def parameters_of_a_model(tf):
    model(tf)
    options = tf.profiler.ProfileOptionBuilder.trainable_variables_parameter()
    root = tf.profiler.profile(tf.get_default_graph(), options={**options, "output": "none"})
    return [totals(root), [totals(child) for child in root.children], [totals(child) for child in root.children[0].children]]


@case
def float_operations_of_a_model(tf):
    model(tf)
    options = tf.profiler.ProfileOptionBuilder.float_operation()
    return totals(tf.profiler.profile(tf.get_default_graph(), options={**options, "output": "none"}))


@case
def float_operations_by_type(tf):
    loss = model(tf)
    tf.gradients(loss, tf.trainable_variables())
    options = tf.profiler.ProfileOptionBuilder(tf.profiler.ProfileOptionBuilder.float_operation()).with_empty_output().build()
    root = tf.profiler.profile(tf.get_default_graph(), cmd="op", options=options)
    found, node = [], root
    while node.children:  # TensorFlow's tree of op types is a chain
        found += [[child.name, child.float_ops] for child in node.children]
        node = node.children[-1]
    # The gradients of the two libraries use different nodes for shapes and scales.
    return sorted(row for row in found if row[0].startswith(("Conv", "MaxPool", "BiasAdd", "MatMul", "Square", "Mean")))


OPTIONS = {
    "a depth": lambda b: b.with_max_depth(1),
    "names": lambda b: b.with_node_names(show_name_regexes=["net/conv.*"], hide_name_regexes=[".*bias"]),
    "trimmed names": lambda b: b.with_node_names(trim_name_regexes=["net/dense.*"]),
    "a least number of parameters": lambda b: b.with_min_parameters(50),
    "a least number of parameters of all": lambda b: b.with_min_parameters(85).account_displayed_op_only(False),
    "two levels of all": lambda b: b.with_max_depth(3).account_displayed_op_only(False),
    "names of all": lambda b: b.with_node_names(show_name_regexes=["net/conv.*"], hide_name_regexes=[".*bias"]).account_displayed_op_only(False),
    "start names": lambda b: b.with_node_names(start_name_regexes=["net/conv.*"]),
    "an order": lambda b: b.order_by("params"),
    "other types": lambda b: b.with_accounted_types(["VariableV2"]),
    "only what is shown": lambda b: b.with_node_names(show_name_regexes=[".*kernel"]).account_displayed_op_only(True),
}


def names_below(root):
    return [[child.name, child.total_parameters, names_below(child)] for child in root.children]


def profiled(options):
    def run(tf):
        model(tf)
        builder = tf.profiler.ProfileOptionBuilder(tf.profiler.ProfileOptionBuilder.trainable_variables_parameter()).with_empty_output()
        root = tf.profiler.profile(tf.get_default_graph(), options=options(builder).build())
        return [root.total_parameters, names_below(root)]
    return run


CASES.update({f"profile with {name}": profiled(options) for name, options in OPTIONS.items()})
