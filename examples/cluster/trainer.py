"""A minimal trainer: a model, a MonitoredTrainingSession and a last step.

  weir up examples/cluster/trainer.py --ps 1 --workers 2 -- --logdir=trainer_logs

Every task runs this program. It continues from the last checkpoint when it is restarted, and also when a parameter server is
lost and comes back during the run.
"""
import argparse
import sys

import tensorflow as tf

FLAGS = None


def model():
    """Fits a line to points around y = 2 x + 0.5."""
    x = tf.random_uniform([32], -1.0, 1.0)
    y = 2.0 * x + 0.5 + tf.random_normal([32], stddev=0.1)
    slope = tf.get_variable("slope", [], initializer=tf.zeros_initializer())
    offset = tf.get_variable("offset", [], initializer=tf.zeros_initializer())
    return slope, offset, tf.reduce_mean(tf.square(slope * x + offset - y))


def main(_):
    if not FLAGS.ps_hosts:
        raise SystemExit("this program keeps its variables on parameter servers: start it with `weir up ... --ps 1`")
    ps_hosts = FLAGS.ps_hosts.split(",")
    worker_hosts = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        slope, offset, loss = model()
        global_step = tf.train.get_or_create_global_step()
        train = tf.train.AdagradOptimizer(0.5).minimize(loss, global_step=global_step)

    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.last_step)]
    with tf.train.MonitoredTrainingSession(master=server.target, is_chief=chief, checkpoint_dir=FLAGS.logdir, hooks=hooks) as session:
        while not session.should_stop():
            _, step, a, b = session.run([train, global_step, slope, offset])
    print("step %d: y = %.2f x + %.2f" % (step, a, b))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ps_hosts", default="", help="comma-separated addresses of the parameter servers")
    parser.add_argument("--worker_hosts", default="", help="comma-separated addresses of the workers")
    parser.add_argument("--job_name", default="", help="ps or worker")
    parser.add_argument("--task_index", type=int, default=0, help="index of this task in its job")
    parser.add_argument("--logdir", default="trainer_logs", help="folder for checkpoints and event files")
    parser.add_argument("--last_step", type=int, default=2000, help="the global step at which training ends")
    FLAGS, rest = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + rest)
