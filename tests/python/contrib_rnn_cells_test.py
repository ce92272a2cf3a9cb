"""Tests the cells of tf.contrib.rnn that are not in tf.nn.rnn_cell against numpy."""
import numpy as np
import pytest

import weir as tf
from evaluation import evaluate, random_values, variable_names

RNN = tf.contrib.rnn
nest = tf.contrib.framework.nest
TANH = np.tanh


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


def step(cell, inputs, state):
    """Runs one step with random weights. Returns the output, the new state, and the weights by their names in the scope of the cell."""
    with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=1)):
        output, after = cell(nest.map_structure(tf.constant, inputs), nest.map_structure(tf.constant, state))
    for value, size in zip([output, *nest.flatten(after)], [cell.output_size, *nest.flatten(cell.state_size)]):
        assert value.shape.as_list() == [3, size]
    # Biases start at zero: other values show where they are added.
    changes = [v.assign(random_values(*v.shape.as_list(), seed=9 + i)) for i, v in enumerate(tf.global_variables()) if v.shape.ndims == 1]
    weights = {v.op.name.split("/", 2)[2]: v for v in tf.global_variables()}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(changes)
        return sess.run([output, after, weights])


def lstm_state(units, projected=None):
    return RNN.LSTMStateTuple(random_values(3, units, seed=5), random_values(3, projected or units, seed=6))


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def joined(*values):
    return np.concatenate(values, 1)


@pytest.mark.parametrize("projected", [None, 3])
@pytest.mark.parametrize("bias", [False, True])
def test_nas(projected, bias):
    x, (c, h) = random_values(3, 2), lstm_state(4, projected)
    output, state, w = step(RNN.NASCell(4, num_proj=projected, use_bias=bias), x, RNN.LSTMStateTuple(c, h))
    assert sorted(w) == sorted(["kernel", "recurrent_kernel", *["bias"] * bias, *["projection_weights"] * bool(projected)])
    a, b = np.split(x @ w["kernel"], 8, 1), np.split(h @ w["recurrent_kernel"] + w.get("bias", 0), 8, 1)
    first = TANH(TANH(sigmoid(a[0] + b[0]) * relu(a[1] + b[1])) + c)
    new_c = first * TANH(sigmoid(a[2] + b[2]) + relu(a[3] * b[3]))
    other = TANH(TANH(TANH(a[4] + b[4]) * sigmoid(a[5] + b[5])) + sigmoid(TANH(a[6] + b[6]) + sigmoid(a[7] + b[7])))
    new_h = TANH(new_c * other) @ w.get("projection_weights", np.eye(4))
    same(output, new_h)
    same(state.c, new_c)
    same(state.h, new_h)


@pytest.mark.parametrize("width", [4, 2])
def test_intersection(width):
    x, h = random_values(3, width), random_values(3, 4, seed=1)
    output, state, w = step(RNN.IntersectionRNNCell(4, num_in_proj=4, forget_bias=0.5), x, h)
    assert sorted(w) == sorted(["bias", "kernel", *(["in_projection/bias", "in_projection/kernel"] if width == 2 else [])])
    if width == 2:
        x = x @ w["in_projection/kernel"] + w["in_projection/bias"]
        with pytest.raises(ValueError, match="num_in_proj"):
            RNN.IntersectionRNNCell(4)(tf.zeros([3, 2]), tf.zeros([3, 4]))
    time, new_h, depth, y = np.split(joined(x, h) @ w["kernel"] + w["bias"], 4, 1)
    time, depth = sigmoid(time + 0.5), sigmoid(depth + 0.5)
    same(state, time * h + (1 - time) * TANH(new_h))
    same(output, depth * x + (1 - depth) * relu(y))


@pytest.mark.parametrize("peepholes", [False, True])
def test_phased_lstm(peepholes):
    x, (c, h) = random_values(3, 2), lstm_state(4)
    time = np.float32([[0.7], [3.1], [250.0]])
    cell = RNN.PhasedLSTMCell(4, use_peepholes=peepholes, leak=0.01, ratio_on=0.4, period_init_min=2.0, period_init_max=3.0)
    output, state, w = step(cell, (time, x), RNN.LSTMStateTuple(c, h))
    parts = ("mask_gates", "new_input", "output_gate")
    assert sorted(w) == sorted([f"{part}/{name}" for part in parts for name in ("bias", "kernel")] + ["period", "phase", "ratio_on"])

    def layer(scope, *values):
        return joined(*values) @ w[scope + "/kernel"] + w[scope + "/bias"]
    i, f = np.split(sigmoid(layer("mask_gates", x, h, *[c] * peepholes)), 2, 1)
    new_c = c * f + i * TANH(layer("new_input", x, h))
    new_h = TANH(new_c) * sigmoid(layer("output_gate", x, h, *[new_c] * peepholes))
    position = np.mod(time - w["phase"], w["period"]) / w["period"]
    up = 2 * position / w["ratio_on"]
    k = np.where(position < w["ratio_on"] / 2, up, np.where(position < w["ratio_on"], 2 - up, 0.01 * position))
    np.testing.assert_allclose(output, k * new_h + (1 - k) * h, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(state.c, k * new_c + (1 - k) * c, rtol=1e-3, atol=1e-4)


def test_the_clock_of_a_phased_lstm():
    times, x = tf.constant(np.arange(12, dtype=np.float32).reshape(2, 6, 1)), tf.constant(random_values(2, 6, 3))
    cell = RNN.PhasedLSTMCell(50, trainable_ratio_on=False, period_init_min=10.0)
    outputs, _ = tf.nn.dynamic_rnn(cell, (times, x), dtype=tf.float32)
    found = {v.op.name.split("/")[-1]: v for v in tf.global_variables()}
    assert "rnn/phased_lstm_cell/ratio_on" not in [v.op.name for v in tf.trainable_variables()]
    gradient = tf.gradients(outputs, [found["period"], found["phase"]])
    outputs, period, phase, gradient = evaluate([outputs, found["period"], found["phase"], gradient])
    assert outputs.shape == (2, 6, 50) and 10 <= period.min() < 40 < 250 < period.max() <= 1000
    assert (phase >= 0).all() and (phase <= period).all() and all(np.abs(g).sum() > 0 for g in gradient)


@pytest.mark.parametrize("projected", [None, 2])
def test_grouped_lstm(projected):
    x, (c, h) = random_values(3, 6), lstm_state(4, projected)
    output, state, w = step(RNN.GLSTMCell(4, num_proj=projected, number_of_groups=2, forget_bias=0.5), x, RNN.LSTMStateTuple(c, h))
    assert sorted(w) == sorted([f"bias_{gate}" for gate in "fijo"] + ["group0/kernel", "group1/kernel"] + ["projection/kernel"] * bool(projected))
    half = h.shape[1] // 2
    groups = [np.split(joined(x[:, 3 * g:3 * g + 3], h[:, half * g:half * (g + 1)]) @ w[f"group{g}/kernel"], 4, 1) for g in (0, 1)]
    i, j, f, o = (joined(groups[0][n], groups[1][n]) + w[f"bias_{gate}"] for n, gate in enumerate("ijfo"))
    new_c = sigmoid(f + 0.5) * c + sigmoid(i) * TANH(j)
    same(state.c, new_c)
    same(output, sigmoid(o) * TANH(new_c) @ w["projection/kernel"] if projected else sigmoid(o) * TANH(new_c))
    with pytest.raises(ValueError, match="num_units must be divisible"):
        RNN.GLSTMCell(5, number_of_groups=2)


@pytest.mark.parametrize("layer_norm", [False, True])
@pytest.mark.parametrize("peepholes", [False, True])
def test_coupled_gates(layer_norm, peepholes):
    x, (c, h) = random_values(3, 2), lstm_state(4, 3)
    cell = RNN.CoupledInputForgetGateLSTMCell(4, use_peepholes=peepholes, num_proj=3, proj_clip=0.4, num_unit_shards=2, forget_bias=0.5,
                                              layer_norm=layer_norm)
    output, state, w = step(cell, x, RNN.LSTMStateTuple(c, h))
    norms = [f"{scope}/{name}" for scope in ("forget", "output", "state", "transform") for name in ("beta", "gamma")]
    assert sorted(w) == sorted(["W_0", "W_1", "B", "W_P_0", *["W_F_diag", "W_O_diag"] * peepholes, *norms * layer_norm])

    def norm(value, scope):
        if not layer_norm:
            return value
        normal = (value - value.mean(1, keepdims=True)) / value.std(1, keepdims=True)
        return normal * w[scope + "/gamma"] + w[scope + "/beta"]
    j, f, o = np.split(joined(x, h) @ np.concatenate([w["W_0"], w["W_1"]]) + (0 if layer_norm else w["B"]), 3, 1)
    f = sigmoid(norm(f, "forget") + 0.5 + w.get("W_F_diag", 0) * c)
    new_c = norm(f * c + (1 - f) * TANH(norm(j, "transform")), "state")
    new_h = sigmoid(norm(o, "output") + w.get("W_O_diag", 0) * new_c) * TANH(new_c)
    np.testing.assert_allclose(state.c, new_c, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(output, np.clip(new_h @ w["W_P_0"], -0.4, 0.4), rtol=1e-3, atol=1e-4)
    plain = RNN.CoupledInputForgetGateLSTMCell(4, state_is_tuple=False)
    assert plain.state_size == 8 and plain(tf.constant(x), plain.zero_state(3, tf.float32))[1].shape.as_list() == [3, 8]


def test_simple_recurrent_unit():
    x, c = random_values(3, 2), random_values(3, 4, seed=1)
    output, state, w = step(RNN.SRUCell(4), x, c)
    candidate, f, r, direct = np.split(x @ w["kernel"], 4, 1)
    f, r = sigmoid(f + w["bias"][:4]), sigmoid(r + w["bias"][4:])
    same(state, f * c + (1 - f) * candidate)
    same(output, r * TANH(state) + (1 - r) * direct)


def test_independent_cells():
    x, h = random_values(3, 2), random_values(3, 4, seed=1)
    output, state, w = step(RNN.IndRNNCell(4), x, h)
    assert sorted(w) == ["bias", "kernel_u", "kernel_w"] and np.abs(w["kernel_u"]).max() <= 1
    same(output, TANH(x @ w["kernel_w"] + h * w["kernel_u"] + w["bias"]))
    same(output, state)
    with tf.Graph().as_default():
        output, state, w = step(RNN.IndyGRUCell(4), x, h)
        r, u = np.split(sigmoid(x @ w["gates/kernel_w"] + joined(h, h) * w["gates/kernel_u"] + w["gates/bias"]), 2, 1)
        candidate = TANH(x @ w["candidate/kernel_w"] + r * h * w["candidate/kernel_u"] + w["candidate/bias"])
        same(output, u * h + (1 - u) * candidate)
    with tf.Graph().as_default():
        c, h = lstm_state(4)
        output, state, w = step(RNN.IndyLSTMCell(4, forget_bias=0.5), x, RNN.LSTMStateTuple(c, h))
        i, j, f, o = np.split(x @ w["kernel_w"] + joined(h, h, h, h) * w["kernel_u"] + w["bias"], 4, 1)
        same(state.c, c * sigmoid(f + 0.5) + sigmoid(i) * TANH(j))
        same(output, TANH(state.c) * sigmoid(o))


@pytest.mark.parametrize("make", [
    lambda: RNN.NASCell(4), lambda: RNN.GLSTMCell(4, number_of_groups=2), lambda: RNN.SRUCell(4), lambda: RNN.IndRNNCell(4),
    lambda: RNN.IndyGRUCell(4), lambda: RNN.IndyLSTMCell(4), lambda: RNN.CoupledInputForgetGateLSTMCell(4), lambda: RNN.IntersectionRNNCell(4),
    lambda: RNN.GridLSTMCell(2, feature_size=2, frequency_skip=2, num_frequency_blocks=[2]),
    lambda: RNN.BidirectionalGridLSTMCell(2, feature_size=2, frequency_skip=2, num_frequency_blocks=[2]),
])
def test_cells_run_and_train(make):
    cell = make()
    outputs, _ = tf.nn.dynamic_rnn(cell, tf.constant(random_values(3, 5, 4)), dtype=tf.float32, sequence_length=[5, 2, 0])
    count = len(variable_names())
    assert outputs.shape.as_list() == [3, 5, cell.output_size] and len(cell.trainable_weights) == count
    gradients = tf.gradients(tf.reduce_sum(outputs), tf.trainable_variables())
    assert all(np.isfinite(g).all() for g in evaluate(gradients))
    tf.nn.static_rnn(make(), [tf.zeros([3, 4])] * 2, dtype=tf.float32, scope="static")
    assert len(variable_names()) == 2 * count


# --- cells over time and frequency ---
@pytest.mark.parametrize("peepholes", [False, True])
def test_time_frequency_lstm(peepholes):
    x, state = random_values(3, 6), random_values(3, 12, seed=1)
    cell = RNN.TimeFreqLSTMCell(2, use_peepholes=peepholes, cell_clip=0.5, forget_bias=0.5, feature_size=2, frequency_skip=2)
    assert (cell.output_size, cell.state_size) == (2, 4)
    with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=1)):
        output, after = cell(tf.constant(x), tf.constant(state))
    output, after, w = evaluate([output, after, {v.op.name.split("/")[-1]: v for v in tf.global_variables()}])
    assert sorted(w) == sorted(["B", "W_0", *["W_F_diag", "W_I_diag", "W_O_diag"] * peepholes])
    last, outputs, states = np.zeros((3, 2)), [], []
    for n in range(3):
        c, h = state[:, 4 * n:4 * n + 2], state[:, 4 * n + 2:4 * n + 4]
        i, j, f, o = np.split(joined(x[:, 2 * n:2 * n + 2], h, last) @ w["W_0"], 4, 1)
        c = np.clip(sigmoid(f + 0.5 + w.get("W_F_diag", 0) * c) * c + sigmoid(i + w.get("W_I_diag", 0) * c) * TANH(j), -0.5, 0.5)
        last = sigmoid(o + w.get("W_O_diag", 0) * c) * TANH(c)
        outputs.append(last)
        states += [c, last]
    same(output, joined(*outputs))
    same(after, joined(*states))


def grid(x, states, w, block=0, couple=False, share=False, prefix=""):
    """The outputs and states of a GridLSTMCell with units of size 2 and windows x."""
    def look(name, cells):
        return w.get(f"{prefix}{name}f_{block}", 0) * cells["f"] + w.get(f"{prefix}{name}t_{block}", 0) * cells["t"]
    cells, hidden, outputs, after = {"f": np.zeros((3, 2))}, {"f": np.zeros((3, 2))}, [], []
    for window, cells["t"], hidden["t"] in zip(x, states[::2], states[1::2]):
        inputs, before, o = joined(window, hidden["t"], hidden["f"]), dict(cells), {}
        for axis in "ft":
            own = "f" if share else axis
            whole = {"f": "freq", "t": "time"}[own]
            *i, j, f, o[axis] = np.split(inputs @ w[f"{prefix}W_{own}_{block}_0"] + w[f"{prefix}B_{own}_{block}"], 3 if couple else 4, 1)
            f = sigmoid(f + 1 + look(f"W_F_diag_{whole}", before))
            i = 1 - f if couple else sigmoid(i[0] + look(f"W_I_diag_{whole}", before))
            cells[axis] = f * before[axis] + i * TANH(j)
        for axis in "ft":
            whole = "freq" if share or axis == "f" else "time"
            hidden[axis] = sigmoid(o[axis] + look(f"W_O_diag_{whole}", cells)) * TANH(cells[axis])
        outputs += [hidden["t"], hidden["f"]]
        after += [cells["t"], hidden["t"]]
    return outputs, after


@pytest.mark.parametrize("peepholes", [False, True])
@pytest.mark.parametrize("couple", [False, True])
@pytest.mark.parametrize("share", [False, True])
def test_grid_lstm(peepholes, couple, share):
    x, states = random_values(3, 6), [random_values(3, 2, seed=n) for n in range(6)]
    cell = RNN.GridLSTMCell(2, use_peepholes=peepholes, share_time_frequency_weights=share, feature_size=2, frequency_skip=2,
                            num_frequency_blocks=[3], couple_input_forget_gates=couple)
    assert cell.state_size._fields[:2] == ("state_f00_b00_c", "state_f00_b00_m") and type(cell.state_size).__name__ == "GridLSTMStateTuple"
    assert cell.state_tuple_type is type(cell.state_size)
    output, after, w = step(cell, x, cell.state_tuple_type(*states))
    diagonals = [f"W_{gate}_diag_{axis}{seen}_0" for gate in ("FO" if couple else "FIO") for axis in (["freq"] if share else ["freq", "time"])
                 for seen in "ft"]
    assert sorted(w) == sorted([f"{kind}_{axis}_0{end}" for kind, end in (("W", "_0"), ("B", "")) for axis in ("f" if share else "ft")]
                               + diagonals * peepholes)
    outputs, expected = grid([x[:, :2], x[:, 2:4], x[:, 4:]], states, w, couple=couple, share=share)
    same(output, joined(*outputs))
    same(joined(*after), joined(*expected))


def test_grid_lstm_with_blocks_and_one_state():
    x, state = random_values(3, 6), random_values(3, 12, seed=1)
    cell = RNN.GridLSTMCell(2, feature_size=2, frequency_skip=1, num_frequency_blocks=[1, 2], start_freqindex_list=[0, 3],
                            end_freqindex_list=[2, 6], state_is_tuple=False, cell_clip=10.0)
    assert (cell.state_size, cell.output_size, cell.state_tuple_type) == (12, 12, None)
    output, after, w = step(cell, x, state)
    states = np.split(state, 6, 1)
    first, first_after = grid([x[:, :2]], states[:2], w)
    second, second_after = grid([x[:, 3:5], x[:, 4:6]], states[2:], w, block=1)
    same(output, joined(*first, *second))
    same(after, joined(*first_after, *second_after))


def test_bidirectional_grid_lstm():
    x, states = random_values(3, 4), [random_values(3, 2, seed=n) for n in range(8)]
    cell = RNN.BidirectionalGridLSTMCell(2, use_peepholes=True, feature_size=2, frequency_skip=2, num_frequency_blocks=[2],
                                         backward_slice_offset=1)
    assert cell.state_size._fields[4] == "bwd_state_f00_b00_c" and cell.output_size == 16
    output, after, w = step(cell, x, cell.state_tuple_type(*states))
    forward, forward_after = grid([x[:, :2], x[:, 2:]], states[:4], w, prefix="fwd/")
    later = joined(x[:, 1:], np.zeros((3, 1)))
    backward, backward_after = grid([later[:, 2:], later[:, :2]], states[4:], w, prefix="bwd/")
    same(output, joined(*forward, *backward))
    same(joined(*after), joined(*forward_after, *backward_after))


def test_errors_of_grid_lstm():
    with pytest.raises(ValueError, match="Must specify num_frequency_blocks"):
        RNN.GridLSTMCell(2)

    def run(**arguments):
        cell = RNN.GridLSTMCell(2, feature_size=2, frequency_skip=2, **arguments)
        return cell(tf.zeros([3, 6]), cell.zero_state(3, tf.float32))
    with pytest.raises(ValueError, match="requires 3 but gets 2"):
        run(num_frequency_blocks=[2])
    with pytest.raises(ValueError, match="is not 1, but instead is 2"):
        run(num_frequency_blocks=[1, 2])
    with pytest.raises(ValueError, match="does not match 1 2"):
        run(num_frequency_blocks=[3], start_freqindex_list=[0], end_freqindex_list=[3, 6])
