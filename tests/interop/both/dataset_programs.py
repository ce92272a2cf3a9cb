"""Dataset functions that use external state, and the state of a pass over a dataset.

A program returns plain data or raises. The automatic prefetching of newer TensorFlow versions is disabled, so that a
function reads the value that a variable has when the element is requested.
"""


def variable(tf, value=0, resource=True, dtype="int64"):
    return tf.Variable(value, dtype=getattr(tf, dtype), use_resource=resource)


def with_options(tf, dataset, deterministic=None):
    options = tf.data.Options()
    if hasattr(options, "autotune"):
        options.autotune.enabled = False
        options.experimental_optimization.inject_prefetch = False
    if deterministic is not None:
        options.experimental_deterministic = deterministic
    return dataset.with_options(options)


def plain(value):
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode()
    return plain(value.tolist()) if hasattr(value, "tolist") else round(value, 5) if isinstance(value, float) else value


def passes(tf, dataset, n=3, before=(), after=(), count=1, sessions=1):
    """Returns up to n elements of each of `count` passes per session, then "end" if there are no more. `after` runs
    after each element."""
    iterator = tf.data.make_initializable_iterator(with_options(tf, dataset))
    following = iterator.get_next()
    init = [tf.global_variables_initializer(), tf.tables_initializer()]
    result = []
    for _ in range(sessions):
        with tf.Session() as sess:
            sess.run(init)
            for op in before:
                sess.run(op)
            for _ in range(count):
                sess.run(iterator.initializer)
                for _ in range(n):
                    try:
                        result.append(plain(sess.run(following)))
                    except tf.errors.OutOfRangeError:
                        result.append("end")
                        break
                    sess.run(list(after))
    return result


def one_shot(tf, dataset):
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return plain(sess.run(following))


PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def count(tf, n=3):
    return tf.data.Dataset.range(n)


# --- resource variables
UPDATES = {
    "assign_add": lambda tf, v, i: v.assign_add(1),
    "assign_sub": lambda tf, v, i: v.assign_sub(i),
    "assign": lambda tf, v, i: v.assign(v + i),
    "tf_assign_add": lambda tf, v, i: tf.assign_add(v, i),
    "tf_assign": lambda tf, v, i: tf.assign(v, i),
    "count_up_to": lambda tf, v, i: v.count_up_to(2),
}
READS = {
    "operator": lambda tf, v: v + 0,
    "read_value": lambda tf, v: v.read_value(),
    "value": lambda tf, v: v.value(),
    "identity": lambda tf, v: tf.identity(v),
    "is_initialized": lambda tf, v: tf.is_variable_initialized(v),
    "cond": lambda tf, v: tf.cond(v > 5, lambda: v * 2, lambda: v + 0),
    "while_loop": lambda tf, v: tf.while_loop(lambda j: j < 3, lambda j: j + v + 1, [tf.constant(0, tf.int64)]),
}
VECTOR_READS = {
    "gather": lambda tf, v: tf.gather(v, [1]),
    "sparse_read": lambda tf, v: v.sparse_read([1]),
    "index": lambda tf, v: v[1],
    "embedding_lookup": lambda tf, v: tf.nn.embedding_lookup(v, [1]),
    "scatter_add": lambda tf, v: tf.scatter_add(v, [0], tf.constant([1], tf.int64)),
}
for name, update in UPDATES.items():
    PROGRAMS["update_" + name] = lambda tf, update=update: (lambda v: passes(tf, count(tf).map(lambda i: update(tf, v, i))))(variable(tf))
for name, read in READS.items():
    PROGRAMS["read_" + name] = lambda tf, read=read: (lambda v: passes(tf, count(tf).map(lambda i: read(tf, v)), after=[v.assign_add(10)]))(variable(tf))
for name, read in VECTOR_READS.items():
    PROGRAMS["read_" + name] = lambda tf, read=read: (lambda v: passes(tf, count(tf).map(lambda i: read(tf, v)), after=[v.assign_add([1, 1])]))(variable(tf, [0, 0]))


@program
def static_shapes(tf):
    v = variable(tf, [[1, 2], [3, 4]])
    shapes = []
    dataset = count(tf).map(lambda i: (v.read_value(), v.assign_add(v), tf.identity(v)))
    shapes.append([shape.as_list() for shape in dataset.output_shapes] if hasattr(dataset, "output_shapes") else None)
    return shapes


@program
def read_outside_stays(tf):
    v = variable(tf)
    read = v + 1
    return passes(tf, count(tf).map(lambda i: read), after=[v.assign_add(10)])


@program
def order_of_effects(tf):
    v = variable(tf, 1)

    def f(i):
        before = v.read_value()
        v.assign_add(1)
        between = v.read_value()
        v.assign(between * 2)
        return before, between, v.read_value()
    return passes(tf, count(tf).map(f))


@program
def effects_that_no_result_needs(tf):
    v = variable(tf, 1)

    def f(i):
        v.assign_add(1)
        return i
    return passes(tf, count(tf).map(f).zip((count(tf).map(f), count(tf).map(lambda i: v.read_value()))))


@program
def get_variable(tf):
    def f(i):
        with tf.variable_scope("a", reuse=tf.AUTO_REUSE, use_resource=True):
            return tf.get_variable("w", [], tf.int64, initializer=tf.zeros_initializer()).assign_add(i)
    f(tf.constant(0, tf.int64))
    return passes(tf, count(tf).map(f))


@program
def partitioned(tf):
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2), use_resource=True):
        v = tf.get_variable("w", [4], tf.int64, tf.zeros_initializer())
    return passes(tf, count(tf).map(lambda i: tf.reduce_sum(v)), after=[part.assign_add([1, 1]) for part in v])


@program
def flat_map(tf):
    v = variable(tf)
    return passes(tf, count(tf).flat_map(lambda i: tf.data.Dataset.from_tensors(v.assign_add(1)).repeat(2)), n=7)


@program
def map_in_flat_map(tf):
    v = variable(tf)
    return passes(tf, count(tf).flat_map(lambda i: count(tf, 2).map(lambda j: v.assign_add(1))), n=7)


@program
def interleave(tf):
    v = variable(tf)
    return passes(tf, count(tf).interleave(lambda i: tf.data.Dataset.from_tensors(v.assign_add(1)).repeat(2), 2, 1), n=7)


@program
def filtered(tf):
    v = variable(tf)
    return passes(tf, count(tf, 6).filter(lambda i: tf.equal(v.assign_add(1) % 2, 0)), n=7)


@program
def reduced(tf):
    v = variable(tf)
    total = count(tf, 4).reduce(tf.constant(0, tf.int64), lambda s, i: s + v.assign_add(1))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return plain([sess.run(total), sess.run(total), sess.run(v)])


@program
def parallel_map(tf):
    v = variable(tf)  # one call at a time: in TensorFlow, the read after an update may see a later update
    return sorted(passes(tf, count(tf).map(lambda i: v.assign_add(1), num_parallel_calls=1)))


@program
def map_and_batch(tf):
    v = variable(tf)
    return [sorted(batch) for batch in passes(tf, count(tf, 4).apply(tf.data.experimental.map_and_batch(lambda i: v.assign_add(1), 4, num_parallel_calls=1)), n=1)]


# --- reference variables, which are captured by value and cannot be assigned
@program
def reference_read(tf):
    v = variable(tf, 5, resource=False)
    return passes(tf, count(tf).map(lambda i: (v + i, v.read_value(), v.value(), tf.identity(v), tf.gather(tf.stack([v, v]), 0))))


@program
def reference_assign_add(tf):
    v = variable(tf, 5, resource=False)
    return passes(tf, count(tf).map(lambda i: v.assign_add(1)))


@program
def reference_assign(tf):
    v = variable(tf, 5, resource=False, dtype="int32")
    return passes(tf, count(tf).map(lambda i: tf.assign(v, 1)))


@program
def reference_in_flat_map(tf):
    v = variable(tf, 2, resource=False)
    return passes(tf, count(tf).flat_map(lambda i: tf.data.Dataset.range(v.assign_sub(1))))


# --- queues, tables, iterators, other state
@program
def dequeue(tf):
    q = tf.FIFOQueue(10, tf.int64, [[]])
    return passes(tf, count(tf).map(lambda i: q.dequeue()), before=[q.enqueue_many([[5, 6, 7]])])


@program
def dequeue_many(tf):
    q = tf.FIFOQueue(10, tf.int64, [[]])
    return passes(tf, count(tf).map(lambda i: q.dequeue_many(2)), before=[q.enqueue_many([[5, 6, 7, 8, 9, 10]])])


@program
def queue_size(tf):
    q = tf.FIFOQueue(10, tf.int64, [[]])
    return passes(tf, count(tf).map(lambda i: q.size()), before=[q.enqueue_many([[5, 6, 7]])], after=[q.dequeue()])


@program
def closed_queue(tf):
    q = tf.FIFOQueue(10, tf.int64, [[]])
    return passes(tf, count(tf, 5).map(lambda i: q.dequeue()), n=5, before=[q.enqueue_many([[5, 6, 7]]), q.close()])


@program
def enqueue(tf):
    q = tf.FIFOQueue(10, tf.int64, [[]])

    def f(i):
        with tf.control_dependencies([q.enqueue(i)]):
            return tf.identity(q.size())
    return passes(tf, count(tf).map(f))


@program
def named_components(tf):
    q = tf.FIFOQueue(10, [tf.int64, tf.int64], [[], []], names=["a", "b"])
    return passes(tf, count(tf, 2).map(lambda i: q.dequeue()["b"] + i), n=2, before=[q.enqueue_many({"a": [1, 2], "b": [3, 4]})])


@program
def table(tf):
    t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8]), -1)
    return passes(tf, tf.data.Dataset.from_tensor_slices(["a", "x", "b"]).map(lambda key: t.lookup(key)))


@program
def other_iterator(tf):
    other = tf.data.make_initializable_iterator(tf.data.Dataset.range(10, 20))
    return passes(tf, count(tf).map(lambda i: other.get_next()), before=[other.initializer])


@program
def element_of_other_iterator(tf):
    other = tf.data.make_initializable_iterator(tf.data.Dataset.range(10, 20))
    following = other.get_next()
    return passes(tf, count(tf).map(lambda i: following), before=[other.initializer])


@program
def other_one_shot_iterator(tf):
    other = tf.data.make_one_shot_iterator(tf.data.Dataset.range(10, 20))
    return passes(tf, count(tf).map(lambda i: other.get_next()))


@program
def tensor_array(tf):
    return passes(tf, count(tf).map(lambda i: tf.TensorArray(tf.int64, 2).write(0, i).write(1, i + 1).stack()))


@program
def python_function(tf):
    calls = []

    def f(x):
        calls.append(x)
        return x + len(calls) * 10
    return passes(tf, count(tf).map(lambda i: tf.py_func(f, [i], tf.int64)))


# --- one-shot iterators
ONE_SHOT = {
    "resource_variable": lambda tf: (lambda v: count(tf).map(lambda i: v.assign_add(1)))(variable(tf)),
    "reference": lambda tf: (lambda v: count(tf).map(lambda i: v + 1))(variable(tf, resource=False)),
    "reference_as_argument": lambda tf: tf.data.Dataset.range(variable(tf, 3, resource=False)),
    "placeholder": lambda tf: tf.data.Dataset.range(tf.placeholder(tf.int64, [])),
    "placeholder_in_map": lambda tf: (lambda p: count(tf).map(lambda i: i + p))(tf.placeholder(tf.int64, [])),
    "random": lambda tf: tf.data.Dataset.range(tf.random_uniform([], maxval=10, dtype=tf.int64)),
    "queue": lambda tf: (lambda q: count(tf).map(lambda i: q.dequeue()))(tf.FIFOQueue(10, tf.int64, [[]])),
    "constant": lambda tf: (lambda c: count(tf).map(lambda i: i + c))(tf.constant(7, tf.int64)),
}
for name, build in ONE_SHOT.items():
    PROGRAMS["one_shot_" + name] = lambda tf, build=build: one_shot(tf, build(tf))


# --- the state of a pass
def uniform(tf, seed=1):
    return lambda i: tf.random_uniform([], seed=seed)


SEEDED = {
    "map": lambda tf: count(tf).map(uniform(tf)),
    "parallel_map": lambda tf: count(tf).map(uniform(tf), num_parallel_calls=1),
    "both_seeds": lambda tf: (tf.set_random_seed(5), count(tf).map(uniform(tf)))[1],
    "repeat": lambda tf: count(tf).map(uniform(tf)).repeat(2),
    "flat_map": lambda tf: count(tf, 2).flat_map(lambda i: count(tf, 2).map(uniform(tf))),
    "interleave": lambda tf: count(tf, 2).interleave(lambda i: count(tf, 2).map(uniform(tf)), 2),
    "filter": lambda tf: count(tf, 20).filter(lambda i: tf.random_uniform([], seed=1) < 0.3),
    "map_and_batch": lambda tf: count(tf).apply(tf.data.experimental.map_and_batch(uniform(tf), 1, num_parallel_calls=1)),
    "two_ops": lambda tf: count(tf).map(lambda i: tf.random_uniform([], seed=1) + 10 * tf.random_uniform([], seed=2)),
    "cond": lambda tf: count(tf).map(lambda i: tf.cond(i > -1, lambda: tf.random_uniform([], seed=1), lambda: 0.0)),
    "outside": lambda tf: (lambda r: count(tf).map(lambda i: r))(tf.random_uniform([], seed=1)),
    "cache": lambda tf: count(tf).map(uniform(tf)).cache(),
    "shuffle": lambda tf: count(tf, 8).shuffle(8, seed=1),
    "shuffle_the_same": lambda tf: count(tf, 8).shuffle(8, seed=1, reshuffle_each_iteration=False),
    "shuffle_and_repeat": lambda tf: count(tf, 4).apply(tf.data.experimental.shuffle_and_repeat(8, 2, seed=1)),
    "shuffle_and_repeat_large_buffer": lambda tf: count(tf, 4).apply(tf.data.experimental.shuffle_and_repeat(1000, seed=1)),
}
for name, build in SEEDED.items():
    PROGRAMS["seeded_" + name] = lambda tf, build=build: passes(tf, build(tf), n=8, count=2, sessions=2)
# With a graph seed the values depend on the number of nodes created before. So this only checks which passes are equal.
SEEDED_BY_GRAPH = {
    "map": lambda tf: count(tf).map(uniform(tf, None)),
    "shuffle": lambda tf: count(tf).shuffle(8),
    "shuffle_the_same": lambda tf: count(tf).shuffle(8, reshuffle_each_iteration=False),
    "flat_map": lambda tf: count(tf, 1).flat_map(lambda i: count(tf).map(uniform(tf, None))),
}


def same_passes(tf, build):
    tf.set_random_seed(5)
    elements = passes(tf, build(tf), n=3, count=3, sessions=2)
    return [elements[i:i + 3] == elements[:3] for i in range(0, len(elements), 3)]


for name, build in SEEDED_BY_GRAPH.items():
    PROGRAMS["seeded_by_graph_" + name] = lambda tf, build=build: same_passes(tf, build)


@program
def seeded_reduce(tf):
    total = count(tf).reduce(0.0, lambda s, i: s * 10 + tf.random_uniform([], seed=1))
    with tf.Session() as sess:
        return plain([float(sess.run(total)) for _ in range(2)])


@program
def elements_taken_ahead(tf):
    taken = []

    def f(x):
        taken.append(x)
        return x
    result = []
    for size, repeats in ((15, None), (1000, None), (1000, 2), (1000, 5)):
        del taken[:]
        mapped = count(tf, 10).map(lambda i: tf.py_func(f, [i], tf.int64))
        result.append(passes(tf, mapped.apply(tf.data.experimental.shuffle_and_repeat(size, repeats, seed=1)), n=1) + [len(taken)])
    return result


class OnServer:
    """The library, with sessions on a server."""

    def __init__(self, tf, target):
        self.tf = tf
        self.target = target

    def __getattr__(self, name):
        return getattr(self.tf, name)

    def Session(self):
        return self.tf.Session(self.target)


def answers(tf, server=None):
    """Returns the result of each program: ["value", ...], or ["error", class, last line of the text].

    Sessions are local, or on `server`, which is reset before each program."""
    result = {}
    for name, run in PROGRAMS.items():
        if server is not None:
            tf.Session.reset(server.target)
        with tf.Graph().as_default():
            try:
                result[name] = ["value", plain(run(tf if server is None else OnServer(tf, server.target)))]
            except Exception as error:
                result[name] = ["error", type(error).__name__, [line.strip() for line in str(error).split("\n") if line.strip()][-1]]
    return result


def all_answers(tf):
    return {"local": answers(tf), "server": answers(tf, tf.train.Server.create_local_server())}
