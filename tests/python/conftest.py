"""Gives every test its own default graph."""
import pytest

import weir as tf


@pytest.fixture(autouse=True)
def graph():
    g = tf.Graph()
    with g.as_default():
        yield g
