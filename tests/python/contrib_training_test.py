"""tf.contrib.training: evaluation of checkpoints, buckets and sampling; tf.contrib.framework's checks."""
import numpy as np
import pytest

import weir as tf

training = tf.contrib.training


def test_training_in_a_monitored_session(tmp_path):
    op = training.create_train_op(tf.Variable(1.0) * 1.0, tf.train.GradientDescentOptimizer(0.5),
                                  transform_grads_fn=training.clip_gradient_norms_fn(0.5), summarize_gradients=True)
    assert training.train(op, str(tmp_path), hooks=[tf.train.StopAtStepHook(num_steps=3)]) == 0.5
    assert [t.op.name for t in tf.get_collection("summaries")] == ["summarize_grads/Variable_gradient", "summarize_grads/Variable_gradient_norm"]
    with pytest.raises(ValueError):
        training.train(op, None)


def save(folder, value):
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.train.get_or_create_global_step()
        w = tf.get_variable("w", initializer=float(value))
        sess.run(tf.global_variables_initializer())
        return tf.train.Saver().save(sess, str(folder / "model.ckpt"), global_step=int(value)), w


def test_checkpoints_are_evaluated_as_they_appear(tmp_path):
    w = tf.get_variable("w", initializer=0.0)
    mean, update = tf.metrics.mean(w)
    save(tmp_path, 1)
    waits = []

    def next_checkpoint():
        waits.append(len(waits))
        if len(waits) > 2:
            return True
        save(tmp_path, len(waits) * 10)
        return False
    value = training.evaluate_repeatedly(str(tmp_path), eval_ops=update, final_ops={"mean": mean}, hooks=[training.StopAfterNEvalsHook(2)],
                                         eval_interval_secs=0, timeout=0.01, timeout_fn=next_checkpoint)
    assert value == {"mean": 20.0} and len(waits) == 3


def test_one_evaluation(tmp_path):
    w = tf.get_variable("w", initializer=0.0)
    tf.summary.scalar("w", w)
    path, _ = save(tmp_path, 7)
    counted = []

    class Count(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            counted.append(1)
    value = training.evaluate_once(path, eval_ops={"w": w}, final_ops=[w], hooks=[
        training.StopAfterNEvalsHook(3), training.SummaryAtEndHook(str(tmp_path / "eval")), Count()])
    assert value == [7.0] and len(counted) == 3
    assert list((tmp_path / "eval").glob("events*"))
    assert training.get_or_create_eval_step().op.name == "eval_step"
    with pytest.raises(ValueError):
        training.SummaryAtEndHook()


def test_waiting_for_a_checkpoint(tmp_path):
    assert training.wait_for_new_checkpoint(str(tmp_path), timeout=0, seconds_to_sleep=0.01) is None
    path, _ = save(tmp_path, 1)
    assert training.wait_for_new_checkpoint(str(tmp_path)) == path
    assert training.wait_for_new_checkpoint(str(tmp_path), path, timeout=0.02, seconds_to_sleep=0.01) is None
    assert list(training.checkpoints_iterator(str(tmp_path), timeout=0.02)) == [path]


# --- buckets ---
def run_batches(fetches, limit=100):
    seen = []
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop() and len(seen) < limit:
            seen.append(sess.run(fetches))
    return seen


@pytest.mark.parametrize("smaller", [False, True])
def test_batches_of_one_bucket(smaller):
    value = tf.train.range_input_producer(11, num_epochs=1, shuffle=False).dequeue()
    bucket, batch = training.bucket([value, value * 2], tf.cast(value % 3, tf.int32), 2, 3, allow_smaller_final_batch=smaller)
    seen = run_batches([bucket, *batch])
    assert all((values % 3 == b).all() and (doubles == 2 * values).all() for b, values, doubles in seen)
    found = sorted(v for _, values, _ in seen for v in values)
    assert found == [v for v in range(11) if smaller or v != 8]  # 8 is alone in its last batch


def test_sequences_of_similar_lengths():
    length = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue() + 1
    lengths, batch = training.bucket_by_sequence_length(length, {"x": tf.range(length)}, [2, 4], [5], dynamic_pad=True,
                                                       shapes=[[None]])
    seen = run_batches([lengths, batch["x"]])
    assert sorted(tuple(sorted(ls)) for ls, _ in seen) == [(1, 2), (3, 4), (5, 6, 7, 8)]
    assert all(x.shape == (len(ls), max(ls)) for ls, x in seen)
    for wrong in ([], [3, 2], ["a", "b"]):
        with pytest.raises((ValueError, TypeError)):
            training.bucket_by_sequence_length(length, [length], 2, wrong)


# --- sampling ---
def test_rejected_elements():
    value = tf.train.range_input_producer(10, num_epochs=4, shuffle=False).dequeue()
    batch = training.rejection_sample([value], lambda tensors: tf.cast(tensors[0] >= 5, tf.float32), 5, runtime_checks=True)
    seen = np.concatenate([one[0] for one in run_batches(batch)])
    assert len(seen) == 20 and seen.min() == 5


def test_classes_are_sampled_at_their_probabilities():
    tf.set_random_seed(1)
    rng = np.random.RandomState(0)
    labels = (rng.rand(2000) < 0.2).astype(np.int64)
    data, label = training.stratified_sample([tf.constant(labels * 10)], tf.constant(labels), [0.5, 0.5], 50, init_probs=[0.8, 0.2],
                                             enqueue_many=True)
    seen = run_batches([data[0], label], limit=20)
    found = np.concatenate([one[1] for one in seen])
    assert 0.42 < found.mean() < 0.58
    assert all((one[0] == one[1] * 10).all() for one in seen)


def test_the_distribution_of_labels_is_estimated():
    tf.set_random_seed(1)
    labels = np.tile([0, 0, 0, 1], 500)
    _, label = training.stratified_sample([tf.constant(labels)], tf.constant(labels), [0.0, 1.0], 20, enqueue_many=True)
    assert all((one == 1).all() for one in run_batches(label, limit=3))


def test_rows_are_resampled_at_their_rates():
    tf.set_random_seed(2)
    rows = training.resample_at_rate([tf.constant([0, 1, 2]), tf.constant([0.0, 10.0, 20.0])], tf.constant([0.0, 1.0, 3.0]), seed=1)
    counts = np.zeros(3)
    with tf.Session() as sess:
        for _ in range(300):
            ids, values = sess.run(rows)
            assert (values == ids * 10).all()
            counts += np.bincount(ids, minlength=3)
    np.testing.assert_allclose(counts / 300, [0.0, 1.0, 3.0], atol=0.3)


def test_rows_are_resampled_by_weight():
    tf.set_random_seed(2)
    (rows,), rates = training.weighted_resample([tf.constant([0, 1])], tf.constant([1.0, 3.0]), 2.0, seed=1)
    counts = np.zeros(2)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        for _ in range(300):
            ids, rate = sess.run([rows, rates])
            np.testing.assert_allclose(rate, np.array([1.0, 3.0])[ids], rtol=1e-5)
            counts += np.bincount(ids, minlength=2)
    np.testing.assert_allclose(counts / 300, [1.0, 3.0], atol=0.3)


# --- tf.contrib.framework ---
def test_checks_of_framework():
    framework = tf.contrib.framework
    x = tf.placeholder(tf.float32, [None, 2])
    assert framework.with_shape([3, 2], x).shape.as_list() == [3, 2]
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(framework.with_shape([3, 2], x), {x: np.zeros((2, 2))})
        assert sess.run(framework.reduce_sum_n([tf.constant([1, 2]), tf.constant(3)])) == 6
        assert framework.smart_case([(False, lambda: 1), (True, lambda: 2)]) == 2
        v = tf.Variable(3.0)
        sess.run(framework.zero_initializer(v))
        assert sess.run(v) == 0.0
    for check in (lambda: framework.with_shape([3, 3], x), lambda: framework.assert_scalar(x), lambda: framework.assert_scalar_int(1.0),
                  lambda: framework.assert_same_float_dtype([x], tf.float64), lambda: framework.assert_same_float_dtype(dtype=tf.int32),
                  lambda: framework.get_graph_from_inputs([x, tf.Graph().create_op("NoOp", [], [])])):
        with pytest.raises(ValueError):
            check()
    assert framework.assert_same_float_dtype([x]) == tf.float32
    assert framework.get_placeholders(x.graph) == [x]
    assert framework.remove_squeezable_dimensions(tf.zeros([2, 1]), tf.zeros([2]))[0].shape.as_list() == [2]


# --- tf.contrib.nn ---
def test_small_functions_of_nn():
    nn = tf.contrib.nn
    x = np.linspace(-2, 2, 5).astype(np.float32)
    big = np.random.RandomState(0).randn(20000).astype(np.float32)
    with tf.Session() as sess:
        soft, clipped = sess.run([nn.scaled_softplus(x, 0.5), nn.scaled_softplus(x, 0.5, clip=1.0)])
        np.testing.assert_allclose(soft, 0.5 * np.log1p(np.exp(x / 0.5)), rtol=1e-5)
        np.testing.assert_allclose(clipped, np.minimum(soft, 1.0), rtol=1e-5)
        assert sess.run(nn.nth_element([3, 1, 2], 1)) == 2
        dropped = sess.run(nn.alpha_dropout(big, 0.8, seed=1))
        assert abs(dropped.mean()) < 0.05 and abs(dropped.std() - 1) < 0.05
        loss = nn.sampled_sparse_softmax_loss(tf.ones([5, 2]), tf.zeros([5]), tf.constant([1, 2]), tf.ones([2, 2]), 3, 5)
        assert sess.run(loss).shape == (2,)
