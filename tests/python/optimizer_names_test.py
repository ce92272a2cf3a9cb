"""What optimizers call their slots: checkpoints of other programs are read by these names."""
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


def test_the_gradient_of_a_zero_clipped_by_norm():
    x = tf.placeholder(tf.float32, [2])
    grad, = tf.gradients(tf.clip_by_norm(x, 1.0), x)
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(grad, {x: [0, 0]}), [1, 1])
        np.testing.assert_allclose(sess.run(grad, {x: [3, 4]}), [0.032, -0.024], atol=1e-6)
