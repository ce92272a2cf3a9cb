"""Tests queue input pipelines from files to batches: readers, input producers, batching, Example parsing."""
import collections
import gzip

import numpy as np
import pytest

import weir as tf


def _bytes(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def _ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def _floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def _example(**features):
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def _write(path, records, options=None):
    with tf.python_io.TFRecordWriter(str(path), options=options) as writer:
        for record in records:
            writer.write(record)
    return str(path)


def _digits(folder, files=2, each=10):
    """Writes files of 28x28 images; the label of an image is the value of all its pixels."""
    return [_write(folder / f"digits{f}", [
        _example(image=_bytes(bytes([n % 256] * 784)), label=_ints(n)) for n in range(f * each, (f + 1) * each)])
        for f in range(files)]


def _nodes():
    return [(op.name, op.type) for op in tf.get_default_graph().get_operations()]


def _drain(fetch, num=1000):
    """Returns all values until the queue ends. Initializes local variables and stops the coordinator cleanly."""
    got = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop() and len(got) < num:
                got.append(sess.run(fetch))
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=20)
    return got


def test_from_files_to_shuffled_batches(tmp_path):
    queue = tf.train.string_input_producer(_digits(tmp_path), num_epochs=2)
    reader = tf.TFRecordReader()
    _, serialized = reader.read(queue)
    features = tf.parse_single_example(serialized, features={
        "image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)})
    image = tf.cast(tf.reshape(tf.decode_raw(features["image"], tf.uint8), [28, 28]), tf.float32)
    images, labels = tf.train.shuffle_batch([image, features["label"]], batch_size=8, capacity=30, min_after_dequeue=10, num_threads=3,
                                            allow_smaller_final_batch=True)
    assert images.shape.as_list() == [None, 28, 28] and labels.dtype == tf.int64
    batches = _drain([images, labels])
    assert [len(labels) for _, labels in batches[:-1]] == [8] * (len(batches) - 1)
    seen = collections.Counter()
    for pictures, numbers in batches:
        np.testing.assert_array_equal(pictures, np.broadcast_to(numbers[:, None, None], pictures.shape))
        seen.update(numbers.tolist())
    assert seen == {n: 2 for n in range(20)}


def test_batches_in_order_and_a_coordinator_that_stops_early(tmp_path):
    queue = tf.train.string_input_producer(_digits(tmp_path), shuffle=False)
    keys, records = tf.TFRecordReader().read_up_to(queue, 4)
    parsed = tf.parse_example(records, {"label": tf.FixedLenFeature([], tf.int64)})
    labels, names = tf.train.batch([parsed["label"], keys], 5, enqueue_many=True)
    assert labels.shape.as_list() == [5]
    got = _drain([labels, names], num=6)
    assert np.concatenate([numbers for numbers, _ in got]).tolist() == [n % 20 for n in range(30)]
    assert got[0][1][0].endswith(b"digits0:0")


def test_the_nodes_of_a_string_input_producer():
    queue = tf.train.string_input_producer(["a", "b"], num_epochs=2, seed=3)
    assert isinstance(queue, tf.FIFOQueue) and queue.name == "input_producer"
    at = "input_producer/"
    assert _nodes() == [
        (at + "Const", "Const"), (at + "Size", "Const"), (at + "Greater/y", "Const"), (at + "Greater", "Greater"),
        (at + "Assert/Const", "Const"), (at + "Assert/Assert/data_0", "Const"), (at + "Assert/Assert", "Assert"),
        (at + "Identity", "Identity"), (at + "RandomShuffle", "RandomShuffle"), (at + "limit_epochs/Const", "Const"),
        (at + "limit_epochs/epochs", "VariableV2"), (at + "limit_epochs/epochs/Assign", "Assign"),
        (at + "limit_epochs/epochs/read", "Identity"), (at + "limit_epochs/CountUpTo", "CountUpTo"), (at + "limit_epochs", "Identity"),
        ("input_producer", "FIFOQueueV2"), (at + "input_producer_EnqueueMany", "QueueEnqueueManyV2"),
        (at + "input_producer_Close", "QueueCloseV2"), (at + "input_producer_Close_1", "QueueCloseV2"),
        (at + "input_producer_Size", "QueueSizeV2"), (at + "Cast", "Cast"), (at + "mul/y", "Const"), (at + "mul", "Mul"),
        (at + "fraction_of_32_full/tags", "Const"), (at + "fraction_of_32_full", "ScalarSummary")]
    assert [v.name for v in tf.local_variables()] == ["input_producer/limit_epochs/epochs:0"]
    assert [t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)] == ["input_producer/fraction_of_32_full:0"]
    runner, = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    assert isinstance(runner, tf.train.QueueRunner)
    message = runner.to_proto()
    assert message.queue_name == "input_producer" and message.enqueue_op_name == ["input_producer/input_producer_EnqueueMany"]
    assert message.close_op_name == "input_producer/input_producer_Close"
    assert message.cancel_op_name == "input_producer/input_producer_Close_1"


def test_other_producers():
    numbers = tf.train.range_input_producer(5, shuffle=False, num_epochs=1, name="numbers").dequeue()
    rows = tf.train.input_producer([[1., 2.], [3., 4.]], shuffle=False, num_epochs=1)
    assert rows.name == "input_producer/FIFOQueueV2"
    one, other = tf.train.slice_input_producer([[[1, 2], [3, 4], [5, 6]], ["a", "b", "c"]], num_epochs=2, seed=1)
    assert one.shape.as_list() == [2] and other.shape.as_list() == []
    limited = tf.train.limit_epochs(tf.constant([1.0]), 2)
    assert limited.name == "limit_epochs:0"
    assert _drain(numbers) == list(range(5))
    assert [list(row) for row in _drain(rows.dequeue())] == [[1, 2], [3, 4]]
    slices = _drain([one, other])
    assert sorted((list(a), b) for a, b in slices) == sorted(2 * [([1, 2], b"a"), ([3, 4], b"b"), ([5, 6], b"c")])
    assert len(_drain(limited)) == 2
    with pytest.raises(ValueError, match="num_epochs must be > 0 not 0"):
        tf.train.limit_epochs([1.0], 0)
    with pytest.raises(ValueError, match="fully defined shape"):
        tf.train.input_producer(tf.placeholder(tf.float32))
    with pytest.raises(ValueError, match="non-null"):
        tf.train.string_input_producer([])


def test_wrong_arguments_of_producers():
    never = tf.no_op("never")
    queue = tf.train.string_input_producer(["a", "b"], seed=3, capacity=7, shared_name="both", cancel_op=never, name="files")
    node = queue.queue_ref.op
    assert node.get_attr("capacity") == 7 and node.get_attr("shared_name") == b"both"
    assert tf.get_default_graph().get_operation_by_name("files/RandomShuffle").get_attr("seed2") == 3
    runner, = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    assert runner.cancel_op is never and runner.close_op.name == "files/files_Close"
    assert tf.get_collection(tf.GraphKeys.SUMMARIES)[0].op.name == "files/fraction_of_7_full"


def test_a_seed_decides_the_order_of_epochs():
    orders = []
    for _ in range(2):
        with tf.Graph().as_default():
            orders.append(_drain(tf.train.range_input_producer(20, num_epochs=2, seed=5).dequeue()))
    assert orders[0] == orders[1] and sorted(orders[0][:20]) == sorted(orders[0][20:]) == list(range(20))
    assert orders[0][:20] != orders[0][20:] and orders[0][:20] != list(range(20))


def test_files_that_match_once(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"{name}1\n{name}2\n")
    files = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
    assert files.name == "matching_filenames:0" and [v.name for v in tf.local_variables()] == [files.name]
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    assert _drain(tf.TextLineReader(skip_header_lines=1).read(queue).value) == [b"a2", b"b2"]


def test_a_producer_of_no_files_fails_when_it_runs():
    queue = tf.train.string_input_producer(tf.placeholder_with_default(tf.constant([], tf.string), [None]), num_epochs=1)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(queue.dequeue())
        with pytest.raises(tf.errors.InvalidArgumentError, match="requires a non-null input tensor"):
            coord.join(threads, stop_grace_period_secs=20)


def test_the_nodes_of_batches():
    tf.train.batch([tf.zeros([2, 2]), tf.constant(3)], 4)
    tf.train.shuffle_batch([tf.constant(3)], 4, 100, 10, num_threads=3, seed=5, name="mixed")
    nodes = _nodes()
    assert nodes[2:17] == [
        ("batch/Const", "Const"), ("batch/fifo_queue", "FIFOQueueV2"), ("batch/fifo_queue_enqueue", "QueueEnqueueV2"),
        ("batch/fifo_queue_Close", "QueueCloseV2"), ("batch/fifo_queue_Close_1", "QueueCloseV2"),
        ("batch/fifo_queue_Size", "QueueSizeV2"), ("batch/Cast", "Cast"), ("batch/mul/y", "Const"), ("batch/mul", "Mul"),
        ("batch/fraction_of_32_full/tags", "Const"), ("batch/fraction_of_32_full", "ScalarSummary"), ("batch/n", "Const"),
        ("batch", "QueueDequeueManyV2"), ("Const_1", "Const"), ("mixed/Const", "Const")]
    assert nodes[17:] == [
        ("mixed/random_shuffle_queue", "RandomShuffleQueueV2"), ("mixed/random_shuffle_queue_enqueue", "QueueEnqueueV2"),
        ("mixed/random_shuffle_queue_Close", "QueueCloseV2"), ("mixed/random_shuffle_queue_Close_1", "QueueCloseV2"),
        ("mixed/random_shuffle_queue_Size", "QueueSizeV2"), ("mixed/sub/y", "Const"), ("mixed/sub", "Sub"), ("mixed/Maximum/x", "Const"),
        ("mixed/Maximum", "Maximum"), ("mixed/Cast", "Cast"), ("mixed/mul/y", "Const"), ("mixed/mul", "Mul"),
        ("mixed/fraction_over_10_of_90_full/tags", "Const"), ("mixed/fraction_over_10_of_90_full", "ScalarSummary"),
        ("mixed/n", "Const"), ("mixed", "QueueDequeueManyV2")]
    runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    assert [len(runner.enqueue_ops) for runner in runners] == [1, 3]


def test_batches_of_dictionaries_of_several_lists_and_of_different_sizes():
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    padded = tf.train.batch({"n": number, "row": tf.fill([number], number)}, 2, dynamic_pad=True)
    assert sorted(padded) == ["n", "row"] and padded["row"].shape.as_list() == [2, None]
    got = _drain(padded)
    assert [b["n"].tolist() for b in got] == [[0, 1], [2, 3], [4, 5]]
    assert got[1]["row"].tolist() == [[2, 2, 0], [3, 3, 3]]
    low = tf.train.range_input_producer(3, num_epochs=1).dequeue()
    high = tf.train.range_input_producer(3, num_epochs=1).dequeue() + 10
    joined = tf.train.shuffle_batch_join([[low], [high]], 4, capacity=10, min_after_dequeue=3, allow_smaller_final_batch=True)
    assert sorted(np.concatenate(_drain(joined))) == [0, 1, 2, 10, 11, 12]
    both = tf.train.batch_join([[low, "low"], [high, "high"]], 1)
    assert [t.shape.as_list() for t in both] == [[1], [1]]


def test_values_that_are_not_kept():
    number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    even = tf.train.maybe_batch([number], tf.equal(number % 2, 0), 2)
    assert [b.tolist() for b in _drain(even)] == [[0, 2], [4, 6]]
    rows = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue_many(4)
    high = tf.train.maybe_shuffle_batch([rows], 2, 10, 1, rows > 4, enqueue_many=True, allow_smaller_final_batch=True)
    assert sorted(np.concatenate(_drain(high))) == [5, 6, 7]
    never = tf.train.maybe_batch_join([[number]], False, 2)
    assert never.shape.as_list() == [2]
    with pytest.raises(ValueError, match="keep_input"):
        tf.train.maybe_batch([rows], rows > 4, 2)


@pytest.mark.parametrize("call, error, text", [
    (lambda: tf.train.batch([], 4), ValueError, "at least one tensor in batch"),
    (lambda: tf.train.batch([tf.placeholder(tf.float32)], 4), ValueError, r"Cannot infer Tensor's rank: Placeholder:0; call set_shape\(\) on it"),
    (lambda: tf.train.batch([tf.placeholder(tf.float32, [None])], 4), ValueError, r"fully defined: \[\[\?\]\]; set_shape.*dynamic_pad=True"),
    (lambda: tf.train.shuffle_batch([1], 4, 10, 10), ValueError, "capacity 10 must be bigger than min_after_dequeue 10"),
    (lambda: tf.train.batch_join([[1], [2.0]], 4), TypeError, "int32 and float"),
    (lambda: tf.train.batch_join([[1], [1, 2]], 4), ValueError, "the same number of values"),
])
def test_invalid_batches(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_wrong_arguments_of_batches():
    fed = tf.placeholder_with_default([1.0, 2.0], None)
    batch = tf.train.shuffle_batch([fed], 3, 20, 5, seed=7, shapes=[[2]], shared_name="rows", name="mixed")
    assert batch.shape.as_list() == [3, 2] and _drain(batch, num=1)[0].tolist() == [[1, 2]] * 3
    queue = tf.get_default_graph().get_operation_by_name("mixed/random_shuffle_queue")
    assert [queue.get_attr(name) for name in ("capacity", "min_after_dequeue", "seed2", "shared_name")] == [20, 5, 7, b"rows"]
    runner, = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    assert [op.get_attr("cancel_pending_enqueues") for op in (runner.close_op, runner.cancel_op)] == [False, True]
    with pytest.raises(ValueError, match="compatible|[Ss]hapes"):
        tf.train.batch_join([[tf.zeros([2])], [tf.zeros([3])]], 4)


def test_rows_of_sparse_values_that_are_not_kept():
    first = tf.train.range_input_producer(2, num_epochs=1, shuffle=False).dequeue()
    rows = tf.SparseTensor([[0, 0], [1, 1], [2, 0], [2, 1]], tf.cast(tf.stack([1, 2, 3, 4]) * (first + 1), tf.int64), [3, 2])
    numbers, kept = tf.train.maybe_batch([tf.constant([0, 1, 2]), rows], [True, False, True], 2, enqueue_many=True)
    got = _drain([numbers, kept])
    assert [n.tolist() for n, _ in got] == [[0, 2]] * 2
    assert [s.values.tolist() for _, s in got] == [[1, 3, 4], [2, 6, 8]]
    assert got[0][1].indices.tolist() == [[0, 0], [1, 0], [1, 1]]


def test_runners_survive_in_meta_graphs(tmp_path):
    labels = tf.train.batch([tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()], 2)
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as other:
        tf.train.import_meta_graph(meta)
        runners = other.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        assert [r.name for r in runners] == ["input_producer", "batch/fifo_queue"]
        assert [b.tolist() for b in _drain(other.get_tensor_by_name(labels.name))] == [[0, 1], [2, 3]]


def test_reading_ends_when_its_step_is_cancelled():
    import threading
    empty = tf.FIFOQueue(1, tf.string, shapes=[[]])
    reader = tf.TFRecordReader()
    read, counted = reader.read(empty), reader.num_records_produced()
    sess = tf.Session()
    errors = []

    def run():
        try:
            sess.run(read)
        except tf.errors.OpError as error:
            errors.append(type(error).__name__)

    threads = [threading.Thread(target=run) for _ in range(3)]  # one waits for the queue, the others for the reader
    for thread in threads:
        thread.start()
    assert sess.run(counted) == 0  # does not block
    sess.close()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)
    assert set(errors) <= {"CancelledError", "AbortedError", "RuntimeError"}


def test_parsing_examples():
    serialized = [_example(x=_floats(1, 2), y=_ints(3), i=_ints(4, 1), v=_floats(5, 6), s=_bytes(b"q")),
                  _example(y=_ints(7, 8), s=_bytes(), rows=_ints(1, 2, 3, 4))]
    parsed = tf.parse_example(serialized, {
        "x": tf.FixedLenFeature([2], tf.float32, default_value=[-1, -2]), "y": tf.VarLenFeature(tf.int64),
        "sparse": tf.SparseFeature("i", "v", tf.float32, 10), "rows": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)})
    assert parsed["x"].name == "ParseExample/ParseExample:10" and parsed["x"].shape.as_list() == [2, 2]
    assert parsed["rows"].shape.as_list() == [2, None, 2]
    with tf.Session() as sess:
        got = sess.run(parsed)
    assert sorted(got) == ["rows", "sparse", "x", "y"]
    assert got["x"].tolist() == [[1, 2], [-1, -2]]
    assert got["y"].values.tolist() == [3, 7, 8] and got["y"].dense_shape.tolist() == [2, 2]
    assert got["sparse"].indices.tolist() == [[0, 1], [0, 4]] and got["sparse"].values.tolist() == [6, 5]
    assert got["sparse"].dense_shape.tolist() == [2, 10]
    assert got["rows"].tolist() == [[[0, 0], [0, 0]], [[1, 2], [3, 4]]]
    one = tf.parse_single_example(serialized[0], {"x": tf.FixedLenFeature([2], tf.float32), "y": tf.VarLenFeature(tf.int64)}, name="one")
    assert one["x"].name == "one/one:3" and one["x"].shape.as_list() == [2]
    with tf.Session() as sess:
        assert sess.run(one["y"]).dense_shape.tolist() == [1]


@pytest.mark.parametrize("features, error, text", [
    ({}, ValueError, "Missing"),
    ({"x": tf.FixedLenFeature([None], tf.float32)}, ValueError, "must be known"),
    ({"x": tf.FixedLenSequenceFeature([], tf.float32)}, ValueError, "allow_missing"),
    ({"x": tf.VarLenFeature(tf.float64)}, TypeError, "float32, int64 or string"),
    ({"x": 3}, TypeError, "must be a FixedLenFeature"),
    ({"x": tf.VarLenFeature(tf.int64), "s": tf.SparseFeature("i", "x", tf.float32, 3)}, ValueError, "Conflicting type"),
    ({"i": tf.FixedLenFeature([], tf.int64), "s": tf.SparseFeature("i", "x", tf.float32, 3)}, ValueError, "must not intersect.*i"),
])
def test_invalid_features(features, error, text):
    with pytest.raises(error, match=text):
        tf.parse_example(["a"], features)


def test_errors_name_file_record_and_feature(tmp_path):
    good = _write(tmp_path / "good", [_example(label=_ints(n)) for n in range(3)])
    data = open(good, "rb").read()
    (tmp_path / "bad").write_bytes(data[:-1])
    queue = tf.train.string_input_producer([str(tmp_path / "bad")], num_epochs=1)
    key, record = tf.TFRecordReader().read(queue)
    label = tf.train.batch([tf.parse_single_example(record, {"label": tf.FixedLenFeature([], tf.int64)})["label"]], 1)
    wrong = tf.parse_example([_example(label=_ints(1)), _example(label=_ints(1, 2))], {"label": tf.FixedLenFeature([], tf.int64)},
                             example_names=["first", "second"])
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        assert [sess.run(label)[0] for _ in range(2)] == [0, 1]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(label)
        with pytest.raises(tf.errors.DataLossError, match="bad: truncated record 2 at offset"):
            coord.join(threads, stop_grace_period_secs=20)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Name: second, Key: label, Index: 1. The feature has 2 values"):
            sess.run(wrong)


@pytest.mark.parametrize("kind, opener", [("GZIP", gzip.open), ("ZLIB", None)])
def test_compressed_records(tmp_path, kind, opener):
    options = tf.python_io.TFRecordOptions(getattr(tf.python_io.TFRecordCompressionType, kind))
    path = _write(tmp_path / "r", [b"one", b"", b"three"], options)
    if opener:
        assert opener(path).read()[12:15] == b"one"
    queue = tf.train.string_input_producer([path], num_epochs=1)
    assert _drain(tf.TFRecordReader(options=options).read(queue).value) == [b"one", b"", b"three"]
    assert list(tf.python_io.tf_record_iterator(path, options)) == [b"one", b"", b"three"]


def test_other_readers(tmp_path):
    (tmp_path / "t").write_bytes(b"a\nb\n")
    queue = lambda: tf.train.string_input_producer([str(tmp_path / "t")], num_epochs=1)  # noqa: E731
    assert _drain(tf.WholeFileReader().read(queue()).value) == [b"a\nb\n"]
    assert _drain(tf.FixedLengthRecordReader(2).read(queue()).value) == [b"a\n", b"b\n"]
    identity = tf.IdentityReader()
    read = identity.read(queue())
    assert identity.supports_serialize and read.key.name.startswith("ReaderReadV2")
    assert [key for key, _ in _drain(list(read))] == [str(tmp_path / "t").encode()]


def test_sparse_values_in_batches():
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    words = tf.SparseTensor(tf.cast(tf.fill([1, 1], number), tf.int64), tf.as_string([number]), [4])
    batch, numbers = tf.train.batch([words, number], 2)
    assert batch.indices.shape.as_list() == [None, 2] and batch.values.dtype == tf.string and numbers.name == "batch/control_dependency_3:0"
    got = _drain([batch, numbers])
    assert [(b.indices.tolist(), b.values.tolist(), b.dense_shape.tolist()) for b, _ in got] == [
        ([[0, 0], [1, 1]], [b"0", b"1"], [2, 4]), ([[0, 2], [1, 3]], [b"2", b"3"], [2, 4])]
    rows = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
    joined = tf.train.shuffle_batch_join([[rows], [rows]], 4, 20, 1, enqueue_many=True)
    value, = _drain(joined, num=1)
    assert value.dense_shape.tolist() == [4, 3] and set(value.values.tolist()) <= {1.0, 2.0}


def _sequence(steps, name):
    lists = {"d": tf.train.FeatureList(feature=[_ints(n, n + 1) for n in range(steps)]),
             "v": tf.train.FeatureList(feature=[_bytes(*[b"w"] * n) for n in range(steps)])}
    return tf.train.SequenceExample(context=tf.train.Features(feature={"name": _bytes(name)}),
                                    feature_lists=tf.train.FeatureLists(feature_list=lists)).SerializeToString()


def test_sequence_examples():
    context = {"name": tf.FixedLenFeature([], tf.string)}
    lists = {"d": tf.FixedLenSequenceFeature([2], tf.int64), "v": tf.VarLenFeature(tf.string),
             "none": tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True)}
    one_context, one = tf.parse_single_sequence_example(_sequence(3, b"three"), context, lists)
    assert one["d"].op.name == "ParseSingleSequenceExample/ParseSingleSequenceExample" and one["d"].shape.as_list() == [None, 2]
    many_context, many, lengths = tf.io.parse_sequence_example([_sequence(1, b"one"), _sequence(2, b"two")], context, lists)
    with tf.Session() as sess:
        name, got = sess.run([one_context["name"], one])
        assert name == b"three" and got["d"].tolist() == [[0, 1], [1, 2], [2, 3]] and got["none"].shape == (0,)
        assert got["v"].indices.tolist() == [[1, 0], [2, 0], [2, 1]] and got["v"].dense_shape.tolist() == [3, 2]
        names, got, counts = sess.run([many_context["name"], many, lengths])
        assert names.tolist() == [b"one", b"two"] and got["d"].tolist() == [[[0, 1], [0, 0]], [[0, 1], [1, 2]]]
        assert counts["d"].tolist() == [1, 2] and got["v"].dense_shape.tolist() == [2, 2, 1]
        absent = {"absent": tf.FixedLenSequenceFeature([], tf.float32)}
        for parsed in (tf.parse_single_sequence_example(_sequence(1, b"one"), sequence_features=absent)[1],
                       tf.io.parse_sequence_example([_sequence(1, b"one")], sequence_features=absent)[1]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Key: absent.*is required but could not be found"):
                sess.run(parsed)
    with pytest.raises(ValueError, match="Missing features"):
        tf.parse_single_sequence_example("")
    with pytest.raises(ValueError, match="must be a FixedLenSequenceFeature or a VarLenFeature"):
        tf.parse_single_sequence_example("", sequence_features=context)


def test_tensors_as_strings():
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4])
    strings = tf.serialize_many_sparse(sparse)
    assert tf.serialize_sparse(sparse).shape.as_list() == [3] and strings.shape.as_list() == [None, 3]
    again = tf.deserialize_many_sparse(strings, tf.float32, rank=2)
    assert again.indices.shape.as_list() == [None, 2]
    with tf.Session() as sess:
        assert sess.run(again).indices.tolist() == [[0, 1], [2, 0]]
        assert sess.run(tf.parse_tensor(tf.serialize_tensor([[1, 2]]), tf.int32)).tolist() == [[1, 2]]
        assert sess.run(tf.io.decode_compressed([gzip.compress(b"text")], "GZIP")).tolist() == [b"text"]
        assert sess.run(tf.decode_json_example('{"features": {"feature": {"y": {"int64List": {"value": ["3", 4]}}}}}')) == _example(y=_ints(3, 4))
