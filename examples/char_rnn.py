"""Learns to write a text letter by letter, with two LSTM layers that are unrolled while the graph is built, and then
writes. Run with: weir run examples/char_rnn.py"""
import numpy as np
import tensorflow as tf

FLAGS = tf.flags.FLAGS
tf.flags.DEFINE_integer("steps", 150, "training steps")
tf.flags.DEFINE_integer("units", 48, "units of each layer")
tf.flags.DEFINE_integer("letters", 60, "how many letters to write")

TEXT = "she sells sea shells by the sea shore. the shells she sells are sea shells for sure. "
BATCH, LENGTH = 8, 10


class Model:
    def __init__(self, vocabulary, batch, length):
        cells = [tf.contrib.rnn.BasicLSTMCell(FLAGS.units) for _ in range(2)]
        cell = tf.contrib.rnn.MultiRNNCell(cells)
        self.inputs = tf.placeholder(tf.int32, [batch, length])
        self.targets = tf.placeholder(tf.int32, [batch, length])
        self.initial_state = cell.zero_state(batch, tf.float32)
        with tf.variable_scope("rnnlm"):
            weights = tf.get_variable("softmax_w", [FLAGS.units, vocabulary])
            bias = tf.get_variable("softmax_b", [vocabulary])
        embedded = tf.nn.embedding_lookup(tf.get_variable("embedding", [vocabulary, FLAGS.units]), self.inputs)
        steps = [tf.squeeze(step, [1]) for step in tf.split(embedded, length, 1)]
        outputs, self.final_state = tf.contrib.legacy_seq2seq.rnn_decoder(steps, self.initial_state, cell, scope="rnnlm")
        logits = tf.matmul(tf.reshape(tf.concat(outputs, 1), [-1, FLAGS.units]), weights) + bias
        self.probabilities = tf.nn.softmax(logits)
        loss = tf.contrib.legacy_seq2seq.sequence_loss_by_example([logits], [tf.reshape(self.targets, [-1])], [tf.ones([batch * length])])
        self.cost = tf.reduce_sum(loss) / batch / length
        variables = tf.trainable_variables()
        gradients, _ = tf.clip_by_global_norm(tf.gradients(self.cost, variables), 5.0)
        with tf.variable_scope("optimizer", reuse=tf.AUTO_REUSE):
            self.train = tf.train.AdamOptimizer(0.01).apply_gradients(zip(gradients, variables))


def main(_):
    letters = sorted(set(TEXT))
    number = {letter: i for i, letter in enumerate(letters)}
    tf.set_random_seed(1)
    with tf.variable_scope("model"):
        model = Model(len(letters), BATCH, LENGTH)
    with tf.variable_scope("model", reuse=True):
        writer = Model(len(letters), 1, 1)
    text = np.array([number[letter] for letter in TEXT * 8])
    width = (len(text) - 1) // BATCH
    x, y = (part[:BATCH * width].reshape(BATCH, width) for part in (text, text[1:]))

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        state = sess.run(model.initial_state)
        for step in range(FLAGS.steps):
            at = step * LENGTH % (width - LENGTH)
            feed = {model.inputs: x[:, at:at + LENGTH], model.targets: y[:, at:at + LENGTH]}
            for (c, h), value in zip(model.initial_state, state):
                feed[c], feed[h] = value.c, value.h
            cost, state, _ = sess.run([model.cost, model.final_state, model.train], feed)
            if step % 50 == 0:
                print(f"step {step}: loss {cost:.2f}")
        written, state = "she ", sess.run(writer.initial_state)
        for i in range(FLAGS.letters + len(written)):
            feed = {writer.inputs: [[number[written[i]]]]}
            for (c, h), value in zip(writer.initial_state, state):
                feed[c], feed[h] = value.c, value.h
            p, state = sess.run([writer.probabilities, writer.final_state], feed)
            if i == len(written) - 1:
                written += letters[int(np.argmax(p[0]))]
        print(written)


if __name__ == "__main__":
    tf.app.run()
