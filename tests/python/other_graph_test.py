"""Tests that functions refuse tensors of another graph instead of returning None."""
import pytest

import weir as tf


def foreign():
    with tf.Graph().as_default():
        return tf.constant([1.0, 2.0])


CALLS = {
    "batch_normalization mean": lambda x: tf.nn.batch_normalization(x, foreign(), [1.0, 1.0], [0.0, 0.0], [1.0, 1.0], 1e-3),
    "batch_normalization variance": lambda x: tf.nn.batch_normalization(x, [0.0, 0.0], foreign(), [0.0, 0.0], [1.0, 1.0], 1e-3),
    "batch_normalization offset": lambda x: tf.nn.batch_normalization(x, [0.0, 0.0], [1.0, 1.0], foreign(), [1.0, 1.0], 1e-3),
    "log_poisson_loss": lambda x: tf.nn.log_poisson_loss(x, foreign(), compute_full_loss=True),
    "normalize_moments": lambda x: tf.nn.normalize_moments(tf.constant(2.0), x, foreign(), None),
    "polyval": lambda x: tf.math.polyval([x, foreign()], x),
}


@pytest.mark.parametrize("name", CALLS)
def test_tensors_of_another_graph_are_an_error(name):
    with pytest.raises(ValueError, match="must be from the same graph"):
        CALLS[name](tf.constant([3.0, 4.0]))
