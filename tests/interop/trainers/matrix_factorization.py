"""Matrix factorization with biases: embeddings of users and items, read from a CSV file by queues."""
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("train_dir", "svd", "Directory for ratings, checkpoints and summaries")
flags.DEFINE_integer("dim", 5, "Size of the embeddings")
flags.DEFINE_integer("batch_size", 50, "Ratings per step")
flags.DEFINE_integer("epochs", 4, "Epochs")
flags.DEFINE_float("reg", 0.02, "Regularization")
flags.DEFINE_string("optimizer", "ftrl", "ftrl, adam or adagrad")
FLAGS = flags.FLAGS
USER_NUM, ITEM_NUM = 30, 20


def write_ratings(path):
    rng = np.random.RandomState(2)
    users, items = rng.normal(size=(USER_NUM, 3)), rng.normal(size=(ITEM_NUM, 3))
    with tf.gfile.GFile(path, "w") as f:
        f.write("user,item,rating\n")
        for _ in range(400):
            u, i = rng.randint(USER_NUM), rng.randint(ITEM_NUM)
            f.write("%d,%d,%.3f\n" % (u, i, np.clip(3.5 + users[u].dot(items[i]), 1, 5)))


def read_ratings(path, num_epochs):
    filename_queue = tf.train.string_input_producer([path], num_epochs=num_epochs, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(filename_queue)
    user, item, rating = tf.decode_csv(line, record_defaults=[[0], [0], [0.0]])
    return tf.train.batch([user, item, rating], FLAGS.batch_size, num_threads=1, capacity=4 * FLAGS.batch_size, allow_smaller_final_batch=True)


def inference_svd(user_batch, item_batch):
    partitioner = tf.fixed_size_partitioner(2)
    with tf.device("/cpu:0"):
        bias_global = tf.get_variable("bias_global", shape=[], initializer=tf.zeros_initializer())
        w_bias_user = tf.get_variable("embd_bias_user", shape=[USER_NUM], initializer=tf.zeros_initializer())
        w_bias_item = tf.get_variable("embd_bias_item", shape=[ITEM_NUM], initializer=tf.zeros_initializer())
        bias_user = tf.nn.embedding_lookup(w_bias_user, user_batch, name="bias_user")
        bias_item = tf.nn.embedding_lookup(w_bias_item, item_batch, name="bias_item")
        w_user = tf.get_variable("embd_user", shape=[USER_NUM, FLAGS.dim], partitioner=partitioner,
                                 initializer=tf.truncated_normal_initializer(stddev=0.3, seed=1))
        w_item = tf.get_variable("embd_item", shape=[ITEM_NUM, FLAGS.dim], initializer=tf.truncated_normal_initializer(stddev=0.3, seed=2))
        embd_user = tf.nn.embedding_lookup(w_user, user_batch, name="embedding_user", partition_strategy="div")
        embd_item = tf.nn.embedding_lookup(w_item, item_batch, name="embedding_item")
    infer = tf.reduce_sum(tf.multiply(embd_user, embd_item), 1)
    infer = tf.add_n([infer, bias_user, bias_item, tf.zeros_like(infer) + bias_global], name="svd_inference")
    regularizer = tf.add(tf.nn.l2_loss(embd_user), tf.nn.l2_loss(embd_item), name="svd_regularizer")
    return infer, regularizer


def optimization(infer, regularizer, rate_batch):
    global_step = tf.contrib.framework.get_or_create_global_step()
    cost_l2 = tf.nn.l2_loss(tf.subtract(infer, rate_batch))
    cost = tf.add(cost_l2, tf.multiply(regularizer, tf.constant(FLAGS.reg, dtype=tf.float32, name="l2")))
    rate = tf.train.inverse_time_decay(0.05, global_step, 10, 0.5, staircase=True)
    optimizer = {"ftrl": lambda: tf.train.FtrlOptimizer(4 * rate, l1_regularization_strength=0.001),
                 "adam": lambda: tf.train.AdamOptimizer(rate),
                 "adagrad": lambda: tf.train.AdagradOptimizer(4 * rate)}[FLAGS.optimizer]()
    return cost, optimizer.minimize(cost, global_step=global_step), global_step


def main(_):
    tf.gfile.MakeDirs(FLAGS.train_dir)
    path = os.path.join(FLAGS.train_dir, "ratings.csv")
    write_ratings(path)
    user_batch, item_batch, rate_batch = read_ratings(path, FLAGS.epochs)
    infer, regularizer = inference_svd(user_batch, item_batch)
    cost, train_op, global_step = optimization(infer, regularizer, rate_batch)
    squared = tf.reduce_mean(tf.square(tf.clip_by_value(infer, 1.0, 5.0) - rate_batch))
    rmse, update_rmse = tf.metrics.root_mean_squared_error(rate_batch, infer)
    tf.summary.scalar("squared_error", squared)
    summary_op = tf.summary.merge_all()
    init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    saver = tf.train.Saver(write_version=tf.train.SaverDef.V2)

    with tf.Session() as sess:
        sess.run(init)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        summary_writer = tf.summary.FileWriter(FLAGS.train_dir, graph=sess.graph)
        step = 0
        try:
            while not coord.should_stop():
                _, value, mse, _, summary, step = sess.run([train_op, cost, squared, update_rmse, summary_op, global_step])
                summary_writer.add_summary(summary, step)
                print("step %d: cost %.5f, squared error %.5f" % (step, value, mse))
        except tf.errors.OutOfRangeError:
            print("Done training for %d epochs, %d steps." % (FLAGS.epochs, step))
        finally:
            coord.request_stop()
        coord.join(threads)
        print("rmse of all steps: %.5f" % sess.run(rmse))
        saver.save(sess, os.path.join(FLAGS.train_dir, "model"), global_step)
    reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(FLAGS.train_dir))
    for name, shape in sorted(reader.get_variable_to_shape_map().items()):
        if "/Adam" not in name:  # those may decay once more in the step that finds no input
            print(name, shape, "%.5f" % np.abs(reader.get_tensor(name)).sum())


if __name__ == "__main__":
    tf.app.run()
