"""A character-level language model: LSTM layers that are unrolled while the graph is built, and sampling."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import legacy_seq2seq
from tensorflow.contrib import rnn

flags = tf.app.flags
flags.DEFINE_string("save_dir", "save", "Directory for checkpoints")
flags.DEFINE_string("log_dir", "logs", "Directory for TensorBoard")
flags.DEFINE_enum("model", "lstm", ["rnn", "gru", "lstm"], "Kind of the cell")
flags.DEFINE_integer("rnn_size", 24, "Size of the hidden state")
flags.DEFINE_integer("num_layers", 2, "Number of layers")
flags.DEFINE_integer("batch_size", 4, "Batch size")
flags.DEFINE_integer("seq_length", 8, "Sequence length")
flags.DEFINE_integer("num_epochs", 2, "Number of epochs")
flags.DEFINE_float("grad_clip", 5.0, "Clip gradients at this norm")
flags.DEFINE_float("learning_rate", 0.02, "Learning rate")
flags.DEFINE_float("decay_rate", 0.9, "Decay of the learning rate per epoch")
FLAGS = flags.FLAGS

TEXT = "the quick brown fox jumps over the lazy dog while the dog sleeps and the fox runs. " * 4


class TextLoader(object):
    def __init__(self, batch_size, seq_length):
        self.chars = sorted(set(TEXT))
        self.vocab = {c: i for i, c in enumerate(self.chars)}
        data = np.array([self.vocab[c] for c in TEXT])
        self.num_batches = len(data) // (batch_size * seq_length)
        data = data[:self.num_batches * batch_size * seq_length]
        target = np.roll(data, -1)
        self.x = np.split(data.reshape(batch_size, -1), self.num_batches, 1)
        self.y = np.split(target.reshape(batch_size, -1), self.num_batches, 1)


class Model(object):
    def __init__(self, vocab_size, batch_size, seq_length, training=True):
        if not training:
            batch_size, seq_length = 1, 1
        cell_fn = {"rnn": rnn.BasicRNNCell, "gru": rnn.GRUCell, "lstm": rnn.BasicLSTMCell}[FLAGS.model]
        self.cell = cell = rnn.MultiRNNCell([cell_fn(FLAGS.rnn_size) for _ in range(FLAGS.num_layers)], state_is_tuple=True)
        self.input_data = tf.placeholder(tf.int32, [batch_size, seq_length], name="input_data")
        self.targets = tf.placeholder(tf.int32, [batch_size, seq_length], name="targets")
        self.initial_state = cell.zero_state(batch_size, tf.float32)

        with tf.variable_scope("rnnlm"):
            softmax_w = tf.get_variable("softmax_w", [FLAGS.rnn_size, vocab_size])
            softmax_b = tf.get_variable("softmax_b", [vocab_size])
            embedding = tf.get_variable("embedding", [vocab_size, FLAGS.rnn_size])
        inputs = tf.nn.embedding_lookup(embedding, self.input_data)
        inputs = [tf.squeeze(step, [1]) for step in tf.split(inputs, seq_length, 1)]

        def loop(prev, _):
            prev = tf.matmul(prev, softmax_w) + softmax_b
            return tf.nn.embedding_lookup(embedding, tf.stop_gradient(tf.argmax(prev, 1)))

        outputs, self.final_state = legacy_seq2seq.rnn_decoder(
            inputs, self.initial_state, cell, loop_function=None if training else loop, scope="rnnlm")
        output = tf.reshape(tf.concat(outputs, 1), [-1, FLAGS.rnn_size])
        self.logits = tf.matmul(output, softmax_w) + softmax_b
        self.probs = tf.nn.softmax(self.logits)
        loss = legacy_seq2seq.sequence_loss_by_example(
            [self.logits], [tf.reshape(self.targets, [-1])], [tf.ones([batch_size * seq_length])])
        with tf.name_scope("cost"):
            self.cost = tf.reduce_sum(loss) / batch_size / seq_length
        if not training:
            return
        self.lr = tf.Variable(0.0, trainable=False, name="lr")
        tvars = tf.trainable_variables()
        grads, self.norm = tf.clip_by_global_norm(tf.gradients(self.cost, tvars), FLAGS.grad_clip)
        with tf.name_scope("optimizer"):
            optimizer = tf.train.AdamOptimizer(self.lr)
        self.train_op = optimizer.apply_gradients(zip(grads, tvars))
        tf.summary.histogram("logits", self.logits)
        tf.summary.histogram("loss", loss)
        tf.summary.scalar("train_loss", self.cost)


def train(loader):
    initializer = tf.random_uniform_initializer(-0.2, 0.2, seed=7)
    with tf.variable_scope(tf.get_variable_scope(), initializer=initializer):
        model = Model(len(loader.chars), FLAGS.batch_size, FLAGS.seq_length)
    summaries = tf.summary.merge_all()
    writer = tf.summary.FileWriter(FLAGS.log_dir)
    with tf.Session() as sess:
        writer.add_graph(sess.graph)
        sess.run(tf.global_variables_initializer())
        saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)
        for epoch in range(FLAGS.num_epochs):
            sess.run(tf.assign(model.lr, FLAGS.learning_rate * (FLAGS.decay_rate ** epoch)))
            state = sess.run(model.initial_state)
            for b in range(loader.num_batches):
                feed = {model.input_data: loader.x[b], model.targets: loader.y[b]}
                for i, (c, h) in enumerate(model.initial_state):
                    feed[c], feed[h] = state[i].c, state[i].h
                summary, loss, norm, state, _ = sess.run([summaries, model.cost, model.norm, model.final_state, model.train_op], feed)
                writer.add_summary(summary, epoch * loader.num_batches + b)
                print("epoch {}, batch {}: train_loss = {:.6f}, norm = {:.6f}".format(epoch, b, loss, norm))
            saver.save(sess, os.path.join(FLAGS.save_dir, "model.ckpt"), global_step=epoch)
    writer.close()


def sample(loader, prime="the ", num=20):
    model = Model(len(loader.chars), 1, 1, training=False)
    with tf.Session() as sess:
        ckpt = tf.train.get_checkpoint_state(FLAGS.save_dir)
        tf.train.Saver(tf.global_variables()).restore(sess, ckpt.model_checkpoint_path)
        state, text = sess.run(model.cell.zero_state(1, tf.float32)), prime
        for i in range(len(prime) + num - 1):
            feed = {model.input_data: np.array([[loader.vocab[text[i]]]]), model.initial_state: state}
            probs, state = sess.run([model.probs, model.final_state], feed)
            if i >= len(prime) - 1:
                text += loader.chars[int(np.argmax(probs[0]))]
        print("sampled:", text.replace(" ", "_"))


def main(_):
    loader = TextLoader(FLAGS.batch_size, FLAGS.seq_length)
    tf.gfile.MakeDirs(FLAGS.save_dir)
    train(loader)
    tf.reset_default_graph()
    sample(loader)


if __name__ == "__main__":
    tf.app.run()
