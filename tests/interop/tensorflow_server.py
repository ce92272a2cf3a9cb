"""Run by TensorFlow's interpreter: imports TensorFlow once, then runs scripts of this folder in child processes.

Reads lines [NUMBER, ARGUMENTS] in JSON, with arguments as of an interpreter: SCRIPT ... or -m MODULE ... Prints
[NUMBER, EXIT STATUS] when a script has ended. Scripts run at the same time, and print to standard error. The end of the
input kills those that still run.
"""
import faulthandler
import json
import os
import runpy
import selectors
import signal
import sys
import traceback

from oracle import tensorflow1  # noqa: F401: the children have it imported

SECONDS = 1500  # no script runs longer
INPUT, OUTPUT = 0, 1


def run_script(arguments):
    """The life of a child process: runs the script as its interpreter would."""
    faulthandler.register(signal.SIGALRM, chain=True)  # not a thread of its own, because scripts fork
    signal.alarm(SECONDS)
    os.dup2(os.open(os.devnull, os.O_RDONLY), INPUT)
    os.dup2(2, OUTPUT)
    is_module = arguments[0] == "-m"
    sys.argv = arguments[is_module:]
    status = 1
    try:
        run = runpy.run_module if is_module else runpy.run_path
        run(sys.argv[0], run_name="__main__")
        status = 0
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main():
    events, children, received = selectors.DefaultSelector(), {}, b""
    events.register(INPUT, selectors.EVENT_READ)
    while True:
        for key, _ in events.select():
            if key.fd != INPUT:
                number, child = key.data
                _, status = os.waitpid(child, 0)
                events.unregister(key.fd)
                os.close(key.fd)
                del children[child]
                os.write(OUTPUT, b"[%d, %d]\n" % (number, os.waitstatus_to_exitcode(status)))
                continue
            data = os.read(INPUT, 65536)
            if not data:
                for child in children:
                    os.kill(child, signal.SIGKILL)
                return
            *lines, received = (received + data).split(b"\n")
            for line in lines:
                number, arguments = json.loads(line)
                child = os.fork()
                if child == 0:
                    run_script(arguments)
                children[child] = number
                events.register(os.pidfd_open(child), selectors.EVENT_READ, (number, child))


if __name__ == "__main__":
    main()
