"""Compares a value of Weir with TensorFlow's."""
import numpy as np

TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-5, "float64": 1e-9, "complex64": 2e-5, "complex128": 1e-9}
# Gradients accumulate the errors of several ops.
GRADIENT_FACTOR = 5


def difference(name, value, expected, factor=1):
    """Describes the difference; empty if type, shape and, within the precision of the type, values agree."""
    value, expected = np.asarray(value), np.asarray(expected)
    if expected.dtype == object or value.dtype == object:
        value, expected = value.astype(object), expected.astype(object)
    if value.dtype != expected.dtype or value.shape != expected.shape:
        return f"{name} is {value.dtype} {value.shape}, not {expected.dtype} {expected.shape}"
    tolerance = TOLERANCE.get(value.dtype.name, 0) * factor
    if value.dtype.name in ("bfloat16", "float16"):
        value, expected = value.astype(np.float32), expected.astype(np.float32)
    if tolerance == 0:
        same = np.array_equal(value, expected)
    else:
        with np.errstate(all="ignore"):
            same = np.allclose(value, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    return "" if same else f"{name} is {short(value)}, not {short(expected)}"


def short(array):
    return np.array2string(array, threshold=20, edgeitems=4, precision=8).replace("\n", "")
