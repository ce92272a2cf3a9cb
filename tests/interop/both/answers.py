"""Results of Python API calls on TensorFlow and on Weir: values, shapes, names and error classes.

Every module of cases has a dict CASES of functions that take `tf`. Each function runs in its own graph. TensorFlow
2.21 answers MODULES. TensorFlow 2.15 answers KERAS2_MODULES: newer versions lack tf.estimator, and their layers,
recurrent cells and feature columns do not work with Keras 3. tf-slim is installed beside 2.15.
"""
import importlib

import numpy as np

MODULES = ["nn_answers", "sequence_answers", "loss_answers", "variable_answers", "scope_answers", "hook_answers",
           "session_answers", "value_answers", "small_answers", "name_answers", "data_answers", "cluster_answers",
           "module_answers", "ragged_answers"]
KERAS2_MODULES = ["slim_answers", "net_answers", "keras_answers", "estimator_answers", "head_answers", "canned_answers", "column_answers"]

MOVED = {
    "framework.ops": ["Tensor", "IndexedSlices"],
    "ops.array_ops": ["stack", "unstack", "concat"],
    "ops.control_flow_ops": ["cond", "case", "while_loop"],
}


def cases(modules=MODULES + KERAS2_MODULES):
    return {f"{module}: {name}": case for module in modules
            for name, case in importlib.import_module(f"both.{module}").CASES.items()}


def slim(tf):
    """Returns the slim library: tf.contrib.slim of Weir, the package tf-slim beside TensorFlow."""
    if tf.__name__ == "weir":
        return tf.contrib.slim
    for module, names in MOVED.items():  # tf-slim uses names that TensorFlow 2.15 has moved
        found = importlib.import_module(f"tensorflow.python.{module}")
        for name in names:
            if not hasattr(found, name):
                setattr(found, name, getattr(tf, name))
    importlib.import_module("tf_slim.layers.layers").normalization_layers = tf.layers
    return importlib.import_module("tf_slim")


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


def answers(tf, modules):
    return {name: answer(tf, case) for name, case in cases(modules).items()}
