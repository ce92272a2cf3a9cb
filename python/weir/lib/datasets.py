"""tf.data: classes for datasets implemented in C++. For C++, a dataset is a tuple (variant, types, shapes)."""
import functools
import itertools

import numpy as np

from weir import _weir
from weir.lib.data_elements import Spec, components, flatten, pack, row_components, trace, trace_dataset, trace_fold
from weir.lib.data_iterators import Iterator
from weir.lib.data_options import Options

_BOOL, _INT64, _STRING = (_weir.dtypes[name] for name in ("bool", "int64", "string"))

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def _check_name(name):
    if name and not name.isidentifier():
        raise ValueError("Invalid `name`. The argument `name` needs to be a valid identifier. Value is considered a valid identifier if it only contains "
                         "alphanumeric characters (a-z), (A-Z), and (0-9), or underscores (_). A valid identifier cannot start with a number, or contain "
                         "any spaces.")


def with_op(op, flat, *inputs):
    """Returns the dataset of an op that changes no element of `flat`."""
    return _weir.op_function(op)(flat[0], *inputs, output_types=flat[1], output_shapes=flat[2]), flat[1], flat[2]


class Dataset:
    """An input pipeline: a sequence of elements, and transformations of it."""

    def __init__(self, *args, **kwargs):
        raise TypeError("tf.data.Dataset cannot be instantiated: use functions such as tf.data.Dataset.from_tensor_slices")

    @classmethod
    def _of(cls, flat, spec, name=None):
        dataset = object.__new__(Dataset)
        dataset._set(flat, spec, name)
        return dataset

    def _set(self, flat, spec, name=None):
        _check_name(name)
        self._flat = flat
        self._spec = spec.with_shapes(flat[1], flat[2])
        self._options = None

    def _from(self, flat, spec, name=None):
        """Returns a dataset derived from this one, with its options."""
        return Dataset._of(flat, spec, name)._with_options(self._options)

    def _like(self, flat, name=None):
        return self._from(flat, self._spec, name)

    def _with_options(self, options):
        self._options = options
        return self

    @property
    def _variant_tensor(self):
        return self._flat[0]

    @property
    def _flat_with_options(self):
        """The dataset to iterate over, with the options applied that have an effect."""
        options = self.options()
        flat = _weir.dataset_in_any_order(self._flat) if options.experimental_deterministic is False else self._flat
        stats = options.experimental_stats
        if stats.aggregator is None:
            return flat
        return with_op("SetStatsAggregatorDataset", flat, stats.aggregator._resource, stats.prefix or "", stats.counter_prefix or "")

    output_types = property(lambda self: self._spec.output_types)
    output_shapes = property(lambda self: self._spec.output_shapes)
    output_classes = property(lambda self: self._spec.output_classes)

    @property
    def element_spec(self):
        from weir.lib.data_experimental import get_structure
        return get_structure(self)

    def __repr__(self):
        return f"<Dataset shapes: {self.output_shapes}, types: {self.output_types}>"

    def __iter__(self):
        raise RuntimeError("dataset.__iter__() is only supported when eager execution is enabled.")

    # --- sources
    @staticmethod
    def from_tensors(tensors, name=None):
        values, spec = components(tensors)
        return Dataset._of(_weir.dataset_from_tensors(values), spec, name)

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        values, spec = row_components(tensors)
        return Dataset._of(_weir.dataset_from_slices(values), spec, name)

    @staticmethod
    def range(*args, output_type=_INT64, name=None, **ignored):
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid arguments to RangeDataset: {args}")
        start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        dataset = Dataset._of(_weir.dataset_range(start, stop, step), Spec(None, [], []), name)
        return dataset if output_type == _INT64 else dataset.map(lambda value: _weir.cast(value, output_type))

    @staticmethod
    def from_generator(generator, output_types, output_shapes=None, args=None, name=None):
        if not callable(generator):
            raise TypeError("`generator` must be callable.")
        spec = Spec.of_user(output_types, output_shapes)
        arguments = [] if args is None else [_weir.convert_to_tensor(arg) for arg in args]
        iterators, numbers = {}, itertools.count()

        def start(*values):
            number = next(numbers)
            iterators[number] = iter(generator(*values))
            return np.int64(number)

        def advance(number):
            value = next(iterators[int(number)])
            leaves = flatten(value)
            if len(leaves) != len(spec.types):
                raise TypeError(f"`generator` yielded an element that did not match the expected structure. The expected structure was {spec.output_types}, but the yielded element was {value}.")
            arrays = []
            for leaf, dtype, shape in zip(leaves, spec.types, spec.shapes):
                try:
                    array = _array(leaf, dtype)
                except (TypeError, ValueError):
                    raise TypeError(f"`generator` yielded an element that could not be converted to the expected type. The expected type was {dtype.name}, but the yielded element was {leaf}.") from None
                if not shape.is_compatible_with(array.shape):
                    raise TypeError(f"`generator` yielded an element of shape {array.shape} where an element of shape {shape} was expected.")
                arrays.append(array)
            return arrays

        def end(number):
            iterators.pop(int(number), None)
            return np.int64(0)

        def of_py_func(function, given, types, result):
            def convert(value):
                return list(value) if isinstance(value, tuple) else [value], result

            return trace(lambda *tensors: _weir.py_func(function, list(tensors) or arguments, types), given, convert)[0]

        number = Spec(None, [_INT64], [_weir.TensorShape([])])
        return Dataset._of(_weir.dataset_generate(of_py_func(start, Spec((), [], []), [_INT64], number),
                                                  of_py_func(advance, number, spec.types, spec),
                                                  of_py_func(end, number, [_INT64], number), spec.flat), spec, name)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None):
        return Dataset._of(_weir.dataset_list_files(file_pattern, shuffle is None or bool(shuffle), seed), Spec(None, [], []), name)

    @staticmethod
    def zip(datasets, name=None):
        leaves = flatten(datasets)
        for leaf in leaves:
            if isinstance(leaf, list):
                raise TypeError("The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects. Nested structures do not support Python lists; please use a tuple instead.")
            if not isinstance(leaf, Dataset):
                raise TypeError("The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects.")
        structure = pack(datasets, (leaf._spec.structure for leaf in leaves))
        options = functools.reduce(lambda merged, leaf: merged.merge(leaf.options()), leaves, Options())
        return Dataset._of(_weir.dataset_zip([leaf._flat for leaf in leaves]), Spec(structure, [], []), name)._with_options(options)

    # --- transformations
    def map(self, map_func, num_parallel_calls=None, deterministic=None, name=None):
        function, spec = trace(map_func, self._spec)
        if num_parallel_calls is None:
            return self._from(_weir.dataset_map(self._flat, function, False), spec, name)
        return self._from(_weir.dataset_parallel_map(self._flat, function, num_parallel_calls, False, deterministic), spec)

    def map_with_legacy_function(self, map_func, num_parallel_calls=None, deterministic=None):
        return self.map(map_func, num_parallel_calls, deterministic)

    def flat_map(self, map_func, name=None):
        function, spec = trace_dataset(map_func, self._spec, "map_func")
        return self._from(_weir.dataset_flat_map(self._flat, function, spec.flat), spec, name)

    def interleave(self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None, name=None):
        cycle_length = AUTOTUNE if cycle_length is None else cycle_length
        block_length = 1 if block_length is None else block_length
        function, spec = trace_dataset(map_func, self._spec, "map_func")
        return self._from(_weir.dataset_interleave(self._flat, function, spec.flat, cycle_length, block_length, num_parallel_calls, deterministic is False),
                          spec, name)

    def filter(self, predicate, name=None):
        function, spec = trace(predicate, self._spec)
        if spec.structure is not None or spec.types != [_BOOL] or not spec.shapes[0].is_compatible_with([]):
            raise ValueError("`predicate` must return a scalar boolean tensor.")
        return self._like(_weir.dataset_filter(self._flat, function), name)

    def filter_with_legacy_function(self, predicate):
        return self.filter(predicate)

    def batch(self, batch_size, drop_remainder=False, name=None):
        if drop_remainder is True and isinstance(batch_size, int) and batch_size < 0:
            raise ValueError(f"Dimension {batch_size} must be >= 0")
        return self._like(_weir.dataset_batch(self._flat, batch_size, drop_remainder), name)

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None):
        if self._spec.has_sparse():
            raise TypeError("Batching of padded sparse tensors is not currently supported")
        shapes = self._spec.shapes if padded_shapes is None else _padded_shapes(self._spec.structure, padded_shapes)
        shapes = [_shape_vector(shape, component) for shape, component in zip(shapes, self._spec.shapes)]
        values = _padding_values(self._spec, padding_values)
        return self._like(_weir.dataset_padded_batch(self._flat, batch_size, shapes, values, drop_remainder), name)

    def unbatch(self, name=None):
        if self._spec.has_sparse():
            function, spec = trace(lambda *args: args if type(self._spec.structure) is tuple else args[0], self._spec, row_components)
            return self._from(_weir.dataset_unbatch(_weir.dataset_map(self._flat, function, True)), spec, name)
        return self._like(_weir.dataset_unbatch(self._flat), name)

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        specs = [Spec(kind, [dtype], [shape]) for kind, dtype, shape in zip(flatten(self._spec.structure), *self._spec.flat)]
        return self._from(_weir.dataset_window(self._flat, size, size if shift is None else shift, stride, drop_remainder),
                           Spec(self._spec.pack(specs), [], []), name)

    def repeat(self, count=None, name=None):
        return self._like(_weir.dataset_repeat(self._flat, -1 if count is None else count), name)

    def take(self, count, name=None):
        return self._like(_weir.dataset_take(self._flat, count), name)

    def skip(self, count, name=None):
        return self._like(_weir.dataset_skip(self._flat, count), name)

    def shard(self, num_shards, index, name=None):
        return self._like(_weir.dataset_shard(self._flat, num_shards, index), name)

    def concatenate(self, dataset, name=None):
        if self.output_types != dataset.output_types:
            raise TypeError(f"Two datasets to concatenate have different types {self.output_types} and {dataset.output_types}")
        if self.output_classes != dataset.output_classes:
            raise TypeError(f"Two datasets to concatenate have different classes {self.output_classes} and {dataset.output_classes}")
        return self._like(_weir.dataset_concatenate(self._flat, dataset._flat), name)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None):
        return self._like(_weir.dataset_shuffle(self._flat, buffer_size, seed, reshuffle_each_iteration is not False), name)

    def prefetch(self, buffer_size, name=None):
        return self._like(_weir.dataset_prefetch(self._flat, AUTOTUNE if buffer_size is None else buffer_size), name)

    def cache(self, filename="", name=None):
        return self._like(_weir.dataset_cache(self._flat, filename), name)

    def enumerate(self, start=0, name=None):
        return Dataset.zip((Dataset.range(start, np.iinfo(np.int64).max), self), name)

    def apply(self, transformation_func):
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(f"`transformation_func` must return a Dataset. Got {dataset}.")
        return dataset

    def with_options(self, options, name=None):
        return self._like(self._flat, name)._with_options(self.options().merge(options))

    def options(self):
        return self._options or Options()

    def reduce(self, initial_state, reduce_func, name=None):
        values, state = components(initial_state)
        function, state, _ = trace_fold(reduce_func, state, self._spec)
        function = (function[0], *state.flat)
        _check_name(name)
        return state.value_of(_weir.dataset_reduce(self._flat_with_options, values, function))

    # --- iterators
    def make_one_shot_iterator(self):
        return Iterator._of(_weir.iterator_one_shot(self._flat_with_options), None, self._spec)

    def make_initializable_iterator(self, shared_name=None):
        iterator = _weir.iterator_from_structure(self._spec.flat, shared_name)
        return Iterator._of(iterator, _weir.iterator_make_initializer(iterator, self._flat_with_options, None), self._spec)


def _array(value, dtype):
    if dtype == _STRING:
        return np.array(value, dtype=object) if np.ndim(value) else np.array(value.encode() if isinstance(value, str) else value, dtype=object)
    given = np.asarray(value)
    array = given.astype(dtype.as_numpy_dtype)
    if given.dtype.kind in "USO" or (given.size > 0 and given.dtype.kind == "f" and array.dtype.kind in "iu"):
        raise TypeError("value cannot be converted to the element type")
    return array


def _padded_shapes(structure, shapes):
    if isinstance(structure, (dict, tuple)):
        kind = dict if isinstance(structure, dict) else tuple
        if not isinstance(shapes, kind):
            raise TypeError(f"If shallow structure is a sequence, input must also be a sequence. Input has type: '{type(shapes).__name__}'.")
        if len(shapes) != len(structure):
            raise ValueError("The two structures don't have the same sequence length. Input structure has length "
                             f"{len(shapes)}, while shallow structure has length {len(structure)}.")
    if isinstance(structure, dict):
        return [shape for key in sorted(structure) for shape in _padded_shapes(structure[key], shapes[key])]
    if isinstance(structure, tuple):
        return [shape for item, one in zip(structure, shapes) for shape in _padded_shapes(item, one)]
    return [shapes]


def _shape_vector(shape, component):
    """Converts a padded shape to an int64 vector, where -1 means the longest element of a batch. `component` is the shape to pad."""
    try:
        known = _weir.TensorShape(shape)
        if known.ndims is None:
            raise ValueError(f"Cannot convert a partially known TensorShape {known} to a Tensor.")
        vector = np.array([-1 if size is None else size for size in known.as_list()], dtype=np.int64)
    except (TypeError, ValueError):  # contains -1 or tensors
        vector = _weir.convert_to_tensor(shape, preferred_dtype=_INT64)
        if vector.shape.ndims not in (1, None):
            raise ValueError(f"Padded shape {shape} must be a `tf.int64` vector tensor, but its shape was {vector.shape}.") from None
        if vector.dtype != _INT64:
            raise TypeError(f"Padded shape {shape} must be a `tf.int64` vector tensor, but its element type was {vector.dtype.name}.") from None
        known = _weir.constant_value_as_shape(vector)
    if known.ndims is not None and component.ndims is not None and (known.ndims != component.ndims or any(
            padded is not None and size is not None and padded < size for padded, size in zip(known.as_list(), component.as_list()))):
        raise ValueError(f"The padded shape {known} is not compatible with the shape {component} of the corresponding input component.")
    return vector


def _padding_values(spec, values):
    if values is None:
        values = [None] * len(spec.types)
    elif len(spec.types) == 1 or not isinstance(values, (tuple, dict)):
        leaves = flatten(values)
        values = leaves if len(leaves) == len(spec.types) else [values] * len(spec.types)
    else:
        values = flatten(values)
    if len(values) != len(spec.types):
        raise ValueError(f"expected {len(spec.types)} padding values, got {len(values)}")
    for value in values:
        if isinstance(value, (list, np.ndarray)) and np.ndim(value) > 0:
            raise ValueError(f"Invalid `padding_values`. `padding_values` values should be scalars, but got {np.shape(value)}.")
    return [(b"" if dtype == _STRING else np.zeros((), dtype.as_numpy_dtype)) if value is None else value
            for value, dtype in zip(values, spec.types)]


class _FileDataset(Dataset):
    def _set_files(self, filenames, read, num_parallel_reads, name):
        """Reads files with `read`, one after the other or interleaved. `filenames` may be a dataset."""
        if isinstance(filenames, Dataset):
            names = filenames
        elif num_parallel_reads is None:
            self._set(read(filenames), Spec(None, [], []), name)
            return
        else:
            names = Dataset.from_tensor_slices(filenames if isinstance(filenames, _weir.Tensor) else np.atleast_1d(filenames))
        each = lambda name: Dataset._of(read(name), Spec(None, [], []))
        dataset = names.flat_map(each) if num_parallel_reads is None else names.interleave(each, num_parallel_reads, 1, num_parallel_reads)
        self._set(dataset._flat, dataset._spec, name)


def _buffer(size):
    return 256 * 1024 if size is None else size


class TextLineDataset(_FileDataset):
    """The lines of text files."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        self._set_files(filenames, lambda names: _weir.dataset_text_lines(names, compression_type or "", _buffer(buffer_size)), num_parallel_reads, name)


class TFRecordDataset(_FileDataset):
    """The records of TFRecord files."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        self._set_files(filenames, lambda names: _weir.dataset_records(names, compression_type or "", _buffer(buffer_size)), num_parallel_reads, name)


class FixedLengthRecordDataset(_FileDataset):
    """Fixed-length records from binary files."""

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None, compression_type=None, num_parallel_reads=None,
                 name=None):
        self._set_files(filenames, lambda names: _weir.dataset_fixed_length_records(
            names, record_bytes, 0 if header_bytes is None else header_bytes, 0 if footer_bytes is None else footer_bytes, _buffer(buffer_size),
            compression_type or ""), num_parallel_reads, name)


class RandomDataset(Dataset):
    """Unlimited pseudorandom integers."""

    def __init__(self, seed=None):
        self._set(_weir.dataset_random(seed), Spec(None, [], []))
