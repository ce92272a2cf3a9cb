"""Programs with conditionals, loops, functions and TensorArrays, and gradients through them."""
import numpy as np

from both.program import Program

X = np.random.RandomState(1).uniform(-1, 1, (4, 3)).astype(np.float32)


def conditions(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    x = tf.constant(X, name="x")
    y = tf.cond(p, lambda: tf.square(x), lambda: x + 1.0)
    pair = tf.cond(p, lambda: (x * 2.0, tf.constant(1)), lambda: (x, tf.constant(2)), name="pair")
    nested = tf.cond(p, lambda: tf.cond(tf.reduce_sum(x) > 100.0, lambda: x, lambda: -x), lambda: x * 3.0, name="nested")
    return {"look": [y, *pair, nested, *tf.gradients(y, x), *tf.gradients(nested, x)],
            "feeds": [{p: np.bool_(True)}, {p: np.bool_(False)}]}


def switch_case(tf):
    i = tf.placeholder(tf.int32, [], name="i")
    y = tf.case([(tf.equal(i, 0), lambda: tf.constant(10.0)), (tf.less(i, 3), lambda: tf.constant(20.0))],
                default=lambda: tf.constant(30.0))
    return {"look": [y], "feeds": [{i: np.int32(k)} for k in (0, 1, 5)]}


def counting(tf):
    n = tf.placeholder(tf.int32, [], name="n")
    i, total = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + tf.cast(i, tf.float32)), [tf.constant(0), tf.constant(0.0)])
    return {"look": [i, total], "feeds": [{n: np.int32(k)} for k in (0, 1, 7)]}


def loop_gradient(tf):
    x = tf.constant(X, name="x")
    w = tf.constant(X.T.dot(X), name="w")
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, w))), [tf.constant(0), x], name="loop")
    return {"look": [y, *tf.gradients(tf.reduce_sum(y), [x, w])]}


def nested_loops(tf):
    x = tf.constant(1.5, name="x")

    def outer(i, s):
        _, inner = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t * x), [tf.constant(0), s])
        return i + 1, inner + x

    _, y = tf.while_loop(lambda i, s: i < 4, outer, [tf.constant(0), tf.constant(1.0)])
    return {"look": [y, *tf.gradients(y, x)]}


def condition_in_loop(tf):
    x = tf.constant(0.7, name="x")

    def body(i, s):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: s * x, lambda: s + x)

    _, y = tf.while_loop(lambda i, s: i < 5, body, [tf.constant(0), tf.constant(2.0)])
    return {"look": [y, *tf.gradients(y, x)]}


def growing_loop(tf):
    x = tf.constant([[1.0, 2.0]], name="x")
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.concat([y, y * 2.0], 0)), [tf.constant(0), x],
                         shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])])
    return {"look": [y, *tf.gradients(y, x)]}


def mapping(tf):
    x = tf.constant(X, name="x")
    y = tf.map_fn(lambda row: tf.reduce_sum(row * row), x)
    z = tf.scan(lambda total, row: total + row, x)
    left = tf.foldl(lambda a, row: a * 0.5 + row, x)
    right = tf.foldr(lambda a, row: a * 0.5 + row, x)
    return {"look": [y, z, left, right, *tf.gradients(y, x), *tf.gradients(z, x), *tf.gradients(left, x)]}


def tensor_arrays(tf):
    x = tf.constant(X, name="x")
    rows = tf.TensorArray(tf.float32, size=4).unstack(x)
    out = tf.TensorArray(tf.float32, size=4, clear_after_read=False)
    _, out = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a.write(i, tf.square(rows.read(i)))), [tf.constant(0), out])
    y = out.stack()
    return {"look": [y, *tf.gradients(y, x), out.gather([2, 0]), tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x, [1, 3]).concat()]}


def loop_with_variable(tf):
    v = tf.get_variable("v", initializer=1.0)
    with tf.control_dependencies([v.initializer]):
        start = tf.identity(0)

    def body(i):
        with tf.control_dependencies([tf.assign_add(v, tf.cast(i, tf.float32))]):
            return i + 1

    last = tf.while_loop(lambda i: i < 4, body, [start], parallel_iterations=1)
    with tf.control_dependencies([last]):
        return {"look": [tf.identity(v, name="end"), last]}


def trained_loop(tf):
    """Trains a recurrence through its loop."""
    x = tf.placeholder(tf.float32, [4, 3], name="x")
    w = tf.get_variable("w", initializer=(X.T.dot(X) / 2).astype(np.float32))
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, w))), [tf.constant(0), x])
    loss = tf.reduce_mean(tf.square(y - 0.3))
    return {"train": tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss), "look": [w, loss], "feeds": [{x: X + i / 10} for i in range(4)]}


def asserts(tf):
    x = tf.constant(X, name="x")
    with tf.control_dependencies([tf.Assert(tf.reduce_all(x < 5.0), [x]), tf.assert_less(x, 4.0), tf.assert_rank(x, 2)]):
        y = tf.identity(x)
    with tf.control_dependencies([tf.group(y, name="g")]):
        z = tf.tuple([x * 2.0, y])
    return {"look": [y, *z]}


def defun(tf):
    try:
        from tensorflow.python.framework import function
    except ImportError:
        return tf.python.framework.function.Defun
    return function.Defun


def functions(tf):
    """Trains through a function that calls another one, inside and outside a loop."""
    x = tf.placeholder(tf.float32, [4, 3], name="x")
    w = tf.get_variable("w", initializer=X.T.dot(X))

    @defun(tf)(tf.float32, tf.float32, func_name="Layer")
    def layer(a, b):
        return tf.tanh(tf.matmul(a, b))

    @defun(tf)(tf.float32, tf.float32, func_name="TwoLayers")
    def two_layers(a, b):
        return layer(layer(a, b), b)

    y = two_layers(x, w)
    y.set_shape([4, 3])
    _, z = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, tf.reshape(layer(v, w), [4, 3])), [tf.constant(0), y])
    loss = tf.reduce_mean(tf.square(y - 0.5))
    return {"train": tf.train.GradientDescentOptimizer(0.1).minimize(loss), "look": [y, z, loss, w], "feeds": [{x: X + i / 10} for i in range(3)]}


def random_numbers(tf):
    """Random ops with op seeds and a graph seed."""
    tf.set_random_seed(12)
    return {"look": [tf.random_uniform([3], seed=1), tf.random_normal([2, 3], 1.0, 0.5, seed=2), tf.truncated_normal([5], seed=3),
                     tf.random_uniform([4], 0, 9, tf.int32, seed=3), tf.random_shuffle(tf.range(8), seed=4),
                     tf.nn.dropout(tf.ones([10]), keep_prob=0.5, seed=7), tf.multinomial(tf.log([[0.2, 0.8]]), 6, seed=1)],
            "feeds": [{}] * 3}


def stopped_gradients(tf):
    """The gradient of y + stop_gradient(dy/dx), where y comes out of a loop with an array."""
    c, x = tf.constant(0.3, name="c"), tf.constant(0.5, name="x")

    def turn(i, a, b, array):
        element = tf.identity(b - c)
        return i + 1, tf.tanh(tf.stop_gradient(a) * c), element, array.write(i, element)
    array = tf.TensorArray(tf.float32, size=3, element_shape=[])
    _, a, _, array = tf.while_loop(lambda i, *_: i < 3, turn, [0, x, x, array])
    y = tf.tanh(a * tf.reduce_sum(array.stack() * 0.5))
    first = tf.gradients(y, [c, x])
    return {"look": [y, *first, *tf.gradients(y + tf.stop_gradient(tf.add_n(first)), [c, x])]}


def programs():
    for build in (conditions, switch_case, counting, loop_gradient, nested_loops, condition_in_loop, growing_loop, mapping, tensor_arrays,
                  loop_with_variable, trained_loop, stopped_gradients, functions, asserts, random_numbers):
        yield Program(build.__name__, build)
