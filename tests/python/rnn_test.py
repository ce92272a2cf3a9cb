"""Tests recurrent cells against numpy, dynamic loops against unrolled ones, and gradients against finite
differences."""
import copy
import hashlib

import numpy as np
import pytest

import weir as tf
from evaluation import evaluate

CELLS = tf.nn.rnn_cell


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def inputs(batch=3, time=5, depth=2, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, (batch, time, depth)).astype(np.float32)


def names():
    return [v.op.name for v in tf.global_variables()]


def lstm(x, c, h, kernel, bias, forget_bias=1.0, peepholes=None, projection=None, clip=None):
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ kernel + bias, 4, 1)
    wf, wi, wo = peepholes if peepholes is not None else (0, 0, 0)
    c = sigmoid(f + forget_bias + wf * c) * c + sigmoid(i + wi * c) * np.tanh(j)
    if clip is not None:
        c = np.clip(c, -clip, clip)
    h = sigmoid(o + wo * c) * np.tanh(c)
    return c, h if projection is None else h @ projection


def gru(x, h, gates, gate_bias, candidate, candidate_bias):
    r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ gates + gate_bias), 2, 1)
    return u * h + (1 - u) * np.tanh(np.concatenate([x, r * h], 1) @ candidate + candidate_bias)


def over_time(step, x, state, lengths=None):
    """Returns all outputs and the last state. A state is a tuple whose last part is the output."""
    outputs = np.zeros(x.shape[:2] + state[-1].shape[1:], np.float32)
    for t in range(x.shape[1]):
        after = step(x[:, t], *state)
        going = np.ones(len(x), bool) if lengths is None else t < np.asarray(lengths)
        outputs[going, t] = after[-1][going]
        state = tuple(np.where(going[:, None], new, old) for new, old in zip(after, state))
    return outputs, state


def test_basic_rnn():
    x = inputs()
    outputs, state = tf.nn.dynamic_rnn(CELLS.BasicRNNCell(4), tf.constant(x), dtype=tf.float32)
    assert names() == ["rnn/basic_rnn_cell/kernel", "rnn/basic_rnn_cell/bias"]
    assert outputs.shape.as_list() == [3, 5, 4] and state.shape.as_list() == [3, 4]
    y, last, kernel, bias = evaluate([outputs, state] + tf.global_variables())
    wanted, (h,) = over_time(lambda x, h: (np.tanh(np.concatenate([x, h], 1) @ kernel + bias),), x, (np.zeros((3, 4)),))
    np.testing.assert_allclose(y, wanted, atol=1e-5)
    np.testing.assert_allclose(last, h, atol=1e-5)


@pytest.mark.parametrize("lengths", [None, [5, 2, 0], [3, 1, 2]])
@pytest.mark.parametrize("unrolled", [False, True])
def test_basic_lstm(lengths, unrolled):
    x = inputs()
    cell = CELLS.BasicLSTMCell(4, forget_bias=0.5)
    if unrolled:
        outputs, state = tf.nn.static_rnn(cell, tf.unstack(tf.constant(x), axis=1), dtype=tf.float32, sequence_length=lengths)
        outputs = tf.stack(outputs, 1)
    else:
        outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(x), dtype=tf.float32, sequence_length=lengths)
    assert names() == ["rnn/basic_lstm_cell/kernel", "rnn/basic_lstm_cell/bias"]
    assert isinstance(state, CELLS.LSTMStateTuple)
    y, last, kernel, bias = evaluate([outputs, state] + tf.global_variables())
    assert kernel.shape == (6, 16) and not bias.any()
    wanted, (c, h) = over_time(lambda x, c, h: lstm(x, c, h, kernel, bias, 0.5), x, (np.zeros((3, 4)), np.zeros((3, 4))), lengths)
    np.testing.assert_allclose(y, wanted, atol=1e-5)
    np.testing.assert_allclose(last.c, c, atol=1e-5)
    np.testing.assert_allclose(last.h, h, atol=1e-5)


def test_lstm_with_peepholes_projection_and_clipping():
    x = inputs()
    cell = CELLS.LSTMCell(4, use_peepholes=True, num_proj=3, cell_clip=0.2, initializer=tf.random_uniform_initializer(-1, 1, seed=4))
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(x), dtype=tf.float32)
    assert names() == ["rnn/lstm_cell/" + n for n in ("kernel", "bias", "w_f_diag", "w_i_diag", "w_o_diag", "projection/kernel")]
    assert cell.output_size == 3 and cell.state_size == (4, 3)
    y, last, kernel, bias, *diagonals, projection = evaluate([outputs, state] + tf.global_variables())
    wanted, (c, h) = over_time(lambda x, c, h: lstm(x, c, h, kernel, bias, 1.0, diagonals, projection, 0.2), x,
                               (np.zeros((3, 4)), np.zeros((3, 3))))
    assert np.abs(c).max() <= 0.2 + 1e-6
    np.testing.assert_allclose(y, wanted, atol=1e-5)
    np.testing.assert_allclose(last.h, h, atol=1e-5)


def test_each_gate_has_its_own_peephole():
    x, start = inputs(), np.random.RandomState(3).uniform(-1, 1, (2, 3, 4)).astype(np.float32)
    tf.set_random_seed(4)  # each variable gets different numbers
    cell = CELLS.LSTMCell(4, use_peepholes=True, initializer=tf.random_uniform_initializer(-1, 1, seed=4))
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(x), initial_state=CELLS.LSTMStateTuple(*map(tf.constant, start)))
    y, last, kernel, bias, *diagonals = evaluate([outputs, state] + tf.global_variables())
    wanted, (c, h) = over_time(lambda x, c, h: lstm(x, c, h, kernel, bias, 1.0, diagonals), x, tuple(start))
    np.testing.assert_allclose(y, wanted, atol=1e-5)
    np.testing.assert_allclose(last.c, c, atol=1e-5)


@pytest.mark.parametrize("forget_bias", [0.0, 2.5])
def test_forget_bias(forget_bias):
    x = inputs()
    outputs, state = tf.nn.dynamic_rnn(CELLS.LSTMCell(4, forget_bias=forget_bias), tf.constant(x), dtype=tf.float32)
    y, last, kernel, bias = evaluate([outputs, state] + tf.global_variables())
    wanted, (c, h) = over_time(lambda x, c, h: lstm(x, c, h, kernel, bias, forget_bias), x, (np.zeros((3, 4)), np.zeros((3, 4))))
    np.testing.assert_allclose(y, wanted, atol=1e-5)
    np.testing.assert_allclose(last.c, c, atol=1e-5)


def test_projection_clip():
    outputs, _ = tf.nn.dynamic_rnn(CELLS.LSTMCell(4, num_proj=3, proj_clip=0.01), tf.constant(inputs() * 5), dtype=tf.float32)
    y = evaluate(outputs)
    assert np.abs(y).max() == np.float32(0.01)


@pytest.mark.parametrize("lengths", [None, [1, 4, 2]])
def test_gru(lengths):
    x = inputs()
    outputs, state = tf.nn.dynamic_rnn(CELLS.GRUCell(4), tf.constant(x), dtype=tf.float32, sequence_length=lengths)
    assert names() == ["rnn/gru_cell/" + n for n in ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")]
    y, last, *weights = evaluate([outputs, state] + tf.global_variables())
    assert (weights[1] == 1).all() and (weights[3] == 0).all()
    wanted, (h,) = over_time(lambda x, h: (gru(x, h, *weights),), x, (np.zeros((3, 4)),), lengths)
    np.testing.assert_allclose(y, wanted, atol=1e-5)
    np.testing.assert_allclose(last, h, atol=1e-5)


def test_state_in_one_tensor():
    x = inputs()
    outputs, state = tf.nn.dynamic_rnn(CELLS.BasicLSTMCell(4, state_is_tuple=False), tf.constant(x), dtype=tf.float32)
    y, last, kernel, bias = evaluate([outputs, state] + tf.global_variables())
    wanted, (c, h) = over_time(lambda x, c, h: lstm(x, c, h, kernel, bias), x, (np.zeros((3, 4)), np.zeros((3, 4))))
    np.testing.assert_allclose(last, np.concatenate([c, h], 1), atol=1e-5)
    np.testing.assert_allclose(y, wanted, atol=1e-5)


def test_time_major_and_unknown_sizes():
    x = inputs()
    cell = CELLS.GRUCell(4)
    fed = tf.placeholder(tf.float32, [None, None, 2])
    outputs, state = tf.nn.dynamic_rnn(cell, fed, dtype=tf.float32)
    turned, last = tf.nn.dynamic_rnn(cell, tf.transpose(fed, [1, 0, 2]), dtype=tf.float32, time_major=True, scope="again")
    assert outputs.shape.as_list() == [None, None, 4] and state.shape.as_list() == [None, 4]
    assert len(names()) == 4  # the cell reuses its variables
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for n in (5, 1):
            a, b, c, d = sess.run([outputs, turned, state, last], {fed: x[:, :n]})
            np.testing.assert_allclose(a, b.swapaxes(0, 1), atol=1e-6)
            np.testing.assert_allclose(c, d, atol=1e-6)
            np.testing.assert_allclose(a[:, -1], c, atol=1e-6)
        assert sess.run(outputs, {fed: x[:0]}).shape == (0, 5, 4)


def test_zero_time_steps():
    outputs, state = tf.nn.dynamic_rnn(CELLS.GRUCell(4), tf.placeholder_with_default(inputs(time=0), [3, None, 2]), dtype=tf.float32)
    y, last = evaluate([outputs, state])
    assert y.shape == (3, 0, 4) and last.shape == (3, 4) and not last.any()


def test_only_empty_sequences():
    fed, lengths, start = tf.placeholder(tf.float32, [None, None, 2]), tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None, 4])
    outputs, state = tf.nn.dynamic_rnn(CELLS.GRUCell(4), fed, initial_state=start, sequence_length=lengths)
    before = np.random.RandomState(1).rand(3, 4).astype(np.float32)
    y, last = evaluate([outputs, state], {fed: inputs(), lengths: [0, 0, 0], start: before})
    assert y.shape == (3, 5, 4) and not y.any()
    np.testing.assert_array_equal(last, before)


def test_several_layers():
    x = inputs()
    cell = CELLS.MultiRNNCell([CELLS.BasicLSTMCell(4), CELLS.GRUCell(3)])
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(x), dtype=tf.float32)
    assert names() == ["rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel", "rnn/multi_rnn_cell/cell_0/basic_lstm_cell/bias"] + [
        "rnn/multi_rnn_cell/cell_1/gru_cell/" + n for n in ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")]
    assert [v.op.name for v in cell.trainable_variables] == names()
    y, last, kernel, bias, *weights = evaluate([outputs, state] + tf.global_variables())
    lower, _ = over_time(lambda x, c, h: lstm(x, c, h, kernel, bias), x, (np.zeros((3, 4)), np.zeros((3, 4))))
    wanted, (h,) = over_time(lambda x, h: (gru(x, h, *weights),), lower, (np.zeros((3, 3)),))
    np.testing.assert_allclose(y, wanted, atol=1e-5)
    np.testing.assert_allclose(last[1], h, atol=1e-5)
    np.testing.assert_allclose(last[0].h, lower[:, -1], atol=1e-5)


def test_initial_state_and_dtype():
    x = inputs().astype(np.float64)
    cell = CELLS.BasicRNNCell(4)
    start = tf.constant(np.full((3, 4), 0.5))
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(x), initial_state=start)
    assert outputs.dtype == tf.float64 and tf.global_variables()[0].dtype.base_dtype == tf.float64
    y, kernel, bias = evaluate([outputs] + tf.global_variables())
    wanted, _ = over_time(lambda x, h: (np.tanh(np.concatenate([x, h], 1) @ kernel + bias),), x, (np.full((3, 4), 0.5),))
    np.testing.assert_allclose(y, wanted, atol=1e-6)
    with pytest.raises(ValueError, match="you must give a dtype"):
        tf.nn.dynamic_rnn(CELLS.BasicRNNCell(4, name="other"), tf.constant(x))


@pytest.mark.parametrize("make", [lambda: CELLS.BasicRNNCell(3), lambda: CELLS.GRUCell(3), lambda: CELLS.BasicLSTMCell(3),
                                  lambda: CELLS.LSTMCell(3, use_peepholes=True, num_proj=2),
                                  lambda: CELLS.MultiRNNCell([CELLS.GRUCell(3), CELLS.BasicRNNCell(2)])])
@pytest.mark.parametrize("unrolled", [False, True])
def test_gradients(make, unrolled):
    x = inputs(batch=2, time=4).astype(np.float64)
    fed = tf.placeholder(tf.float64, [2, 4, 2])
    with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=3)):
        if unrolled:
            outputs, state = tf.nn.static_rnn(make(), tf.unstack(fed, axis=1), dtype=tf.float64, sequence_length=[4, 2])
            outputs = tf.stack(outputs, 1)
        else:
            outputs, state = tf.nn.dynamic_rnn(make(), fed, dtype=tf.float64, sequence_length=[4, 2])
    loss = tf.reduce_sum(tf.square(outputs)) + tf.add_n([tf.reduce_sum(tf.sin(s)) for s in tf.nest.flatten(state)])
    kernel = tf.trainable_variables()[0]
    grads = tf.gradients(loss, [fed, kernel])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        of_x, of_kernel = sess.run(grads, {fed: x})
        value = sess.run(kernel)
        for array, grad, run in ((x, of_x, lambda a: sess.run(loss, {fed: a})), (value, of_kernel, lambda a: sess.run(loss, {fed: x, kernel: a}))):
            for index in [tuple(np.random.RandomState(i).randint(array.shape)) for i in range(6)]:
                moved = [array.copy(), array.copy()]
                moved[0][index] += 1e-5
                moved[1][index] -= 1e-5
                np.testing.assert_allclose(grad[index], (run(moved[0]) - run(moved[1])) / 2e-5, rtol=1e-5, atol=1e-8)
        # Inputs after the end of a sequence have no influence.
        assert not of_x[1, 2:].any() and of_x[1, :2].all()


def test_bidirectional():
    x, lengths = inputs(), [5, 2, 3]
    (fw, bw), (last_fw, last_bw) = tf.nn.bidirectional_dynamic_rnn(CELLS.BasicRNNCell(4), CELLS.BasicRNNCell(3), tf.constant(x), dtype=tf.float32,
                                                                   sequence_length=lengths)
    assert names() == ["bidirectional_rnn/fw/basic_rnn_cell/kernel", "bidirectional_rnn/fw/basic_rnn_cell/bias",
                       "bidirectional_rnn/bw/basic_rnn_cell/kernel", "bidirectional_rnn/bw/basic_rnn_cell/bias"]
    a, b, h_fw, h_bw, kernel, bias, back, back_bias = evaluate([fw, bw, last_fw, last_bw] + tf.global_variables())
    wanted, (h,) = over_time(lambda x, h: (np.tanh(np.concatenate([x, h], 1) @ kernel + bias),), x, (np.zeros((3, 4)),), lengths)
    np.testing.assert_allclose(a, wanted, atol=1e-5)
    np.testing.assert_allclose(h_fw, h, atol=1e-5)
    turned = x.copy()
    for row, n in zip(turned, lengths):
        row[:n] = row[:n][::-1].copy()
    wanted, (h,) = over_time(lambda x, h: (np.tanh(np.concatenate([x, h], 1) @ back + back_bias),), turned, (np.zeros((3, 3)),), lengths)
    for row, n in zip(wanted, lengths):
        row[:n] = row[:n][::-1].copy()
    np.testing.assert_allclose(b, wanted, atol=1e-5)
    np.testing.assert_allclose(h_bw, h, atol=1e-5)


@pytest.mark.parametrize("unrolled", [False, True])
def test_bidirectional_from_given_states(unrolled):
    x, (start, end) = inputs(), np.random.RandomState(2).rand(2, 3, 4).astype(np.float32)
    cells = CELLS.BasicRNNCell(4), CELLS.BasicRNNCell(4)
    states = {"initial_state_fw": tf.constant(start), "initial_state_bw": tf.constant(end)}
    if unrolled:
        _, last_fw, last_bw = tf.nn.static_bidirectional_rnn(*cells, tf.unstack(tf.constant(x), axis=1), **states)
    else:
        _, (last_fw, last_bw) = tf.nn.bidirectional_dynamic_rnn(*cells, tf.constant(x), **states)
    a, b, kernel, bias, back, back_bias = evaluate([last_fw, last_bw] + tf.global_variables())
    _, (h,) = over_time(lambda x, h: (np.tanh(np.concatenate([x, h], 1) @ kernel + bias),), x, (start,))
    np.testing.assert_allclose(a, h, atol=1e-5)
    _, (h,) = over_time(lambda x, h: (np.tanh(np.concatenate([x, h], 1) @ back + back_bias),), x[:, ::-1], (end,))
    np.testing.assert_allclose(b, h, atol=1e-5)


@pytest.mark.parametrize("lengths", [None, [5, 2, 3]])
def test_bidirectional_in_the_order_of_time(lengths):
    x = tf.constant(inputs())
    cells = CELLS.BasicRNNCell(4), CELLS.BasicRNNCell(3)
    outputs, states = tf.nn.bidirectional_dynamic_rnn(*cells, x, dtype=tf.float32, sequence_length=lengths)
    turned, last = tf.nn.bidirectional_dynamic_rnn(*cells, tf.transpose(x, [1, 0, 2]), dtype=tf.float32, sequence_length=lengths, time_major=True,
                                                   scope="again")
    a, b, c, d = evaluate([tf.concat(outputs, 2), tf.concat(turned, 2), states, last])
    np.testing.assert_allclose(a, b.swapaxes(0, 1), atol=1e-6)
    for one, other in zip(c, d):
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("lengths", [None, [5, 2, 3]])
def test_unrolled_bidirectional_is_the_same(lengths):
    x = tf.constant(inputs())
    forward, backward = CELLS.GRUCell(4), CELLS.GRUCell(3)
    outputs, last_fw, last_bw = tf.nn.static_bidirectional_rnn(forward, backward, tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=lengths)
    both, (fw, bw) = tf.nn.bidirectional_dynamic_rnn(forward, backward, x, dtype=tf.float32, sequence_length=lengths, scope="again")
    assert len(names()) == 8
    a, b, c, d, e, f = evaluate([tf.stack(outputs, 1), tf.concat(both, 2), last_fw, fw, last_bw, bw])
    np.testing.assert_allclose(a, b, atol=1e-6)
    np.testing.assert_allclose(c, d, atol=1e-6)
    np.testing.assert_allclose(e, f, atol=1e-6)


class Adding(tf.nn.rnn_cell.RNNCell):
    """A user-defined cell with nested outputs and states, and a variable from get_variable."""

    @property
    def state_size(self):
        return {"count": 1, "sums": (2, tf.TensorShape([2]))}

    @property
    def output_size(self):
        return (2, 1)

    def call(self, inputs, state):
        scale = tf.get_variable("scale", [], initializer=tf.constant_initializer(2.0))
        first, second = state["sums"]
        after = {"count": state["count"] + 1, "sums": (first + inputs, second + scale * inputs)}
        return (after["sums"][1], after["count"]), after


@pytest.mark.parametrize("unrolled", [False, True])
def test_cells_of_users(unrolled):
    x = inputs()
    cell = Adding()
    if unrolled:
        outputs, state = tf.nn.static_rnn(cell, tf.unstack(tf.constant(x), axis=1), dtype=tf.float32)
        outputs = [tf.stack(part, 1) for part in zip(*outputs)]
    else:
        outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(x), dtype=tf.float32, sequence_length=[5, 5, 5])
    assert names() == ["rnn/adding/scale"] and [v.op.name for v in cell.trainable_weights] == names()
    (sums, count), last = evaluate([outputs, state])
    np.testing.assert_allclose(sums, 2 * np.cumsum(x, 1), atol=1e-5)
    np.testing.assert_allclose(count[:, :, 0], np.tile(np.arange(1, 6), (3, 1)))
    np.testing.assert_allclose(last["sums"][0], x.sum(1), atol=1e-5)


def test_variables_of_a_derived_cell():
    class Renamed(CELLS.LSTMCell):
        def add_weight(self, name, *args, **kwargs):
            return super().add_weight("my_" + name, *args, **kwargs)

    cell = copy.deepcopy(Renamed(3, use_peepholes=True, num_proj=2))
    tf.nn.dynamic_rnn(cell, tf.constant(inputs()), dtype=tf.float32)
    assert names() == ["rnn/renamed/my_" + name for name in ("kernel", "bias", "w_f_diag", "w_i_diag", "w_o_diag", "projection/kernel")]
    assert cell.weights == tf.global_variables()


def test_a_cell_of_the_old_kind():
    class Counting(tf.nn.rnn_cell.RNNCell):
        def __init__(self):
            pass

        state_size = output_size = 1

        def __call__(self, inputs, state, scope=None):
            with tf.variable_scope(scope or type(self).__name__):
                step = tf.get_variable("step", [], initializer=tf.ones_initializer())
                return state + step, state + step

    outputs, _ = tf.nn.dynamic_rnn(Counting(), tf.constant(inputs()), dtype=tf.float32)
    assert names() == ["rnn/Counting/step"]
    np.testing.assert_array_equal(evaluate(outputs)[0, :, 0], [1, 2, 3, 4, 5])


def test_errors_of_cells_reach_the_caller():
    class Broken(Adding):
        def call(self, inputs, state):
            raise KeyError("mine")

    class Short(Adding):
        def call(self, inputs, state):
            return inputs, state

    with pytest.raises(KeyError, match="mine"):
        tf.nn.dynamic_rnn(Broken(), tf.constant(inputs()), dtype=tf.float32)
    with pytest.raises((ValueError, TypeError)):
        tf.nn.dynamic_rnn(Short(), tf.constant(inputs()), dtype=tf.float32)
    with pytest.raises(TypeError, match="not an RNNCell"):
        tf.nn.dynamic_rnn(object(), tf.constant(inputs()), dtype=tf.float32)
    with pytest.raises(ValueError, match="rank at least"):
        tf.nn.dynamic_rnn(CELLS.GRUCell(2), tf.zeros([3]), dtype=tf.float32)
    with pytest.raises(ValueError, match="sequence_length"):
        tf.nn.dynamic_rnn(CELLS.GRUCell(2), tf.constant(inputs()), dtype=tf.float32, sequence_length=[1, 2])
    with pytest.raises(ValueError, match="vector of length batch_size"):
        tf.nn.dynamic_rnn(CELLS.GRUCell(2), tf.constant(inputs()), dtype=tf.float32, sequence_length=3)
    with pytest.raises(ValueError, match="shape inference"):
        tf.nn.dynamic_rnn(CELLS.GRUCell(2), tf.placeholder(tf.float32, [3, 4, None]), dtype=tf.float32)
    with pytest.raises(ValueError, match="empty"):
        tf.nn.static_rnn(CELLS.GRUCell(2), [], dtype=tf.float32)


def test_lengths_are_checked_when_run():
    lengths = tf.placeholder(tf.int32, [None])
    outputs, _ = tf.nn.dynamic_rnn(CELLS.GRUCell(2), tf.constant(inputs()), dtype=tf.float32, sequence_length=lengths)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        y = sess.run(outputs, {lengths: [0, 9, 1]})
        assert not y[0].any() and y[1].any(1).all() and y[2, 0].any() and not y[2, 1:].any()
        with pytest.raises(tf.errors.InvalidArgumentError, match="sequence_length"):
            sess.run(outputs, {lengths: [1, 2]})


def test_variables_are_shared_only_on_purpose():
    x = tf.constant(inputs())
    tf.nn.dynamic_rnn(CELLS.GRUCell(4), x, dtype=tf.float32)
    with pytest.raises(ValueError, match="already exists"):
        tf.nn.dynamic_rnn(CELLS.GRUCell(4), x, dtype=tf.float32)
    with tf.variable_scope("rnn", reuse=True) as scope:
        tf.nn.dynamic_rnn(CELLS.GRUCell(4), x, dtype=tf.float32, scope=scope)
    assert len(names()) == 4


def test_cells_called_directly():
    cell = CELLS.BasicLSTMCell(4)
    state = cell.zero_state(3, tf.float32)
    first, state = cell(tf.constant(inputs()[:, 0]), state)
    second, state = cell(tf.constant(inputs()[:, 1]), state)
    looped, _ = tf.nn.dynamic_rnn(cell, tf.constant(inputs()[:, :2]), dtype=tf.float32)
    assert names() == ["basic_lstm_cell/kernel", "basic_lstm_cell/bias"]
    assert first.op.name == "basic_lstm_cell/Mul_2" and state.c.op.name == "basic_lstm_cell/Add_3"
    a, b, both = evaluate([first, second, looped])
    np.testing.assert_allclose(np.stack([a, b], 1), both, atol=1e-6)


def test_dropout_wrapper():
    x = tf.ones([200, 3, 2])
    cell = CELLS.DropoutWrapper(CELLS.BasicRNNCell(4, activation=lambda v: tf.zeros_like(v) + 1), output_keep_prob=0.5, seed=7)
    outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    y, last = evaluate([outputs, state])
    assert set(np.unique(y)) == {0.0, 2.0} and 0.4 < (y == 0).mean() < 0.6
    assert (last == 1).all()
    assert names() == ["rnn/basic_rnn_cell/kernel", "rnn/basic_rnn_cell/bias"]
    with pytest.raises(ValueError, match="between 0 and 1"):
        CELLS.DropoutWrapper(CELLS.BasicRNNCell(4), input_keep_prob=1.5)


def test_dropout_of_states_leaves_memory_alone():
    cell = CELLS.DropoutWrapper(CELLS.BasicLSTMCell(50), state_keep_prob=tf.constant(0.5), seed=1)
    _, state = tf.nn.static_rnn(cell, [tf.ones([20, 2])], dtype=tf.float32)
    last = evaluate(state)
    assert (last.c != 0).all() and 0.3 < (last.h == 0).mean() < 0.7


def test_dropout_seeds_each_tensor():
    cell = CELLS.DropoutWrapper(CELLS.BasicLSTMCell(2), 0.5, 0.5, 0.5, seed=4)
    cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    seeds = [op.get_attr("seed2") for op in tf.get_default_graph().get_operations() if op.name.startswith("dropout") and op.type == "RandomUniform"]
    assert seeds == [int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF for text in (b"4input_0", b"4state_1", b"4output_0")]


def test_variational_dropout_is_the_same_at_each_step():
    cell = CELLS.DropoutWrapper(CELLS.BasicRNNCell(40, activation=lambda v: tf.zeros_like(v) + 1), output_keep_prob=0.5, variational_recurrent=True,
                                dtype=tf.float32, seed=3)
    outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 4, 2]), dtype=tf.float32)
    y = evaluate(outputs)
    assert set(np.unique(y)) == {0.0, 2.0}
    assert (y == y[:1, :1]).all()


def test_residual_and_device_wrappers():
    x = inputs(depth=4)
    inner = CELLS.BasicRNNCell(4)
    plain, _ = tf.nn.dynamic_rnn(inner, tf.constant(x), dtype=tf.float32)
    wrapped, _ = tf.nn.dynamic_rnn(CELLS.DeviceWrapper(CELLS.ResidualWrapper(inner), "/cpu:0"), tf.constant(x), dtype=tf.float32, scope="again")
    a, b = evaluate([plain, wrapped])
    np.testing.assert_allclose(a + x, b, atol=1e-6)
    with pytest.raises(ValueError, match=r"Shapes \(3, 4\) and \(3, 2\) are incompatible"):
        CELLS.ResidualWrapper(CELLS.BasicRNNCell(2))(tf.constant(x[:, 0]), tf.zeros([3, 2]))
    with pytest.raises(ValueError, match=r"Expected inputs.shape\[-1\] to be known, saw shape: \(\?, \?\)"):
        CELLS.GRUCell(2)(tf.placeholder(tf.float32, [None, None]), tf.zeros([3, 2]))


def test_a_trained_network_remembers_the_first_input():
    """Learns to output the first of eight bits at the end, which requires the state."""
    rng = np.random.RandomState(1)
    bits = rng.randint(0, 2, (64, 8, 1)).astype(np.float32)
    fed = tf.placeholder(tf.float32, [None, 8, 1])
    tf.set_random_seed(2)
    _, state = tf.nn.dynamic_rnn(CELLS.GRUCell(8), fed, dtype=tf.float32)
    logits = tf.layers.dense(state, 1)
    loss = tf.losses.sigmoid_cross_entropy(fed[:, 0], logits)
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(loss, {fed: bits})
        for _ in range(150):
            sess.run(train, {fed: bits})
        after = sess.run(loss, {fed: bits})
    assert before > 0.5 and after < 0.05


def test_contrib_names():
    assert tf.contrib.rnn.BasicLSTMCell is CELLS.BasicLSTMCell and tf.contrib.rnn.MultiRNNCell is CELLS.MultiRNNCell
    outputs, _ = tf.contrib.rnn.static_rnn(tf.contrib.rnn.GRUCell(2), [tf.zeros([3, 2])], dtype=tf.float32)
    assert outputs[0].shape.as_list() == [3, 2]


def run_raw_rnn(cell, x, lengths, pattern=None):
    """Runs raw_rnn over sequences [batch, time, depth] with the given lengths."""
    time_first = tf.transpose(x, [1, 0, 2])
    rows = tf.TensorArray(tf.float32, x.shape[1]).unstack(time_first)
    seen = []

    def next_step(time, output, state, loop_state):
        seen.append(loop_state)
        if output is None:
            state, emit, loop_state = cell.zero_state(x.shape[0], tf.float32), pattern, (tf.constant(0), tf.TensorArray(tf.float32, 0, dynamic_size=True))
        else:
            emit = output if pattern is None else {"twice": output * 2, "time": tf.fill([x.shape[0]], time)}
            loop_state = (loop_state[0] + 1, loop_state[1].write(time - 1, tf.reduce_sum(output)))
        finished = time >= lengths
        row = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([x.shape[0], x.shape[2]]), lambda: rows.read(time))
        return finished, row, state, emit, loop_state

    arrays, state, (steps, sums) = tf.nn.raw_rnn(cell, next_step)
    assert seen[0] is None and len(seen) == 2
    return arrays, state, steps, sums.stack()


def test_raw_rnn_can_implement_dynamic_rnn():
    x, lengths = inputs(), [5, 2, 4]
    cell = CELLS.GRUCell(4)
    with tf.variable_scope("net") as scope:
        array, state, steps, sums = run_raw_rnn(cell, x, lengths)
        scope.reuse_variables()
        outputs, last = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
    assert names() == [f"net/rnn/gru_cell/{name}" for name in ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")]
    mine, end, count, totals, wanted, wanted_end = evaluate([array.stack(), state, steps, sums, outputs, last])
    assert np.allclose(mine.transpose(1, 0, 2), wanted, atol=1e-6) and np.allclose(end, wanted_end, atol=1e-6)
    assert count == 5 and totals.shape == (5,)
    gradients = tf.gradients([array.stack()], tf.trainable_variables()), tf.gradients([outputs], tf.trainable_variables())
    for a, b in zip(*evaluate(gradients)):
        assert np.allclose(a, b, atol=1e-5)


def test_raw_rnn_emits_the_given_outputs():
    x, lengths = inputs(), [3, 0, 1]
    cell = CELLS.BasicLSTMCell(4)
    arrays, state, steps, _ = run_raw_rnn(cell, x, lengths, {"twice": tf.zeros([4]), "time": tf.zeros([], tf.int32)})
    with tf.variable_scope("rnn", reuse=True) as scope:
        outputs, last = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32, scope=scope)
    assert isinstance(state, CELLS.LSTMStateTuple)
    twice, time, end, wanted, wanted_end = evaluate([arrays["twice"].stack(), arrays["time"].stack(), state, outputs, last])
    assert np.allclose(twice.transpose(1, 0, 2), 2 * wanted[:, :3], atol=1e-6) and np.allclose(end.h, wanted_end.h, atol=1e-6)
    assert time.tolist() == [[1, 0, 1], [2, 0, 0], [3, 0, 0]]


def test_raw_rnn_refuses():
    cell = CELLS.BasicRNNCell(4)
    first = (tf.constant([False]), tf.zeros([1, 2]), tf.zeros([1, 4]), None, None)
    with pytest.raises(TypeError, match="callable"):
        tf.nn.raw_rnn(cell, 3)
    with pytest.raises(TypeError, match=r"loop_fn must return \(elements_finished, next_input, next_cell_state, emit_output, next_loop_state\)"):
        tf.nn.raw_rnn(cell, lambda *_: first[:3])
    with pytest.raises(ValueError):
        tf.nn.raw_rnn(cell, lambda time, output, state, _: first if output is None else (*first[:2], (state, state), output, None))
    with pytest.raises(ZeroDivisionError):
        tf.nn.raw_rnn(cell, lambda *_: 1 // 0)


def test_a_cell_is_clipped_to_zero():
    cell = CELLS.LSTMCell(3, cell_clip=0.0, initializer=tf.ones_initializer())
    _, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    projected, _ = CELLS.LSTMCell(3, num_proj=2, proj_clip=0.0, initializer=tf.ones_initializer(), name="p")(tf.ones([2, 3]), (tf.ones([2, 3]), tf.ones([2, 2])))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert not np.any(sess.run(state.c)) and not np.any(sess.run(projected))
