"""Runs a session on a server in this process. The target could be the address of any server."""
import tensorflow as tf

server = tf.train.Server.create_local_server()
with tf.Session(server.target) as sess:
    print(sess.run(tf.constant("Hello, distributed TensorFlow!")))
