"""Names of Keras objects in arguments: strings, configs and functions for activations, initializers and the like."""
import contextlib

_custom: dict = {}


def get_custom_objects():
    return _custom


class CustomObjectScope:
    """Names that `get` functions find inside of the scope."""

    def __init__(self, *args):
        self._added = {key: value for one in args for key, value in one.items()}

    def __enter__(self):
        self._before = dict(_custom)
        _custom.update(self._added)
        return self

    def __exit__(self, *error):
        _custom.clear()
        _custom.update(self._before)


def custom_object_scope(*args):
    return CustomObjectScope(*args)


@contextlib.contextmanager
def _added(custom_objects):
    with CustomObjectScope(custom_objects or {}):
        yield


def serialize_keras_object(instance):
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        return {"class_name": type(instance).__name__, "config": instance.get_config()}
    if hasattr(instance, "__name__"):
        return instance.__name__
    raise ValueError(f"Cannot serialize {instance!r}")


def get_keras_object(identifier, deserialize, what):
    """Returns what an argument names: a string or a config is deserialized, and a callable returned as it is."""
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if identifier is None or callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret {what} identifier: {identifier}")


def deserialize_keras_object(identifier, module_objects=None, custom_objects=None, printable_module_name="object"):
    if identifier is None:
        return None
    found = {**(module_objects or {}), **_custom, **(custom_objects or {})}
    if isinstance(identifier, dict):
        name = identifier.get("class_name")
        if name is None or "config" not in identifier:
            raise ValueError(f"Improper config format: {identifier}")
        if name not in found:
            raise ValueError(f"Unknown {printable_module_name}: {name}")
        made = found[name]
        config = dict(identifier["config"])
        return made.from_config(config) if hasattr(made, "from_config") else made(**config)
    if isinstance(identifier, str):
        if identifier not in found:
            raise ValueError(f"Unknown {printable_module_name}: {identifier}")
        value = found[identifier]
        return value() if isinstance(value, type) else value
    raise ValueError(f"Could not interpret serialized {printable_module_name}: {identifier}")
