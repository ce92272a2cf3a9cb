"""Functions of tf.math that only supply an argument."""
from weir import _weir


def reciprocal_no_nan(x, name=None):
    """1 / x, and 0 where x is 0."""
    x = _weir.convert_to_tensor(x, name="x")
    return _weir.op_function("DivNoNan")(_weir.constant(1, x.dtype.base_dtype, name="one"), x, name=name or "reciprocal_no_nan")
