"""A session on a server of this process: the same program could name any server's address."""
import tensorflow as tf

server = tf.train.Server.create_local_server()
with tf.Session(server.target) as sess:
    print(sess.run(tf.constant("Hello, distributed TensorFlow!")))
