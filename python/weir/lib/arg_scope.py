"""tf.contrib.framework.arg_scope: default arguments of functions, within a block."""
import contextlib
import functools
import threading

_state = threading.local()
_known: dict = {}  # argument names of decorated functions, by key


def _stack():
    if not hasattr(_state, "stack"):
        _state.stack = [{}]
    return _state.stack


def _key(function):
    return getattr(function, "_key_op", None) or (function.__module__, function.__name__)


def _name(function):
    return f"{function.__module__}.{function.__name__}"


def add_arg_scope(func):
    """Decorator: lets arg_scope set defaults for a function. Explicit arguments take precedence."""
    @functools.wraps(func)
    def with_defaults(*args, **kwargs):
        given = current_arg_scope().get(_key(with_defaults))
        return func(*args, **{**given, **kwargs}) if given else func(*args, **kwargs)
    with_defaults._key_op = (func.__module__, func.__name__)
    _known[with_defaults._key_op] = func.__code__.co_varnames[:func.__code__.co_argcount + func.__code__.co_kwonlyargcount]
    return with_defaults


def arg_scope_func_key(op):
    """Returns the key of a function in the dicts of an arg_scope."""
    return _key(op)


def has_arg_scope(func):
    return _key(func) in _known


def arg_scoped_arguments(func):
    if not has_arg_scope(func):
        raise ValueError(f"{_name(func)} is not decorated with @add_arg_scope")
    return _known[_key(func)]


def current_arg_scope():
    return _stack()[-1]


@contextlib.contextmanager
def arg_scope(list_ops_or_scope, **kwargs):
    """Sets default arguments of decorated functions within the block. Also accepts a scope yielded by another
    arg_scope."""
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("when reusing a scope, no further arguments are allowed")
        scope = dict(list_ops_or_scope)
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
        scope = {key: dict(defaults) for key, defaults in current_arg_scope().items()}
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                raise ValueError(f"{_name(function)} is not decorated with @add_arg_scope")
            scope.setdefault(_key(function), {}).update(kwargs)
    _stack().append(scope)
    try:
        yield scope
    finally:
        _stack().pop()
