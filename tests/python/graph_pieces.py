"""One entry for each kind of Python object that can reach a graph, for ownership_test.py: how to create it, in a graph
that goes out of scope, and how to use it afterwards."""
import weakref

import numpy as np

import weir as tf
from weir import _weir
from weir.lib.work_queue import WorkQueue

PIECES = {}  # name: (the class of weir._weir under test, make, use)


def piece(of, name=None, use=None):
    """Decorator that adds an entry: the decorated function creates the object."""
    def add(make):
        PIECES[name or make.__name__.strip("_")] = (of, make, use)
        return make
    return add


# Classes whose objects hold no reference to a graph, not even indirectly. The value says what they hold instead.
WITHOUT_GRAPH = {
    "AdamKind": "an enumeration",
    "BatchNormLayer": "numbers",
    "CellComputation": "numbers",
    "CellPart": "an enumeration",
    "CheckpointReader": "a file",
    "CheckpointListener": "a function, which Python calls while it trains",
    "ClusterSpec": "addresses",
    "ConvKind": "an enumeration",
    "ConvLayer": "numbers",
    "Coordinator": "threads and their errors",
    "DType": "a type",
    "DenseLayer": "numbers",
    "DeviceFunction": "a function of nodes, which it does not keep",
    "DeviceSpec": "a name",
    "Dimension": "a number",
    "FeatureColumn": "numbers, names and functions",
    "FileWriter": "a file",
    "GreedyLoadBalancingStrategy": "counts of tasks",
    "HeadOptions": "numbers and words",
    "LSTMBlockComputation": "numbers",
    "LayerComputation": "numbers",
    "LayerWindow": "numbers",
    "OpFunction": "an op of the registry",
    "OpTraits": "facts about an op",
    "OpaqueTensor": "a value",
    "PartitionInfo": "shapes",
    "PenaltyKind": "an enumeration",
    "PsStrategy": "counts of tasks",
    "RandomStrategy": "counts of tasks",
    "RecordReader": "a file",
    "RecordWriter": "a file",
    "ReuseMode": "an enumeration",
    "SaveSliceInfo": "shapes",
    "SavedModelWriter": "messages and files",
    "SecondOrStepTimer": "times",
    "Server": "a server",
    "SignKind": "an enumeration",
    "StopOnException": "a coordinator",
    "TensorShape": "numbers",
    "WeightInitializer": "numbers",
    "WeightSpec": "a name and a shape",
    "_DeviceAttributes": "what a server tells of a device",
}


def run(fetch, graph=None, init=True):
    graph = graph or (fetch if isinstance(fetch, (tf.Tensor, tf.Operation)) else fetch[0]).graph
    with graph.as_default():
        with tf.Session() as session:
            if init:
                session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
            return session.run(fetch)


def evaluate(value):
    assert np.all(run(value) == 1.0)


def assign(v):
    with v.graph.as_default():
        assert run(v.assign_add(1.0)) == 2.0
    assert "Variable" in repr(v) and v.op.graph is v.graph and v.initializer.name and v.shape == []


# --- nodes and values ---
@piece("Graph", use=lambda g: g.as_graph_def())
def graph():
    tf.constant(1.0)
    return tf.get_default_graph()


@piece("Operation", use=lambda op: [op.name, op.inputs, op.control_inputs, op.graph.get_operations(), repr(op), op.node_def])
def operation():
    return tf.group(tf.constant(1.0) + 1.0)


piece("Tensor", "tensor", evaluate)(lambda: tf.constant(0.5) + 0.5)
piece("Tensor", "gradient", lambda g: run(g))(lambda: tf.gradients(tf.square(tf.Variable(2.0)), tf.trainable_variables())[0])
piece("Tensor", "while_loop", lambda x: run(x))(lambda: tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0]))
piece("Tensor", "cond", evaluate)(lambda: tf.cond(tf.constant(True), lambda: tf.constant(1.0), lambda: tf.constant(2.0)))
piece("Tensor", "placeholder", lambda x: [x.name, x.shape, x.consumers()])(lambda: tf.placeholder(tf.float32, [None, 2]))
piece("Tensor", "py_func", evaluate)(lambda: tf.py_func(lambda x: x, [tf.constant(1.0)], tf.float32))
piece("Tensor", "summary", lambda s: run(s))(lambda: tf.summary.merge([tf.summary.scalar("x", tf.constant(1.0))]))
piece("Tensor", "metric", lambda pair: run(list(pair)))(lambda: tf.metrics.mean([1.0, 2.0]))
piece("SparseTensor", "sparse_tensor", lambda s: run(tf.sparse_tensor_to_dense(s)))(lambda: tf.SparseTensor([[0, 1]], [1.0], [2, 2]))
piece("IndexedSlices", "indexed_slices", lambda s: [str(s), run(s.values), s.graph, (-s).op])(
    lambda: tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
piece("TensorArray", "tensor_array", lambda a: run(a.write(0, 1.0).stack()))(lambda: tf.TensorArray(tf.float32, 1))

piece("Distribution", "distribution", lambda d: run([d.mean(), d.sample([3], None), d.log_prob(1.0)]))(
    lambda: _weir.make_distribution("Normal", {"loc": tf.constant(0.0), "scale": 1.0}, "int32", True))
piece("LinearOperator", "linear_operator", lambda op: run([op.to_dense(), op.adjoint().trace()]))(
    lambda: _weir.diagonal_operator(tf.constant([1.0, 2.0])))


# --- variables ---
piece("Variable", "variable", assign)(lambda: tf.Variable(1.0))
piece("Variable", "resource_variable", assign)(lambda: tf.Variable(1.0, use_resource=True))
piece("Variable", "get_variable", assign)(lambda: tf.get_variable("Variable", [], initializer=tf.ones_initializer()))


@piece("Variable", use=lambda v: assign(v[0]))
def trainable_variables():
    tf.Variable(1.0)
    return tf.trainable_variables()


@piece("Variable", use=lambda pairs: run([pair[1].initializer for pair in pairs]))
def gradients_and_variables():
    return tf.train.GradientDescentOptimizer(0.1).compute_gradients(tf.square(tf.Variable(1.0)))


@piece("Variable", use=lambda step: [run(step.assign_add(1)), str(step)])
def global_step():
    return tf.train.create_global_step(tf.get_default_graph())


@piece("Variable", use=lambda v: [run(v.initializer), repr(v)])
def imported_variable():
    return tf.Variable.from_proto(tf.Variable(1.0).to_proto())


@piece("Variable", use=lambda v: [run(v.initializer), v.constraint])
def variable_with_constraint():
    return tf.Variable(1.0, constraint=lambda x: tf.maximum(x, 0.0))


@piece("PartitionedVariable", use=lambda v: [[run(part.initializer) for part in v], run(v.as_tensor()), v.assign(np.zeros([4, 2]))])
def partitioned_variable():
    return tf.get_variable("v", [4, 2], partitioner=tf.fixed_size_partitioner(2))


# --- scopes ---
def enter(scope):
    with scope:
        pass
    with scope:
        tf.constant(1.0)


def in_graph(make):
    return lambda: make(tf.get_default_graph())


piece("Scope", "as_default", enter)(in_graph(lambda g: g.as_default()))
piece("Scope", "name_scope", enter)(lambda: tf.name_scope("a", values=[tf.constant(1.0)]))
piece("Scope", "graph_name_scope", enter)(in_graph(lambda g: g.name_scope("a")))
piece("Scope", "device", enter)(lambda: tf.device("/cpu:0"))
piece("Scope", "device_function", enter)(lambda: tf.device(lambda op: "/cpu:0"))
piece("Scope", "control_dependencies", enter)(lambda: tf.control_dependencies([tf.no_op()]))
piece("Scope", "no_control_dependencies", enter)(lambda: tf.control_dependencies(None))
piece("Scope", "colocate_with", enter)(lambda: tf.colocate_with(tf.constant(1.0).op))
piece("Scope", "container", enter)(lambda: tf.container("a"))
piece("Scope", "gradient_override_map", enter)(in_graph(lambda g: g.gradient_override_map({"Square": "Identity"})))
piece("Scope", "variable_scope", enter)(lambda: tf.variable_scope("a", values=[tf.constant(1.0)]))


@piece("Scope", use=lambda scope: scope.__exit__(None, None, None))
def entered_variable_scope():
    scope = tf.variable_scope("a", "b", [tf.constant(1.0)])
    scope.__enter__()
    return scope


@piece("Scope", use=lambda scopes: [scope.__exit__(None, None, None) for scope in scopes])
def entered_scopes():
    scopes = [tf.device("/cpu:0"), tf.control_dependencies([tf.no_op()]), tf.name_scope("a"), tf.colocate_with(tf.no_op())]
    for scope in scopes:
        scope.__enter__()
    return scopes[::-1]


def use_variable_scope(scope):
    scope.reuse_variables()
    scope.set_initializer(tf.zeros_initializer())
    with tf.variable_scope(scope):
        pass


@piece("VariableScope", use=use_variable_scope)
def variable_scope_object():
    with tf.variable_scope("a") as scope:
        return scope


@piece("VariableScope", use=use_variable_scope)
def current_variable_scope():
    return tf.get_variable_scope()


@piece("Variable", use=lambda getter: run(getter("w", shape=[]).initializer))
def kept_variable_getter():
    kept = []

    def keep(getter, *args, **kwargs):
        kept.append(getter)
        return getter(*args, **kwargs)

    with tf.variable_scope("a", custom_getter=lambda getter, *args, **kwargs: getter(*args, **kwargs)):
        with tf.variable_scope("b", custom_getter=keep):
            tf.get_variable("v", [])
    return kept.pop()


# --- functions ---
@piece("DefinedFunction", use=lambda f: [run(f.captured_inputs[0]), f.definition])
def function_with_captures():
    outer = tf.constant(1.0)

    @_weir.Defun(tf.float32)
    def add(x):
        return x + outer
    add(tf.constant(1.0))
    return add


@piece("Variable", use=lambda t: [run(v.initializer) for v in t.variables])
def template():
    made = tf.make_template("t", lambda x: x * tf.get_variable("w", []))
    made(1.0)
    return made


# --- queues, tables and similar resources ---
piece("QueueBase", "queue", lambda q: [run([q.enqueue(1.0), q.size()]), q.close(), q.queue_ref.name])(lambda: tf.FIFOQueue(3, tf.float32, []))
piece("WorkQueueBase", "work_queue", lambda q: [q.take(), q.size(), q.name, q.op, q.input_producer(), q.add_summary()])(
    lambda: WorkQueue(["a", "b"]))
piece("QueueBase", "queue_from_list", lambda q: [q.enqueue(1.0), q.name])(
    lambda: tf.QueueBase.from_list(0, [tf.FIFOQueue(3, tf.float32), tf.FIFOQueue(3, tf.float32)]))
piece("DenseAccumulator", "accumulator", lambda a: [run(a.apply_grad(1.0)), a.take_grad(1), a.name])(
    lambda: tf.ConditionalAccumulator(tf.float32, []))
piece("SparseAccumulator", "sparse_accumulator", lambda a: [run(a.num_accumulated()), a.take_indexed_slices_grad(1)])(
    lambda: tf.SparseConditionalAccumulator(tf.float32))
piece("Tensor", "staging_reader", lambda r: [r.num_records_produced(), r.reader_ref.name])(lambda: tf.TextLineReader())


@piece("QueueRunner", use=lambda r: [r.enqueue_ops, r.close_op.name, r.to_proto(), r.queue.name])
def queue_runner():
    queue = tf.FIFOQueue(3, tf.float32)
    return tf.train.QueueRunner(queue, [queue.enqueue(1.0)])


@piece("QueueRunner", use=lambda runners: [r.enqueue_ops for r in runners])
def queue_runners_of_a_collection():
    tf.train.batch([tf.constant(1.0)], 2)
    return tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)


@piece("QueueRunnerLoop", use=lambda loops: [[loop.name for loop in loops], [loop() for loop in loops]])
def queue_runner_loops():
    queue = tf.FIFOQueue(3, tf.float32)
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)])
    coord = tf.train.Coordinator()
    coord.request_stop()
    return runner._loops(tf.Session(), coord)


def use_table(table):
    with table.resource_handle.graph.as_default():
        assert run(table.lookup(tf.constant("a"))) == 1
    assert table.name and table.default_value is not None


@piece("LookupTable", use=use_table)
def table():
    return tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer(["a"], [1]), -1)


@piece("LookupTable", use=lambda t: [t.insert("a", 1), run(t.size()), t.export()])
def mutable_table():
    return tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)


@piece("SavedTable", use=lambda saved: [saved[0].name, saved[0].op.graph])
def saved_table():
    tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
    return tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)


@piece("TableContents", use=lambda contents: _weir.static_table(contents.contents, -1, None, None))
def table_contents():
    return tf.contrib.lookup.KeyValueTensorInitializer(["a"], [1])


@piece("TableContents", use=lambda contents: contents.contents.key_dtype)
def table_contents_of_a_file():
    return tf.contrib.lookup.TextFileIdTableInitializer(tf.constant("vocabulary.txt"))


# --- datasets ---
piece("Tensor", "dataset", lambda dataset: [dataset.output_shapes, dataset.output_types, dataset._variant_tensor.graph.get_operations()])(lambda: tf.data.Dataset.range(3).map(lambda x: x + 1))
piece("Tensor", "one_shot_iterator", lambda i: [i.get_next(), i.output_types])(lambda: tf.data.Dataset.range(3).make_one_shot_iterator())
piece("Tensor", "initializable_iterator", lambda i: run([i.initializer]))(
    lambda: tf.data.Dataset.range(3).make_initializable_iterator())
piece("SavedIterator", "saved_iterator", lambda s: [s.name, s.op])(
    lambda: tf.data.experimental.make_saveable_from_iterator(tf.data.Dataset.range(3).make_initializable_iterator()))
piece("Tensor", "next_element", lambda x: run(x))(lambda: tf.data.Dataset.range(3).make_one_shot_iterator().get_next())


# --- training ---
OPTIMIZERS = {
    "GradientDescentOptimizer": lambda rate: tf.train.GradientDescentOptimizer(rate),
    "MomentumOptimizer": lambda rate: tf.train.MomentumOptimizer(rate, 0.9),
    "AdagradOptimizer": lambda rate: tf.train.AdagradOptimizer(rate),
    "AdagradDAOptimizer": lambda rate: tf.train.AdagradDAOptimizer(rate, tf.train.get_or_create_global_step()),
    "AdadeltaOptimizer": lambda rate: tf.train.AdadeltaOptimizer(rate),
    "AdamOptimizer": lambda rate: tf.train.AdamOptimizer(rate),
    "RMSPropOptimizer": lambda rate: tf.train.RMSPropOptimizer(rate),
    "FtrlOptimizer": lambda rate: tf.train.FtrlOptimizer(rate),
    "ProximalGradientDescentOptimizer": lambda rate: tf.train.ProximalGradientDescentOptimizer(rate),
    "ProximalAdagradOptimizer": lambda rate: tf.train.ProximalAdagradOptimizer(rate),
    "AdaMaxOptimizer": lambda rate: tf.contrib.opt.AdaMaxOptimizer(rate),
    "AdamVariantOptimizer": lambda rate: tf.contrib.opt.LazyAdamOptimizer(rate),
    "SignOptimizer": lambda rate: tf.contrib.opt.AddSignOptimizer(rate),
    "LARSOptimizer": lambda rate: tf.contrib.opt.LARSOptimizer(rate),
    "RegAdagradOptimizer": lambda rate: tf.contrib.opt.RegAdagradOptimizer(rate),
    "MultitaskOptimizerWrapper": lambda rate: tf.contrib.opt.MultitaskOptimizerWrapper(tf.train.AdamOptimizer(rate)),
}


def use_optimizer(held):
    optimizer, loss = held if isinstance(held, tuple) else (held, None)
    assert optimizer.variables() == []  # none in the default graph
    optimizer.get_slot_names()
    with tf.Graph().as_default():  # continues in another graph
        v = tf.Variable(1.0, name="w")
        if loss is None:
            run(optimizer.minimize(tf.square(v)))
            assert {slot.graph for slot in optimizer.variables()} <= {v.graph}


def trained(make):
    optimizer = make(0.1)
    optimizer.minimize(tf.square(tf.Variable(1.0, name="w")))
    return optimizer


for _name, _make in OPTIMIZERS.items():
    if _name != "AdagradDAOptimizer":  # its global step belongs to the first graph
        piece(_name, _name, use_optimizer)(lambda make=_make: trained(make))


@piece("AdagradDAOptimizer", use=lambda o: o.get_slot_names())
def adagrad_da_optimizer():
    return trained(OPTIMIZERS["AdagradDAOptimizer"])


def use_rate(optimizer):
    with optimizer.graph_of_rate.as_default():
        run(optimizer.minimize(tf.square(tf.Variable(1.0))))


class RateOptimizer(tf.train.MomentumOptimizer):
    """Refers to the graph only through its learning rate. The test finds the graph through the weak reference below."""

    graph_of_rate = property(lambda self: self._graph())


@piece("MomentumOptimizer", use=use_rate)
def optimizer_with_a_tensor_as_rate():
    optimizer = RateOptimizer(tf.constant(0.1), 0.9)
    optimizer._graph = weakref.ref(tf.get_default_graph())
    return optimizer


@piece("Variable", use=lambda slots: [run(slot.initializer) for slot in slots])
def slots():
    v = tf.Variable(1.0)
    optimizer = tf.train.AdamOptimizer()
    optimizer.minimize(tf.square(v))
    return [*optimizer.variables(), optimizer.get_slot(v, "m")]


class PlainOptimizer(tf.train.Optimizer):
    def __init__(self):
        super().__init__(False, "Plain")

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "m", "Plain")
            self._get_or_make_slot(v, tf.constant(1.0), "n", "Plain")
        self._create_non_slot_variable(1.0, "power", var_list[0])

    def _apply_dense(self, grad, var):
        return tf.assign_sub(var, 0.1 * grad).op


piece("Optimizer", "optimizer_of_python", use_optimizer)(lambda: trained(lambda rate: PlainOptimizer()))


def use_sync_replicas(optimizer):
    graph = optimizer.chief_init_op.graph
    with graph.as_default():
        optimizer.get_init_tokens_op()
        assert optimizer.variables() and optimizer._opt.variables()
    assert optimizer.get_chief_queue_runner().enqueue_ops


def sync_replicas(inner):
    optimizer = tf.train.SyncReplicasOptimizer(inner, 1, total_num_replicas=1)
    optimizer.minimize(tf.square(tf.Variable(1.0)), global_step=tf.train.get_or_create_global_step())
    return optimizer


piece("SyncReplicasOptimizer", "sync_replicas", use_sync_replicas)(lambda: sync_replicas(tf.train.AdamOptimizer(0.1)))


def first_trainable(graph):
    return graph().get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)[0]


@piece("AdamOptimizer", use=lambda pair: run(pair[0].get_slot(first_trainable(pair[1]), "m").initializer))
def optimizer_inside_of_sync_replicas():
    inner = tf.train.AdamOptimizer(0.1)
    sync_replicas(inner)
    return inner, weakref.ref(tf.get_default_graph())


@piece("QueueRunnerHandle", use=lambda handle: tf.train.QueueRunner(None, handle=handle).enqueue_ops)
def queue_runner_handle():
    return sync_replicas(tf.train.GradientDescentOptimizer(0.1))._chief_runner()


def use_average(held):
    averages, graph = held
    v = first_trainable(graph)
    assert run(averages.average(v).initializer) is None and averages.average_name(v)
    with v.graph.as_default():
        averages.variables_to_restore()
        averages.apply([tf.Variable(2.0)])


@piece("ExponentialMovingAverage", use=use_average)
def moving_average():
    v = tf.Variable(1.0)
    averages = tf.train.ExponentialMovingAverage(0.9, num_updates=tf.constant(3))
    averages.apply([v])
    return averages, weakref.ref(tf.get_default_graph())


@piece("Saver", use=lambda s: [s.saver_def, s.last_checkpoints])
def saver():
    tf.Variable(1.0)
    return tf.train.Saver()


def build_saver(held):
    saver, graph = held
    with graph().as_default():
        saver.build()
    assert saver.saver_def.restore_op_name


@piece("Saver", use=build_saver)
def saver_to_be_built():
    return tf.train.Saver([tf.Variable(1.0)], defer_build=True), weakref.ref(tf.get_default_graph())


@piece("Scaffold", use=lambda s: [run(s.init_op, init=False), s.saver.saver_def, s.ready_op.graph, s.local_init_op])
def scaffold():
    tf.Variable(1.0)
    return tf.train.Scaffold().finalize()


@piece("SessionManager", use=lambda m: m.recover_session("")[0].close())
def session_manager():
    v = tf.Variable(1.0)
    return tf.train.SessionManager(ready_op=tf.report_uninitialized_variables([v]))


@piece("BaseSession", use=lambda s: [s.run("c:0"), s.graph, s.close()])
def session():
    tf.constant(1.0, name="c")
    return tf.Session()


@piece("BaseSession", use=lambda call: call())
def session_callable():
    x = tf.constant(1.0)
    return tf.Session().make_callable(x)


@piece("MonitoredSessionCore", use=lambda s: [s.run("c:0"), s.graph, s.close()])
def monitored_session():
    tf.constant(1.0, name="c")
    tf.train.get_or_create_global_step()
    return tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(3)])


@piece("Predictions", use=lambda p: [p.next(), p.close(False)])
def predictions(tmp_path):
    def model(features, labels, mode):
        return tf.estimator.EstimatorSpec(mode, tf.get_variable("v", []) + features)
    estimator = tf.estimator.Estimator(model, str(tmp_path))
    build = estimator._builder(lambda: tf.constant([1.0]))
    return _weir.estimator_predict(tf.get_default_graph(), estimator._config, str(tmp_path), build, [], None)


@piece("Supervisor", use=lambda s: [s.saver.saver_def, s.init_op.graph, s.ready_op, s.session_manager, s.global_step, s.prepare_or_wait_for_session("").close()])
def supervisor():
    tf.train.create_global_step()
    return tf.train.Supervisor()


@piece("SupervisorService", use=lambda services: [[service.name, service.start(), service.run()] for service in services])
def supervisor_services(tmp_path):
    tf.train.create_global_step()
    tf.summary.scalar("x", tf.constant(1.0))
    supervisor = tf.train.Supervisor(logdir=str(tmp_path))
    return list(supervisor._standard_services(supervisor.prepare_or_wait_for_session("", start_standard_services=False)))


# --- hooks ---
HOOKS = {
    "nan_tensor_hook": lambda tmp: tf.train.NanTensorHook(tf.constant(1.0)),
    "stop_at_step_hook": lambda tmp: tf.train.StopAtStepHook(last_step=3),
    "logging_tensor_hook": lambda tmp: tf.train.LoggingTensorHook({"x": tf.constant(1.0)}, every_n_iter=1),
    "logging_tensor_hook_by_name": lambda tmp: tf.train.LoggingTensorHook(["global_step:0"], every_n_iter=1),
    "step_counter_hook": lambda tmp: tf.train.StepCounterHook(output_dir=str(tmp)),
    "global_step_waiter_hook": lambda tmp: tf.train.GlobalStepWaiterHook(0),
    "checkpoint_saver_hook": lambda tmp: tf.train.CheckpointSaverHook(str(tmp), save_steps=1, saver=tf.train.Saver()),
    "summary_saver_hook": lambda tmp: tf.train.SummarySaverHook(1, output_dir=str(tmp), summary_op=tf.summary.scalar("x", 1.0)),
    "profiler_hook": lambda tmp: tf.train.ProfilerHook(1, output_dir=str(tmp)),
    "final_ops_hook": lambda tmp: tf.train.FinalOpsHook(tf.constant(1.0)),
}


def begun(make, tmp_path):
    tf.train.get_or_create_global_step()
    tf.Variable(1.0)
    hook = make(tmp_path)
    hook.begin()
    return hook


def in_a_session(make, tmp_path):
    tf.train.get_or_create_global_step()
    tf.Variable(1.0)
    hook = make(tmp_path)
    train = tf.train.get_global_step().assign_add(1)
    with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
        session.run(train)
    return hook


def use_hook(hook):
    # The fetches that the hook requests determine the graph.
    with tf.Graph().as_default():
        tf.constant(1.0)
        with tf.Session() as session:
            context = tf.train.SessionRunContext(tf.train.SessionRunArgs(None), session)
            for _ in range(2):
                wanted = hook.before_run(context)
                if wanted is not None and wanted.fetches:
                    fetches = wanted.fetches.values() if isinstance(wanted.fetches, dict) else wanted.fetches
                    assert all(fetch.graph.get_operations() for fetch in fetches)


for _name, _make in HOOKS.items():
    if _name != "global_step_waiter_hook":  # it would block
        piece("Hook", f"{_name}_begun", use_hook)(lambda tmp_path, make=_make: begun(make, tmp_path))
    piece("Hook", f"{_name}_of_a_session", use_hook if _name != "global_step_waiter_hook" else repr)(
        lambda tmp_path, make=_make: in_a_session(make, tmp_path))


# --- layers and cells ---
@piece("Variable", use=lambda layer: run([v.initializer for v in layer.variables]))
def layer():
    made = tf.layers.Dense(3)
    made(tf.zeros([1, 2]))
    return made


@piece("Variable", use=lambda cell: run([v.initializer for v in cell.variables]))
def rnn_cell():
    cell = tf.nn.rnn_cell.BasicRNNCell(3)
    tf.nn.dynamic_rnn(cell, tf.zeros([1, 2, 2]), dtype=tf.float32)
    return cell


@piece("Graph", use=lambda held: [held.append("x"), list(held)])
def collection_reference():
    tf.Variable(1.0)
    return tf.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES)
