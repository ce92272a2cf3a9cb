"""Tests names that programs depend on: those of gradients, slots, averages and results of composed functions."""
import numpy as np

import weir as tf


def test_gradients_of_a_gated_step():
    v = tf.Variable(np.ones([2, 2], np.float32), name="v")
    w = tf.Variable(np.ones([2, 2], np.float32), name="w")
    grads = tf.train.GradientDescentOptimizer(0.1).compute_gradients(tf.matmul(v, w))
    assert [g.name for g, _ in grads] == ["gradients/MatMul_grad/tuple/control_dependency:0", "gradients/MatMul_grad/tuple/control_dependency_1:0"]


def test_gated_sparse_gradients_wait_for_their_neighbours():
    table = tf.Variable(np.arange(6).reshape(3, 2).astype(np.float32))
    scale = tf.Variable([2.0, 3.0])
    y = tf.nn.embedding_lookup(table, [1, 1]) * scale
    (sparse, _), (dense, _) = tf.train.GradientDescentOptimizer(0.1).compute_gradients(y)
    assert isinstance(sparse, tf.IndexedSlices)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values, total = sess.run([sparse.values, dense])
    np.testing.assert_array_equal(values, [[2, 3], [2, 3]])
    np.testing.assert_array_equal(total, [4, 6])


def test_a_reduction_over_everything_counts_as_a_constant():
    tf.reduce_sum(tf.zeros([2, 2]))
    assert tf.constant(1.0).name == "Const_1:0"


def test_composed_functions():
    x = tf.constant([[3.0, 4.0]])
    assert tf.norm(x).name == "norm/Squeeze:0"
    assert tf.nn.embedding_lookup(x, [0]).op.inputs[0].name == "embedding_lookup:0"
    clipped, _ = tf.clip_by_global_norm([x], 1.0)
    assert clipped[0].name == "clip_by_global_norm/clip_by_global_norm/_0:0"
    assert tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=x).name == (
        "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits:0")


def test_slots_of_adagrad_da():
    v = tf.Variable([1.0], name="v")
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdagradDAOptimizer(0.1, step)
    train = optimizer.minimize(v * v, global_step=step)
    assert [s.name for s in tf.global_variables()] == ["v:0", "global_step:0", "v/AdagradDA:0", "v/AdagradDA_1:0"]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        # g = 2, the step is 1: -0.1 * g / sqrt(0.1 + g * g)
        np.testing.assert_allclose(sess.run(v), [-0.2 / np.sqrt(4.1)], rtol=1e-6)


def test_initial_accumulators_keep_double_precision():
    v = tf.Variable(np.ones(1), name="v")
    tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.3).minimize(v * v)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run("v/Adagrad:0")[0] == 0.3


def test_averages_correct_the_bias_of_tensors_only():
    step = tf.Variable(0.0, name="step")
    v = tf.Variable([4.0], name="v")
    average = tf.train.ExponentialMovingAverage(0.5, zero_debias=True)
    with tf.control_dependencies([step.assign_add(1.0)]):
        update = average.apply([v, tf.square(step, name="square")])
    assert {"square/ExponentialMovingAverage/biased:0", "square/ExponentialMovingAverage/local_step:0"} < {
        u.name for u in tf.global_variables()}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update)
        assert sess.run(average.average(v)) == [4.0]


def test_literals_of_a_scatter():
    v = tf.Variable([1.0, 2.0], name="v")
    update = tf.scatter_add(v, [1], [5.0])
    assert [i.name for i in update.op.inputs] == ["v:0", "ScatterAdd/indices:0", "ScatterAdd/updates:0"]
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(tf.scatter_add(w, [1], [5])), [1, 7])
