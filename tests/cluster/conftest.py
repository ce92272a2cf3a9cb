import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import processes

os.environ.update(processes.environment())  # before this process opens its first connection

import pytest

import weir as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as made:
        yield made
