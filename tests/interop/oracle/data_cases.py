"""Datasets: the elements of a pipeline in TensorFlow's graph, as one batch."""
import numpy as np

from oracle.recorder import apply_op
from oracle.tensorflow1 import tf

Dataset = tf.data.Dataset
experimental = tf.data.experimental


def whole(dataset):
    return experimental.get_single_element(dataset.batch(1000))


def statistics(prefix):
    """Elements whose bytes are counted, the summary of these bytes, and elements whose time is measured."""
    def op(name, **inputs):
        return apply_op(prefix + name, inputs)

    stats = op("StatsAggregatorHandle")
    like = {"output_types": [tf.string], "output_shapes": [[]]}
    texts = Dataset.from_tensor_slices(["a", "bcd", "x" * 100])._variant_tensor
    counted = op("BytesProducedStatsDataset", input_dataset=texts, tag="bytes", **like)
    counted = op("SetStatsAggregatorDataset", input_dataset=counted, stats_aggregator=stats, tag="input", counter_prefix="", **like)
    timed = op("LatencyStatsDataset", input_dataset=texts, tag="time", **like)
    elements = [whole(experimental.from_variant(dataset, tf.TensorSpec([], tf.string))) for dataset in (counted, timed)]
    with tf.control_dependencies(elements):
        return [*elements, op("StatsAggregatorSummary", iterator=stats)]


def make(recorder):
    def case(name, build):
        recorder.case(name, build, [], grad=False)

    ten = lambda: Dataset.range(10)
    twice = lambda x: Dataset.from_tensors(x).repeat(2)
    for prefix in ("", "Experimental"):
        case(f"{prefix} statistics", lambda prefix=prefix: statistics(prefix))
    case("map", lambda: whole(ten().map(lambda x: x * x + 1)))
    case("parallel map", lambda: whole(ten().map(lambda x: x * x, num_parallel_calls=3)))
    case("captured values", lambda: whole(ten().map(lambda x, y=tf.constant(5, tf.int64): x * y)))
    case("slices", lambda: whole(Dataset.from_tensor_slices((np.arange(6.).reshape(3, 2), ["a", "b", "c"]))))
    case("tensors", lambda: experimental.get_single_element(Dataset.from_tensors(([1, 2], 3.))))
    case("repeat, take, skip", lambda: whole(ten().repeat(3).skip(5).take(12)))
    case("shard", lambda: whole(ten().shard(3, 2)))
    case("filter", lambda: whole(ten().filter(lambda x: x % 3 < 2)))
    case("errors left out", lambda: whole(ten().map(lambda x: 20 // (x % 4)).apply(experimental.ignore_errors())))
    case("concatenate", lambda: whole(ten().concatenate(Dataset.range(20, 25))))
    case("zip", lambda: whole(Dataset.zip((ten(), Dataset.range(20, 40)))))
    case("batch", lambda: whole(ten().batch(3, drop_remainder=True)))
    case("padded batch", lambda: whole(Dataset.range(1, 7).map(lambda x: tf.fill([x], x)).padded_batch(3, padded_shapes=[8], padding_values=np.int64(-1))))
    case("unbatch", lambda: whole(ten().batch(5).unbatch()))
    case("flat map", lambda: whole(ten().flat_map(twice)))
    case("interleave", lambda: whole(ten().interleave(twice, cycle_length=3, block_length=1)))
    case("window", lambda: whole(ten().window(3, shift=2, stride=2, drop_remainder=True).flat_map(lambda d: d.batch(3))))
    case("prefetch and cache", lambda: whole(ten().prefetch(2).cache()))
    case("reduce", lambda: ten().reduce(np.int64(5), lambda s, x: s * 2 + x))
    case("map and batch", lambda: whole(ten().apply(experimental.map_and_batch(lambda x: x + 1, 2))))
    for seed in (1, 42):
        for size in (3, 10):
            case("shuffle %d %d" % (seed, size), lambda: whole(ten().shuffle(size, seed=seed).repeat(3)))
            case("shuffle the same way %d %d" % (seed, size), lambda: whole(ten().shuffle(size, seed=seed, reshuffle_each_iteration=False).repeat(2)))
            case("shuffle and repeat %d %d" % (seed, size), lambda: whole(ten().apply(experimental.shuffle_and_repeat(size, 3, seed))))
    case("one shot", lambda: ten().map(lambda x: x + 7).make_one_shot_iterator().get_next())
    case("groups", lambda: whole(ten().apply(experimental.group_by_window(lambda x: x % 3, lambda key, d: d.map(lambda x: x * 10 + key), 2))))
    case("folded groups", lambda: whole(ten().apply(experimental.group_by_reducer(lambda x: x % 3, experimental.Reducer(
        lambda key: key, lambda s, x: s + x, lambda s: s)))))
    case("scan", lambda: whole(ten().apply(experimental.scan(np.int64(1), lambda s, x: (s + x, s * 2)))))
    case("take while", lambda: whole(ten().apply(experimental.take_while(lambda x: x < 4))))
    case("unique", lambda: whole(ten().map(lambda x: x % 4).apply(experimental.unique())))
    case("sample", lambda: whole(experimental.sample_from_datasets([ten(), Dataset.range(20, 30)], [0.3, 0.7], seed=4)))
    case("cardinality", lambda: experimental.cardinality(ten().batch(3)))
    case("assert cardinality", lambda: whole(ten().apply(experimental.assert_cardinality(10))))
