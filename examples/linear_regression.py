"""Fits y = w * x + b to noisy points around y = 2 x + 0.2 with Adagrad, and checks the result."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
xs = np.linspace(-1, 1, 101).astype(np.float32)
ys = (2 * xs + 0.2 + 0.1 * rng.randn(101)).astype(np.float32)

x = tf.placeholder(tf.float32, [None], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
w = tf.Variable(-1.0, name="w")
b = tf.Variable(-2.0, name="b")
loss = tf.reduce_mean(tf.square(x * w + b - y))
train = tf.train.AdagradOptimizer(0.8).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(200):
        sess.run(train, {x: xs, y: ys})
    slope, offset = sess.run([w, b])

print("w = %.3f, b = %.3f" % (slope, offset))
assert abs(slope - 2.0) < 0.1 and abs(offset - 0.2) < 0.1
