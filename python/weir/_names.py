"""Resolves public names on first use: attributes of weir and its submodules, and the modules of the `tensorflow` package.

The tables in weir/api define each dotted name as one of:
    "matmul"               an attribute of the extension module
    "op:MatMul"            an op function from the registry
    "dtype:float32"        an element type
    "proto:GraphDef"       a message class
    "weir.errors:OpError"  an attribute of a Python module; "weir.errors:" is the module itself
    "=nn.relu"             another public name
    "refused:"             a function that raises the reason in missing_names.txt when it is called
    "(x, axis=0) op:..."   a public signature for one of these: weir/_signatures.py
A name that ends in ".*" is a module whose other attributes are looked up under another prefix: "python.ops.math_ops.*": "=".
After a comma follows a Python module that is tried next: "=nn.,weir.ops.gen:".
"""
import importlib
import importlib.machinery
import os
import sys
import types

from weir import _weir

_tables = None
_packages = None
_aliases = os.path.join(os.path.dirname(os.path.abspath(__file__)), "aliases")
_missing = object()
_made = {}  # public name -> its function, so that all modules that provide the name have the same one


def tables():
    """Returns all tables merged, and the set of prefixes that are modules."""
    global _tables, _packages
    if _tables is None:
        merged = {}
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "api")
        for file in sorted(os.listdir(folder)):
            stem, extension = os.path.splitext(file)
            if extension == ".py" and stem != "__init__":
                merged.update(importlib.import_module(f"weir.api.{stem}").NAMES)
        packages = set()
        for name in merged:
            parts = name.split(".")
            for i in range(1, len(parts)):
                packages.add(".".join(parts[:i]))
        _tables, _packages = merged, packages
    return _tables, _packages


def _is_package(name):
    return name in tables()[1]


def _pb2_modules():
    from weir.proto.pb2_modules import PB2_MODULES
    return PB2_MODULES


def resolve(target, name=""):
    """Returns the value of the table entry `target`. `name` is its public name."""
    if not isinstance(target, str):
        return target
    if target.startswith("("):
        if name not in _made:
            from weir import _signatures
            _made[name] = _signatures.make(name.rpartition(".")[2], target, resolve)
        return _made[name]
    if target.startswith("="):
        return find(target[1:])
    kind, colon, rest = target.partition(":")
    if not colon:
        return getattr(_weir, target)
    if kind == "op":
        return _weir.op_function(rest)
    if kind == "dtype":
        return _weir.dtypes[rest]
    if kind == "refused":
        from weir import _missing
        return _missing.refused(name)
    if kind == "proto":
        import weir.proto
        try:
            return weir.proto.message_class(rest)
        except KeyError:
            return weir.proto.enum_type(rest)
    module = importlib.import_module(kind)
    return getattr(module, rest) if rest else module


def find(name):
    """Returns the value of a public dotted name. Raises AttributeError if there is none."""
    value = _find(name)
    if value is _missing:
        raise AttributeError(f"no public name '{name}'")
    return value


def _find(name):
    table, packages = tables()
    if name in table:
        return resolve(table[name], name)
    if name in packages:
        return importlib.import_module("weir." + name)
    parent, _, attribute = name.rpartition(".")
    for fallback in table.get(parent + ".*", "").split(","):
        if fallback.startswith("="):
            value = _find(fallback[1:] + attribute)
        elif fallback:
            value = getattr(importlib.import_module(fallback[:-1]), attribute, _missing)
        else:
            continue
        if value is not _missing:
            return value
    return _missing


def _package_behind(name):
    """Returns the package or module that a module of another name stands for ("train" for "compat.v1.train"), or None."""
    table, packages = tables()
    parts = name.split(".")
    for i in range(len(parts) - 1, 0, -1):
        fallback = table.get(".".join(parts[:i]) + ".*", "").partition(",")[0]
        if not fallback.startswith("="):
            continue
        target = fallback[1:] + ".".join(parts[i:])
        if target in packages or str(table.get(target, "")).endswith(":"):
            return target
        deeper = _package_behind(target)
        if deeper:
            return deeper
    return None


def lookup(root, prefix, name):
    """Returns the attribute `name` of the module root.prefix: from the tables, or a submodule that exists as a file."""
    if not name.startswith("__"):
        full = prefix + name
        table, packages = tables()
        if full in packages and full not in table:
            return importlib.import_module(f"{root}.{full}")
        value = _find(full)
        if value is not _missing:
            return value
        try:
            return importlib.import_module(f"{root}.{full}")
        except ModuleNotFoundError as error:
            if error.name is not None and not error.name.startswith(f"{root}."):
                raise
    module = (root + "." + prefix).rstrip(".")
    note = missing_note(f"{module}.{name}") if not name.startswith("_") else ""
    raise AttributeError(f"module '{module}' has no attribute '{name}'" + (f": {note}" if note else ""))


def missing_note(name):
    """Returns why a name is missing and what to use instead. If no reason is known: for a name below `tensorflow`, a hint how to
    list what exists; else ""."""
    from weir import _missing
    root, _, below = name.partition(".")
    reason = _missing.reason(below)
    if reason or root != "tensorflow":
        return reason or ""
    parts = name.split(".")
    while len(parts) > 1 and not _is_package(".".join(parts[1:])):
        parts.pop()
    module = ".".join(parts)
    return f"`tensorflow` is provided by Weir, which lacks this name; dir({module}) lists the names that exist"


def names_in(prefix):
    table, packages = tables()
    found = {name[len(prefix):].partition(".")[0] for name in table if name.startswith(prefix)}
    return sorted(name for name in found if name != "*" and not name.startswith("_"))


def _starred(prefix):
    """Returns the names that `from module import *` brings: also those that the module has from another one, except the root."""
    found = set(names_in(prefix))
    for fallback in tables()[0].get(prefix + "*", "").split(","):
        if len(fallback) > 1 and fallback.startswith("="):
            found.update(_starred(fallback[1:]))
    return sorted(found)


class ApiModule(types.ModuleType):
    """A module whose attributes come from the tables."""

    def __init__(self, root, prefix):
        super().__init__((root + "." + prefix).rstrip("."))
        self.__dict__["_root"] = root
        self.__dict__["_prefix"] = prefix + "." if prefix else ""

    def __getattr__(self, name):
        if name == "__all__":  # `from module import *`
            return _starred(self.__dict__["_prefix"])
        value = lookup(self.__dict__["_root"], self.__dict__["_prefix"], name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name, value):
        # Importing a submodule sets it as an attribute of its package. A public name takes precedence:
        # contrib.framework.python.ops.arg_scope is a module and, as an attribute, the function in it.
        if not (isinstance(value, types.ModuleType) and self.__dict__["_prefix"] + name in tables()[0]):
            super().__setattr__(name, value)

    def __dir__(self):
        return sorted(set(self.__dict__) | set(names_in(self.__dict__["_prefix"])))


class _Finder:
    """Import finder for modules of one root package that have no file."""

    def __init__(self, root):
        self.root = root

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.root and not fullname.startswith(self.root + "."):
            return None
        name = fullname[len(self.root) + 1:]
        if fullname == self.root:
            kind = "package"
        elif self._is_message_module(fullname):
            kind = "messages"
        elif _is_package(name) or self._is_message_package(fullname):
            kind = "package"
        elif self._module_entry(name) is not None:
            kind = "module"
        else:
            self._raise_the_reason(fullname, name)
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, is_package=kind == "package")
        spec.loader_state = (kind, name)
        if kind == "package":
            spec.submodule_search_locations = [os.path.join(_aliases, *fullname.split("."))] if self.root != "weir" else []
        return spec

    def _raise_the_reason(self, fullname, name):
        if name.startswith(("_", "python.", "lib.", "api.")):
            return
        from weir import _missing
        reason = _missing.reason(name)
        if reason:
            # The error has no name attribute: `from module import x` would replace an error that names the module.
            raise ModuleNotFoundError(f"No module named '{fullname}': {reason}")

    def _is_message_module(self, fullname):
        return self.root == "tensorflow" and fullname.endswith("_pb2") and fullname in _pb2_modules()

    def _is_message_package(self, fullname):
        return self.root == "tensorflow" and any(m.startswith(fullname + ".") for m in _pb2_modules())

    def _module_entry(self, name):
        entry = tables()[0].get(name)
        if isinstance(entry, str):
            return entry if entry.endswith(":") else None
        package = _package_behind(name) if self.root == "tensorflow" else None
        return package and f"={package}"

    def create_module(self, spec):
        kind, name = spec.loader_state
        if kind == "messages":
            import weir.proto
            return weir.proto.module(spec.name)
        if kind == "module":
            module = resolve(self._module_entry(name))
            spec.loader_state = (kind, module.__spec__)
            return module
        return ApiModule(self.root, name)

    def exec_module(self, module):
        kind, state = module.__spec__.loader_state
        if kind == "module":  # already executed under its own name: restore its spec
            module.__spec__ = state
        if module.__name__ == "tensorflow":
            from weir.lib import version
            module.__version__ = module.VERSION = version.VERSION
            module.__git_version__ = module.GIT_VERSION = version.GIT_VERSION
            module.__compiler_version__ = version.COMPILER_VERSION
            module.__cxx11_abi_flag__ = version.CXX11_ABI_FLAG
            module.__monolithic_build__ = version.MONOLITHIC_BUILD


class _StubFolders:
    """Skips folders that contain only type stubs, which Python would import as namespace packages."""

    def __init__(self, finder, path):
        self.finder = finder
        self.path = path

    def find_spec(self, fullname, path=None, target=None):
        root, _, name = fullname.partition(".")
        if root != self.finder.root or not name or "." in name:
            return None
        for folder in self.path:
            folder = os.path.join(folder, name)
            if os.path.exists(os.path.join(folder, "__init__.pyi")) and not os.path.exists(os.path.join(folder, "__init__.py")):
                return self.finder.find_spec(fullname)
        return None


def install_finder(root, path=None):
    if not any(type(f) is _Finder and f.root == root for f in sys.meta_path):
        # The root itself must resolve to this finder; below it, real files take precedence.
        finder = _Finder(root)
        sys.meta_path.append(finder)
        if path:
            sys.meta_path.insert(0, _StubFolders(finder, path))


def install_as_tensorflow():
    """Makes `import tensorflow` resolve to Weir in this process."""
    class Root(_Finder):
        def find_spec(self, fullname, path=None, target=None):
            return super().find_spec(fullname, path, target) if fullname == "tensorflow" else None
    if not any(type(f).__name__ == "Root" for f in sys.meta_path):
        sys.meta_path.insert(0, Root("tensorflow"))
    install_finder("tensorflow")
