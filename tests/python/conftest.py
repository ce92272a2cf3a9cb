"""Every test has a default graph of its own."""
import pytest

import weir as tf


@pytest.fixture(autouse=True)
def graph():
    g = tf.Graph()
    with g.as_default():
        yield g
