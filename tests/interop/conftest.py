"""Fixtures with TensorFlow's results, computed once by its own interpreter (WEIR_TF_PYTHON), never in this process."""
import fcntl
import functools
import json
import os
import pathlib
import pickle
import subprocess

import pytest

import portable
import weir as tf
from weir import _weir
from weir.proto import message_class

HERE = pathlib.Path(__file__).parent


def tensorflow_python(variable="WEIR_TF_PYTHON"):
    path = os.environ.get(variable)
    if not path:
        pytest.skip(f"{variable} is not set to an interpreter with tensorflow-cpu: use `make interop`")
    return path


def tensorflow_environment():
    # One thread per op: the tests run in several processes.
    return {**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, "PYTHONDONTWRITEBYTECODE": "1", "TF_NUM_INTRAOP_THREADS": "1",
            "OMP_NUM_THREADS": "1"}


class TensorFlow:
    """A process of an interpreter that has TensorFlow imported, and runs scripts of this folder in its child processes."""

    def __init__(self, python):
        self.process = subprocess.Popen([python, "tensorflow_server.py"], env=tensorflow_environment(), cwd=HERE, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.started, self.ended = 0, {}

    def start(self, arguments):
        self.started += 1
        self.process.stdin.write(json.dumps([self.started, [str(argument) for argument in arguments]]) + "\n")
        self.process.stdin.flush()
        return Script(self, self.started)

    def wait(self, number):
        while number not in self.ended:
            line = self.process.stdout.readline()
            assert line, f"TensorFlow has ended, with status {self.process.wait()}"
            ended, status = json.loads(line)
            self.ended[ended] = status
        return self.ended[number]


class Script:
    """A script that TensorFlow runs."""

    def __init__(self, server, number):
        self.server, self.number = server, number

    def wait(self):
        return self.server.wait(self.number)


def start_tensorflow(*arguments, python="WEIR_TF_PYTHON"):
    """Starts a script of this folder in a process where `import tensorflow` is the real TensorFlow."""
    return tensorflow(tensorflow_python(python)).start(arguments)


@functools.cache
def tensorflow(python):
    return TensorFlow(python)


def run_tensorflow(*arguments):
    assert start_tensorflow(*arguments).wait() == 0


def run_keras2_tensorflow(*arguments):
    """Runs a script of this folder with TensorFlow 2.15, the last with tf.estimator and Keras 2, and with tf-slim."""
    assert start_tensorflow(*arguments, python="WEIR_KERAS2_TF_PYTHON").wait() == 0


def make_answers(out):
    out.mkdir(exist_ok=True)
    ops = message_class("OpList")()
    for name in _weir.op_names():
        ops.op.add().ParseFromString(_weir.op_def(name))
    (out / "weir_ops.pb").write_bytes(ops.SerializeToString())
    parts = [start_tensorflow("make_cases.py", out, part) for part in ("cases", "programs")]
    assert [part.wait() for part in parts] == [0, 0]


@pytest.fixture(scope="session")
def answers(tmp_path_factory):
    """Returns the folder with the output of make_cases.py. WEIR_INTEROP_ANSWERS names a folder to reuse in later
    runs. Processes that share the tests of one run (pytest -n) share the folder; the first one fills it."""
    kept = os.environ.get("WEIR_INTEROP_ANSWERS")
    if kept:
        out = pathlib.Path(kept)
    elif "PYTEST_XDIST_WORKER" in os.environ:
        out = tmp_path_factory.getbasetemp().parent / "tensorflow"
    else:
        out = tmp_path_factory.mktemp("tensorflow")
    with open(f"{out}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (out / "programs.pkl").exists():
            make_answers(out)
    return out


@pytest.fixture(scope="session")
def load(answers):
    """Returns a function to load recorded cases: load("math") loads those of oracle/math_cases.py."""
    def read(name):
        with open(answers / (name + ".pkl"), "rb") as f:
            return portable.unpack(pickle.load(f), tf.bfloat16.as_numpy_dtype)
    return read
