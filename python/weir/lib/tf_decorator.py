"""tensorflow.python.util.tf_decorator: decorators that keep the name, documentation and signature of their function."""
import functools
import inspect


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc="", decorator_argspec=None):
    """Returns decorator_func with the attributes of `target`."""
    functools.update_wrapper(decorator_func, target)
    if decorator_doc:
        decorator_func.__doc__ = decorator_doc
    return decorator_func


def unwrap(maybe_tf_decorator):
    """Returns the wrappers around a function, outermost first, and the function."""
    wrappers = []
    while hasattr(maybe_tf_decorator, "__wrapped__"):
        wrappers.append(maybe_tf_decorator)
        maybe_tf_decorator = maybe_tf_decorator.__wrapped__
    return wrappers, maybe_tf_decorator


def tf_decorator_target(function):
    return inspect.unwrap(function)
