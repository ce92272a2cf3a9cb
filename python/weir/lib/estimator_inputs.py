"""tf.estimator.inputs: input functions that batch arrays."""
import collections as _collections

import numpy as _np


def _rows_of_batches(size, batch_size, num_epochs, shuffle):
    """Yields the row numbers of each batch. A batch may reach into the next epoch; only the last one is smaller."""
    rows = _np.zeros(0, _np.int64)
    epoch = 0
    while num_epochs is None or epoch < num_epochs:
        more = _np.random.permutation(size) if shuffle else _np.arange(size)
        rows = _np.concatenate([rows, more])
        epoch += 1
        while len(rows) >= batch_size:
            yield rows[:batch_size]
            rows = rows[batch_size:]
    if len(rows):
        yield rows


def _batches(arrays, batch_size, num_epochs, shuffle):
    """Returns tensors of the next batch of each array."""
    import weir as tf

    def generate():
        for rows in _rows_of_batches(len(arrays[0]), batch_size, num_epochs, shuffle):
            yield tuple(array[rows] for array in arrays)
    arrays = [_np.char.encode(array, "utf-8") if array.dtype.kind == "U" else array for array in arrays]
    types = tuple(tf.string if array.dtype.kind in "OS" else tf.as_dtype(array.dtype) for array in arrays)
    first = batch_size if num_epochs is None else None
    dataset = tf.data.Dataset.from_generator(generate, types, tuple(tf.TensorShape([first, *array.shape[1:]]) for array in arrays))
    iterator = tf.data.make_initializable_iterator(dataset)
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return list(iterator.get_next())


def _checked_shuffle(shuffle):
    if shuffle not in (True, False):
        raise ValueError("shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for training); got "
                         f"{shuffle}")


def numpy_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1):
    """Returns an input function for arrays: x is one or a dict of them, y too or None."""
    del queue_capacity, num_threads  # batches are made when they are needed
    _checked_shuffle(shuffle)

    def input_fn():
        if not isinstance(x, (dict, _np.ndarray)):
            raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
        if isinstance(x, dict) and not x:
            raise ValueError("x cannot be an empty dict")
        if isinstance(y, dict) and not y:
            raise ValueError("y cannot be empty dict, use None instead.")
        features = x if isinstance(x, dict) else {"": x}
        targets = y if isinstance(y, dict) else {} if y is None else {"": y}
        if isinstance(x, dict) and set(features) & set(targets):
            raise ValueError(f"keys that are found in both x and y: {sorted(set(features) & set(targets))}")
        names = list(features) + list(targets)
        arrays = [_np.asarray(value) for value in [*features.values(), *targets.values()]]
        if len({len(array) for array in arrays}) != 1:
            shapes = {name: array.shape for name, array in zip(names, arrays)}
            raise ValueError(f"Length of tensors in x and y is mismatched. All elements in x and y must have the same length. Shapes in x "
                             f"and y: {shapes}")
        batch = _batches(arrays, batch_size, num_epochs, shuffle)
        made = dict(zip(features, batch)) if isinstance(x, dict) else batch[0]
        if y is None:
            return made
        labels = batch[len(features):]
        return made, dict(zip(targets, labels)) if isinstance(y, dict) else labels[0]
    return input_fn


def pandas_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1, target_column="target"):
    """Returns an input function for a DataFrame of features, and a Series or DataFrame of labels."""
    try:
        import pandas  # type: ignore[import]
    except ImportError:
        raise TypeError("pandas_input_fn should not be called without pandas installed") from None
    if not isinstance(x, pandas.DataFrame):
        raise TypeError(f"x must be a pandas DataFrame; got {type(x).__name__}")
    del queue_capacity, num_threads
    _checked_shuffle(shuffle)
    if not isinstance(target_column, str):
        raise TypeError("target_column must be a string type")
    if y is not None and target_column in x:
        raise ValueError(f"Cannot use name {target_column} for target column: DataFrame already has a column with that name: {x.columns}")
    if y is not None and not _np.array_equal(x.index, y.index):
        raise ValueError("Index for x and y are mismatched.\nIndex for x: %s\nIndex for y: %s\n" % (x.index, y.index))

    def input_fn():
        targets = {} if y is None else {name: y[name] for name in y} if isinstance(y, pandas.DataFrame) else {target_column: y}
        arrays = [_np.asarray(column) for column in [*(x[name] for name in x), *targets.values()]]
        batch = _batches(arrays, batch_size, num_epochs, shuffle)
        features = _collections.OrderedDict(zip(x, batch))
        if y is None:
            return features
        labels = batch[len(features):]
        return features, dict(zip(targets, labels)) if isinstance(y, pandas.DataFrame) else labels[0]
    return input_fn
