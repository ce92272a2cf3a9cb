"""Session results for sparse tensors."""
import collections

SparseTensorValue = collections.namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])
IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])


def _quantized():
    from weir import _weir
    names = ("qint8", "quint8", "qint32", "qint16", "quint16")
    return frozenset(_weir.dtypes[name + suffix] for name in names for suffix in ("", "_ref"))


QUANTIZED_DTYPES = _quantized()
