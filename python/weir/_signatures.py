"""Public signatures for functions of the engine, written as data in the tables of weir/api:

    "(input, axis=0, name=None, dimension->axis, validate!=None) op:ArgMax[dimension=axis]"

Parameters are in parentheses: `old->new` is a deprecated name of the parameter `new`, and `x!` is accepted but ignored. None
means the default, except for an op: there it means that of an attribute, and is an error for an input. Then comes the function to call. Brackets map its keyword arguments to parameters or constants; a parameter
that is not listed there keeps its name.
"""
import re

_ENTRY = re.compile(r"\((?P<parameters>.*)\) (?P<target>[^\s\[]+)(?:\[(?P<renames>.*)\])?$")


def _split(text):
    """Splits a comma-separated list. Commas inside brackets and quotes do not separate."""
    items, depth, quote, current = [], 0, None, ""
    for c in text:
        if quote:
            quote = None if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        if c == "," and depth == 0 and not quote:
            items.append(current.strip())
            current = ""
        else:
            current += c
    if current.strip():
        items.append(current.strip())
    return items


def deprecated_argument_lookup(new_name, new_value, old_name, old_value):
    """Returns the value of an argument that was renamed. At most one of the two may be given."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old_value


def make(name, text, resolve):
    """Returns the function that an entry describes. `resolve` finds the function to call."""
    entry = _ENTRY.match(text)
    if entry is None:
        raise SyntaxError(f"cannot parse the signature of '{name}': {text}")
    signature, before, passed = [], [], []
    renames, constants, defaults = {}, [], {}
    for item in _split(entry["renames"] or ""):
        callee, value = item.split("=", 1)
        if value in ("True", "False", "None") or not value.isidentifier():
            constants.append(item)
        else:
            renames[value] = callee
    items = [item.partition("->") for item in _split(entry["parameters"])]
    renamed = {new for _, _, new in items}
    for item, arrow, _ in items:
        if not arrow:
            parameter, equals, default = item.partition("=")
            used = not parameter.endswith("!")
            parameter = parameter.rstrip("!")
            defaults[parameter] = default if equals else "None"
            if used:
                passed.append(parameter)
            # None means that neither name was given.
            signature.append(parameter + equals + ("None" if equals and parameter in renamed else default))
        else:
            signature.append(f"{item}=None")
    for old, arrow, new in items:
        if arrow:
            before.append(f"    {new} = _lookup('{new}', {new}, '{old}', {old})")
    for parameter in passed:
        if defaults[parameter] != "None" and (parameter in renamed or not entry["target"].startswith("op:")):
            before.append(f"    if {parameter} is None: {parameter} = {defaults[parameter]}")
    arguments = [f"{renames.get(p, p)}={p}" for p in passed] + constants
    code = [f"def {name}({', '.join(signature)}):", *before, f"    return _target({', '.join(arguments)})"]
    space = {"_target": resolve(entry["target"]), "_lookup": deprecated_argument_lookup, "__name__": "weir"}
    exec(compile("\n".join(code), f"<signature of {name}>", "exec"), space)
    return space[name]
