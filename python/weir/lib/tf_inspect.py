"""tensorflow.python.util.tf_inspect: the module inspect of Python, with functions that newer versions of Python lack."""
import collections as _collections
import inspect as _inspect
from inspect import *  # noqa: F401, F403

ArgSpec = _collections.namedtuple("ArgSpec", "args varargs keywords defaults")
FullArgSpec = _inspect.FullArgSpec  # type: ignore[misc]


def getfullargspec(obj):  # type: ignore[no-redef]
    return _inspect.getfullargspec(_inspect.unwrap(obj) if callable(obj) else obj)


def getargspec(obj):
    found = getfullargspec(obj)
    return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


def getcallargs(func, *positional, **named):  # type: ignore[no-redef]
    return _inspect.getcallargs(_inspect.unwrap(func), *positional, **named)
