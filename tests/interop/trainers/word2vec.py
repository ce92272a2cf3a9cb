"""Skip-gram word vectors, trained with noise-contrastive estimation or with a sampled softmax."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import math
import os
import random

import numpy as np
import tensorflow as tf
from tensorflow.contrib.tensorboard.plugins import projector

tf.flags.DEFINE_string("log_dir", "log", "The log directory for TensorBoard summaries.")
tf.flags.DEFINE_string("loss", "nce", "nce or sampled_softmax.")
tf.flags.DEFINE_integer("num_steps", 60, "Training steps.")
FLAGS = tf.flags.FLAGS

VOCABULARY_SIZE = 50
BATCH_SIZE = 32
EMBEDDING_SIZE = 16  # Dimension of the embedding vector.
SKIP_WINDOW = 1  # How many words to consider left and right.
NUM_SKIPS = 2  # How many times to reuse an input to generate a label.
NUM_SAMPLED = 8  # Number of negative examples to sample.
VALID_EXAMPLES = np.array([1, 2, 3, 5])


def make_words(count):
    """A text in which word i is mostly followed by word 3 i + 1, with frequent words first."""
    rng, word, words = np.random.RandomState(0), 0, []
    for _ in range(count):
        words.append("w%d" % word)
        word = (3 * word + 1) % 60 if rng.rand() < 0.7 else int(60 * rng.rand() ** 3)
    return words


def build_dataset(words, n_words):
    count = [["UNK", -1]]
    count.extend(collections.Counter(words).most_common(n_words - 1))
    dictionary = {word: i for i, (word, _) in enumerate(count)}
    data = [dictionary.get(word, 0) for word in words]
    count[0][1] = data.count(0)
    return data, count, dictionary, dict(zip(dictionary.values(), dictionary.keys()))


class Batches(object):
    def __init__(self, data):
        self.data, self.index = data, 0

    def next(self, batch_size, num_skips, skip_window):
        batch = np.ndarray(shape=(batch_size), dtype=np.int32)
        labels = np.ndarray(shape=(batch_size, 1), dtype=np.int32)
        span = 2 * skip_window + 1
        for i in range(batch_size // num_skips):
            window = [self.data[(self.index + k) % len(self.data)] for k in range(span)]
            targets = random.sample([w for w in range(span) if w != skip_window], num_skips)
            for j, target in enumerate(targets):
                batch[i * num_skips + j] = window[skip_window]
                labels[i * num_skips + j, 0] = window[target]
            self.index += 1
        return batch, labels


def main(_):
    random.seed(3)
    words = make_words(3000)
    data, count, dictionary, reverse_dictionary = build_dataset(words, VOCABULARY_SIZE)
    print("most common", count[:5])
    graph = tf.Graph()
    with graph.as_default():
        with tf.name_scope("inputs"):
            train_inputs = tf.placeholder(tf.int32, shape=[BATCH_SIZE])
            train_labels = tf.placeholder(tf.int32, shape=[BATCH_SIZE, 1])
            valid_dataset = tf.constant(VALID_EXAMPLES, dtype=tf.int32)
        with tf.device("/cpu:0"):
            with tf.name_scope("embeddings"):
                embeddings = tf.Variable(tf.random_uniform([VOCABULARY_SIZE, EMBEDDING_SIZE], -1.0, 1.0, seed=1))
                embed = tf.nn.embedding_lookup(embeddings, train_inputs)
            with tf.name_scope("weights"):
                nce_weights = tf.Variable(
                    tf.truncated_normal([VOCABULARY_SIZE, EMBEDDING_SIZE], stddev=1.0 / math.sqrt(EMBEDDING_SIZE), seed=2))
            with tf.name_scope("biases"):
                nce_biases = tf.Variable(tf.zeros([VOCABULARY_SIZE]))
        with tf.name_scope("loss"):
            labels = tf.cast(train_labels, tf.int64)
            if FLAGS.loss == "nce":
                sampled = tf.nn.fixed_unigram_candidate_sampler(
                    labels, 1, NUM_SAMPLED, True, VOCABULARY_SIZE, distortion=0.75, unigrams=[n for _, n in count], seed=5)
                loss = tf.nn.nce_loss(
                    weights=nce_weights, biases=nce_biases, labels=labels, inputs=embed, num_sampled=NUM_SAMPLED,
                    num_classes=VOCABULARY_SIZE, sampled_values=sampled)
            else:
                loss = tf.nn.sampled_softmax_loss(
                    weights=nce_weights, biases=nce_biases, labels=labels, inputs=embed, num_sampled=NUM_SAMPLED,
                    num_classes=VOCABULARY_SIZE, seed=5)
            loss = tf.reduce_mean(loss)
        tf.summary.scalar("loss", loss)
        with tf.name_scope("optimizer"):
            optimizer = tf.train.GradientDescentOptimizer(1.0).minimize(loss)

        norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
        normalized_embeddings = embeddings / norm
        valid_embeddings = tf.nn.embedding_lookup(normalized_embeddings, valid_dataset)
        similarity = tf.matmul(valid_embeddings, normalized_embeddings, transpose_b=True)
        merged = tf.summary.merge_all()
        init = tf.global_variables_initializer()
        saver = tf.train.Saver()

    with tf.Session(graph=graph) as session:
        writer = tf.summary.FileWriter(FLAGS.log_dir, session.graph)
        init.run()
        batches, average_loss = Batches(data), 0
        for step in range(FLAGS.num_steps):
            batch_inputs, batch_labels = batches.next(BATCH_SIZE, NUM_SKIPS, SKIP_WINDOW)
            feed_dict = {train_inputs: batch_inputs, train_labels: batch_labels}
            run_metadata = tf.RunMetadata()
            _, summary, loss_val = session.run([optimizer, merged, loss], feed_dict=feed_dict, run_metadata=run_metadata)
            average_loss += loss_val
            writer.add_summary(summary, step)
            if step == FLAGS.num_steps - 1:
                writer.add_run_metadata(run_metadata, "step%d" % step)
            if (step + 1) % 10 == 0:
                print("Average loss at step %d: %.6f" % (step, average_loss / 10))
                average_loss = 0
        sim = similarity.eval()
        for i, word in enumerate(VALID_EXAMPLES):
            nearest = (-sim[i, :]).argsort()[1:4]
            print("Nearest to %s:" % reverse_dictionary[word], ", ".join(reverse_dictionary[n] for n in nearest), sim[i, nearest])
        with open(os.path.join(FLAGS.log_dir, "metadata.tsv"), "w") as f:
            for i in range(VOCABULARY_SIZE):
                f.write(reverse_dictionary[i] + "\n")
        saver.save(session, os.path.join(FLAGS.log_dir, "model.ckpt"))
        config = projector.ProjectorConfig()
        embedding_conf = config.embeddings.add()
        embedding_conf.tensor_name = embeddings.name
        embedding_conf.metadata_path = "metadata.tsv"
        projector.visualize_embeddings(writer, config)
    writer.close()


if __name__ == "__main__":
    tf.app.run()
