"""Speech recognition with bidirectional LSTM layers and connectionist temporal classification, on made-up features."""
from __future__ import print_function

import time

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_integer("num_epochs", 10, "epochs")
tf.app.flags.DEFINE_integer("num_hidden", 16, "units of each LSTM")
tf.app.flags.DEFINE_integer("batch_size", 4, "utterances per step")
tf.app.flags.DEFINE_float("learning_rate", 0.05, "initial learning rate")
FLAGS = tf.app.flags.FLAGS
NUM_FEATURES, LETTERS = 6, "abcd_"
NUM_CLASSES = len(LETTERS) + 1  # the letters and the blank


def make_utterances(count=12):
    """Every letter sounds for a few frames."""
    rng = np.random.RandomState(6)
    sounds = rng.normal(size=(len(LETTERS), NUM_FEATURES))
    utterances = []
    for _ in range(count):
        text = rng.randint(len(LETTERS), size=rng.randint(2, 5))
        frames = np.concatenate([np.repeat(sounds[letter][None], rng.randint(3, 6), 0) for letter in text])
        utterances.append(((frames + 0.3 * rng.normal(size=frames.shape)).astype(np.float32), text))
    return utterances


def sparse_tuple_from(sequences, dtype=np.int32):
    """A sparse representation of sequences."""
    indices = [(n, i) for n, seq in enumerate(sequences) for i in range(len(seq))]
    values = np.concatenate(sequences).astype(dtype)
    shape = np.asarray([len(sequences), max(len(seq) for seq in sequences)], dtype=np.int64)
    return np.asarray(indices, dtype=np.int64), values, shape


def pad_sequences(sequences):
    lengths = np.asarray([len(s) for s in sequences], dtype=np.int64)
    padded = np.zeros([len(sequences), lengths.max(), NUM_FEATURES], np.float32)
    for i, s in enumerate(sequences):
        padded[i, :len(s)] = s
    return padded, lengths


def lstm_cell(num_hidden):
    cell = tf.nn.rnn_cell.LSTMCell(num_hidden, state_is_tuple=True, use_peepholes=True, forget_bias=1.0, cell_clip=10.0,
                                   initializer=tf.random_uniform_initializer(-0.2, 0.2, seed=3))
    return tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=1.0)


def main(_):
    graph = tf.Graph()
    with graph.as_default():
        inputs = tf.placeholder(tf.float32, [None, None, NUM_FEATURES], name="inputs")
        targets = tf.sparse_placeholder(tf.int32, name="targets")
        seq_len = tf.placeholder(tf.int32, [None], name="seq_len")
        with tf.variable_scope("rnn"):
            outputs, _ = tf.nn.bidirectional_dynamic_rnn(lstm_cell(FLAGS.num_hidden), lstm_cell(FLAGS.num_hidden), inputs, seq_len, dtype=tf.float32)
            stack = tf.nn.rnn_cell.MultiRNNCell([lstm_cell(FLAGS.num_hidden)], state_is_tuple=True)
            outputs, _ = tf.nn.dynamic_rnn(stack, tf.concat(outputs, 2), seq_len, dtype=tf.float32, scope="top")
        batch_s, max_time_steps = tf.shape(inputs)[0], tf.shape(inputs)[1]
        outputs = tf.reshape(outputs, [-1, FLAGS.num_hidden])
        W = tf.Variable(tf.truncated_normal([FLAGS.num_hidden, NUM_CLASSES], stddev=0.1, seed=4), name="W")
        b = tf.Variable(tf.constant(0., shape=[NUM_CLASSES]), name="b")
        logits = tf.reshape(tf.matmul(outputs, W) + b, [batch_s, -1, NUM_CLASSES])
        logits = tf.transpose(logits, (1, 0, 2))  # time major
        loss = tf.nn.ctc_loss(targets, logits, seq_len, ctc_merge_repeated=True)
        cost = tf.reduce_mean(loss)
        global_step = tf.Variable(0, trainable=False)
        rate = tf.train.exponential_decay(FLAGS.learning_rate, global_step, 12, 0.8, staircase=True)
        optimizer = tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True)
        grads_and_vars = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in optimizer.compute_gradients(cost)]
        train_op = optimizer.apply_gradients(grads_and_vars, global_step)
        decoded, _ = tf.nn.ctc_greedy_decoder(logits, seq_len)
        beams, log_prob = tf.nn.ctc_beam_search_decoder(logits, seq_len, beam_width=8, top_paths=2, merge_repeated=False)
        ler = tf.reduce_mean(tf.edit_distance(tf.cast(decoded[0], tf.int32), targets))
        dense = tf.sparse_tensor_to_dense(beams[0], default_value=-1)
        tf.summary.scalar("cost", cost)
        tf.summary.scalar("label_error_rate", ler)
        summaries = tf.summary.merge_all()

    utterances = make_utterances()
    with tf.Session(graph=graph) as session, tf.summary.FileWriter("ctc", graph) as writer:
        tf.global_variables_initializer().run()
        for epoch in range(FLAGS.num_epochs):
            train_cost = train_ler = 0
            start = time.time()
            for at in range(0, len(utterances), FLAGS.batch_size):
                frames, texts = zip(*utterances[at:at + FLAGS.batch_size])
                padded, lengths = pad_sequences(frames)
                feed = {inputs: padded, targets: sparse_tuple_from(texts), seq_len: lengths}
                batch_cost, _, step = session.run([cost, train_op, global_step], feed)
                error, summary = session.run([ler, summaries], feed_dict=feed)
                writer.add_summary(summary, step)
                train_cost += batch_cost * FLAGS.batch_size / len(utterances)
                train_ler += error * FLAGS.batch_size / len(utterances)
            tf.logging.info("epoch %d took %.3f s", epoch, time.time() - start)
            print("Epoch {}/{}, train_cost = {:.5f}, train_ler = {:.5f}".format(epoch + 1, FLAGS.num_epochs, train_cost, train_ler))
        found, scores, path = session.run([dense, log_prob, decoded[0]], feed)
        print("scores", " ".join("%.5f" % score for score in scores.ravel()))
        for row, text in zip(found, texts):
            print("Original: %s Decoded: %s" % ("".join(LETTERS[i] for i in text), "".join(LETTERS[i] for i in row if i >= 0)))
        print("greedy", path.indices.tolist(), path.values.tolist(), path.dense_shape.tolist())


if __name__ == "__main__":
    tf.app.run()
