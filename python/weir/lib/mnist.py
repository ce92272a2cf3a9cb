"""tensorflow.examples.tutorials.mnist.input_data: batches of digit images and labels.

Reads MNIST's four IDX files, gzipped or not, from a folder. Does not download them.
"""
import collections
import os

import numpy as np

from weir import _weir

DEFAULT_SOURCE_URL = ""
Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])


def _as_images(array, name):
    if array.dtype != np.uint8 or array.ndim != 3:
        raise ValueError(f"{name}: expected images (uint8 of rank 3), got {array.dtype} of shape {array.shape}")
    return array[..., np.newaxis]


def extract_images(f):
    """Reads uint8 [count, rows, columns, 1] from an open IDX file, gzipped or not."""
    name = getattr(f, "name", "the file")
    return _as_images(_weir.parse_idx(f.read(), str(name)), name)


def extract_labels(f, one_hot=False, num_classes=10):
    """Reads uint8 [count] from an open IDX file, gzipped or not; with `one_hot`, float64 [count, num_classes]."""
    name = getattr(f, "name", "the file")
    labels = _weir.parse_idx(f.read(), str(name))
    if labels.dtype != np.uint8 or labels.ndim != 1:
        raise ValueError(f"{name}: expected labels (uint8 of rank 1), got {labels.dtype} of shape {labels.shape}")
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense, num_classes):
    """Converts class indices [count] to one-hot rows [count, num_classes]."""
    if labels_dense.size and labels_dense.max() >= num_classes:
        raise ValueError(f"label {labels_dense.max()} is out of range: there are {num_classes} classes")
    return np.eye(num_classes)[labels_dense]


class DataSet:
    """Images and labels, returned in batches. Shuffled again for every epoch."""

    def __init__(self, images, labels, fake_data=False, one_hot=False, dtype=None, reshape=True, seed=None):
        first, second = _weir.get_seed(seed)
        np.random.seed(first if seed is None else second)
        dtype = np.dtype(np.float32) if dtype is None else np.dtype(_weir.as_dtype(dtype).base_dtype.as_numpy_dtype)
        if dtype not in (np.uint8, np.float32):
            raise TypeError(f"Invalid image dtype {dtype}, expected uint8 or float32")
        self.one_hot = one_hot
        if fake_data:
            self._num_examples = 10000
        else:
            if images.shape[0] != labels.shape[0]:
                raise ValueError(f"there are {images.shape[0]} images and {labels.shape[0]} labels")
            self._num_examples = images.shape[0]
            if reshape:
                if images.ndim != 4 or images.shape[3] != 1:
                    raise ValueError(f"expected images of shape [count, rows, columns, 1], got {list(images.shape)}")
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if dtype == np.float32:
                images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
        self._images, self._labels = images, labels
        self._epochs_completed = self._index_in_epoch = 0

    @property
    def images(self):
        return self._images

    @property
    def labels(self):
        return self._labels

    @property
    def num_examples(self):
        return self._num_examples

    @property
    def epochs_completed(self):
        return self._epochs_completed

    def _shuffle(self):
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """Returns the next `batch_size` images and labels. A batch may span the end of an epoch."""
        if fake_data:
            label = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784] * batch_size, [label] * batch_size
        if batch_size > self._num_examples:
            raise ValueError(f"a batch of {batch_size} is larger than the data set, which has {self._num_examples} examples")
        start = self._index_in_epoch
        if shuffle and start == 0 and self._epochs_completed == 0:
            self._shuffle()
        end = start + batch_size
        if end <= self._num_examples:
            self._index_in_epoch = end
            return self._images[start:end], self._labels[start:end]
        rest = self._images[start:], self._labels[start:]
        self._epochs_completed += 1
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end = end - self._num_examples
        return np.concatenate([rest[0], self._images[:end]]), np.concatenate([rest[1], self._labels[:end]])


def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype=None, reshape=True, validation_size=5000, seed=None,
                   source_url=DEFAULT_SOURCE_URL):
    """Reads MNIST's files from a folder. The first `validation_size` training images become the validation set."""
    if fake_data:
        return Datasets(*(DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)))

    def path(name):
        full = os.path.join(os.fspath(train_dir), name)
        print("Extracting", full)
        return full

    def images(name):
        return _as_images(_weir.read_idx_images(path(name)), name)

    def labels(name):
        values = _weir.read_idx_labels(path(name))
        return dense_to_one_hot(values, 10) if one_hot else values

    train = images("train-images-idx3-ubyte.gz"), labels("train-labels-idx1-ubyte.gz")
    test = images("t10k-images-idx3-ubyte.gz"), labels("t10k-labels-idx1-ubyte.gz")
    if not 0 <= validation_size <= len(train[0]):
        raise ValueError(f"Validation size should be between 0 and {len(train[0])}. Received: {validation_size}.")
    parts = [[part[validation_size:] for part in train], [part[:validation_size] for part in train], test]
    return Datasets(*(DataSet(*part, dtype=dtype, reshape=reshape, seed=seed) for part in parts))


def load_mnist(train_dir="MNIST-data"):
    return read_data_sets(train_dir)
