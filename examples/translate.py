"""Learns to reverse sequences of tokens, as a translator would learn: an encoder, a decoder with attention, and beam
search. Run with: weir run examples/translate.py"""
import numpy as np
import tensorflow as tf

FLAGS = tf.flags.FLAGS
tf.flags.DEFINE_integer("steps", 120, "training steps")
tf.flags.DEFINE_integer("units", 32, "units of the encoder and the decoder")

VOCABULARY, START, END, LONGEST = 10, 0, 1, 5  # tokens from 2 on are words


def sentences(count, seed):
    """Returns random sentences, their lengths and the expected outputs: each sentence reversed, then END."""
    rng = np.random.RandomState(seed)
    lengths = rng.randint(2, LONGEST + 1, count)
    source, target = np.full((count, LONGEST), END), np.full((count, LONGEST + 1), END)
    for row, length in enumerate(lengths):
        source[row, :length] = rng.randint(2, VOCABULARY, length)
        target[row, :length] = source[row, :length][::-1]
    return source, lengths, target


class Translator:
    def __init__(self, source, lengths):
        self.lengths, self.batch = lengths, tf.shape(source)[0]
        self.embedding = tf.get_variable("embedding", [VOCABULARY, FLAGS.units])
        forward, backward = (tf.nn.rnn_cell.GRUCell(FLAGS.units) for _ in range(2))
        outputs, states = tf.nn.bidirectional_dynamic_rnn(forward, backward, tf.nn.embedding_lookup(self.embedding, source), lengths, dtype=tf.float32)
        self.memory = tf.concat(outputs, 2)
        self.state = tf.layers.dense(tf.concat(states, 1), FLAGS.units, name="bridge")
        self.projection = tf.layers.Dense(VOCABULARY, name="projection")

    def cell(self, beams):
        memory, lengths, state = self.memory, self.lengths, self.state
        if beams > 1:
            memory, lengths, state = tf.contrib.seq2seq.tile_batch((memory, lengths, state), beams)
        attention = tf.contrib.seq2seq.BahdanauAttention(FLAGS.units, memory, lengths)
        cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(FLAGS.units), attention, attention_layer_size=FLAGS.units)
        return cell, cell.zero_state(self.batch * beams, tf.float32).clone(cell_state=state)

    def train(self, target):
        """Training: the decoder reads the expected outputs."""
        cell, state = self.cell(beams=1)
        given = tf.concat([tf.fill([self.batch, 1], START), target[:, :-1]], 1)
        helper = tf.contrib.seq2seq.TrainingHelper(tf.nn.embedding_lookup(self.embedding, given), self.lengths + 1)
        decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, state, self.projection)
        return tf.contrib.seq2seq.dynamic_decode(decoder, impute_finished=True, maximum_iterations=LONGEST + 1)[0].rnn_output

    def translate(self, beams):
        """Inference: the decoder reads its own outputs."""
        cell, state = self.cell(beams)
        decoder = tf.contrib.seq2seq.BeamSearchDecoder(cell, self.embedding, tf.fill([self.batch], START), END, state, beams, self.projection)
        return tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=LONGEST + 1)[0].predicted_ids[:, :, 0]


def main(_):
    tf.set_random_seed(1)
    source = tf.placeholder(tf.int32, [None, LONGEST])
    lengths = tf.placeholder(tf.int32, [None])
    target = tf.placeholder(tf.int32, [None, LONGEST + 1])
    translator = Translator(source, lengths)
    with tf.variable_scope("answer"):
        logits = translator.train(target)
    weights = tf.sequence_mask(lengths + 1, dtype=tf.float32)
    steps = tf.shape(logits)[1]
    loss = tf.contrib.seq2seq.sequence_loss(logits, target[:, :steps], weights)
    optimizer = tf.train.AdamOptimizer(0.01)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    train = optimizer.apply_gradients(zip(tf.clip_by_global_norm(gradients, 5.0)[0], variables))
    with tf.variable_scope("answer", reuse=True):
        answers = translator.translate(beams=3)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(FLAGS.steps):
            x, n, y = sentences(64, seed=step)
            value, _ = sess.run([loss, train], {source: x, lengths: n, target: y})
            if step % 40 == 0:
                print(f"step {step}: loss {value:.2f}")
        x, n, y = sentences(100, seed=-1 % 2**31)
        found = sess.run(answers, {source: x, lengths: n})
        right = sum(list(found[row, :n[row]]) == list(y[row, :n[row]]) for row in range(len(n)))
        print(f"{right} of {len(n)} new sentences are answered correctly")


if __name__ == "__main__":
    tf.app.run()
