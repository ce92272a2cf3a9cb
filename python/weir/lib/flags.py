"""tf.flags: options of a program, defined where they are used and read as attributes of FLAGS.

The command line is parsed when a flag is first read, or by tf.app.run. Values are checked as they are set.
"""
import sys as _sys


class Error(Exception):
    """The base of all errors of flags."""


class DuplicateFlagError(Error):
    """A flag is defined twice."""


class IllegalFlagValueError(Error):
    """A value that a flag cannot take."""


class UnrecognizedFlagError(Error):
    """A flag on the command line that nobody has defined."""

    def __init__(self, flagname, flagvalue="", suggestions=None):
        self.flagname = flagname
        self.flagvalue = flagvalue
        hint = " Did you mean: %s ?" % ", ".join(suggestions) if suggestions else ""
        super().__init__(f"Unknown command line flag '{flagname}'.{hint}")


class UnparsedFlagAccessError(Error):
    """A flag is read before the command line was parsed."""


class ValidationError(Error):
    """A validator has refused a value."""


# --- parsers: text (or a value) to a value ---------------------------------------------------------------------------------
class ArgumentParser:
    syntactic_help = ""

    def parse(self, argument):
        if not isinstance(argument, str):
            raise TypeError(f"flag value must be a string, found {argument!r}")
        return argument

    def flag_type(self):
        return "string"


class _NumberParser(ArgumentParser):
    def __init__(self, lower_bound=None, upper_bound=None):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def is_outside_bounds(self, value):
        return ((self.lower_bound is not None and value < self.lower_bound)
                or (self.upper_bound is not None and value > self.upper_bound))

    def parse(self, argument):
        value = self.convert(argument)
        if self.is_outside_bounds(value):
            low = "" if self.lower_bound is None else self.lower_bound
            high = "" if self.upper_bound is None else self.upper_bound
            raise ValueError(f"{value} is not in the range [{low}, {high}]")
        return value


class FloatParser(_NumberParser):
    def convert(self, argument):
        if isinstance(argument, bool) or not isinstance(argument, (int, float, str)):
            raise TypeError(f"expect argument to be a number, found {type(argument)}")
        return float(argument)

    def flag_type(self):
        return "float"


class IntegerParser(_NumberParser):
    def convert(self, argument):
        if isinstance(argument, str):
            text = argument.strip()
            return int(text, 0 if text.lower().lstrip("+-").startswith(("0x", "0o")) else 10)
        if isinstance(argument, bool) or not isinstance(argument, int):
            raise TypeError(f"expect argument to be a string or int, found {type(argument)}")
        return int(argument)

    def flag_type(self):
        return "int"


class BooleanParser(ArgumentParser):
    def parse(self, argument):
        if isinstance(argument, str):
            if argument.lower() in ("true", "t", "1"):
                return True
            if argument.lower() in ("false", "f", "0"):
                return False
            raise ValueError("Non-boolean argument to boolean flag")
        if isinstance(argument, int) and argument in (0, 1):
            return bool(argument)
        raise TypeError("Non-boolean argument to boolean flag")

    def flag_type(self):
        return "bool"


class EnumParser(ArgumentParser):
    def __init__(self, enum_values, case_sensitive=True):
        if not enum_values:
            raise ValueError("enum_values cannot be empty")
        self.enum_values, self.case_sensitive = list(enum_values), case_sensitive

    def parse(self, argument):
        for value in self.enum_values:
            if argument == value or (not self.case_sensitive and str(argument).lower() == value.lower()):
                return value
        raise ValueError(f"value should be one of <{'|'.join(self.enum_values)}>")

    def flag_type(self):
        return "string enum"


class EnumClassParser(ArgumentParser):
    def __init__(self, enum_class, case_sensitive=True):
        self.enum_class, self.case_sensitive = enum_class, case_sensitive

    def parse(self, argument):
        if isinstance(argument, self.enum_class):
            return argument
        for member in self.enum_class:
            if argument == member.name or (not self.case_sensitive and str(argument).lower() == member.name.lower()):
                return member
        raise ValueError(f"value should be one of <{'|'.join(m.name for m in self.enum_class)}>")

    def flag_type(self):
        return "enum class"


class ListParser(ArgumentParser):
    """Comma-separated values; a list stays as it is."""

    def parse(self, argument):
        if isinstance(argument, (list, tuple)):
            return list(argument)
        if not argument:
            return []
        return [item.strip() for item in argument.split(",")]

    def flag_type(self):
        return "comma separated list of strings"


class WhitespaceSeparatedListParser(ListParser):
    def __init__(self, comma_compat=False):
        self.comma_compat = comma_compat

    def parse(self, argument):
        if isinstance(argument, (list, tuple)):
            return list(argument)
        return (argument.replace(",", " ") if self.comma_compat else argument).split()

    def flag_type(self):
        return "whitespace separated list of strings"


class ArgumentSerializer:
    def serialize(self, value):
        return str(value)


class Flag:
    """One option: its value, where it came from, and how text becomes a value."""
    multi = False

    def __init__(self, parser, serializer, name, default, help_string, short_name=None, boolean=False, allow_override=False,
                 allow_override_cpp=False, allow_hide_cpp=False, allow_overwrite=True):
        self.parser, self.serializer, self.name, self.help = parser, serializer, name, help_string or "(no help available)"
        self.short_name, self.boolean, self.allow_override = short_name, boolean, allow_override
        self.validators = []
        self.present = 0
        self.using_default_value = True
        self.module = None
        self._set_default(default)
        self._value = self.default

    def _parse(self, argument):
        try:
            return self.parser.parse(argument)
        except (TypeError, ValueError, OverflowError) as error:
            raise IllegalFlagValueError(f"flag --{self.name}={argument}: {error}")

    def _set_default(self, value):
        self.default = None if value is None else self._parse(value)

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        self._value = value

    def parse(self, argument):
        """Takes a value from the command line."""
        self._value = self._parse(argument)
        self.present += 1
        self.using_default_value = False

    def unparse(self):
        self._value = self.default
        self.present = 0
        self.using_default_value = True

    def serialize(self):
        if self.value is None:
            return ""
        if self.boolean:
            return f"--{self.name}" if self.value else f"--no{self.name}"
        return f"--{self.name}={','.join(map(str, self.value)) if isinstance(self.value, list) else self.value}"

    def flag_type(self):
        return self.parser.flag_type()


class BooleanFlag(Flag):
    def __init__(self, name, default, help, short_name=None, **args):
        super().__init__(BooleanParser(), None, name, default, help, short_name, boolean=True, **args)


class EnumFlag(Flag):
    def __init__(self, name, default, help, enum_values, short_name=None, case_sensitive=True, **args):
        super().__init__(EnumParser(enum_values, case_sensitive), None, name, default, help, short_name, **args)
        self.help = f"<{'|'.join(enum_values)}>: {self.help}"


class MultiFlag(Flag):
    """A flag that may be given several times: its value is the list of all."""
    multi = True

    def _parse(self, argument):
        items = argument if isinstance(argument, (list, tuple)) else [argument]
        return [Flag._parse(self, item) for item in items]

    def parse(self, argument):
        new = self._parse(argument)
        self._value = self._value + new if self.present else new
        self.present += len(new)
        self.using_default_value = False


class FlagValues:
    """All flags of a program, as attributes."""

    def __init__(self):
        self.__dict__.update(_flags={}, _short={}, _parsed=False, _multi_validators=[], _names_of_modules={})

    # flags and values
    def _flag(self, name):
        return self._flags.get(name) or self._flags.get(self._short.get(name))

    def __getattr__(self, name):
        flag = self._flag(name)
        if flag is None:
            raise AttributeError(name)
        if not self._parsed:
            self(_sys.argv)
        return flag.value

    def __setattr__(self, name, value):
        flag = self._flag(name)
        if flag is None:
            raise AttributeError(f"there is no flag '{name}'")
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
        """Parses argv (with the program's name at its head) and returns what is no flag."""
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
        """How programs of TensorFlow 1.0 parse the command line."""
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
    """What DEFINE_* gives: the flag's value without its name as a string."""

    def __init__(self, flag_values, flag):
        self._flag_values, self.name, self.default = flag_values, flag.name, flag.default

    @property
    def value(self):
        return getattr(self._flag_values, self.name)

    @property
    def present(self):
        return bool(self._flag_values[self.name].present)

    def __bool__(self):
        raise TypeError("a FlagHolder has no truth value: use .value")


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
    """Takes flag_name, default_value and docstring for name, default and help, as TensorFlow 1.x did."""
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
    """A flag of another module that help shows with this one's; help shows them all."""
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
