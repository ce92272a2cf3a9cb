"""Elementwise arithmetic, reductions and products, by TensorFlow's public names."""
import numpy as np

from oracle.draw import ints, real
from oracle.tensorflow1 import tf


def make(recorder):
    case = recorder.case
    shapes = [(), (3,), (2, 3), (4, 1, 5), (0, 3)]
    for op in ["abs", "neg", "square", "exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "asinh", "sigmoid", "sign", "floor",
               "ceil", "round", "rint", "erf", "erfc", "is_nan", "is_inf", "is_finite", "softplus", "softsign", "relu", "relu6", "elu", "selu"]:
        function = getattr(tf.nn, op, None) or getattr(tf, op, None) or getattr(tf.math, op if op != "neg" else "negative")
        for shape in shapes:
            for dtype in (np.float32, np.float64):
                case("%s%s%s" % (op, list(shape), dtype.__name__), function, [real(*shape, dtype=dtype)], grad=op not in ("floor", "ceil", "round", "rint"))
    for op in ["sqrt", "rsqrt", "log", "log1p", "lgamma", "digamma", "reciprocal", "acosh"]:
        for shape in shapes:
            case("%s%s" % (op, list(shape)), getattr(tf.math, op), [real(*shape, low=1.1, high=4.0)])
    for op in ["asin", "acos", "atanh"]:
        case(op, getattr(tf, op), [real(3, 4, low=-0.9, high=0.9)])
    pairs = [((), ()), ((3,), ()), ((2, 3), (3,)), ((2, 1), (1, 3)), ((4, 1, 5), (3, 1)), ((0, 3), (3,))]
    for op in ["add", "subtract", "multiply", "divide", "maximum", "minimum", "squared_difference", "atan2", "truediv", "floordiv", "floormod", "div_no_nan"]:
        function = getattr(tf, op, None) or getattr(tf.math, op)
        for a, b in pairs:
            case("%s%s%s" % (op, list(a), list(b)), function, [real(*a), real(*b, low=0.5)], grad=op not in ("floordiv", "floormod"))
            if op not in ("atan2", "divide", "div_no_nan", "truediv"):
                case("%s%s%sint" % (op, list(a), list(b)), function, [ints(*a, low=-7, high=7), ints(*b, low=1, high=5)])
    for a, b in pairs:
        case("pow%s%s" % (list(a), list(b)), tf.pow, [real(*a, low=0.5), real(*b)])
        for op in ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]:
            case("%s%s%s" % (op, list(a), list(b)), getattr(tf, op), [ints(*a), ints(*b)])
    for op in ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_logsumexp"]:
        for shape, axis in [((3,), 0), ((2, 3), 1), ((2, 3), [0, 1]), ((2, 3, 4), [0, 2]), ((2, 3, 4), -2)]:
            for keep in (False, True):
                case("%s%s%s%s" % (op, list(shape), axis, keep), lambda x, op=op, axis=axis, keep=keep: getattr(tf, op)(x, axis, keepdims=keep), [real(*shape)])
    for op in ["reduce_all", "reduce_any"]:
        case(op, lambda x, op=op: getattr(tf, op)(x, 1), [ints(3, 4, high=2).astype(bool)])
    for op in ["argmax", "argmin"]:
        case(op, lambda x, op=op: getattr(tf, op)(x, 1), [real(3, 4)])
    for op in ["cumsum", "cumprod"]:
        for exclusive in (False, True):
            for reverse in (False, True):
                case("%s%d%d" % (op, exclusive, reverse), lambda x, op=op, e=exclusive, r=reverse: getattr(tf, op)(x, 1, exclusive=e, reverse=r), [real(2, 4)])
    for ta in (False, True):
        for tb in (False, True):
            a, b = real(*((4, 3) if ta else (3, 4))), real(*((5, 4) if tb else (4, 5)))
            case("matmul%d%d" % (ta, tb), lambda x, y, ta=ta, tb=tb: tf.matmul(x, y, transpose_a=ta, transpose_b=tb), [a, b])
            case("matmul64%d%d" % (ta, tb), lambda x, y, ta=ta, tb=tb: tf.matmul(x, y, transpose_a=ta, transpose_b=tb), [a.astype(np.float64), b.astype(np.float64)])
