"""tf.RaggedTensor: rows of different lengths. The formulas of row partitions are in C++ (_weir.ragged_*)."""
from weir import _weir
from weir.lib import specs

_INT64 = _weir.dtypes["int64"]
_INT32 = _weir.dtypes["int32"]


def _op(op_type, *args, **kwargs):
    return _weir.op_function(op_type)(*args, **kwargs)


class RaggedTensorValue:
    """The value of a ragged tensor, with numpy arrays."""

    def __init__(self, values, row_splits):
        import numpy as np
        if not (isinstance(row_splits, (np.ndarray, np.generic)) and row_splits.dtype in (np.int64, np.int32) and row_splits.ndim == 1):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and values.row_splits.dtype != row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        self._values = values
        self._row_splits = row_splits

    values = property(lambda self: self._values)
    row_splits = property(lambda self: self._row_splits)
    dtype = property(lambda self: self._values.dtype)

    @property
    def ragged_rank(self):
        return self._values.ragged_rank + 1 if isinstance(self._values, RaggedTensorValue) else 1

    @property
    def flat_values(self):
        return self._values.flat_values if isinstance(self._values, RaggedTensorValue) else self._values

    @property
    def nested_row_splits(self):
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensorValue) else ()
        return (self._row_splits, *inner)

    @property
    def shape(self):
        return (len(self._row_splits) - 1, None, *tuple(self._values.shape)[1:])

    def to_list(self):
        rows = self._values.to_list() if isinstance(self._values, RaggedTensorValue) else self._values.tolist()
        return [rows[begin:end] for begin, end in zip(self._row_splits[:-1], self._row_splits[1:])]

    def __str__(self):
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self):
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"


def tensor_or_ragged(value, dtype=None, name=None):
    return value if isinstance(value, RaggedTensor) else _weir.convert_to_tensor(value, dtype=dtype, name=name)


def partition(value, name):
    """Converts a partition; literals become int64."""
    value = value if isinstance(value, _weir.Tensor) else _weir.convert_to_tensor(value, preferred_dtype="int64", name=name)
    if value.dtype not in (_INT64, _INT32):
        raise ValueError(f"{name} must have dtype int32 or int64")
    return value


class RaggedTensor:
    """A tensor with one or more ragged dimensions: values and row splits. The values may be ragged themselves."""

    def __init__(self, values, row_splits, cached_row_lengths=None, cached_value_rowids=None, cached_nrows=None, internal=False):
        if not internal:
            raise ValueError("RaggedTensor constructor is private; please use one of the factory methods instead "
                             "(e.g., RaggedTensor.from_row_lengths())")
        if not isinstance(values, (RaggedTensor, _weir.Tensor)):
            raise TypeError("values must be a Tensor or RaggedTensor.")
        if values.shape.ndims is not None and values.shape.ndims < 1:
            raise ValueError("values must have rank at least 1")
        row_splits.shape.assert_has_rank(1)
        if isinstance(values, RaggedTensor) and values.row_splits.dtype != row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        self._values = values
        self._row_splits = row_splits
        self._value_rowids = cached_value_rowids
        self._nrows = cached_nrows

    # --- from partitions
    @classmethod
    def _of(cls, values, splits, **cached):
        values = tensor_or_ragged(values, name="values")
        if isinstance(values, RaggedTensor) and values.row_splits.dtype != splits.dtype:
            values, splits = values.with_row_splits_dtype(_INT64), _op("Cast", splits, DstT=_INT64)
        return cls(values, splits, internal=True, **cached)

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        with _weir.name_scope(name, "RaggedFromRowSplits"):
            return cls._of(values, partition(row_splits, "row_splits"))

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        with _weir.name_scope(name, "RaggedFromRowLengths"):
            return cls._of(values, _weir.ragged_splits_from_lengths(partition(row_lengths, "row_lengths")))

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        if isinstance(nrows, int) and nrows < 0:
            raise ValueError(f"Expected nrows >= 0; got {nrows}")
        with _weir.name_scope(name, "RaggedFromValueRowIds"):
            ids = partition(value_rowids, "value_rowids")
            return cls._of(values, _weir.ragged_splits_from_row_ids(ids, nrows), cached_value_rowids=ids)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        with _weir.name_scope(name, "RaggedFromRowStarts"):
            values = tensor_or_ragged(values, name="values")
            starts = partition(row_starts, "row_starts")
            count = values.nrows(starts.dtype) if isinstance(values, RaggedTensor) else _op("Shape", values, out_type=starts.dtype)[0]
            return cls._of(values, _weir.ragged_splits_from_starts(starts, count))

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        with _weir.name_scope(name, "RaggedFromRowLimits"):
            return cls._of(values, _weir.ragged_splits_from_limits(partition(row_limits, "row_limits")))

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        return cls._nested(cls.from_row_splits, flat_values, nested_row_splits, "nested_row_splits")

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        return cls._nested(cls.from_row_lengths, flat_values, nested_row_lengths, "nested_row_lengths")

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
        rows = [None] * len(nested_value_rowids) if nested_nrows is None else nested_nrows
        if len(rows) != len(nested_value_rowids):
            raise ValueError("nested_nrows must have the same length as nested_value_rowids")
        result = flat_values
        for ids, count in reversed(list(zip(nested_value_rowids, rows))):
            result = cls.from_value_rowids(result, ids, count)
        return result

    @classmethod
    def _nested(cls, make, flat_values, partitions, what):
        if isinstance(partitions, _weir.Tensor):
            raise TypeError(f"{what} must be a list of Tensors")
        result = tensor_or_ragged(flat_values, name="flat_values")
        for partition in reversed(list(partitions)):
            result = make(result, partition)
        return result

    # --- from and to other tensors
    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=_INT64):
        if lengths is not None and padding is not None:
            raise ValueError("Specify lengths or padding, but not both")
        if not isinstance(ragged_rank, int):
            raise TypeError(f"ragged_rank expected int, got {ragged_rank!r}")
        if ragged_rank <= 0:
            raise ValueError(f"ragged_rank must be greater than 0; got {ragged_rank}")
        dtype = _weir.as_dtype(row_splits_dtype)
        with _weir.name_scope(name, "RaggedFromTensor"):
            tensor = _weir.convert_to_tensor(tensor, name="tensor")
            tensor.shape.with_rank_at_least(ragged_rank + 1)
            if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], int):
                partitions = [_op("Cast", _weir.convert_to_tensor(one), DstT=dtype) for one in lengths]
                result, outer = tensor, []
                for one in partitions:
                    values, splits = _weir.ragged_from_tensor(result, one, None, dtype)
                    outer.append(splits)
                    result = values
                return cls.from_nested_row_splits(result, outer)
            values, splits, outer = tensor, None, []
            for level in range(ragged_rank - 1):  # the outer dimensions are uniform
                values, splits = _weir.ragged_from_tensor(values, None, None, dtype)
                outer.append(splits)
            values, splits = _weir.ragged_from_tensor(values, lengths, padding, dtype)
            return cls.from_nested_row_splits(values, [*outer, splits])

    def to_tensor(self, default_value=None, name=None, shape=None):
        if shape is not None:
            shape = [-1 if size is None else size for size in (shape.as_list() if isinstance(shape, _weir.TensorShape) else shape)] \
                if not isinstance(shape, _weir.Tensor) else shape
        if default_value is not None:
            default_value = _weir.convert_to_tensor(default_value, dtype=self.dtype, name="default_value")
        result = _weir.ragged_to_dense(self.flat_values, list(self.nested_row_splits), default_value, shape, name)
        return result

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=_INT64):
        if not isinstance(st_input, _weir.SparseTensor):
            raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
        rank = st_input.dense_shape.shape[0].value
        if rank is not None and rank != 2:
            raise ValueError("rank(st_input) must be 2")
        with _weir.name_scope(name, "RaggedFromSparse"):
            dtype = _weir.as_dtype(row_splits_dtype)
            ids = _op("Cast", st_input.indices[:, 0], DstT=dtype)
            return cls.from_value_rowids(st_input.values, ids, _op("Cast", st_input.dense_shape[0], DstT=dtype))

    def to_sparse(self, name=None):
        result = _op("RaggedTensorToSparse", list(self.nested_row_splits), self.flat_values, name=name or "RaggedToSparse")
        return _weir.SparseTensor(*result)

    # --- parts
    values = property(lambda self: self._values)
    row_splits = property(lambda self: self._row_splits)
    dtype = property(lambda self: self._values.dtype)

    @property
    def ragged_rank(self):
        return self._values.ragged_rank + 1 if isinstance(self._values, RaggedTensor) else 1

    @property
    def flat_values(self):
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    op = property(lambda self: self.flat_values.op)
    graph = property(lambda self: self.flat_values.graph)
    name = property(lambda self: None)

    @property
    def nested_row_splits(self):
        return (self._row_splits, *(self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()))

    @property
    def shape(self):
        rows = self._row_splits.shape[0].value
        return _weir.TensorShape([None if rows is None else rows - 1, None]).concatenate(self._values.shape[1:])

    def get_shape(self):
        return self.shape

    def value_rowids(self, name=None):
        return self._value_rowids if self._value_rowids is not None else _weir.ragged_row_ids(self._row_splits, name or "RaggedValueRowIds")

    def nested_value_rowids(self, name=None):
        inner = self._values.nested_value_rowids() if isinstance(self._values, RaggedTensor) else ()
        return (self.value_rowids(), *inner)

    def nrows(self, out_type=None, name=None):
        out_type = self._row_splits.dtype if out_type is None else _weir.as_dtype(out_type)
        with _weir.name_scope(name, "RaggedNRows"):
            return _op("Shape", self._row_splits, out_type=out_type)[0] - 1

    def row_starts(self, name=None):
        with _weir.name_scope(name, "RaggedRowStarts"):
            return self._row_splits[:-1]

    def row_limits(self, name=None):
        with _weir.name_scope(name, "RaggedRowLimits"):
            return self._row_splits[1:]

    def row_lengths(self, axis=1, name=None):
        if axis == 0:
            return self.nrows()
        if axis > 1:
            if not isinstance(self._values, RaggedTensor):
                raise ValueError(f"axis={axis} is a uniform dimension")
            return self.with_values(self._values.row_lengths(axis - 1))
        return _weir.ragged_row_lengths(self._row_splits, name or "RaggedRowLengths")

    def nested_row_lengths(self, name=None):
        inner = self._values.nested_row_lengths() if isinstance(self._values, RaggedTensor) else ()
        return (self.row_lengths(), *inner)

    def bounding_shape(self, axis=None, name=None, out_type=None):
        out_type = self._row_splits.dtype if out_type is None else _weir.as_dtype(out_type)
        with _weir.name_scope(name, "RaggedBoundingBox"):
            sizes = [self.nrows(out_type)]
            for splits in self.nested_row_splits:
                lengths = _op("Cast", _weir.ragged_row_lengths(splits), DstT=out_type)
                least = _weir.zeros([1], out_type)
                sizes.append(_weir.reduce_max(_weir.concat([least, lengths], 0)))
            inner = _op("Shape", self.flat_values, out_type=out_type)[1:]
            whole = _weir.concat([_weir.stack(sizes), inner], 0)
            return whole if axis is None else _weir.gather(whole, axis)

    # --- changed copies
    def with_values(self, new_values):
        return RaggedTensor(tensor_or_ragged(new_values), self._row_splits, cached_value_rowids=self._value_rowids, internal=True)

    def with_flat_values(self, new_values):
        return self.with_values(self._values.with_flat_values(new_values) if isinstance(self._values, RaggedTensor) else new_values)

    def with_row_splits_dtype(self, dtype):
        dtype = _weir.as_dtype(dtype)
        if dtype not in (_INT32, _INT64):
            raise ValueError("dtype must be int32 or int64")
        if self._row_splits.dtype == dtype:
            return self
        values = self._values.with_row_splits_dtype(dtype) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(values, _op("Cast", self._row_splits, DstT=dtype), internal=True)

    def consumers(self):
        return [op for tensor in (self.flat_values, *self.nested_row_splits) for op in tensor.consumers()]

    def _is_graph_tensor(self):
        return True

    def __len__(self):
        raise TypeError("the number of rows of a RaggedTensor is known only when the graph runs: use nrows()")

    def __bool__(self):
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __iter__(self):
        raise TypeError("RaggedTensor is not iterable in a graph.")

    def __getitem__(self, key):
        from weir.lib.ragged_functions import item
        return item(self, key if isinstance(key, tuple) else (key,))

    def __repr__(self):
        return f"tf.RaggedTensor(values={self._values!r}, row_splits={self._row_splits!r})"


# --- operators act on the flat values
def _mapped(op, *args):
    from weir.lib.ragged_functions import map_flat_values
    return map_flat_values(op, *args)


def _operator(method):
    def apply(self, other):
        return _mapped(lambda a, b: getattr(a, method)(b), self, other)

    def reflected(self, other):
        return _mapped(lambda a, b: getattr(_weir.convert_to_tensor(b, dtype=a.dtype), method)(a), self, other)

    setattr(RaggedTensor, method, apply)
    setattr(RaggedTensor, method.replace("__", "__r", 1), reflected)


for _method in ("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__", "__and__", "__or__", "__xor__"):
    _operator(_method)


def _comparison(method):
    setattr(RaggedTensor, method, lambda self, other: _mapped(lambda a, b: getattr(a, method)(b), self, other))


for _method in ("__lt__", "__le__", "__gt__", "__ge__"):
    _comparison(_method)
for _method in ("__neg__", "__abs__", "__invert__"):
    setattr(RaggedTensor, _method, lambda self, method=_method: _mapped(lambda a: getattr(a, method)(), self))


class RaggedTensorSpec(specs.TypeSpec):
    """The shape, the type and the number of ragged dimensions of a ragged tensor."""

    def __init__(self, shape=None, dtype="float32", ragged_rank=None, row_splits_dtype=_INT64):
        self._shape = _weir.TensorShape(shape)
        self._dtype = _weir.as_dtype(dtype)
        self._row_splits_dtype = _weir.as_dtype(row_splits_dtype)
        if ragged_rank is None:
            if self._shape.ndims is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = self._shape.ndims - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"ragged_rank must be an int, got {ragged_rank!r}")
        if self._shape.ndims is not None and ragged_rank >= self._shape.ndims:
            raise ValueError("ragged_rank must be less than rank.")
        self._ragged_rank = ragged_rank

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    ragged_rank = property(lambda self: self._ragged_rank)
    row_splits_dtype = property(lambda self: self._row_splits_dtype)

    @property
    def value_type(self):
        return RaggedTensor if self._ragged_rank > 0 else _weir.Tensor

    @classmethod
    def from_value(cls, value):
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    def is_compatible_with(self, spec_or_value):
        other = spec_or_value if isinstance(spec_or_value, specs.TypeSpec) else self.from_value(spec_or_value)
        return (isinstance(other, RaggedTensorSpec) and self._dtype == other._dtype and self._ragged_rank == other._ragged_rank
                and self._row_splits_dtype == other._row_splits_dtype and self._shape.is_compatible_with(other._shape))

    def _parts(self):
        shape = self._shape
        return (shape.as_list() if shape.ndims is not None else None), self._dtype, self._ragged_rank, self._row_splits_dtype


def RaggedTensorStructure(dtype, shape, ragged_rank):
    return RaggedTensorSpec(shape, dtype, ragged_rank)


# --- sessions
def _fetched(parts):
    values, *splits = parts
    for one in reversed(splits):
        values = RaggedTensorValue(values, one)
    return values


def _fetches(ragged):
    return [ragged.flat_values, *ragged.nested_row_splits], _fetched


def _feeds(ragged, value):
    return [(ragged.flat_values, value.flat_values), *zip(ragged.nested_row_splits, value.nested_row_splits)]


def _feed_keys(ragged):
    return [ragged.flat_values, *ragged.nested_row_splits]


_weir.register_session_run_conversion_functions(RaggedTensor, _fetches, _feeds, _feed_keys)
