"""Tests lookup tables."""
import pytest
import weir as tf


def test_static_table(graph):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1)
    found = table.lookup(tf.constant(["b", "z"]))
    assert table.key_dtype == tf.string and table.value_dtype == tf.int64 and table.name == "hash_table"
    assert graph.get_collection(tf.GraphKeys.TABLE_INITIALIZERS) == [table.initializer]
    init = tf.tables_initializer()
    with tf.Session() as s:
        with pytest.raises(tf.errors.FailedPreconditionError):
            s.run(found)
        s.run(init)
        s.run(init)
        assert s.run(found).tolist() == [2, -1] and s.run(table.size()) == 2
        sparse = s.run(table.lookup(tf.SparseTensor([[3]], ["a"], [5])))
        assert sparse.values.tolist() == [1] and sparse.indices.tolist() == [[3]]
    with pytest.raises(TypeError):
        table.lookup(tf.constant([1.0]))


def test_numbers_and_names():
    table = tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer([1, 2], ["x", "y"], tf.int64, tf.string), "?", name="t")
    with tf.Session() as s:
        s.run(table.init)
        assert s.run(table.lookup(tf.constant([2, 7], tf.int64))).tolist() == [b"y", b"?"]


def test_mutable_tables():
    for table in (tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1),
                  tf.contrib.lookup.MutableDenseHashTable(tf.string, tf.int64, -1, empty_key="", deleted_key="$")):
        with tf.Session() as s:
            s.run(table.insert(["a", "b"], [1, 2]))
            s.run(table.insert(["b"], [3]))
            assert s.run(table.lookup(["a", "b", "c"])).tolist() == [1, 3, -1]
            s.run(table.remove(["a"]))
            assert s.run(table.size()) == 1
            keys, values = s.run(table.export())
            assert dict(zip(keys.tolist(), values.tolist()))[b"b"] == 3


def test_mutable_table_of_vectors():
    table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    with tf.Session() as s:
        s.run(table.insert(tf.constant([5], tf.int64), [[1.0, 2.0]]))
        assert s.run(table.lookup(tf.constant([5, 6], tf.int64))).tolist() == [[1, 2], [0, 0]]


def test_files(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("red\ngreen\nblue\n")
    ids = tf.contrib.lookup.index_table_from_file(str(path))
    words = tf.contrib.lookup.index_to_string_table_from_file(str(path), default_value="none")
    with tf.Session() as s:
        s.run(tf.tables_initializer())
        assert s.run(ids.lookup(tf.constant(["blue", "pink"]))).tolist() == [2, -1]
        assert s.run(words.lookup(tf.constant([0, 9], tf.int64))).tolist() == [b"red", b"none"]
    with pytest.raises(ValueError):
        tf.lookup.TextFileInitializer(str(path), tf.string, -3, tf.int64, -1)
    with pytest.raises(ValueError):
        tf.lookup.TextFileInitializer(str(path), tf.string, -1, tf.int64, -1)


def test_lists():
    words = tf.contrib.lookup.index_to_string_table_from_tensor(["x", "y"])
    ids = tf.contrib.lookup.index_table_from_tensor(["x", "y"])
    with tf.Session() as s:
        s.run(tf.tables_initializer())
        assert s.run(words.lookup(tf.constant([1, 5], tf.int64))).tolist() == [b"y", b"UNK"]
        assert s.run(ids.lookup(tf.constant(["y", "q"]))).tolist() == [1, -1]


@pytest.mark.parametrize("shape", [None, [None]])
def test_vocabularies_of_unknown_size(graph, shape):
    vocabulary = tf.placeholder_with_default(["x", "y"], shape)
    words = tf.contrib.lookup.index_to_string_table_from_tensor(vocabulary)
    ids = tf.contrib.lookup.index_table_from_tensor(vocabulary)
    with tf.Session() as s:
        s.run(tf.tables_initializer())
        assert s.run(words.lookup(tf.constant([1, 5], tf.int64))).tolist() == [b"y", b"UNK"]
        assert s.run(ids.lookup(tf.constant(["y", "q"]))).tolist() == [1, -1]


def test_tables_in_the_functions_of_datasets(graph):
    words = tf.contrib.lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=1)
    lines = tf.data.Dataset.from_tensor_slices(["b a", "b z b"])
    numbers = lines.map(lambda line: (words.lookup(tf.string_split([line]).values), words.size()), num_parallel_calls=2)
    iterator = numbers.padded_batch(2, ([None], [])).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as s:
        s.run(iterator.initializer)
        with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
            s.run(element)
        s.run(tf.tables_initializer())
        s.run(iterator.initializer)
        ids, sizes = s.run(element)
        assert ids.tolist() == [[1, 0, 0], [1, 2, 1]] and sizes.tolist() == [3, 3]


def test_static_shapes():
    with tf.Graph().as_default():
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
        assert table.lookup(tf.placeholder(tf.string, [None, 3])).shape.as_list() == [None, 3]
        assert table.lookup(tf.placeholder(tf.string)).shape.ndims is None
        vectors = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, [1, 2])
        assert vectors.lookup(tf.constant(["a"])).shape.as_list() == [1, 2]
        pairs = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, default_value=-1, empty_key=[0, 0], deleted_key=[-1, -1])
        assert pairs.lookup(tf.placeholder(tf.int64, [None, 2])).shape.as_list() == [None]
        with pytest.raises(ValueError, match="Expected keys to have suffix"):
            pairs.lookup(tf.constant(1, tf.int64))
