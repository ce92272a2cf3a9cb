"""Two workers train one network asynchronously, with its variables on a parameter server:

  weir up examples/cluster/train.py --ps 1 --workers 2

Every task runs this program. The workers build the same graph and share the variables, which are matched by name.
"""
import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "Comma-separated addresses of the parameter servers")
flags.DEFINE_string("worker_hosts", "", "Comma-separated addresses of the workers")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Index of this task in its job")
flags.DEFINE_integer("steps", 1200, "How many steps all workers take together")
FLAGS = flags.FLAGS

PER_ARM, HIDDEN = 100, 64


def spirals():
    """Returns [200, 2] points and, for each, the arm (0 or 1) that it is on."""
    radius = 0.1 + 0.9 * np.arange(PER_ARM) / PER_ARM
    angles = [4.0 * radius + np.pi * arm for arm in range(2)]
    points = [np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1) for angle in angles]
    return np.concatenate(points).astype(np.float32), np.repeat([0, 1], PER_ARM).astype(np.int32)


def dense(x, size, name):
    with tf.device("/job:ps/task:0"), tf.variable_scope(name):
        w = tf.get_variable("w", [x.shape[1], size])
        b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def picture(arms, width, height):
    return "\n".join("".join(".#"[arm] for arm in row) for row in arms.reshape(height, width))


def work(server):
    chief = FLAGS.task_index == 0
    with tf.device("/job:worker/task:%d" % FLAGS.task_index):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        y = tf.placeholder(tf.int32, [None], name="y")
        logits = dense(tf.tanh(dense(x, HIDDEN, "hidden")), 2, "logits")
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        choice = tf.argmax(logits, 1, output_type=tf.int32)
        accuracy = tf.reduce_mean(tf.cast(tf.equal(choice, y), tf.float32))
    with tf.device("/job:ps/task:0"):
        global_step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=global_step)
    initialize = tf.global_variables_initializer()
    missing = tf.report_uninitialized_variables()

    points, labels = spirals()
    order = np.random.RandomState(FLAGS.task_index)
    # A session needs only the tasks that its graph names: other workers may start later or have finished already.
    with tf.Session(server.target) as sess:
        if chief:
            sess.run(initialize)
        while sess.run(missing).size:
            time.sleep(0.05)
        mine = step = 0
        while step < FLAGS.steps:
            batch = order.choice(len(points), 100, replace=False)
            _, step, current = sess.run([train, global_step, loss], {x: points[batch], y: labels[batch]})
            mine += 1
            if mine % 100 == 0:
                print("step %4d  loss %.4f" % (step, current))
        print("%d steps by this worker" % mine)
        if not chief:
            return 0
        width, height = 48, 24
        ys, xs = np.mgrid[1:-1:height * 1j, -1:1:width * 1j]
        grid = np.stack([xs.ravel(), ys.ravel()], axis=1).astype(np.float32)
        print(picture(sess.run(choice, {x: grid}), width, height))
        final = sess.run(accuracy, {x: points, y: labels})
        print("accuracy %.3f" % final)
        return 0 if final > 0.95 else 1


def main(_):
    if not FLAGS.ps_hosts:
        raise SystemExit("this program keeps its variables on parameter servers: start it with `weir up ... --ps 1`")
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    return work(server)


if __name__ == "__main__":
    tf.app.run(main)
