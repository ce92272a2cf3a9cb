"""Tests tf.feature_column: layers and their variables, checkpoints, copies of columns, and what reaches the user's functions.
tests/interop compares values and errors with TensorFlow."""
import copy
import subprocess
import sys

import numpy as np
import pytest
import weir as tf

fc = tf.feature_column


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches, feed)


def names(variables):
    return [v.name for v in variables]


def people():
    return {"age": [[25.0], [61.0]], "job": [["clerk"], ["smith"]],
            "words": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["red", "green", "red"], [2, 2])}


def words(size=10):
    return fc.categorical_column_with_hash_bucket("words", size)


def test_input_layer_orders_columns_by_name():
    columns = [fc.numeric_column("age"), fc.indicator_column(fc.categorical_column_with_vocabulary_list("job", ["smith", "clerk"])),
               fc.bucketized_column(fc.numeric_column("age"), [18, 50])]
    outputs = {}
    value = fc.input_layer(people(), columns, cols_to_output_tensors=outputs)
    assert [c.name for c in outputs] == ["age", "age_bucketized", "job_indicator"]
    assert value.shape.as_list() == [2, 6]
    np.testing.assert_array_equal(run(value), [[25, 0, 1, 0, 0, 1], [61, 0, 0, 1, 1, 0]])


def test_features_become_constants_only_when_a_column_reads_them(graph):
    fc.input_layer({"age": [[1.0]], "unused": [["x"]]}, [fc.numeric_column("age")])
    assert not any("unused" in op.name or op.outputs and op.outputs[0].dtype == tf.string for op in graph.get_operations())


def test_names_of_variables_and_collections():
    to_vars = {}
    embedding = fc.embedding_column(words(), 3)
    with tf.variable_scope("model"):
        fc.input_layer(people(), [embedding], weight_collections=["mine"], cols_to_vars=to_vars)
        fc.linear_model(people(), [words(), fc.numeric_column("age")], units=2, cols_to_vars=to_vars)
    expected = ["model/input_layer/words_embedding/embedding_weights:0", "model/linear_model/age/weights:0",
                "model/linear_model/words/weights:0", "model/linear_model/bias_weights:0"]
    assert names(tf.global_variables()) == names(tf.trainable_variables()) == names(tf.get_collection("model_variables")) == expected
    assert names(tf.get_collection("mine")) == expected[:1]
    assert names(to_vars[embedding]) == expected[:1] and names(to_vars["bias"]) == expected[3:]
    assert [v.shape.as_list() for v in tf.global_variables()] == [[10, 3], [1, 2], [10, 2], [2]]


def test_columns_are_tuples():
    column = fc.numeric_column("age", shape=[2], default_value=1.5)
    assert column == fc.numeric_column("age", shape=2, default_value=[1.5, 1.5]) and hash(column) == hash(copy.copy(column))
    assert column._replace(key="size").name == "size" and column.key == "age"
    assert column.parse_example_spec == {"age": tf.FixedLenFeature((2,), tf.float32, (1.5, 1.5))}
    assert fc.embedding_column(words(), 3).categorical_column.num_buckets == 10
    assert fc.indicator_column(words(7)).variable_shape.as_list() == [1, 7]


def test_copied_columns_work():
    columns = copy.deepcopy([fc.embedding_column(words(), 3, initializer=tf.ones_initializer()), fc.numeric_column("age")])
    np.testing.assert_array_equal(run(fc.input_layer(people(), columns)), [[25, 1, 1, 1], [61, 1, 1, 1]])


def test_normalizer_is_called_once_per_layer():
    calls = []

    def halve(x):
        calls.append(x)
        return x / 2.0

    age = fc.numeric_column("age", normalizer_fn=halve)
    columns = [age, fc.bucketized_column(age, [20.0]), fc.indicator_column(fc.crossed_column([fc.bucketized_column(age, [20.0]), "job"], 5))]
    value = run(fc.input_layer(people(), columns))
    np.testing.assert_array_equal(value[:, :3], [[12.5, 1, 0], [30.5, 0, 1]])
    assert len(calls) == 1


def test_errors_of_normalizers_reach_the_caller():
    def fail(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fc.input_layer(people(), [fc.numeric_column("age", normalizer_fn=fail)])


def test_normalizer_of_a_sequence_gets_a_sparse_tensor():
    column = fc.sequence_numeric_column("x", normalizer_fn=lambda x: tf.SparseTensor(x.indices, x.values + 1.0, x.dense_shape))
    raw = {"x": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])}
    value, lengths = tf.contrib.feature_column.sequence_input_layer(raw, [column])
    np.testing.assert_array_equal(run(value), [[[2], [3]], [[4], [0]]])
    np.testing.assert_array_equal(run(lengths), [2, 1])


def test_embeddings_from_a_checkpoint(tmp_path):
    with tf.Graph().as_default():
        table = tf.get_variable("table", initializer=tf.constant(np.arange(20, dtype=np.float32).reshape(10, 2)))
        with tf.Session() as session:
            session.run(table.initializer)
            path = tf.train.Saver().save(session, str(tmp_path / "model"))
    column = fc.embedding_column(fc.categorical_column_with_identity("id", 10), 2, ckpt_to_load_from=path, tensor_name_in_ckpt="table")
    for partitioner in (None, tf.fixed_size_partitioner(3)):
        with tf.Graph().as_default(), tf.variable_scope("x", partitioner=partitioner):
            np.testing.assert_array_equal(run(fc.input_layer({"id": [[3], [9]]}, [column])), [[6, 7], [18, 19]])


def test_vocabulary_files(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("red\ngreen\nblue")
    column = fc.categorical_column_with_vocabulary_file("words", str(path), num_oov_buckets=1)
    assert (column.vocabulary_size, column.num_buckets) == (3, 4)
    np.testing.assert_array_equal(run(fc.input_layer(people(), [fc.indicator_column(column)])), [[1, 0, 0, 0], [1, 1, 0, 0]])
    first = fc.categorical_column_with_vocabulary_file("words", str(path), vocabulary_size=1, default_value=0)
    np.testing.assert_array_equal(run(fc.input_layer(people(), [fc.indicator_column(first)])), [[1], [2]])
    assert str(path) in [run(p).decode() for p in tf.get_collection("asset_filepaths")]


def test_resource_variables():
    with tf.variable_scope("r", use_resource=True):
        fc.linear_model(people(), [words(), fc.numeric_column("age")])
        fc.input_layer(people(), [fc.embedding_column(words(), 2)])
    assert {v.op.type for v in tf.global_variables()} == {"VarHandleOp"}
    assert np.isfinite(run(tf.gradients(fc.linear_model(people(), [fc.numeric_column("age")]), tf.trainable_variables()[-2:])[0])).all()


def test_wide_and_deep_training():
    random = np.random.RandomState(3)
    age, job = random.uniform(10, 70, (64, 1)).astype(np.float32), random.choice(["clerk", "smith", "baker"], (64, 1))
    labels = ((age > 40) == (job == "smith")).astype(np.float32)
    raw = {"age": age, "job": job.astype(object)}
    bucket = fc.bucketized_column(fc.numeric_column("age"), [20, 30, 40, 50])
    jobs = fc.categorical_column_with_vocabulary_list("job", ["clerk", "smith", "baker"])
    wide = fc.linear_model(raw, [bucket, jobs, fc.crossed_column([bucket, "job"], 100)])
    deep = tf.layers.dense(fc.input_layer(raw, [fc.embedding_column(jobs, 4), fc.indicator_column(bucket)]), 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=wide + deep))
    train = tf.train.AdagradOptimizer(0.5).minimize(loss)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        before = session.run(loss)
        for _ in range(60):
            session.run(train)
        assert session.run(loss) < before / 4


def test_import_stays_light():
    code = "import sys, weir; weir.feature_column; print('weir.lib.feature_column' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"
