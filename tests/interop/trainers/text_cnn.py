"""A convolutional network that classifies sentences."""
import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import learn

# Data loading params
tf.flags.DEFINE_float("dev_sample_percentage", .2, "Percentage of the training data to use for validation")
# Model Hyperparameters
tf.flags.DEFINE_integer("embedding_dim", 12, "Dimensionality of character embedding")
tf.flags.DEFINE_string("filter_sizes", "2,3", "Comma-separated filter sizes")
tf.flags.DEFINE_integer("num_filters", 6, "Number of filters per filter size")
tf.flags.DEFINE_float("dropout_keep_prob", 0.5, "Dropout keep probability")
tf.flags.DEFINE_float("l2_reg_lambda", 0.1, "L2 regularization lambda")
# Training parameters
tf.flags.DEFINE_integer("batch_size", 16, "Batch Size")
tf.flags.DEFINE_integer("num_epochs", 3, "Number of training epochs")
tf.flags.DEFINE_integer("evaluate_every", 6, "Evaluate model on dev set after this many steps")
tf.flags.DEFINE_integer("checkpoint_every", 6, "Save model after this many steps")
# Misc Parameters
tf.flags.DEFINE_boolean("allow_soft_placement", True, "Allow device soft device placement")
tf.flags.DEFINE_boolean("log_device_placement", False, "Log placement of ops on devices")
FLAGS = tf.flags.FLAGS

GOOD, BAD = "great moving fine clever charming".split(), "dull weak tired bland clumsy".split()
OTHER = "a the film story with and its cast is scenes of".split()


def load_data_and_labels(count=100):
    rng, texts, labels = np.random.RandomState(10), [], []
    for i in range(count):
        words = list(rng.choice(OTHER, rng.randint(4, 9)))
        words.insert(rng.randint(len(words)), rng.choice(GOOD if i % 2 else BAD))
        texts.append(" ".join(words))
        labels.append([i % 2 == 0, i % 2 == 1])
    return texts, np.array(labels, np.float32)


class TextCNN(object):
    """An embedding layer, followed by a convolutional, max-pooling and softmax layer."""

    def __init__(self, sequence_length, num_classes, vocab_size, embedding_size, filter_sizes, num_filters, l2_reg_lambda=0.0):
        self.input_x = tf.placeholder(tf.int32, [None, sequence_length], name="input_x")
        self.input_y = tf.placeholder(tf.float32, [None, num_classes], name="input_y")
        self.dropout_keep_prob = tf.placeholder(tf.float32, name="dropout_keep_prob")
        l2_loss = tf.constant(0.0)
        with tf.device("/cpu:0"), tf.name_scope("embedding"):
            self.W = tf.Variable(tf.random_uniform([vocab_size, embedding_size], -1.0, 1.0, seed=1), name="W")
            self.embedded_chars = tf.nn.embedding_lookup(self.W, self.input_x)
            self.embedded_chars_expanded = tf.expand_dims(self.embedded_chars, -1)
        pooled_outputs = []
        for i, filter_size in enumerate(filter_sizes):
            with tf.name_scope("conv-maxpool-%s" % filter_size):
                filter_shape = [filter_size, embedding_size, 1, num_filters]
                W = tf.Variable(tf.truncated_normal(filter_shape, stddev=0.1, seed=2), name="W")
                b = tf.Variable(tf.constant(0.1, shape=[num_filters]), name="b")
                conv = tf.nn.conv2d(self.embedded_chars_expanded, W, strides=[1, 1, 1, 1], padding="VALID", name="conv")
                h = tf.nn.relu(tf.nn.bias_add(conv, b), name="relu")
                pooled = tf.nn.max_pool(h, ksize=[1, sequence_length - filter_size + 1, 1, 1], strides=[1, 1, 1, 1], padding="VALID", name="pool")
                pooled_outputs.append(pooled)
        num_filters_total = num_filters * len(filter_sizes)
        self.h_pool = tf.concat(pooled_outputs, 3)
        self.h_pool_flat = tf.reshape(self.h_pool, [-1, num_filters_total])
        with tf.name_scope("dropout"):
            self.h_drop = tf.nn.dropout(self.h_pool_flat, self.dropout_keep_prob, seed=6)
        with tf.name_scope("output"):
            W = tf.get_variable("W", shape=[num_filters_total, num_classes], initializer=tf.contrib.layers.xavier_initializer(seed=3))
            b = tf.Variable(tf.constant(0.1, shape=[num_classes]), name="b")
            l2_loss += tf.nn.l2_loss(W)
            l2_loss += tf.nn.l2_loss(b)
            self.scores = tf.nn.xw_plus_b(self.h_drop, W, b, name="scores")
            self.predictions = tf.argmax(self.scores, 1, name="predictions")
        with tf.name_scope("loss"):
            losses = tf.nn.softmax_cross_entropy_with_logits(logits=self.scores, labels=self.input_y)
            self.loss = tf.reduce_mean(losses) + l2_reg_lambda * l2_loss
        with tf.name_scope("accuracy"):
            correct_predictions = tf.equal(self.predictions, tf.argmax(self.input_y, 1))
            self.accuracy = tf.reduce_mean(tf.cast(correct_predictions, "float"), name="accuracy")


def batch_iter(data, batch_size, num_epochs):
    rng = np.random.RandomState(7)
    for _ in range(num_epochs):
        shuffled = [data[i] for i in rng.permutation(len(data))]
        for start in range(0, len(data), batch_size):
            yield shuffled[start:start + batch_size]


def train(x_train, y_train, vocab_size, x_dev, y_dev):
    with tf.Graph().as_default():
        session_conf = tf.ConfigProto(allow_soft_placement=FLAGS.allow_soft_placement, log_device_placement=FLAGS.log_device_placement)
        sess = tf.Session(config=session_conf)
        with sess.as_default():
            cnn = TextCNN(x_train.shape[1], y_train.shape[1], vocab_size, FLAGS.embedding_dim,
                          list(map(int, FLAGS.filter_sizes.split(","))), FLAGS.num_filters, FLAGS.l2_reg_lambda)
            global_step = tf.Variable(0, name="global_step", trainable=False)
            optimizer = tf.train.AdamOptimizer(1e-2)
            grads_and_vars = optimizer.compute_gradients(cnn.loss)
            train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)
            grad_summaries = []
            for g, v in grads_and_vars:
                if g is not None:
                    grad_summaries.append(tf.summary.histogram("{}/grad/hist".format(v.op.name), g))
                    grad_summaries.append(tf.summary.scalar("{}/grad/sparsity".format(v.op.name), tf.nn.zero_fraction(g)))
            loss_summary = tf.summary.scalar("loss", cnn.loss)
            acc_summary = tf.summary.scalar("accuracy", cnn.accuracy)
            train_summary_op = tf.summary.merge([loss_summary, acc_summary] + grad_summaries)
            train_summary_writer = tf.summary.FileWriter(os.path.join("runs", "summaries", "train"), sess.graph)
            dev_summary_op = tf.summary.merge([loss_summary, acc_summary])
            dev_summary_writer = tf.summary.FileWriter(os.path.join("runs", "summaries", "dev"), sess.graph)
            checkpoint_prefix = os.path.join("runs", "checkpoints", "model")
            os.makedirs(os.path.dirname(checkpoint_prefix))
            saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)
            sess.run(tf.global_variables_initializer())

            for batch in batch_iter(list(zip(x_train, y_train)), FLAGS.batch_size, FLAGS.num_epochs):
                x_batch, y_batch = zip(*batch)
                feed_dict = {cnn.input_x: x_batch, cnn.input_y: y_batch, cnn.dropout_keep_prob: FLAGS.dropout_keep_prob}
                _, step, summaries, loss, accuracy = sess.run([train_op, global_step, train_summary_op, cnn.loss, cnn.accuracy], feed_dict)
                print("step {}, loss {:.6f}, acc {:.4f}".format(step, loss, accuracy))
                train_summary_writer.add_summary(summaries, step)
                current_step = tf.train.global_step(sess, global_step)
                if current_step % FLAGS.evaluate_every == 0:
                    feed_dict = {cnn.input_x: x_dev, cnn.input_y: y_dev, cnn.dropout_keep_prob: 1.0}
                    summaries, loss, accuracy = sess.run([dev_summary_op, cnn.loss, cnn.accuracy], feed_dict)
                    print("Evaluation: loss {:.6f}, acc {:.4f}".format(loss, accuracy))
                    dev_summary_writer.add_summary(summaries, current_step)
                if current_step % FLAGS.checkpoint_every == 0:
                    print("Saved model checkpoint to {}".format(saver.save(sess, checkpoint_prefix, global_step=current_step)))


def evaluate(x_dev, y_dev):
    """Restores the graph and the variables, and finds tensors by their names."""
    graph = tf.Graph()
    with graph.as_default(), tf.Session() as sess:
        checkpoint_file = tf.train.latest_checkpoint(os.path.join("runs", "checkpoints"))
        saver = tf.train.import_meta_graph("{}.meta".format(checkpoint_file))
        saver.restore(sess, checkpoint_file)
        input_x = graph.get_operation_by_name("input_x").outputs[0]
        keep_prob = graph.get_operation_by_name("dropout_keep_prob").outputs[0]
        scores = graph.get_operation_by_name("output/scores").outputs[0]
        found = sess.run(scores, {input_x: x_dev, keep_prob: 1.0})
        print("Accuracy: {:g}, mean score {:.6f}".format(np.mean(found.argmax(1) == y_dev.argmax(1)), found.mean()))


def main(argv=None):
    x_text, y = load_data_and_labels()
    vocab_processor = learn.preprocessing.VocabularyProcessor(max(len(x.split(" ")) for x in x_text))
    x = np.array(list(vocab_processor.fit_transform(x_text)))
    split = -1 * int(FLAGS.dev_sample_percentage * float(len(y)))
    print("Vocabulary Size: {:d}".format(len(vocab_processor.vocabulary_)))
    train(x[:split], y[:split], len(vocab_processor.vocabulary_), x[split:], y[split:])
    evaluate(x[split:], y[split:])


if __name__ == "__main__":
    tf.app.run()
