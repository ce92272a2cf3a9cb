"""Weir's protocol messages as Python classes.

All classes belong to one private descriptor pool, created on first use from descriptors.pb, which the build puts next to
this file. The default pool is not used: other code may register messages with the same names there.
"""
import threading as _threading
import types as _types

from weir.proto.pb2_modules import PB2_MODULES

__all__ = ["PB2_MODULES", "enum_type", "message_class", "module"]

_PACKAGE = "tensorflow."
_lock = _threading.Lock()
_loaded = None
_modules = {}


class _Loaded:
    """The pool, the classes of all top-level messages and the wrappers of all top-level enums, by name."""

    def __init__(self):
        import os
        from google.protobuf import descriptor_pb2, descriptor_pool, message, reflection
        from google.protobuf.internal import enum_type_wrapper

        path = os.path.join(os.path.dirname(__file__), "descriptors.pb")
        with open(path, "rb") as f:
            files = descriptor_pb2.FileDescriptorSet.FromString(f.read()).file
        self.pool = descriptor_pool.DescriptorPool()
        for file in files:
            self.pool.AddSerializedFile(file.SerializeToString())

        def make_class(descriptor, prefix):
            qualified = prefix + descriptor.name
            members = {"DESCRIPTOR": descriptor, "__module__": __name__, "__qualname__": qualified, "__reduce__": _reduce}
            for name, nested in descriptor.nested_types_by_name.items():
                members[name] = make_class(nested, qualified + ".")
            return reflection.GeneratedProtocolMessageType(descriptor.name, (message.Message,), members)

        # Create all classes at once: protobuf would create a different class for a field whose class does not exist
        # yet.
        self.messages = {}
        self.enums = {}
        for file in files:
            descriptor = self.pool.FindFileByName(file.name)
            prefix = (file.package + ".").removeprefix(_PACKAGE)
            for name, message_type in descriptor.message_types_by_name.items():
                self.messages[prefix + name] = make_class(message_type, "")
            for name, enum in descriptor.enum_types_by_name.items():
                self.enums[prefix + name] = enum_type_wrapper.EnumTypeWrapper(enum)


def _new_message(name):
    return message_class(name)()


def _reduce(self):
    # Protobuf's default pickling of a nested message looks up its class in the default pool.
    return _new_message, (self.DESCRIPTOR.full_name,), self.__getstate__()


def _load():
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _Loaded()
    return _loaded


def message_class(name):
    """Returns the class of a message: 'GraphDef', 'tensorflow.GraphDef' or, if nested, 'AttrValue.ListValue'."""
    key = name.removeprefix(_PACKAGE)
    messages = _load().messages
    if key in messages:
        return messages[key]
    outer, *nested = key.split(".")
    if outer not in messages:
        raise KeyError(f"no message named '{name}'")
    cls = messages[outer]
    for part in nested:
        if part not in cls.DESCRIPTOR.nested_types_by_name:
            raise KeyError(f"no message named '{name}'")
        cls = getattr(cls, part)
    return cls


def enum_type(name):
    """Returns the wrapper (.Name, .Value, .items) of a top-level enum: 'DataType', 'error.Code'."""
    enums = _load().enums
    key = name.removeprefix(_PACKAGE)
    if key not in enums:
        raise KeyError(f"no enum is called '{name}'")
    return enums[key]


def module(name):
    """Returns a module with the contents of TensorFlow's message module of that name: 'graph_pb2' or its full dotted path.

    Messages, enums and the values of enums are attributes, as in generated code.
    """
    path = name if name in PB2_MODULES else _SHORT_NAMES.get(name)
    if path is None:
        raise ModuleNotFoundError(f"no message module is called '{name}'", name=name)
    if path in _modules:
        return _modules[path]
    loaded = _load()
    result = _types.ModuleType(path, "Protocol messages.")
    for entry in PB2_MODULES[path]:
        attribute = entry.rpartition(".")[2]
        if entry in loaded.messages:
            value = loaded.messages[entry]
        else:
            value = loaded.enums[entry]
            for constant, number in value.items():
                setattr(result, constant, number)
        setattr(result, attribute, value)
        result.DESCRIPTOR = value.DESCRIPTOR.file
    return _modules.setdefault(path, result)


_SHORT_NAMES = {path.rpartition(".")[2]: path for path in PB2_MODULES}


def __getattr__(name):
    # weir.proto.GraphDef. The classes have this module as __module__.
    if not name.startswith("_"):
        loaded = _load()
        if name in loaded.messages:
            return loaded.messages[name]
        if name in loaded.enums:
            return loaded.enums[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
