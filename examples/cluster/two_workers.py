"""A parameter server and two workers in one process. Both sessions read values on the parameter server."""
import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": ["localhost:2222"], "worker": ["localhost:2223", "localhost:2224"]})
ps = tf.train.Server(cluster, job_name="ps", task_index=0)
workers = [tf.train.Server(cluster, job_name="worker", task_index=i) for i in range(2)]

with tf.device("/job:ps/task:0"):
    a = tf.constant(3.0)
    b = tf.constant(4.0)

with tf.Session(workers[0].target) as sess:
    print(sess.run(tf.multiply(a, b)))
with tf.Session(workers[1].target) as sess:
    print(sess.run(tf.multiply(10.0, b)))
