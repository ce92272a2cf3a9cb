"""Weir: a dataflow training engine that speaks TensorFlow 1.x. `import weir as tf`.

Importing loads only numpy and the extension module. Every public name is looked up in the tables of weir.api on first use.
"""
from weir import _weir
from weir._names import install_finder as _install_finder, lookup as _lookup, names_in as _names_in

__version__ = "0.1.0"
VERSION = __version__

_install_finder("weir", __path__)


def __getattr__(name):
    value = _lookup("weir", "", name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_names_in("")))
