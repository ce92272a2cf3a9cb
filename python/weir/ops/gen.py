"""One function per registered op, with TensorFlow's names: `mat_mul(a, b, transpose_a=False, transpose_b=False, name=None)`.

The functions are created from the C++ registry on first use. weir.raw_ops has the same functions under the ops' own names.
"""
from weir import _weir

_by_name = {}


def _names():
    if not _by_name:
        for op in _weir.op_names():
            _by_name[_weir.snake_name(op)] = op
    return _by_name


def __getattr__(name):
    op = None if name.startswith("__") else _names().get(name)
    if op is None:
        raise AttributeError(f"no op function named '{name}'")
    globals()[name] = function = _weir.op_function(op)
    return function


def __dir__():
    return sorted(_names())
