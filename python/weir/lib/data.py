"""tf.data: classes for datasets implemented in C++.

This module handles the nested structure of elements (tuples, namedtuples, dicts) and Python functions. For C++, a
dataset is a tuple (variant, types, shapes).
"""
import functools
import itertools

import numpy as np

from weir import _weir
from weir.lib.values import SparseTensorValue

_BOOL, _INT64, _STRING = (_weir.dtypes[name] for name in ("bool", "int64", "string"))

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


# Elements nest in tuples and dicts; a list is a tensor.
def _is_tuple(value):
    return isinstance(value, tuple) and not isinstance(value, (_weir.TensorShape, SparseTensorValue))


def _flatten(value):
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in _flatten(value[key])]
    if _is_tuple(value):
        return [leaf for item in value for leaf in _flatten(item)]
    return [value]


def _pack(structure, leaves):
    """Packs leaves, an iterator, into the structure of `structure`."""
    if isinstance(structure, dict):
        packed = {key: _pack(structure[key], leaves) for key in sorted(structure)}
        ordered = [(key, packed[key]) for key in structure]
        return dict(ordered) if type(structure) is dict else type(structure)(ordered)
    if _is_tuple(structure):
        items = [_pack(item, leaves) for item in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else tuple(items)
    return next(leaves)


class _Sparse:
    """A leaf that is a SparseTensor: its type, and the dense shape of one component."""

    def __init__(self, dtype, shape):
        self.dtype = dtype
        self.shape = shape

    def __eq__(self, other):
        return isinstance(other, _Sparse) and self.dtype == other.dtype

    def whole(self, component):
        """Returns the dense shape for a component tensor of that shape: batches of components have more dimensions."""
        return component[:-1].concatenate(self.shape) if component.ndims is not None else _weir.TensorShape(None)


class _Spec:
    """The type of an element: types, shapes, and its structure. Leaves are None (a tensor), a _Sparse, or a nested
    _Spec."""

    def __init__(self, structure, types, shapes):
        self.structure = structure
        self.types = list(types)
        self.shapes = list(shapes)

    @property
    def flat(self):
        return self.types, self.shapes

    def with_shapes(self, types, shapes):
        return _Spec(self.structure, types, shapes)

    def pack(self, leaves):
        return _pack(self.structure, iter(leaves))

    def value_of(self, tensors):
        """Converts component tensors to an element as the user sees it."""
        def of_kind(kind, tensor):
            if kind is None:
                return tensor
            if isinstance(kind, _Sparse):
                return _weir.sparse_from_component(tensor, kind.dtype, kind.whole(tensor.shape))
            return Dataset._of((tensor, *kind.flat), kind)

        return self.pack(of_kind(kind, tensor) for kind, tensor in zip(_flatten(self.structure), tensors))

    def has_sparse(self):
        return any(isinstance(kind, _Sparse) for kind in _flatten(self.structure))

    def legacy(self, of_tensor, of_sparse, of_dataset):
        def of_kind(i, kind):
            if kind is None:
                return of_tensor(i)
            return of_sparse(i, kind) if isinstance(kind, _Sparse) else of_dataset(kind)

        return self.pack(of_kind(i, kind) for i, kind in enumerate(_flatten(self.structure)))

    @property
    def output_types(self):
        return self.legacy(lambda i: self.types[i], lambda i, sparse: sparse.dtype, lambda spec: spec.output_types)

    @property
    def output_shapes(self):
        return self.legacy(lambda i: self.shapes[i], lambda i, sparse: sparse.whole(self.shapes[i]), lambda spec: spec.output_shapes)

    @property
    def output_classes(self):
        return self.legacy(lambda i: _weir.Tensor, lambda i, sparse: _weir.SparseTensor, lambda spec: Dataset)

    @staticmethod
    def of_user(output_types, output_shapes, output_classes=None):
        types = [_weir.as_dtype(t) for t in _flatten(output_types)]
        structure = _pack(output_types, itertools.repeat(None))
        if output_shapes is None:
            shapes = [_weir.TensorShape(None)] * len(types)
        else:
            shapes = _shapes_like(structure, output_shapes)
        if output_classes is None:
            return _Spec(structure, types, shapes)
        kinds = [_Sparse(dtype, shape) if issubclass(of, _weir.SparseTensor) else None
                 for of, dtype, shape in zip(_flatten(output_classes), types, shapes)]
        return _Spec(_pack(structure, iter(kinds)), [dtype if kind is None else _STRING for kind, dtype in zip(kinds, types)],
                     [shape if kind is None else _weir.TensorShape(None) for kind, shape in zip(kinds, shapes)])


def _shapes_like(structure, shapes):
    """Returns flat shapes. Where the structure has a leaf, a shape may be a list, a tuple or a TensorShape."""
    if isinstance(structure, dict):
        return [shape for key in sorted(structure) for shape in _shapes_like(structure[key], shapes[key])]
    if isinstance(structure, tuple):
        if len(structure) != len(shapes):
            raise ValueError(f"The shapes {shapes} do not have the structure of the types: {len(structure)} are expected")
        return [shape for item, one in zip(structure, shapes) for shape in _shapes_like(item, one)]
    return [_weir.TensorShape(shapes)]


def _row_components(value):
    """Like _components, but a SparseTensor becomes one component per row."""
    return _components(value, _weir.sparse_row_components, 1)


def _components(value, of_sparse=_weir.sparse_component, rows=0):
    """Converts a user's element to component tensors and a _Spec."""
    tensors, kinds = [], []
    for i, leaf in enumerate(_flatten(value)):
        if isinstance(leaf, Dataset):
            tensors.append(leaf._variant_tensor)
            kinds.append(leaf._spec)
        elif isinstance(leaf, (_weir.SparseTensor, SparseTensorValue)):
            sparse = leaf if isinstance(leaf, _weir.SparseTensor) else _weir.SparseTensor(*leaf)
            tensors.append(of_sparse(sparse))
            shape = sparse.shape
            kinds.append(_Sparse(sparse.dtype, shape[rows:] if shape.ndims is not None else shape))
        else:
            tensors.append(_weir.convert_to_tensor(leaf, name=f"component_{i}"))
            kinds.append(None)
    structure = _pack(value, iter(kinds))
    return tensors, _Spec(structure, [t.dtype.base_dtype for t in tensors], [t.shape for t in tensors])


def _trace(function, spec, convert=_components):
    """Traces a function of elements into a library function. Returns it, and the _Spec of its result."""
    given = []

    def traced(*tensors):
        args = spec.value_of(tensors)
        value = function(*args) if type(args) is tuple else function(args)
        if isinstance(value, list):
            value = tuple(value)
        tensors, result = convert(value)
        given.append(result)
        return list(tensors)

    traced.__name__ = "Dataset_" + "".join(c if c.isalnum() else "_" for c in getattr(function, "__name__", "function"))
    defined = _weir.Defun(*spec.types, input_shapes=spec.shapes, ordered_effects=True)(traced)
    defined.name  # forces tracing
    return (defined, *given[0].flat), given[0]


def _trace_dataset(function, spec, what):
    """Like _trace, for functions that return a dataset."""
    def checked(*args):
        value = function(*args)
        if not isinstance(value, Dataset):
            raise TypeError(f"`{what}` must return a `Dataset` object.")
        return value

    checked.__name__ = getattr(function, "__name__", "function")
    traced, result = _trace(checked, spec)
    return traced, result.structure


def _check_name(name):
    if name and not name.isidentifier():
        raise ValueError("Invalid `name`. The argument `name` needs to be a valid identifier. Value is considered a valid identifier if it only contains "
                         "alphanumeric characters (a-z), (A-Z), and (0-9), or underscores (_). A valid identifier cannot start with a number, or contain "
                         "any spaces.")


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
        return _weir.dataset_in_any_order(self._flat) if self.options().experimental_deterministic is False else self._flat

    output_types = property(lambda self: self._spec.output_types)
    output_shapes = property(lambda self: self._spec.output_shapes)
    output_classes = property(lambda self: self._spec.output_classes)

    def __repr__(self):
        return f"<Dataset shapes: {self.output_shapes}, types: {self.output_types}>"

    def __iter__(self):
        raise RuntimeError("dataset.__iter__() is only supported when eager execution is enabled.")

    # --- sources
    @staticmethod
    def from_tensors(tensors, name=None):
        values, spec = _components(tensors)
        return Dataset._of(_weir.dataset_from_tensors(values), spec, name)

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        values, spec = _row_components(tensors)
        return Dataset._of(_weir.dataset_from_slices(values), spec, name)

    @staticmethod
    def range(*args, output_type=_INT64, name=None, **ignored):
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid arguments to RangeDataset: {args}")
        start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        dataset = Dataset._of(_weir.dataset_range(start, stop, step), _Spec(None, [], []), name)
        return dataset if output_type == _INT64 else dataset.map(lambda value: _weir.cast(value, output_type))

    @staticmethod
    def from_generator(generator, output_types, output_shapes=None, args=None, name=None):
        if not callable(generator):
            raise TypeError("`generator` must be callable.")
        spec = _Spec.of_user(output_types, output_shapes)
        arguments = [] if args is None else [_weir.convert_to_tensor(arg) for arg in args]
        iterators, numbers = {}, itertools.count()

        def start(*values):
            number = next(numbers)
            iterators[number] = iter(generator(*values))
            return np.int64(number)

        def advance(number):
            value = next(iterators[int(number)])
            leaves = _flatten(value)
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

            return _trace(lambda *tensors: _weir.py_func(function, list(tensors) or arguments, types), given, convert)[0]

        number = _Spec(None, [_INT64], [_weir.TensorShape([])])
        return Dataset._of(_weir.dataset_generate(of_py_func(start, _Spec((), [], []), [_INT64], number),
                                                  of_py_func(advance, number, spec.types, spec),
                                                  of_py_func(end, number, [_INT64], number), spec.flat), spec, name)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None):
        return Dataset._of(_weir.dataset_list_files(file_pattern, shuffle is None or bool(shuffle), seed), _Spec(None, [], []), name)

    @staticmethod
    def zip(datasets, name=None):
        leaves = _flatten(datasets)
        for leaf in leaves:
            if isinstance(leaf, list):
                raise TypeError("The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects. Nested structures do not support Python lists; please use a tuple instead.")
            if not isinstance(leaf, Dataset):
                raise TypeError("The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects.")
        structure = _pack(datasets, (leaf._spec.structure for leaf in leaves))
        options = functools.reduce(lambda merged, leaf: merged.merge(leaf.options()), leaves, Options())
        return Dataset._of(_weir.dataset_zip([leaf._flat for leaf in leaves]), _Spec(structure, [], []), name)._with_options(options)

    # --- transformations
    def map(self, map_func, num_parallel_calls=None, deterministic=None, name=None):
        function, spec = _trace(map_func, self._spec)
        if num_parallel_calls is None:
            return self._from(_weir.dataset_map(self._flat, function, False), spec, name)
        return self._from(_weir.dataset_parallel_map(self._flat, function, num_parallel_calls, False, deterministic), spec)

    def map_with_legacy_function(self, map_func, num_parallel_calls=None, deterministic=None):
        return self.map(map_func, num_parallel_calls, deterministic)

    def flat_map(self, map_func, name=None):
        function, spec = _trace_dataset(map_func, self._spec, "map_func")
        return self._from(_weir.dataset_flat_map(self._flat, function, spec.flat), spec, name)

    def interleave(self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None, name=None):
        cycle_length = AUTOTUNE if cycle_length is None else cycle_length
        block_length = 1 if block_length is None else block_length
        function, spec = _trace_dataset(map_func, self._spec, "map_func")
        return self._from(_weir.dataset_interleave(self._flat, function, spec.flat, cycle_length, block_length, num_parallel_calls, deterministic is False),
                          spec, name)

    def filter(self, predicate, name=None):
        function, spec = _trace(predicate, self._spec)
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
            function, spec = _trace(lambda *args: args if type(self._spec.structure) is tuple else args[0], self._spec, _row_components)
            return self._from(_weir.dataset_unbatch(_weir.dataset_map(self._flat, function, True)), spec, name)
        return self._like(_weir.dataset_unbatch(self._flat), name)

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        specs = [_Spec(kind, [dtype], [shape]) for kind, dtype, shape in zip(_flatten(self._spec.structure), *self._spec.flat)]
        return self._from(_weir.dataset_window(self._flat, size, size if shift is None else shift, stride, drop_remainder),
                           _Spec(self._spec.pack(specs), [], []), name)

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
        values, state = _components(initial_state)
        both = _Spec((state.structure, self._spec.structure), [], [])
        while True:
            both = both.with_shapes(state.types + self._spec.types, state.shapes + self._spec.shapes)
            function, result = _trace(reduce_func, both)
            if result.types != state.types or result.structure != state.structure:
                raise TypeError(f"The element types for the new state must match the initial state. Expected {state.output_types}; got {result.output_types}.")
            common = [_common_shape(a, b) for a, b in zip(state.shapes, result.shapes)]
            if all(a.as_list() == b.as_list() if a.ndims is not None else b.ndims is None for a, b in zip(common, state.shapes)):
                break
            state = state.with_shapes(state.types, common)
        function = (function[0], state.types, state.shapes)
        _check_name(name)
        return state.value_of(_weir.dataset_reduce(self._flat_with_options, values, function))

    # --- iterators
    def make_one_shot_iterator(self):
        return Iterator(_weir.iterator_one_shot(self._flat_with_options), None, self._spec)

    def make_initializable_iterator(self, shared_name=None):
        iterator = _weir.iterator_from_structure(self._spec.flat, shared_name)
        return Iterator(iterator, _weir.iterator_make_initializer(iterator, self._flat_with_options, None), self._spec)


def _array(value, dtype):
    if dtype == _STRING:
        return np.array(value, dtype=object) if np.ndim(value) else np.array(value.encode() if isinstance(value, str) else value, dtype=object)
    given = np.asarray(value)
    array = given.astype(dtype.as_numpy_dtype)
    if given.dtype.kind in "USO" or (given.size > 0 and given.dtype.kind == "f" and array.dtype.kind in "iu"):
        raise TypeError("value cannot be converted to the element type")
    return array


def _common_shape(a, b):
    if a.ndims is None or b.ndims is None or a.ndims != b.ndims:
        return _weir.TensorShape(None)
    return _weir.TensorShape([x if x == y else None for x, y in zip(a.as_list(), b.as_list())])


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
        leaves = _flatten(values)
        values = leaves if len(leaves) == len(spec.types) else [values] * len(spec.types)
    else:
        values = _flatten(values)
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
            self._set(read(filenames), _Spec(None, [], []), name)
            return
        else:
            names = Dataset.from_tensor_slices(filenames if isinstance(filenames, _weir.Tensor) else np.atleast_1d(filenames))
        each = lambda name: Dataset._of(read(name), _Spec(None, [], []))
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
            names, record_bytes, 0 if header_bytes is None else header_bytes, 0 if footer_bytes is None else footer_bytes, _buffer(buffer_size), compression_type or ""), num_parallel_reads, name)


class Iterator:
    """Iterates over a dataset: each step that runs get_next() consumes one element."""

    def __init__(self, flat, initializer, spec):
        self._flat = flat
        self._spec = spec
        self._initializer = initializer
        self._one_shot = initializer is None

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        spec = _Spec.of_user(output_types, output_shapes, output_classes)
        iterator = Iterator(_weir.iterator_from_structure(spec.flat, shared_name), None, spec)
        iterator._one_shot = False
        return iterator

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        spec = _Spec.of_user(output_types, output_shapes, output_classes)
        return Iterator(_weir.iterator_from_string_handle(string_handle, spec.flat), None, spec)

    output_types = property(lambda self: self._spec.output_types)
    output_shapes = property(lambda self: self._spec.output_shapes)
    output_classes = property(lambda self: self._spec.output_classes)

    @property
    def initializer(self):
        if self._initializer is None:
            raise ValueError("The iterator does not have an initializer: " + (
                "it needs none." if self._one_shot else "run one of those that make_initializer gives."))
        return self._initializer

    def make_initializer(self, dataset, name=None):
        if self.output_types != dataset.output_types:
            raise TypeError(f"Expected output types {self.output_types!r} but got dataset with output types {dataset.output_types!r}.")
        if self.output_classes != dataset.output_classes:
            raise TypeError(f"Expected output classes {self.output_classes!r} but got dataset with output classes {dataset.output_classes!r}.")
        for own, shape in zip(self._spec.shapes, dataset._spec.shapes):
            if not own.is_compatible_with(shape):
                raise TypeError(f"Expected output shapes compatible with {self.output_shapes!r} but got dataset with output shapes {dataset.output_shapes!r}.")
        return _weir.iterator_make_initializer(self._flat, dataset._flat_with_options, name)

    def get_next(self, name=None):
        return self._spec.value_of(_weir.iterator_get_next(self._flat, name))

    def string_handle(self, name=None):
        return _weir.iterator_string_handle(self._flat, name)


class _OptionsBase:
    """Named options. None means not set."""
    _names: "tuple[str, ...]" = ()
    _parts: "dict[str, type]" = {}

    def __init__(self):
        for name in self._names:
            setattr(self, name, None)
        for name, part in self._parts.items():
            setattr(self, name, part())

    def __setattr__(self, name, value):
        if name not in self._names and name not in self._parts:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def merge(self, other):
        """Returns the union of both. Raises ValueError if both set an option to different values."""
        merged = type(self)()
        for name in self._parts:
            setattr(merged, name, getattr(self, name).merge(getattr(other, name)))
        for name in self._names:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not None and theirs is not None and mine != theirs:
                raise ValueError(f"Cannot merge incompatible values of option: {name}: {mine} and {theirs}.")
            setattr(merged, name, theirs if mine is None else mine)
        return merged


class OptimizationOptions(_OptionsBase):
    _names = ("apply_default_optimizations", "autotune", "autotune_buffers", "autotune_cpu_budget", "filter_fusion", "filter_with_random_uniform_fusion",
              "hoist_random_uniform", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization", "map_vectorization",
              "noop_elimination", "parallel_batch", "shuffle_and_repeat_fusion")


class ThreadingOptions(_OptionsBase):
    _names = ("max_intra_op_parallelism", "private_threadpool_size")


class DistributeOptions(_OptionsBase):
    _names = ("auto_shard", "num_devices")


class StatsOptions(_OptionsBase):
    _names = ("aggregator", "prefix", "counter_prefix", "latency_all_edges")


class Options(_OptionsBase):
    """Options of a pipeline.

    `experimental_deterministic=False` allows elements to be produced out of order. The other options are stored but
    have no effect: parallelism is controlled by the arguments of map, interleave and similar methods.
    """
    _names = ("experimental_deterministic", "experimental_slack")
    _parts = {"experimental_optimization": OptimizationOptions, "experimental_threading": ThreadingOptions,
              "experimental_distribute": DistributeOptions, "experimental_stats": StatsOptions}


def make_one_shot_iterator(dataset):
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset, shared_name=None):
    return dataset.make_initializable_iterator(shared_name)


def get_output_types(dataset_or_iterator):
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator):
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator):
    return dataset_or_iterator.output_classes


# --- tf.data.experimental
def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive.")

    def transformation(dataset):
        function, spec = _trace(map_func, dataset._spec)
        calls = num_parallel_calls
        if calls is None:
            calls = batch_size * (num_parallel_batches or 1)
        return dataset._from(_weir.dataset_map_and_batch(dataset._flat, function, batch_size, calls, drop_remainder), spec)

    return transformation


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    return lambda dataset: dataset._like(_weir.dataset_shuffle_and_repeat(dataset._flat, buffer_size, -1 if count is None else count, seed))


def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None):
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, cycle_length, deterministic=not sloppy)


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


def get_single_element(dataset):
    return dataset._spec.value_of(_weir.dataset_single_element(dataset._flat_with_options))
