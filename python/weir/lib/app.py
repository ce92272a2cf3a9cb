"""tf.app.run: parses the command line's flags and runs the program's main function."""
import sys

from weir.lib import flags


def _parse_absl_flags(arguments):
    """Parses the flags that the program has defined with absl itself, if it has imported it. Returns the other arguments."""
    absl = sys.modules.get("absl.flags")
    if absl is None:
        return arguments
    try:
        return absl.FLAGS(arguments, known_only=True)
    except absl.Error as error:
        raise flags.Error(str(error)) from None


def run(main=None, argv=None):
    """Parses the flags, calls main(argv) with the remaining arguments, and exits with the result."""
    arguments = list(sys.argv if argv is None else argv)
    try:
        arguments = flags.FLAGS(arguments, known_only=True)
        arguments = _parse_absl_flags(arguments)
    except flags.Error as error:
        print(f"FATAL Flags parsing error: {error}\nPass --helpshort or --helpfull to see help on flags.", file=sys.stderr)
        sys.exit(1)
    if any(a in ("--help", "-help", "--helpshort", "--helpfull", "-h") for a in arguments[1:]):
        flags.FLAGS._show_help()
    main = main or sys.modules["__main__"].main
    sys.exit(main(arguments))
