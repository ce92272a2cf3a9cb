"""Client programs for a cluster of a ps and a worker: `tf` is TensorFlow or Weir, `target` a server of either. Each
program returns plain data, which must be the same for every mix; EXPECTED in cluster_test.py has it.

Variables live as long as their server. Their names contain the client's prefix, so that both clients can use one
cluster.
"""
import threading
import time

import numpy as np

PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"
PATIENCE_MS = 60_000


def session(tf, target):
    return tf.Session(target, config=tf.ConfigProto(operation_timeout_in_ms=PATIENCE_MS))


def train(tf, target, prefix, use_resource):
    """Trains a linear model with variables and slots on the ps; returns their final values."""
    with tf.variable_scope(f"{prefix}_{'resource' if use_resource else 'ref'}", use_resource=use_resource), tf.device(PS):
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    rng = np.random.RandomState(0)
    points = rng.randn(64, 3).astype(np.float32)
    values = points @ np.array([[1.0], [2.0], [-3.0]], np.float32) + 0.5
    with tf.device(WORKER):
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        scaled = tf.assign(b, b * 2.0)  # built here, runs on the task of the variable
    step = tf.train.AdagradOptimizer(0.5).minimize(loss)
    with session(tf, target) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(150):
            sess.run(step, {x: points, y: values})
        sess.run(scaled)
    with session(tf, target) as another:
        return [np.round(v, 2).ravel().tolist() for v in another.run([w, b])]


def ref_variables(tf, target, prefix):
    return train(tf, target, prefix, False)


def resource_variables(tf, target, prefix):
    return train(tf, target, prefix, True)


def loop_across_tasks(tf, target, prefix):
    def body(i, total):
        with tf.device(PS):
            total = total + i * i
        with tf.device(WORKER):
            return i + 1, tf.identity(total)
    with tf.device(WORKER):
        n = tf.placeholder(tf.float32, [])
        loops = tf.while_loop(lambda i, s: i < n, body, [tf.constant(0.0), tf.constant(0.0)])
    with session(tf, target) as sess:
        return [[float(v) for v in sess.run(loops, {n: count})] for count in (0, 1, 10, 100)]


def nested_loops_across_tasks(tf, target, prefix):
    def inner(i):
        with tf.device(WORKER):
            return tf.while_loop(lambda j, s: j < i, lambda j, s: (j + 1, s + j), [0, 0])[1]

    def body(i, total):
        with tf.device(PS):
            total = total + inner(i)
        return i + 1, total
    with tf.device(PS):
        loops = tf.while_loop(lambda i, s: i < 6, body, [0, 0])
    with session(tf, target) as sess:
        return [int(v) for v in sess.run(loops)]


def gradient_of_a_loop(tf, target, prefix):
    with tf.device(WORKER):
        x = tf.placeholder(tf.float32, [])

        def body(i, y):
            with tf.device(PS):
                y = y * x
            return i + 1, y
        y = tf.while_loop(lambda i, y: i < 4, body, [0, tf.constant(1.0)])[1]
        dx = tf.gradients(y, x)[0]
    with session(tf, target) as sess:
        return [float(v) for v in sess.run([y, dx], {x: 2.0})]


def cond_across_tasks(tf, target, prefix):
    def on(device, function):
        with tf.device(device):
            return function()
    with tf.device(WORKER):
        p = tf.placeholder(tf.bool, [])
        x = tf.placeholder(tf.float32, [2])
    y = tf.cond(p, lambda: on(PS, lambda: x + 1.0), lambda: on(WORKER, lambda: x * 10.0))
    with session(tf, target) as sess:
        return [sess.run(y, {p: value, x: [1, 2]}).tolist() for value in (True, False)]


NUMERIC = ["float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
           "bool", "complex64", "complex128"]
SHAPES = [(), (0, 3), (2, 3)]


def types_across_tasks(tf, target, prefix):
    """Sends values of every type to the ps and back; shape, bits and numpy type must not change."""
    results = {}
    fed, fetched = {}, {}
    for name in [*NUMERIC, "string"]:
        dtype = tf.as_dtype(name)
        for shape in SHAPES:
            count = int(np.prod(shape))
            if name == "string":
                value = np.empty(count, object)
                value[:] = [(b"", b"a\0b\xff", b"long " * 1000)[k % 3] for k in range(count)]
                value = value.reshape(shape)
            else:
                value = (np.arange(count) % 7).reshape(shape).astype(dtype.as_numpy_dtype)
            with tf.device(WORKER):
                x = tf.placeholder(dtype, shape)
            with tf.device(PS):
                there = tf.identity(x)
            with tf.device(WORKER):
                back = tf.identity(there)
            fed[x], fetched[name, shape] = value, back
    with session(tf, target) as sess:
        for (key, value), given in zip(sess.run(fetched, fed).items(), fed.values()):
            value, given = np.asarray(value), np.asarray(given)
            results[f"{key[0]} {key[1]}"] = bool(value.shape == given.shape and value.tolist() == given.tolist() and (
                key[0] == "string" or value.dtype == given.dtype))
    return [key for key, same in results.items() if not same], len(results)


def large_values(tf, target, prefix):
    """Sends 20 MB to the ps and back."""
    with tf.device(WORKER):
        n = tf.placeholder(tf.int32, [])
        x = tf.cast(tf.range(n), tf.float32)
    with tf.device(PS):
        y = x + 1.0
    with tf.device(WORKER):
        most = tf.reduce_max(y)
    with session(tf, target) as sess:
        value, last = sess.run([y, most], {n: 5_000_000})
        return value.shape[0], float(value[12345]), float(last)


def feeds_and_fetches(tf, target, prefix):
    with tf.device(PS):
        a = tf.placeholder_with_default(1.0, [], name=f"{prefix}_a")
        b = a * 2.0
    with tf.device(WORKER):
        c = b + 3.0
    with session(tf, target) as sess:
        first = sess.run({"c": c, "twice": [b, b]})
        second = sess.run([c, c.op, f"{prefix}_a:0"], {a: 5.0})
        inside = sess.run([b, c], {b: 100.0})  # fetching a fed tensor returns the fed value
        later = tf.negative(c)  # the graph grows after the first step
        return [float(first["c"]), [float(v) for v in first["twice"]], float(second[0]), second[1], float(second[2]),
                [float(v) for v in inside], float(sess.run(later))]


def partial_run(tf, target, prefix):
    with tf.device(WORKER):
        a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    with tf.device(PS):
        doubled = a * 2.0
        total = doubled + b
    with session(tf, target) as sess:
        handle = sess.partial_run_setup([doubled, total], [a, b])
        first = sess.partial_run(handle, doubled, {a: 3.0})
        return [float(first), float(sess.partial_run(handle, total, {b: float(first) + 1.0}))]


def callables(tf, target, prefix):
    with tf.device(WORKER):
        x = tf.placeholder(tf.float32, [2])
    with tf.device(PS):
        y = x + 1.0
    with session(tf, target) as sess:
        call = sess.make_callable([y, y.op], [x])
        return [call(np.array(value, np.float32))[0].tolist() for value in ([1, 2], [3, 4])]


def errors(tf, target, prefix):
    """Causes errors on the task that is not the master. The session stays usable."""
    name = f"{prefix}_rows"
    with tf.device(PS):
        i = tf.placeholder(tf.int32, [1])
        rows = tf.gather(tf.constant([10.0, 20.0]), i, name=name)
    with tf.device(WORKER):
        y = rows + 1.0
    with session(tf, target) as sess:
        try:
            sess.run(y, {i: [7]})
        except tf.errors.InvalidArgumentError as error:
            seen = [error.op.name == name, error.node_def.op.startswith("Gather"), error.error_code, "not in [0, 2)" in str(error)]
        return [*seen, sess.run(y, {i: [1]}).tolist()]


def forever(tf):
    """Builds an infinite loop on the ps, for which the worker waits."""
    with tf.device(PS):
        i = tf.while_loop(lambda i: i < 2, lambda i: i * 1, [tf.constant(0)])
    with tf.device(WORKER):
        return tf.add(i, 1)


def timeout(tf, target, prefix):
    with session(tf, target) as sess:
        endless = forever(tf)
        sess.run(tf.constant(0))
        start = time.monotonic()
        try:
            sess.run(endless, options=tf.RunOptions(timeout_in_ms=300))
        except tf.errors.DeadlineExceededError:
            seen = time.monotonic() - start
            return [0.2 < seen < 10, float(sess.run(tf.constant(1.0)))]


def closed_session(tf, target, prefix):
    """Closing the session cancels an infinite step. The servers stay usable."""
    sess = session(tf, target)
    endless = forever(tf)
    sess.run(tf.constant(0))
    raised = []

    def run():
        try:
            sess.run(endless)
        except Exception as error:  # checked by the test
            raised.append(error)
    step = threading.Thread(target=run)
    step.start()
    time.sleep(0.5)
    start = time.monotonic()
    sess.close()
    step.join(30)
    took = time.monotonic() - start
    with session(tf, target) as another, tf.device(PS):
        again = float(another.run(tf.constant(1.0) + 1.0))
    return [step.is_alive(), [type(error).__name__ in ("CancelledError", "AbortedError") for error in raised], took < 10, again]


def two_nodes(tf, prefix):
    x = tf.placeholder(tf.float32, [])
    with tf.device(PS):
        a = tf.add(x, 1.0, name=f"{prefix}_there")
    with tf.device(WORKER):
        return x, tf.multiply(a, 2.0, name=f"{prefix}_here")


def metadata(tf, target, prefix):
    """Both tasks report their nodes and times."""
    x, y = two_nodes(tf, prefix)
    with session(tf, target) as sess:
        sess.run(y, {x: 1.0})
        recorded = tf.RunMetadata()
        before = time.time()
        sess.run(y, {x: 1.0}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=recorded)
    return sorted([node.node_name[len(prefix):], device.device, abs(node.all_start_micros / 1e6 - before) < 60]
                  for device in recorded.step_stats.dev_stats for node in device.node_stats
                  if node.node_name in (f"{prefix}_there", f"{prefix}_here"))


def partition_graphs(tf, target, prefix):
    """Both tasks return their partition graphs."""
    x, y = two_nodes(tf, prefix)
    with session(tf, target) as sess:
        recorded = tf.RunMetadata()
        sess.run(y, {x: 1.0}, options=tf.RunOptions(output_partition_graphs=True), run_metadata=recorded)
    return sorted([node.name[len(prefix):], node.device] for graph in recorded.partition_graphs for node in graph.node
                  if node.name in (f"{prefix}_there", f"{prefix}_here"))


def devices(tf, target, prefix):
    with session(tf, target) as sess:
        return sorted(d.name for d in sess.list_devices() if d.device_type == "CPU")


def containers(tf, target, prefix):
    """Must run last: resets a container on the whole cluster."""
    with tf.container(f"{prefix}.container"), tf.device(PS):
        v = tf.get_variable(f"{prefix}_contained", [], initializer=tf.ones_initializer())
    with session(tf, target) as sess:
        sess.run(v.initializer)
    with session(tf, target) as sess:
        kept = float(sess.run(v))
    tf.Session.reset(target, [f"{prefix}.container"])
    with session(tf, target) as sess:
        try:
            sess.run(v)
        except tf.errors.FailedPreconditionError:
            return [kept, "gone"]


PROGRAMS = [ref_variables, resource_variables, loop_across_tasks, nested_loops_across_tasks, gradient_of_a_loop, cond_across_tasks,
            types_across_tasks, large_values, feeds_and_fetches, partial_run, callables, errors, timeout, closed_session, metadata,
            partition_graphs, devices, containers]


def run_all(tf, target, prefix):
    """Returns by program: [its result or the text of its error, the seconds it took]."""
    results = {}
    for program in PROGRAMS:
        start = time.monotonic()
        with tf.Graph().as_default():
            try:
                result = program(tf, target, prefix)
            except Exception as error:  # reported by the test of that program
                result = f"{type(error).__name__}: {error}"
        results[program.__name__] = [result, round(time.monotonic() - start, 2)]
    return results
