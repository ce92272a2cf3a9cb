"""A graph convolutional network, with sparse placeholders for features and the normalized adjacency matrix."""
from __future__ import division
from __future__ import print_function

import collections

import numpy as np
import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_float("learning_rate", 0.02, "Initial learning rate.")
flags.DEFINE_integer("epochs", 12, "Number of epochs to train.")
flags.DEFINE_integer("hidden1", 8, "Number of units in hidden layer 1.")
flags.DEFINE_float("dropout", 0.5, "Dropout rate (1 - keep probability).")
flags.DEFINE_float("weight_decay", 5e-4, "Weight for L2 loss on embedding matrix.")
flags.DEFINE_integer("early_stopping", 5, "Tolerance for early stopping (# of epochs).")

_LAYER_UIDS = collections.defaultdict(int)


def glorot(shape, name=None):
    """Glorot and Bengio's initialization."""
    init_range = np.sqrt(6.0 / (shape[0] + shape[1]))
    return tf.Variable(tf.random_uniform(shape, minval=-init_range, maxval=init_range, dtype=tf.float32, seed=shape[0]), name=name)


def sparse_dropout(x, keep_prob, noise_shape):
    random_tensor = keep_prob
    random_tensor += tf.random_uniform(noise_shape, seed=4)
    dropout_mask = tf.cast(tf.floor(random_tensor), dtype=tf.bool)
    return tf.sparse_retain(x, dropout_mask) * (1. / keep_prob)


class GraphConvolution(object):
    def __init__(self, input_dim, output_dim, placeholders, act=tf.nn.relu, sparse_inputs=False):
        layer = self.__class__.__name__.lower()
        _LAYER_UIDS[layer] += 1
        self.name, self.vars = layer + "_" + str(_LAYER_UIDS[layer]), {}
        self.dropout, self.support, self.nonzero = (placeholders[key] for key in ("dropout", "support", "num_features_nonzero"))
        self.act, self.sparse_inputs = act, sparse_inputs
        with tf.variable_scope(self.name + "_vars"):
            self.vars["weights"] = glorot([input_dim, output_dim], name="weights")
        tf.summary.histogram(self.name + "/vars/weights", self.vars["weights"])

    def __call__(self, x):
        with tf.name_scope(self.name):
            if self.sparse_inputs:
                x = sparse_dropout(x, 1 - self.dropout, self.nonzero)
                pre = tf.sparse_tensor_dense_matmul(x, self.vars["weights"])
            else:
                x = tf.nn.dropout(x, 1 - self.dropout, seed=5)
                pre = tf.matmul(x, self.vars["weights"])
            outputs = self.act(tf.sparse_tensor_dense_matmul(self.support, pre))
            tf.summary.histogram(self.name + "/outputs", outputs)
            return outputs


class GCN(object):
    def __init__(self, placeholders, input_dim, output_dim):
        self.layers = [GraphConvolution(input_dim, FLAGS.hidden1, placeholders, sparse_inputs=True),
                       GraphConvolution(FLAGS.hidden1, output_dim, placeholders, act=lambda x: x)]
        self.outputs = placeholders["features"]
        for layer in self.layers:
            self.outputs = layer(self.outputs)
        labels, mask = placeholders["labels"], tf.cast(placeholders["labels_mask"], dtype=tf.float32)
        mask /= tf.reduce_mean(mask)
        self.loss = sum(FLAGS.weight_decay * tf.nn.l2_loss(var) for var in self.layers[0].vars.values())
        self.loss += tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=self.outputs, labels=labels) * mask)
        correct = tf.equal(tf.argmax(self.outputs, 1), tf.argmax(labels, 1))
        self.accuracy = tf.reduce_mean(tf.cast(correct, tf.float32) * mask)
        self.opt_op = tf.train.AdamOptimizer(learning_rate=FLAGS.learning_rate).minimize(self.loss)


def sparse_to_tuple(matrix):
    coords = np.stack(np.nonzero(matrix), 1)
    return coords, matrix[tuple(coords.T)].astype(np.float32), matrix.shape


def load_data(nodes=60, classes=3, words=20):
    """A graph of communities, whose nodes share words."""
    rng = np.random.RandomState(8)
    kind = np.arange(nodes) % classes
    adjacency = rng.rand(nodes, nodes) < np.where(kind[:, None] == kind, 0.2, 0.02)
    adjacency = np.maximum(adjacency, adjacency.T) + np.eye(nodes)
    d_inv_sqrt = np.power(adjacency.sum(1), -0.5)
    features = (rng.rand(nodes, words) < 0.1 + 0.2 * (np.arange(words) % classes == kind[:, None])).astype(np.float32)
    features /= np.maximum(features.sum(1, keepdims=True), 1)
    masks = [(np.arange(nodes) // 20) == part for part in range(3)]
    return adjacency * d_inv_sqrt[:, None] * d_inv_sqrt, features, np.eye(classes)[kind], masks


def main(_):
    np.random.seed(123)
    tf.set_random_seed(123)
    adj, features, labels, (train_mask, val_mask, test_mask) = load_data()
    support, features = sparse_to_tuple(adj), sparse_to_tuple(features)
    placeholders = {
        "support": tf.sparse_placeholder(tf.float32),
        "features": tf.sparse_placeholder(tf.float32, shape=tf.constant(features[2], dtype=tf.int64)),
        "labels": tf.placeholder(tf.float32, shape=(None, labels.shape[1])),
        "labels_mask": tf.placeholder(tf.int32),
        "dropout": tf.placeholder_with_default(0., shape=()),
        "num_features_nonzero": tf.placeholder(tf.int32),
    }
    model = GCN(placeholders, input_dim=features[2][1], output_dim=labels.shape[1])
    merged = tf.summary.merge_all()

    def feed(mask, dropout=None):
        feed_dict = {placeholders["labels"]: labels, placeholders["labels_mask"]: mask, placeholders["features"]: features,
                     placeholders["support"]: support, placeholders["num_features_nonzero"]: features[1].shape}
        if dropout is not None:
            feed_dict[placeholders["dropout"]] = dropout
        return feed_dict

    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    cost_val = []
    with tf.summary.FileWriter("gcn", sess.graph) as writer:
        for epoch in range(FLAGS.epochs):
            outs = sess.run([model.opt_op, model.loss, model.accuracy, merged], feed_dict=feed(train_mask, FLAGS.dropout))
            writer.add_summary(outs[3], epoch)
            cost, acc = sess.run([model.loss, model.accuracy], feed_dict=feed(val_mask))
            cost_val.append(cost)
            print("Epoch: %04d train_loss= %.5f train_acc= %.5f val_loss= %.5f val_acc= %.5f" % (epoch + 1, outs[1], outs[2], cost, acc))
            if epoch > FLAGS.early_stopping and cost_val[-1] > np.mean(cost_val[-(FLAGS.early_stopping + 1):-1]):
                print("Early stopping...")
                break
    print("Test set results: cost= {:.5f} accuracy= {:.5f}".format(*sess.run([model.loss, model.accuracy], feed_dict=feed(test_mask))))


if __name__ == "__main__":
    tf.app.run()
