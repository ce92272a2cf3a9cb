"""tf.quantization: floats as integers between two ends, and back."""
from weir import _weir


def _axis_of(input, axis):
    if axis is None or axis >= 0:
        return -1 if axis is None else axis
    rank = _weir.convert_to_tensor(input).shape.ndims
    if rank is None:
        raise ValueError("input should have known rank to use negative axis.")
    return axis % rank


def quantize(input, min_range, max_range, T, mode="MIN_COMBINED", round_mode="HALF_AWAY_FROM_ZERO", name=None, narrow_range=False,
             axis=None, ensure_minimum_range=0.01):
    """Returns the integers of type T, and the ends of the range that they stand for."""
    return _weir.op_function("QuantizeV2")(
        input, min_range, max_range, T, mode=mode, round_mode=round_mode, name=name, narrow_range=narrow_range,
        axis=_axis_of(input, axis), ensure_minimum_range=ensure_minimum_range)


def quantize_v2(input, min_range, max_range, T, mode="MIN_COMBINED", name=None, round_mode="HALF_AWAY_FROM_ZERO", narrow_range=False,
                axis=None, ensure_minimum_range=0.01):
    return quantize(input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis, ensure_minimum_range)


def dequantize(input, min_range, max_range, mode="MIN_COMBINED", name=None, axis=None, narrow_range=False, dtype="float32"):
    return _weir.op_function("Dequantize")(
        input, min_range, max_range, mode=mode, name=name, narrow_range=narrow_range, axis=_axis_of(input, axis), dtype=dtype)
