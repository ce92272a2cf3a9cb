"""tensorflow.python.eager.context: Weir always builds graphs."""
import contextlib


def executing_eagerly():
    return False


in_eager_mode = executing_eagerly


def in_graph_mode():
    return True


@contextlib.contextmanager
def graph_mode():
    yield


def num_gpus():
    return 0
