"""Tests tensorflow.examples.tutorials.mnist.input_data with MNIST files that the tests write themselves."""
import gzip
import importlib
import pathlib
import struct
import subprocess
import sys

import numpy as np
import pytest

import weir as tf
from weir.lib import mnist as input_data

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ["train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"]


def idx(array):
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.astype(np.uint8).tobytes()


def arrays(train=50, test=20):
    """Returns images and labels: all pixels of image i are i; its label is the last digit of i."""
    made = []
    for count in (train, test):
        numbers = np.arange(count, dtype=np.uint8)
        made += [np.tile(numbers[:, None, None], (1, 28, 28)), numbers % 10]
    return made


@pytest.fixture
def write(tmp_path):
    def write(contents, zipped=True):
        for name, content in zip(NAMES, contents):
            content = content if isinstance(content, bytes) else idx(content)
            (tmp_path / (name + ".gz" * zipped)).write_bytes(gzip.compress(content) if zipped else content)
        return tmp_path
    return write


@pytest.mark.parametrize("zipped", [True, False])
def test_reads_the_four_files(write, zipped, capsys):
    sets = input_data.read_data_sets(str(write(arrays(), zipped)), validation_size=10)
    assert [s.num_examples for s in sets] == [40, 10, 20]
    assert sets.train.images.shape == (40, 784) and sets.train.images.dtype == np.float32
    np.testing.assert_array_equal(sets.train.images[:, 5], np.arange(10, 50, dtype=np.float32) * np.float32(1 / 255))
    assert sets.validation.labels.dtype == np.uint8
    np.testing.assert_array_equal(sets.validation.labels, np.arange(10) % 10)
    np.testing.assert_array_equal(sets.test.labels, np.arange(20) % 10)
    assert capsys.readouterr().out.count("Extracting") == 4


def test_options_of_read_data_sets(write):
    folder = write(arrays())
    sets = input_data.read_data_sets(folder, one_hot=True, dtype=tf.uint8, reshape=False, validation_size=0)
    assert sets.train.images.shape == (50, 28, 28, 1) and sets.train.images.dtype == np.uint8
    assert sets.train.labels.shape == (50, 10) and sets.train.labels.dtype == np.float64
    np.testing.assert_array_equal(sets.train.labels.argmax(1), np.arange(50) % 10)
    assert (sets.train.labels.sum(1) == 1).all() and sets.validation.num_examples == 0
    with pytest.raises(TypeError, match="expected uint8 or float32"):
        input_data.read_data_sets(folder, dtype=tf.int32, validation_size=0)
    with pytest.raises(ValueError, match="Validation size should be between 0 and 50. Received: 5000."):
        input_data.read_data_sets(folder)
    with pytest.raises(ValueError, match="Received: -1"):
        input_data.read_data_sets(folder, validation_size=-1)


def test_batches_go_through_every_epoch(write):
    train = input_data.read_data_sets(write(arrays()), validation_size=10, dtype=tf.uint8).train
    seen = [train.next_batch(15) for _ in range(8)]  # three epochs of 40
    numbers = np.concatenate([images[:, 0] for images, _ in seen])
    np.testing.assert_array_equal(numbers % 10, np.concatenate([labels for _, labels in seen]))
    for epoch in range(3):
        assert sorted(numbers[40 * epoch:40 * (epoch + 1)]) == list(range(10, 50))
    assert (numbers[:40] != numbers[40:80]).any()
    assert train.epochs_completed == 2  # the third epoch is used up, but only the next batch counts it
    train.next_batch(1)
    assert train.epochs_completed == 3
    with pytest.raises(ValueError, match="larger than the data set"):
        train.next_batch(41)


def test_batches_in_order(write):
    train = input_data.read_data_sets(write(arrays()), validation_size=0, dtype=tf.uint8).train
    batches = [train.next_batch(20, shuffle=False)[0][:, 0] for _ in range(3)]
    np.testing.assert_array_equal(np.concatenate(batches), [*range(50), *range(10)])


def test_a_seed_gives_the_same_batches_as_numpy(write):
    folder = write(arrays())
    train = input_data.read_data_sets(folder, validation_size=0, dtype=tf.uint8, seed=7).train
    order = np.arange(50)
    np.random.RandomState(7).shuffle(order)
    np.testing.assert_array_equal(train.next_batch(50)[0][:, 0], order)


def test_fake_data():
    sets = input_data.read_data_sets("/nowhere", fake_data=True, one_hot=True)
    assert sets.train.num_examples == 10000
    images, labels = sets.train.next_batch(3, fake_data=True)
    assert images == [[1] * 784] * 3 and labels == [[1] + [0] * 9] * 3
    assert input_data.read_data_sets("", fake_data=True).test.next_batch(2, True)[1] == [0, 0]


def test_the_error_for_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(tf.errors.NotFoundError) as caught:
        input_data.read_data_sets(str(tmp_path))
    assert str(tmp_path / "train-images-idx3-ubyte.gz") in str(caught.value)
    assert "put train-images-idx3-ubyte or train-images-idx3-ubyte.gz" in str(caught.value)


def test_damaged_files_are_refused(write):
    good = arrays()

    def read(position, content, zipped=True):
        folder = write(good[:position] + [content] + good[position + 1:], zipped)
        return input_data.read_data_sets(folder, validation_size=0, one_hot=True)
    with pytest.raises(ValueError, match="train-images-idx3-ubyte.gz: not an IDX file: invalid magic number 1013478509"):
        read(0, b"<html>404</html>")
    with pytest.raises(ValueError, match="train-images-idx3-ubyte.gz: images are expected"):
        read(0, good[1])
    with pytest.raises(ValueError, match="train-labels-idx1-ubyte.gz: labels are expected"):
        read(1, good[0])
    with pytest.raises(tf.errors.DataLossError, match="t10k-images-idx3-ubyte.gz: truncated"):
        read(2, idx(good[2])[:-5])
    with pytest.raises(ValueError, match="there are 50 images and 49 labels"):
        read(1, good[1][:49])
    with pytest.raises(ValueError, match="label 10 is out of range: there are 10 classes"):
        read(1, np.full(50, 10))
    folder = write(good)
    path = folder / "t10k-images-idx3-ubyte.gz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(tf.errors.DataLossError, match="ends early"):
        input_data.read_data_sets(folder, validation_size=0)


def test_open_files(write):
    folder = write(arrays())
    with open(folder / (NAMES[0] + ".gz"), "rb") as f:
        assert input_data.extract_images(f).shape == (50, 28, 28, 1)
    with tf.gfile.Open(str(folder / (NAMES[1] + ".gz")), "rb") as f:
        assert input_data.extract_labels(f, one_hot=True).shape == (50, 10)
    with open(folder / (NAMES[1] + ".gz"), "rb") as f, pytest.raises(ValueError, match="expected images"):
        input_data.extract_images(f)


def test_names():
    for name in ("examples.tutorials.mnist.input_data", "contrib.learn.python.learn.datasets.mnist", "contrib.learn.datasets.mnist"):
        assert importlib.import_module("weir." + name).read_data_sets is input_data.read_data_sets


def test_digits_that_need_no_download(tmp_path):
    pytest.importorskip("sklearn")
    subprocess.run([sys.executable, str(ROOT / "tools/write_digits"), str(tmp_path / "digits")], check=True, capture_output=True)
    sets = input_data.read_data_sets(tmp_path / "digits", one_hot=True)
    assert sets.train.num_examples > 8000 and sets.validation.num_examples == 5000 and sets.test.num_examples == 300
    assert (sets.train.labels.sum(0) > 700).all() and (sets.test.labels.sum(0) > 20).all()
    assert sets.train.images.max() == 1 and sets.train.images.min() == 0
