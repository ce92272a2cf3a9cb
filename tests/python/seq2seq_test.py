"""Tests decoders, helpers, attention and beam search against dynamic_rnn, against numpy, and against brute force over all
sequences. tf.contrib.seq2seq exists in no TensorFlow that still runs."""
import itertools

import numpy as np
import pytest

import weir as tf
from evaluation import evaluate, random_values, variable_names

S = tf.contrib.seq2seq
RNN = tf.nn.rnn_cell


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def softmax(x):
    return np.exp(log_softmax(x))


# --- loss ---
@pytest.mark.parametrize("over_time, over_batch, how", [(True, True, "average"), (False, True, "average"), (True, False, "average"),
                                                       (False, False, "average"), (True, True, "sum"), (False, True, "sum"), (True, False, "sum")])
def test_sequence_loss(over_time, over_batch, how):
    logits, targets = random_values(2, 3, 5), np.array([[0, 4, 2], [1, 1, 3]])
    weights = np.array([[1, 1, 0.5], [1, 0, 0]], np.float32)
    average = dict(average_across_timesteps=how == "average" and over_time, average_across_batch=how == "average" and over_batch)
    sums = dict(sum_over_timesteps=how == "sum" and over_time, sum_over_batch=how == "sum" and over_batch)
    found = evaluate(S.sequence_loss(tf.constant(logits), tf.constant(targets), tf.constant(weights), **average, **sums))
    losses = -np.take_along_axis(log_softmax(logits), targets[..., None], -1)[..., 0] * weights
    axes = tuple(axis for axis, wanted in ((0, over_batch), (1, over_time)) if wanted)
    expected = losses
    if axes:
        divisor = weights.sum(axes) if how == "average" else (weights != 0).sum(axes)
        expected = np.divide(losses.sum(axes), divisor, out=np.zeros_like(losses.sum(axes)), where=divisor != 0)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_sequence_loss_with_a_loss_function_and_wrong_arguments():
    logits, targets, weights = tf.constant(random_values(2, 3, 5)), tf.zeros([2, 3], tf.int32), tf.ones([2, 3])
    found = S.sequence_loss(logits, targets, weights, softmax_loss_function=lambda labels, logits: tf.cast(labels, tf.float32) + 2.0)
    assert evaluate(found) == 2.0
    with pytest.raises(ValueError, match="Logits must be a"):
        S.sequence_loss(targets, targets, weights)
    with pytest.raises(ValueError, match="cannot be set to True at same time"):
        S.sequence_loss(logits, targets, weights, sum_over_batch=True)


# --- decoding with known inputs ---
@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("impute", [False, True])
def test_training_equals_dynamic_rnn(time_major, impute):
    x, lengths = random_values(3, 4, 2), np.array([4, 2, 0], np.int32)
    given = tf.constant(x.transpose(1, 0, 2) if time_major else x)
    cell = RNN.LSTMCell(5, name="cell")
    rnn, rnn_state = tf.nn.dynamic_rnn(cell, tf.constant(x), sequence_length=lengths, dtype=tf.float32)
    helper = S.TrainingHelper(given, lengths, time_major=time_major)
    decoder = S.BasicDecoder(cell, helper, cell.zero_state(3, tf.float32))
    (outputs, ids), state, found = S.dynamic_decode(decoder, output_time_major=time_major, impute_finished=impute)
    assert outputs.shape.as_list() == ([None, 3, 5] if time_major else [3, None, 5])
    expected, after, outputs, ids, state, found = evaluate([rnn, rnn_state, outputs, ids, state, found])
    outputs, ids = (outputs.transpose(1, 0, 2), ids.T) if time_major else (outputs, ids)
    assert found.tolist() == [4, 2, 0]
    for row, length in enumerate(lengths):
        np.testing.assert_allclose(outputs[row, :length], expected[row, :length], rtol=1e-5)
        np.testing.assert_array_equal(ids[row, :length], expected[row, :length].argmax(-1))
    if impute:
        np.testing.assert_allclose(outputs, expected, rtol=1e-5)
        np.testing.assert_allclose(state.h, after.h, rtol=1e-5)
        np.testing.assert_allclose(state.c, after.c, rtol=1e-5)


def test_decoding_has_gradients_and_an_output_layer():
    x = tf.constant(random_values(2, 3, 2))
    cell = RNN.GRUCell(4)
    layer = tf.layers.Dense(6, name="projection")
    decoder = S.BasicDecoder(cell, S.TrainingHelper(x, [3, 2]), tf.zeros([2, 4]), output_layer=layer)
    outputs, _, _ = S.dynamic_decode(decoder, impute_finished=True)
    assert outputs.rnn_output.shape.as_list() == [2, None, 6]
    loss = S.sequence_loss(outputs.rnn_output, tf.ones([2, 3], tf.int32), tf.sequence_mask([3, 2], dtype=tf.float32))
    assert variable_names() == ["decoder/gru_cell/candidate/bias", "decoder/gru_cell/candidate/kernel", "decoder/gru_cell/gates/bias",
                       "decoder/gru_cell/gates/kernel", "decoder/projection/bias", "decoder/projection/kernel"]
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(loss)
        for _ in range(20):
            sess.run(train)
        assert sess.run(loss) < 0.7 * before


def test_nested_inputs_and_maximum_iterations():
    class Adding(RNN.RNNCell):
        state_size, output_size = 2, 2

        def call(self, inputs, state):
            return inputs["a"] + inputs["b"] + state, state + 1

    x = {"a": tf.constant(random_values(2, 5, 2)), "b": tf.ones([2, 5, 2])}
    decoder = S.BasicDecoder(Adding(), S.TrainingHelper(x, [5, 1]), tf.zeros([2, 2]))
    outputs, state, lengths = S.dynamic_decode(decoder, maximum_iterations=3)
    a, outputs, state, lengths = evaluate([x["a"], outputs.rnn_output, state, lengths])
    np.testing.assert_allclose(outputs, a[:, :3] + 1 + np.arange(3)[None, :, None], rtol=1e-5)
    assert lengths.tolist() == [3, 1] and state.tolist() == [[3, 3], [3, 3]]


# --- decoding with its own outputs ---
class Table(RNN.RNNCell):
    """The logits of the next token depend on the embedding and on the number of the step."""

    def __init__(self, table):
        super().__init__()
        self._table = tf.constant(table)

    state_size = 1
    output_size = property(lambda self: self._table.shape[-1].value)

    def call(self, inputs, state):
        step = tf.cast(state[:, 0], tf.int32)
        return tf.gather_nd(self._table, tf.stack([step, tf.cast(inputs[:, 0], tf.int32)], 1)), state + 1


def ids_as_embedding(ids):
    return tf.expand_dims(tf.cast(ids, tf.float32), -1)


def greedy(table, start, end, steps):
    found, token = [], start
    for t in range(steps):
        token = int(table[t, token].argmax())
        found.append(token)
        if token == end:
            break
    return found


def test_greedy_decoding():
    table = random_values(6, 5, 5, seed=3) * 3
    helper = S.GreedyEmbeddingHelper(ids_as_embedding, [0, 3, 1], 4)
    decoder = S.BasicDecoder(Table(table), helper, tf.zeros([3, 1]))
    outputs, _, lengths = S.dynamic_decode(decoder, maximum_iterations=6)
    ids, lengths = evaluate([outputs.sample_id, lengths])
    for row, start in enumerate([0, 3, 1]):
        expected = greedy(table, start, 4, 6)
        assert ids[row, :lengths[row]].tolist() == expected


def test_an_embedding_matrix_and_sampling():
    table = np.full((4, 3, 3), -50, np.float32)
    table[..., 1] = 50  # always samples class 1
    embedding = tf.constant([[0.0], [1.0], [2.0]])
    helper = S.SampleEmbeddingHelper(embedding, tf.fill([2], 0), 2, softmax_temperature=2.0, seed=1)
    outputs, _, lengths = S.dynamic_decode(S.BasicDecoder(Table(table), helper, tf.zeros([2, 1])), maximum_iterations=4)
    ids, lengths = evaluate([outputs.sample_id, lengths])
    assert ids.tolist() == [[1] * 4] * 2 and lengths.tolist() == [4, 4]


def test_sampling_follows_the_probabilities():
    logits = np.log(np.array([[0.2, 0.5, 0.3]], np.float32)).repeat(4000, 0)
    helper = S.SampleEmbeddingHelper(ids_as_embedding, tf.zeros([4000], tf.int32), 2, seed=5)
    ids = evaluate(helper.sample(tf.constant(0), tf.constant(logits), None))
    np.testing.assert_allclose(np.bincount(ids) / 4000, [0.2, 0.5, 0.3], atol=0.03)


def test_inference_and_custom_helpers():
    start = tf.constant([[1.0], [2.0]])
    cell = RNN.BasicRNNCell(1)
    inference = S.InferenceHelper(sample_fn=lambda outputs: outputs, sample_shape=[1], sample_dtype=tf.float32, start_inputs=start,
                                  end_fn=lambda ids: tf.fill([2], False))
    custom = S.CustomHelper(lambda: (tf.fill([2], False), start), lambda time, outputs, state: tf.argmax(outputs, 1, output_type=tf.int32),
                            lambda time, outputs, state, sample_ids: (tf.fill([2], tf.greater_equal(time, 3)), outputs, state))
    results = []
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        for helper in (inference, custom):
            decoder = S.BasicDecoder(cell, helper, tf.zeros([2, 1]))
            results.append(S.dynamic_decode(decoder, maximum_iterations=4))
    (a, _, _), (b, _, lengths) = evaluate(results)
    np.testing.assert_allclose(a.rnn_output, b.rnn_output, rtol=1e-6)
    np.testing.assert_allclose(a.sample_id, a.rnn_output)
    assert lengths.tolist() == [4, 4]


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_scheduled_embedding(probability):
    table = random_values(5, 5, 5, seed=4)
    x = np.array([[0, 1, 2, 3], [4, 3, 2, 1]])
    helper = S.ScheduledEmbeddingTrainingHelper(ids_as_embedding(tf.constant(x)), [4, 4], ids_as_embedding, probability, seed=1, scheduling_seed=2)
    outputs, _, _ = S.dynamic_decode(S.BasicDecoder(Table(table), helper, tf.zeros([2, 1])))
    logits, ids = evaluate([outputs.rnn_output, outputs.sample_id])
    for row in range(2):
        tokens = x[row] if probability == 0 else [x[row, 0], *ids[row, :3]]
        np.testing.assert_allclose(logits[row], [table[t, token] for t, token in enumerate(tokens)], rtol=1e-6)
    assert (ids == -1).all() if probability == 0 else (ids >= 0).all()


@pytest.mark.parametrize("probability", [0.0, 1.0])
@pytest.mark.parametrize("function", [None, lambda outputs: outputs * 2])
def test_scheduled_output(probability, function):
    class Shift(RNN.RNNCell):
        state_size, output_size = 1, 2

        def call(self, inputs, state):
            return inputs[:, :2] + inputs[:, 2:] + 1, state

    x, auxiliary = random_values(2, 3, 2), random_values(2, 3, 2, seed=1)
    helper = S.ScheduledOutputTrainingHelper(tf.constant(x), [3, 3], probability, seed=3, next_inputs_fn=function,
                                             auxiliary_inputs=tf.constant(auxiliary))
    outputs, _, _ = S.dynamic_decode(S.BasicDecoder(Shift(), helper, tf.zeros([2, 1])))
    found = evaluate(outputs.rnn_output)
    previous = x[:, 0]
    for t in range(3):
        given = x[:, t] if probability == 0 or t == 0 else (function or (lambda o: o))(previous)
        previous = given + auxiliary[:, t] + 1
        np.testing.assert_allclose(found[:, t], previous, rtol=1e-5)


def test_a_decoder_of_the_user():
    class Counting(S.Decoder):
        batch_size = 3
        output_size = tf.TensorShape([])
        output_dtype = tf.int32

        def initialize(self, name=None, start=0):
            return tf.fill([3], False), (), tf.fill([3], start)

        def step(self, time, inputs, state, name=None):
            return state * 10, state + 1, (), state + 1 >= tf.constant([3, 1, 2])

        def finalize(self, outputs, final_state, sequence_lengths):
            return {"tens": outputs, "lengths": tf.transpose(tf.expand_dims(sequence_lengths, 1))}, final_state

    outputs, state, lengths = evaluate(S.dynamic_decode(Counting(), impute_finished=True, start=0))
    assert outputs["tens"].tolist() == [[0, 10, 20], [0, 0, 0], [0, 10, 0]]
    assert outputs["lengths"].tolist() == [[3], [1], [2]]
    assert state.tolist() == [3, 1, 2] and lengths.tolist() == [3, 1, 2]
    with pytest.raises(TypeError, match="Expected decoder to be type Decoder"):
        S.dynamic_decode(RNN.GRUCell(2))


# --- attention ---
LENGTHS = np.array([4, 2], np.int32)


def masked(score):
    return np.where(np.arange(score.shape[1])[None] < LENGTHS[:, None], score, -np.inf)


@pytest.mark.parametrize("normalize", [False, True])
def test_bahdanau_attention(normalize):
    memory, query = random_values(2, 4, 3), random_values(2, 5, seed=1)
    attention = S.BahdanauAttention(6, tf.constant(memory), memory_sequence_length=LENGTHS, normalize=normalize)
    before = attention.initial_state(2, tf.float32)
    alignments, state = attention(tf.constant(query), before)
    assert [name for name in variable_names() if "attention_g" not in name and "attention_b" not in name] == [
        "bahdanau_attention/attention_v", "bahdanau_attention/query_layer/kernel", "memory_layer/kernel"]
    found, first, weights = evaluate([alignments, before, {v.op.name.split("/", 1)[-1]: v for v in tf.global_variables()}])
    keys = (memory * (np.arange(4) < LENGTHS[:, None])[..., None]) @ (weights.get("memory_layer/kernel", weights.get("kernel")))
    v, processed = weights["attention_v"], query @ weights["query_layer/kernel"]
    if normalize:
        assert weights["attention_g"] == pytest.approx(np.sqrt(1 / 6))
        v = weights["attention_g"] * v / np.sqrt((v ** 2).sum())
        processed = processed + weights["attention_b"]
    np.testing.assert_allclose(found, softmax(masked((v * np.tanh(keys + processed[:, None])).sum(2))), rtol=1e-5)
    assert first.tolist() == [[0] * 4] * 2


@pytest.mark.parametrize("scale", [False, True])
def test_luong_attention(scale):
    memory, query = random_values(2, 4, 3), random_values(2, 5, seed=1)
    attention = S.LuongAttention(5, tf.constant(memory), LENGTHS, scale=scale)
    alignments, _ = attention(tf.constant(query), attention.initial_state(2, tf.float32))
    assert variable_names() == (["luong_attention/attention_g"] if scale else []) + ["memory_layer/kernel"]
    found, keys = evaluate([alignments, attention.keys])
    np.testing.assert_allclose(found, softmax(masked(np.einsum("bd,btd->bt", query, keys))), rtol=1e-5)
    with pytest.raises(ValueError, match="Perhaps you need to set num_units"):
        attention(tf.zeros([2, 7]), None)


def test_hardmax_and_safe_cumprod():
    x = np.array([[0.2, 0.9, 0.9], [3, 1, 2]], np.float32)
    hard, product = evaluate([S.hardmax(x), S.safe_cumprod(x / 4, axis=1, exclusive=True)])
    assert hard.tolist() == [[0, 1, 0], [1, 0, 0]]
    np.testing.assert_allclose(product, np.cumprod(np.concatenate([np.ones((2, 1)), x[:, :-1] / 4], 1), 1), rtol=1e-5)


def monotonic(p, previous):
    """For each previous position, the probability of stopping at each later one."""
    result = np.zeros_like(p)
    for row, start, stop in itertools.product(range(p.shape[0]), range(p.shape[1]), range(p.shape[1])):
        if stop >= start:
            result[row, stop] += previous[row, start] * np.prod(1 - p[row, start:stop]) * p[row, stop]
    return result


@pytest.mark.parametrize("mode", ["recursive", "parallel"])
def test_monotonic_attention(mode):
    p = np.random.RandomState(0).uniform(0.1, 0.9, (2, 5)).astype(np.float32)
    previous = softmax(random_values(2, 5, seed=1))
    np.testing.assert_allclose(evaluate(S.monotonic_attention(p, previous, mode)), monotonic(p, previous), rtol=1e-4)


def test_hard_monotonic_attention():
    p = np.array([[0, 1, 0, 1, 0], [1, 0, 0, 0, 1]], np.float32)
    previous = np.array([[0, 0, 1, 0, 0], [0, 1, 0, 0, 0]], np.float32)
    assert evaluate(S.monotonic_attention(p, previous, "hard")).tolist() == monotonic(p, previous).tolist()
    with pytest.raises(ValueError, match="mode must be"):
        S.monotonic_attention(p, previous, "soft")


@pytest.mark.parametrize("kind", [S.BahdanauMonotonicAttention, S.LuongMonotonicAttention])
def test_monotonic_mechanisms(kind):
    attention = kind(5, tf.constant(random_values(2, 4, 3)), LENGTHS, score_bias_init=-1.0)
    first = attention.initial_alignments(2, tf.float32)
    alignments, _ = attention(tf.constant(random_values(2, 5, seed=1)), first)
    scope = "bahdanau_monotonic_attention" if kind is S.BahdanauMonotonicAttention else "luong_monotonic_attention"
    assert f"{scope}/attention_score_bias" in variable_names()
    first, found = evaluate([first, alignments])
    assert first.tolist() == [[1, 0, 0, 0]] * 2
    assert (found[1, 2:] == 0).all() and (found.sum(1) <= 1.0001).all() and (found[0] > 0).all()


# --- the cell that attends ---
def wrapped(memory, lengths=None, **kwargs):
    mechanism = S.LuongAttention(4, memory, lengths)
    return S.AttentionWrapper(RNN.BasicLSTMCell(4), mechanism, **kwargs)


def test_attention_wrapper_against_numpy():
    memory, x = random_values(2, 3, 4), random_values(2, 5, seed=1)
    cell = wrapped(tf.constant(memory), attention_layer_size=6)
    output, state = cell(tf.constant(x), cell.zero_state(2, tf.float32))
    assert variable_names() == ["attention_wrapper/attention_layer/kernel", "attention_wrapper/basic_lstm_cell/bias",
                       "attention_wrapper/basic_lstm_cell/kernel", "memory_layer/kernel"]
    output, state, weights = evaluate([output, state, {v.op.name.rsplit("/", 2)[-2] + v.op.name[-1]: v for v in tf.global_variables()}])
    inputs = np.concatenate([x, np.zeros((2, 6)), np.zeros((2, 4))], 1)
    i, j, f, o = np.split(inputs @ weights["basic_lstm_celll"] + weights["basic_lstm_cells"], 4, 1)
    sigmoid = lambda z: 1 / (1 + np.exp(-z))
    h = sigmoid(o) * np.tanh(sigmoid(i) * np.tanh(j))
    keys = memory @ weights["memory_layerl"]
    alignments = softmax(np.einsum("bd,btd->bt", h, keys))
    context = np.einsum("bt,btd->bd", alignments, memory)
    np.testing.assert_allclose(state.alignments, alignments, rtol=1e-4)
    np.testing.assert_allclose(output, np.concatenate([h, context], 1) @ weights["attention_layerl"], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(output, state.attention)
    assert state.time == 1 and state.alignment_history == ()


def test_attention_wrapper_in_a_decoder():
    memory = tf.constant(random_values(2, 3, 4))
    encoder_state = RNN.LSTMStateTuple(tf.constant(random_values(2, 4, seed=5)), tf.constant(random_values(2, 4, seed=6)))
    cell = wrapped(memory, [3, 2], alignment_history=True, output_attention=False)
    start = cell.zero_state(2, tf.float32).clone(cell_state=encoder_state)
    assert cell.output_size == 4 and start.cell_state is not encoder_state and start.cell_state.h is encoder_state.h
    decoder = S.BasicDecoder(cell, S.TrainingHelper(tf.constant(random_values(2, 5, 2)), [5, 4]), start)
    _, state, _ = S.dynamic_decode(decoder)
    history, alignments, time = evaluate([state.alignment_history.stack(), state.alignments, state.time])
    assert history.shape == (5, 2, 3) and time == 5
    np.testing.assert_allclose(history[-1], alignments)
    np.testing.assert_allclose(history.sum(-1), 1, rtol=1e-5)
    assert (history[:, 1, 2] == 0).all()
    assert "decoder/attention_wrapper/basic_lstm_cell/kernel" in variable_names() and "memory_layer/kernel" in variable_names()
    with pytest.raises(ValueError, match="incompatible"):
        start.clone(cell_state=RNN.LSTMStateTuple(tf.zeros([2, 3]), tf.zeros([2, 4])))


def test_several_mechanisms():
    mechanisms = [S.LuongAttention(4, tf.constant(random_values(2, 3, 4))), S.BahdanauAttention(5, tf.constant(random_values(2, 6, 3)))]
    cell = S.AttentionWrapper(RNN.GRUCell(4), mechanisms, attention_layer_size=[2, 3], alignment_history=True)
    output, state = cell(tf.zeros([2, 1]), cell.zero_state(2, tf.float32))
    assert output.shape.as_list() == [2, 5] and cell.state_size.alignments == (3, 6)
    found = evaluate([a.stack() for a in state.alignment_history])
    assert [a.shape for a in found] == [(1, 2, 3), (1, 2, 6)]
    with pytest.raises(ValueError, match="exactly one entry per attention_mechanism"):
        S.AttentionWrapper(RNN.GRUCell(4), mechanisms, attention_layer_size=[2])


def test_batches_that_do_not_fit():
    with pytest.raises(ValueError, match="tile_batch"):
        wrapped(tf.zeros([2, 3, 4])).zero_state(6, tf.float32)


# --- beam search ---
def test_tile_batch():
    x = tf.placeholder(tf.float32, [None, 2])
    tiled, state = S.tile_batch((x, RNN.LSTMStateTuple(tf.constant([1, 2]), tf.zeros([2, 1]))), 3)
    assert tiled.shape.as_list() == [None, 2] and state.h.shape.as_list() == [6, 1]
    found, c = evaluate([tiled, state.c], {x: [[1, 2], [3, 4]]})
    assert found.tolist() == [[1, 2]] * 3 + [[3, 4]] * 3 and c.tolist() == [1, 1, 1, 2, 2, 2]


def best_sequences(table, start, end, steps, weight=0.0):
    """All sequences that end with the end token or at the last step, by score."""
    found = []
    vocabulary = table.shape[-1]
    for length in range(1, steps + 1):
        for tokens in itertools.product(range(vocabulary), repeat=length):
            if end in tokens[:-1] or (length < steps and tokens[-1] != end):
                continue
            score, previous = 0.0, start
            for t, token in enumerate(tokens):
                score += log_softmax(table[t, previous])[token]
                previous = token
            # the length of a beam counts its end token, but only after the step in which it ends
            counted = length - (tokens[-1] == end and length == steps)
            found.append((score / ((5 + counted) / 6) ** weight, tokens))
    return sorted(found, reverse=True)


@pytest.mark.parametrize("weight", [0.0, 0.8])
def test_beam_search_against_all_sequences(weight):
    steps, vocabulary, width, end = 3, 3, 27, 2
    table = random_values(steps, vocabulary, vocabulary, seed=7) * 2
    starts = [0, 1]
    decoder = S.BeamSearchDecoder(Table(table), ids_as_embedding, starts, end, tf.zeros([2 * width, 1]), width, length_penalty_weight=weight)
    outputs, state, lengths = S.dynamic_decode(decoder, maximum_iterations=steps)
    assert isinstance(outputs, S.FinalBeamSearchDecoderOutput)
    ids, scores, lengths = evaluate([outputs.predicted_ids, outputs.beam_search_decoder_output.scores, lengths])
    assert ids.shape == (2, steps, width)
    for row, start in enumerate(starts):
        expected = best_sequences(table, start, end, steps, weight)[:5]
        for beam, (score, tokens) in enumerate(expected):
            assert ids[row, :len(tokens), beam].tolist() == list(tokens)
            assert (ids[row, len(tokens):, beam] == end).all()
            assert lengths[row, beam] == len(tokens)
            assert scores[row, -1, beam] == pytest.approx(score, rel=1e-4)


def test_a_beam_of_one_is_greedy():
    table = random_values(6, 5, 5, seed=3) * 3
    decoder = S.BeamSearchDecoder(Table(table), ids_as_embedding, [0, 3, 1], 4, tf.zeros([3, 1]), 1)
    outputs, _, lengths = S.dynamic_decode(decoder, maximum_iterations=6)
    ids, lengths = evaluate([outputs.predicted_ids, lengths])
    for row, start in enumerate([0, 3, 1]):
        assert ids[row, :lengths[row, 0], 0].tolist() == greedy(table, start, 4, 6)


def test_beam_search_with_attention_and_a_coverage_penalty():
    width, layer = 3, tf.layers.Dense(6, use_bias=False)
    memory, lengths, state = S.tile_batch((tf.constant(random_values(2, 4, 4)), tf.constant(LENGTHS), tf.constant(random_values(2, 4, seed=8))), width)
    cell = S.AttentionWrapper(RNN.GRUCell(4), S.LuongAttention(4, memory, lengths), alignment_history=True)
    start = cell.zero_state(2 * width, tf.float32).clone(cell_state=state)
    embedding = tf.constant(random_values(6, 3, seed=9))
    decoder = S.BeamSearchDecoder(cell, embedding, tf.fill([2], 1), 0, start, width, output_layer=layer, coverage_penalty_weight=0.5)
    outputs, final, sizes = S.dynamic_decode(decoder, maximum_iterations=5)
    ids, history, log_probs, sizes = evaluate([outputs.predicted_ids, final.cell_state.alignment_history, final.log_probs, sizes])
    assert ids.shape[0] == 2 and ids.shape[2] == width and history.shape[1:] == (2 * width, 4)
    np.testing.assert_allclose(history.sum(-1), 1, rtol=1e-5)
    assert (history[:, width:, 2:] == 0).all()
    assert len({tuple(beam) for beam in ids[0].T}) == width


def test_arrays_follow_the_beams():
    parents = np.array([[[0, 1, 2]], [[1, 0, 0]], [[2, 0, 1]]], np.int32)
    written = np.arange(9, dtype=np.float32).reshape(3, 3, 1)
    found = evaluate(S.python.ops.beam_search_decoder.gather_tree_from_array(tf.constant(written), tf.constant(parents), tf.constant([[3, 3, 3]])))
    # the beams at the end come from 2, 0, 1 at step 1, and those from 0, 1, 0 at step 0
    assert found[:, :, 0].tolist() == [[0, 1, 0], [5, 3, 4], [6, 7, 8]]


def test_wrong_initial_state_of_beams():
    with pytest.raises(ValueError, match="tile_batch"):
        S.BeamSearchDecoder(RNN.GRUCell(4), tf.zeros([5, 3]), [1, 1], 0, tf.zeros([2, 4]), 3)


def test_scopes_of_decoders():
    """Without a scope, each call has its own; with a name, calls share it."""
    def decode(**arguments):
        cell = RNN.GRUCell(4)
        helper = S.TrainingHelper(tf.ones([2, 3, 4]), [3, 2])
        S.dynamic_decode(S.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32)), **arguments)
        return cell.trainable_weights[0].op.name

    with tf.Graph().as_default():
        assert [decode(), decode()] == ["decoder/gru_cell/gates/kernel", "decoder_1/gru_cell/gates/kernel"]
        assert decode(scope="own") == "own/gru_cell/gates/kernel"
        for reuse in (None, True):
            with tf.variable_scope("outer", reuse=reuse):
                assert decode() == "outer/decoder/gru_cell/gates/kernel"
