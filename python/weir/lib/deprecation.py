"""Decorators that libraries written for TensorFlow put on old functions. They warn once for each function."""
import functools

from weir._signatures import deprecated_argument_lookup
from weir.lib import log

_PRINT_DEPRECATION_WARNINGS = True  # programs set these
_PER_MODULE_WARNING_LIMIT = 1
_warned: set = set()


def _warn(function, date, instructions):
    key = (function.__module__, function.__qualname__, instructions)
    if _PRINT_DEPRECATION_WARNINGS and key not in _warned:
        _warned.add(key)
        when = f"after {date}" if date else "in a future version"
        log.warning("%s (from %s) is deprecated and will be removed %s. Instructions for updating: %s", function.__name__,
                    function.__module__, when, instructions)


def deprecated(date, instructions, warn_once=True):
    """Marks a function as deprecated."""
    def decorate(function):
        @functools.wraps(function)
        def warning(*args, **kwargs):
            _warn(function, date, instructions)
            return function(*args, **kwargs)
        return warning
    return decorate


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
    """Marks arguments of a function as deprecated: names, or pairs of a name and the value that does not warn."""
    names = [item if isinstance(item, str) else item[0] for item in deprecated_arg_names_or_tuples]

    def decorate(function):
        @functools.wraps(function)
        def warning(*args, **kwargs):
            if any(kwargs.get(name) is not None for name in names):
                _warn(function, date, instructions)
            return function(*args, **kwargs)
        return warning
    return decorate


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
    """Marks values of arguments as deprecated."""
    def decorate(function):
        @functools.wraps(function)
        def warning(*args, **kwargs):
            if any(name in kwargs and kwargs[name] == value for name, value in deprecated_kwargs.items()):
                _warn(function, date, instructions)
            return function(*args, **kwargs)
        return warning
    return decorate


def deprecated_alias(deprecated_name, name, func_or_class, warn_once=True):
    """Returns the function under its deprecated name."""
    return deprecated(None, f"Please use {name} instead.")(func_or_class)


def tf_export(*names, **kwargs):
    """Marks a public name of TensorFlow. Here it returns the decorated object as it is."""
    return lambda decorated: decorated
