"""tf.Module: a base class for objects that own variables and other modules."""
import re

from weir import _weir


class Module:
    """Base class of modules: opens a name scope for their variables, and finds variables and modules in attributes, lists and dicts."""

    _TF_MODULE_IGNORED_PROPERTIES: frozenset = frozenset()

    def __init__(self, name=None):
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not name.isidentifier():
            raise ValueError(f"'{name}' is not a valid module name: it must be a Python identifier")
        self._name = name
        with _weir.name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self):
        return self._name

    @property
    def name_scope(self):
        """A scope to create the variables of the module in."""
        return _weir.name_scope(self._scope_name)

    @property
    def variables(self):
        return tuple(self._flatten(lambda value: isinstance(value, _weir.Variable)))

    @property
    def trainable_variables(self):
        return tuple(self._flatten(lambda value: isinstance(value, _weir.Variable) and value.trainable))

    @property
    def submodules(self):
        """The modules in this module, and those in them."""
        return tuple(self._flatten(lambda value: isinstance(value, Module)))

    @classmethod
    def with_name_scope(cls, method):
        """Decorates a method so that its ops are in the name scope of the module."""
        import functools

        @functools.wraps(method)
        def scoped(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)
        return scoped

    def _attributes(self):
        return [(name, value) for name, value in sorted(vars(self).items())
                if name not in self._TF_MODULE_IGNORED_PROPERTIES and name not in ("_name", "_scope_name")]

    def _trackable_children(self):
        from weir.lib.checkpoint import is_trackable
        return [(name, value) for name, value in vars(self).items() if name not in ("_name", "_scope_name") and is_trackable(value)]

    def _flatten(self, predicate, seen=None):
        """Yields the values in this module, then those in its submodules, each once."""
        seen = {id(self)} if seen is None else seen
        below = []
        for _, attribute in self._attributes():
            for value in _weir.nest_flatten(attribute):
                if id(value) in seen:
                    continue
                seen.add(id(value))
                if predicate(value):
                    yield value
                if isinstance(value, Module):
                    below.append(value)
        for module in below:
            yield from module._flatten(predicate, seen)


def _snake_case(name):
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))", r"_\1", name).lower()
