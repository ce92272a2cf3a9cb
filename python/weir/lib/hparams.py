"""tf.contrib.training.HParams: named, typed hyperparameters that can be parsed from text."""
import json
import numbers
import re

# One assignment: a name, an optional index, and a value or a list of values in brackets.
_ASSIGNMENT = re.compile(r"\s*(?P<name>[a-zA-Z]\w*)\s*(?:\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
                         r"(?:\[(?P<values>[^\]]*)\]|(?P<value>[^,\[]*))\s*(?:,|$)")


def _cast(name, kind, value):
    """Converts a value to the type of a hyperparameter. Raises ValueError if the conversion would lose information."""
    fail = ValueError(f"Could not cast hparam '{name}' of type '{kind.__name__}' from value {value!r}")
    if value is None:
        return None
    if kind is str:
        if not isinstance(value, (str, bytes)):
            raise fail
        return value.decode() if isinstance(value, bytes) else value
    if issubclass(kind, bool) != isinstance(value, bool):
        raise fail
    if issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral):
        raise fail
    if issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number):
        raise fail
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise fail from None


def _parsed(name, kind, text):
    """Parses the value of an assignment."""
    text = text.strip()
    try:
        if kind is bool:
            return {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}[text]
        return kind(text)
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"Could not parse hparam '{name}' of type '{kind.__name__}' from {text!r}") from None


class HParams:
    """Hyperparameters as attributes. The elements of a list must have the same type."""

    def __init__(self, model_structure=None, **kwargs):
        self._types = {}  # name: (type, is_list)
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._types[name] = (type(value[0]), True)
            value = [_cast(name, type(value[0]), item) for item in value]
        else:
            self._types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name, value):
        kind, is_list = self._type_of(name)
        if is_list != isinstance(value, (list, tuple)):
            raise ValueError(f"Must {'' if is_list else 'not '}pass a list for {'multi' if is_list else 'single'}-valued parameter: {name}")
        setattr(self, name, [_cast(name, kind, item) for item in value] if is_list else _cast(name, kind, value))

    def del_hparam(self, name):
        if name in self._types:
            delattr(self, name)
            del self._types[name]

    def parse(self, values):
        """Sets hyperparameters from text such as "rate=0.1,layers=[3,4],name=x,layers[1]=5"."""
        position = 0
        seen = set()
        while position < len(values):
            found = _ASSIGNMENT.match(values, position)
            if found is None or found.end() == position:
                raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
            position = found.end()
            self._assign(found, seen)
        return self

    def _assign(self, found, seen):
        name, index = found["name"], found["index"]
        kind, is_list = self._type_of(name)
        if (name, index) in seen:
            raise ValueError(f"Multiple assignments to variable '{name}'")
        seen.add((name, index))
        if found["values"] is not None:
            if index is not None or not is_list:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_parsed(name, kind, text) for text in found["values"].split(",") if text.strip()])
        elif index is not None:
            if not is_list or int(index) >= len(getattr(self, name)):
                raise ValueError(f"'{name}' has no element {index}")
            getattr(self, name)[int(index)] = _parsed(name, kind, found["value"])
        elif is_list:
            raise ValueError(f"Must pass a list for multi-valued parameter: {name}")
        else:
            setattr(self, name, _parsed(name, kind, found["value"]))

    def parse_json(self, values_json):
        return self.override_from_dict(json.loads(values_json))

    def override_from_dict(self, values_dict):
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def values(self):
        return {name: getattr(self, name) for name in self._types}

    def get(self, key, default=None):
        if key not in self._types:
            return default
        if default is not None:
            kind, is_list = self._types[key]
            for item in default if is_list and isinstance(default, (list, tuple)) else [default]:
                _cast(key, kind, item)
        return getattr(self, key)

    def to_json(self, indent=None, separators=None, sort_keys=False):
        def plain(value):
            return getattr(value, "__name__", str(value)) if callable(value) else value
        return json.dumps({name: plain(value) for name, value in self.values().items()}, indent=indent, separators=separators,
                          sort_keys=sort_keys)

    def get_model_structure(self):
        return self._model_structure

    def set_model_structure(self, model_structure):
        self._model_structure = model_structure

    def _type_of(self, name):
        if name not in self._types:
            raise KeyError(f"unknown hyperparameter '{name}'; known: {', '.join(sorted(self._types))}")
        return self._types[name]

    def __contains__(self, key):
        return key in self._types

    def __str__(self):
        return str(sorted(self.values().items()))

    def __repr__(self):
        return f"{type(self).__name__}({sorted(self.values().items())})"
