"""Trains a convolutional network that recognizes handwritten digits, on a cluster, from record files. `make demo` runs:

  tools/write_digits --pictures build/demo/pictures
  weir records make build/demo/pictures/train build/demo/train.tfrecords --raw --channels=1
  weir records make build/demo/pictures/test build/demo/test.tfrecords --raw --channels=1
  weir up examples/digits/train.py --ps 1 --workers 2 -- --train=build/demo/train.tfrecords --validation=build/demo/test.tfrecords \\
      --logdir=build/demo/logs
  weir run examples/digits/predict.py build/demo/logs/digits.pb build/demo/pictures/test/7/*.png

Every task runs this program. With --issync, all workers' gradients form one step; otherwise each worker steps at its own
pace. A restarted run continues from the last checkpoint in its logdir.
"""
import os

import tensorflow as tf

import network

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "Comma-separated addresses of the parameter servers")
flags.DEFINE_string("worker_hosts", "", "Comma-separated addresses of the workers")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Index of this task in its job")
flags.DEFINE_bool("issync", False, "Train synchronously")
flags.DEFINE_string("train", "train.tfrecords", "Records to train with, as `weir records make --raw` writes them")
flags.DEFINE_string("validation", "test.tfrecords", "Records to measure the accuracy with")
flags.DEFINE_string("logdir", "digits_logs", "Folder for checkpoints, event files and the trained graph")
flags.DEFINE_integer("steps", 1600, "The global step at which training ends")
flags.DEFINE_integer("batch", 64, "Images per step")
flags.DEFINE_float("learning_rate", 0.1, "Initial learning rate of gradient descent; decays to a tenth")
FLAGS = flags.FLAGS


def batches(path):
    """Returns endless shuffled batches: images [batch, 28, 28, 1] and labels [batch]."""
    files = tf.train.string_input_producer([path])
    _, record = tf.TFRecordReader().read(files)
    features = tf.parse_single_example(record, {"image_raw": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)})
    pixels = tf.reshape(tf.decode_raw(features["image_raw"], tf.uint8), [network.SIDE, network.SIDE, 1])
    return tf.train.shuffle_batch([tf.cast(pixels, tf.float32) / 255.0, features["label"]], FLAGS.batch, num_threads=2,
                                  capacity=1000 + 3 * FLAGS.batch, min_after_dequeue=1000)


def accuracy_of(logits, labels):
    return tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))


def export(sess, graph, path):
    """Writes the trained network with its variables as constants, for predict.py."""
    with tf.Graph().as_default() as alone:
        images = tf.placeholder(tf.float32, [None, network.SIDE, network.SIDE, 1], name="images")
        tf.nn.softmax(network.logits(images), name="probabilities")
        variables = tf.global_variables()
        values = sess.run([graph.get_tensor_by_name(v.name) for v in variables])
        with tf.Session() as local:
            for variable, value in zip(variables, values):
                variable.load(value, local)
            trained = tf.graph_util.convert_variables_to_constants(local, alone.as_graph_def(), ["probabilities"])
    with tf.gfile.GFile(path, "wb") as out:
        out.write(trained.SerializeToString())


def work(cluster, server, workers):
    chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        images, labels = batches(FLAGS.train)
        regularizer = tf.contrib.layers.l2_regularizer(1e-4)
        logits = network.logits(images, keep_probability=0.7, regularizer=regularizer)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        loss += tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
        unseen, unseen_labels = batches(FLAGS.validation)
        accuracy = accuracy_of(network.logits(unseen, reuse=True), unseen_labels)

        global_step = tf.train.get_or_create_global_step()
        rate = tf.train.polynomial_decay(FLAGS.learning_rate, global_step, FLAGS.steps, end_learning_rate=FLAGS.learning_rate / 10)
        optimizer = tf.train.GradientDescentOptimizer(rate)
        arguments = {}
        if FLAGS.issync:
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=workers, total_num_replicas=workers)
        train = optimizer.minimize(loss, global_step=global_step)
        if FLAGS.issync:
            arguments = dict(local_init_op=tf.group(optimizer.chief_init_op if chief else optimizer.local_step_init_op,
                                                    tf.local_variables_initializer()),
                             ready_for_local_init_op=optimizer.ready_for_local_init_op)
            tokens = optimizer.get_init_tokens_op(0)

        tf.summary.scalar("loss", loss)
        tf.summary.image("digits", images, max_outputs=4)
        summaries = tf.summary.merge_all()

    # The loop below computes the summaries, together with their step.
    sv = tf.train.Supervisor(is_chief=chief, logdir=FLAGS.logdir, global_step=global_step, summary_op=None, save_model_secs=60,
                             recovery_wait_secs=1, **arguments)
    with sv.managed_session(server.target) as sess:
        if FLAGS.issync and chief:
            sess.run(tokens)
            sv.start_queue_runners(sess, [optimizer.get_chief_queue_runner()])
        mine, step = 0, sess.run(global_step)
        while not sv.should_stop() and step < FLAGS.steps:
            _, step, current = sess.run([train, global_step, loss])
            mine += 1
            if chief and mine % 100 == 0:
                print("step %4d  loss %.3f  accuracy %.3f" % (step, current, sess.run(accuracy)), flush=True)
                sv.summary_computed(sess, sess.run(summaries), step)
        print("%d steps by this worker" % mine, flush=True)
        if chief:
            # Batches are random: run enough that each digit is in about ten of them.
            rounds = max(1, 10 * sum(1 for _ in tf.python_io.tf_record_iterator(FLAGS.validation)) // FLAGS.batch)
            final = sum(sess.run(accuracy) for _ in range(rounds)) / rounds
            saved = sv.saver.save(sess, sv.save_path, global_step=step)
            graph = os.path.join(FLAGS.logdir, "digits.pb")
            export(sess, sess.graph, graph)
            print("accuracy %.3f on digits not used for training" % final)
            print("checkpoint    %s" % os.path.abspath(saved))
            print("trained graph %s" % os.path.abspath(graph))
            print("event files   %s  (tensorboard --logdir %s)" % (os.path.abspath(FLAGS.logdir), FLAGS.logdir), flush=True)


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
