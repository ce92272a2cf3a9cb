"""slim: a classifier that is trained and evaluated, data from records, and what layers put into collections.

tests/interop/both/slim_answers.py compares values and names with tf-slim.
"""
import glob
import logging

import numpy as np
import pytest

import weir as tf

slim = tf.contrib.slim
CLASSES = 3


def digits(count=60, seed=0):
    """Images of classes: one bright row, at the class."""
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, CLASSES, count)
    images = rng.rand(count, 6, 6, 1).astype(np.float32) * 0.3
    images[np.arange(count), labels * 2] += 1.0
    return images, labels


def network(images, is_training=True):
    with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(1e-3), normalizer_fn=slim.batch_norm,
                        normalizer_params={"is_training": is_training, "decay": 0.5}):
        with slim.arg_scope([slim.conv2d, slim.max_pool2d, slim.fully_connected], outputs_collections="end_points"):
            y = slim.conv2d(images, 4, 3, scope="conv1")
            y = slim.max_pool2d(y, 2, scope="pool1")
            y = slim.fully_connected(slim.flatten(y), CLASSES, activation_fn=None, normalizer_fn=None, scope="logits")
    return y, slim.utils.convert_collection_to_dict("end_points", clear_collection=True)


def write_records(folder, count=20):
    images, labels = digits(count)
    raw = (images[..., 0] * 100).astype(np.uint8)
    paths = []
    for part in range(2):
        paths.append(str(folder / f"digits-{part}.tfrecord"))
        with tf.python_io.TFRecordWriter(paths[-1]) as writer:
            for i in range(part, count, 2):
                feature = {"image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[raw[i].tobytes()])),
                           "image/format": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"raw"])),
                           "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[labels[i]]))}
                writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return paths, raw, labels


def dataset(folder):
    keys = {"image/encoded": tf.FixedLenFeature((), tf.string), "image/format": tf.FixedLenFeature((), tf.string),
            "label": tf.FixedLenFeature([], tf.int64)}
    items = {"image": slim.tfexample_decoder.Image(shape=[6, 6, 1], channels=1), "label": slim.tfexample_decoder.Tensor("label")}
    return slim.dataset.Dataset(str(folder / "digits-*"), tf.TFRecordReader, slim.tfexample_decoder.TFExampleDecoder(keys, items), 20,
                                {"image": "rows", "label": "which row"}, num_classes=CLASSES)


def test_a_classifier_is_trained_and_evaluated(tmp_path):
    images, labels = digits()
    logits, end_points = network(tf.constant(images))
    assert list(end_points) == ["conv1", "pool1", "logits"]
    slim.losses.sparse_softmax_cross_entropy(logits, tf.constant(labels))
    loss = slim.losses.get_total_loss()
    tf.summary.scalar("loss", loss)
    train_op = slim.learning.create_train_op(loss, tf.train.MomentumOptimizer(0.05, 0.9))
    logdir = str(tmp_path / "train")
    assert slim.learning.train(train_op, logdir, number_of_steps=30, log_every_n_steps=10, save_summaries_secs=1) < 0.3
    assert glob.glob(logdir + "/events*") and tf.train.latest_checkpoint(logdir).endswith("model.ckpt-30")

    with tf.Graph().as_default():
        images, labels = digits(seed=1)
        logits, _ = network(tf.constant(images), is_training=False)
        names_to_values, names_to_updates = slim.metrics.aggregate_metric_map({
            "accuracy": slim.metrics.streaming_accuracy(tf.argmax(logits, 1), tf.constant(labels)),
            "mean": slim.metrics.streaming_mean(logits)})
        slim.get_or_create_global_step()
        tf.summary.scalar("accuracy", names_to_values["accuracy"])
        values = slim.evaluation.evaluate_once("", tf.train.latest_checkpoint(logdir), str(tmp_path / "eval"), num_evals=2,
                                               eval_op=list(names_to_updates.values()), final_op=names_to_values,
                                               variables_to_restore=slim.get_variables_to_restore())
        assert values["accuracy"] > 0.9
        seen = [e.step for file in glob.glob(str(tmp_path / "eval" / "events*")) for e in tf.train.summary_iterator(file) if e.summary.value]
        assert seen == [30]


def test_training_continues_at_the_checkpoint_and_restores_some_variables(tmp_path):
    def train(steps, init_fn=None):
        with tf.Graph().as_default():
            w = slim.model_variable("w", shape=[], initializer=tf.ones_initializer())
            op = slim.learning.create_train_op(w * 1.0, tf.train.GradientDescentOptimizer(0.5))
            return slim.learning.train(op, str(tmp_path), number_of_steps=steps, init_fn=init_fn), w
    assert train(2)[0] == 0.5
    assert train(4)[0] == -0.5
    with tf.Graph().as_default() as graph:
        w = slim.model_variable("w", shape=[], initializer=tf.ones_initializer())
        restore = slim.assign_from_checkpoint_fn(tf.train.latest_checkpoint(str(tmp_path)), slim.get_model_variables())
        op = slim.learning.create_train_op(w * 1.0, tf.train.GradientDescentOptimizer(0.5))
        assert slim.learning.train(op, None, number_of_steps=1, init_fn=restore, graph=graph) == -1.0


def test_the_step_function_may_stop_training_and_sees_a_wrapped_session():
    op = slim.learning.create_train_op(tf.Variable(1.0) * 1.0, tf.train.GradientDescentOptimizer(0.5))
    calls = []

    class Wrapped:
        def __init__(self, session):
            self.session = session

        def run(self, *args, **kwargs):
            calls.append(args)
            return self.session.run(*args, **kwargs)

    def step(session, train_op, global_step, kwargs):
        assert isinstance(session, Wrapped)
        loss, _ = slim.learning.train_step(session, train_op, global_step, kwargs)
        return loss, loss <= 0
    assert slim.learning.train(op, None, train_step_fn=step, session_wrapper=Wrapped) == 0.0
    assert len(calls) == 9  # the step, should_log and should_stop, three times


def test_an_exception_of_the_step_function_is_raised():
    op = slim.learning.create_train_op(tf.Variable(1.0) * 1.0, tf.train.GradientDescentOptimizer(0.5))

    class Mine(Exception):
        pass

    def step(*_):
        raise Mine("from the step")
    with pytest.raises(Mine, match="from the step"):
        slim.learning.train(op, None, train_step_fn=step)


def test_training_ends_with_its_input(tmp_path):
    value = tf.train.limit_epochs(tf.constant(1.0), num_epochs=3)
    op = slim.learning.create_train_op(tf.Variable(1.0) * value, tf.train.GradientDescentOptimizer(0.5))
    slim.learning.train(op, str(tmp_path))
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-3")


def test_a_lost_task_starts_training_over():
    op = slim.learning.create_train_op(tf.Variable(1.0) * 1.0, tf.train.GradientDescentOptimizer(0.5))
    attempts = []

    def step(session, train_op, global_step, kwargs):
        attempts.append(session)
        if len(attempts) == 1:
            raise tf.errors.AbortedError(None, None, "the task is gone")
        return slim.learning.train_step(session, train_op, global_step, kwargs)
    slim.learning.train(op, None, train_step_fn=step, number_of_steps=2)
    assert len(attempts) == 3 and attempts[0] is not attempts[1]


def test_steps_are_traced(tmp_path):
    op = slim.learning.create_train_op(tf.Variable(1.0) * 1.0, tf.train.GradientDescentOptimizer(0.5))
    slim.learning.train(op, str(tmp_path), number_of_steps=2, trace_every_n_steps=1)
    assert {path.name for path in tmp_path.glob("tf_trace-*.json")} >= {"tf_trace-1.json"}


def test_a_loss_that_is_not_finite_ends_training():
    op = slim.learning.create_train_op(tf.log(tf.Variable(-1.0)), tf.train.GradientDescentOptimizer(0.5))
    with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
        slim.learning.train(op, None, number_of_steps=2)


def test_arguments_are_checked():
    op = slim.learning.create_train_op(tf.Variable(1.0) * 1.0, tf.train.GradientDescentOptimizer(0.5))
    for kwargs in ({"train_op": None}, {"saver": tf.train.Saver()}, {"trace_every_n_steps": 1}, {"number_of_steps": 0},
                   {"sync_optimizer": "one"}, {"summary_op": None}):
        with pytest.raises(ValueError):
            slim.learning.train(**{"train_op": op, "logdir": None, **kwargs})


def test_training_with_synchronous_replicas(tmp_path):
    w = tf.Variable(4.0)
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.25), replicas_to_aggregate=1, total_num_replicas=1)
    op = slim.learning.create_train_op(tf.square(w), optimizer)
    assert slim.learning.train(op, str(tmp_path), number_of_steps=3, sync_optimizer=optimizer) < 4.1


def test_gradients_are_multiplied_and_clipped():
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
    pairs = slim.learning.multiply_gradients([(tf.constant(2.0), a), (tf.IndexedSlices(tf.constant([3.0]), tf.constant([0])), b)],
                                             {"a": 0.5, b: 2.0})
    clipped = slim.learning.clip_gradient_norms([(tf.constant([3.0, 4.0]), a), (None, b)], 1.0)
    with tf.Session() as sess:
        assert sess.run([pairs[0][0], pairs[1][0].values]) == [1.0, [6.0]]
        np.testing.assert_allclose(sess.run(clipped[0][0]), [0.6, 0.8])
    assert clipped[1][0] is None
    for wrong in ((((None, a),), {"a": 1.0}), ([(None, a)], {}), ([(None, a)], ["a"]), ([(None, a)], {"a": 1.0})):
        with pytest.raises(ValueError):
            slim.learning.multiply_gradients(*wrong)


# --- data ---
def test_a_provider_decodes_records_in_parallel(tmp_path):
    _, raw, labels = write_records(tmp_path)
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset(tmp_path), num_readers=2, num_epochs=1, shuffle=True, seed=3,
                                                             common_queue_capacity=40, common_queue_min=5)
    assert provider.num_samples() == 20 and sorted(provider.list_items()) == ["image", "label", "record_key"]
    with pytest.raises(ValueError, match="picture"):
        provider.get(["picture"])
    image, label, key = provider.get(["image", "label", "record_key"])
    assert image.shape.as_list() == [6, 6, 1]
    seen = {}
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            i, l, k = sess.run([image, label, key])
            seen[k] = (i[..., 0], l)
    assert len(seen) == 20
    assert sorted((i.tobytes(), l) for i, l in seen.values()) == sorted((r.tobytes(), l) for r, l in zip(raw, labels))


def test_training_reads_records_through_queues(tmp_path):
    write_records(tmp_path)
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset(tmp_path), shuffle=False)
    image, label = provider.get(["image", "label"])
    images, labels = tf.train.batch([tf.cast(image, tf.float32) / 100, label], 10)
    queue = slim.prefetch_queue.prefetch_queue([images, labels], capacity=2)
    images, labels = queue.dequeue()
    logits, _ = network(images)
    slim.losses.softmax_cross_entropy(logits, slim.one_hot_encoding(labels, CLASSES))
    op = slim.learning.create_train_op(slim.losses.get_total_loss(), tf.train.AdamOptimizer(0.05))
    assert slim.learning.train(op, None, number_of_steps=25) < 0.5


def test_one_pass_over_files(tmp_path):
    paths, _, _ = write_records(tmp_path)
    assert slim.parallel_reader.get_data_files([str(tmp_path / "digits-*")]) == paths
    with pytest.raises(ValueError):
        slim.parallel_reader.get_data_files(str(tmp_path / "none*"))
    key, _ = slim.parallel_reader.single_pass_read(paths, tf.TFRecordReader)
    count = 0
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            sess.run(key)
            count += 1
    assert count == 20


def test_images_of_every_format_are_decoded():
    pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    handler = slim.tfexample_decoder.Image(shape=[2, 2, 3])
    with tf.Session() as sess:
        for kind, data in (("png", tf.image.encode_png(pixels)), ("raw", tf.constant(pixels.tobytes()))):
            image = handler.tensors_to_item({"image/encoded": data, "image/format": tf.constant(kind)})
            np.testing.assert_array_equal(sess.run(image), pixels)


def test_inner_import_paths():
    from weir.contrib.slim.python.slim.data import dataset as dataset_module, tfexample_decoder
    from weir.contrib.slim.python.slim.learning import train
    from weir.contrib.layers.python.layers import utils
    assert dataset_module.Dataset is slim.dataset.Dataset and train is slim.learning.train
    assert tfexample_decoder.Image is slim.tfexample_decoder.Image and utils.collect_named_outputs


# --- layers ---
def test_arg_scope_sets_the_device_of_variables():
    with slim.arg_scope([slim.model_variable, slim.variable], device="/job:ps/task:0"):
        slim.fully_connected(tf.zeros([2, 3]), 2)
    assert [v.device for v in tf.global_variables()] == ["/job:ps/task:0"] * 2


def test_batch_norm_in_a_layer_updates_its_averages():
    slim.conv2d(tf.ones([2, 4, 4, 1]), 3, 3, normalizer_fn=slim.batch_norm, normalizer_params={"scale": True}, scope="conv")
    assert [v.op.name for v in slim.get_model_variables()] == [
        "conv/weights", "conv/BatchNorm/gamma", "conv/BatchNorm/beta", "conv/BatchNorm/moving_mean", "conv/BatchNorm/moving_variance"]
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 2


def test_normalizations_against_numpy():
    x = np.random.RandomState(0).rand(2, 3, 4, 6).astype(np.float32)

    def normalized(axes, value=x):
        return (value - value.mean(axes, keepdims=True)) / np.sqrt(value.var(axes, keepdims=True) + 1e-6)
    groups = normalized((1, 2, 4), x.reshape(2, 3, 4, 3, 2)).reshape(x.shape)
    rows = x.reshape(-1, 6) / np.sqrt((x.reshape(-1, 6) ** 2).sum(1, keepdims=True))
    made = [slim.layer_norm(x), slim.instance_norm(x), slim.group_norm(x, groups=3), slim.unit_norm(tf.constant(x.reshape(-1, 6)), 1),
            slim.maxout(tf.constant(x), 2)]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for got, want in zip(sess.run(made), [normalized((1, 2, 3)), normalized((1, 2)), groups, rows, x.reshape(2, 3, 4, 2, 3).max(-1)]):
            np.testing.assert_allclose(got, want, rtol=2e-3, atol=2e-3)


def test_the_point_of_a_spatial_softmax():
    features = np.zeros((1, 5, 5, 1), np.float32)
    features[0, 4, 2] = 100
    with tf.Session() as sess:
        points = slim.spatial_softmax(tf.constant(features))
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(sess.run(points), [[1.0, 0.0]], atol=1e-5)


def test_sizes_of_a_model(capsys):
    slim.fully_connected(tf.zeros([2, 3]), 4)
    assert slim.model_analyzer.analyze_vars(tf.global_variables(), print_info=True) == (16, 64)
    assert "fully_connected/weights:0 (float32_ref 3x4) [12, bytes: 48]" in capsys.readouterr().out
    assert slim.model_analyzer.analyze_ops(tf.get_default_graph()) > 0


def test_embeddings_of_sequences():
    ids = tf.constant([[1, 2, 1], [0, 0, 2]])
    plain = tf.contrib.layers.embed_sequence(ids, 3, 2, scope="e")
    unique = tf.contrib.layers.embed_sequence(ids, unique=True, scope="e", reuse=True)
    mean = tf.contrib.layers.bow_encoder(ids, 3, 2, sparse_lookup=False, scope="bow")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(*sess.run([plain, unique]))
        assert sess.run(mean).shape == (2, 2)
    with pytest.raises(ValueError):
        tf.contrib.layers.embed_sequence(ids)


def test_progress_is_logged(caplog):
    op = slim.learning.create_train_op(tf.Variable(1.0) * 1.0, tf.train.GradientDescentOptimizer(0.5))
    tf.logging.set_verbosity(tf.logging.INFO)
    try:
        with caplog.at_level(logging.INFO, logger="tensorflow"):
            slim.learning.train(op, None, number_of_steps=2)
    finally:
        tf.logging.set_verbosity(tf.logging.WARN)
    assert sum("global step" in record.getMessage() for record in caplog.records) == 2


def test_slots_are_in_the_variable_scope_of_their_updates():
    w = tf.get_variable("w", initializer=[1.0, 2.0])
    tf.contrib.layers.optimize_loss(tf.reduce_sum(w), None, 0.1, "Momentum", summaries=[])
    tf.contrib.layers.optimize_loss(tf.reduce_sum(w), None, 0.1, "Adam", summaries=[])
    assert [v.op.name for v in tf.global_variables()[1:]] == [
        "OptimizeLoss/learning_rate", "OptimizeLoss/w/Momentum", "OptimizeLoss_1/learning_rate", "OptimizeLoss_1/beta1_power",
        "OptimizeLoss_1/beta2_power", "OptimizeLoss_1/w/Adam", "OptimizeLoss_1/w/Adam_1"]


def test_custom_getters_see_whether_a_variable_is_trainable():
    seen = []

    def getter(inner, name, **kwargs):
        seen.append(kwargs["trainable"])
        return inner(name, **kwargs)
    with tf.variable_scope("net", custom_getter=getter):
        tf.get_variable("a", [1])
        tf.get_variable("b", [1], trainable=False)
    assert seen == [True, False]


def test_aliases_stay_with_collections():
    slim.fully_connected(tf.zeros([2, 3]), 4, outputs_collections="ends", scope="fc")
    slim.flatten(tf.zeros([2, 3, 1]), outputs_collections=["ends"], scope="flat")
    assert list(slim.utils.convert_collection_to_dict("ends")) == ["fc", "flat"]
