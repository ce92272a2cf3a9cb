"""Functions of ragged tensors: tf.ragged.*, indexing, and what tf.concat and similar functions do for them."""
from weir import _weir
from weir.lib.ragged import RaggedTensor, partition, tensor_or_ragged

_INT64 = _weir.dtypes["int64"]
_INT32 = _weir.dtypes["int32"]


def _op(op_type, *args, **kwargs):
    return _weir.op_function(op_type)(*args, **kwargs)


def item(tensor, key):
    """tensor[key]: a number or a slice for each dimension. Below a ragged dimension only slices are possible."""
    if Ellipsis in [k for k in key if k is Ellipsis] or None in [k for k in key if k is None]:
        raise NotImplementedError("indexing a RaggedTensor with an ellipsis or a new axis is not implemented")
    if not isinstance(tensor, RaggedTensor):
        return tensor[key] if key else tensor
    if not key:
        return tensor
    first, rest = key[0], key[1:]
    if not isinstance(first, slice):
        begin, end = tensor.row_splits[:-1][first], tensor.row_splits[1:][first]
        return item(tensor.values[begin:end], rest)
    if first != slice(None):
        rows = _weir.range(tensor.nrows())[first]
        tensor = gather(tensor, rows)
    return tensor if not rest else _inner_item(tensor, rest)


def _inner_item(tensor, key):
    first, rest = key[0], key[1:]
    values = tensor.values
    if not isinstance(first, slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    if first != slice(None):
        if first.step not in (None, 1):
            raise NotImplementedError("slicing a ragged dimension with a step is not implemented")
        starts, limits = tensor.row_starts(), tensor.row_limits()

        def place(at, default):
            if at is None:
                return default
            moved = starts + at if at >= 0 else limits + at
            return _op("Minimum", _op("Maximum", moved, starts), limits)

        begin = place(first.start, starts)
        end = _op("Maximum", place(first.stop, limits), begin)
        kept = _op("RaggedRange", begin, end, _weir.convert_to_tensor(1, dtype=begin.dtype), Tsplits=begin.dtype)
        tensor = RaggedTensor(gather(values, kept[1]), kept[0], internal=True)
    return tensor if not rest else tensor.with_values(item(tensor.values, (slice(None), *rest)))


# --- functions of ragged tensors
def map_flat_values(op, *args, **kwargs):
    """Calls a function with the flat values instead of ragged tensors, and returns its result with their splits."""
    found = []

    def flat(value):
        if isinstance(value, RaggedTensor):
            found.append(value)
            return value.flat_values
        if isinstance(value, (list, tuple)):
            return type(value)(flat(item) for item in value)
        return value

    result_args = [flat(arg) for arg in args]
    result_kwargs = {key: flat(arg) for key, arg in kwargs.items()}
    if not found:
        return op(*args, **kwargs)
    ranks = {rt.ragged_rank for rt in found}
    if len(ranks) > 1:
        raise ValueError("Inputs must have identical ragged splits")
    return found[0].with_flat_values(op(*result_args, **result_kwargs))


def gather(params, indices, name=None):
    """Rows of a ragged tensor or a tensor, by a tensor or a ragged tensor of numbers."""
    if isinstance(indices, RaggedTensor):
        return indices.with_values(gather(params, indices.values, name))
    if not isinstance(params, RaggedTensor):
        return _weir.gather(params, indices, name=name)
    indices = _weir.convert_to_tensor(indices, name="indices")
    if indices.shape.ndims is None:
        raise ValueError("indices.shape.ndims must be known")
    if indices.dtype not in (_INT32, _INT64):
        indices = _op("Cast", indices, DstT=_INT64)
    rank = params.ragged_rank + indices.shape.ndims - 1
    result = _op("RaggedGather", list(params.nested_row_splits), params.flat_values, indices, OUTPUT_RAGGED_RANK=rank, name=name)
    splits, values = (result[0], result[1]) if isinstance(result[0], list) else (result[:-1], result[-1])
    return RaggedTensor.from_nested_row_splits(values, splits) if rank else values


def _as_ragged(value, rank=1):
    return value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value, ragged_rank=rank)


def concat(values, axis, name=None):
    """Joins tensors, at least one of which is ragged, along an axis."""
    values = [tensor_or_ragged(value) for value in values]
    ranks = {value.shape.ndims for value in values if value.shape.ndims is not None}
    if axis < 0:
        if not ranks:
            raise ValueError("axis may only be negative if ndims is statically known.")
        axis += next(iter(ranks))
    depth = max(value.ragged_rank for value in values if isinstance(value, RaggedTensor))
    values = [_as_ragged(value, depth) for value in values]
    if len(values) == 1:
        return values[0]
    splits = [value.row_splits for value in values]
    if axis > 1:
        return values[0].with_values(_concat_any([value.values for value in values], axis - 1, name))
    nested = any(isinstance(value.values, RaggedTensor) for value in values)
    join = _weir.ragged_concat if axis == 0 else _weir.ragged_join
    if not nested:
        return RaggedTensor(*join([value.values for value in values], splits, name), internal=True)
    # Join the row numbers instead of the ragged rows, then gather the rows in that order.
    whole = _concat_any([value.values for value in values], 0, name)
    counts = [value.values.nrows() for value in values]
    numbers, offset = [], None
    for count in counts:
        one = _weir.range(count) if offset is None else _weir.range(count) + offset
        numbers.append(one)
        offset = count if offset is None else offset + count
    order, joined = join(numbers, splits, None)
    return RaggedTensor(gather(whole, order), joined, internal=True)


def _concat_any(values, axis, name):
    if any(isinstance(value, RaggedTensor) for value in values):
        return concat(values, axis, name)
    return _weir.concat(values, axis, name or "concat")


def stack(values, axis=0, name=None):
    """Stacks tensors to a ragged tensor of a rank that is higher by one."""
    with _weir.name_scope(name, "RaggedStack"):
        values = [tensor_or_ragged(value) for value in (values if isinstance(values, (list, tuple)) else [values])]
        rank = next((value.shape.ndims for value in values if value.shape.ndims is not None), None)
        if axis < 0:
            if rank is None:
                raise ValueError("axis may only be negative if ndims is statically known.")
            axis += rank + 1
        if axis == 0:
            if rank == 0:
                return _weir.stack(values)
            whole = _concat_any(values, 0, None) if len(values) > 1 else values[0]
            lengths = _weir.stack([value.nrows() if isinstance(value, RaggedTensor) else _op("Shape", value, out_type=_INT64)[0]
                                   for value in values])
            return RaggedTensor.from_row_lengths(whole, lengths)
        if axis == 1:
            # Make each row a ragged row with one element, and join those.
            def one_row(value):
                count = value.nrows() if isinstance(value, RaggedTensor) else _op("Shape", value, out_type=_INT64)[0]
                return RaggedTensor.from_row_lengths(value, _weir.ones(_weir.stack([count]), _INT64))

            return concat([one_row(value) for value in values], 1)
        values = [_as_ragged(value) for value in values]
        return values[0].with_values(stack([value.values for value in values], axis - 1))


def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=_INT64):  # noqa: A001 the public name
    """A row of numbers for each start and limit."""
    if limits is None:
        starts, limits = 0, starts
    with _weir.name_scope(name, "RaggedRange"):
        if dtype is None:
            tensors = [_weir.convert_to_tensor(value) for value in (starts, limits, deltas)]
            order = ["int32", "int64", "float32", "float64"]
            dtype = max((t.dtype.name for t in tensors), key=order.index)
        starts, limits, deltas = (_op("Cast", _weir.convert_to_tensor(value), DstT=_weir.as_dtype(dtype))
                                  for value in (starts, limits, deltas))
        splits, values = _op("RaggedRange", starts, limits, deltas, Tsplits=_weir.as_dtype(row_splits_dtype))
        return RaggedTensor(values, splits, internal=True)


def boolean_mask(data, mask, name=None):
    """The values where the mask, a tensor or a ragged tensor of the same outer shape, is true. Its last dimension becomes ragged."""
    with _weir.name_scope(name, "RaggedMask"):
        data, mask = tensor_or_ragged(data), tensor_or_ragged(mask, _weir.dtypes["bool"])
        rank = mask.shape.ndims
        if rank is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if isinstance(mask, RaggedTensor) or rank > 1:
            data, mask = _as_ragged(data, rank - 1), _as_ragged(mask, rank - 1)
            if isinstance(mask.values, RaggedTensor):
                return data.with_values(boolean_mask(data.values, mask.values))
            kept = _op("Cast", mask.values, DstT=data.row_splits.dtype)
            lengths = _weir.ragged_reduce("UnsortedSegmentSum", kept, mask.row_splits, True)
            return RaggedTensor.from_row_lengths(boolean_mask(data.values, mask.values), lengths)
        if isinstance(data, RaggedTensor):
            return gather(data, _op("Reshape", _op("Where", mask), [-1]))
        return _weir.boolean_mask(data, mask)


def row_splits_to_segment_ids(splits, name=None, out_type=None):
    ids = _weir.ragged_row_ids(partition(splits, "splits"), name or "RaggedSplitsToSegmentIds")
    return ids if out_type is None else _op("Cast", ids, DstT=_weir.as_dtype(out_type))


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    splits = _weir.ragged_splits_from_row_ids(partition(segment_ids, "segment_ids"), num_segments, name or "SegmentIdsToRaggedSplits")
    return splits if out_type is None else _op("Cast", splits, DstT=_weir.as_dtype(out_type))


def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """A row for each partition, with the data of that partition in order."""
    with _weir.name_scope(name, "SegmentStack"):
        data, partitions = tensor_or_ragged(data), _weir.convert_to_tensor(partitions, name="partitions")
        flat = _op("Reshape", partitions, [-1])
        order = _weir.argsort(flat, stable=True)
        rank = partitions.shape.ndims
        if isinstance(data, RaggedTensor) and rank != 1:
            raise NotImplementedError("partitions of a ragged tensor must be a vector")
        if not isinstance(data, RaggedTensor) and rank != 1:
            inner = _op("Shape", data)[rank:]
            data = _op("Reshape", data, _weir.concat([[-1], inner], 0))
        ids = _op("Cast", _weir.gather(flat, order), DstT=_INT64)
        count = _op("Cast", _weir.convert_to_tensor(num_partitions), DstT=_INT64)
        return RaggedTensor.from_value_rowids(gather(data, order), ids, count)
