"""`weir run SCRIPT ARGS...`, also as `python -m weir run ...`: runs a program in which `import tensorflow` is Weir."""
import os
import sys

_USAGE = "Usage: weir run SCRIPT [ARGS...]\n       weir run -m MODULE [ARGS...]"


def main(argv=None):
    argv = list(sys.argv[1:] if argv is None else argv)
    if not argv or argv[0] in ("-h", "--help"):
        print(_USAGE)
        return 0 if argv else 2
    if argv[0] == "--version":
        import weir
        print(weir.__version__)
        return 0
    if argv[0] != "run" or len(argv) < 2:
        print(_USAGE, file=sys.stderr)
        return 2
    import runpy
    from weir import _names
    _names.become_tensorflow()
    if argv[1] == "-m":
        if len(argv) < 3:
            print(_USAGE, file=sys.stderr)
            return 2
        sys.argv = argv[2:]
        sys.path[0] = os.getcwd()
        runpy.run_module(argv[2], run_name="__main__", alter_sys=True)
        return 0
    script = argv[1]
    if not os.path.exists(script):
        print(f"weir: there is no file '{script}'", file=sys.stderr)
        return 2
    sys.argv = argv[1:]
    # As `python SCRIPT` does it: modules beside the script come first.
    if sys.path and sys.path[0] in ("", os.getcwd()):
        sys.path[0] = os.path.dirname(os.path.abspath(script))
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
