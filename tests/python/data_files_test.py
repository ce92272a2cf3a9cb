"""Tests datasets of CSV files, of Examples in files and of databases."""
import gzip
import sqlite3

import numpy as np
import pytest

import weir as tf

experimental = tf.data.experimental


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.csv").write_text('a,b,c,d\n1,2.5,"x, y",\n3,,"q ""r""",7\n4,1e3,zz,9999999999\n')
    (tmp_path / "b.csv").write_text("a,b,c,d\n5,1,u,1\n")
    return [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]


def elements(dataset, limit=20):
    value = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as sess:
        try:
            while len(found) < limit:
                found.append(sess.run(value))
        except tf.errors.OutOfRangeError:
            pass
    return found


def test_csv_rows(files):
    defaults = [tf.int32, [0.5], tf.string, tf.constant([7], tf.int64)]
    rows = elements(experimental.CsvDataset(files, defaults, header=True))
    assert rows == [(1, 2.5, b"x, y", 7), (3, 0.5, b'q "r"', 7), (4, 1000, b"zz", 9999999999), (5, 1, b"u", 1)]
    some = experimental.CsvDataset(files[0], [tf.string, tf.constant([7], tf.int64)], header=True, select_cols=[2, 3])
    assert elements(some)[0] == (b"x, y", 7)
    with pytest.raises(tf.errors.InvalidArgumentError):
        elements(experimental.CsvDataset(files[0], [tf.int32, tf.float32, tf.string, tf.int64], header=True))
    with pytest.raises(tf.errors.InvalidArgumentError):
        elements(experimental.CsvDataset(files[0], [tf.int32], header=True))
    with pytest.raises(tf.errors.NotFoundError):
        elements(experimental.CsvDataset("none", [tf.int32]))
    with pytest.raises(ValueError, match="select_cols must increase"):
        experimental.CsvDataset(files, [tf.int32, tf.int32], select_cols=[1, 0])


def test_csv_batches_infer_types(files, tmp_path):
    dataset = experimental.make_csv_dataset(files[0], 2, label_name="a", num_epochs=1, shuffle=False)
    assert {k: t.name for k, t in dataset.output_types[0].items()} == {"b": "float32", "c": "string", "d": "int64"}
    (features, labels), (rest, last) = elements(dataset)
    assert features["b"].tolist() == [2.5, 0] and features["d"].tolist() == [0, 7] and labels.tolist() == [1, 3] and last.tolist() == [4]
    some = experimental.make_csv_dataset(str(tmp_path / "*.csv"), 2, num_epochs=1, shuffle=False, select_columns=["a", "d"],
                                         column_defaults=[tf.int32, tf.constant([0], tf.int64)])
    assert [batch["a"].tolist() for batch in elements(some)] == [[1, 3], [4, 5]] and list(some.output_types) == ["a", "d"]
    with gzip.open(tmp_path / "c.gz", "wt") as file:
        file.write("x\n1\n2\n")
    packed = experimental.make_csv_dataset(str(tmp_path / "c.gz"), 2, compression_type="GZIP", shuffle=False)
    assert [batch["x"].tolist() for batch in elements(packed, 2)] == [[1, 2], [1, 2]] and packed.output_shapes["x"].as_list() == [2]
    shuffled = experimental.make_csv_dataset(files, 4, num_epochs=1, shuffle_seed=1, num_parallel_reads=2)
    assert sorted(elements(shuffled)[0]["a"]) == [1, 3, 4, 5]


@pytest.mark.parametrize("arguments, message", [({"label_name": "z"}, "`label_name` provided must be one of the columns"),
                                                ({"select_columns": ["z"]}, "must be of one of the columns"),
                                                ({"select_columns": ["a", "a"]}, "duplicate columns"),
                                                ({"header": False}, "Expected `column_names` or `header`")])
def test_wrong_csv_arguments(files, arguments, message):
    with pytest.raises(ValueError, match=message):
        experimental.make_csv_dataset(files, 2, **arguments)


def test_missing_files():
    with pytest.raises(ValueError, match="No files match"):
        experimental.make_csv_dataset("/none/*.csv", 2)


def test_batches_of_examples(tmp_path):
    path = str(tmp_path / "e.tfrecords")
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(5):
            feature = {"x": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
                       "y": tf.train.Feature(float_list=tf.train.FloatList(value=[i / 2]))}
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    features = {"x": tf.FixedLenFeature([], tf.int64), "y": tf.FixedLenFeature([1], tf.float32)}
    dataset = experimental.make_batched_features_dataset(path, 2, features, label_key="y", num_epochs=1, shuffle=False)
    batches = elements(dataset)
    assert [b[0]["x"].tolist() for b in batches] == [[0, 1], [2, 3], [4]] and batches[1][1].tolist() == [[1.0], [1.5]]
    assert len(elements(experimental.make_batched_features_dataset(path, 2, features, num_epochs=2, drop_final_batch=True))) == 5
    with pytest.raises(ValueError, match="label_key"):
        experimental.make_batched_features_dataset(path, 2, features, label_key="z")


def test_queries(tmp_path):
    path = str(tmp_path / "data.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a integer, b text, c real, d integer)")
        connection.executemany("insert into t values (?, ?, ?, ?)", [(1, "x", 0.5, 1), (2, None, None, 0)])
    connection.close()
    dataset = experimental.SqlDataset("sqlite", path, "select a, b, c, d from t order by a", (tf.int32, tf.string, tf.float64, tf.bool))
    assert elements(dataset) == [(1, b"x", 0.5, True), (2, b"", 0.0, False)]
    with pytest.raises(ValueError, match="not supported"):
        experimental.SqlDataset("mysql", path, "select 1", (tf.int32,))


def test_sparse_batches():
    rows = tf.data.Dataset.from_tensor_slices([[1, 2, 0], [3, 0, 0]]).map(lambda r: tf.boolean_mask(r, r > 0))
    sparse = elements(rows.apply(experimental.dense_to_sparse_batch(2, [4])))[0]
    assert (sparse.indices.tolist(), sparse.values.tolist(), sparse.dense_shape.tolist()) == ([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 4])


@pytest.mark.parametrize("initial", [None, [0.5, 0.3, 0.2]])
def test_rejection_makes_the_target_distribution(initial):
    tf.set_random_seed(3)
    classes = np.random.RandomState(0).choice(3, 4000, p=[0.5, 0.3, 0.2])
    dataset = tf.data.Dataset.from_tensor_slices(classes).apply(experimental.rejection_resample(lambda c: c, [0.2, 0.3, 0.5], initial))
    pairs = elements(dataset.batch(5000))[0]
    np.testing.assert_array_equal(pairs[0], pairs[1])
    np.testing.assert_allclose(np.bincount(pairs[0]) / len(pairs[0]), [0.2, 0.3, 0.5], atol=0.05)


def test_structures():
    dataset = tf.data.Dataset.from_tensors({"a": tf.zeros([2]), "b": (tf.constant(1), tf.SparseTensor([[0]], [1.0], [3]))})
    spec = experimental.get_structure(dataset)
    assert spec["a"] == tf.TensorSpec([2], tf.float32) == experimental.TensorStructure(tf.float32, [2])
    assert isinstance(spec["b"][1], tf.SparseTensorSpec)
    again = experimental.from_variant(experimental.to_variant(dataset), spec)
    assert elements(again)[0]["b"][0] == 1 and again.output_types == dataset.output_types
    assert tf.data.DatasetSpec(spec).is_compatible_with(dataset)
    assert elements(dataset.apply(experimental.copy_to_device("/cpu:0")))[0]["a"].tolist() == [0, 0]
