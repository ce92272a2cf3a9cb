"""A trainer in the style of old TensorFlow programs. It places nothing on the worker explicitly, so that each session
has its own queues, while the variable that counts epochs is on the ps. 32 threads fill each queue. Every step creates a
new Coordinator and calls start_queue_runners. The validation records last for a limited number of epochs.

  weir up queue_trainer.py --ps 1 --workers 2 -- --records=FOLDER --logdir=FOLDER [--issync=1] [--steps=N] [--epochs=N] [--every=N]
"""
import os

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "")
flags.DEFINE_string("worker_hosts", "", "")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "")
flags.DEFINE_integer("issync", 0, "1: all workers step together")
flags.DEFINE_string("records", "", "A folder with train.tfrecords and test.tfrecords")
flags.DEFINE_string("logdir", "", "")
flags.DEFINE_integer("steps", 60, "The global step to stop at")
flags.DEFINE_integer("chief_steps", 15, "The local steps that the chief takes at least, however many the others have taken")
flags.DEFINE_integer("epochs", 50, "How often the validation records are read")
flags.DEFINE_integer("every", 5, "Steps between validations")
FLAGS = flags.FLAGS


def examples(name, num_epochs):
    names = tf.train.string_input_producer([os.path.join(FLAGS.records, name)], num_epochs=num_epochs)
    _, record = tf.TFRecordReader().read(names)
    features = tf.parse_single_example(record, features={"image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.string)})
    image = tf.decode_raw(features["image"], tf.uint8)
    image.set_shape([784])
    label = tf.decode_raw(features["label"], tf.float64)
    label.set_shape([10])
    return tf.train.shuffle_batch([tf.cast(image, tf.float32) / 255, label], batch_size=128, num_threads=32, capacity=1384, min_after_dequeue=1000)


def model(images, regularizer, keep):
    with tf.variable_scope("conv"):
        w = tf.get_variable("w", [5, 5, 1, 8], initializer=tf.truncated_normal_initializer(stddev=0.1))
        b = tf.get_variable("b", [8], initializer=tf.constant_initializer(0.0))
        h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(tf.reshape(images, [-1, 28, 28, 1]), w, [1, 1, 1, 1], "SAME"), b))
        h = tf.nn.max_pool(h, [1, 4, 4, 1], [1, 4, 4, 1], "SAME")
    with tf.variable_scope("dense"):
        w = tf.get_variable("w", [392, 10], initializer=tf.truncated_normal_initializer(stddev=0.05))
        b = tf.get_variable("b", [10], initializer=tf.constant_initializer(0.0))
        if regularizer is not None:
            tf.add_to_collection("losses", regularizer(w))
        h = tf.tanh(tf.reshape(h, [-1, 392]))
        return tf.nn.bias_add(tf.matmul(tf.nn.dropout(h, keep) if keep < 1 else h, w), b)


def main(_):
    workers = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": workers})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        images, labels = examples("train.tfrecords", None)
        unseen, unseen_labels = examples("test.tfrecords", FLAGS.epochs)
        with tf.variable_scope("model"):
            logits = model(images, tf.contrib.layers.l2_regularizer(1e-4), 0.9)
        with tf.variable_scope("model", reuse=True):
            guesses = tf.argmax(model(unseen, None, 1), 1)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=tf.argmax(labels, 1)))
        loss += tf.add_n(tf.get_collection("losses"))
        accuracy = tf.reduce_mean(tf.cast(tf.equal(guesses, tf.argmax(unseen_labels, 1)), tf.float32))
        step = tf.Variable(0, name="global_step", trainable=False)
        optimizer = tf.train.GradientDescentOptimizer(0.2)
        tokens = None
        if FLAGS.issync:
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=len(workers), total_num_replicas=len(workers))
        train = optimizer.minimize(loss, global_step=step)
        if FLAGS.issync and chief:
            runner, tokens = optimizer.get_chief_queue_runner(), optimizer.get_init_tokens_op(0)
        more = dict(local_init_op=tf.group(optimizer.chief_init_op if chief else optimizer.local_step_init_op, tf.local_variables_initializer()),
                    ready_for_local_init_op=optimizer.ready_for_local_init_op) if FLAGS.issync else {}

    sv = tf.train.Supervisor(is_chief=chief, logdir=FLAGS.logdir, global_step=step, recovery_wait_secs=1, **more)
    sess = sv.prepare_or_wait_for_session(server.target)
    if tokens is not None:
        sv.start_queue_runners(sess, [runner])
        sess.run(tokens)
    at, mine = 0, 0
    while at < FLAGS.steps or (chief and not FLAGS.issync and mine < FLAGS.chief_steps):
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        _, at = sess.run([train, step])
        mine += 1
        if chief and mine % FLAGS.every == 0:
            try:
                print("step %d accuracy %.3f" % (at, sess.run(accuracy)), flush=True)
            except tf.errors.OutOfRangeError:
                print("step %d: no records are left to validate with" % at, flush=True)
        coord.request_stop()
        coord.join(threads)
        # The supervisor has started all queue runners. start_queue_runners starts only those again that have ended, at
        # the end of the validation records.
        assert not any("shuffle_batch/" in thread.name for thread in threads)
    print("finished after %d local steps" % mine, flush=True)
    sv.stop()


if __name__ == "__main__":
    tf.app.run()
