"""tensorflow.python.util.all_util: the public names of a module."""
import sys


def make_all(module_name, doc_string_modules=None):
    """Returns the names of a module that do not start with an underscore and are not modules. Ignores `doc_string_modules`."""
    found = vars(sys.modules[module_name])
    return sorted(name for name, value in found.items() if not name.startswith("_") and not isinstance(value, type(sys)))


def remove_undocumented(module_name, allowed_exception_list=None, doc_string_modules=None):
    """Keeps all names: only the documentation of TensorFlow needs fewer."""


def reveal_undocumented(symbol_name, target_module=None):
    """Does nothing: no name was removed."""
