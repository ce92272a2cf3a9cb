"""Random graphs from a seed: ops on a pool of tensors, with branches, loops, functions, variables and random numbers.

Every step uses tensors of the pool and adds its result to it, so any prefix of the steps is a graph too.
"""
import numpy as np
from tensorflow.python.framework import function

from oracle.tensorflow1 import tf

FLOATS = (tf.float32, tf.float64)
# Tensors with more elements are not used again.
MOST_ELEMENTS = 400


class GraphMaker:
    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)
        self.dtype = FLOATS[self.rng.randint(2)]
        self.pool, self.feeds, self.steps = [], {}, []
        for i in range(self.rng.randint(1, 4)):
            shape = tuple(int(d) for d in self.rng.randint(1, 5, self.rng.randint(0, 4)))
            array = self.rng.uniform(-2, 2, shape).astype(self.dtype.as_numpy_dtype)
            static = [None if self.rng.rand() < 0.3 else d for d in shape]
            x = tf.placeholder(self.dtype, static if self.rng.rand() < 0.8 else None, name="in%d" % i)
            self.feeds[x] = array
            self.pool.append((x, shape))

    def pick(self, at_least=0):
        fitting = [entry for entry in self.pool if len(entry[1]) >= at_least and np.prod(entry[1]) <= MOST_ELEMENTS]
        return fitting[self.rng.randint(len(fitting))] if fitting else (None, None)

    def add(self, x, shape):
        """Adds a tensor to the pool. Often applies tanh first, so that values stay small in long chains."""
        if self.rng.rand() < 0.4:
            x = tf.tanh(x)
        self.pool.append((x, tuple(int(d) for d in shape)))

    def step(self):
        kinds = [self.unary, self.unary, self.binary, self.binary, self.reduction, self.reshaped, self.transposed, self.joined, self.cut, self.taken,
                 self.product, self.selected, self.ordered, self.branch, self.loop, self.called, self.variable, self.drawn, self.through_ints, self.accumulated]
        kind = kinds[self.rng.randint(len(kinds))]
        self.steps.append(kind.__name__)
        kind()

    def unary(self):
        x, shape = self.pick()
        ops = [tf.tanh, tf.sigmoid, tf.square, tf.nn.relu, tf.nn.softplus, tf.abs, tf.negative, tf.sin, tf.cos, tf.nn.elu, tf.floor, tf.sign, tf.atan,
               lambda v: tf.exp(tf.minimum(v, 2)), lambda v: tf.sqrt(tf.abs(v) + 1), lambda v: tf.log(tf.square(v) + 1), tf.identity, tf.stop_gradient]
        self.add(ops[self.rng.randint(len(ops))](x), shape)

    def binary(self):
        (x, a), (y, b) = self.pick(), self.pick()
        try:
            shape = np.broadcast_shapes(a, b)
        except ValueError:
            return self.unary()
        ops = [tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.squared_difference, lambda u, v: u / (tf.square(v) + 1), lambda u, v: u + v, tf.atan2]
        self.add(ops[self.rng.randint(len(ops))](x, y), shape)

    def reduction(self):
        x, shape = self.pick(1)
        if x is None:
            return self.unary()
        axis, keep = int(self.rng.randint(len(shape))), bool(self.rng.randint(2))
        op = [tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_logsumexp][self.rng.randint(5)]
        self.add(op(x, axis, keepdims=keep), shape[:axis] + ((1,) if keep else ()) + shape[axis + 1:])

    def reshaped(self):
        x, shape = self.pick()
        size = int(np.prod(shape))
        choice = self.rng.randint(4)
        if choice == 0:
            self.add(tf.reshape(x, [-1]), (size,))
        elif choice == 1:
            first = next(d for d in (3, 2, 1) if size % d == 0)
            self.add(tf.reshape(x, [first, -1]), (first, size // first))
        elif choice == 2:
            self.add(tf.expand_dims(x, 0), (1,) + shape)
        else:
            self.add(tf.reshape(x, tf.reverse(tf.shape(x), [0])), shape[::-1])

    def transposed(self):
        x, shape = self.pick(2)
        if x is None:
            return self.unary()
        order = [int(i) for i in self.rng.permutation(len(shape))]
        self.add(tf.transpose(x, order), [shape[i] for i in order])

    def joined(self):
        x, shape = self.pick(1)
        if x is None:
            x, shape = self.pick()
            return self.add(tf.stack([x, x * 0.5]), (2,) + shape)
        axis = int(self.rng.randint(len(shape)))
        wider = list(shape)
        if self.rng.rand() < 0.5:
            wider[axis] *= 2
            self.add(tf.concat([x, -x], axis), wider)
        else:
            wider.insert(axis, 2)
            self.add(tf.stack([x, x * 0.5], axis), wider)

    def cut(self):
        x, shape = self.pick(1)
        if x is None:
            return self.unary()
        axis = int(self.rng.randint(len(shape)))
        index = [slice(None)] * len(shape)
        index[axis] = [slice(None, None, -1), slice(0, max(1, shape[axis] - 1)), slice(0, None, 2), int(self.rng.randint(shape[axis]))][self.rng.randint(4)]
        self.add(x[tuple(index)], np.empty(shape)[tuple(index)].shape)

    def taken(self):
        x, shape = self.pick(1)
        if x is None:
            return self.unary()
        axis = int(self.rng.randint(len(shape)))
        rows = self.rng.randint(0, shape[axis], 3).astype(np.int32)
        self.add(tf.gather(x, rows, axis=axis), shape[:axis] + (3,) + shape[axis + 1:])

    def product(self):
        x, shape = self.pick(2)
        if x is None or len(shape) != 2:
            return self.binary()
        self.add(tf.matmul(x, x, transpose_b=True) / shape[1], (shape[0], shape[0]))

    def selected(self):
        x, shape = self.pick()
        self.add(tf.where(x > 0, x, x * 0.1), shape)

    def ordered(self):
        """Adds an identity with a control dependency on another tensor."""
        (x, shape), (y, _) = self.pick(), self.pick()
        with tf.control_dependencies([y]):
            self.add(tf.identity(x), shape)

    def branch(self):
        """Adds a cond. The threshold is not 0, where a sum that cancels would depend on rounding."""
        (x, shape), (y, _) = self.pick(), self.pick()
        self.add(tf.cond(tf.reduce_sum(y) > 0.371, lambda: tf.tanh(x) * 2, lambda: x - 1), shape)

    def loop(self):
        x, shape = self.pick()
        count = int(self.rng.randint(0, 4))
        _, y = tf.while_loop(lambda i, v: i < count, lambda i, v: (i + 1, tf.sin(v) + x), [tf.constant(0), x],
                             shape_invariants=[tf.TensorShape([]), x.shape if x.shape.is_fully_defined() else tf.TensorShape(None)])
        self.add(y, shape)

    def called(self):
        (x, a), (y, b) = self.pick(), self.pick()
        if a != b:
            y = x
        name = "Called%d" % len(self.steps)

        @function.Defun(self.dtype, self.dtype, func_name=name)
        def body(u, v):
            return tf.tanh(u) * v + u

        result = body(x, y)
        result.set_shape(x.shape)
        self.add(result, a)

    def variable(self):
        """Adds a variable that is assigned and read in the same step."""
        x, shape = self.pick()
        v = tf.raw_ops.VariableV2(shape=list(shape), dtype=self.dtype, shared_name="v%d" % len(self.steps))
        v = tf.assign_add(tf.assign(v, tf.stop_gradient(x), validate_shape=False), tf.ones(shape, self.dtype))
        self.add(tf.identity(v), shape)

    def drawn(self):
        x, shape = self.pick()
        seed = int(self.rng.randint(1, 1000))
        draw = [tf.random_uniform, tf.random_normal, tf.truncated_normal][self.rng.randint(3)]
        self.add(x + draw(tf.shape(x), dtype=self.dtype, seed=seed), shape)

    def through_ints(self):
        x, shape = self.pick()
        kind = [tf.int32, tf.int64, tf.int16, tf.uint8][self.rng.randint(4)]
        whole = tf.cast(tf.abs(tf.clip_by_value(x, -9, 9)) * 3, kind)
        self.add(tf.cast(tf.floormod(whole + tf.cast(1, kind), tf.cast(3, kind)), self.dtype), shape)

    def accumulated(self):
        x, shape = self.pick(1)
        if x is None:
            return self.unary()
        self.add(tf.cumsum(x, int(self.rng.randint(len(shape)))), shape)


def build(seed):
    """Returns (graph maker, outputs); the outputs are the last tensors of the pool."""
    maker = GraphMaker(seed)
    for _ in range(maker.rng.randint(4, 25)):
        maker.step()
    return maker, [x for x, _ in maker.pool[-3:]]
