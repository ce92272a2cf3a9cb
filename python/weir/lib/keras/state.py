"""What tf.keras keeps per graph and per process: names of layers, the learning phase, the session, how Keras tensors were made."""
import collections
import threading

import weir as tf


class _Settings:
    floatx = "float32"
    epsilon = 1e-7
    image_data_format = "channels_last"
    session = None  # set with set_session, or made by get_session
    learning_phase = None  # set with set_learning_phase


settings = _Settings()
_calls = threading.local()


class GraphState:
    """The Keras side of one graph. An attribute of the Graph, so that it is freed with it."""

    def __init__(self):
        self.uids = collections.defaultdict(int)
        self.learning_phase = None
        self.history = {}  # name of a tensor: (Node, number of the output)
        self.masks = {}  # name of a tensor: its mask
        self.variables = []
        self.initialized = set()  # names of variables that get_session has initialized


def of_graph(graph=None):
    graph = graph or tf.get_default_graph()
    state = getattr(graph, "_keras_state", None)
    if state is None:
        state = graph._keras_state = GraphState()
    return state


def learning_phase():
    """Returns 0 or 1 if it was set, else the graph's placeholder."""
    if settings.learning_phase is not None:
        return settings.learning_phase
    state = of_graph()
    if state.learning_phase is None:
        with tf.name_scope(None):
            state.learning_phase = tf.placeholder_with_default(False, shape=(), name="keras_learning_phase")
    return state.learning_phase


class Call:
    """Context of one call of a layer: layers inside inherit its `training`."""

    def __init__(self, layer, training):
        self.layer, self.training = layer, training

    def __enter__(self):
        _stack().append(self)

    def __exit__(self, *error):
        _stack().pop()


def _stack():
    if not hasattr(_calls, "stack"):
        _calls.stack = []
    return _calls.stack


def in_call():
    return bool(_stack())


def inherited_training():
    return _stack()[-1].training if _stack() else None


def history(tensor):
    """Returns (Node, number of the output) of a Keras tensor, else None."""
    return of_graph(tensor.graph).history.get(tensor.name) if isinstance(tensor, tf.Tensor) else None


def mask_of(tensor):
    return of_graph(tensor.graph).masks.get(tensor.name) if isinstance(tensor, tf.Tensor) else None


def set_mask(tensor, mask):
    if isinstance(tensor, tf.Tensor) and mask is not None:
        of_graph(tensor.graph).masks[tensor.name] = mask
