"""The smallest program: fetches a constant."""
import tensorflow as tf

c = tf.constant("Hello, distributed TensorFlow!")
with tf.Session() as sess:
    print(sess.run(c))
