"""Trains a softmax classifier of handwritten digits on a cluster, with its variables on parameter servers:

  tools/write_digits build/demo/digits
  weir up examples/cluster/digits.py --ps 2 --workers 2 -- --data_dir=build/demo/digits --logdir=build/demo/logs

Every task runs this program. With --sync, all workers' gradients form one step; otherwise each worker steps at its own pace.
A restarted run continues from the last checkpoint in its logdir.
"""
import os

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "Comma-separated addresses of the parameter servers")
flags.DEFINE_string("worker_hosts", "", "Comma-separated addresses of the workers")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Index of this task in its job")
flags.DEFINE_string("data_dir", "data", "Folder with MNIST's files or those of tools/write_digits")
flags.DEFINE_string("logdir", "cluster_digits_logs", "Folder for checkpoints and event files")
flags.DEFINE_integer("steps", 2000, "The global step at which training ends")
flags.DEFINE_integer("batch", 100, "Images per step")
flags.DEFINE_bool("sync", False, "Train synchronously")
flags.DEFINE_integer("aggregate", 0, "With --sync: number of gradients per step (0: one per worker); further workers are backups")
FLAGS = flags.FLAGS


def model():
    images = tf.placeholder(tf.float32, [None, 784], name="images")
    labels = tf.placeholder(tf.float32, [None, 10], name="labels")
    with tf.variable_scope("softmax"):
        weights = tf.get_variable("weights", [784, 10], initializer=tf.zeros_initializer())
        biases = tf.get_variable("biases", [10], initializer=tf.zeros_initializer())
    logits = tf.matmul(images, weights) + biases
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
    return images, labels, loss, tf.reduce_mean(tf.cast(right, tf.float32))


def work(cluster, server, workers):
    chief = FLAGS.task_index == 0
    digits = input_data.read_data_sets(FLAGS.data_dir, one_hot=True)
    with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        images, labels, loss, accuracy = model()
        global_step = tf.train.get_or_create_global_step()
        optimizer = tf.train.AdagradOptimizer(0.05)
        arguments = {}
        if FLAGS.sync:
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, FLAGS.aggregate or workers, total_num_replicas=workers)
        train = optimizer.minimize(loss, global_step=global_step)
        if FLAGS.sync:
            arguments = dict(local_init_op=optimizer.chief_init_op if chief else optimizer.local_step_init_op,
                             ready_for_local_init_op=optimizer.ready_for_local_init_op)
            tokens = optimizer.get_init_tokens_op(0)

    # Turn off the supervisor's own summaries, which run without feeds; this program writes its summaries itself.
    sv = tf.train.Supervisor(is_chief=chief, logdir=FLAGS.logdir, global_step=global_step, summary_op=None, save_model_secs=60,
                             recovery_wait_secs=1, **arguments)
    with sv.managed_session(server.target) as sess:
        if FLAGS.sync and chief:
            sess.run(tokens)
            sv.start_queue_runners(sess, [optimizer.get_chief_queue_runner()])
        mine, step = 0, sess.run(global_step)
        while not sv.should_stop() and step < FLAGS.steps:
            batch = dict(zip((images, labels), digits.train.next_batch(FLAGS.batch)))
            _, current = sess.run([train, loss], batch)
            step = sess.run(global_step)
            mine += 1
            if chief and mine % 100 == 0:
                print("step %4d  loss %.3f" % (step, current), flush=True)
                sv.summary_computed(sess, tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=current)]), step)
        print("%d steps by this worker" % mine, flush=True)
        if chief:
            final = sess.run(accuracy, {images: digits.test.images, labels: digits.test.labels})
            saved = sv.saver.save(sess, sv.save_path, global_step=step)
            print("accuracy %.3f on %d digits not used for training" % (final, digits.test.num_examples))
            print("checkpoint  %s" % os.path.abspath(saved))
            print("event files %s  (tensorboard --logdir %s)" % (os.path.abspath(FLAGS.logdir), FLAGS.logdir), flush=True)


def main(_):
    if not FLAGS.ps_hosts:
        raise SystemExit("this program keeps its variables on parameter servers: start it with `weir up ... --ps 1`")
    workers = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": workers})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    work(cluster, server, len(workers))


if __name__ == "__main__":
    tf.app.run(main)
