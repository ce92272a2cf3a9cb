"""tensorflow.python.util.function_utils: what a function accepts."""
import functools as _functools
import inspect as _inspect


def _function_of(fn):
    """The function behind a callable object."""
    if not _inspect.isfunction(fn) and not _inspect.isclass(fn) and _inspect.ismethod(getattr(fn, "__call__", None)):
        return fn.__call__
    return fn


def fn_args(fn):
    """Returns the names of the parameters of a function, without those that a bound method or a partial already has."""
    if isinstance(fn, _functools.partial):
        return tuple(name for name in fn_args(fn.func)[len(fn.args):] if name not in (fn.keywords or []))
    fn = _function_of(fn)
    names = _inspect.getfullargspec(fn).args
    return tuple(names[1:] if _inspect.ismethod(fn) else names)


def has_kwargs(fn):
    """Whether the function accepts **kwargs."""
    if isinstance(fn, _functools.partial):
        fn = fn.func
    elif not callable(fn):
        raise TypeError(f"fn should be a function-like object, but is of type {type(fn)}.")
    return _inspect.getfullargspec(_function_of(fn)).varkw is not None


def get_func_name(func):
    """Returns the name of a function, for messages."""
    if not callable(func):
        raise ValueError(f"Argument must be callable, but is of type {type(func)}.")
    if isinstance(func, _functools.partial):
        return get_func_name(func.func)
    return getattr(func, "__qualname__", None) or str(type(func))


def get_func_code(func):
    """Returns the code object of a function, or None."""
    if not callable(func):
        raise ValueError(f"Argument must be callable, but is of type {type(func)}.")
    return getattr(func, "__code__", None)
