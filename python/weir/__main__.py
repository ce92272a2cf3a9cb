"""`weir run SCRIPT ARGS...` or `python -m weir run ...`: runs a program in which `import tensorflow` is Weir."""
import importlib
import os
import sys
import types

_USAGE = "Usage: weir run SCRIPT [ARGS...]\n       weir run -m MODULE [ARGS...]"

_OURS = tuple(os.path.dirname(os.path.abspath(file)) + os.sep for file in (__file__, importlib.__file__))


def _is_ours(frame):
    """Whether a frame belongs to Weir, or to Python's machinery for running programs and importing modules."""
    file = frame.f_code.co_filename
    return file.startswith("<frozen ") or os.path.abspath(file).startswith(_OURS)


def _frames_of_the_program(trace):
    kept = []
    while trace is not None:
        if not _is_ours(trace.tb_frame):
            kept.append(trace)
        trace = trace.tb_next
    for one in reversed(kept):
        trace = types.TracebackType(trace, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return trace


def _report(kind, error, trace):
    """Prints an uncaught exception, showing only the program's own frames if it has any."""
    seen, todo = set(), [error]
    while todo:
        one = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        own = _frames_of_the_program(one.__traceback__)
        if own is not None or isinstance(one, SyntaxError):  # a SyntaxError contains its location
            one.__traceback__ = own
        todo += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
        if isinstance(one, ImportError) and (one.name or "").partition(".")[0] == "tensorflow":
            from weir import _names
            one.add_note(_names.missing_note(one.name))
    sys.__excepthook__(kind, error, error.__traceback__)


def _usage_error(message):
    print(f"weir run: {message}\nSee 'weir run --help'.", file=sys.stderr)
    return 2


def _has_module(name):
    from importlib.util import find_spec
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError as error:
        if not name.startswith((error.name or "?") + "."):
            raise
        return False


def _run_stream(script):
    """Runs a program that can be read only once, e.g. from a pipe. runpy would open the file twice."""
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec")
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.__file__ = script
    exec(code, module.__dict__)


def main(argv=None):
    argv = list(sys.argv[1:] if argv is None else argv)
    help_options = ("-h", "--help")
    if not argv or argv[0] in help_options or (argv[0] == "run" and argv[1:2] and argv[1] in help_options):
        print(_USAGE)
        return 0 if argv else 2
    if argv[0] == "--version":
        import weir
        print(weir.__version__)
        return 0
    if argv[0] != "run" or len(argv) < 2 or argv[1:] == ["-m"]:
        print(_USAGE, file=sys.stderr)
        return 2
    import runpy
    from weir import _names
    _names.install_as_tensorflow()
    sys.excepthook = _report
    if argv[1] == "-m":
        sys.argv = argv[2:]
        sys.path[0] = os.getcwd()
        if not _has_module(argv[2]):
            return _usage_error(f"no module named '{argv[2]}'")
        runpy.run_module(argv[2], run_name="__main__", alter_sys=True)
        return 0
    script = argv[1]
    if not os.path.exists(script):
        return _usage_error(f"file '{script}' not found")
    if os.path.isdir(script) and not os.path.exists(os.path.join(script, "__main__.py")):
        return _usage_error(f"'{script}' is a folder without a __main__.py: name a Python file")
    sys.argv = argv[1:]
    # Like `python SCRIPT`: modules next to the script come first.
    if sys.path and sys.path[0] in ("", os.getcwd()):
        sys.path[0] = os.path.dirname(os.path.abspath(script))
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    if os.path.isfile(script) or os.path.isdir(script):
        runpy.run_path(script, run_name="__main__")
    else:
        _run_stream(script)
    return 0


if __name__ == "__main__":
    sys.exit(main())
