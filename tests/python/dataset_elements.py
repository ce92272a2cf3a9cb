"""Reads datasets, for the tests of tf.data."""
import numpy as np

import weir as tf


def read(dataset, initializable=False, limit=1000):
    """Returns all elements of a dataset, scalars as Python values."""
    iterator = dataset.make_initializable_iterator() if initializable else dataset.make_one_shot_iterator()
    element = iterator.get_next()
    elements = []
    with tf.Session() as session:
        if initializable:
            session.run(iterator.initializer)
        try:
            while len(elements) < limit:
                elements.append(session.run(element))
        except tf.errors.OutOfRangeError as error:
            assert "End of sequence" in str(error)
    return [plain(element) for element in elements]


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return type(value)(*map(plain, value)) if hasattr(value, "_fields") else tuple(map(plain, value))
    return np.asarray(value).tolist()
