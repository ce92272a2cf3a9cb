"""Tests of the messages for a wrong command line and for an incomplete installation."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", "build")).resolve()
WEIR = BUILD / "weir"


def weir(*arguments, program=WEIR):
    result = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout, result.stderr


@pytest.mark.parametrize("arguments, command, parts", [
    ([], "", ["no command given", "run, up, serve, devices, records"]),
    (["frob"], "", ["'frob'", "run, up, serve, devices, records"]),
    (["servee"], "", ["'servee'", "did you mean 'serve'?"]),
    (["dev"], "", ["'dev'", "did you mean 'devices'?"]),
    (["help", "frob"], "", ["'frob'"]),
    (["--frob"], "", ["'--frob'"]),
    (["run"], "run", ["no script given"]),
    (["run", "none.py"], "run", ["'none.py'"]),
    (["run", "/"], "run", ["'/' is a folder"]),
    (["run", "-m", "no_such_module"], "run", ["'no_such_module'"]),
    (["run", "-m", "no_such_package.module"], "run", ["'no_such_package.module'"]),
    (["up"], "up", ["PROGRAM"]),
    (["up", "none.py"], "up", ["'none.py'"]),
    (["up", "none.py", "--ps", "-1"], "up", ["--ps: '-1' is not a whole number from 0 to 1000"]),
    (["up", "none.py", "--ps", "two"], "up", ["--ps: 'two' is not a whole number from 0 to 1000"]),
    (["up", "none.py", "--ps", "1.5"], "up", ["--ps: '1.5' is not a whole number from 0 to 1000"]),
    (["up", "none.py", "--grace", "soon"], "up", ["--grace: 'soon' is not a number from 0 to 1000000"]),
    (["records", "show", "none", "--limit", "0"], "records show", ["--limit: '0' is not a whole number of 1 or more"]),
    (["up", "none.py", "--steps=4"], "up", ["--steps=4", "after --"]),
    (["up", "none.py", "--worker", "2"], "up", ["'--worker'; did you mean '--workers'?"]),
    (["serve", "--frob"], "serve", ["'--frob'"]),
    (["serve", "--task_indx", "0"], "serve", ["'--task_indx'; did you mean '--task_index'?"]),
    (["serve", "--task_indx=0"], "serve", ["'--task_indx=0'; did you mean '--task_index'?"]),
    (["serve", "x", "y"], "serve", ["'x y'"]),
    (["serve", "--cluster"], "serve", ["--cluster"]),
    (["serve", "--task_index", "x"], "serve", ["--task_index", "x"]),
    (["devices"], "devices", ["TARGET"]),
    (["records"], "records", ["no command given", "make, show, count"]),
    (["records", "frob"], "records", ["'frob'", "make, show, count"]),
    (["records", "sho"], "records", ["'sho'", "did you mean 'show'?"]),
    (["records", "make", "x"], "records make", ["FILE"]),
    (["records", "make", "x", "y", "--chanels", "1"], "records make", ["'--chanels'; did you mean '--channels'?"]),
    (["records", "make", "x", "y", "--channels", "2"], "records make", ["--channels", "2"]),
    (["records", "show", "no_such_file"], "records show", ["no_such_file"]),
    (["devices", "nobody"], "devices", ["'nobody'"]),
])
def test_wrong_calls(arguments, command, parts):
    status, out, error = weir(*arguments)
    program = f"weir {command}".rstrip()
    message, hint = error.splitlines()
    assert (status, out) == (2, "") and hint == f"See '{program} --help'."
    assert message.startswith(f"{program}: ") and all(part in message for part in parts), message


@pytest.mark.parametrize("command", ["", "run", "up", "serve", "devices", "records", "records make", "records show", "records count"])
def test_help(command):
    status, out, error = weir(*command.split(), "--help")
    assert (status, error) == (0, "") and re.search(rf"^Usage: weir {command}", out, re.M)
    assert max(map(len, out.splitlines())) <= 120
    assert not command or f"\n  weir {command} " in out[out.index("Example"):]
    assert weir("help", *command.split()) == (status, out, error)


def test_without_the_python_package(tmp_path):
    """Runs the program where the Python package is missing or not built yet."""
    program = tmp_path / "bin" / "weir"
    program.parent.mkdir()
    shutil.copy(WEIR, program)
    script = tmp_path / "script.py"
    script.write_text("print('ran')\n")
    package = program.parent / "python" / "weir"
    for step in (package.mkdir, (package / "__main__.py").touch, None):
        status, out, error = weir("run", script, program=program)
        assert (status, out) == (1, "") and "Python package" in error and str(package) in error and "make build" in error
        if step:
            package.parent.mkdir(exist_ok=True)
            step()
