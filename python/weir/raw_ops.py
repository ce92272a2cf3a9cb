"""tf.raw_ops: every registered op under its own name, to be called with keyword arguments: `MatMul(a=x, b=y)`."""
from weir import _weir


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    globals()[name] = function = _weir.op_function(name)
    return function


def __dir__():
    return _weir.op_names()
