"""Trains and evaluates an image classifier with slim: records of PNG images, a decoder, a data provider, a network."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim

tf.app.flags.DEFINE_string("train_dir", "tfmodel", "Directory where checkpoints and event logs are written to.")
tf.app.flags.DEFINE_string("dataset_dir", "flowers", "The directory where the dataset files are stored.")
tf.app.flags.DEFINE_integer("batch_size", 8, "The number of samples in each batch.")
tf.app.flags.DEFINE_integer("max_number_of_steps", 12, "The maximum number of training steps.")
tf.app.flags.DEFINE_float("weight_decay", 0.001, "The weight decay on the model weights.")
tf.app.flags.DEFINE_float("label_smoothing", 0.1, "The amount of label smoothing.")
tf.app.flags.DEFINE_float("moving_average_decay", 0.9, "The decay to use for the moving average.")
FLAGS = tf.app.flags.FLAGS
NUM_CLASSES, SIDE, EXAMPLES = 3, 12, {"train": 48, "validation": 16}


def write_dataset():
    rng = np.random.RandomState(9)
    with tf.Graph().as_default(), tf.Session() as sess:
        pixels = tf.placeholder(tf.uint8, [SIDE, SIDE, 3])
        png = tf.image.encode_png(pixels)
        for split, count in EXAMPLES.items():
            with tf.python_io.TFRecordWriter(os.path.join(FLAGS.dataset_dir, "flowers_%s.tfrecord" % split)) as writer:
                for i in range(count):
                    image = rng.randint(0, 100, (SIDE, SIDE, 3))
                    image[:, :, i % NUM_CLASSES] += 100
                    feature = {
                        "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[sess.run(png, {pixels: image})])),
                        "image/format": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"png"])),
                        "image/class/label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i % NUM_CLASSES])),
                    }
                    writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())


def get_split(split_name):
    keys_to_features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="png"),
        "image/class/label": tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
    }
    items_to_handlers = {
        "image": slim.tfexample_decoder.Image(shape=[SIDE, SIDE, 3], channels=3),
        "label": slim.tfexample_decoder.Tensor("image/class/label"),
    }
    decoder = slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers)
    return slim.dataset.Dataset(
        data_sources=os.path.join(FLAGS.dataset_dir, "flowers_%s.tfrecord" % split_name), reader=tf.TFRecordReader, decoder=decoder,
        num_samples=EXAMPLES[split_name], items_to_descriptions={"image": "A color image", "label": "Its class"}, num_classes=NUM_CLASSES,
        labels_to_names={0: "red", 1: "green", 2: "blue"})


def load_batch(split_name):
    provider = slim.dataset_data_provider.DatasetDataProvider(get_split(split_name), num_readers=1, shuffle=False, common_queue_capacity=32)
    image, label = provider.get(["image", "label"])
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = tf.image.resize_bilinear(tf.expand_dims(image, 0), [8, 8], align_corners=False)[0]
    image = tf.multiply(tf.subtract(image, 0.5), 2.0)
    return tf.train.batch([image, label], batch_size=FLAGS.batch_size, num_threads=1, capacity=5 * FLAGS.batch_size)


def arg_scope(is_training):
    batch_norm_params = {"is_training": is_training, "decay": 0.8, "epsilon": 0.001, "scale": True, "updates_collections": tf.GraphKeys.UPDATE_OPS}
    with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(FLAGS.weight_decay),
                        weights_initializer=slim.variance_scaling_initializer(seed=4)):
        with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm, normalizer_params=batch_norm_params) as sc:
            return sc


def network(images, is_training):
    end_points_collection = "end_points"
    with tf.variable_scope("Net", values=[images]):
        with slim.arg_scope([slim.conv2d, slim.max_pool2d, slim.fully_connected], outputs_collections=[end_points_collection]):
            net = slim.repeat(images, 2, slim.conv2d, 6, [3, 3], scope="conv1")
            net = slim.max_pool2d(net, [2, 2], scope="pool1")
            with tf.variable_scope("Mixed"):
                branches = [slim.conv2d(net, 4, [1, 1], scope="1x1"), slim.conv2d(net, 4, [3, 3], rate=2, scope="3x3"),
                            slim.avg_pool2d(net, [3, 3], stride=1, padding="SAME")]
                net = tf.concat(axis=3, values=branches)
            net = slim.dropout(slim.flatten(net), 0.8, is_training=False, scope="dropout")
            logits = slim.fully_connected(net, NUM_CLASSES, activation_fn=None, scope="logits")
    end_points = slim.utils.convert_collection_to_dict(end_points_collection)
    end_points["Predictions"] = slim.softmax(logits, scope="predictions")
    return logits, end_points


def train():
    with tf.Graph().as_default():
        global_step = slim.create_global_step()
        images, labels = load_batch("train")
        with slim.arg_scope(arg_scope(True)):
            logits, end_points = network(images, True)
        print("end points", " ".join(sorted(end_points)))
        tf.losses.softmax_cross_entropy(slim.one_hot_encoding(labels, NUM_CLASSES), logits, label_smoothing=FLAGS.label_smoothing)
        total_loss = tf.losses.get_total_loss()
        for name, end_point in end_points.items():
            tf.summary.histogram("activations/" + name, end_point)
            tf.summary.scalar("sparsity/" + name, tf.nn.zero_fraction(end_point))
        for variable in slim.get_model_variables():
            tf.summary.histogram(variable.op.name, variable)
        learning_rate = tf.train.exponential_decay(0.02, global_step, 6, 0.5, staircase=True, name="exponential_decay_learning_rate")
        optimizer = tf.train.RMSPropOptimizer(learning_rate, decay=0.9, momentum=0.9, epsilon=1.0)
        variable_averages = tf.train.ExponentialMovingAverage(FLAGS.moving_average_decay, global_step)
        train_op = slim.learning.create_train_op(total_loss, optimizer, global_step=global_step, summarize_gradients=True,
                                                 gradient_multipliers={"Net/logits/biases": 2.0})
        with tf.control_dependencies([train_op]):
            update_averages = variable_averages.apply(slim.get_model_variables())
        with tf.control_dependencies([update_averages]):
            train_tensor = tf.identity(train_op, name="train_op")

        def train_step(sess, op, step, kwargs):
            loss, should_stop = slim.learning.train_step(sess, op, step, kwargs)
            print("global step %d: loss = %.5f" % (sess.run(step), loss))
            return loss, should_stop

        slim.learning.train(train_tensor, logdir=FLAGS.train_dir, number_of_steps=FLAGS.max_number_of_steps, summary_op=None,
                            save_interval_secs=600, log_every_n_steps=5, train_step_fn=train_step, session_config=tf.ConfigProto(allow_soft_placement=True))


def evaluate():
    with tf.Graph().as_default():
        global_step = slim.get_or_create_global_step()
        images, labels = load_batch("validation")
        with slim.arg_scope(arg_scope(False)):
            logits, _ = network(images, False)
        averages = tf.train.ExponentialMovingAverage(FLAGS.moving_average_decay, global_step).variables_to_restore(slim.get_model_variables())
        averages[global_step.op.name] = global_step
        predictions = tf.argmax(logits, 1)
        names_to_values, names_to_updates = slim.metrics.aggregate_metric_map({
            "Accuracy": slim.metrics.streaming_accuracy(predictions, labels),
            "Recall_2": slim.metrics.streaming_recall_at_k(logits, labels, 2),
            "Loss": slim.metrics.streaming_mean(tf.losses.sparse_softmax_cross_entropy(labels, logits)),
        })
        values = slim.evaluation.evaluate_once(
            master="", checkpoint_path=tf.train.latest_checkpoint(FLAGS.train_dir), logdir="eval", num_evals=2,
            eval_op=list(names_to_updates.values()), final_op=names_to_values, variables_to_restore=averages)
        for name in sorted(values):
            print("eval/%s[%.5f]" % (name, values[name]))


def main(_):
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.gfile.MakeDirs(FLAGS.dataset_dir)
    write_dataset()
    train()
    evaluate()


if __name__ == "__main__":
    tf.app.run()
