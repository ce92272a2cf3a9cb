"""Helpers of tests that build a model and compare its values."""
import numpy as np

import weir as tf


def evaluate(fetches, feed=None):
    """Initializes the variables of the default graph in a new session and returns the values."""
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feed)


def random_values(*shape, seed=0):
    """Returns float32 numbers in [-1, 1). The same seed gives the same numbers."""
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def variable_names():
    return sorted(v.op.name for v in tf.global_variables())
