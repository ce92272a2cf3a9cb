"""The part of tf.contrib.seq2seq that the programs of trainers/ use, reimplemented on TensorFlow's own ops."""
import collections

import numpy as np
from oracle.tensorflow1 import tf

nest = tf.nest
BasicDecoderOutput = collections.namedtuple("BasicDecoderOutput", "rnn_output sample_id")
FinalBeamSearchDecoderOutput = collections.namedtuple("FinalBeamSearchDecoderOutput", "predicted_ids beam_search_decoder_output")
BeamStep = collections.namedtuple("BeamStep", "scores predicted_ids parent_ids")
BeamState = collections.namedtuple("BeamState", "cell_state log_probs finished lengths")


class AttentionWrapperState(collections.namedtuple("AttentionWrapperState", "cell_state attention alignments")):
    def clone(self, **changed):
        return self._replace(**changed)


class LuongAttention:
    """Scores are products of the query and the projected memory; positions beyond a sequence's length have no weight."""

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False):
        memory = nest.map_structure(lambda x: x, memory)
        self.longest = tf.shape(memory)[1]
        self.mask = tf.sequence_mask(memory_sequence_length, self.longest)
        self.values = memory * tf.cast(self.mask, tf.float32)[:, :, None]
        self.keys = tf.layers.dense(self.values, num_units, use_bias=False, name="memory_layer")
        self.scale = scale

    def __call__(self, query):
        score = tf.squeeze(tf.matmul(query[:, None], self.keys, transpose_b=True), 1)
        if self.scale:
            score *= tf.get_variable("attention_g", [], initializer=tf.ones_initializer())
        return tf.nn.softmax(tf.where(self.mask, score, tf.fill(tf.shape(score), -np.inf)))


class AttentionWrapper(tf.nn.rnn_cell.RNNCell):
    """A cell that attends to a memory after every step, and sees what it attended to in the next."""

    def __init__(self, cell, attention_mechanism, attention_layer_size):
        super().__init__(name="attention_wrapper")
        self.cell, self.mechanism, self.size = cell, attention_mechanism, attention_layer_size

    @property
    def output_size(self):
        return self.size

    @property
    def state_size(self):
        return AttentionWrapperState(self.cell.state_size, self.size, None)

    def zero_state(self, batch_size, dtype):
        return AttentionWrapperState(self.cell.zero_state(batch_size, dtype), tf.zeros([batch_size, self.size]),
                                     tf.zeros([batch_size, self.mechanism.longest]))

    def call(self, inputs, state):
        output, cell_state = self.cell(tf.concat([inputs, state.attention], 1), state.cell_state)
        alignments = self.mechanism(output)
        context = tf.squeeze(tf.matmul(alignments[:, None], self.mechanism.values), 1)
        attention = tf.layers.dense(tf.concat([output, context], 1), self.size, use_bias=False, name="attention_layer")
        return attention, AttentionWrapperState(cell_state, attention, alignments)


class TrainingHelper:
    """Feeds given inputs."""

    def __init__(self, inputs, sequence_length, time_major=False):
        self.inputs, self.lengths = inputs if time_major else tf.transpose(inputs, [1, 0, 2]), tf.convert_to_tensor(sequence_length)

    def start(self):
        return tf.equal(self.lengths, 0), self.inputs[0]

    def after(self, time, sample_ids):
        del sample_ids
        return time + 1 >= self.lengths, self.inputs[tf.minimum(time + 1, tf.shape(self.inputs)[0] - 1)]


class GreedyEmbeddingHelper:
    """Feeds the vector of the most likely token."""

    def __init__(self, embedding, start_tokens, end_token):
        self.embedding, self.start_tokens, self.end_token = embedding, start_tokens, end_token

    def start(self):
        return tf.fill(tf.shape(self.start_tokens), False), tf.nn.embedding_lookup(self.embedding, self.start_tokens)

    def after(self, time, sample_ids):
        del time
        return tf.equal(sample_ids, self.end_token), tf.nn.embedding_lookup(self.embedding, sample_ids)


class BasicDecoder:
    own_lengths = False

    def __init__(self, cell, helper, initial_state, output_layer=None):
        self.cell, self.helper, self.initial_state, self.layer = cell, helper, initial_state, output_layer or (lambda x: x)

    def start(self):
        return (*self.helper.start(), self.initial_state)

    def step(self, time, inputs, state):
        output, state = self.cell(inputs, state)
        output = self.layer(output)
        sample_ids = tf.argmax(output, -1, output_type=tf.int32)
        finished, inputs = self.helper.after(time, sample_ids)
        return BasicDecoderOutput(output, sample_ids), state, inputs, finished

    def finalize(self, outputs, state):
        return outputs, state


def tile_batch(t, multiplier, name=None):
    return nest.map_structure(lambda x: tf.repeat(x, multiplier, axis=0), t)


class BeamSearchDecoder:
    """Keeps the likeliest sequences. Its state has [batch, width] log probabilities, and the cell's state in batch * width rows."""
    own_lengths = True

    def __init__(self, cell, embedding, start_tokens, end_token, initial_state, beam_width, output_layer=None, length_penalty_weight=0.0):
        self.cell, self.embedding, self.tokens, self.end = cell, embedding, start_tokens, end_token
        self.state, self.width, self.layer, self.penalty = initial_state, beam_width, output_layer or (lambda x: x), length_penalty_weight
        self.batch = tf.shape(start_tokens)[0]

    def start(self):
        first = tf.one_hot(tf.zeros([self.batch], tf.int32), self.width, 0.0, -np.inf)
        none = tf.fill([self.batch, self.width], False)
        state = BeamState(self.state, first, none, tf.zeros([self.batch, self.width], tf.int32))
        return none, tf.nn.embedding_lookup(self.embedding, tf.repeat(self.tokens, self.width)), state

    def step(self, time, inputs, state):
        del time
        output, cell_state = self.cell(inputs, state.cell_state)
        logits = self.layer(output)
        words = logits.shape[-1].value
        log_probs = tf.reshape(tf.nn.log_softmax(logits), [self.batch, self.width, words])
        ended = tf.fill(tf.shape(log_probs), np.float32(-3.4e38)) * (1 - tf.one_hot(self.end, words))
        log_probs = tf.where(tf.tile(state.finished[:, :, None], [1, 1, words]), ended, log_probs)
        total = state.log_probs[:, :, None] + log_probs
        goes_on = tf.logical_not(state.finished)[:, :, None] & tf.not_equal(tf.range(words), self.end)[None, None]
        lengths = state.lengths[:, :, None] + tf.cast(goes_on, tf.int32)
        scores = total / tf.pow((5.0 + tf.cast(lengths, tf.float32)) / 6.0, self.penalty)
        best, index = tf.nn.top_k(tf.reshape(scores, [self.batch, -1]), self.width)
        words_of, parents = index % words, index // words

        def of_parents(x):
            return tf.gather(x, parents, batch_dims=1)

        def rows_of_parents(x):
            shape = tf.shape(x)
            beams = tf.reshape(x, tf.concat([[self.batch, self.width], shape[1:]], 0))
            return tf.ensure_shape(tf.reshape(of_parents(beams), shape), x.shape)

        was = of_parents(state.finished)
        finished = was | tf.equal(words_of, self.end)
        # The length counts the end.
        lengths = of_parents(state.lengths) + tf.cast(tf.logical_not(was), tf.int32)
        cumulated = tf.gather(tf.reshape(total, [self.batch, -1]), index, batch_dims=1)
        state = BeamState(nest.map_structure(rows_of_parents, cell_state), cumulated, finished, lengths)
        return BeamStep(best, words_of, parents), state, tf.nn.embedding_lookup(self.embedding, tf.reshape(words_of, [-1])), finished

    def finalize(self, outputs, state):
        def walk(ids, parents, lengths):
            result = np.full_like(ids, self.end)
            for b, k in np.ndindex(*ids.shape[1:]):
                at = k
                for t in reversed(range(min(len(ids), lengths[b].max()))):
                    result[t, b, k] = ids[t, b, at]
                    at = parents[t, b, at]
                ends = np.flatnonzero(result[:, b, k] == self.end)
                result[ends[0] if len(ends) else len(ids):, b, k] = self.end
            return result

        ids, parents = (tf.transpose(x, [1, 0, 2]) for x in (outputs.predicted_ids, outputs.parent_ids))
        found = tf.ensure_shape(tf.py_func(walk, [ids, parents, state.lengths], tf.int32), [None, None, self.width])
        return FinalBeamSearchDecoderOutput(tf.transpose(found, [1, 0, 2]), outputs), state


def dynamic_decode(decoder, output_time_major=False, impute_finished=False, maximum_iterations=None, swap_memory=False, scope=None):
    with tf.variable_scope(scope or "decoder"):
        finished, inputs, state = decoder.start()
        example, _, _, _ = decoder.step(tf.constant(0), inputs, state)
        tf.get_variable_scope().reuse_variables()
        arrays = nest.map_structure(lambda x: tf.TensorArray(x.dtype, 0, dynamic_size=True, element_shape=x.shape), example)

        def keep(old, new, finished):
            return tf.where(finished, old, new) if new.shape.ndims else new

        def body(time, arrays, state, inputs, finished, lengths):
            outputs, after, inputs, ends = decoder.step(time, inputs, state)
            ends = ends if decoder.own_lengths else ends | finished
            if maximum_iterations is not None:
                ends |= time + 1 >= maximum_iterations
            # Beams change places, so their lengths are part of the decoder's state.
            lengths = after.lengths if decoder.own_lengths else tf.where(finished, lengths, tf.fill(tf.shape(lengths), time + 1))
            if impute_finished:
                outputs = nest.map_structure(lambda x: keep(tf.zeros_like(x), x, finished), outputs)
                after = nest.map_structure(lambda old, new: keep(old, new, finished), state, after)
            return time + 1, nest.map_structure(lambda a, x: a.write(time, x), arrays, outputs), after, inputs, ends, lengths

        loop = (tf.constant(0), arrays, state, inputs, finished, tf.zeros(tf.shape(finished), tf.int32))
        _, arrays, state, _, _, lengths = tf.while_loop(lambda *values: tf.logical_not(tf.reduce_all(values[4])), body, loop)
        outputs = nest.map_structure(lambda a: a.stack(), arrays)
        if not output_time_major:
            outputs = nest.map_structure(lambda x: tf.transpose(x, [1, 0, *range(2, x.shape.ndims)]), outputs)
        outputs, state = decoder.finalize(outputs, state)
    return outputs, state, lengths


def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits) * weights
    return tf.reduce_sum(losses) / (tf.reduce_sum(weights) + 1e-12)
