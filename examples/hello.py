"""The smallest program: a constant, fetched."""
import tensorflow as tf

c = tf.constant("Hello, distributed TensorFlow!")
with tf.Session() as sess:
    print(sess.run(c))
