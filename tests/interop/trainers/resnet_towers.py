"""A residual network on several devices: every tower computes gradients of its part of the batch on shared variables."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os
import re
import time

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string("train_dir", "cifar_train", "Directory where to write event logs and checkpoint.")
tf.app.flags.DEFINE_integer("max_steps", 10, "Number of batches to run.")
tf.app.flags.DEFINE_integer("num_gpus", 2, "How many devices to use.")
tf.app.flags.DEFINE_integer("batch_size", 12, "Number of images to process in a batch.")
tf.app.flags.DEFINE_boolean("log_device_placement", False, "Whether to log device placement.")

TOWER_NAME, IMAGE_SIZE, NUM_CLASSES = "tower", 8, 4
MOVING_AVERAGE_DECAY, NUM_BATCHES_PER_DECAY, INITIAL_LEARNING_RATE = 0.99, 4, 0.05


def write_records(filename, count=96):
    """Records in the binary format of CIFAR-10: a label, then the red, green and blue planes."""
    rng = np.random.RandomState(3)
    with tf.gfile.GFile(filename, "wb") as f:
        for i in range(count):
            image = rng.randint(0, 120, (3, IMAGE_SIZE, IMAGE_SIZE))
            image[i % 3, :, (i % NUM_CLASSES) * 2:(i % NUM_CLASSES) * 2 + 2] += 120
            f.write(np.uint8([i % NUM_CLASSES]).tobytes() + image.astype(np.uint8).tobytes())


def inputs(filenames):
    with tf.name_scope("input"):
        queue = tf.train.string_input_producer(filenames, shuffle=False)
        record_bytes = 1 + 3 * IMAGE_SIZE * IMAGE_SIZE
        key, value = tf.FixedLengthRecordReader(record_bytes=record_bytes).read(queue)
        record = tf.decode_raw(value, tf.uint8)
        label = tf.cast(tf.strided_slice(record, [0], [1]), tf.int32)
        depth_major = tf.reshape(tf.strided_slice(record, [1], [record_bytes]), [3, IMAGE_SIZE, IMAGE_SIZE])
        image = tf.image.per_image_standardization(tf.cast(tf.transpose(depth_major, [1, 2, 0]), tf.float32))
        image = tf.image.resize_image_with_crop_or_pad(image, IMAGE_SIZE + 2, IMAGE_SIZE + 2)
        label.set_shape([1])
        images, labels = tf.train.batch([image, label], batch_size=FLAGS.batch_size, num_threads=1, capacity=3 * FLAGS.batch_size)
        tf.summary.image("images", images)
        return images, tf.reshape(labels, [FLAGS.batch_size])


def conv(x, filters, stride, name):
    with tf.variable_scope(name):
        with tf.device("/cpu:0"):
            kernel = tf.get_variable("weights", [3, 3, x.shape[-1].value, filters], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=filters))
        weight_decay = tf.multiply(tf.nn.l2_loss(kernel), 0.001, name="weight_loss")
        tf.add_to_collection("losses", weight_decay)
        return tf.nn.conv2d(x, kernel, [1, stride, stride, 1], padding="SAME")


def residual(x, filters, stride, name):
    with tf.variable_scope(name):
        y = tf.nn.relu(tf.layers.batch_normalization(x, momentum=0.9, training=True, name="bn1"))
        shortcut = x if stride == 1 else tf.pad(tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), [[0, 0], [0, 0], [0, 0], [0, filters - x.shape[3].value]])
        y = conv(y, filters, stride, "conv1")
        y = tf.nn.relu(tf.layers.batch_normalization(y, momentum=0.9, training=True, name="bn2"))
        return conv(y, filters, 1, "conv2") + shortcut


def inference(images):
    x = conv(images, 4, 1, "init")
    x = residual(x, 4, 1, "unit_1")
    x = residual(x, 8, 2, "unit_2")
    x = tf.reduce_mean(tf.nn.relu(x), [1, 2])
    with tf.variable_scope("softmax_linear"):
        with tf.device("/cpu:0"):
            w = tf.get_variable("weights", [8, NUM_CLASSES], initializer=tf.truncated_normal_initializer(stddev=0.2, seed=1))
            b = tf.get_variable("biases", [NUM_CLASSES], initializer=tf.constant_initializer(0.0))
        return tf.add(tf.matmul(x, w), b, name="logits")


def tower_loss(scope, images, labels):
    logits = inference(images)
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.add_to_collection("losses", tf.reduce_mean(cross_entropy, name="cross_entropy"))
    losses = tf.get_collection("losses", scope)
    total_loss = tf.add_n(losses, name="total_loss")
    for l in losses + [total_loss]:
        tf.summary.scalar(re.sub("%s_[0-9]*/" % TOWER_NAME, "", l.op.name), l)
    return total_loss


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        average_grads.append((tf.reduce_mean(tf.concat(axis=0, values=grads), 0), grad_and_vars[0][1]))
    return average_grads


class _LoggerHook(tf.train.SessionRunHook):
    """Logs the loss and how long the step took."""

    def __init__(self, loss, lr):
        self._fetches = [loss, lr]

    def begin(self):
        self._step = -1

    def before_run(self, run_context):
        self._step += 1
        self._start_time = time.time()
        return tf.train.SessionRunArgs(self._fetches)

    def after_run(self, run_context, run_values):
        loss_value, lr = run_values.results
        tf.logging.info("%.1f examples/sec", FLAGS.batch_size / (time.time() - self._start_time))
        print("step %d, loss = %.5f, lr = %.5f" % (self._step, loss_value, lr))


def train():
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        global_step = tf.train.get_or_create_global_step()
        lr = tf.train.exponential_decay(INITIAL_LEARNING_RATE, global_step, NUM_BATCHES_PER_DECAY, 0.5, staircase=True)
        opt = tf.train.MomentumOptimizer(lr, 0.9)
        images, labels = inputs([os.path.join("data", "data_batch_%d.bin" % i) for i in (1, 2)])
        image_splits, label_splits = tf.split(images, FLAGS.num_gpus), tf.split(labels, FLAGS.num_gpus)
        tower_grads, tower_losses = [], []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(FLAGS.num_gpus):
                with tf.device("/cpu:%d" % i), tf.name_scope("%s_%d" % (TOWER_NAME, i)) as scope:
                    loss = tower_loss(scope, image_splits[i], label_splits[i])
                    tower_losses.append(loss)
                    tf.get_variable_scope().reuse_variables()
                    summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
                    batchnorm_updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
                    tower_grads.append(opt.compute_gradients(loss))
        grads = average_gradients(tower_grads)
        summaries.append(tf.summary.scalar("learning_rate", lr))
        summaries += [tf.summary.histogram(var.op.name + "/gradients", grad) for grad, var in grads if grad is not None]
        apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
        loss_averages = tf.train.ExponentialMovingAverage(0.9, name="avg")
        loss_averages_op = loss_averages.apply(tower_losses)
        with tf.control_dependencies([apply_gradient_op]):
            variable_averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
            variables_averages_op = variable_averages.apply(tf.trainable_variables())
        train_op = tf.group(variables_averages_op, loss_averages_op, *batchnorm_updates)
        config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=FLAGS.log_device_placement, device_count={"CPU": FLAGS.num_gpus})
        hooks = [tf.train.StopAtStepHook(last_step=FLAGS.max_steps), tf.train.NanTensorHook(loss), _LoggerHook(tf.add_n(tower_losses) / FLAGS.num_gpus, lr),
                 tf.train.SummarySaverHook(save_steps=5, output_dir=FLAGS.train_dir, summary_op=tf.summary.merge(summaries))]
        with tf.train.MonitoredTrainingSession(checkpoint_dir=FLAGS.train_dir, hooks=hooks, config=config, save_summaries_steps=None) as mon_sess:
            while not mon_sess.should_stop():
                mon_sess.run(train_op)
        return variable_averages.variables_to_restore(), [loss_averages.average_name(l) for l in tower_losses]


def main(argv=None):
    tf.gfile.MakeDirs("data")
    for i in (1, 2):
        write_records(os.path.join("data", "data_batch_%d.bin" % i))
    if tf.gfile.Exists(FLAGS.train_dir):
        tf.gfile.DeleteRecursively(FLAGS.train_dir)
    averages, losses = train()
    reader = tf.train.load_checkpoint(FLAGS.train_dir)
    for name in sorted(averages) + losses:
        print(name, "%.5f" % np.abs(reader.get_tensor(name)).sum())


if __name__ == "__main__":
    tf.app.run()
