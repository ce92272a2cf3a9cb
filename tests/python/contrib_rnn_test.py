"""Tests the cells of tf.contrib.rnn against those of tf.nn.rnn_cell and against numpy, and tf.contrib.legacy_seq2seq
against the same models written with the other functions."""
import numpy as np
import pytest

import weir as tf
from evaluation import evaluate, random_values, variable_names

RNN = tf.contrib.rnn
LEGACY = tf.contrib.legacy_seq2seq


def both(block, plain, lengths=None):
    """Outputs, states and gradients of two cells with the same variables."""
    x = tf.constant(random_values(3, 4, 2))
    results = []
    with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=1)) as scope:
        for cell in (block, plain):
            outputs, state = tf.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf.float32)
            loss = tf.reduce_sum(outputs * random_values(3, 4, 5, seed=3))
            results.append([outputs, state, tf.gradients(loss, [x, *tf.global_variables()])])
            scope.reuse_variables()
    return evaluate(results)


def assert_same(a, b):
    for left, right in zip(tf.contrib.framework.nest.flatten(a), tf.contrib.framework.nest.flatten(b)):
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("peephole", [False, True])
@pytest.mark.parametrize("lengths", [None, [4, 2, 0]])
def test_lstm_block_cell(peephole, lengths):
    assert_same(*both(RNN.LSTMBlockCell(5, forget_bias=0.5, use_peephole=peephole),
                      RNN.LSTMCell(5, forget_bias=0.5, use_peepholes=peephole, name="lstm_cell"), lengths))
    diagonals = ["net/rnn/lstm_cell/w_f_diag", "net/rnn/lstm_cell/w_i_diag", "net/rnn/lstm_cell/w_o_diag"] if peephole else []
    assert variable_names() == ["net/rnn/lstm_cell/bias", "net/rnn/lstm_cell/kernel"] + diagonals


def test_gru_block_cell():
    assert_same(*both(RNN.GRUBlockCellV2(5, name="gru_cell"), RNN.GRUCell(5, name="gru_cell")))
    with tf.Graph().as_default():
        x, h = tf.constant(random_values(3, 2)), tf.constant(random_values(3, 5, seed=1))
        output, state = RNN.GRUBlockCell(5)(x, h)
        assert variable_names() == ["gru_cell/b_c", "gru_cell/b_ru", "gru_cell/w_c", "gru_cell/w_ru"]
        x, h, output, state, w = evaluate([x, h, output, state, {v.op.name[9:]: v for v in tf.global_variables()}])
        assert w["b_ru"].tolist() == [1] * 10
        r, u = np.split(1 / (1 + np.exp(-(np.concatenate([x, h], 1) @ w["w_ru"] + w["b_ru"]))), 2, 1)
        expected = u * h + (1 - u) * np.tanh(np.concatenate([x, r * h], 1) @ w["w_c"] + w["b_c"])
        np.testing.assert_allclose(output, expected, rtol=1e-5)
    with pytest.raises(ValueError, match="Exactly one of num_units or cell_size"):
        RNN.GRUBlockCell()


@pytest.mark.parametrize("lengths", [None, [4, 2, 0]])
@pytest.mark.parametrize("initial", [False, True])
def test_lstm_block_fused_cell(lengths, initial):
    x = tf.constant(random_values(4, 3, 2))
    first = RNN.LSTMStateTuple(tf.constant(random_values(3, 5, seed=4)), tf.constant(random_values(3, 5, seed=5))) if initial else None
    fused = RNN.LSTMBlockFusedCell(5, use_peephole=True)
    with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=1)):
        outputs, state = fused(x, initial_state=first, dtype=tf.float32, sequence_length=lengths)
    assert "net/lstm_fused_cell/kernel" in variable_names() and "net/lstm_fused_cell/w_i_diag" in variable_names()
    steps = [first or RNN.LSTMStateTuple(tf.zeros([3, 5]), tf.zeros([3, 5]))]
    with tf.variable_scope("net", reuse=True):
        cell = RNN.LSTMBlockCell(5, use_peephole=True, name="lstm_fused_cell")
        for t in range(4):
            steps.append(cell(x[t], steps[-1])[1])
    outputs, state, steps = evaluate([outputs, state, steps])
    for row, length in enumerate(lengths or [4, 4, 4]):
        np.testing.assert_allclose(state.c[row], steps[length].c[row], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(state.h[row], steps[length].h[row], rtol=1e-4, atol=1e-6)
        for t in range(4):
            np.testing.assert_allclose(outputs[t, row], steps[t + 1].h[row] if t < length else np.zeros(5), rtol=1e-4, atol=1e-6)


def test_fused_cells_of_other_cells():
    steps = [tf.constant(random_values(3, 2, seed=i)) for i in range(4)]
    results = []
    for dynamic in (False, True):
        with tf.variable_scope("net", initializer=tf.ones_initializer(), reuse=tf.AUTO_REUSE):
            cell = RNN.TimeReversedFusedRNN(RNN.FusedRNNCellAdaptor(RNN.BasicRNNCell(2), use_dynamic_rnn=dynamic))
            results.append(cell(steps, dtype=tf.float32, scope="rnn"))
    static, dynamic = evaluate(results)
    assert_same(static, dynamic)
    np.testing.assert_allclose(static[0][0], static[1])  # the first output is the last of the reversed network


@pytest.mark.parametrize("layer_norm", [False, True])
def test_layer_norm_lstm(layer_norm):
    x, c, h = random_values(3, 2), random_values(3, 5, seed=1), random_values(3, 5, seed=2)
    cell = RNN.LayerNormBasicLSTMCell(5, forget_bias=0.5, layer_norm=layer_norm, norm_gain=1.5, norm_shift=0.1)
    output, state = cell(tf.constant(x), RNN.LSTMStateTuple(tf.constant(c), tf.constant(h)))
    scope = "layer_norm_basic_lstm_cell/"
    parts = ("forget", "input", "output", "state", "transform")
    assert variable_names() == sorted([scope + "kernel", *([f"{scope}{part}/{name}" for part in parts for name in ("beta", "gamma")] if layer_norm
                                                  else [scope + "bias"])])
    output, state, w = evaluate([output, state, {v.op.name[len(scope):]: v for v in tf.global_variables()}])

    def norm(value):
        if not layer_norm:
            return value
        return (value - value.mean(1, keepdims=True)) / np.sqrt(value.var(1, keepdims=True) + 1e-12) * 1.5 + 0.1
    sigmoid = lambda z: 1 / (1 + np.exp(-z))
    gates = np.concatenate([x, h], 1) @ w["kernel"] + (0 if layer_norm else w["bias"])
    i, j, f, o = map(norm, np.split(gates, 4, 1))
    new_c = norm(c * sigmoid(f + 0.5) + sigmoid(i) * np.tanh(j))
    np.testing.assert_allclose(state.c, new_c, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(output, np.tanh(new_c) * sigmoid(o), rtol=1e-4, atol=1e-5)


def test_dropout_of_layer_norm_lstm():
    cell = RNN.LayerNormBasicLSTMCell(50, dropout_keep_prob=0.5, dropout_prob_seed=3, layer_norm=False)
    _, state = cell(tf.ones([4, 2]), cell.zero_state(4, tf.float32))
    assert 0.3 < (evaluate(state.c) == 0).mean() < 0.7


def test_projections_and_embeddings():
    x = tf.constant(random_values(3, 2))
    for cell, size in ((RNN.OutputProjectionWrapper(RNN.BasicRNNCell(4), 6), 6), (RNN.InputProjectionWrapper(RNN.BasicRNNCell(4), 7), 4)):
        output, _ = cell(x, cell.zero_state(3, tf.float32))
        assert output.shape.as_list() == [3, size] and cell.output_size == size and cell.state_size == 4
    cell = RNN.EmbeddingWrapper(RNN.BasicRNNCell(4), 10, 5)
    output, _ = cell(tf.constant([1, 2, 1]), cell.zero_state(3, tf.float32))
    assert {"output_projection_wrapper/kernel", "output_projection_wrapper/bias", "output_projection_wrapper/basic_rnn_cell/kernel",
            "input_projection_wrapper/kernel", "embedding_wrapper/embedding", "embedding_wrapper/basic_rnn_cell/kernel"} <= set(variable_names())
    output = evaluate(output)
    np.testing.assert_array_equal(output[0], output[2])
    assert not np.array_equal(output[0], output[1])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_ugrnn():
    x, h = random_values(3, 2), random_values(3, 4, seed=1)
    output, _ = RNN.UGRNNCell(4, initializer=tf.ones_initializer())(tf.constant(x), tf.constant(h))
    assert variable_names() == ["ugrnn_cell/bias", "ugrnn_cell/kernel"]
    both = np.concatenate([x, h], 1).sum(1, keepdims=True).repeat(4, 1)
    gate = sigmoid(both + 1)
    np.testing.assert_allclose(evaluate(output), gate * h + (1 - gate) * np.tanh(both), rtol=1e-5)


@pytest.mark.parametrize("skip", [False, True])
def test_convolutional_lstm(skip):
    cell = RNN.Conv2DLSTMCell(input_shape=[1, 1, 2], output_channels=3, kernel_shape=[1, 1], skip_connection=skip)
    width = 5 if skip else 3
    x, c, h = random_values(2, 1, 1, 2), random_values(2, 1, 1, 3, seed=1), random_values(2, 1, 1, width, seed=2)
    output, state = cell(tf.constant(x), RNN.LSTMStateTuple(tf.constant(c), tf.constant(h)))
    assert variable_names() == ["conv_2d_lstm_cell/biases", "conv_2d_lstm_cell/kernel"] and cell.output_size.as_list() == [1, 1, width]
    output, state, kernel = evaluate([output, state, tf.global_variables()[0]])
    i, j, f, o = np.split(np.concatenate([x, h], 3) @ kernel[0, 0], 4, 3)
    new_c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
    np.testing.assert_allclose(state.c, new_c, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(output[..., :3], np.tanh(new_c) * sigmoid(o), rtol=1e-4, atol=1e-6)
    if skip:
        np.testing.assert_array_equal(output[..., 3:], x)
    outputs, _ = tf.nn.dynamic_rnn(RNN.ConvLSTMCell(1, [6, 2], 3, [3]), tf.zeros([2, 4, 6, 2]), dtype=tf.float32)
    assert outputs.shape.as_list() == [2, 4, 6, 3]


@pytest.mark.parametrize("couple", [False, True])
def test_highway(couple):
    x = random_values(3, 4)
    cell = RNN.HighwayWrapper(RNN.BasicRNNCell(4), couple_carry_transform_gates=couple, carry_bias_init=0.5)
    output, _ = cell(tf.constant(x), tf.zeros([3, 4]))
    weights = {v.op.name: v for v in tf.global_variables()}
    own = ["carry_b", "carry_w"] if couple else ["carry_b", "carry_w", "transform_b", "transform_w"]
    assert sorted(weights) == ["basic_rnn_cell/bias", "basic_rnn_cell/kernel", *own]
    output, w = evaluate([output, weights])
    inner = np.tanh(np.concatenate([x, np.zeros((3, 4))], 1) @ w["basic_rnn_cell/kernel"])
    carry = sigmoid(x @ w["carry_w"] + 0.5)
    transform = 1 - carry if couple else sigmoid(x @ w["transform_w"] - 0.5)
    np.testing.assert_allclose(output, carry * x + transform * inner, rtol=1e-4, atol=1e-6)


def test_attention_over_past_outputs():
    cell = RNN.AttentionCellWrapper(RNN.BasicLSTMCell(3), attn_length=2)
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(random_values(2, 4, 5)), dtype=tf.float32)
    scope = "rnn/attention_cell_wrapper/"
    assert variable_names() == [scope + name for name in ("attention/attn_v", "attention/attn_w", "attention/bias", "attention/kernel",
                                                 "attn_output_projection/bias", "attn_output_projection/kernel", "basic_lstm_cell/bias",
                                                 "basic_lstm_cell/kernel", "bias", "kernel")]
    outputs, past = evaluate([outputs, state[2]])
    np.testing.assert_allclose(past.reshape(2, 2, 3), outputs[:, 2:], rtol=1e-5)  # the last outputs are what the next step attends to


def test_stacks_of_bidirectional_networks():
    x = random_values(3, 4, 2)
    cells = [[RNN.GRUCell(2), RNN.GRUCell(3)] for _ in range(2)]
    init = tf.random_uniform_initializer(-1, 1, seed=1)
    with tf.variable_scope("a", initializer=init):
        outputs, forward, backward = RNN.stack_bidirectional_dynamic_rnn(*cells, tf.constant(x), dtype=tf.float32)
    assert "a/stack_bidirectional_rnn/cell_1/bidirectional_rnn/bw/gru_cell/gates/kernel" in variable_names()
    assert outputs.shape.as_list() == [3, 4, 6] and len(forward) == len(backward) == 2
    static, _, _ = RNN.stack_bidirectional_rnn([RNN.GRUCell(2)], [RNN.GRUCell(2)], tf.unstack(tf.constant(x), axis=1), dtype=tf.float32)
    assert [s.shape.as_list() for s in static] == [[3, 4]] * 4
    assert np.isfinite(evaluate(outputs)).all()
    with pytest.raises(ValueError, match="same depth"):
        RNN.stack_bidirectional_rnn([RNN.GRUCell(2)], cells[1], [tf.constant(x[:, 0])])


# --- legacy_seq2seq ---
SOURCE = [[1, 2], [3, 0], [2, 2]]
TARGET = [[1, 1], [0, 2]]


def tokens(steps):
    return [tf.constant(step) for step in steps]


def test_losses_by_example():
    logits, targets, weights = random_values(3, 2, 4), np.array([[0, 3], [1, 1], [2, 0]]), np.array([[1, 1], [0.5, 1], [0, 1]], np.float32)
    lists = [[tf.constant(step) for step in steps] for steps in (logits, targets, weights)]
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    losses = -np.log(np.take_along_axis(p, targets[..., None], -1))[..., 0] * weights
    found = evaluate([LEGACY.sequence_loss_by_example(*lists), LEGACY.sequence_loss_by_example(*lists, average_across_timesteps=False),
                      LEGACY.sequence_loss(*lists), LEGACY.sequence_loss(*lists, average_across_batch=False),
                      LEGACY.sequence_loss(*lists, softmax_loss_function=lambda labels, logits: tf.cast(labels, tf.float32))])
    mean = losses.sum(0) / weights.sum(0)
    for value, expected in zip(found, (mean, losses.sum(0), mean.mean(), mean.sum(), ((targets * weights).sum(0) / weights.sum(0)).mean())):
        np.testing.assert_allclose(value, expected, rtol=1e-5)
    with pytest.raises(ValueError, match="must be the same 3, 3, 2"):
        LEGACY.sequence_loss(lists[0], lists[1][:2], lists[2])


def test_basic_and_tied_models():
    inputs, targets = ([tf.constant(random_values(2, 3, seed=i + j)) for i in range(3)] for j in (0, 10))
    outputs, state = LEGACY.basic_rnn_seq2seq(inputs, targets, RNN.GRUCell(4))
    assert variable_names()[0] == "basic_rnn_seq2seq/rnn/gru_cell/candidate/bias" and "basic_rnn_seq2seq/rnn_decoder/gru_cell/gates/kernel" in variable_names()
    tied, tied_state = LEGACY.tied_rnn_seq2seq(inputs, targets, RNN.GRUCell(4))
    assert [name for name in variable_names() if "tied" in name][0] == "combined_tied_rnn_seq2seq/tied_rnn_seq2seq/gru_cell/candidate/bias"
    with tf.variable_scope("combined_tied_rnn_seq2seq", reuse=True):
        longer, last = tf.nn.static_rnn(RNN.GRUCell(4), inputs + targets, dtype=tf.float32, scope="tied_rnn_seq2seq")
    assert [o.shape.as_list() for o in outputs] == [[2, 4]] * 3 and state.shape.as_list() == [2, 4]
    tied, tied_state, longer, last = evaluate([tied, tied_state, longer, last])
    np.testing.assert_allclose(tied, longer[3:], rtol=1e-5)
    np.testing.assert_allclose(tied_state, last, rtol=1e-5)


def test_a_loop_function():
    cell = RNN.BasicRNNCell(2)
    outputs, _ = LEGACY.rnn_decoder([tf.zeros([1, 2])] * 3, tf.zeros([1, 2]), cell, loop_function=lambda previous, i: previous * 0 + float(i))
    with tf.variable_scope("rnn_decoder", reuse=True) as scope:
        plain, _ = LEGACY.rnn_decoder([tf.fill([1, 2], v) for v in (0.0, 1.0, 2.0)], tf.zeros([1, 2]), cell, scope=scope)
    np.testing.assert_allclose(*evaluate([outputs, plain]), rtol=1e-5)


@pytest.mark.parametrize("model", ["rnn", "attention", "tied"])
def test_embedding_models(model):
    def build(feed_previous, projection=None):
        cell = RNN.GRUCell(4)
        arguments = dict(embedding_size=3, feed_previous=feed_previous, output_projection=projection)
        if model == "tied":
            return LEGACY.embedding_tied_rnn_seq2seq(tokens(SOURCE), tokens(TARGET), cell, 5, **arguments)
        function = LEGACY.embedding_rnn_seq2seq if model == "rnn" else LEGACY.embedding_attention_seq2seq
        return function(tokens(SOURCE), tokens(TARGET), cell, 6, 5, **arguments)
    with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=2)) as scope:
        forced, _ = build(False)
        scope.reuse_variables()
        fed, _ = build(True)
        choice = tf.placeholder(tf.bool, [])
        chosen, state = build(choice)
    assert {"rnn": "net/embedding_rnn_seq2seq/embedding_rnn_decoder/rnn_decoder/output_projection_wrapper/kernel",
            "attention": "net/embedding_attention_seq2seq/embedding_attention_decoder/attention_decoder/AttnOutputProjection/kernel",
            "tied": "net/embedding_tied_rnn_seq2seq/embedding"}[model] in variable_names()
    assert [o.shape.as_list() for o in forced] == [[2, 5]] * 2
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for flag, expected in ((False, forced), (True, fed)):
            expected, found, after = sess.run([expected, chosen, state], {choice: flag})
            np.testing.assert_allclose(found, expected, rtol=1e-5)
            assert after.shape == (2, 4)
        forced, fed = sess.run([forced, fed])
        np.testing.assert_allclose(forced[0], fed[0], rtol=1e-5)  # the first input is given in both cases


def test_attention_decoder_against_numpy():
    memory, x, h = random_values(2, 3, 4), random_values(2, 5, seed=1), random_values(2, 6, seed=2)
    outputs, state = LEGACY.attention_decoder([tf.constant(x)], tf.constant(h), tf.constant(memory), RNN.BasicRNNCell(6), output_size=7)
    prefix = "attention_decoder/"
    assert variable_names() == [prefix + name for name in ("Attention_0/bias", "Attention_0/kernel", "AttnOutputProjection/bias",
                                                  "AttnOutputProjection/kernel", "AttnV_0", "AttnW_0", "basic_rnn_cell/bias",
                                                  "basic_rnn_cell/kernel", "bias", "kernel")]
    output, state, w = evaluate([outputs[0], state, {v.op.name[len(prefix):]: v for v in tf.global_variables()}])
    given = np.concatenate([x, np.zeros((2, 4))], 1) @ w["kernel"] + w["bias"]
    after = np.tanh(np.concatenate([given, h], 1) @ w["basic_rnn_cell/kernel"] + w["basic_rnn_cell/bias"])
    y = after @ w["Attention_0/kernel"] + w["Attention_0/bias"]
    score = (w["AttnV_0"] * np.tanh(memory @ w["AttnW_0"][0, 0] + y[:, None])).sum(2)
    p = np.exp(score) / np.exp(score).sum(1, keepdims=True)
    read = np.einsum("bt,btd->bd", p, memory)
    np.testing.assert_allclose(state, after, rtol=1e-4)
    np.testing.assert_allclose(output, np.concatenate([after, read], 1) @ w["AttnOutputProjection/kernel"] + w["AttnOutputProjection/bias"],
                               rtol=1e-4, atol=1e-5)


def test_buckets_share_their_variables():
    source, target = tokens(SOURCE), tokens(TARGET + [[0, 0]])
    weights = [tf.ones([2])] * 3

    def model(encoder, decoder):
        return LEGACY.embedding_attention_seq2seq(encoder, decoder, RNN.BasicLSTMCell(4), 6, 5, 3, num_heads=2, initial_state_attention=True)
    outputs, losses = LEGACY.model_with_buckets(source, target, target, weights, [(1, 2), (3, 3)], model)
    assert [len(o) for o in outputs] == [2, 3] and len(variable_names()) == len(set(variable_names()))
    per_example = LEGACY.model_with_buckets(source, target, target, weights, [(3, 3)], lambda e, d: ([tf.zeros([2, 5])] * 3, None),
                                            per_example_loss=True)[1]
    train = tf.train.GradientDescentOptimizer(0.5).minimize(losses[1])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(losses[1])
        for _ in range(10):
            sess.run(train)
        assert sess.run(losses[1]) < before
        np.testing.assert_allclose(sess.run(per_example[0]), [np.log(5)] * 2, rtol=1e-5)
    with pytest.raises(ValueError, match="must be at least that of last bucket"):
        LEGACY.model_with_buckets(source, target, target, weights, [(1, 2), (4, 3)], model)


def test_one_encoder_and_several_decoders():
    outputs, states = LEGACY.one2many_rnn_seq2seq(tokens(SOURCE), {"a": tokens(TARGET), "b": tokens(TARGET[:1])}, RNN.GRUCell(4),
                                                  {"a": RNN.GRUCell(4), "b": RNN.GRUCell(4)}, 6, {"a": 5, "b": 7}, 3)
    assert outputs["b"][0].shape.as_list() == [2, 7] and states["a"].shape.as_list() == [2, 4]
    assert "one2many_rnn_seq2seq/one2many_decoder_b/embedding_rnn_decoder/embedding" in variable_names()
