"""Tests nondeterministic pipelines, which return elements as they become ready, and iterators shared by sessions."""
import time

import numpy as np
import pytest

import weir as tf


def slow_first(x):
    """Element 0 takes half a second, the others no time."""
    return tf.py_func(lambda value: time.sleep(0.5 if value == 0 else 0.0) or value, [x], tf.int64)


def with_deterministic(dataset, deterministic):
    options = tf.data.Options()
    options.experimental_deterministic = deterministic
    return dataset.with_options(options)


def slow_dataset(x):
    return tf.data.Dataset.from_tensors(x).map(slow_first)


INTERLEAVE = tf.data.experimental.parallel_interleave
ANY_ORDER = {
    "map": lambda d: d.map(slow_first, num_parallel_calls=2, deterministic=False),
    "option": lambda d: with_deterministic(d.map(slow_first, num_parallel_calls=2), False),
    "option far behind": lambda d: with_deterministic(d.map(slow_first, num_parallel_calls=2).prefetch(1).map(lambda x: x), False),
    "interleave": lambda d: d.interleave(slow_dataset, 2, 1, num_parallel_calls=2, deterministic=False),
    "interleave option": lambda d: with_deterministic(d.interleave(slow_dataset, 2, 1, num_parallel_calls=2), False),
    "sloppy": lambda d: d.apply(INTERLEAVE(slow_dataset, 2, sloppy=True)),
}
IN_ORDER = {
    "map": lambda d: d.map(slow_first, num_parallel_calls=2),
    "deterministic map": lambda d: with_deterministic(d.map(slow_first, num_parallel_calls=2, deterministic=True), False),
    "option": lambda d: with_deterministic(d.map(slow_first, num_parallel_calls=2), True),
    "one by one": lambda d: with_deterministic(d.map(slow_first), False),
    "interleave": lambda d: d.interleave(slow_dataset, 2, 1, num_parallel_calls=2),
    "not sloppy": lambda d: d.apply(INTERLEAVE(slow_dataset, 2)),
}


def take(dataset, one_shot=False):
    iterator = tf.data.make_one_shot_iterator(dataset) if one_shot else tf.data.make_initializable_iterator(dataset)
    following = iterator.get_next()
    with tf.Session() as sess:
        if not one_shot:
            sess.run(iterator.initializer)
        result = []
        while True:
            try:
                result.append(int(sess.run(following)))
            except tf.errors.OutOfRangeError:
                return result


@pytest.mark.parametrize("name", ANY_ORDER)
def test_elements_are_returned_as_they_become_ready(name):
    taken = take(ANY_ORDER[name](tf.data.Dataset.range(6)))
    assert sorted(taken) == list(range(6))
    assert taken[0] != 0


@pytest.mark.parametrize("name", IN_ORDER)
def test_elements_come_in_order(name):
    assert take(IN_ORDER[name](tf.data.Dataset.range(6)), one_shot=True) == list(range(6))


def test_the_option_holds_for_one_shot_iterators_and_reductions():
    dataset = with_deterministic(tf.data.Dataset.range(4).map(slow_first, num_parallel_calls=2), False)
    assert take(dataset, one_shot=True)[0] != 0
    joined = dataset.reduce(np.int64(0), lambda s, x: s * 10 + x)
    with tf.Session() as sess:
        assert sess.run(joined) > 999


def test_errors_in_any_order():
    dataset = tf.data.Dataset.range(6).map(lambda x: 6 // (x - 2), num_parallel_calls=3, deterministic=False)
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    taken, errors = [], 0
    with tf.Session() as sess:
        for _ in range(6):
            try:
                taken.append(int(sess.run(following)))
            except tf.errors.InvalidArgumentError:
                errors += 1
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(following)
    assert sorted(taken) == [-6, -3, 2, 3, 6] and errors == 1


def test_a_large_buffer_is_not_filled_with_passes():
    def first(dataset):
        return take(dataset.take(1))[0]
    repeated = tf.data.Dataset.range(10).apply(tf.data.experimental.shuffle_and_repeat(2 ** 40))
    assert 0 <= first(repeated) < 10
    twice = tf.data.Dataset.range(10).apply(tf.data.experimental.shuffle_and_repeat(2 ** 40, 2))
    taken = take(twice)
    assert sorted(taken[:10]) == sorted(taken[10:]) == list(range(10))
    assert sorted(take(tf.data.Dataset.range(3).shuffle(2 ** 40))) == [0, 1, 2]


# --- iterators with a shared name
def shared(name, size=10):
    v = tf.Variable(100, dtype=tf.int64, use_resource=True)
    dataset = tf.data.Dataset.range(size).map(lambda x: x + v)
    return tf.data.make_initializable_iterator(dataset, shared_name=name), v


def test_a_shared_iterator_outlives_its_session():
    server = tf.train.Server.create_local_server()
    iterator, v = shared("it")
    following = iterator.get_next()
    with tf.Session(server.target) as sess:
        sess.run(v.initializer)
        sess.run(iterator.initializer)
        assert [sess.run(following) for _ in range(3)] == [100, 101, 102]
    for expected in (103, 104):
        with tf.Session(server.target) as sess:
            assert sess.run(following) == expected
    with tf.Graph().as_default():  # the graph of another client
        other = tf.data.Iterator.from_structure(tf.int64, [], shared_name="it")
        following = other.get_next()
        with tf.Session(server.target) as sess:
            assert sess.run(following) == 105
    server.stop()


def test_an_iterator_without_a_shared_name_ends_with_its_session():
    server = tf.train.Server.create_local_server()
    iterator, v = shared(None)
    following = iterator.get_next()
    with tf.Session(server.target) as sess:
        sess.run([v.initializer])
        sess.run(iterator.initializer)
        assert sess.run(following) == 100
    with tf.Session(server.target) as sess:
        with pytest.raises(tf.errors.FailedPreconditionError):
            sess.run(following)
    server.stop()


def test_two_sessions_take_turns_with_a_shared_iterator():
    server = tf.train.Server.create_local_server()
    iterator, v = shared("turns")
    following = iterator.get_next()
    with tf.Session(server.target) as one, tf.Session(server.target) as two:
        one.run(v.initializer)
        one.run(iterator.initializer)
        assert [one.run(following), two.run(following), one.run(following)] == [100, 101, 102]
        two.run(iterator.initializer)
        assert one.run(following) == 100
        two.close()
        assert one.run(following) == 101
    server.stop()


def test_a_shared_iterator_with_threads_of_its_own_outlives_its_session():
    server = tf.train.Server.create_local_server()
    dataset = tf.data.Dataset.range(100).map(lambda x: x * 2, num_parallel_calls=2).prefetch(4).shuffle(1)
    iterator = tf.data.make_initializable_iterator(dataset, shared_name="threads")
    following = iterator.get_next()
    with tf.Session(server.target) as sess:
        sess.run(iterator.initializer)
        assert sess.run(following) == 0
    with tf.Session(server.target) as sess:
        assert [sess.run(following) for _ in range(5)] == [2, 4, 6, 8, 10]
    tf.Session.reset(server.target)
    with tf.Session(server.target) as sess:
        with pytest.raises(tf.errors.FailedPreconditionError):
            sess.run(following)
    server.stop()
