"""tf.py_function: a Python function that gets its arguments as values with a numpy() method."""
import numpy as np

from weir import _weir


class Value(np.ndarray):
    """Wraps an array. Like a tensor of eager mode, it has a method numpy() that returns the array."""

    def numpy(self):
        return self.view(np.ndarray)[()]


def _value(argument):
    return np.asarray(argument).view(Value)


def _array(result):
    return result.view(np.ndarray) if isinstance(result, Value) else result


def py_function(func, inp, Tout, name=None):
    """Calls a Python function on values while the graph runs. Gradients do not pass through it."""
    def call(*arguments):
        result = func(*map(_value, arguments))
        if isinstance(result, (list, tuple)):
            return [_array(item) for item in result]
        return _array(result)
    return _weir.py_func(call, inp, Tout, stateful=True, name=name or "EagerPyFunc")
