"""Building blocks of flags: errors, value parsers, and flag classes."""


class Error(Exception):
    """Base class of all flag errors."""


class DuplicateFlagError(Error):
    """A flag was defined twice."""


class IllegalFlagValueError(Error):
    """A value is not valid for a flag."""


class UnrecognizedFlagError(Error):
    """A flag on the command line is not defined."""

    def __init__(self, flagname, flagvalue="", suggestions=None):
        self.flagname = flagname
        self.flagvalue = flagvalue
        hint = " Did you mean: %s ?" % ", ".join(suggestions) if suggestions else ""
        super().__init__(f"Unknown command line flag '{flagname}'.{hint}")


class UnparsedFlagAccessError(Error):
    """A flag was read before the command line was parsed."""


class ValidationError(Error):
    """A validator rejected a value."""


# --- parsers: convert text (or a value) to a value --------------------------------------------------------------------
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
    """Parses comma-separated values. Lists stay unchanged."""

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
    """One flag: its value, the source of the value, and its parser."""
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
        """Sets the value from the command line."""
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
    """A flag that may be given several times. Its value is the list of all values."""
    multi = True

    def _parse(self, argument):
        items = argument if isinstance(argument, (list, tuple)) else [argument]
        return [Flag._parse(self, item) for item in items]

    def parse(self, argument):
        new = self._parse(argument)
        self._value = self._value + new if self.present else new
        self.present += len(new)
        self.using_default_value = False
