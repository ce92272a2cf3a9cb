"""Tests tf.data: datasets with SparseTensors. The expected values are TensorFlow's."""
import numpy as np
import pytest

import weir as tf
from dataset_elements import read

Dataset = tf.data.Dataset


def sparse(indices, values, shape):
    return tf.SparseTensor(np.reshape(indices, [-1, len(shape)]), np.array(values), shape)


def dense(value):
    array = np.zeros(value.dense_shape, value.values.dtype)
    array[tuple(value.indices.T)] = value.values
    return array.tolist()


def read_dense(dataset):
    """Returns the elements, with SparseTensors converted to dense arrays."""
    def each(value):
        if isinstance(value, tf.SparseTensorValue):
            return dense(value)
        return tuple(map(each, value)) if isinstance(value, tuple) else np.asarray(value).tolist()

    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        elements = []
        try:
            while True:
                elements.append(each(session.run(element)))
        except tf.errors.OutOfRangeError:
            return elements


MATRIX = ([[0, 1], [2, 0], [2, 2]], np.float32([1, 2, 3]), [3, 3])
ROWS = [[0, 1, 0], [0, 0, 0], [2, 0, 3]]


def test_sparse_tensors():
    whole = Dataset.from_tensors({"s": sparse(*MATRIX), "n": 7})
    assert whole.output_classes == {"s": tf.SparseTensor, "n": tf.Tensor} and whole.output_types == {"s": tf.float32, "n": tf.int32}
    assert whole.output_shapes["s"].as_list() == [3, 3]
    element = whole.make_one_shot_iterator().get_next()
    assert isinstance(element["s"], tf.SparseTensor) and element["s"].dtype == tf.float32 and element["s"].indices.shape.as_list() == [None, 2]
    assert read_dense(whole.map(lambda e: e["s"])) == [ROWS]
    rows = Dataset.from_tensor_slices((sparse(*MATRIX), [5, 6, 7]))
    assert rows.output_shapes[0].as_list() == [3]
    assert read_dense(rows) == list(zip(ROWS, [5, 6, 7]))
    assert read_dense(Dataset.from_tensor_slices(tf.SparseTensorValue(*MATRIX))) == ROWS


def test_batches_of_sparse_tensors():
    rows = Dataset.from_tensor_slices(sparse(*MATRIX))
    batched = rows.batch(2)
    assert batched.output_shapes.as_list() == [None, 3] and batched.output_classes is tf.SparseTensor
    assert read_dense(batched) == [ROWS[:2], ROWS[2:]]
    assert rows.batch(2, drop_remainder=True).output_shapes.as_list() == [2, 3]
    assert read_dense(batched.unbatch()) == ROWS
    assert read_dense(batched.map(lambda s: s).unbatch().batch(3)) == [ROWS]
    assert read_dense(Dataset.from_tensors((sparse(*MATRIX), np.arange(3))).unbatch()) == list(zip(ROWS, range(3)))
    with pytest.raises(TypeError, match="padded"):
        rows.padded_batch(2, [3])


def test_functions_of_sparse_tensors():
    rows = Dataset.from_tensor_slices((sparse(*MATRIX), [1.0, 2.0, 3.0]))
    doubled = rows.map(lambda s, x: (tf.SparseTensor(s.indices, s.values * x, s.dense_shape), tf.sparse.reduce_sum(s)))
    assert read_dense(doubled) == [([0, 1, 0], 1), ([0, 0, 0], 0), ([6, 0, 9], 5)]
    assert read_dense(rows.filter(lambda s, x: tf.size(s.values) > 0).repeat(2)) == 2 * [(ROWS[0], 1), (ROWS[2], 3)]
    assert read_dense(rows.shuffle(3, seed=1).take(0)) == []
    assert read_dense(rows.take(1).concatenate(rows.skip(2))) == [(ROWS[0], 1), (ROWS[2], 3)]
    with pytest.raises(TypeError, match="classes"):
        rows.concatenate(Dataset.from_tensors((np.zeros(3, np.float32), 1.0)))
    assert read_dense(rows.flat_map(lambda s, x: Dataset.from_tensors(s).repeat(2)).batch(6)) == [[row for row in ROWS for _ in range(2)]]
    assert read_dense(Dataset.zip((rows, Dataset.range(2)))) == [((ROWS[0], 1), 0), ((ROWS[1], 2), 1)]
    assert read_dense(Dataset.range(3).map(lambda n: tf.SparseTensor([[n]], [n * 10], [3])).batch(3)) == [[[0, 0, 0], [0, 10, 0], [0, 0, 20]]]
    texts = Dataset.from_tensor_slices(sparse([[0, 0], [1, 1]], [b"a", b"b"], [2, 2])).map(lambda s: tf.sparse.to_dense(s, ""))
    assert read(texts) == [[b"a", b""], [b"", b"b"]]


def test_iterators_of_sparse_tensors():
    rows = Dataset.from_tensor_slices(sparse(*MATRIX))
    iterator = tf.data.Iterator.from_structure(rows.output_types, rows.output_shapes, output_classes=rows.output_classes)
    element, start = iterator.get_next(), iterator.make_initializer(rows)
    with pytest.raises(TypeError, match="classes"):
        iterator.make_initializer(Dataset.from_tensor_slices(np.float32(ROWS)))
    again = tf.data.Iterator.from_string_handle(rows.make_one_shot_iterator().string_handle(), tf.float32, [3], tf.SparseTensor).get_next()
    with tf.Session() as session:
        session.run(start)
        assert [dense(session.run(element)) for _ in range(3)] == ROWS
        assert dense(session.run(again)) == ROWS[0]
