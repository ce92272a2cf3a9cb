"""Tests tf.data: options, parallel reads, padding, and the arguments of datasets. The expected values are TensorFlow's."""
import numpy as np
import pytest

import weir as tf
from dataset_elements import read

Dataset = tf.data.Dataset


def test_parallel_reads(tmp_path):
    names = []
    for i in range(3):
        names.append(str(tmp_path / f"{i}.txt"))
        with open(names[-1], "w") as f:
            f.write("".join(f"{i}{j}\n" for j in range(4)))
    lines = [f"{i}{j}".encode() for i in range(3) for j in range(4)]
    in_turns = [f"{i}{j}".encode() for j in range(4) for i in range(3)]
    for read_files in (tf.data.TextLineDataset, lambda names, **options: tf.data.FixedLengthRecordDataset(names, 3, **options).map(
            lambda r: tf.substr(r, 0, 2))):
        assert read(read_files(names)) == lines
        assert read(read_files(Dataset.from_tensor_slices(names))) == lines
        assert read(read_files(names, num_parallel_reads=3)) == in_turns
        assert read(read_files(names[0], num_parallel_reads=2)) == lines[:4]


def test_options_are_kept():
    options = tf.data.Options()
    options.experimental_deterministic = False
    options.experimental_optimization.map_fusion = True
    options.experimental_threading.private_threadpool_size = 4
    with pytest.raises(AttributeError, match="nonsense"):
        options.nonsense = 1
    with pytest.raises(AttributeError):
        options.experimental_threading.speed = 1
    dataset = Dataset.range(3).with_options(options).map(lambda x: x).batch(3)
    assert read(dataset) == [[0, 1, 2]] and dataset.options() == options and Dataset.zip((Dataset.range(3), dataset)).options() == options
    told = Dataset.range(3).with_options(options).repeat(1)
    assert told.options().experimental_deterministic is False and told.options().experimental_optimization.map_fusion is True
    other = tf.data.Options()
    other.experimental_deterministic = True
    with pytest.raises(ValueError, match="experimental_deterministic"):
        told.with_options(other)
    other.experimental_deterministic = None
    other.experimental_slack = True
    assert told.with_options(other).options().experimental_slack is True and told.with_options(other).options().experimental_deterministic is False


@pytest.mark.parametrize("shape", [[-1], (-1,), [None], np.array([-1]), tf.TensorShape([None])])
def test_unknown_padded_sizes_fit_the_longest_element(shape):
    with tf.Graph().as_default(), tf.Session() as sess:
        lists = tf.data.Dataset.from_generator(lambda: iter([[1], [1, 2], [1, 2, 3]]), tf.int32, tf.TensorShape([None]))
        batch = lists.padded_batch(2, padded_shapes=shape, padding_values=7).make_one_shot_iterator().get_next()
        assert batch.shape.as_list() == [None, None]
        assert sess.run(batch).tolist() == [[1, 7], [1, 2]] and sess.run(batch).tolist() == [[1, 2, 3]]
        with pytest.raises(TypeError, match="must be a `tf.int64` vector tensor"):
            lists.padded_batch(2, padded_shapes=tf.constant([4]))


@pytest.mark.parametrize("make", [
    lambda name: Dataset.range(3, name=name), lambda name: Dataset.from_tensors(1, name=name), lambda name: Dataset.from_tensor_slices([1], name=name),
    lambda name: Dataset.zip((Dataset.range(3),), name=name), lambda name: Dataset.range(3).map(lambda x: x, name=name),
    lambda name: Dataset.range(3).batch(2, name=name), lambda name: Dataset.range(3).shuffle(2, name=name),
    lambda name: Dataset.range(3).interleave(lambda x: Dataset.range(x), name=name), lambda name: tf.data.TextLineDataset("/nowhere", name=name)])
def test_the_name_of_a_dataset_is_an_identifier(make):
    make("good_name1")
    with pytest.raises(ValueError, match="Invalid `name`"):
        make("not a name!")


def test_a_range_of_another_type():
    dataset = Dataset.range(3, output_type=tf.int32)
    assert dataset.output_types == tf.int32 and read(dataset) == [0, 1, 2]


def test_interleave_has_default_lengths():
    assert read(Dataset.range(3).interleave(lambda x: Dataset.range(x), cycle_length=1, block_length=None)) == [0, 0, 1]


@pytest.mark.parametrize("arguments, error, message", [
    ({"padded_shapes": "x"}, ValueError, "Padded shape x must be a `tf.int64` vector tensor, but its shape was"),
    ({"padded_shapes": [[]]}, ValueError, r"but its shape was \(1, 0\)"),
    ({"padded_shapes": [1]}, ValueError, r"The padded shape \(1,\) is not compatible with the shape \(2,\)"),
    ({"padded_shapes": [3], "padding_values": []}, ValueError, "values should be scalars"),
    ({"padded_shapes": tf.TensorShape(None)}, ValueError, "Cannot convert")])
def test_wrong_padding(arguments, error, message):
    with pytest.raises(error, match=message):
        Dataset.from_tensors(np.float32([1.0, 2.0])).padded_batch(2, **arguments)


def test_the_dimension_of_a_full_batch_is_not_negative():
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        Dataset.range(5).batch(-1, drop_remainder=True)


def test_padded_batch():
    vectors = Dataset.range(1, 5).map(lambda x: tf.fill([x], x))
    assert read(vectors.padded_batch(2, padded_shapes=[None])) == [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]
    both = Dataset.range(1, 5).map(lambda x: (tf.fill([x], x), x))
    padded = both.padded_batch(3, padded_shapes=([5], []), padding_values=(tf.constant(-1, tf.int64), tf.constant(0, tf.int64)))
    assert padded.output_shapes[0].as_list() == [None, 5]
    assert read(padded) == [([[1, -1, -1, -1, -1], [2, 2, -1, -1, -1], [3, 3, 3, -1, -1]], [1, 2, 3]), ([[4, 4, 4, 4, -1]], [4])]
    with pytest.raises(tf.errors.DataLossError, match="Attempted to pad to a smaller size"):
        read(vectors.padded_batch(3, padded_shapes=[2]))
    with pytest.raises(ValueError, match=r"The padded shape \(\) is not compatible with the shape \(2,\) of the corresponding input component"):
        Dataset.from_tensors([1, 2]).padded_batch(2, padded_shapes=[])
    dropping = tf.contrib.data.padded_batch_and_drop_remainder(3, padded_shapes=[None])
    assert read(vectors.apply(dropping)) == [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]
    assert read(Dataset.range(5).apply(tf.contrib.data.batch_and_drop_remainder(2))) == [[0, 1], [2, 3]]


def test_stats_aggregator():
    stats = tf.data.experimental.StatsAggregator()
    dataset = tf.data.Dataset.from_tensor_slices(np.arange(6).reshape(3, 2)).apply(tf.data.experimental.bytes_produced_stats("bytes"))
    dataset = dataset.map(lambda x: tf.as_string(x)).apply(tf.data.experimental.latency_stats("time"))
    options = tf.data.Options()
    options.experimental_stats.aggregator = stats
    options.experimental_stats.prefix = "input"
    iterator = dataset.with_options(options).make_initializable_iterator()
    element, text = iterator.get_next(), stats.get_summary()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        assert not tf.Summary.FromString(sess.run(text)).value
        for _ in range(2):
            sess.run(element)
        values = {value.tag: value.histo for value in tf.Summary.FromString(sess.run(text)).value}
    assert sorted(values) == ["input::bytes", "input::time"]
    assert (values["input::bytes"].num, values["input::bytes"].sum) == (2, 32)
    assert values["input::time"].num == 2 and values["input::time"].min >= 0


def test_bytes_of_strings():
    stats = tf.data.experimental.StatsAggregator()
    dataset = tf.data.Dataset.from_tensor_slices(["a", "bcd"]).apply(tf.data.experimental.bytes_produced_stats("bytes"))
    iterator = dataset.apply(tf.contrib.data.set_stats_aggregator(stats)).make_initializable_iterator()
    element, text = iterator.get_next(), stats.get_summary()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        assert [sess.run(element) for _ in range(2)] == [b"a", b"bcd"]
        value, = tf.Summary.FromString(sess.run(text)).value
    assert (value.tag, value.histo.min, value.histo.max) == ("bytes", 25, 27)
