"""Benchmark of a convolutional network on several devices, with synthetic images that pass through staging areas.

--variable_update=parameter_server keeps the variables on one device; replicated gives every device its own copy and
adds up the gradients.
"""
from __future__ import print_function

import collections
import time

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

tf.flags.DEFINE_string("model", "tiny", "name of the model to run")
tf.flags.DEFINE_integer("batch_size", 6, "batch size per compute device")
tf.flags.DEFINE_integer("num_batches", 8, "number of batches to run, excluding warmup")
tf.flags.DEFINE_integer("num_warmup_batches", 2, "number of batches to run before timing")
tf.flags.DEFINE_integer("num_gpus", 2, "the number of devices to run on")
tf.flags.DEFINE_integer("display_every", 1, "number of local steps after which progress is printed out")
tf.flags.DEFINE_string("variable_update", "parameter_server", "parameter_server or replicated")
tf.flags.DEFINE_string("optimizer", "momentum", "optimizer to use: sgd or momentum or rmsprop")
tf.flags.DEFINE_float("weight_decay", 0.004, "weight decay factor for training")
tf.flags.DEFINE_float("gradient_clip", 2.0, "gradient clipping magnitude")
FLAGS = tf.flags.FLAGS
IMAGE_SIZE, CLASSES = 8, 5


class ConvNetBuilder(object):
    def __init__(self, input_layer, depth):
        self.top_layer, self.top_size, self.counts = input_layer, depth, collections.defaultdict(int)

    def _name(self, prefix):
        self.counts[prefix] += 1
        return prefix + str(self.counts[prefix] - 1)

    def conv(self, filters, k, stride=1):
        with tf.variable_scope(self._name("conv")):
            kernel = tf.get_variable("conv2d/kernel", [k, k, self.top_size, filters],
                                     initializer=tf.truncated_normal_initializer(stddev=0.1, seed=filters))
            x = tf.nn.conv2d(self.top_layer, kernel, [1, stride, stride, 1], padding="SAME", data_format="NHWC")
            biases = tf.get_variable("biases", [filters], initializer=tf.constant_initializer(0.0))
            self.top_layer, self.top_size = tf.nn.relu(tf.nn.bias_add(x, biases)), filters

    def mpool(self, k, d):
        self.top_layer = tf.nn.max_pool(self.top_layer, [1, k, k, 1], [1, d, d, 1], "VALID", name=self._name("mpool"))

    def lrn(self):
        self.top_layer = tf.nn.lrn(self.top_layer, 2, bias=1.0, alpha=0.1, beta=0.75, name=self._name("lrn"))

    def affine(self, units, activation=None):
        with tf.variable_scope(self._name("affine")):
            x = tf.reshape(self.top_layer, [FLAGS.batch_size, -1])
            kernel = tf.get_variable("weights", [x.shape[1].value, units], initializer=tf.random_normal_initializer(stddev=0.2, seed=units))
            biases = tf.get_variable("biases", [units], initializer=tf.constant_initializer(0.1))
            logits = tf.nn.xw_plus_b(x, kernel, biases)
            self.top_layer = tf.nn.relu(logits) if activation == "relu" else logits


class VariableMgrReplicated(object):
    """Variables of device i are in the scope v<i>. After initialization they are copies of those of device 0."""

    def create_outer_variable_scope(self, device_num):
        return tf.variable_scope("v%s" % device_num)

    def post_init_ops(self):
        global_vars = {v.name: v for v in tf.global_variables()}
        ops = []
        for v in tf.global_variables():
            scope, _, rest = v.name.partition("/")
            if scope.startswith("v") and scope != "v0" and "v0/" + rest in global_vars:
                ops.append(v.assign(global_vars["v0/" + rest].read_value()))
        return ops

    def preprocess(self, device_grads):
        """Every device gets the average, computed on alternating devices."""
        columns = []
        for i, column in enumerate(zip(*device_grads)):
            with tf.device("/cpu:%d" % (i % len(column))):
                mean = tf.add_n([g for g, _ in column]) / len(column)
            columns.append([(mean, v) for _, v in column])
        return [list(grads) for grads in zip(*columns)]

    def trainable_variables_on_device(self, device_num):
        return [v for v in tf.trainable_variables() if v.name.startswith("v%s/" % device_num)]


class VariableMgrParameterServer(object):
    def create_outer_variable_scope(self, device_num):
        return tf.variable_scope("v", reuse=None if device_num == 0 else True)

    def post_init_ops(self):
        return []

    def preprocess(self, device_grads):
        return [[(tf.add_n([g for g, _ in column]) / len(column), column[0][1]) for column in zip(*device_grads)]]

    def trainable_variables_on_device(self, device_num):
        return tf.trainable_variables()


class BenchmarkCNN(object):
    def __init__(self):
        self.replicated = FLAGS.variable_update == "replicated"
        self.variable_mgr = VariableMgrReplicated() if self.replicated else VariableMgrParameterServer()

    def device_setter(self, i):
        def setter(op):
            return "/cpu:0" if op.type in ("VariableV2", "Variable", "VarHandleOp") else "/cpu:%d" % i
        return "/cpu:%d" % i if self.replicated else setter

    def synthetic_data(self, i):
        images = tf.truncated_normal([FLAGS.batch_size, IMAGE_SIZE, IMAGE_SIZE, 3], dtype=tf.float32, mean=0.5, stddev=0.6, seed=i + 1)
        labels = tf.random_uniform([FLAGS.batch_size], minval=0, maxval=CLASSES, dtype=tf.int32, seed=i + 1)
        local = [tf.Variable(value, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES]) for value in (images, labels)]
        return [tf.identity(v) for v in local]

    def build_model(self):
        global_step = tf.train.get_or_create_global_step()
        enqueue_ops, losses, device_grads = [], [], []
        for i in range(FLAGS.num_gpus):
            with tf.device("/cpu:0"):
                images, labels = self.synthetic_data(i)
            with tf.device("/cpu:%d" % i), tf.name_scope("tower_%i" % i) as scope:
                area = data_flow_ops.StagingArea([images.dtype, labels.dtype], shapes=[images.shape, labels.shape])
                enqueue_ops.append(area.put([images, labels]))
                images, labels = area.get()
            with self.variable_mgr.create_outer_variable_scope(i), tf.device(self.device_setter(i)), tf.name_scope(scope):
                network = ConvNetBuilder(images, 3)
                network.conv(4, 3)
                network.mpool(2, 2)
                network.lrn()
                network.conv(6, 3, 2)
                network.affine(10, activation="relu")
                network.affine(CLASSES)
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=network.top_layer, labels=labels), name="xentropy")
                params = self.variable_mgr.trainable_variables_on_device(i)
                loss += FLAGS.weight_decay * tf.add_n([tf.nn.l2_loss(v) for v in params])
                grads = tf.gradients(loss, params, aggregation_method=tf.AggregationMethod.DEFAULT, gate_gradients=True)
                losses.append(loss)
                device_grads.append(list(zip(grads, params)))
        with tf.device("/cpu:0"):
            total_loss = tf.reduce_mean(losses)
        apply_ops = []
        for i, grads_and_vars in enumerate(self.variable_mgr.preprocess(device_grads)):
            with tf.device("/cpu:%d" % i):
                clipped = [(tf.clip_by_value(grad, -FLAGS.gradient_clip, FLAGS.gradient_clip), var) for grad, var in grads_and_vars]
                rate = tf.train.piecewise_constant(global_step, [tf.constant(4, tf.int64), tf.constant(8, tf.int64)], [0.05, 0.02, 0.01])
                opt = {"sgd": lambda: tf.train.GradientDescentOptimizer(rate), "momentum": lambda: tf.train.MomentumOptimizer(rate, 0.9),
                       "rmsprop": lambda: tf.train.RMSPropOptimizer(0.1 * rate, 0.9, momentum=0.9, epsilon=1.0)}[FLAGS.optimizer]()
                apply_ops.append(opt.apply_gradients(clipped))
        with tf.control_dependencies(apply_ops):
            train_op = tf.group(global_step.assign_add(1))
        tf.summary.scalar("total_loss", total_loss)
        return enqueue_ops, tf.group(train_op, *enqueue_ops), total_loss, global_step

    def run(self):
        with tf.Graph().as_default():
            enqueue_ops, train_op, total_loss, global_step = self.build_model()
            local_var_init_op_group = tf.group(tf.local_variables_initializer(), *self.variable_mgr.post_init_ops())
            summary_op = tf.summary.merge_all()
            sv = tf.train.Supervisor(is_chief=True, logdir="bench", ready_for_local_init_op=None, local_init_op=local_var_init_op_group,
                                     saver=tf.train.Saver(tf.global_variables()), global_step=global_step, summary_op=None, save_model_secs=0)
            config = tf.ConfigProto(allow_soft_placement=True, device_count={"CPU": FLAGS.num_gpus})
            config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
            with sv.managed_session(master="", config=config, start_standard_services=False) as sess:
                sess.run(enqueue_ops)
                times = []
                for local_step in range(-FLAGS.num_warmup_batches, FLAGS.num_batches):
                    start = time.time()
                    _, loss = sess.run([train_op, total_loss])
                    times.append(time.time() - start)
                    if local_step % FLAGS.display_every == 0:
                        print("%d\tloss %.6f" % (local_step + 1, loss))
                tf.logging.info("total images/sec: %.2f", FLAGS.batch_size * FLAGS.num_gpus / np.mean(times))
                sv.summary_writer.add_summary(sess.run(summary_op), sess.run(global_step))
                sess.run(enqueue_ops)
                for v in tf.trainable_variables():
                    print(v.name, "%.6f" % np.abs(sess.run(v)).sum())
            sv.stop()


def main(_):
    print("Model: %s, variables: %s, devices: %s" % (FLAGS.model, FLAGS.variable_update, ["/cpu:%d" % i for i in range(FLAGS.num_gpus)]))
    BenchmarkCNN().run()


if __name__ == "__main__":
    tf.app.run()
