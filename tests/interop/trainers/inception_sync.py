"""Synchronous training of a network with towers of convolutions: workers, parameter servers, supervisor, token queue.

All workers read the same images, so that a step does not depend on which worker is faster.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import time

import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string("job_name", "", 'One of "ps", "worker"')
tf.app.flags.DEFINE_string("ps_hosts", "", "Comma-separated list of hostname:port for the parameter server jobs.")
tf.app.flags.DEFINE_string("worker_hosts", "", "Comma-separated list of hostname:port for the worker jobs.")
tf.app.flags.DEFINE_string("train_dir", "imagenet_train", "Directory where to write event logs and checkpoint.")
tf.app.flags.DEFINE_integer("max_steps", 8, "Number of batches to run.")
tf.app.flags.DEFINE_integer("task_id", 0, "Task ID of the worker/replica running the training.")
tf.app.flags.DEFINE_integer("num_replicas_to_aggregate", -1, "Number of gradients to collect before updating the parameters.")
tf.app.flags.DEFINE_float("initial_learning_rate", 0.045, "Initial learning rate.")
tf.app.flags.DEFINE_boolean("log_device_placement", False, "Whether to log device placement.")
NUM_CLASSES, BATCH_SIZE, SIDE = 4, 8, 10
RMSPROP_DECAY, RMSPROP_MOMENTUM, RMSPROP_EPSILON = 0.9, 0.9, 1.0


def distorted_inputs():
    rng = np.random.RandomState(13)
    images = rng.uniform(-1, 1, (4 * BATCH_SIZE, SIDE, SIDE, 3)).astype(np.float32)
    labels = np.arange(4 * BATCH_SIZE) % NUM_CLASSES
    for image, label in zip(images, labels):
        image[label * 2:label * 2 + 3] += 0.7
    return tf.constant(images), tf.constant(labels, tf.int64)


def inception(images, is_training):
    batch_norm_params = {"decay": 0.9, "epsilon": 0.001, "is_training": is_training}
    with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(0.0004)):
        with slim.arg_scope([slim.conv2d], weights_initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1), activation_fn=tf.nn.relu6,
                            normalizer_fn=slim.batch_norm, normalizer_params=batch_norm_params, stride=1, padding="SAME"):
            with tf.variable_scope("inception", values=[images]):
                net = slim.conv2d(images, 6, [3, 3], stride=2, padding="VALID", scope="conv0")
                for block, depth in (("mixed_a", 4), ("mixed_b", 6)):
                    with tf.variable_scope(block):
                        branch1x1 = slim.conv2d(net, depth, [1, 1], scope="branch1x1")
                        branch3x3 = slim.conv2d(slim.conv2d(net, depth, [1, 1], scope="branch3x3_1"), depth, [3, 3], scope="branch3x3_2")
                        branch_pool = slim.conv2d(slim.avg_pool2d(net, [3, 3], stride=1, padding="SAME"), depth, [1, 1], scope="branch_pool")
                        net = tf.concat(axis=3, values=[branch1x1, branch3x3, branch_pool])
                net = slim.flatten(slim.avg_pool2d(net, net.get_shape()[1:3], padding="VALID", scope="pool"))
                return slim.fully_connected(net, NUM_CLASSES, activation_fn=None, scope="logits",
                                            weights_initializer=tf.random_normal_initializer(stddev=0.1, seed=2))


def train(target, cluster_spec):
    num_workers = len(cluster_spec.as_dict()["worker"])
    num_parameter_servers = len(cluster_spec.as_dict()["ps"])
    num_replicas_to_aggregate = num_workers if FLAGS.num_replicas_to_aggregate == -1 else FLAGS.num_replicas_to_aggregate
    is_chief = FLAGS.task_id == 0
    greedy = tf.contrib.training.GreedyLoadBalancingStrategy(num_parameter_servers, tf.contrib.training.byte_size_load_fn)
    device = tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % FLAGS.task_id, cluster=cluster_spec, ps_strategy=greedy)
    with tf.device(device):
        global_step = tf.train.get_or_create_global_step()
        lr = tf.train.exponential_decay(FLAGS.initial_learning_rate, global_step, 4, 0.9, staircase=True)
        tf.summary.scalar("learning_rate", lr)
        opt = tf.train.RMSPropOptimizer(lr, RMSPROP_DECAY, momentum=RMSPROP_MOMENTUM, epsilon=RMSPROP_EPSILON)
        images, labels = distorted_inputs()
        start = tf.cast(tf.mod(global_step, 4) * BATCH_SIZE, tf.int32)
        images = tf.reshape(tf.slice(images, tf.stack([start, 0, 0, 0]), [BATCH_SIZE, -1, -1, -1]), [BATCH_SIZE, SIDE, SIDE, 3])
        labels = tf.slice(labels, [start], [BATCH_SIZE])
        logits = inception(images, is_training=True)
        slim.losses.softmax_cross_entropy(logits, slim.one_hot_encoding(labels, NUM_CLASSES), label_smoothing=0.1, weights=1.0)
        losses = tf.get_collection(tf.GraphKeys.LOSSES)
        losses += tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        total_loss = tf.add_n(losses, name="total_loss")
        exp_moving_averager = tf.train.ExponentialMovingAverage(0.9, global_step)
        variables_to_average = tf.trainable_variables() + tf.moving_average_variables()
        for var in variables_to_average:
            tf.summary.histogram(var.op.name, var)
        opt = tf.train.SyncReplicasOptimizer(opt, replicas_to_aggregate=num_replicas_to_aggregate, total_num_replicas=num_workers,
                                             variable_averages=exp_moving_averager, variables_to_average=variables_to_average)
        # Only the chief updates the statistics of batch normalization.
        batchnorm_updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) if is_chief else []
        with tf.control_dependencies([tf.group(*batchnorm_updates)]):
            total_loss = tf.identity(total_loss)
        grads = opt.compute_gradients(total_loss)
        apply_gradients_op = opt.apply_gradients(grads, global_step=global_step)
        with tf.control_dependencies([apply_gradients_op]):
            train_op = tf.identity(total_loss, name="train_op")
            # The number of the update that this step has waited for, read where the variable is.
            with tf.colocate_with(global_step):
                step_op = tf.identity(global_step.read_value())
        chief_queue_runners = [opt.get_chief_queue_runner()]
        init_tokens_op = opt.get_init_tokens_op(num_tokens=0)
        saver = tf.train.Saver()
        summary_op = tf.summary.merge_all()
        init_op = tf.global_variables_initializer()
        sv = tf.train.Supervisor(is_chief=is_chief, logdir=FLAGS.train_dir, init_op=init_op, summary_op=None, global_step=global_step, saver=saver,
                                 recovery_wait_secs=1, save_model_secs=600)
        tf.logging.info("%s Supervisor", time.time())
        sess_config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=FLAGS.log_device_placement)
        sess = sv.prepare_or_wait_for_session(target, config=sess_config)
        queue_runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        sv.start_queue_runners(sess, queue_runners)
        if is_chief:
            sv.start_queue_runners(sess, chief_queue_runners)
            sess.run(init_tokens_op)
        while not sv.should_stop():
            loss_value, step = sess.run([train_op, step_op])
            assert not np.isnan(loss_value), "Model diverged with loss = NaN"
            if step >= FLAGS.max_steps:
                break
        if is_chief:
            sv.summary_computed(sess, sess.run(summary_op))
            saver.save(sess, FLAGS.train_dir + "/model.ckpt", global_step=FLAGS.max_steps)
    print("worker %d is done, %d replicas" % (FLAGS.task_id, num_replicas_to_aggregate))
    return exp_moving_averager.variables_to_restore(variables_to_average)


def main(unused_args):
    assert FLAGS.job_name in ["ps", "worker"], "job_name must be ps or worker"
    cluster_spec = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server({"ps": cluster_spec.as_dict()["ps"], "worker": cluster_spec.as_dict()["worker"]}, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_id)
    if FLAGS.job_name == "ps":
        server.join()
        return
    averages = train(server.target, cluster_spec)
    if FLAGS.task_id == 0:
        reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(FLAGS.train_dir))
        for name in sorted(averages):
            print(name, "%.5f" % np.abs(reader.get_tensor(name)).sum())


if __name__ == "__main__":
    tf.app.run()
