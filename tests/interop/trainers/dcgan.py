"""A deep convolutional generative adversarial network on tiny images."""
import os

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("epoch", 2, "Epochs to train [2]")
flags.DEFINE_float("learning_rate", 0.002, "Learning rate for Adam [0.002]")
flags.DEFINE_float("beta1", 0.5, "Momentum term of Adam [0.5]")
flags.DEFINE_integer("batch_size", 8, "The size of batch images [8]")
flags.DEFINE_integer("z_dim", 6, "Size of the noise [6]")
flags.DEFINE_string("checkpoint_dir", "checkpoint", "Directory name to save the checkpoints")
flags.DEFINE_boolean("crop", False, "True for training, False for testing")
FLAGS = flags.FLAGS


class batch_norm(object):
    def __init__(self, epsilon=1e-5, momentum=0.9, name="batch_norm"):
        with tf.variable_scope(name):
            self.epsilon, self.momentum, self.name = epsilon, momentum, name

    def __call__(self, x, train=True):
        return tf.contrib.layers.batch_norm(x, decay=self.momentum, updates_collections=None, epsilon=self.epsilon, scale=True,
                                            is_training=train, scope=self.name)


def lrelu(x, leak=0.2, name="lrelu"):
    return tf.maximum(x, leak * x, name=name)


def conv2d(input_, output_dim, k=3, d=2, stddev=0.05, name="conv2d"):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [k, k, input_.get_shape()[-1], output_dim], initializer=tf.truncated_normal_initializer(stddev=stddev, seed=1))
        conv = tf.nn.conv2d(input_, w, strides=[1, d, d, 1], padding="SAME")
        biases = tf.get_variable("biases", [output_dim], initializer=tf.constant_initializer(0.0))
        return tf.reshape(tf.nn.bias_add(conv, biases), tf.shape(conv))


def deconv2d(input_, output_shape, k=3, d=2, stddev=0.05, name="deconv2d"):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [k, k, output_shape[-1], input_.get_shape()[-1]], initializer=tf.random_normal_initializer(stddev=stddev, seed=2))
        deconv = tf.nn.conv2d_transpose(input_, w, output_shape=output_shape, strides=[1, d, d, 1])
        biases = tf.get_variable("biases", [output_shape[-1]], initializer=tf.constant_initializer(0.0))
        return tf.reshape(tf.nn.bias_add(deconv, biases), output_shape)


def linear(input_, output_size, scope=None, stddev=0.1):
    with tf.variable_scope(scope or "Linear"):
        matrix = tf.get_variable("Matrix", [input_.get_shape().as_list()[1], output_size], tf.float32, tf.random_normal_initializer(stddev=stddev, seed=3))
        bias = tf.get_variable("bias", [output_size], initializer=tf.constant_initializer(0.0))
        return tf.matmul(input_, matrix) + bias


class DCGAN(object):
    def __init__(self, sess, batch_size, z_dim, dim=6):
        self.sess, self.batch_size, self.z_dim, self.dim = sess, batch_size, z_dim, dim
        self.d_bn1, self.g_bn0, self.g_bn1 = batch_norm(name="d_bn1"), batch_norm(name="g_bn0"), batch_norm(name="g_bn1")
        self.inputs = tf.placeholder(tf.float32, [batch_size, 8, 8, 1], name="real_images")
        self.z = tf.placeholder(tf.float32, [None, z_dim], name="z")
        z_sum = tf.summary.histogram("z", self.z)
        self.G = self.generator(self.z)
        D, D_logits = self.discriminator(self.inputs)
        self.sampler = self.generator(self.z, reuse=True)
        D_, D_logits_ = self.discriminator(self.G, reuse=True)

        def cross_entropy(x, y):
            return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=x, labels=y))

        d_loss_real = cross_entropy(D_logits, tf.ones_like(D))
        d_loss_fake = cross_entropy(D_logits_, tf.zeros_like(D_))
        self.g_loss = cross_entropy(D_logits_, tf.ones_like(D_))
        self.d_loss = d_loss_real + d_loss_fake
        self.g_sum = tf.summary.merge([z_sum, tf.summary.histogram("d_", D_), tf.summary.image("G", self.G), tf.summary.scalar("g_loss", self.g_loss)])
        self.d_sum = tf.summary.merge([z_sum, tf.summary.histogram("d", D), tf.summary.scalar("d_loss", self.d_loss)])
        t_vars = tf.trainable_variables()
        self.d_vars = [var for var in t_vars if "d_" in var.name]
        self.g_vars = [var for var in t_vars if "g_" in var.name]
        self.saver = tf.train.Saver(max_to_keep=1)

    def discriminator(self, image, reuse=False):
        with tf.variable_scope("discriminator") as scope:
            if reuse:
                scope.reuse_variables()
            h0 = lrelu(conv2d(image, self.dim, name="d_h0_conv"))
            h1 = lrelu(self.d_bn1(conv2d(h0, self.dim * 2, name="d_h1_conv")))
            h2 = linear(tf.reshape(h1, [self.batch_size, -1]), 1, "d_h2_lin")
            return tf.nn.sigmoid(h2), h2

    def generator(self, z, reuse=False):
        with tf.variable_scope("generator", reuse=reuse):
            h0 = tf.reshape(linear(z, self.dim * 2 * 2 * 2, "g_h0_lin"), [-1, 2, 2, self.dim * 2])
            h0 = tf.nn.relu(self.g_bn0(h0, train=not reuse))
            h1 = deconv2d(h0, [self.batch_size, 4, 4, self.dim], name="g_h1")
            h1 = tf.nn.relu(self.g_bn1(h1, train=not reuse))
            return tf.nn.tanh(deconv2d(h1, [self.batch_size, 8, 8, 1], name="g_h2"))

    def train(self, config):
        d_optim = tf.train.AdamOptimizer(config.learning_rate, beta1=config.beta1).minimize(self.d_loss, var_list=self.d_vars)
        g_optim = tf.train.AdamOptimizer(config.learning_rate, beta1=config.beta1).minimize(self.g_loss, var_list=self.g_vars)
        try:
            tf.global_variables_initializer().run()
        except AttributeError:
            tf.initialize_all_variables().run()
        writer = tf.summary.FileWriter("./logs", self.sess.graph)
        rng = np.random.RandomState(4)
        grid = np.linspace(-1, 1, 8)
        data = np.array([np.outer(np.cos(a * grid), np.cos(b * grid)) for a, b in rng.uniform(0, 3, (32, 2))])[..., None]
        sample_z, counter = rng.uniform(-1, 1, (config.batch_size, self.z_dim)), 0
        for epoch in range(config.epoch):
            for idx in range(len(data) // config.batch_size):
                batch = data[idx * config.batch_size:(idx + 1) * config.batch_size]
                batch_z = rng.uniform(-1, 1, [config.batch_size, self.z_dim]).astype(np.float32)
                _, summary = self.sess.run([d_optim, self.d_sum], feed_dict={self.inputs: batch, self.z: batch_z})
                writer.add_summary(summary, counter)
                for _ in range(2):  # so that d_loss does not go to zero
                    _, summary = self.sess.run([g_optim, self.g_sum], feed_dict={self.z: batch_z})
                writer.add_summary(summary, counter)
                errors = [loss.eval({self.inputs: batch, self.z: batch_z}) for loss in (self.d_loss, self.g_loss)]
                counter += 1
                print("Epoch: [%2d] [%4d] d_loss: %.8f, g_loss: %.8f" % (epoch, idx, errors[0], errors[1]))
            samples = self.sess.run(self.sampler, feed_dict={self.z: sample_z})
            d_loss = self.sess.run(self.d_loss, feed_dict={self.z: sample_z, self.inputs: data[:config.batch_size]})
            print("[Sample] d_loss: %.8f, mean: %.8f, spread: %.8f" % (d_loss, samples.mean(), samples.std()))
            self.saver.save(self.sess, os.path.join(config.checkpoint_dir, "DCGAN.model"), global_step=counter)
        writer.close()


def main(_):
    if not os.path.exists(FLAGS.checkpoint_dir):
        os.makedirs(FLAGS.checkpoint_dir)
    run_config = tf.ConfigProto()
    run_config.gpu_options.allow_growth = True
    with tf.Session(config=run_config) as sess:
        DCGAN(sess, FLAGS.batch_size, FLAGS.z_dim).train(FLAGS)


if __name__ == "__main__":
    tf.app.run()
