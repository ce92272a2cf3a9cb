"""Places ops on a device: placed.py [/gpu:0] [--soft]. If the device does not exist, the error lists the existing
devices."""
import sys

import tensorflow as tf

soft = "--soft" in sys.argv
device = next((name for name in sys.argv[1:] if name.startswith("/")), "/cpu:0")

with tf.device("/job:local/task:0"), tf.device("/cpu:0"):
    greeting = tf.constant("Hello, distributed TensorFlow!")
with tf.device("/job:local/task:0"), tf.device(device):
    table = tf.get_variable("table", [2, 2], initializer=tf.random_normal_initializer())

server = tf.train.Server.create_local_server()
with tf.Session(server.target, config=tf.ConfigProto(allow_soft_placement=soft)) as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(greeting))
    print(sess.run(table))
