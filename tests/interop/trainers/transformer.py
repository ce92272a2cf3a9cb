"""A transformer that learns to reverse sequences: multi-head attention, label smoothing, warm-up of the learning rate."""
from __future__ import print_function

import numpy as np
import tensorflow as tf

tf.flags.DEFINE_integer("num_blocks", 2, "number of encoder and decoder blocks")
tf.flags.DEFINE_integer("hidden_units", 16, "size of all vectors")
tf.flags.DEFINE_integer("num_heads", 2, "attention heads")
tf.flags.DEFINE_integer("batch_size", 8, "sentences per step")
tf.flags.DEFINE_float("dropout_rate", 0.1, "dropout rate")
tf.flags.DEFINE_float("lr", 0.01, "learning rate after the warm-up")
tf.flags.DEFINE_integer("warmup_steps", 6, "steps of the warm-up")
FLAGS = tf.flags.FLAGS
PAD, START, END, VOCAB, MAXLEN = 0, 1, 2, 12, 8
SEED = [0]


def seed():
    """Every draw of the model has a seed of its own."""
    SEED[0] += 1
    return SEED[0]


def sentences(count, which):
    rng = np.random.RandomState(which)
    for _ in range(count):
        words = rng.randint(3, VOCAB, rng.randint(3, MAXLEN - 1))
        yield list(words) + [END], [START] + list(words[::-1]) + [END]


def get_batch(count, which, shuffle):
    dataset = tf.data.Dataset.from_generator(lambda: sentences(count, which), (tf.int32, tf.int32), ([None], [None]))
    if shuffle:
        dataset = dataset.shuffle(64, seed=5)
    return dataset.repeat().padded_batch(FLAGS.batch_size, ([None], [None]), (PAD, PAD)).prefetch(1)


def dense(inputs, units, activation=None, use_bias=True, name=None):
    return tf.layers.dense(inputs, units, activation=activation, use_bias=use_bias, name=name, kernel_initializer=tf.glorot_uniform_initializer(seed=seed()))


def ln(inputs, epsilon=1e-8, scope="ln"):
    """Layer normalization."""
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        params_shape = inputs.get_shape()[-1:]
        mean, variance = tf.nn.moments(inputs, [-1], keep_dims=True)
        beta = tf.get_variable("beta", params_shape, initializer=tf.zeros_initializer())
        gamma = tf.get_variable("gamma", params_shape, initializer=tf.ones_initializer())
        return gamma * (inputs - mean) / ((variance + epsilon) ** (.5)) + beta


def positional_encoding(inputs, scope="positional_encoding"):
    E = inputs.get_shape().as_list()[-1]
    N, T = tf.shape(inputs)[0], tf.shape(inputs)[1]
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        position_ind = tf.tile(tf.expand_dims(tf.range(T), 0), [N, 1])
        position_enc = np.array([[pos / np.power(10000, (i - i % 2) / E) for i in range(E)] for pos in range(MAXLEN + 2)])
        position_enc[:, 0::2], position_enc[:, 1::2] = np.sin(position_enc[:, 0::2]), np.cos(position_enc[:, 1::2])
        outputs = tf.nn.embedding_lookup(tf.convert_to_tensor(position_enc, tf.float32), position_ind)
        return tf.to_float(outputs)


def multihead_attention(queries, keys, key_masks, training, causality=False, scope="multihead_attention"):
    d_model = queries.get_shape().as_list()[-1]
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        Q, K, V = (dense(x, d_model, use_bias=False) for x in (queries, keys, keys))
        Q_, K_, V_ = (tf.concat(tf.split(x, FLAGS.num_heads, axis=2), axis=0) for x in (Q, K, V))
        outputs = tf.matmul(Q_, tf.transpose(K_, [0, 2, 1])) / K_.get_shape().as_list()[-1] ** 0.5
        masks = tf.expand_dims(tf.tile(tf.to_float(key_masks), [FLAGS.num_heads, 1]), 1)
        outputs += masks * (-2 ** 32 + 1.0)
        if causality:
            tril = tf.linalg.LinearOperatorLowerTriangular(tf.ones_like(outputs[0, :, :])).to_dense()
            future = tf.tile(tf.expand_dims(tril, 0), [tf.shape(outputs)[0], 1, 1])
            outputs = tf.where(tf.equal(future, 0), tf.ones_like(future) * (-2 ** 32 + 1.0), outputs)
        outputs = tf.nn.softmax(outputs)
        outputs = tf.layers.dropout(outputs, rate=FLAGS.dropout_rate, training=training, seed=seed())
        outputs = tf.concat(tf.split(tf.matmul(outputs, V_), FLAGS.num_heads, axis=0), axis=2)
        return ln(outputs + queries)


def ff(inputs, scope="positionwise_feedforward"):
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        outputs = dense(dense(inputs, 2 * FLAGS.hidden_units, activation=tf.nn.relu), FLAGS.hidden_units)
        return ln(outputs + inputs)


class Transformer(object):
    def __init__(self):
        table = tf.get_variable("weight_mat", [VOCAB, FLAGS.hidden_units], initializer=tf.contrib.layers.xavier_initializer(seed=99))
        self.embeddings = tf.concat((tf.zeros([1, FLAGS.hidden_units]), table[1:, :]), 0)

    def embed(self, x, training):
        enc = tf.nn.embedding_lookup(self.embeddings, x) * FLAGS.hidden_units ** 0.5
        enc += positional_encoding(enc)
        return tf.layers.dropout(enc, FLAGS.dropout_rate, training=training, seed=seed())

    def logits(self, x, decoder_inputs, training):
        src_masks, tgt_masks = tf.equal(x, PAD), tf.equal(decoder_inputs, PAD)
        with tf.variable_scope("encoder", reuse=tf.AUTO_REUSE):
            memory = self.embed(x, training)
            for i in range(FLAGS.num_blocks):
                with tf.variable_scope("num_blocks_{}".format(i), reuse=tf.AUTO_REUSE):
                    memory = ff(multihead_attention(memory, memory, src_masks, training))
        with tf.variable_scope("decoder", reuse=tf.AUTO_REUSE):
            dec = self.embed(decoder_inputs, training)
            for i in range(FLAGS.num_blocks):
                with tf.variable_scope("num_blocks_{}".format(i), reuse=tf.AUTO_REUSE):
                    dec = multihead_attention(dec, dec, tgt_masks, training, causality=True, scope="self_attention")
                    dec = ff(multihead_attention(dec, memory, src_masks, training, scope="vanilla_attention"))
        return tf.einsum("ntd,dk->ntk", dec, tf.transpose(self.embeddings))

    def train(self, x, y):
        decoder_inputs, y = y[:, :-1], y[:, 1:]
        logits = self.logits(x, decoder_inputs, training=True)
        one_hot = tf.one_hot(y, depth=VOCAB)
        smoothed = 0.9 * one_hot + 0.1 / VOCAB
        ce = tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=smoothed)
        nonpadding = tf.to_float(tf.not_equal(y, PAD))
        loss = tf.reduce_sum(ce * nonpadding) / (tf.reduce_sum(nonpadding) + 1e-7)
        global_step = tf.train.get_or_create_global_step()
        step = tf.cast(global_step + 1, dtype=tf.float32)
        lr = FLAGS.lr * FLAGS.warmup_steps ** 0.5 * tf.minimum(step * FLAGS.warmup_steps ** -1.5, step ** -0.5)
        train_op = tf.train.AdamOptimizer(lr, beta2=0.98, epsilon=1e-9).minimize(loss, global_step=global_step)
        tf.summary.scalar("lr", lr)
        tf.summary.scalar("loss", loss)
        return loss, lr, train_op, global_step, tf.summary.merge_all()

    def eval(self, x):
        """Greedy decoding: the whole prefix is computed again for every word."""
        decoder_inputs = tf.ones((tf.shape(x)[0], 1), tf.int32) * START
        y_hat = decoder_inputs
        for _ in range(3):
            logits = self.logits(x, y_hat, training=False)
            y_hat = tf.concat((decoder_inputs, tf.to_int32(tf.argmax(logits, axis=-1))), 1)
        return y_hat, logits


def main(_):
    train_batches, eval_batches = get_batch(40, 1, shuffle=True), get_batch(8, 2, shuffle=False)
    iterator = tf.data.Iterator.from_structure(train_batches.output_types, train_batches.output_shapes)
    xs, ys = iterator.get_next()
    train_init_op, eval_init_op = iterator.make_initializer(train_batches), iterator.make_initializer(eval_batches)
    m = Transformer()
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        loss, lr, train_op, global_step, train_summaries = m.train(xs, ys)
        y_hat, logits = m.eval(xs)
    print("parameters", sum(int(np.prod(v.shape.as_list())) for v in tf.trainable_variables()))
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), train_init_op])
        summary_writer = tf.summary.FileWriter("log", sess.graph)
        for _ in range(12):
            value, rate, _, gs, summary = sess.run([loss, lr, train_op, global_step, train_summaries])
            summary_writer.add_summary(summary, gs)
            print("loss %.6f, learning rate %.6f" % (value, rate))
        sess.run(eval_init_op)
        found, x, scores = sess.run([y_hat, xs, logits])
        print("logits %s, mean %.6f, size %.6f" % (scores.shape, scores.mean(), np.abs(scores).mean()))
        summary_writer.close()


if __name__ == "__main__":
    tf.app.run()
