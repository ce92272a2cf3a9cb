"""Tests the slot names of optimizers, on which existing checkpoints depend."""
import numpy as np
import pytest

import weir as tf


@pytest.mark.parametrize("optimizer, slots", [
    (lambda: tf.train.MomentumOptimizer(0.1, 0.9), {"momentum": "w/Momentum"}),
    (lambda: tf.train.AdagradOptimizer(0.1), {"accumulator": "w/Adagrad"}),
    (lambda: tf.train.AdadeltaOptimizer(0.1), {"accum": "w/Adadelta", "accum_update": "w/Adadelta_1"}),
    (lambda: tf.train.AdamOptimizer(0.1), {"m": "w/Adam", "v": "w/Adam_1"}),
    (lambda: tf.train.RMSPropOptimizer(0.1), {"rms": "w/RMSProp", "momentum": "w/RMSProp_1"}),
    (lambda: tf.train.FtrlOptimizer(0.1), {"accum": "w/Ftrl", "linear": "w/Ftrl_1"}),
])
def test_slots(optimizer, slots):
    w = tf.Variable([1.0, 2.0], name="w")
    opt = optimizer()
    opt.minimize(tf.reduce_sum(w * w))
    assert {name: opt.get_slot(w, name).op.name for name in opt.get_slot_names()} == slots


@pytest.mark.parametrize("optimizer, slots", [
    (lambda: tf.train.MomentumOptimizer(0.1, 0.9), {"momentum": "Momentum"}),
    (lambda: tf.train.AdamOptimizer(0.1, name="other"), {"m": "other", "v": "other_1"}),
    (lambda: tf.train.RMSPropOptimizer(0.1), {"rms": "RMSProp", "momentum": "RMSProp_1"}),
])
def test_slots_of_a_variable_in_pieces(optimizer, slots):
    with tf.variable_scope("layer", partitioner=tf.fixed_size_partitioner(2)):
        w = tf.get_variable("w", [5, 2])
    opt = optimizer()
    opt.minimize(tf.reduce_sum(tf.convert_to_tensor(w) ** 2))
    for i, piece in enumerate(w):
        whole = piece._get_save_slice_info()
        assert (piece.op.name, whole.full_name) == (f"layer/w/part_{i}", "layer/w")
        for name in opt.get_slot_names():
            slot = opt.get_slot(piece, name)
            info = slot._get_save_slice_info()
            assert (slot.op.name, info.full_name) == (f"layer/w/part_{i}/{slots[name]}", f"layer/w/{slots[name]}")
            assert (info.full_shape, info.var_offset) == ([5, 2], [[0, 0], [3, 0]][i])
            assert info.var_shape == slot.shape.as_list() == [[3, 2], [2, 2]][i]


def test_averages_of_a_variable_in_pieces():
    w = tf.get_variable("w", [5, 2], partitioner=tf.fixed_size_partitioner(2))
    averages = tf.train.ExponentialMovingAverage(0.9)
    averages.apply(list(w))
    for i, piece in enumerate(w):
        average = averages.average(piece)
        info = average._get_save_slice_info()
        assert average.op.name == f"w/part_{i}/ExponentialMovingAverage"
        assert (info.full_name, info.var_offset) == ("w/ExponentialMovingAverage", [[0, 0], [3, 0]][i])


def test_the_gradient_of_a_zero_clipped_by_norm():
    x = tf.placeholder(tf.float32, [2])
    grad, = tf.gradients(tf.clip_by_norm(x, 1.0), x)
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(grad, {x: [0, 0]}), [1, 1])
        np.testing.assert_allclose(sess.run(grad, {x: [3, 4]}), [0.032, -0.024], atol=1e-6)


@pytest.mark.parametrize("optimizer, missing", [
    (lambda: tf.train.GradientDescentOptimizer(None), "learning_rate"),
    (lambda: tf.train.MomentumOptimizer(0.1, None), "momentum"),
    (lambda: tf.train.AdamOptimizer(None), "learning_rate"),
])
def test_hyperparameters_that_are_none(optimizer, missing):
    w = tf.Variable([1.0, 2.0], name="w")
    with pytest.raises(ValueError, match=f"None values not supported.*{missing}"):
        optimizer().minimize(tf.reduce_sum(w * w))


def test_hyperparameters_and_losses_of_a_wrong_type():
    w = tf.Variable([1.0, 2.0], name="w")
    step = tf.train.GradientDescentOptimizer("x").minimize(tf.reduce_sum(w * w))
    with tf.Session() as session:
        session.run(w.initializer)
        with pytest.raises(tf.errors.UnimplementedError, match="Cast string to float is not supported"):
            session.run(step)
    for loss in (None, "x", 1.5, []):
        with pytest.raises(AttributeError, match="has no attribute 'dtype'"):
            tf.train.GradientDescentOptimizer(0.1).minimize(loss)
