"""Tests tf.data.experimental. The expected values are TensorFlow's; tests/interop/both/data_answers.py has more."""
import numpy as np
import pytest

import weir as tf
from dataset_elements import read

Dataset = tf.data.Dataset
experimental = tf.data.experimental


def test_groups():
    batches = experimental.group_by_window(lambda x: x % 2, lambda key, group: group.batch(4), window_size_func=lambda key: key + 1)
    assert read(Dataset.range(8).apply(batches)) == [[0], [2], [1, 3], [4], [6], [5, 7]]
    # At the end, incomplete groups are returned in the order of their keys.
    assert read(Dataset.range(5).apply(experimental.group_by_window(lambda x: -x, lambda key, group: group, 2))) == [4, 3, 2, 1, 0]
    assert read(Dataset.range(0).apply(batches)) == []
    reducer = experimental.Reducer(lambda key: np.int64(0), lambda state, x: state + x, lambda state: (state, state * 2))
    assert read(Dataset.range(10).apply(experimental.group_by_reducer(lambda x: 2 - x % 3, reducer))) == [(15, 30), (12, 24), (18, 36)]


def test_each_pass_starts_new_groups():
    batches = experimental.group_by_window(lambda x: x % 2, lambda key, group: group.batch(4), 3)
    once = [[0, 2, 4], [1, 3, 5], [6], [7]]
    assert read(Dataset.range(8).apply(batches).repeat(2)) == [[0, 2, 4], [1, 3, 5], [6], [7]] + once


def test_errors_of_groups_name_the_element():
    dataset = Dataset.range(2, -1, -1).apply(experimental.group_by_window(lambda x: 4 // x, lambda key, group: group, 9))
    with pytest.raises(tf.errors.InvalidArgumentError, match="GroupByWindowDataset.*element 2"):
        read(dataset)
    no_window = Dataset.range(3).apply(experimental.group_by_window(lambda x: x, lambda key, group: group, 0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Window size must be greater than zero, but got 0"):
        read(no_window)


def test_sequences_of_similar_length():
    sequences = Dataset.range(1, 9).map(lambda x: tf.fill([x], x))
    length = lambda x: tf.shape(x)[0]
    batches = read(sequences.apply(experimental.bucket_by_sequence_length(length, [3, 6], [2, 2, 2], padding_values=np.int64(-1))))
    assert batches == [[[1, -1], [2, 2]], [[3, 3, 3, -1], [4, 4, 4, 4]], [[6, 6, 6, 6, 6, 6, -1], [7] * 7], [[5] * 5], [[8] * 8]]
    too_long = sequences.apply(experimental.bucket_by_sequence_length(length, [3, 6], [2, 2, 2], pad_to_bucket_boundary=True))
    with pytest.raises(tf.errors.InvalidArgumentError, match="elements must have length < max"):
        read(too_long)
    by_int64 = Dataset.range(4).apply(experimental.bucket_by_sequence_length(lambda x: x, [2], [1, 2], no_padding=True))
    assert read(by_int64) == [[0], [1], [2, 3]]


def test_states():
    assert read(Dataset.range(5).apply(experimental.scan(np.int64(0), lambda s, x: (s + x, s * 10)))) == [0, 0, 10, 30, 60]
    assert read(Dataset.range(9).apply(experimental.take_while(lambda x: x < 4))) == [0, 1, 2, 3]
    assert read(Dataset.from_tensor_slices([["a", "bc"], ["ab", "c"], ["a", "bc"]]).apply(experimental.unique())) == [[b"a", b"bc"], [b"ab", b"c"]]
    assert read(experimental.Counter(3, -2, tf.int32), limit=3) == [3, 1, -1]
    with pytest.raises(TypeError, match="pair"):
        Dataset.range(3).apply(experimental.scan(0, lambda s, x: s))


def test_choices():
    datasets = [Dataset.range(3), Dataset.range(10, 15)]
    chosen = experimental.choose_from_datasets(datasets, Dataset.from_tensor_slices(np.array([0, 1, 0, 0, 0, 1, 1])))
    assert read(chosen) == [0, 10, 1, 2, 11, 12]
    assert read(experimental.sample_from_datasets([Dataset.range(5), Dataset.range(10, 15)], seed=3)) == [10, 11, 12, 0, 13, 14, 1, 2, 3, 4]
    weights = Dataset.from_tensors([0.9, 0.1]).repeat()
    assert read(experimental.sample_from_datasets(datasets, weights, seed=3)) == [0, 1, 2, 10, 11, 12, 13, 14]
    assert read(experimental.RandomDataset(seed=5), limit=2) == [3568415791, 2798973839]
    with pytest.raises(TypeError):
        experimental.choose_from_datasets(datasets, Dataset.from_tensor_slices([0, 1]))


def test_numbers_of_elements():
    with tf.Session() as session:
        count = lambda dataset: session.run(experimental.cardinality(dataset))
        assert count(Dataset.range(7).repeat(2).batch(4)) == 4
        assert count(Dataset.range(7).repeat()) == experimental.INFINITE_CARDINALITY
        assert count(Dataset.range(7).filter(lambda x: x > 1)) == experimental.UNKNOWN_CARDINALITY
        assert count(Dataset.range(np.iinfo(np.int64).min, np.iinfo(np.int64).max)) == experimental.UNKNOWN_CARDINALITY
        assert count(Dataset.range(2).repeat(np.iinfo(np.int64).max)) == experimental.UNKNOWN_CARDINALITY
        assert count(Dataset.range(5, -5, -3)) == 4
    with pytest.raises(tf.errors.FailedPreconditionError, match="expected to contain 3 elements but contained only 2 elements"):
        read(Dataset.range(2).apply(experimental.assert_cardinality(3)))


def test_names_of_contrib():
    for name in ("group_by_window", "bucket_by_sequence_length", "scan", "unique", "sample_from_datasets", "Counter", "RandomDataset"):
        assert getattr(tf.contrib.data, name) is getattr(experimental, name)
