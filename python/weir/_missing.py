"""Why Weir lacks a public name of TensorFlow 1.15, and what to use instead: the groups of missing_names.txt.

Imported only when a name is missing, so that importing Weir does not read the file. tools/check_names compares it with the
names that exist.
"""
import os

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "missing_names.txt")


class Group:
    """Names that are missing for the same reason."""

    def __init__(self, title):
        self.title = title
        self.why = ""
        self.use = ""
        self.names = {}  # name, or "name()" if only its parameters differ: what to use instead of this name, or ""


def read(file=FILE):
    """Returns the groups of the file, in its order."""
    groups = []
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            line = line.strip()
            if line.startswith("[") and line.endswith("]"):
                groups.append(Group(line[1:-1]))
            elif line and not line.startswith("#"):
                key, _, value = line.partition(":")
                if key in ("why", "use"):
                    setattr(groups[-1], key, value.strip())
                else:
                    groups[-1].names[key] = value.strip()
    return groups


_rows = None


def reason(name):
    """Returns why `name` (without a leading `tf.`) or the nearest module around it is missing. Returns None if the file does
    not say."""
    global _rows
    if _rows is None:
        _rows = {name: (group, use) for group in read() for name, use in group.names.items()}
    name = name.removeprefix("compat.v1.").removeprefix("compat.v2.")
    while name:
        if name in _rows:
            group, use = _rows[name]
            use = use or group.use
            return group.why + (f". Instead: {use}" if use else "")
        name = name.rpartition(".")[0]
    return None


def refused(name):
    """Returns a function that raises the reason why `name` cannot work. For functions that programs look up before they decide
    whether to call them."""
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"tf.{name}: {reason(name)}")
    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    refuse.is_refused = True
    return refuse
