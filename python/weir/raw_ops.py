"""tf.raw_ops: every op of the registry under its own name, for calls with keywords: `MatMul(a=x, b=y)`."""
from weir import _weir


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    globals()[name] = function = _weir.op_function(name)
    return function


def __dir__():
    return _weir.op_names()
