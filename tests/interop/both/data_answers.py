"""tf.data.experimental: elements, static types and shapes, cardinalities, error classes."""
import numpy as np

CASES = {}


def read(tf, dataset, limit=50, with_types=True):
    """Returns the static type and the elements of a dataset."""
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    elements = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        sess.run(iterator.initializer)
        try:
            while len(elements) < limit:
                elements.append(sess.run(element))
        except tf.errors.OutOfRangeError:
            pass
    types = [str(tf.data.get_output_types(dataset)), str(tf.data.get_output_shapes(dataset))]
    return [types if with_types else None, elements]


def add(name, build, limit=50):
    """Adds a case: the elements of the dataset that build(tf, Dataset, experimental) returns."""
    CASES[name] = lambda tf: read(tf, build(tf, tf.data.Dataset, tf.data.experimental), limit)


def add_all(prefix, builds):
    for name, build in builds.items():
        add(f"{prefix}: {name}", build)


# --- groups
def window(key=lambda x: x % 2, reduce=lambda key, group: group.batch(2), *args, **kwargs):
    return lambda tf, D, E: D.range(8).apply(E.group_by_window(key, reduce, *args, **kwargs))


add_all("group_by_window", {
    "batches": window(window_size=3),
    "a size of each key": window(window_size_func=lambda key: key + 1),
    "a constant as key": window(lambda x: 0, window_size=3),
    "no elements for a key": window(reduce=lambda key, group: group.filter(lambda x: key > 0), window_size=2),
    "key and elements": window(reduce=lambda key, group: group.map(lambda x: (key, x)), window_size=4),
    "no size": window(),
    "two sizes": window(window_size=2, window_size_func=lambda key: 2),
    "a size of zero": window(window_size=0),
    "a size of type float": window(window_size_func=lambda key: 2.5),
    "a vector as key": window(lambda x: [x], window_size=2),
    "an int32 key": lambda tf, D, E: D.range(8).map(lambda x: tf.cast(x, tf.int32)).apply(E.group_by_window(lambda x: x, lambda key, group: group, 2)),
    "no dataset": window(reduce=lambda key, group: key, window_size=2),
    "an error in the key": lambda tf, D, E: D.range(8).apply(E.group_by_window(lambda x: 8 // x, lambda key, group: group, 2)),
    "an error in the key left out": lambda tf, D, E: D.range(8).apply(E.group_by_window(lambda x: 8 // x, lambda key, group: group.batch(9), 2)).apply(E.ignore_errors()),
    "pairs": lambda tf, D, E: D.zip((D.range(6), D.range(6).map(lambda x: {"a": tf.fill([x], "s")}))).apply(
        E.group_by_window(lambda x, y: x % 3, lambda key, group: group.padded_batch(4, ([], {"a": [None]})), 4)),
    "captured values": lambda tf, D, E: (lambda two: D.range(8).apply(E.group_by_window(
        lambda x: x % two, lambda key, group: group.map(lambda x: x * two).batch(two), window_size_func=lambda key: two)))(tf.constant(2, tf.int64)),
})


def lengths(**kwargs):
    def build(tf, D, E):
        dataset = D.range(1, 9).map(lambda x: tf.fill([x], x))
        given = {"bucket_boundaries": [3, 6], "bucket_batch_sizes": [2, 2, 2], **kwargs}
        return dataset.apply(E.bucket_by_sequence_length(lambda x: tf.shape(x)[0], **given))
    return build


add_all("bucket_by_sequence_length", {
    "padded": lengths(), "dropped": lengths(padding_values=np.int64(-1), drop_remainder=True), "a padded shape": lengths(padded_shapes=[10]),
    "to the boundary": lengths(pad_to_bucket_boundary=True, bucket_boundaries=[3, 10]), "wrong sizes": lengths(bucket_batch_sizes=[1, 2]),
    "not padded": lengths(no_padding=True, bucket_batch_sizes=[1, 1, 1]), "too many batches": lengths(bucket_batch_sizes=[3, 2, 1]),
    "too small": lengths(padded_shapes=[4]),
    "a structure": lambda tf, D, E: D.range(1, 6).map(lambda x: {"a": tf.fill([x], x), "b": (x, tf.fill([x, 2], "s"))}).apply(
        E.bucket_by_sequence_length(lambda x: tf.cast(x["b"][0], tf.int32), [3], [2, 2])),
    "a structure to the boundary": lambda tf, D, E: D.range(1, 6).map(lambda x: {"a": tf.fill([x], x), "b": (x, tf.fill([x, 2], "s"))}).apply(
        E.bucket_by_sequence_length(lambda x: tf.cast(x["b"][0], tf.int32), [3, 7], [2, 2, 1], pad_to_bucket_boundary=True)),
})


def reduced(init=lambda key: np.int64(0), reduce=lambda state, x: state + x, finalize=lambda state: (state, state * 2)):
    return lambda tf, D, E: D.range(10).apply(E.group_by_reducer(lambda x: 2 - x % 3, E.Reducer(init, reduce, finalize)))


add_all("group_by_reducer", {
    "sums": reduced(), "the key in the state": reduced(lambda key: (key, np.int64(1)), lambda state, x: (state[0], state[1] * (x + 1)), lambda a, b: {"k": a, "p": b}),
    "another type": reduced(lambda key: 0.0, lambda state, x: x),
    "a growing state": lambda tf, D, E: D.range(7).apply(E.group_by_reducer(lambda x: x % 2, E.Reducer(
        lambda key: tf.zeros([0], tf.int64), lambda state, x: tf.concat([state, [x]], 0), lambda state: state))),
})

# --- elements that depend on those before
add_all("scan", {
    "sums": lambda tf, D, E: D.range(5).apply(E.scan(np.int64(0), lambda s, x: (s + x, s * 10))),
    "a growing state": lambda tf, D, E: D.range(3).apply(E.scan(tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), s))),
    "structures": lambda tf, D, E: D.range(4).apply(E.scan({"a": 1, "b": (2.0, "x")}, lambda s, x: (
        {"a": s["a"] + 1, "b": (s["b"][0] * 2, s["b"][1] + "y")}, (x, s["b"][1])))),
    "no pair": lambda tf, D, E: D.range(5).apply(E.scan(np.int64(0), lambda s, x: s + x)),
    "three values": lambda tf, D, E: D.range(5).apply(E.scan(0, lambda s, x: (s, x, x))),
    "another type": lambda tf, D, E: D.range(5).apply(E.scan(0, lambda s, x: (x, x))),
    "an error": lambda tf, D, E: D.range(-1, 3).apply(E.scan(np.int64(0), lambda s, x: (6 // x, s))),
    "an error left out": lambda tf, D, E: D.range(-1, 3).apply(E.scan(np.int64(0), lambda s, x: (6 // x, s))).apply(E.ignore_errors()),
})
add_all("take_while", {
    "smaller": lambda tf, D, E: D.range(9).apply(E.take_while(lambda x: x < 4)), "none": lambda tf, D, E: D.range(9).apply(E.take_while(lambda x: x > 4)),
    "repeated": lambda tf, D, E: D.range(9).apply(E.take_while(lambda x: x < 2)).repeat(2), "no bool": lambda tf, D, E: D.range(9).apply(E.take_while(lambda x: x)),
})
add_all("unique", {
    "numbers": lambda tf, D, E: D.from_tensor_slices([1, 2, 1, 3, 2, 3, 7]).apply(E.unique()),
    "vectors": lambda tf, D, E: D.from_tensor_slices([[1, 2], [1, 2], [2, 1]]).apply(E.unique()),
    "text": lambda tf, D, E: D.from_tensor_slices(["a", "b", "a"]).apply(E.unique()),
    "lists of text": lambda tf, D, E: D.from_tensor_slices([["a", "bc"], ["ab", "c"], ["a", "bc"]]).apply(E.unique()),
    "floats": lambda tf, D, E: D.from_tensor_slices([1., 2.]).apply(E.unique()),
    "pairs": lambda tf, D, E: D.from_tensor_slices(([1, 2], [1, 2])).apply(E.unique()),
})

# --- several datasets
_CHOICES = lambda D: [D.range(3), D.range(10, 15)]
add_all("choose_from_datasets", {
    "numbers": lambda tf, D, E: E.choose_from_datasets(_CHOICES(D), D.from_tensor_slices(np.array([0, 1, 0, 0, 0, 1, 1], np.int64))),
    "out of range": lambda tf, D, E: E.choose_from_datasets(_CHOICES(D), D.from_tensor_slices(np.array([0, 2], np.int64))),
    "int32": lambda tf, D, E: E.choose_from_datasets(_CHOICES(D), D.from_tensor_slices([0, 1])),
    "other types": lambda tf, D, E: E.choose_from_datasets([D.range(3), D.from_tensors(1.0)], D.range(2)),
    "other shapes": lambda tf, D, E: E.choose_from_datasets([D.from_tensors([1, 2]), D.from_tensors([1])], D.range(2)),
    "no datasets": lambda tf, D, E: E.choose_from_datasets([], D.range(2)),
})
add_all("sample_from_datasets", {
    "equally": lambda tf, D, E: E.sample_from_datasets(_CHOICES(D), seed=3),
    "weights": lambda tf, D, E: E.sample_from_datasets(_CHOICES(D), [0.9, 0.1], seed=3),
    "weights as array": lambda tf, D, E: E.sample_from_datasets(_CHOICES(D), np.array([0.3, 0.7]), seed=8),
    "weights from a dataset": lambda tf, D, E: E.sample_from_datasets(_CHOICES(D), D.from_tensor_slices([[0.9, 0.1], [0.2, 0.8]]).repeat(), seed=3),
    "repeated": lambda tf, D, E: E.sample_from_datasets(_CHOICES(D), [0.5, 0.5], seed=3).repeat(2),
    "three": lambda tf, D, E: E.sample_from_datasets(_CHOICES(D) + [D.range(20, 26)], [0.5, 0.2, 0.3], seed=11),
    "integers as weights": lambda tf, D, E: E.sample_from_datasets(_CHOICES(D), [1, 2], seed=3),
    "too many weights": lambda tf, D, E: E.sample_from_datasets(_CHOICES(D), [1., 2., 3.], seed=3),
})
add("random", lambda tf, D, E: E.RandomDataset(seed=5), 6)
add("random, twice", lambda tf, D, E: E.RandomDataset(seed=5).take(3).repeat(2))
add("counter", lambda tf, D, E: E.Counter(3, -2, tf.int32), 4)
add("counter of floats", lambda tf, D, E: E.Counter(3, 0.5, tf.float32), 4)
add("enumerate", lambda tf, D, E: D.from_tensor_slices(["a", "b"]).apply(E.enumerate_dataset(5)))

# --- cardinality
_COUNTED = {
    "range": lambda tf, D, E: D.range(7), "down": lambda tf, D, E: D.range(7, 0, -3), "map": lambda tf, D, E: D.range(7).map(lambda x: x),
    "parallel map": lambda tf, D, E: D.range(7).map(lambda x: x, 2), "filter": lambda tf, D, E: D.range(7).filter(lambda x: x > 1),
    "batch": lambda tf, D, E: D.range(7).batch(2), "whole batches": lambda tf, D, E: D.range(7).batch(2, True),
    "padded": lambda tf, D, E: D.range(7).padded_batch(2, []), "repeat": lambda tf, D, E: D.range(7).repeat(),
    "repeat twice": lambda tf, D, E: D.range(7).repeat(2), "repeat never": lambda tf, D, E: D.range(7).repeat(0),
    "take": lambda tf, D, E: D.range(7).take(3), "take more": lambda tf, D, E: D.range(7).take(30), "skip": lambda tf, D, E: D.range(7).skip(3),
    "skip more": lambda tf, D, E: D.range(7).skip(30), "take of infinite": lambda tf, D, E: D.range(7).repeat().take(3),
    "skip of infinite": lambda tf, D, E: D.range(7).repeat().skip(3), "take all": lambda tf, D, E: D.range(7).take(-1),
    "skip all": lambda tf, D, E: D.range(7).skip(-1), "shuffle": lambda tf, D, E: D.range(7).shuffle(3),
    "shuffle and repeat": lambda tf, D, E: D.range(7).apply(E.shuffle_and_repeat(3, 2)), "prefetch": lambda tf, D, E: D.range(7).prefetch(1),
    "cache": lambda tf, D, E: D.range(7).cache(), "zip": lambda tf, D, E: D.zip((D.range(7), D.range(3).repeat())),
    "concatenate": lambda tf, D, E: D.range(7).concatenate(D.range(2)), "flat map": lambda tf, D, E: D.range(7).flat_map(lambda x: D.range(2)),
    "interleave": lambda tf, D, E: D.range(7).interleave(lambda x: D.range(2), 2), "window": lambda tf, D, E: D.range(7).window(2),
    "whole windows": lambda tf, D, E: D.range(7).window(2, drop_remainder=True), "shard": lambda tf, D, E: D.range(7).shard(3, 1),
    "unbatch": lambda tf, D, E: D.range(7).filter(lambda x: True).batch(2).unbatch(), "enumerate": lambda tf, D, E: D.range(7).enumerate(),
    "map and batch": lambda tf, D, E: D.range(7).apply(E.map_and_batch(lambda x: x, 2)), "ignore errors": lambda tf, D, E: D.range(7).apply(E.ignore_errors()),
    "scan": lambda tf, D, E: D.range(7).apply(E.scan(0, lambda s, x: (s, x))), "unique": lambda tf, D, E: D.range(7).apply(E.unique()),
    "sample": lambda tf, D, E: E.sample_from_datasets([D.range(7), D.range(2)]), "random": lambda tf, D, E: E.RandomDataset(),
    "counter": lambda tf, D, E: E.Counter(), "slices": lambda tf, D, E: D.from_tensor_slices([1, 2]), "tensors": lambda tf, D, E: D.from_tensors([1]),
    "groups": lambda tf, D, E: D.range(7).apply(E.group_by_window(lambda x: x, lambda k, d: d, 1)),
    "asserted": lambda tf, D, E: D.range(7).filter(lambda x: True).apply(E.assert_cardinality(7)), "empty": lambda tf, D, E: D.range(0).repeat(),
    "infinite and unknown": lambda tf, D, E: D.range(7).repeat().concatenate(D.range(7).filter(lambda x: True)),
}
for _name, _build in _COUNTED.items():
    CASES[f"cardinality: {_name}"] = lambda tf, build=_build: tf.Session().run(
        tf.data.experimental.cardinality(build(tf, tf.data.Dataset, tf.data.experimental)))
for _count in (5, 7, 1, -1, -2):
    add(f"assert_cardinality {_count}", lambda tf, D, E, count=_count: D.range(5).filter(lambda x: True).apply(E.assert_cardinality(count)))
