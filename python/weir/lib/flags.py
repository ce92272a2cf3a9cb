"""tf.flags: command-line options, defined where they are used and read as attributes of FLAGS.

The command line is parsed when a flag is first read, or by tf.app.run. Values are validated when they are set.
"""
import sys as _sys

from weir.lib.flag_types import (  # noqa: F401 (public names)
    Error, DuplicateFlagError, IllegalFlagValueError, UnrecognizedFlagError, UnparsedFlagAccessError, ValidationError,
    ArgumentParser, FloatParser, IntegerParser, BooleanParser, EnumParser, EnumClassParser, ListParser,
    WhitespaceSeparatedListParser, ArgumentSerializer, Flag, BooleanFlag, EnumFlag, MultiFlag,
)


class FlagValues:
    """All flags of a program, as attributes."""

    def __init__(self):
        self.__dict__.update(_flags={}, _short={}, _parsed=False, _multi_validators=[], _names_of_modules={})

    # flags and values
    def _flag(self, name):
        return self._flags.get(name) or self._flags.get(self._short.get(name))

    def __getattr__(self, name):
        if name == "__flags":  # what programs iterate over to print all flags
            return {**self._flags, **{short: self._flags[long] for short, long in self._short.items()}}
        flag = self._flag(name)
        if flag is None:
            raise AttributeError(name)
        if not self._parsed:
            self(_sys.argv)
        return flag.value

    def __setattr__(self, name, value):
        flag = self._flag(name)
        if flag is None:
            raise AttributeError(f"unknown flag '{name}'")
        flag.value = value
        flag.using_default_value = False
        self._validate([flag])

    def __delattr__(self, name):
        flag = self._flag(name)
        if flag is None:
            raise AttributeError(name)
        del self._flags[flag.name]
        self._short.pop(flag.short_name, None)

    def __getitem__(self, name):
        flag = self._flag(name)
        if flag is None:
            raise KeyError(name)
        return flag

    def __setitem__(self, name, flag):
        self._define(name, flag)

    def __contains__(self, name):
        return self._flag(name) is not None

    def __len__(self):
        return len(self._flags)

    def __iter__(self):
        return iter(sorted(self._flags))

    def __dir__(self):
        return sorted(self._flags)

    def _define(self, name, flag):
        known = self._flags.get(name)
        if known is not None and known is not flag and not (known.allow_override or flag.allow_override):
            raise DuplicateFlagError(f"The flag '{name}' is defined twice. First from {known.module}, Second from {flag.module}. "
                                     f"Description from first occurrence: {known.help}")
        self._flags[name] = flag
        if flag.short_name:
            self._short[flag.short_name] = name

    def flag_values_dict(self):
        return {name: flag.value for name, flag in self._flags.items()}

    def is_parsed(self):
        return self._parsed

    def mark_as_parsed(self):
        self.__dict__["_parsed"] = True

    def unparse_flags(self):
        for flag in self._flags.values():
            flag.unparse()
        self.__dict__["_parsed"] = False

    def set_default(self, name, value):
        flag = self[name]
        flag._set_default(value)
        if not flag.present:
            flag.value = flag.default
        self._validate([flag])

    def flags_into_string(self):
        return "".join(flag.serialize() + "\n" for flag in self._flags.values() if flag.value is not None)

    # the command line
    def __call__(self, argv, known_only=False):
        """Parses argv, whose first item is the program's name. Returns the arguments that are not flags."""
        if isinstance(argv, (str, bytes)) or not argv:
            raise TypeError("argv should be a tuple/list of strings, with the program's name first")
        rest, unknown = self._parse_arguments(list(argv)[1:], known_only)
        if unknown and not known_only:
            import difflib
            name, value = unknown[0]
            raise UnrecognizedFlagError(name, value, difflib.get_close_matches(name, self._flags, n=3))
        self.mark_as_parsed()
        self._validate(self._flags.values())
        return [argv[0]] + rest

    def _parse_flags(self, args=None):
        """Parses the command line, as programs for TensorFlow 1.0 do."""
        self([_sys.argv[0]] + list(_sys.argv[1:] if args is None else args), known_only=True)
        return self

    def _parse_arguments(self, arguments, known_only):
        rest, unknown = [], []
        i = 0
        while i < len(arguments):
            argument = arguments[i]
            i += 1
            if argument == "--":
                rest.extend(["--", *arguments[i:]] if known_only else arguments[i:])
                break
            if not argument.startswith("-") or argument == "-":
                rest.append(argument)
                continue
            name, equals, value = argument.lstrip("-").partition("=")
            if name == "flagfile":
                if not equals and i < len(arguments):
                    value = arguments[i]
                    i += 1
                with open(value) as file:
                    lines = [line.strip() for line in file]
                arguments[i:i] = [line for line in lines if line and not line.startswith(("#", "//"))]
                continue
            flag = self._flag(name) or self._flag(name.replace("-", "_"))
            negated = flag is None and name.startswith("no") and getattr(self._flag(name[2:]), "boolean", False)
            if negated:
                flag = self._flag(name[2:])
                if equals:
                    raise IllegalFlagValueError(f"flag --{name} takes no value")
                flag.parse(False)
            elif flag is None:
                if name in ("help", "helpshort", "helpfull", "h", "?") and not known_only:
                    self._show_help()
                unknown.append((name, value))
                rest.append(argument)
            elif flag.boolean:
                flag.parse(value if equals else True)
            else:
                if not equals:
                    if i >= len(arguments):
                        raise Error(f"Missing value for flag --{name}")
                    value = arguments[i]
                    i += 1
                flag.parse(value)
        return rest, unknown

    def _validate(self, flags):
        for flag in flags:
            for check, message in flag.validators:
                self._run_validator(lambda: check(flag.value), f"flag --{flag.name}={flag.value}: {message}")
        names = {flag.name for flag in flags}
        for over, check, message in self._multi_validators:
            if names & set(over):
                self._run_validator(lambda: check({n: self._flags[n].value for n in over}), f"flags {', '.join(over)}: {message}")

    @staticmethod
    def _run_validator(check, message):
        try:
            good = check()
        except ValidationError as error:
            raise IllegalFlagValueError(f"{message.partition(':')[0]}: {error}")
        if not good:
            raise IllegalFlagValueError(message)

    def get_help(self, prefix="", include_special_flags=True):
        lines = []
        for name in sorted(self._flags):
            flag = self._flags[name]
            text = f"--[no]{name}" if flag.boolean else f"--{name}"
            if flag.short_name:
                text = f"-{flag.short_name},{text}"
            lines.append(f"{prefix}  {text}: {flag.help}")
            if flag.default is not None:
                default = repr(str(flag.default).lower() if flag.boolean else flag.default)
                lines.append(f"{prefix}    (default: {default})")
            if not flag.boolean:
                lines.append(f"{prefix}    (a {flag.flag_type()})")
        return "\n".join(lines)

    def main_module_help(self):
        return self.get_help()

    def _show_help(self):
        doc = getattr(_sys.modules.get("__main__"), "__doc__", None) or f"USAGE: {_sys.argv[0]} [flags]"
        print(f"{doc.strip()}\n\nflags:\n\n{self.get_help()}")
        _sys.exit(1)


FLAGS = FlagValues()


class FlagHolder:
    """The result of DEFINE_*: access to a flag's value without its name."""

    def __init__(self, flag_values, flag):
        self._flag_values, self.name, self.default = flag_values, flag.name, flag.default

    @property
    def value(self):
        return getattr(self._flag_values, self.name)

    @property
    def present(self):
        return bool(self._flag_values[self.name].present)

    def __bool__(self):
        raise TypeError("a FlagHolder cannot be used as a bool: use .value")


def DEFINE_flag(flag, flag_values=FLAGS, module_name=None, required=False):
    flag.module = module_name or _caller()
    flag_values[flag.name] = flag
    if required:
        mark_flag_as_required(flag.name, flag_values)
    return FlagHolder(flag_values, flag)


def _caller():
    frame = _sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return _sys.argv[0] if frame is None or frame.f_globals.get("__name__") == "__main__" else frame.f_globals.get("__name__")


def DEFINE(parser, name, default, help, flag_values=FLAGS, serializer=None, module_name=None, required=False, **args):
    return DEFINE_flag(Flag(parser, serializer, name, default, help, **args), flag_values, module_name, required)


def _with_old_names(define):
    """Accepts flag_name, default_value and docstring as aliases of name, default and help, like TensorFlow 1.x."""
    import functools

    @functools.wraps(define)
    def wrapped(*args, **kwargs):
        for old, new in (("flag_name", "name"), ("default_value", "default"), ("docstring", "help")):
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
        return define(*args, **kwargs)
    return wrapped


@_with_old_names
def DEFINE_string(name, default, help, flag_values=FLAGS, **args):
    return DEFINE(ArgumentParser(), name, default, help, flag_values, **args)


@_with_old_names
def DEFINE_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS, **args):
    return DEFINE(IntegerParser(lower_bound, upper_bound), name, default, help, flag_values, **args)


@_with_old_names
def DEFINE_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS, **args):
    return DEFINE(FloatParser(lower_bound, upper_bound), name, default, help, flag_values, **args)


@_with_old_names
def DEFINE_boolean(name, default, help, flag_values=FLAGS, module_name=None, required=False, **args):
    return DEFINE_flag(BooleanFlag(name, default, help, **args), flag_values, module_name, required)


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(name, default, enum_values, help, flag_values=FLAGS, module_name=None, required=False, **args):
    return DEFINE_flag(EnumFlag(name, default, help, enum_values, **args), flag_values, module_name, required)


def DEFINE_enum_class(name, default, enum_class, help, flag_values=FLAGS, case_sensitive=False, **args):
    return DEFINE(EnumClassParser(enum_class, case_sensitive), name, default, help, flag_values, **args)


def DEFINE_list(name, default, help, flag_values=FLAGS, **args):
    return DEFINE(ListParser(), name, default, help, flag_values, **args)


def DEFINE_spaceseplist(name, default, help, comma_compat=False, flag_values=FLAGS, **args):
    return DEFINE(WhitespaceSeparatedListParser(comma_compat), name, default, help, flag_values, **args)


def DEFINE_multi(parser, serializer, name, default, help, flag_values=FLAGS, module_name=None, required=False, **args):
    return DEFINE_flag(MultiFlag(parser, serializer, name, default, help, **args), flag_values, module_name, required)


def DEFINE_multi_string(name, default, help, flag_values=FLAGS, **args):
    return DEFINE_multi(ArgumentParser(), None, name, default, help, flag_values, **args)


def DEFINE_multi_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS, **args):
    return DEFINE_multi(IntegerParser(lower_bound, upper_bound), None, name, default, help, flag_values, **args)


def DEFINE_multi_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS, **args):
    return DEFINE_multi(FloatParser(lower_bound, upper_bound), None, name, default, help, flag_values, **args)


def DEFINE_multi_enum(name, default, enum_values, help, flag_values=FLAGS, case_sensitive=True, **args):
    return DEFINE_multi(EnumParser(enum_values, case_sensitive), None, name, default, help, flag_values, **args)


def DEFINE_multi_enum_class(name, default, enum_class, help, flag_values=FLAGS, case_sensitive=False, **args):
    return DEFINE_multi(EnumClassParser(enum_class, case_sensitive), None, name, default, help, flag_values, **args)


def DEFINE_alias(name, original_name, flag_values=FLAGS, module_name=None):
    flag_values._flags[name] = flag_values[original_name]
    return FlagHolder(flag_values, flag_values[original_name])


def register_validator(flag_name, checker, message="Flag validation failed", flag_values=FLAGS):
    flag_values[flag_name].validators.append((checker, message))
    if flag_values.is_parsed():
        flag_values._validate([flag_values[flag_name]])


def validator(flag_name, message="Flag validation failed", flag_values=FLAGS):
    def decorate(function):
        register_validator(flag_name, function, message, flag_values)
        return function
    return decorate


def register_multi_flags_validator(flag_names, multi_flags_checker, message="Flags validation failed", flag_values=FLAGS):
    flag_values._multi_validators.append((list(flag_names), multi_flags_checker, message))


def multi_flags_validator(flag_names, message="Flag validation failed", flag_values=FLAGS):
    def decorate(function):
        register_multi_flags_validator(flag_names, function, message, flag_values)
        return function
    return decorate


def mark_flag_as_required(flag_name, flag_values=FLAGS):
    flag_values[flag_name].validators.append((lambda value: value is not None, "Flag must have a value other than None."))


def mark_flags_as_required(flag_names, flag_values=FLAGS):
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def mark_flags_as_mutual_exclusive(flag_names, required=False, flag_values=FLAGS):
    def check(values):
        count = sum(value is not None for value in values.values())
        return count == 1 or (count == 0 and not required)
    what = "Exactly" if required else "At most"
    register_multi_flags_validator(flag_names, check, f"{what} one of ({', '.join(flag_names)}) must have a value other than None.", flag_values)


def mark_bool_flags_as_mutual_exclusive(flag_names, required=False, flag_values=FLAGS):
    def check(values):
        count = sum(bool(value) for value in values.values())
        return count == 1 or (count == 0 and not required)
    what = "Exactly" if required else "At most"
    register_multi_flags_validator(flag_names, check, f"{what} one of ({', '.join(flag_names)}) must be True.", flag_values)


def set_default(flag_holder, value):
    flag_holder._flag_values.set_default(flag_holder.name, value)


def declare_key_flag(flag_name, flag_values=FLAGS):
    """Lists another module's flag in this module's help. Only checks that it exists: help always shows all flags."""
    flag_values[flag_name]


def adopt_module_key_flags(module, flag_values=FLAGS):
    if not hasattr(module, "__name__"):
        raise Error(f"Expected a module object, not {module!r}")


def disclaim_key_flags():
    pass


def doc_to_help(doc):
    import inspect
    return inspect.cleandoc(doc)


def flag_dict_to_args(flag_map, multi_flags=None):
    for name, value in flag_map.items():
        if value is None:
            yield f"--{name}"
        elif isinstance(value, bool):
            yield f"--{name}" if value else f"--no{name}"
        elif isinstance(value, (list, tuple)):
            if multi_flags and name in multi_flags:
                yield from (f"--{name}={item}" for item in value)
            else:
                yield f"--{name}={','.join(map(str, value))}"
        else:
            yield f"--{name}={value}"
