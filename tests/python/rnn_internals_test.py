"""Tests the private names of TensorFlow's recurrent networks that public programs import."""
import numpy as np
import pytest

import weir as tf
from evaluation import evaluate, random_values, variable_names

impl, rnn = tf.python.ops.rnn_cell_impl, tf.python.ops.rnn
attention = tf.contrib.seq2seq.python.ops.attention_wrapper
decoder = tf.contrib.seq2seq.python.ops.decoder


def softmax(x):
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


def test_modules_share_their_names():
    ops = tf.contrib.rnn.python.ops
    assert ops.core_rnn_cell._Linear is impl._Linear is tf.python.ops.rnn_cell._Linear and ops.core_rnn_cell._linear is impl._linear
    assert ops.lstm_ops.LSTMBlockCell is tf.contrib.rnn.LSTMBlockCell and ops.gru_ops.GRUBlockCellV2 is tf.contrib.rnn.GRUBlockCellV2
    assert ops.rnn_cell.UGRNNCell is tf.contrib.rnn.UGRNNCell and ops.fused_rnn_cell.FusedRNNCell is tf.contrib.rnn.FusedRNNCell
    assert impl.LayerRNNCell is tf.contrib.rnn.LayerRNNCell and impl.LSTMStateTuple is tf.nn.rnn_cell.LSTMStateTuple
    assert impl._WEIGHTS_VARIABLE_NAME == "kernel" and impl._BIAS_VARIABLE_NAME == "bias"
    assert decoder._transpose_batch_time is rnn._transpose_batch_time
    seq2seq = tf.contrib.seq2seq.python.ops
    assert seq2seq.basic_decoder.BasicDecoder is tf.contrib.seq2seq.BasicDecoder and seq2seq.helper.Helper is tf.contrib.seq2seq.Helper
    assert seq2seq.beam_search_decoder.BeamSearchDecoder is tf.contrib.seq2seq.BeamSearchDecoder


def test_linear():
    x, y = random_values(3, 2), random_values(3, 4, seed=1)
    with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1, 1, seed=3)):
        layer = impl._Linear([tf.constant(x), tf.constant(y)], 5, True, bias_initializer=tf.constant_initializer(0.5))
        both = layer([tf.constant(x), tf.constant(y)])
        again = layer([tf.constant(2 * x), tf.constant(y)])
        with tf.variable_scope("inner"):
            single = impl._linear(tf.constant(x), 3, False, kernel_initializer=tf.ones_initializer())
    assert variable_names() == ["net/bias", "net/inner/kernel", "net/kernel"]
    both, again, single, kernel = evaluate([both, again, single, tf.global_variables()[0]])
    np.testing.assert_allclose(both, np.concatenate([x, y], 1) @ kernel + 0.5, rtol=1e-5)
    np.testing.assert_allclose(again, np.concatenate([2 * x, y], 1) @ kernel + 0.5, rtol=1e-5)
    np.testing.assert_allclose(single, x.sum(1, keepdims=True).repeat(3, 1), rtol=1e-5)
    with pytest.raises(ValueError, match="must be specified"):
        impl._linear([], 3, True)
    with pytest.raises(ValueError, match="2D"):
        impl._linear([tf.zeros([2, 3, 4])], 3, True)
    with pytest.raises(ValueError, match=r"expects shape\[1\]"):
        impl._linear(tf.placeholder(tf.float32, [2, None]), 3, True)


def test_a_cell_of_the_user_with_linear_layers():
    class Cell(impl.RNNCell):
        _layer = None
        state_size = output_size = 4

        def call(self, inputs, state):
            if self._layer is None:
                self._layer = impl._Linear([inputs, state], 4, True)
            output = tf.tanh(self._layer([inputs, state]))
            return output, output
    cell, x = Cell(), tf.constant(random_values(2, 3, 5))
    assert impl._like_rnncell(cell) and not impl._like_rnncell(print)
    impl.assert_like_rnncell("cell", cell)
    with pytest.raises(TypeError, match="'output_size' property is missing"):
        impl.assert_like_rnncell("cell", print)
    outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, scope="net")
    with tf.variable_scope("", reuse=True):
        plain, _ = tf.nn.dynamic_rnn(impl.BasicRNNCell(4, name="cell"), x, dtype=tf.float32, scope="net")
    assert variable_names() == ["net/cell/bias", "net/cell/kernel"]
    np.testing.assert_allclose(*evaluate([outputs, plain]), rtol=1e-5)


def test_shapes_of_states():
    size = tf.placeholder(tf.int32, [])
    assert impl._concat(3, [4, 5], static=True) == [3, 4, 5] and impl._concat(size, 4, static=True) == [None, 4]
    assert impl._concat(tf.constant(2), tf.TensorShape([None]), static=True) == [2, None]
    assert evaluate([impl._concat(3, 4), impl._concat(size, [4, 5])], {size: 7})[1].tolist() == [7, 4, 5]
    with pytest.raises(ValueError, match="prefix or suffix of None"):
        impl._concat(None, 4)
    with pytest.raises(ValueError, match="scalar or vector"):
        impl._concat(tf.zeros([2, 2], tf.int32), 4)
    state = impl._zero_state_tensors((3, tf.TensorShape([2, 4])), size, tf.float32)
    assert [s.shape.as_list() for s in state] == [[None, 3], [None, 2, 4]]
    assert [s.shape for s in evaluate(state, {size: 5})] == [(5, 3), (5, 2, 4)]
    outputs = decoder._create_zero_outputs((tf.TensorShape([3]), tf.TensorShape([])), (tf.float32, tf.int32), 2)
    assert [(o.dtype, o.shape.as_list()) for o in outputs] == [(tf.float32, [2, 3]), (tf.int32, [2])]


def test_time_and_batch():
    x = random_values(2, 3, 4)
    unknown = tf.placeholder(tf.float32)
    fixed, found = rnn._transpose_batch_time(tf.constant(x)), rnn._transpose_batch_time(unknown)
    assert fixed.shape.as_list() == [3, 2, 4]
    for value in evaluate([fixed, found], {unknown: x}):
        np.testing.assert_array_equal(value, x.transpose(1, 0, 2))
    with pytest.raises(ValueError, match="rank at least 2"):
        rnn._transpose_batch_time(tf.zeros([3]))
    assert rnn._best_effort_input_batch_size([unknown, tf.placeholder(tf.float32, [None, 7, 2])]) == 7
    assert evaluate(rnn._best_effort_input_batch_size([unknown]), {unknown: x}) == 3
    assert rnn._infer_state_dtype(None, (tf.zeros([2]), tf.zeros([3]))) == tf.float32 and rnn._infer_state_dtype(tf.int32, None) == tf.int32
    for state, message in (((), "empty"), ((tf.zeros([2]), tf.zeros([2], tf.int32)), "different")):
        with pytest.raises(ValueError, match=message):
            rnn._infer_state_dtype(None, state)
    steps = tf.contrib.seq2seq.python.ops.helper._unstack_ta(tf.constant(x))
    np.testing.assert_array_equal(evaluate(steps.read(1)), x[1])


# --- attention ---
QUERY, MEMORY = random_values(2, 4), random_values(2, 3, 4, seed=1)


def test_scores_with_given_variables():
    v, g, b = random_values(4, seed=2), np.float32(0.7), random_values(4, seed=3)
    plain = attention._bahdanau_score(tf.constant(QUERY), tf.constant(MEMORY), tf.constant(v))
    normal = attention._bahdanau_score(tf.constant(QUERY), tf.constant(MEMORY), tf.constant(v), tf.constant(g), tf.constant(b))
    luong, scaled = (attention._luong_score(tf.constant(QUERY), tf.constant(MEMORY), scale) for scale in (None, tf.constant(0.5)))
    plain, normal, luong, scaled = evaluate([plain, normal, luong, scaled])
    np.testing.assert_allclose(plain, (v * np.tanh(MEMORY + QUERY[:, None])).sum(2), rtol=1e-5)
    np.testing.assert_allclose(normal, (g * v / np.linalg.norm(v) * np.tanh(MEMORY + QUERY[:, None] + b)).sum(2), rtol=1e-4)
    np.testing.assert_allclose(luong, np.einsum("bd,btd->bt", QUERY, MEMORY), rtol=1e-4)
    np.testing.assert_allclose(scaled, 0.5 * luong, rtol=1e-5)
    assert variable_names() == []


def test_scores_that_create_their_variables():
    for name, normalize in (("plain", False), ("normal", True)):
        with tf.variable_scope(name):
            attention._bahdanau_score(tf.constant(QUERY), tf.constant(MEMORY), normalize)
    with tf.variable_scope("luong"):
        attention._luong_score(tf.constant(QUERY), tf.constant(MEMORY), True)
        attention._luong_score(tf.constant(QUERY), tf.constant(MEMORY), False)
    assert variable_names() == ["luong/attention_g", "normal/attention_b", "normal/attention_g", "normal/attention_v", "plain/attention_v"]


def test_masks():
    score, mask = tf.constant(random_values(2, 3)), tf.constant([[True, False, False], [True, True, False]])
    lengths = tf.constant([1, 2])
    by_length, by_mask = attention._maybe_mask_score(score, lengths, -5.0), attention._maybe_mask_score(score, memory_mask=mask)
    assert attention._maybe_mask_score(score, None, -5.0) is score
    memories = [attention._prepare_memory(tf.constant(MEMORY), lengths, True), attention._prepare_memory(tf.constant(MEMORY), memory_mask=mask)]
    by_length, by_mask, first, second, given = evaluate([by_length, by_mask, *memories, mask])
    assert (by_length[~given] == -5).all() and np.isneginf(by_mask[~given]).all() and (by_mask[given] == random_values(2, 3)[given]).all()
    np.testing.assert_array_equal(first, MEMORY * given[..., None])
    np.testing.assert_array_equal(second, first)
    for function in (attention._maybe_mask_score, attention._prepare_memory):
        with pytest.raises(ValueError, match="same time"):
            function(tf.constant(MEMORY), lengths, memory_mask=mask)


def test_a_mechanism_of_the_user():
    class Location(tf.contrib.seq2seq.BahdanauAttention):
        """Scores the query and the sum of the past alignments."""

        def __call__(self, query, state):
            with tf.variable_scope(None, "location", [query]):
                past = tf.layers.dense(tf.expand_dims(state, 2), self._num_units, use_bias=False, name="past")
                score = attention._bahdanau_score(self.query_layer(query), self.keys + past, self._normalize)
                alignments = self._probability_fn(score, state)
            return alignments, state + alignments
    mechanism = Location(4, tf.constant(MEMORY), memory_sequence_length=tf.constant([2, 3]))
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(5), mechanism)
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(random_values(2, 6, 3)), dtype=tf.float32)
    _, total, last = evaluate([outputs, state.attention_state, state.alignments])
    np.testing.assert_allclose(total.sum(1), [6, 6], rtol=1e-5)
    assert last[0, 2] == 0 and total[0, 2] == 0


def test_a_mechanism_from_the_base_class():
    class Dot(attention._BaseAttentionMechanism):
        def __init__(self, memory, lengths):
            super().__init__(query_layer=None, memory=memory, probability_fn=lambda score, previous: tf.nn.softmax(score + previous),
                             memory_sequence_length=lengths, memory_layer=None, name="Dot")

        def __call__(self, query, state):
            alignments = self._probability_fn(attention._luong_score(query, self.keys, None), state)
            return alignments, alignments
    mechanism = Dot(tf.constant(MEMORY), tf.constant([3, 2]))
    before = random_values(2, 3, seed=4)
    context, alignments, _ = attention._compute_attention(mechanism, tf.constant(QUERY), tf.constant(before), None)
    context, alignments = evaluate([context, alignments])
    score = np.einsum("bd,btd->bt", QUERY, MEMORY) + before
    score[1, 2] = -np.inf
    np.testing.assert_allclose(alignments, softmax(score), rtol=1e-5)
    np.testing.assert_allclose(context, np.einsum("bt,btd->bd", softmax(score), MEMORY), rtol=1e-4, atol=1e-6)
    with pytest.raises(TypeError, match="probability_fn must be callable"):
        attention._BaseAttentionMechanism(None, tf.constant(MEMORY), None)
    with pytest.raises(TypeError, match="memory_layer is not a Layer"):
        attention._BaseAttentionMechanism(None, tf.constant(MEMORY), tf.nn.softmax, memory_layer=3)
