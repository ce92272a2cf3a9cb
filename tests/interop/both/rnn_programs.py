"""Recurrent networks: values, names of variables and loops, and two training steps. TensorFlow 2.21 has the cells of
1.15 in an internal module."""
import importlib

import numpy as np

from both.program import Program


def recurrent(tf):
    """Returns tf.nn.rnn_cell and the module with dynamic_rnn."""
    if tf.__name__ == "weir":
        return tf.nn.rnn_cell, tf.nn
    return (importlib.import_module("tensorflow.python.keras.layers.legacy_rnn.rnn_cell_impl"), importlib.import_module("tensorflow.python.ops.rnn"))


CELLS = {
    "basic_rnn": lambda c: c.BasicRNNCell(4),
    "basic_lstm": lambda c: c.BasicLSTMCell(4, forget_bias=0.7),
    "basic_lstm_relu": lambda c: c.BasicLSTMCell(4, activation="relu", state_is_tuple=False),
    "lstm": lambda c: c.LSTMCell(4),
    "lstm_full": lambda c: c.LSTMCell(4, use_peepholes=True, num_proj=3, cell_clip=0.3, proj_clip=0.2),
    "gru": lambda c: c.GRUCell(4),
    "multi": lambda c: c.MultiRNNCell([c.BasicLSTMCell(4), c.GRUCell(3), c.ResidualWrapper(c.BasicRNNCell(3))]),
}


def x_of(step):
    return np.random.RandomState(step).uniform(-1, 1, (3, 5, 2)).astype(np.float32)


def plan(tf, x, outputs, state, feeds=None):
    values = [tf.identity(v, name="state") for v in tf.nest.flatten(state)]
    loss = tf.reduce_sum(tf.square(tf.identity(outputs, name="outputs"))) + tf.add_n([tf.reduce_sum(v) for v in values])
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    look = [loss, *values, *sorted(tf.global_variables(), key=lambda v: v.name)]
    return {"look": look, "train": train, "feeds": [{x: x_of(step), **(feeds or {})} for step in range(2)]}


def over_time(make, lengths=None, time_major=False, unrolled=False, unknown=False):
    def build(tf):
        cells, loops = recurrent(tf)
        x = tf.placeholder(tf.float32, [None, None, 2] if unknown else [3, 5, 2], name="x")
        feeds = {}
        given = lengths
        if unknown and lengths is not None:
            given = tf.placeholder(tf.int64, [None], name="lengths")
            feeds = {given: np.array(lengths, np.int64)}
        with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=5)):
            if unrolled:
                outputs, state = loops.static_rnn(make(cells), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=given)
                outputs = tf.stack(outputs)
            elif time_major:
                outputs, state = loops.dynamic_rnn(make(cells), tf.transpose(x, [1, 0, 2]), dtype=tf.float32, sequence_length=given, time_major=True)
            else:
                outputs, state = loops.dynamic_rnn(make(cells), x, dtype=tf.float32, sequence_length=given, swap_memory=True, parallel_iterations=4)
        return plan(tf, x, outputs, state, feeds)
    return build


def both_ways(unrolled):
    def build(tf):
        cells, loops = recurrent(tf)
        x = tf.placeholder(tf.float32, [3, 5, 2], name="x")
        with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=5)):
            if unrolled:
                outputs, *state = loops.static_bidirectional_rnn(cells.GRUCell(4), cells.GRUCell(3), tf.unstack(x, axis=1), dtype=tf.float32)
                outputs = tf.stack(outputs)
            else:
                outputs, state = loops.bidirectional_dynamic_rnn(cells.GRUCell(4), cells.GRUCell(3), x, dtype=tf.float32, sequence_length=[5, 2, 3])
                outputs = tf.concat(outputs, 2)
        return plan(tf, x, outputs, state)
    return build


def run_raw_rnn(pattern, unknown=False):
    """raw_rnn with a loop function that chooses the next input at every time step."""
    def build(tf):
        cells, loops = recurrent(tf)
        x = tf.placeholder(tf.float32, [None, None, 2] if unknown else [3, 5, 2], name="x")
        rows = tf.TensorArray(tf.float32, 5).unstack(tf.transpose(x, [1, 0, 2]))
        lengths = tf.constant([5, 2, 4])
        cell = cells.GRUCell(4)

        def next_step(time, output, state, loop_state):
            emit = output
            if output is None:
                state = cell.zero_state(3, tf.float32)
                loop_state = (tf.zeros([3, 4]), tf.constant(0))
                emit = None if pattern is None else (tf.zeros([4]), tf.zeros([], tf.int32))
            else:
                loop_state = (loop_state[0] + output, loop_state[1] + 1)
                if pattern is not None:
                    emit = (output * 2, tf.fill([3], time))
            finished = time >= lengths
            ended = tf.reduce_all(finished)
            row = tf.cond(ended, lambda: tf.zeros([3, 2]), lambda: rows.read(time))
            row.set_shape([3, 2])
            return finished, row, state, emit, loop_state

        with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=5)):
            emitted, state, (total, count) = loops.raw_rnn(cell, next_step)
        outputs = emitted.stack() if pattern is None else emitted[0].stack() + tf.cast(emitted[1].stack(), tf.float32)[:, :, None]
        return plan(tf, x, outputs, [state, total + tf.cast(count, tf.float32)])
    return build


def programs():
    yield Program("rnn_steered", run_raw_rnn(None))
    yield Program("rnn_steered_emitting", run_raw_rnn("pair"))
    yield Program("rnn_steered_unknown_sizes", run_raw_rnn(None, unknown=True))
    for name, make in CELLS.items():
        yield Program(f"rnn_{name}", over_time(make))
        yield Program(f"rnn_{name}_lengths", over_time(make, lengths=[5, 0, 3]))
    yield Program("rnn_time_major", over_time(CELLS["gru"], lengths=[1, 4, 3], time_major=True))
    yield Program("rnn_unknown_sizes", over_time(CELLS["basic_lstm"], lengths=[2, 4, 3], unknown=True))
    yield Program("rnn_unrolled", over_time(CELLS["lstm_full"], unrolled=True))
    yield Program("rnn_unrolled_lengths", over_time(CELLS["multi"], lengths=[2, 4, 3], unrolled=True))
    yield Program("rnn_both_ways", both_ways(False))
    yield Program("rnn_both_ways_unrolled", both_ways(True))
