"""tf.feature_column: descriptions of features, and the layers that read them. The columns are tuples, as in TensorFlow. Each
holds the C++ column that does the work."""
import collections
import collections.abc
import functools
import math

from weir import _weir
from weir.lib.parsing import FixedLenFeature, VarLenFeature

_FLOAT, _STRING = _weir.dtypes["float32"], _weir.dtypes["string"]


class FeatureColumn:
    """Base class of all columns. A derived class makes its C++ column in `_make_column`."""

    @functools.cached_property
    def _column(self):
        return self._make_column()

    def __getstate__(self):
        return None  # copies make their own C++ column

    @property
    def name(self):
        return self._column.name

    @property
    def parse_example_spec(self):
        return _specs([self])

    @property
    def num_buckets(self):
        return self._column.num_buckets

    @property
    def variable_shape(self):
        return _weir.TensorShape(self._column.variable_shape)

    _parse_example_spec = parse_example_spec
    _num_buckets = num_buckets
    _variable_shape = variable_shape

    @property
    def _var_scope_name(self):
        return self._column.variable_scope


class NumericColumn(FeatureColumn, collections.namedtuple("NumericColumn", ["key", "shape", "default_value", "dtype", "normalizer_fn"])):
    def _make_column(self):
        return _weir._numeric_column(*self)


class SequenceNumericColumn(FeatureColumn,
                            collections.namedtuple("SequenceNumericColumn", ["key", "shape", "default_value", "dtype", "normalizer_fn"])):
    def _make_column(self):
        return _weir._sequence_numeric_column(*self)


class BucketizedColumn(FeatureColumn, collections.namedtuple("BucketizedColumn", ["source_column", "boundaries"])):
    def _make_column(self):
        return _weir._bucketized_column(self.source_column._column, self.boundaries)


class HashedCategoricalColumn(FeatureColumn, collections.namedtuple("HashedCategoricalColumn", ["key", "hash_bucket_size", "dtype"])):
    def _make_column(self):
        return _weir._hash_bucket_column(*self)


class IdentityCategoricalColumn(FeatureColumn,
                                collections.namedtuple("IdentityCategoricalColumn", ["key", "number_buckets", "default_value"])):
    def _make_column(self):
        return _weir._identity_column(*self)


class VocabularyListCategoricalColumn(FeatureColumn, collections.namedtuple(
        "VocabularyListCategoricalColumn", ["key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets"])):
    def _make_column(self):
        return _weir._vocabulary_list_column(*self)


class VocabularyFileCategoricalColumn(FeatureColumn, collections.namedtuple(
        "VocabularyFileCategoricalColumn", ["key", "vocabulary_file", "vocabulary_size", "num_oov_buckets", "dtype", "default_value"])):
    def _make_column(self):
        return _weir._vocabulary_file_column(self.key, self.vocabulary_file, self.vocabulary_size, self.dtype, self.default_value,
                                             self.num_oov_buckets)


class CrossedColumn(FeatureColumn, collections.namedtuple("CrossedColumn", ["keys", "hash_bucket_size", "hash_key"])):
    def _make_column(self):
        keys = [key if isinstance(key, str) else key._column for key in self.keys]
        return _weir._crossed_column(keys, self.hash_bucket_size, self.hash_key)


class WeightedCategoricalColumn(FeatureColumn, collections.namedtuple("WeightedCategoricalColumn",
                                                                      ["categorical_column", "weight_feature_key", "dtype"])):
    def _make_column(self):
        return _weir._weighted_column(self.categorical_column._column, self.weight_feature_key, self.dtype)


class SequenceCategoricalColumn(FeatureColumn, collections.namedtuple("SequenceCategoricalColumn", ["categorical_column"])):
    def _make_column(self):
        return _weir._sequence_column(self.categorical_column._column)


class IndicatorColumn(FeatureColumn, collections.namedtuple("IndicatorColumn", ["categorical_column"])):
    def _make_column(self):
        return _weir._indicator_column(self.categorical_column._column)


def _restore(column):
    """A function that initializes new variables from the checkpoint of the column, if it has one."""
    checkpoint, name = column.ckpt_to_load_from, column.tensor_name_in_ckpt
    return None if checkpoint is None else lambda variables: _weir.init_from_checkpoint(checkpoint, {name: variables})


class EmbeddingColumn(FeatureColumn, collections.namedtuple(
        "EmbeddingColumn", ["categorical_column", "dimension", "combiner", "initializer", "ckpt_to_load_from", "tensor_name_in_ckpt",
                            "max_norm", "trainable"])):
    def _make_column(self):
        return _weir._embedding_column(self.categorical_column._column, self.dimension, self.combiner, self.initializer, self.max_norm,
                                       self.trainable, _restore(self))


class SharedEmbeddingColumn(FeatureColumn, collections.namedtuple(
        "SharedEmbeddingColumn", ["categorical_column", "dimension", "combiner", "initializer", "shared_embedding_collection_name",
                                  "ckpt_to_load_from", "tensor_name_in_ckpt", "max_norm", "trainable"])):
    def _make_column(self):
        return _shared([self])[0]


def _shared(columns):
    first = columns[0]
    return _weir._shared_embedding_columns([c.categorical_column._column for c in columns], first.dimension, first.combiner,
                                           first.initializer, first.max_norm, first.trainable, _restore(first),
                                           first.shared_embedding_collection_name)


def _checked(column):
    """Makes the C++ column, which checks the arguments."""
    column._column
    return column


def _check_key(key):
    if not isinstance(key, str):
        raise ValueError(f"the key of a column must be a string, not {key!r}")


def _check_column(column, what):
    if not isinstance(column, FeatureColumn):
        raise ValueError(f"{what} must be a feature column, not {column!r}")


def _numbers_shape(shape, key):
    shape = tuple(shape) if isinstance(shape, collections.abc.Iterable) else (shape,)
    for size in shape:
        if not isinstance(size, int):
            raise TypeError(f"column '{key}': the dimensions of the shape must be integers, not {shape}")
    return shape


def _nested_tuple(value):
    return tuple(map(_nested_tuple, value)) if isinstance(value, (list, tuple)) else value


def _default_numbers(value, shape, dtype, key):
    """The default value as nested tuples of this shape. Numbers that the type cannot hold raise TypeError."""
    if value is None:
        return None
    import numpy as np
    given = np.asarray(value)
    if given.dtype.kind not in "iuf" or (given.dtype.kind == "f" and not dtype.is_floating):
        raise TypeError(f"column '{key}': default_value {value!r} is not compatible with {dtype!r}")
    if given.ndim == 0:
        given = np.full(shape, given)
    if given.shape != shape:
        raise ValueError(f"column '{key}': default_value {value!r} has shape {given.shape}, not {shape}")
    return _nested_tuple(given.tolist())


def _check_normalizer(function):
    if function is not None and not callable(function):
        raise TypeError(f"normalizer_fn must be callable, {function!r} is not")


def numeric_column(key, shape=(1,), default_value=None, dtype=_FLOAT, normalizer_fn=None):
    _check_key(key)
    shape, dtype = _numbers_shape(shape, key), _weir.as_dtype(dtype)
    column = NumericColumn(key, shape, None, dtype, normalizer_fn)
    _check_normalizer(normalizer_fn)
    _checked(column)
    return _checked(column._replace(default_value=_default_numbers(default_value, shape, dtype, key)))


def bucketized_column(source_column, boundaries):
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f"the source of a bucketized column must be a numeric_column, not {source_column!r}")
    if isinstance(boundaries, (int, float)):
        raise ValueError(f"boundaries must be a sorted list, not {boundaries!r}")
    return _checked(BucketizedColumn(source_column, tuple(boundaries or ())))


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=_STRING):
    _check_key(key)
    if hash_bucket_size is None:
        raise ValueError(f"column '{key}': hash_bucket_size is missing")
    return _checked(HashedCategoricalColumn(key, hash_bucket_size, _weir.as_dtype(dtype)))


def categorical_column_with_identity(key, num_buckets, default_value=None):
    _check_key(key)
    return _checked(IdentityCategoricalColumn(key, num_buckets, default_value))


def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    _check_key(key)
    if vocabulary_list is None or len(vocabulary_list) == 0:
        raise ValueError(f"column '{key}': the vocabulary_list {vocabulary_list!r} is empty")
    words = tuple(vocabulary_list)
    dtype = _weir._vocabulary_dtype(key, words) if dtype is None else _weir.as_dtype(dtype)
    return _checked(VocabularyListCategoricalColumn(key, words, dtype, default_value, num_oov_buckets))


def _count_lines(key, path):
    from weir.lib.gfile import GFile, exists
    if not exists(path):
        raise ValueError(f"column '{key}': the vocabulary_file {path} does not exist")
    with GFile(path, "rb") as lines:
        return sum(1 for _ in lines)


def categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None,
                                            dtype=_STRING):
    _check_key(key)
    if not vocabulary_file:
        raise ValueError(f"column '{key}': the vocabulary_file is missing")
    if vocabulary_size is None:
        vocabulary_size = _count_lines(key, vocabulary_file)
    if num_oov_buckets and default_value is not None:
        raise ValueError(f"column '{key}': unknown words go to num_oov_buckets or to a default_value, not both")
    return _checked(VocabularyFileCategoricalColumn(key, vocabulary_file, vocabulary_size, num_oov_buckets, _weir.as_dtype(dtype),
                                                    -1 if default_value is None else default_value))


def crossed_column(keys, hash_bucket_size, hash_key=None):
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1, not {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list of at least 2 keys, not {keys!r}")
    for key in keys:
        if not isinstance(key, str):
            _check_column(key, "a key of a crossed column that is not a string")
    return _checked(CrossedColumn(tuple(keys), hash_bucket_size, hash_key))


def weighted_categorical_column(categorical_column, weight_feature_key, dtype=_FLOAT):
    _check_column(categorical_column, "categorical_column")
    return _checked(WeightedCategoricalColumn(categorical_column, weight_feature_key, _weir.as_dtype(dtype)))


def _embedding_arguments(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt):
    """Checks the arguments, and returns the initializer."""
    if dimension is None or dimension < 1:
        raise ValueError(f"invalid dimension {dimension} of an embedding")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("ckpt_to_load_from and tensor_name_in_ckpt need each other")
    if initializer is None:
        from weir.lib.initializers import TruncatedNormal
        return TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))
    if not callable(initializer):
        raise ValueError(f"the initializer must be callable, {initializer!r} is not")
    return initializer


def embedding_column(categorical_column, dimension, combiner="mean", initializer=None, ckpt_to_load_from=None, tensor_name_in_ckpt=None,
                     max_norm=None, trainable=True):
    _check_column(categorical_column, "categorical_column")
    initializer = _embedding_arguments(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    return _checked(EmbeddingColumn(categorical_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
                                    max_norm, trainable))


def shared_embedding_columns(categorical_columns, dimension, combiner="mean", initializer=None, shared_embedding_collection_name=None,
                             ckpt_to_load_from=None, tensor_name_in_ckpt=None, max_norm=None, trainable=True):
    for column in categorical_columns:
        _check_column(column, "a column with shared embeddings")
    initializer = _embedding_arguments(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    columns = [SharedEmbeddingColumn(c, dimension, combiner, initializer, shared_embedding_collection_name, ckpt_to_load_from,
                                     tensor_name_in_ckpt, max_norm, trainable) for c in categorical_columns]
    made = _shared(columns)
    return [column._replace(shared_embedding_collection_name=m.variable_scope) for column, m in zip(columns, made)]


def indicator_column(categorical_column):
    _check_column(categorical_column, "categorical_column")
    return _checked(IndicatorColumn(categorical_column))


def sequence_numeric_column(key, shape=(1,), default_value=0.0, dtype=_FLOAT, normalizer_fn=None):
    _check_key(key)
    _check_normalizer(normalizer_fn)
    return _checked(SequenceNumericColumn(key, _numbers_shape(shape, key), default_value, _weir.as_dtype(dtype), normalizer_fn))


def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
    return SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=_STRING):
    return SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None,
                                                     dtype=_STRING):
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype))


def sequence_categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    return SequenceCategoricalColumn(categorical_column_with_vocabulary_list(key, vocabulary_list, dtype, default_value, num_oov_buckets))


def _specs(columns):
    specs = {}
    for key, (shape, dtype, default_value) in _weir._parse_example_spec([c._column for c in columns]).items():
        specs[key] = VarLenFeature(dtype) if shape is None else FixedLenFeature(shape, dtype, default_value)
    return specs


def make_parse_example_spec(feature_columns):
    columns = list(feature_columns)
    for column in columns:
        _check_column(column, "an item of feature_columns")
    return _specs(columns)


def columns_of(feature_columns):
    """The columns of an argument: one column, or several."""
    if isinstance(feature_columns, FeatureColumn):
        return [feature_columns]
    if isinstance(feature_columns, dict):
        raise ValueError("feature_columns must be a list of columns, not a dict")
    columns = list(feature_columns)
    for column in columns:
        _check_column(column, "an item of feature_columns")
    return columns


def input_layer(features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None, cols_to_output_tensors=None):
    columns = columns_of(feature_columns)
    value, outputs = _weir._input_layer(features, [c._column for c in columns], list(weight_collections or []), trainable)
    for number, output, variables in outputs:
        if cols_to_vars is not None:
            cols_to_vars[columns[number]] = variables
        if cols_to_output_tensors is not None:
            cols_to_output_tensors[columns[number]] = output
    return value


def linear_model(features, feature_columns, units=1, sparse_combiner="sum", weight_collections=None, trainable=True, cols_to_vars=None):
    columns = columns_of(feature_columns)
    value, outputs, bias = _weir._linear_model(features, [c._column for c in columns], units, sparse_combiner,
                                               list(weight_collections or []), trainable)
    if cols_to_vars is not None:
        cols_to_vars.update({columns[number]: variables for number, _, variables in outputs})
        cols_to_vars["bias"] = bias
    return value


def sequence_input_layer(features, feature_columns, weight_collections=None, trainable=True):
    columns = columns_of(feature_columns)
    return _weir._sequence_input_layer(features, [c._column for c in columns], list(weight_collections or []), trainable)
