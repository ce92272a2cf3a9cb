"""Tests tf.data: datasets, transformations and iterators. The expected values are TensorFlow's."""
import collections
import gc
import gzip
import os
import threading

import numpy as np
import pytest

import weir as tf
from dataset_elements import plain, read

Dataset = tf.data.Dataset


# --- sources and structures
def test_values():
    assert read(Dataset.range(5)) == [0, 1, 2, 3, 4]
    assert read(Dataset.range(5, 0, -2)) == [5, 3, 1]
    assert read(Dataset.range(0)) == []
    assert read(Dataset.from_tensors([1, 2])) == [[1, 2]]
    assert read(Dataset.from_tensor_slices([[1., 2.], [3., 4.]])) == [[1., 2.], [3., 4.]]
    assert read(Dataset.from_tensor_slices(np.zeros([0, 3]))) == []


def test_structures_stay():
    assert read(Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))) == [(1, b"a"), (2, b"b"), (3, b"c")]
    assert read(Dataset.from_tensor_slices({"x": [1, 2], "y": [[1.], [2.]]})) == [{"x": 1, "y": [1.]}, {"x": 2, "y": [2.]}]
    Pair = collections.namedtuple("Pair", "left right")
    dataset = Dataset.from_tensors(Pair([1, 2], {"z": 3., "a": ("x", 1)}))
    assert read(dataset) == [Pair([1, 2], {"z": 3., "a": (b"x", 1)})]
    assert dataset.output_types == Pair(tf.int32, {"z": tf.float32, "a": (tf.string, tf.int32)})
    assert list(dataset.output_types.right) == ["z", "a"]
    swapped = dataset.map(lambda pair: {"l": pair.left, "r": pair.right["a"]})
    assert read(swapped) == [{"l": [1, 2], "r": (b"x", 1)}]
    # A list is a tensor, except in the result of a function.
    assert read(Dataset.range(2).map(lambda x: [x, x + 1])) == [(0, 1), (1, 2)]


def test_types_and_shapes():
    dataset = Dataset.range(3).map(lambda x: (x, {"b": tf.zeros([2, 3])}))
    assert dataset.output_types == (tf.int64, {"b": tf.float32})
    assert dataset.output_shapes == (tf.TensorShape([]), {"b": tf.TensorShape([2, 3])})
    assert dataset.output_classes == (tf.Tensor, {"b": tf.Tensor})
    assert dataset.batch(2).output_shapes[1]["b"].as_list() == [None, 2, 3]
    fixed = dataset.batch(2, drop_remainder=True)
    assert fixed.output_shapes[1]["b"].as_list() == [2, 2, 3]
    value = fixed.make_one_shot_iterator().get_next()
    assert value[0].shape.as_list() == [2] and value[1]["b"].shape.as_list() == [2, 2, 3]
    assert tf.data.get_output_types(dataset) == tf.compat.v1.data.get_output_types(dataset) == dataset.output_types


def test_wrong_sources_are_refused():
    with pytest.raises(ValueError, match="Dimensions 3 and 2 are not compatible"):
        Dataset.from_tensor_slices(([1, 2, 3], [1, 2]))
    with pytest.raises(ValueError, match="rank >= 1"):
        Dataset.from_tensor_slices(5)
    with pytest.raises(ValueError, match="range|Range"):
        Dataset.range()
    with pytest.raises(TypeError, match="nested structure of `Dataset` objects"):
        Dataset.zip(3)


# --- transformations
def test_map_batch_repeat():
    dataset = Dataset.range(6).map(lambda x: (x * 2, {"a": tf.cast(x, tf.float32)})).batch(4).repeat(2)
    batches = [([0, 2, 4, 6], {"a": [0., 1., 2., 3.]}), ([8, 10], {"a": [4., 5.]})]
    assert read(dataset) == read(dataset, initializable=True) == batches * 2
    assert read(Dataset.range(7).batch(3, drop_remainder=True)) == [[0, 1, 2], [3, 4, 5]]
    assert read(Dataset.range(2).repeat(0)) == []
    assert read(Dataset.range(0).repeat()) == []
    assert read(Dataset.range(2).repeat(), limit=5) == [0, 1, 0, 1, 0]


def test_selections():
    assert read(Dataset.range(10).shard(3, 1)) == [1, 4, 7]
    assert read(Dataset.range(10).filter(lambda x: tf.equal(x % 3, 0)).take(2)) == [0, 3]
    assert read(Dataset.range(5).skip(3)) == [3, 4]
    assert read(Dataset.range(3).take(-1)) == [0, 1, 2] and read(Dataset.range(3).skip(-1)) == []
    assert read(Dataset.zip((Dataset.range(3), {"b": Dataset.range(5, 9)}))) == [(0, {"b": 5}), (1, {"b": 6}), (2, {"b": 7})]
    assert read(Dataset.range(3).concatenate(Dataset.range(7, 9))) == [0, 1, 2, 7, 8]
    joined = Dataset.from_tensors(np.zeros([2, 3])).concatenate(Dataset.from_tensors(np.zeros([2, 4])))
    assert joined.output_shapes.as_list() == [2, None] and [len(rows[0]) for rows in read(joined)] == [3, 4]
    assert read(Dataset.from_tensor_slices(["a", "b"]).enumerate(start=5)) == [(5, b"a"), (6, b"b")]
    with pytest.raises(ValueError, match="predicate"):
        Dataset.range(3).filter(lambda x: x)
    with pytest.raises(TypeError, match="different types"):
        Dataset.range(3).concatenate(Dataset.from_tensors(1.))


def test_datasets_of_datasets():
    assert read(Dataset.range(4).flat_map(Dataset.range)) == [0, 0, 1, 0, 1, 2]
    each = lambda x: Dataset.from_tensors(x).repeat(3)
    expected = [0, 0, 1, 1, 2, 2, 0, 1, 2, 3, 3, 4, 4, 5, 5, 3, 4, 5, 6, 6, 7, 7, 8, 8, 6, 7, 8, 9, 9, 9]
    assert read(Dataset.range(10).interleave(each, cycle_length=3, block_length=2)) == expected
    assert read(Dataset.range(10).interleave(each, cycle_length=3, block_length=2, num_parallel_calls=2)) == expected
    assert sorted(read(Dataset.range(10).interleave(each, tf.data.experimental.AUTOTUNE, 2, num_parallel_calls=2))) == sorted(expected)
    windows = Dataset.range(10).window(3, shift=2).flat_map(lambda window: window.batch(3))
    assert read(windows) == [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8], [8, 9]]
    assert read(Dataset.range(6).window(3, shift=2, drop_remainder=True).flat_map(lambda window: window.batch(3))) == [[0, 1, 2], [2, 3, 4]]
    apart = Dataset.range(10).window(2, shift=4, drop_remainder=True).flat_map(lambda window: window.batch(2))
    assert read(apart) == [[0, 1], [4, 5], [8, 9]]
    # Nested functions capture values of all enclosing graphs.
    offset = tf.constant(10, tf.int64)
    nested = Dataset.range(3).flat_map(lambda x: Dataset.range(2).map(lambda y: x * 100 + y + offset))
    assert read(nested) == [10, 11, 110, 111, 210, 211]
    with pytest.raises(TypeError, match="must return a `Dataset`"):
        Dataset.range(3).flat_map(lambda x: x)


def test_unbatch_and_single_element_and_reduce():
    assert read(Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch()) == [1, 2, 3, 4]
    with tf.Session() as session:
        assert session.run(Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x)) == 10
        count, parts = Dataset.range(3).reduce((0, tf.zeros([0], tf.int64)), lambda state, x: (state[0] + 1, tf.concat([state[1], [x]], 0)))
        assert parts.shape.as_list() == [None]
        assert session.run(count) == 3 and session.run(parts).tolist() == [0, 1, 2]
        assert session.run(tf.data.experimental.get_single_element(Dataset.range(3).batch(3))).tolist() == [0, 1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="more than one element"):
            session.run(tf.data.experimental.get_single_element(Dataset.range(2)))


def test_shuffles_as_tensorflow():
    assert read(Dataset.range(10).shuffle(10, seed=42).repeat(2)) == [5, 9, 6, 4, 7, 1, 2, 8, 3, 0, 3, 7, 6, 5, 8, 4, 0, 1, 9, 2]
    again = [2, 0, 7, 8, 9, 3, 6, 4, 1, 5]
    assert read(Dataset.range(10).shuffle(10, seed=42, reshuffle_each_iteration=False).repeat(2)) == again * 2
    assert read(Dataset.range(10).shuffle(3, seed=5).repeat(2)) == [1, 3, 4, 5, 2, 7, 8, 0, 9, 6, 2, 1, 0, 4, 5, 7, 3, 9, 8, 6]
    assert read(Dataset.range(5).repeat(3).shuffle(4, seed=5)) == [1, 4, 0, 1, 2, 2, 0, 3, 4, 2, 3, 0, 1, 3, 4]
    assert read(Dataset.range(5).apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=5))) == [1, 3, 4, 2, 0, 2, 1, 0, 4, 3]
    assert sorted(read(Dataset.range(50).shuffle(1000000))) == list(range(50))
    assert read(Dataset.range(0).apply(tf.data.experimental.shuffle_and_repeat(3))) == []


# --- threads
def test_parallel_map_keeps_the_order():
    squares = [x * x for x in range(200)]
    assert read(Dataset.range(200).map(lambda x: x * x, num_parallel_calls=4)) == squares
    assert read(Dataset.range(200).map(lambda x: x * x, num_parallel_calls=tf.data.experimental.AUTOTUNE).prefetch(3)) == squares
    batched = Dataset.range(5).apply(tf.data.experimental.map_and_batch(lambda x: (x, x + 1), 2, num_parallel_calls=3))
    assert read(batched) == [([0, 1], [1, 2]), ([2, 3], [3, 4]), ([4], [5])]
    whole = Dataset.range(5).apply(tf.data.experimental.map_and_batch(lambda x: x + 1, 2, drop_remainder=True))
    assert whole.output_shapes.as_list() == [2] and read(whole) == [[1, 2], [3, 4]]


def test_elements_that_fail_can_be_left_out():
    for ignore_errors in (tf.data.experimental.ignore_errors, tf.contrib.data.ignore_errors):
        for dataset in (Dataset.range(3).map(lambda x: 6 // x), Dataset.range(3).map(lambda x: 6 // x, num_parallel_calls=2)):
            assert read(dataset.apply(ignore_errors())) == [6, 3]
    pictures = Dataset.from_tensor_slices([b"no picture", b"P6"]).map(tf.image.decode_png).apply(tf.data.experimental.ignore_errors())
    assert read(pictures) == [] and pictures.output_types == tf.uint8


def test_an_error_is_returned_at_its_element():
    for calls in (None, 2):
        dataset = Dataset.range(3).map(lambda x: 10 // (x - 1), num_parallel_calls=calls)
        element = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            assert session.run(element) == -10
            with pytest.raises(tf.errors.InvalidArgumentError, match="MapDataset.*element 1.*[Dd]ivision by zero"):
                session.run(element)
            assert session.run(element) == 10
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(element)


@pytest.mark.parametrize("further", [lambda d: d.prefetch(2), lambda d: d.map(lambda x: x, num_parallel_calls=2),
                                     lambda d: d.interleave(Dataset.from_tensors, 1, num_parallel_calls=1)])
def test_elements_after_an_error_are_not_lost(further):
    element = further(Dataset.range(4).map(lambda x: 10 // (x - 1))).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(element) == -10
        with pytest.raises(tf.errors.InvalidArgumentError, match="element 1.*[Dd]ivision by zero"):
            session.run(element)
        assert [session.run(element) for _ in range(2)] == [10, 5]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_the_other_input_continues_after_an_error():
    bad = Dataset.range(3).map(lambda x: 10 // (x - 1))
    for order in ((0, 1), (1, 0)):
        element = Dataset.zip(tuple((bad, Dataset.range(3))[i] for i in order)).make_one_shot_iterator().get_next()
        with tf.Session() as session:
            session.run(element)
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(element)
            assert sorted(session.run(element)) == [2, 10]


def test_the_error_of_a_batch_has_its_number():
    iterator = Dataset.from_tensor_slices([1, 1, 1, 2, 3, 3]).map(lambda n: tf.fill([n], n)).batch(2).make_one_shot_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        assert plain(session.run(element)) == [[1], [1]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Batch[^,]*, element 1.*different shapes in component 0"):
            session.run(element)
        assert plain(session.run(element)) == [[3] * 3] * 2


@pytest.mark.parametrize("build, error", [
    (lambda d: d.filter(lambda x: 10 // (x - 2) > -100), "FilterDataset.*element 2.*ivision by zero"),
    (lambda d: d.flat_map(lambda x: Dataset.from_tensors(10 // (x - 2))), "FlatMapDataset.*element 2.*ivision by zero"),
    (lambda d: d.map(lambda x: tf.fill([tf.where(x > 2, x, 1)], x)).apply(tf.data.experimental.map_and_batch(lambda x: x, 2)),
     "MapAndBatchDataset.*element 1.*different shapes"),
])
def test_errors_say_which_element(build, error):
    with pytest.raises(tf.errors.InvalidArgumentError, match=error):
        read(build(Dataset.range(4)))


def test_errors_of_reductions_and_generators_say_which_element():
    def numbers():
        yield from range(2)
        raise ValueError("nothing more")

    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="ReduceDataset.*element 2.*ivision by zero"):
        session.run(Dataset.range(4).reduce(np.int64(0), lambda total, x: total + 10 // (x - 2)))
    with pytest.raises(tf.errors.OpError, match="GeneratorDataset.*element 2.*nothing more"):
        read(Dataset.from_generator(numbers, tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="UnbatchDataset.*element 0.*same batch size"):
        loose = Dataset.from_tensors((np.zeros([2]), np.zeros([2]))).map(lambda a, b: (a, tf.placeholder_with_default(b, None)[:1]))
        read(loose.unbatch())


def test_a_function_that_ends_the_sequence():
    def until_two(x):
        if x == 2:
            raise StopIteration
        return x

    stopped = lambda x: tf.py_func(until_two, [x], tf.int64)  # noqa: E731
    assert read(Dataset.range(5).map(stopped)) == [0, 1]
    assert read(Dataset.range(5).map(stopped, num_parallel_calls=2)) == [0, 1]
    # map_and_batch reports the error, because it would otherwise silently truncate the batch.
    with pytest.raises(tf.errors.InvalidArgumentError, match="element 2.*Function invocation produced OutOfRangeError"):
        read(Dataset.range(5).apply(tf.data.experimental.map_and_batch(stopped, 5)))


def test_prefetching_ends_with_its_session():
    for _ in range(3):
        endless = Dataset.range(4).repeat().map(lambda x: x + 1, num_parallel_calls=3).prefetch(2)
        nested = Dataset.range(1000).interleave(lambda x: Dataset.range(10).prefetch(1), 4, 2, num_parallel_calls=2).prefetch(1)
        element = Dataset.zip((endless, nested)).make_one_shot_iterator().get_next()
        session = tf.Session()
        assert session.run(element)[0] == 1
        session.close()


def test_waiting_ends_with_the_step():
    released = threading.Event()

    def wait(x):
        released.wait(60)
        return x

    for calls in (None, 2):
        released.clear()
        iterator = Dataset.range(3).map(lambda x: tf.py_func(wait, [x], tf.int64), num_parallel_calls=calls).prefetch(1).make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(element, options=tf.RunOptions(timeout_in_ms=50))
            released.set()
            assert [session.run(element) for _ in range(3)] == [0, 1, 2]


def test_steps_take_turns():
    element = Dataset.range(400).make_one_shot_iterator().get_next()
    taken = []
    with tf.Session() as session:
        def take():
            for _ in range(100):
                taken.append(int(session.run(element)))
        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(taken) == list(range(400))


# --- generators
def test_generators():
    def pairs():
        for i in range(3):
            yield i, [i] * i

    dataset = Dataset.from_generator(pairs, (tf.int32, tf.int64), (tf.TensorShape([]), tf.TensorShape([None])))
    assert read(dataset) == [(0, []), (1, [1]), (2, [2, 2])]
    del dataset
    gc.collect()
    assert read(Dataset.from_generator(lambda: "ab", tf.string).repeat(2)) == [b"a", b"b"] * 2
    assert read(Dataset.from_generator(lambda n: range(n), tf.int64, args=(tf.constant(2),))) == [0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="element of shape .2,. where an element of shape .. was expected"):
        read(Dataset.from_generator(lambda: iter([1, [2, 3]]), tf.int32, tf.TensorShape([])))
    with pytest.raises(tf.errors.InvalidArgumentError, match="yielded an element"):
        read(Dataset.from_generator(lambda: iter([1, "a"]), tf.int32))
    with pytest.raises(TypeError, match="callable"):
        Dataset.from_generator([1], tf.int32)


def test_a_generator_that_is_not_used_up_is_closed():
    closed = []

    def numbers():
        try:
            yield from range(100)
        finally:
            closed.append(True)

    element = Dataset.from_generator(numbers, tf.int64).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(element) == 0
    gc.collect()
    assert closed == [True]


# --- caches
def test_cache(tmp_path):
    calls = []

    def count(x):
        calls.append(x)
        return x

    def counted():
        return Dataset.range(3).map(lambda x: tf.py_func(count, [x], tf.int64))

    assert read(counted().cache().repeat(3)) == [0, 1, 2] * 3
    assert len(calls) == 3
    path = str(tmp_path / "cache")
    with_text = Dataset.zip((counted(), Dataset.from_tensor_slices(["a", "b", "c"])))
    expected = [(0, b"a"), (1, b"b"), (2, b"c")]
    assert read(with_text.cache(path)) == expected
    assert os.path.exists(path + ".index")
    assert read(with_text.cache(path)) == expected
    assert len(calls) == 6


# --- files
def test_files(tmp_path):
    records, lines, fixed = (str(tmp_path / name) for name in ("records", "lines", "fixed"))
    with tf.python_io.TFRecordWriter(records) as writer:
        for record in (b"one", b"", b"three"):
            writer.write(record)
    gzipped = str(tmp_path / "gzipped")
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    with tf.python_io.TFRecordWriter(gzipped, options=options) as writer:
        writer.write(b"four")
    (tmp_path / "lines").write_bytes(b"a\r\nb\n\nc")
    (tmp_path / "lines.gz").write_bytes(gzip.compress(b"x\ny\n"))
    (tmp_path / "fixed").write_bytes(b"hhabcdef")
    assert read(tf.data.TFRecordDataset(records)) == [b"one", b"", b"three"]
    assert read(tf.data.TFRecordDataset([records, records], num_parallel_reads=2)) == [b"one", b"one", b"", b"", b"three", b"three"]
    assert read(tf.data.TFRecordDataset(Dataset.from_tensors(gzipped), compression_type="GZIP")) == [b"four"]
    assert read(tf.data.TextLineDataset([lines, lines]).skip(1).take(4)) == [b"b", b"", b"c", b"a"]
    assert read(tf.data.TextLineDataset(lines + ".gz", compression_type="GZIP")) == [b"x", b"y"]
    assert read(tf.data.FixedLengthRecordDataset(fixed, 3, header_bytes=2)) == [b"abc", b"def"]
    assert isinstance(tf.data.TextLineDataset(lines), Dataset)
    for length, header, footer in ((5, 0, 0), (2, 8, 2)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not an exact multiple of the record length"):
            read(tf.data.FixedLengthRecordDataset(fixed, length, header_bytes=header, footer_bytes=footer))
    (tmp_path / "long").write_bytes(bytes(700000) + b"abcdef" + bytes(2))
    assert read(tf.data.FixedLengthRecordDataset(str(tmp_path / "long"), 3, header_bytes=700000, footer_bytes=2)) == [b"abc", b"def"]
    with pytest.raises(tf.errors.NotFoundError, match="absent"):
        read(tf.data.TFRecordDataset(str(tmp_path / "absent")))
    with pytest.raises(tf.errors.DataLossError, match="fixed"):
        read(tf.data.TFRecordDataset(fixed))
    with pytest.raises(tf.errors.InvalidArgumentError, match="compression|ROT13"):
        read(tf.data.TFRecordDataset(records, compression_type="ROT13"))
    every = sorted(os.fsencode(name) for name in (records, lines))
    assert read(Dataset.list_files([records, lines], shuffle=False), initializable=True) == every
    assert sorted(read(Dataset.list_files([records, lines], seed=1), initializable=True)) == every
    for i in range(9):
        (tmp_path / f"part{i}").touch()
    parts = read(Dataset.list_files(str(tmp_path / "part*"), shuffle=False), initializable=True)
    assert len(parts) == 9 and parts == sorted(parts)
    assert read(Dataset.list_files(str(tmp_path / "part*"), seed=3), initializable=True) == read(Dataset.from_tensor_slices(parts).shuffle(9, seed=3))
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        read(Dataset.list_files(str(tmp_path / "no*")), initializable=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        read(Dataset.list_files(str(tmp_path / "no*")))


def test_damage_ends_one_file_alone(tmp_path):
    for name, records in (("first", [b"one", b"two"]), ("second", [b"three"])):
        with tf.python_io.TFRecordWriter(str(tmp_path / name)) as writer:
            for record in records:
                writer.write(record)
    (tmp_path / "first").write_bytes((tmp_path / "first").read_bytes()[:-1])
    element = tf.data.TFRecordDataset([str(tmp_path / "first"), str(tmp_path / "second")]).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(element) == b"one"
        with pytest.raises(tf.errors.DataLossError, match="first: truncated record 1"):
            session.run(element)
        assert session.run(element) == b"three"
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


# --- iterators
def test_an_iterator_needs_its_initializer():
    size = tf.placeholder(tf.int64, [])
    iterator = Dataset.range(size).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="the iterator has not been initialized"):
            session.run(element)
        for count in (2, 1):
            session.run(iterator.initializer, {size: count})
            assert [session.run(element) for _ in range(count)] == list(range(count))
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)
        session.run(iterator.initializer, {size: 1})
        assert session.run(element) == 0


def test_a_dataset_keeps_the_values_of_its_start():
    variable = tf.Variable([1, 2], name="changing")
    iterator = Dataset.from_tensor_slices(variable).map(lambda x: x + variable[0]).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(iterator.initializer)
        assert session.run(element) == 2
        session.run(variable.assign([10, 20]))
        assert session.run(element) == 3
        session.run(iterator.initializer)
        assert [session.run(element) for _ in range(2)] == [20, 30]


def test_variables_in_functions():
    variable = tf.get_variable("v", initializer=tf.constant(3, tf.int64), use_resource=True)
    iterator = Dataset.range(2).map(lambda x: x + variable).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(iterator.initializer)
        assert session.run(element) == 3
    for value in (variable, tf.placeholder(tf.int64)):
        with pytest.raises(ValueError, match="Cannot capture a .* by value"):
            Dataset.range(2).map(lambda x: x + value).make_one_shot_iterator()


def test_reinitializable_iterators():
    iterator = tf.data.Iterator.from_structure((tf.int64, tf.string), ([], [None]))
    one = Dataset.range(2).map(lambda x: (x, tf.constant(["a"])))
    two = Dataset.range(5, 6).map(lambda x: (x, tf.constant(["b", "c"])))
    element = iterator.get_next()
    to_one, to_two = iterator.make_initializer(one), iterator.make_initializer(two)
    with tf.Session() as session:
        session.run(to_one)
        assert plain(session.run(element)) == (0, [b"a"])
        session.run(to_two)
        assert plain(session.run(element)) == (5, [b"b", b"c"])
    with pytest.raises(TypeError, match="output types"):
        iterator.make_initializer(Dataset.range(2))
    with pytest.raises(TypeError, match="output shapes"):
        iterator.make_initializer(Dataset.from_tensors((tf.constant([1], tf.int64), ["a"])))
    with pytest.raises(ValueError, match="does not have an initializer"):
        iterator.initializer


def test_feedable_iterators():
    handle = tf.placeholder(tf.string, [])
    training = Dataset.range(100).repeat()
    validation = Dataset.range(1000, 1002)
    element = tf.data.Iterator.from_string_handle(handle, training.output_types, training.output_shapes).get_next()
    train_iterator = training.make_one_shot_iterator()
    valid_iterator = validation.make_initializable_iterator()
    with tf.Session() as session:
        train_handle, valid_handle = session.run([train_iterator.string_handle(), valid_iterator.string_handle()])
        assert session.run([element, element], {handle: train_handle}) == [0, 0]
        session.run(valid_iterator.initializer)
        assert session.run(element, {handle: valid_handle}) == 1000
        assert session.run(element, {handle: train_handle}) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="string_handle"):
            session.run(element, {handle: "x"})
    words = tf.data.Iterator.from_string_handle(handle, tf.string).get_next()
    with tf.Session() as session:
        train_handle = session.run(train_iterator.string_handle())
        with pytest.raises(tf.errors.InvalidArgumentError, match="Data type mismatch"):
            session.run(words, {handle: train_handle})


def test_sessions_have_iterators_of_their_own():
    element = Dataset.range(3).make_one_shot_iterator().get_next()
    with tf.Session() as one, tf.Session() as two:
        assert [one.run(element), one.run(element), two.run(element)] == [0, 1, 0]


def test_graphs_go_through_graph_def(graph):
    element = Dataset.range(6).map(lambda x: x * 2, num_parallel_calls=2).shuffle(6, seed=1).batch(3).make_one_shot_iterator().get_next("batch")
    expected = read(Dataset.range(6).map(lambda x: x * 2).shuffle(6, seed=1).batch(3))
    definition = graph.as_graph_def()
    with tf.Graph().as_default():
        batch, = tf.import_graph_def(definition, return_elements=["batch:0"])
        with tf.Session() as session:
            assert [session.run(batch).tolist() for _ in range(2)] == expected


def test_errors_of_arguments():
    for make, message in ((lambda: Dataset.range(3).batch(0), "Batch size must be greater than zero"),
                          (lambda: Dataset.range(3).shuffle(0), "buffer_size must be greater than zero"),
                          (lambda: Dataset.range(3).shard(tf.constant(2, tf.int64), 2), "Index must be between 0 and 1"),
                          (lambda: Dataset.range(3).map(lambda x: x, num_parallel_calls=0), "num_parallel_calls must be greater"),
                          (lambda: Dataset.range(1, 3).map(lambda x: tf.fill([x], x)).batch(2), "Cannot batch tensors with different shapes")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            read(make())


def test_specs_of_elements():
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensors({"a": [1, 2], "b": tf.SparseTensor([[0]], ["x"], [4])})
        wanted = {"a": tf.TensorSpec([2], tf.int32), "b": tf.SparseTensorSpec([4], tf.string)}
        assert dataset.element_spec == wanted == dataset.make_initializable_iterator().element_spec
        assert dataset.batch(3).element_spec["a"] == tf.TensorSpec([None, 2], tf.int32)
