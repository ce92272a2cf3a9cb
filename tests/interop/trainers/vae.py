"""A variational autoencoder on small binary images."""
import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim

tf.app.flags.DEFINE_string("logdir", "vae", "where to log")
tf.app.flags.DEFINE_integer("epochs", 3, "passes over the data")
tf.app.flags.DEFINE_integer("batch_size", 20, "images per step")
FLAGS = tf.app.flags.FLAGS


def xavier_init(fan_in, fan_out, constant=1):
    """Xavier initialization of the weights of a layer."""
    low = -constant * np.sqrt(6.0 / (fan_in + fan_out))
    high = constant * np.sqrt(6.0 / (fan_in + fan_out))
    return tf.random_uniform((fan_in, fan_out), minval=low, maxval=high, dtype=tf.float32, seed=fan_in)


def make_images(count=100, side=8):
    """Images with one bright bar each."""
    rng = np.random.RandomState(1)
    images = rng.rand(count, side, side) < 0.05
    for i in range(count):
        at = rng.randint(side)
        if i % 2:
            images[i, at] = True
        else:
            images[i, :, at] = True
    return images.reshape(count, -1).astype(np.float32)


class VariationalAutoencoder(object):
    def __init__(self, architecture, transfer_fct=tf.nn.softplus, learning_rate=0.005, batch_size=20):
        self.net, self.transfer_fct, self.batch_size = architecture, transfer_fct, batch_size
        self.x = tf.placeholder(tf.float32, [None, architecture["n_input"]], name="x")
        with tf.name_scope("recognition"):
            mean, log_sigma_sq = self._network(self.x, "n_input", "n_z")
            self.z_mean, self.z_log_sigma_sq = mean, log_sigma_sq
        with tf.name_scope("sample"):
            eps = tf.random_normal((self.batch_size, architecture["n_z"]), 0, 1, dtype=tf.float32, seed=11)
            self.z = tf.add(mean, tf.multiply(tf.sqrt(tf.exp(log_sigma_sq)), eps))
        with tf.name_scope("generator"):
            logits, _ = self._network(self.z, "n_z", "n_input")
            self.x_reconstr_mean = tf.nn.sigmoid(logits, name="reconstruction")
        with tf.name_scope("loss"):
            bernoulli = tf.distributions.Bernoulli(logits=logits)
            reconstr_loss = -tf.reduce_sum(bernoulli.log_prob(self.x), 1)
            prior = tf.distributions.Normal(loc=0.0, scale=1.0)
            posterior = tf.distributions.Normal(loc=mean, scale=tf.exp(0.5 * log_sigma_sq))
            latent_loss = tf.reduce_sum(tf.distributions.kl_divergence(posterior, prior), 1)
            self.cost = tf.reduce_mean(reconstr_loss + latent_loss)
            self.parts = [tf.reduce_mean(reconstr_loss), tf.reduce_mean(latent_loss)]
        self.global_step = tf.train.get_or_create_global_step()
        rate = tf.train.natural_exp_decay(learning_rate, self.global_step, 10, 0.1)
        self.optimizer = tf.train.AdamOptimizer(learning_rate=rate).minimize(self.cost, global_step=self.global_step)
        tf.summary.scalar("cost", self.cost)
        tf.summary.image("input", tf.reshape(self.x, [-1, 8, 8, 1]), max_outputs=2)
        tf.summary.image("reconstruction", tf.reshape(self.x_reconstr_mean, [-1, 8, 8, 1]), max_outputs=2)
        self.summary = tf.summary.merge_all()

    def _network(self, x, n_in, n_out):
        sizes = [self.net[n_in], self.net["n_hidden_1"], self.net["n_hidden_2"], self.net[n_out]]
        for i in range(2):
            w = tf.Variable(xavier_init(sizes[i], sizes[i + 1]), name="h%d" % i)
            b = tf.Variable(tf.zeros([sizes[i + 1]], dtype=tf.float32), name="b%d" % i)
            x = self.transfer_fct(tf.add(tf.matmul(x, w), b))
        heads = []
        for name in ("out_mean", "out_log_sigma"):
            w = tf.Variable(xavier_init(sizes[2], sizes[3]), name=name)
            heads.append(tf.nn.xw_plus_b(x, w, tf.Variable(tf.zeros([sizes[3]]), name="b_" + name)))
        return heads


def main(argv=None):
    images = make_images()
    vae = VariationalAutoencoder(dict(n_hidden_1=32, n_hidden_2=24, n_input=64, n_z=4), batch_size=FLAGS.batch_size)
    slim.model_analyzer.analyze_vars(tf.trainable_variables(), print_info=False)
    sv = tf.train.Supervisor(logdir=FLAGS.logdir, summary_op=None, global_step=vae.global_step, save_model_secs=600)
    with sv.managed_session() as sess:
        for epoch in range(FLAGS.epochs):
            avg_cost = 0.0
            for i in range(len(images) // FLAGS.batch_size):
                batch = images[i * FLAGS.batch_size:(i + 1) * FLAGS.batch_size]
                summary, cost, parts, step, _ = sess.run([vae.summary, vae.cost, vae.parts, vae.global_step, vae.optimizer], {vae.x: batch})
                sv.summary_computed(sess, summary, global_step=step)
                avg_cost += cost * FLAGS.batch_size / len(images)
            print("Epoch: %04d cost= %.6f last= %.6f + %.6f" % (epoch + 1, avg_cost, parts[0], parts[1]))
        z = sess.run(vae.z_mean, {vae.x: images[:FLAGS.batch_size]})
        print("codes", " ".join("%.6f" % value for value in z[:2].ravel()))
        generated = sess.run(vae.x_reconstr_mean, {vae.z: np.eye(FLAGS.batch_size, 4)})
        print("generated", " ".join("%.6f" % value for value in generated.mean(0)[:8]))
        sv.saver.save(sess, os.path.join(FLAGS.logdir, "final"), global_step=sv.global_step)
    print("saved", os.path.basename(tf.train.latest_checkpoint(FLAGS.logdir)))


if __name__ == "__main__":
    tf.app.run()
