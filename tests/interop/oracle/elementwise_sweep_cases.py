"""Elementwise ops in every type that both support: one row per op."""
import numpy as np

from oracle.draw import Draw as D
from oracle.tensorflow1 import tf

SHAPES = [(), (5,), (2, 3), (3, 1, 2), (0, 3)]
FLOATS = [tf.float32, tf.float64, tf.float16, tf.bfloat16]
PAIRS = [((), ()), ((4,), ()), ((2, 3), (3,)), ((2, 1), (1, 3)), ((3, 1, 2), (2, 1)), ((0, 3), (3,))]

# op: the range of its argument
UNARY = {
    "Abs": (-3, 3), "Acos": (-0.9, 0.9), "Acosh": (1.1, 4), "Asin": (-0.9, 0.9), "Asinh": (-3, 3), "Atan": (-3, 3), "Atanh": (-0.9, 0.9),
    "Ceil": (-3, 3), "Conj": (-3, 3), "Cos": (-3, 3), "Cosh": (-2, 2), "Digamma": (0.6, 4), "Elu": (-2, 2), "Erf": (-2, 2), "Erfc": (-2, 2),
    "Erfinv": (-0.9, 0.9), "Exp": (-2, 2), "Expm1": (-2, 2), "Floor": (-3, 3), "Identity": (-3, 3), "Inv": (1, 4), "Invert": (-5, 5),
    "IsFinite": (-3, 3), "IsInf": (-3, 3), "IsNan": (-3, 3), "LeakyRelu": (-2, 2), "Lgamma": (0.6, 4), "Log": (0.5, 4), "Log1p": (-0.4, 3),
    "LogicalNot": (0, 1), "Ndtri": (0.1, 0.9), "Neg": (-3, 3), "OnesLike": (-3, 3), "PopulationCount": (-9, 9), "PreventGradient": (-3, 3),
    "Reciprocal": (1, 4), "Relu": (-2, 2), "Relu6": (-2, 9), "Rint": (-3, 3), "Round": (-3, 3), "Rsqrt": (0.5, 4), "Selu": (-2, 2),
    "Sigmoid": (-3, 3), "Sign": (-3, 3), "Sin": (-3, 3), "Sinh": (-2, 2), "Snapshot": (-3, 3), "Softplus": (-3, 3), "Softsign": (-3, 3),
    "Sqrt": (0.5, 4), "Square": (-3, 3), "StopGradient": (-3, 3), "Tan": (-1.2, 1.2), "Tanh": (-2, 2), "ZerosLike": (-3, 3), "DeepCopy": (-3, 3),
    "GuaranteeConst": (-3, 3),
}
# op: the ranges of its arguments
BINARY = {
    "Add": ((-3, 3), (-3, 3)), "AddV2": ((-3, 3), (-3, 3)), "Sub": ((-3, 3), (-3, 3)), "Mul": ((-3, 3), (-3, 3)), "Div": ((-7, 7), (1, 4)),
    "RealDiv": ((-7, 7), (1, 4)), "DivNoNan": ((-7, 7), (0, 2)), "MulNoNan": ((-3, 3), (0, 2)), "FloorDiv": ((-7, 7), (1, 4)),
    "FloorMod": ((-7, 7), (1, 4)), "Mod": ((-7, 7), (1, 4)), "TruncateDiv": ((-7, 7), (1, 4)), "TruncateMod": ((-7, 7), (1, 4)),
    "Maximum": ((-3, 3), (-3, 3)), "Minimum": ((-3, 3), (-3, 3)), "Pow": ((1, 3), (0, 3)), "SquaredDifference": ((-3, 3), (-3, 3)),
    "Atan2": ((-3, 3), (-3, 3)), "Igamma": ((0.6, 3), (0.5, 4)), "Igammac": ((0.6, 3), (0.5, 4)), "IgammaGradA": ((0.6, 3), (0.5, 4)),
    "Zeta": ((1.5, 4), (0.5, 3)), "Polygamma": ((1, 3), (0.5, 3)), "Xdivy": ((0, 3), (1, 3)), "Xlogy": ((0, 3), (1, 3)), "Xlog1py": ((0, 3), (1, 3)),
    "NextAfter": ((-3, 3), (-3, 3)), "Equal": ((0, 2), (0, 2)), "NotEqual": ((0, 2), (0, 2)), "Less": ((-3, 3), (-3, 3)),
    "LessEqual": ((-2, 2), (-2, 2)), "Greater": ((-3, 3), (-3, 3)), "GreaterEqual": ((-2, 2), (-2, 2)), "LogicalAnd": ((0, 1), (0, 1)),
    "LogicalOr": ((0, 1), (0, 1)), "BitwiseAnd": ((-9, 9), (-9, 9)), "BitwiseOr": ((-9, 9), (-9, 9)), "BitwiseXor": ((-9, 9), (-9, 9)),
    "LeftShift": ((0, 9), (0, 4)), "RightShift": ((0, 9), (0, 4)), "Complex": ((-3, 3), (-3, 3)),
}
# The type for the shape cases, if it is not float32.
FIRST = {op: tf.int32 for op in ("Invert", "PopulationCount", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift", "TruncateMod", "Mod",
                                 "TruncateDiv")}
FIRST.update(Conj=tf.complex64)
NO_GRADIENT = {"Ceil", "Floor", "Rint", "Round", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod", "StopGradient", "PreventGradient",
               "IgammaGradA", "Igamma", "Igammac", "Zeta", "Polygamma"}
# The order of Polygamma must be an integer.
ORDERS = np.array([[1.0, 2.0, 3.0]], np.float32)


def make(recorder):
    sweep = recorder.sweep
    for op, (low, high) in UNARY.items():
        # TensorFlow's Round gives 0 for integers.
        sweep(op, D(2, 3, low=low, high=high), grad=op not in NO_GRADIENT, only=FLOATS if op == "Round" else None)
        for shape in SHAPES:
            sweep(op, D(*shape, low=low, high=high, salt=1), grad=op not in NO_GRADIENT, only=[FIRST.get(op, tf.float32)])
    for op, (a, b) in BINARY.items():
        if op == "Polygamma":
            sweep(op, ORDERS, np.array([[0.5], [2.5]], np.float32), grad=False)
            sweep(op, ORDERS.astype(np.float64), np.array([[0.5], [2.5]]), grad=False)
            continue
        grad = op not in NO_GRADIENT
        sweep(op, D(2, 3, low=a[0], high=a[1]), D(2, 3, low=b[0], high=b[1], salt=2), grad=grad)
        for left, right in PAIRS:
            sweep(op, D(*left, low=a[0], high=a[1], salt=3), D(*right, low=b[0], high=b[1], salt=4), grad=grad,
                  only=[FIRST.get(op, tf.float32)])
    for shape in SHAPES:
        sweep("ApproximateEqual", D(*shape), D(*shape, salt=1), tolerance=0.5, only=[tf.float32, tf.int32])
        sweep("Betainc", D(*shape, low=0.5, high=3), D(*shape, low=0.5, high=3, salt=1), D(*shape, low=0.1, high=0.9), grad=False)
        sweep("AddN", [D(*shape), D(*shape, salt=1), D(*shape, salt=2)], only=[tf.float32, tf.int32, tf.complex64])
        sweep("Select", D(*shape), D(*shape), D(*shape, salt=1), only=[tf.float32, tf.int32, tf.string])
        sweep("L2Loss", D(*shape))
        sweep("CheckNumerics", D(*shape), message="finite")
        for op in ("Real", "Imag", "Angle", "ComplexAbs"):
            sweep(op, D(*shape, low=-3, high=3), Tout=tf.float32, only=[tf.complex64])
            sweep(op, D(*shape, low=-3, high=3), Tout=tf.float64, only=[tf.complex128])
    sweep("AddN", [D(2, 3), D(2, 3, salt=1)])
    sweep("AccumulateNV2", [D(2, 3), D(2, 3, salt=1)], shape=[2, 3])
    sweep("Select", D(2, 3), D(2, 3), D(2, 3, salt=1))
    sweep("Select", D(2), D(2, 3), D(2, 3, salt=1), only=[tf.float32])
    sweep("SelectV2", D(2, 1), D(3), D(2, 3, salt=1))
    sweep("ClipByValue", D(3, 4, low=-5, high=5), D(low=-2, high=-1), D(low=1, high=2), only=[tf.float32, tf.float64, tf.int32])
    sweep("LeakyRelu", D(3, 4), alpha=0.3)
    for source in (tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int32, tf.int64, tf.uint8, tf.bool, tf.complex64):
        array = D(2, 3, low=-3, high=100).array(source.as_numpy_dtype)
        for target in (tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.bool, tf.complex64):
            recorder.case("Cast %s to %s" % (source.name, target.name), lambda x, t=target: tf.cast(x, t), [array])
    for array, target in [(np.arange(4, dtype=np.float32), tf.int32), (np.arange(8, dtype=np.int32).reshape(4, 2), tf.float64),
                          (np.arange(4, dtype=np.float64), tf.int16), (np.arange(3, dtype=np.int8), tf.uint8)]:
        recorder.case("Bitcast %s to %s" % (array.dtype, target.name), lambda x, t=target: tf.bitcast(x, t), [array])
