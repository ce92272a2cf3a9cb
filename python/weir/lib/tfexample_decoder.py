"""slim.tfexample_decoder: parses Examples and makes items of their features."""
import abc

from weir import _weir
from weir._names import find as _find
from weir.lib.slim_data import DataDecoder


def _is_sparse(value):
    return isinstance(value, _find("SparseTensor"))


def _dense(value, default=0):
    return _find("sparse_tensor_to_dense")(value, default) if _is_sparse(value) else value


class ItemHandler(abc.ABC):
    """Base class: computes an item from the features `keys`."""

    def __init__(self, keys):
        self._keys = keys if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self):
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors):
        """Returns the item, a tensor."""


class ItemHandlerCallback(ItemHandler):
    """Computes the item with a function."""

    def __init__(self, keys, func):
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors):
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Boxes [n, 4] of four features with a side each."""

    def __init__(self, keys=None, prefix=""):
        if keys is None:
            keys = ["ymin", "xmin", "ymax", "xmax"]
        elif len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        self._prefix = prefix
        self._full_keys = [prefix + key for key in keys]
        super().__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors):
        sides = [keys_to_tensors[key] for key in self._full_keys]
        return _find("transpose")(_find("stack")([side.values if _is_sparse(side) else side for side in sides]))


class Tensor(ItemHandler):
    """A feature as a dense tensor, with a shape that is given or that other features have."""

    def __init__(self, tensor_key, shape_keys=None, shape=None, default_value=0):
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key, self._shape_keys, self._shape, self._default_value = tensor_key, shape_keys, shape, default_value
        super().__init__([tensor_key, *(shape_keys or [])])

    def tensors_to_item(self, keys_to_tensors):
        tensor = keys_to_tensors[self._tensor_key]
        shape = self._shape
        if self._shape_keys:
            shape = _find("reshape")(_find("stack")([_dense(keys_to_tensors[key]) for key in self._shape_keys]), [-1])
        if _is_sparse(tensor):
            return _dense(tensor if shape is None else _find("sparse_reshape")(tensor, shape), self._default_value)
        return tensor if shape is None else _find("reshape")(tensor, shape)


class LookupTensor(Tensor):
    """Looks a tensor's values up in a table."""

    def __init__(self, tensor_key, table, shape_keys=None, shape=None, default_value=""):
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors):
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """Returns the item of `handler`, or that of `backup` if the first is empty."""

    def __init__(self, handler, backup):
        for what, given in (("Primary", handler), ("Backup", backup)):
            if not isinstance(given, ItemHandler):
                raise ValueError(f"{what} handler is of type {type(given)} instead of ItemHandler")
        self._handler, self._backup = handler, backup
        super().__init__([*handler.keys, *backup.keys])

    def tensors_to_item(self, keys_to_tensors):
        item = self._handler.tensors_to_item(keys_to_tensors)
        return _find("cond")(_find("equal")(_find("size")(item), 0), lambda: self._backup.tensors_to_item(keys_to_tensors),
                             lambda: _find("identity")(item))


class SparseTensor(ItemHandler):
    """A sparse tensor whose indices are one feature and whose values another."""

    def __init__(self, indices_key=None, values_key=None, shape_key=None, shape=None, densify=False, default_value=0):
        self._indices_key, self._values_key, self._shape_key = indices_key or "indices", values_key or "values", shape_key
        self._shape, self._densify, self._default_value = shape, densify, default_value
        super().__init__([self._indices_key, self._values_key, *([shape_key] if shape_key else [])])

    def tensors_to_item(self, keys_to_tensors):
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        shape = indices.dense_shape
        if self._shape_key:
            shape = _dense(keys_to_tensors[self._shape_key])
        elif self._shape:
            shape = self._shape
        rank = _find("shape")(indices.indices)[1]
        rows = _find("slice")(indices.indices, [0, 0], _find("stack")([-1, rank - 1]))
        ids = _find("reshape")(_weir.cast(indices.values, _weir.dtypes["int64"]), [-1, 1])
        tensor = _find("SparseTensor")(_find("concat")([rows, ids], 1), values.values, shape)
        return _dense(tensor, self._default_value) if self._densify else tensor


class Image(ItemHandler):
    """An image of JPEG, PNG, GIF or BMP data, or of raw values."""

    def __init__(self, image_key=None, format_key=None, shape=None, channels=3, dtype=_weir.dtypes["uint8"], repeated=False, dct_method=""):
        self._image_key, self._format_key = image_key or "image/encoded", format_key or "image/format"
        super().__init__([self._image_key, self._format_key])
        self._shape, self._channels, self._dtype, self._repeated, self._dct_method = shape, channels, dtype, repeated, dct_method

    def tensors_to_item(self, keys_to_tensors):
        data, kind = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            return _find("map_fn")(lambda one: self._decode(one, kind), data, dtype=self._dtype)
        return self._decode(data, kind)

    def _decode(self, data, kind):
        def decoded():
            def jpeg():
                return _weir.cast(_find("image.decode_jpeg")(data, channels=self._channels, dct_method=self._dct_method), self._dtype)

            def other():
                return _weir.cast(_find("image.decode_image")(data, channels=self._channels), self._dtype)
            return _find("cond")(_find("image.is_jpeg")(data), jpeg, other, name="cond_jpeg")
        raw = _find("logical_or")(_find("equal")(kind, "raw"), _find("equal")(kind, "RAW"))
        image = _find("case")([(raw, lambda: _find("decode_raw")(data, out_type=self._dtype))], default=decoded, exclusive=True)
        if self._shape is None:
            image.set_shape([None, None, self._channels])
        return image if self._shape is None else _find("reshape")(image, self._shape)


class _Sequences(ItemHandler):
    """Coordinates [batch, n, sides] of sparse features with a side each."""
    _names: list = []

    def __init__(self, keys=None, prefix=None, return_dense=True, default_value=-1.0):
        keys = self._names if keys is None else keys
        if len(keys) != len(self._names):
            raise ValueError(f"{type(self).__name__} expects {len(self._names)} keys but got {len(keys)}")
        self._full_keys = [(prefix or "") + key for key in keys]
        self._return_dense, self._default_value = return_dense, default_value
        super().__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors):
        def column(value):
            return _find("sparse_reshape")(value, _find("concat")([value.dense_shape, [1]], 0))
        joined = _find("sparse_concat")(2, [column(keys_to_tensors[key]) for key in self._full_keys])
        return _dense(joined, self._default_value) if self._return_dense else joined


class BoundingBoxSequence(_Sequences):
    _names = ["ymin", "xmin", "ymax", "xmax"]


class KeypointsSequence(_Sequences):
    _names = ["y", "x"]


def _reshape_fixed(tensors, features):
    fixed = _find("FixedLenFeature")
    for key in sorted(features):
        if isinstance(features[key], fixed):
            tensors[key] = _find("reshape")(tensors[key], features[key].shape)


class TFExampleDecoder(DataDecoder):
    """Decodes a serialized Example."""

    def __init__(self, keys_to_features, items_to_handlers):
        self._keys_to_features, self._items_to_handlers = keys_to_features, items_to_handlers

    def list_items(self):
        return list(self._items_to_handlers)

    def decode(self, serialized_example, items=None):
        example = _find("parse_single_example")(serialized_example, self._keys_to_features)
        _reshape_fixed(example, self._keys_to_features)
        handlers = [self._items_to_handlers[item] for item in items or self._items_to_handlers]
        return [handler.tensors_to_item({key: example[key] for key in handler.keys}) for handler in handlers]


class TFSequenceExampleDecoder(DataDecoder):
    """Decodes a serialized SequenceExample."""

    def __init__(self, keys_to_context_features, keys_to_sequence_features, items_to_handlers):
        if set(keys_to_context_features) & set(keys_to_sequence_features):
            raise ValueError(f"Context and sequence keys are not unique. \n Context keys: {list(keys_to_context_features)} \n Sequence keys: "
                             f"{list(keys_to_sequence_features)}")
        self._context, self._sequence, self._items_to_handlers = keys_to_context_features, keys_to_sequence_features, items_to_handlers

    def list_items(self):
        return list(self._items_to_handlers)

    def decode(self, serialized_example, items=None):
        context, sequences = _find("parse_single_sequence_example")(serialized_example, self._context, self._sequence)
        _reshape_fixed(context, self._context)
        found = {**sequences, **context}
        handlers = [self._items_to_handlers[item] for item in items or self._items_to_handlers]
        return [handler.tensors_to_item({key: found[key] for key in handler.keys}) for handler in handlers]
