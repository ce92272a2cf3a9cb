"""Quantized numbers, as integers of the same size: TensorFlow's Python has types of its own for them.

All inputs are constants, so that TensorFlow computes the results while it folds constants, with the kernels of 1.15. With
inputs that are fed, 2.21 uses those of oneDNN, which round in another order.
"""
import numpy as np

from oracle.draw import Draw as D
from oracle.recorder import apply_op
from oracle.tensorflow1 import tf

INTEGERS = {tf.qint8: tf.int8, tf.quint8: tf.uint8, tf.qint16: tf.int16, tf.quint16: tf.uint16, tf.qint32: tf.int32}
MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")


def plain(outputs):
    return [tf.bitcast(y, INTEGERS[y.dtype]) if y.dtype in INTEGERS else y for y in outputs]


def quantize(x, low, high, dtype, **attrs):
    return plain(apply_op("QuantizeV2", {"input": x, "min_range": low, "max_range": high, "T": dtype, **attrs}))


def values_of(dtype):
    """All integers of 8 bits, and some of the wider types."""
    limits = np.iinfo(INTEGERS[dtype].as_numpy_dtype)
    return np.linspace(limits.min, limits.max, 256).astype(INTEGERS[dtype].as_numpy_dtype)


def make(recorder):
    def case(name, build, arrays):
        recorder.case(name, lambda: build(*[tf.constant(array) for array in arrays]), grad=False)

    conversions(case)
    errors(recorder.error)
    layers(case)


def conversions(case):
    x = D(40, low=-4, high=4).array(np.float32)
    rows = D(3, 4, low=-4, high=4).array(np.float32)
    ranges = [(-1.0, 2.0), (1.0, 6.0), (-6.0, -1.0), (0.0, 0.0), (-8.0, 8.0)]
    for dtype in INTEGERS:
        for mode in MODES:
            for low, high in ranges[-1:] if dtype == tf.qint32 else ranges:
                case(f"quantize {dtype.name} {mode} {low} {high}", lambda x, a=(low, high, dtype), m=mode: quantize(x, *a, mode=m), [x])
            case(f"dequantize {dtype.name} {mode}",
                 lambda q, t=dtype, m=mode: apply_op("Dequantize", {"input": tf.bitcast(q, t), "min_range": -1.0, "max_range": 2.5, "mode": m}),
                 [values_of(dtype)[:-1]])  # its SCALED mode turns the sign of the highest 32-bit integer
    for dtype in (tf.qint8, tf.quint8, tf.qint16):
        case(f"quantize to even {dtype.name}", lambda x, t=dtype: quantize(
            x, -4.0, 4.0, t, mode="SCALED", round_mode="HALF_TO_EVEN", narrow_range=True), [x])
        for mode in ("MIN_COMBINED", "SCALED"):
            case(f"quantize rows {dtype.name} {mode}", lambda x, t=dtype, m=mode: quantize(
                x, [-1.0, 0.0, -3.0], [2.0, 1.0, 0.0], t, mode=m, axis=0), [rows])
            case(f"dequantize columns {dtype.name} {mode}", lambda q, t=dtype, m=mode: apply_op("Dequantize", {
                "input": tf.bitcast(q, t), "min_range": [-1.0, 0.0], "max_range": [2.0, 1.0], "mode": m, "axis": 1}),
                 [values_of(dtype).reshape(128, 2)])
        case(f"quantize a small range {dtype.name}", lambda x, t=dtype: quantize(x, 0.1, 0.2, t, ensure_minimum_range=0.5), [x])
    case("dequantize to bfloat16", lambda q: apply_op("Dequantize", {
        "input": tf.bitcast(q, tf.quint8), "min_range": -1.0, "max_range": 2.5, "dtype": tf.bfloat16}), [values_of(tf.quint8)])


def errors(error):
    x = D(2, 3).array(np.float32)
    error("quantize a range that is reversed", lambda x: quantize(x, 2.0, 1.0, tf.quint8), [x])
    error("quantize to even without scale", lambda x: quantize(x, 0.0, 1.0, tf.quint8, round_mode="HALF_TO_EVEN"), [x])
    error("quantize rows first", lambda x: quantize(x, [0.0, 0.0], [1.0, 1.0], tf.quint8, mode="MIN_FIRST", axis=0), [x])
    error("quantize with ranges", lambda x, low: quantize(x, low, low + 1.0, tf.quint8), [x, np.zeros(2, np.float32)])


def layers(case):
    def concat(dtype, axis):
        def build(x, y):
            return plain(apply_op("QuantizedConcat", {
                "concat_dim": axis, "values": [tf.bitcast(x, dtype), tf.bitcast(y, dtype), tf.bitcast(x, dtype)],
                "input_mins": [-1.0, 0.5, -3.0], "input_maxes": [2.0, 4.0, 7.0]}))
        return build

    for dtype in (tf.quint8, tf.qint32):
        both = [values_of(dtype)[:200].reshape(4, 50), values_of(dtype)[56:].reshape(4, 50)]
        for axis in (0, 1):
            case(f"concat {dtype.name} {axis}", concat(dtype, axis), both)
        for op in ("QuantizedRelu", "QuantizedRelu6"):
            case(f"{op} {dtype.name}", lambda x, t=dtype, op=op: plain(apply_op(op, {
                "features": tf.bitcast(x, t), "min_features": -2.0, "max_features": 9.0, "out_type": t})), [values_of(dtype)])
    # Averages without remainders: oneDNN also pools constants, and rounds what 1.15 cuts off.
    for dtype in (tf.quint8, tf.qint8):
        image = (D(2, 4, 6, 3, low=0, high=30).array(np.uint8) * 4).astype(INTEGERS[dtype].as_numpy_dtype)
        for op in ("QuantizedMaxPool", "QuantizedAvgPool"):
            case(f"{op} {dtype.name}", lambda x, t=dtype, op=op: plain(apply_op(op, {
                "input": tf.bitcast(x, t), "min_input": -1.0, "max_input": 2.0, "ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1],
                "padding": "VALID"})), [image])
