"""tensorflow.python.util.lazy_loader: a module that is imported when it is first used."""
import importlib as _importlib
import types as _types


class LazyLoader(_types.ModuleType):
    def __init__(self, local_name, parent_module_globals, name):
        super().__init__(name)
        self._local_name, self._parent_module_globals = local_name, parent_module_globals

    def _load(self):
        module = _importlib.import_module(self.__name__)
        self._parent_module_globals[self._local_name] = module
        self.__dict__.update(module.__dict__)
        return module

    def __getattr__(self, item):
        return getattr(self._load(), item)

    def __dir__(self):
        return dir(self._load())
