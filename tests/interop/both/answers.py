"""Results of Python API calls on TensorFlow and on Weir: values, shapes, names and error classes.

Every module of cases has a dict CASES of functions that take `tf`. Each function runs in its own graph.
"""
import importlib

import numpy as np

MODULES = ["nn_answers", "loss_answers", "variable_answers", "scope_answers", "hook_answers", "session_answers", "value_answers",
           "small_answers"]


def cases():
    return {f"{module}: {name}": case for module in MODULES
            for name, case in importlib.import_module(f"both.{module}").CASES.items()}


def evaluate(tf, fetches, feed_dict=None):
    """Initializes the variables and tables of the graph and returns the fetched values."""
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        return sess.run(fetches, feed_dict)


def plain(value):
    """Converts an answer to JSON data."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        items = [item.decode() if isinstance(item, bytes) else str(item) if isinstance(item, complex) else item
                 for item in value.ravel().tolist()]
        return [str(value.dtype), list(np.shape(value)), items]
    if isinstance(value, bytes):
        return value.decode()
    if value is None or isinstance(value, (str, int, float)):
        return value
    return str(value)


def answer(tf, case):
    with tf.Graph().as_default():
        try:
            return plain(case(tf))
        except Exception as error:  # the answer is its class
            return f"raises {type(error).__name__}"


def answers(tf):
    return {name: answer(tf, case) for name, case in cases().items()}
