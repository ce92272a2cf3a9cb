"""An encoder of sentences that is trained to predict the sentences before and after."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import os

import numpy as np
import tensorflow as tf

FLAGS = tf.flags.FLAGS
tf.flags.DEFINE_string("input_file_pattern", "data/train-?????-of-00002", "File pattern of sharded TFRecord files.")
tf.flags.DEFINE_string("train_dir", "train", "Directory for saving and loading checkpoints.")
tf.flags.DEFINE_integer("number_of_steps", 12, "Steps.")
tf.logging.set_verbosity(tf.logging.INFO)

SentenceBatch = collections.namedtuple("SentenceBatch", ("ids", "mask"))
VOCAB, DIM, UNITS, BATCH = 30, 10, 12, 8


def write_examples():
    rng = np.random.RandomState(12)

    def feature(ids):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=[int(i) for i in ids]))

    for shard in range(2):
        with tf.python_io.TFRecordWriter("data/train-%05d-of-00002" % shard) as writer:
            for _ in range(24):
                topic = rng.randint(2, VOCAB - 6)
                parts = {name: topic + rng.randint(0, 6, rng.randint(2, 7)) for name in ("decode_pre", "encode", "decode_post")}
                example = tf.train.Example(features=tf.train.Features(feature={name: feature(list(ids) + [1]) for name, ids in parts.items()}))
                writer.write(example.SerializeToString())


def prefetch_input_data(reader, file_pattern, capacity):
    data_files = []
    for pattern in file_pattern.split(","):
        data_files.extend(sorted(tf.gfile.Glob(pattern)))
    tf.logging.info("Prefetching values from %d files matching %s", len(data_files), file_pattern)
    filename_queue = tf.train.string_input_producer(data_files, shuffle=False, capacity=16, name="filename_queue")
    values_queue = tf.FIFOQueue(capacity=capacity, dtypes=[tf.string], shapes=[[]], name="fifo_input_queue")
    _, value = reader.read(filename_queue)
    tf.train.add_queue_runner(tf.train.QueueRunner(values_queue, [values_queue.enqueue([value])]))
    tf.summary.scalar("queue/%s/fraction_of_%d_full" % (values_queue.name, capacity), tf.cast(values_queue.size(), tf.float32) * (1. / capacity))
    return values_queue


def parse_example_batch(serialized):
    names = ["encode", "decode_pre", "decode_post"]
    features = tf.parse_example(serialized, features={name: tf.VarLenFeature(dtype=tf.int64) for name in names})

    def sparse_to_batch(sparse):
        ids = tf.sparse_tensor_to_dense(sparse)
        mask = tf.sparse_to_dense(sparse.indices, sparse.dense_shape, tf.ones_like(sparse.values, dtype=tf.int32))
        return SentenceBatch(ids=ids, mask=mask)

    return tuple(map(sparse_to_batch, (features[name] for name in names)))


class SkipThoughtsModel(object):
    def __init__(self):
        self.uniform_initializer = tf.random_uniform_initializer(minval=-0.1, maxval=0.1, seed=1)
        self.target_cross_entropy_losses, self.target_cross_entropy_loss_weights = [], []

    def build_inputs(self):
        input_queue = prefetch_input_data(tf.TFRecordReader(), FLAGS.input_file_pattern, capacity=64)
        serialized = input_queue.dequeue_many(BATCH)
        self.encode, self.decode_pre, self.decode_post = parse_example_batch(serialized)

    def build_embeddings(self):
        word_emb = tf.get_variable("word_embedding", [VOCAB, DIM], initializer=self.uniform_initializer)
        self.encode_emb, self.pre_emb, self.post_emb = (
            tf.nn.embedding_lookup(word_emb, batch.ids) for batch in (self.encode, self.decode_pre, self.decode_post))

    def cell(self, units):
        return tf.contrib.rnn.GRUCell(units)

    def build_encoder(self):
        with tf.variable_scope("encoder", initializer=tf.orthogonal_initializer(seed=2)):
            length = tf.to_int32(tf.reduce_sum(self.encode.mask, 1), name="length")
            _, states = tf.nn.bidirectional_dynamic_rnn(self.cell(UNITS // 2), self.cell(UNITS // 2), self.encode_emb, sequence_length=length,
                                                        dtype=tf.float32, scope="bidirectional")
            self.thought_vectors = tf.identity(tf.concat(states, 1), name="thought_vectors")

    def build_decoder(self, name, embeddings, targets, mask, initial_state, reuse_logits):
        with tf.variable_scope(name, initializer=tf.orthogonal_initializer(seed=3)) as scope:
            # Shift to the right; the first input is zero.
            decoder_input = tf.pad(embeddings[:, :-1, :], [[0, 0], [1, 0], [0, 0]], name="input")
            length = tf.reduce_sum(mask, 1, name="length")
            decoder_output, _ = tf.nn.dynamic_rnn(cell=self.cell(UNITS), inputs=decoder_input, sequence_length=length, initial_state=initial_state, scope=scope)
        decoder_output = tf.reshape(decoder_output, [-1, UNITS])
        targets, weights = tf.reshape(targets, [-1]), tf.to_float(tf.reshape(mask, [-1]))
        with tf.variable_scope("logits", reuse=reuse_logits) as scope:
            logits = tf.contrib.layers.fully_connected(inputs=decoder_output, num_outputs=VOCAB, activation_fn=None,
                                                       weights_initializer=self.uniform_initializer, scope=scope)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
        batch_loss = tf.reduce_sum(losses * weights)
        tf.losses.add_loss(batch_loss)
        tf.summary.scalar("losses/" + name, batch_loss)
        self.target_cross_entropy_losses.append(losses)
        self.target_cross_entropy_loss_weights.append(weights)

    def build(self):
        self.build_inputs()
        self.build_embeddings()
        self.build_encoder()
        self.build_decoder("decoder_pre", self.pre_emb, self.decode_pre.ids, self.decode_pre.mask, self.thought_vectors, False)
        self.build_decoder("decoder_post", self.post_emb, self.decode_post.ids, self.decode_post.mask, self.thought_vectors, True)
        self.total_loss = tf.losses.get_total_loss()
        tf.summary.scalar("losses/total", self.total_loss)
        self.global_step = tf.contrib.framework.create_global_step()


def main(unused_argv):
    tf.gfile.MakeDirs("data")
    write_examples()
    g = tf.Graph()
    with g.as_default():
        model = SkipThoughtsModel()
        model.build()
        learning_rate = tf.train.exponential_decay(learning_rate=0.02, global_step=model.global_step, decay_steps=6, decay_rate=0.5, staircase=False)
        optimizer = tf.train.AdamOptimizer(learning_rate)
        train_tensor = tf.contrib.slim.learning.create_train_op(
            total_loss=model.total_loss, optimizer=optimizer, global_step=model.global_step, clip_gradient_norm=5.0, summarize_gradients=True)
        saver = tf.train.Saver()

        def train_step(sess, train_op, global_step, train_step_kwargs):
            total_loss, should_stop = tf.contrib.slim.learning.train_step(sess, train_op, global_step, train_step_kwargs)
            print("loss %.5f" % total_loss)
            return total_loss, should_stop

    loss = tf.contrib.slim.learning.train(
        train_op=train_tensor, logdir=FLAGS.train_dir, graph=g, global_step=model.global_step, number_of_steps=FLAGS.number_of_steps,
        summary_op=None, saver=saver, save_interval_secs=600, train_step_fn=train_step)
    print("final loss %.5f" % loss)

    with tf.Graph().as_default(), tf.Session() as sess:
        model = SkipThoughtsModel()
        model.build()
        tf.train.Saver().restore(sess, tf.train.latest_checkpoint(FLAGS.train_dir))
        ids = np.array([[5, 6, 7, 1], [5, 1, 0, 0]])
        vectors = sess.run(model.thought_vectors, {model.encode.ids: ids, model.encode.mask: np.array([[1, 1, 1, 1], [1, 1, 0, 0]])})
        print("vectors", " ".join("%.5f" % x for x in vectors.ravel()))


if __name__ == "__main__":
    tf.app.run()
