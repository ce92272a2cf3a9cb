"""tf.compat: conversions between text and bytes, and tuples of equivalent Python and numpy number types."""
import contextlib as _contextlib
import numbers as _numbers
import os as _os

import numpy as _np

integral_types = (_numbers.Integral, _np.integer)
real_types = (_numbers.Real, _np.integer, _np.floating)
complex_types = (_numbers.Complex, _np.number)
bytes_or_text_types = (bytes, str)


def as_bytes(bytes_or_text, encoding="utf-8"):
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text, encoding="utf-8"):
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value, encoding="utf-8"):
    """Converts anything to text: decodes bytes, and applies str() to other values."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path):
    return as_str_any(_os.fspath(path)) if hasattr(path, "__fspath__") else path


def dimension_value(dimension):
    return getattr(dimension, "value", dimension)


def dimension_at_index(shape, index):
    from weir import _weir
    return _weir.Dimension(None) if shape.rank is None else shape.dims[index]


def forward_compatible(year, month, day):
    return True


@_contextlib.contextmanager
def forward_compatibility_horizon(year, month, day):
    """No-op: Weir has no features that wait for a date."""
    yield
