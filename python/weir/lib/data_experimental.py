"""tf.data.experimental and tf.contrib.data: transformations that are not methods of Dataset."""
import functools

from weir import _weir
from weir.lib import specs
from weir.lib.data_elements import Spec, components, flatten, pack, trace, trace_dataset, trace_fold
from weir.lib.data_options import Options
from weir.lib.datasets import Dataset, with_op

_BOOL, _INT64 = _weir.dtypes["bool"], _weir.dtypes["int64"]
_KEY = Spec(None, [_INT64], [_weir.TensorShape([])])


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive.")

    def transformation(dataset):
        function, spec = trace(map_func, dataset._spec)
        calls = num_parallel_calls
        if calls is None:
            calls = batch_size * (num_parallel_batches or 1)
        return dataset._from(_weir.dataset_map_and_batch(dataset._flat, function, batch_size, calls, drop_remainder), spec)

    return transformation


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    return lambda dataset: dataset._like(_weir.dataset_shuffle_and_repeat(dataset._flat, buffer_size, -1 if count is None else count, seed))


def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None):
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, cycle_length, deterministic=not sloppy)


class StatsAggregator:
    """Statistics of the datasets whose options name it (`experimental_stats.aggregator`)."""

    def __init__(self):
        self._resource = _weir.op_function("StatsAggregatorHandle")()

    def get_summary(self):
        """Returns a string tensor: a serialized Summary with a histogram for each tag."""
        return _weir.op_function("StatsAggregatorSummary")(self._resource)


def bytes_produced_stats(tag):
    return lambda dataset: dataset._like(with_op("BytesProducedStatsDataset", dataset._flat, tag))


def latency_stats(tag):
    return lambda dataset: dataset._like(with_op("LatencyStatsDataset", dataset._flat, tag))


def set_stats_aggregator(stats_aggregator, prefix="", counter_prefix=""):
    return lambda dataset: dataset._like(
        with_op("SetStatsAggregatorDataset", dataset._flat, stats_aggregator._resource, prefix, counter_prefix))


def unbatch():
    return lambda dataset: dataset.unbatch()


def enumerate_dataset(start=0):
    return lambda dataset: dataset.enumerate(start)


def ignore_errors(log_warning=False):
    return lambda dataset: dataset._like(_weir.dataset_ignore_errors(dataset._flat, log_warning))


def batch_and_drop_remainder(batch_size):
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def prefetch_to_device(device, buffer_size=None):
    return lambda dataset: dataset.prefetch(buffer_size)


def copy_to_device(target_device, source_device="/cpu:0"):
    """Steps copy elements to the devices that use them, so this changes nothing."""
    return lambda dataset: dataset


def dense_to_sparse_batch(batch_size, row_shape):
    """Batches rows of different sizes as SparseTensors of shape [batch_size] + row_shape."""
    def sparse(rows, present):
        indices = _weir.where(present)
        return _weir.SparseTensor(indices, _weir.gather_nd(rows, indices), _weir.op_function("Shape")(rows, out_type=_INT64))

    def transformation(dataset):
        if len(dataset._spec.types) != 1 or dataset._spec.structure is not None:
            raise TypeError("dense_to_sparse_batch requires elements that are single tensors.")
        known = _weir.TensorShape(row_shape)
        rows = dataset.map(lambda row: (row, _weir.ones_like(row, dtype=_BOOL))).padded_batch(batch_size, (known, known))
        return rows.map(sparse)

    return transformation


def rejection_resample(class_func, target_dist, initial_dist=None, seed=None):
    """Drops elements so that the classes of those that remain have the target distribution. Elements are (class, element)."""
    def transformation(dataset):
        target = _weir.convert_to_tensor(target_dist, dtype=_weir.dtypes["float32"], name="target_dist")
        if not target.shape.is_fully_defined() or target.shape.ndims != 1:
            raise ValueError("target_dist must be a vector of known length.")
        classes = dataset.map(lambda *args: (_scalar_class(class_func(*args)), args if len(args) > 1 else args[0]))
        if initial_dist is not None:
            probabilities = _weir.class_acceptance(initial_dist, target)
            # Identity captures the probabilities in the function.
            return classes.filter(lambda number, _: _weir.accept_class(number, _weir.op_function("Identity")(probabilities), seed))
        counted = classes.apply(scan([10.0] * target.shape[0].value, lambda counts, pair: _counted(counts, pair)))
        kept = counted.filter(lambda number, _, counts: _weir.accept_class(number, _weir.class_acceptance(counts, target), seed))
        return kept.map(lambda number, element, _: (number, element))

    def _scalar_class(number):
        return _weir.cast(number, _INT64)

    def _counted(counts, pair):
        after = _weir.count_class(counts, pair[0])
        return after, (pair[0], pair[1], after)

    return transformation


class _Holder:
    """Stands for a nested dataset in get_structure: only its spec is known."""

    def __init__(self, spec):
        self._spec = spec


def get_structure(dataset_or_iterator):
    """Returns the specs of the elements, nested like them."""
    spec = dataset_or_iterator._spec
    return spec.legacy(lambda i: specs.TensorSpec(spec.shapes[i], spec.types[i]),
                       lambda i, sparse: specs.SparseTensorSpec(sparse.whole(spec.shapes[i]), sparse.dtype),
                       lambda inner: DatasetSpec(get_structure(_Holder(inner))))


def to_variant(dataset):
    return dataset._variant_tensor


def from_variant(variant, structure):
    """The dataset of a variant tensor. `structure` describes its elements as get_structure does."""
    types = pack(structure, iter([leaf.dtype for leaf in flatten(structure)]))
    shapes = pack(structure, iter([leaf.shape for leaf in flatten(structure)]))
    classes = pack(structure, iter([_weir.SparseTensor if isinstance(leaf, specs.SparseTensorSpec) else _weir.Tensor for leaf in flatten(structure)]))
    spec = Spec.of_user(types, shapes, classes)
    return Dataset._of((variant, *spec.flat), spec)


class DatasetSpec(specs.TypeSpec):
    """A dataset, by the specs of its elements."""

    def __init__(self, element_spec, dataset_shape=()):
        self._element_spec = element_spec
        self._dataset_shape = _weir.TensorShape(dataset_shape)

    @property
    def value_type(self):
        return Dataset

    @property
    def element_spec(self):
        return self._element_spec

    def _parts(self):
        return self._element_spec, self._dataset_shape.as_list()

    def is_compatible_with(self, spec_or_value):
        other = spec_or_value if isinstance(spec_or_value, DatasetSpec) else DatasetSpec(get_structure(spec_or_value))
        mine, theirs = flatten(self._element_spec), flatten(other._element_spec)
        return len(mine) == len(theirs) and all(a.is_compatible_with(b) for a, b in zip(mine, theirs))


def TensorStructure(dtype, shape):
    return specs.TensorSpec(shape, dtype)


def SparseTensorStructure(dtype, shape):
    return specs.SparseTensorSpec(shape, dtype)


def TensorArrayStructure(dtype, element_shape, dynamic_size, infer_shape):
    return specs.TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)


def get_single_element(dataset):
    return dataset._spec.value_of(_weir.dataset_single_element(dataset._flat_with_options))


# --- groups
def _scalar(function, spec, what):
    """Traces a function that returns an int64 scalar."""
    def converted(*args):
        return _weir.convert_to_tensor(function(*args), dtype=_INT64)

    traced, result = trace(converted, spec)
    if result.structure is not None or result.types != [_INT64] or not result.shapes[0].is_compatible_with([]):
        raise ValueError(f"`{what}` must return a single tf.int64 scalar tensor, but returns {result.output_types} with shapes {result.output_shapes}.")
    return traced


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Must pass either `window_size` or `window_size_func`.")
    size_func = window_size_func if window_size is None else lambda key: window_size

    def transformation(dataset):
        key = _scalar(key_func, dataset._spec, "key_func")
        window = Spec((None, dataset._spec), [_INT64, _weir.dtypes["variant"]], [_weir.TensorShape([])] * 2)
        reduce, spec = trace_dataset(reduce_func, window, "reduce_func")
        size = _scalar(size_func, _KEY, "window_size_func")
        return dataset._from(_weir.dataset_group_by_window(dataset._flat, key, reduce, size, spec.flat), spec)

    return transformation


def bucket_by_sequence_length(element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None, padding_values=None,
                              pad_to_bucket_boundary=False, no_padding=False, drop_remainder=False):
    boundaries, sizes = list(bucket_boundaries), list(bucket_batch_sizes)
    if len(sizes) != len(boundaries) + 1:
        raise ValueError("len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1")

    def bucket_of(*args):
        return _weir.bucket_of_length(element_length_func(*args), boundaries)

    def size_of(bucket):
        return _weir.bucket_batch_size(bucket, sizes)

    def batch(bucket, grouped):
        if no_padding:
            return grouped.batch(size_of(bucket), drop_remainder=drop_remainder)
        filler = _weir.bucket_padded_length(bucket, boundaries) if pad_to_bucket_boundary else None
        shapes = padded_shapes or grouped.output_shapes
        if filler is not None:
            shapes = pack(grouped._spec.structure, iter([_filled(shape, filler) for shape in _flat_shapes(grouped._spec.structure, shapes)]))
        return grouped.padded_batch(size_of(bucket), shapes, padding_values, drop_remainder=drop_remainder)

    return lambda dataset: dataset.apply(group_by_window(bucket_of, batch, window_size_func=size_of))


def _flat_shapes(structure, shapes):
    if isinstance(structure, dict):
        return [shape for key in sorted(structure) for shape in _flat_shapes(structure[key], shapes[key])]
    if isinstance(structure, tuple):
        return [shape for item, one in zip(structure, shapes) for shape in _flat_shapes(item, one)]
    return [_weir.TensorShape(shapes)]


def _filled(shape, filler):
    """Returns the sizes of a shape, with a tensor for the unknown ones."""
    return [filler if size is None else size for size in shape.as_list()] or shape


class Reducer:
    """The functions of a fold: init_func(key), reduce_func(state, element), finalize_func(state)."""

    def __init__(self, init_func, reduce_func, finalize_func):
        self._init_func = init_func
        self._reduce_func = reduce_func
        self._finalize_func = finalize_func

    init_func = property(lambda self: self._init_func)
    reduce_func = property(lambda self: self._reduce_func)
    finalize_func = property(lambda self: self._finalize_func)


def group_by_reducer(key_func, reducer):
    def transformation(dataset):
        key = _scalar(key_func, dataset._spec, "key_func")
        init, state = trace(reducer.init_func, _KEY)
        reduce, state, _ = trace_fold(reducer.reduce_func, state, dataset._spec)
        finalize, spec = trace(reducer.finalize_func, state)
        return dataset._from(_weir.dataset_group_by_reducer(dataset._flat, key, init, reduce, finalize), spec)

    return transformation


# --- elements that depend on those before
def scan(initial_state, scan_func):
    def split(value):
        if not isinstance(value, tuple) or len(value) != 2:
            raise TypeError("The scan function must return a pair comprising the new state and the output value.")
        return value

    def transformation(dataset):
        values, state = components(initial_state)
        function, state, spec = trace_fold(scan_func, state, dataset._spec, split)
        function = (function[0], state.types + spec.types, state.shapes + spec.shapes)
        return dataset._from(_weir.dataset_scan(dataset._flat, values, function), spec)

    return transformation


def take_while(predicate):
    def transformation(dataset):
        function, spec = trace(predicate, dataset._spec)
        if spec.structure is not None or spec.types != [_BOOL] or not spec.shapes[0].is_compatible_with([]):
            raise ValueError("`predicate` must return a scalar boolean tensor.")
        return dataset._like(_weir.dataset_take_while(dataset._flat, function))

    return transformation


def unique():
    def transformation(dataset):
        for dtype in flatten(dataset.output_types):
            if dtype.name not in ("int32", "int64", "string"):
                raise TypeError("`tf.data.experimental.unique()` only supports inputs of type `tf.int32`, `tf.int64`, or `tf.string`.")
        return dataset._like(_weir.dataset_unique(dataset._flat))

    return transformation


# --- several datasets
def _interleaved(build, datasets):
    """Returns a dataset of elements of `datasets`, with the options of all."""
    if not datasets:
        raise ValueError("`datasets` must not be empty.")
    first = datasets[0]
    for number, dataset in enumerate(datasets):
        if dataset.output_types != first.output_types:
            raise TypeError(f"Datasets to choose from must have elements of the same type. Dataset 0 has {first.output_types}, dataset {number} has {dataset.output_types}.")
        if dataset.output_classes != first.output_classes:
            raise TypeError(f"Datasets to choose from must have elements of the same class. Dataset 0 has {first.output_classes}, dataset {number} has {dataset.output_classes}.")
    options = functools.reduce(lambda merged, one: merged.merge(one.options()), datasets, Options())
    return Dataset._of(build([dataset._flat for dataset in datasets]), first._spec)._with_options(options)


def sample_from_datasets(datasets, weights=None, seed=None):
    datasets = list(datasets)
    if isinstance(weights, Dataset):
        return _interleaved(lambda flat: _weir.dataset_sample_by(weights._flat, flat, seed), datasets)
    if weights is not None:
        weights = _weir.convert_to_tensor(weights, name="weights")
        if weights.dtype.name not in ("float32", "float64"):
            raise TypeError("`weights` must be convertible to a tensor of `tf.float32` or `tf.float64` elements.")
        if not weights.shape.is_compatible_with([len(datasets)]):
            raise ValueError("`weights` must be a vector of length `len(datasets)`.")
    return _interleaved(lambda flat: _weir.dataset_sample(flat, weights, seed), datasets)


def choose_from_datasets(datasets, choice_dataset):
    if choice_dataset.output_types != _INT64 or not choice_dataset.output_shapes.is_compatible_with([]):
        raise TypeError("`choice_dataset` must be a dataset of scalar `tf.int64` tensors.")
    return _interleaved(lambda flat: _weir.dataset_choose(choice_dataset._flat, flat), list(datasets))


# --- numbers
def Counter(start=0, step=1, dtype=_INT64):
    start = _weir.convert_to_tensor(start, dtype=dtype, name="start")
    step = _weir.convert_to_tensor(step, dtype=dtype, name="step")
    return Dataset.from_tensors(0).repeat(None).apply(scan(start, lambda state, _: (state + step, state)))


def cardinality(dataset):
    return _weir.dataset_cardinality(dataset._flat)


def assert_cardinality(expected_cardinality):
    return lambda dataset: dataset._like(_weir.dataset_assert_cardinality(dataset._flat, expected_cardinality))
