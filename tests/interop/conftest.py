"""Fixtures with TensorFlow's results, computed once by its own interpreter (WEIR_TF_PYTHON), never in this process."""
import fcntl
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
    return {**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, "PYTHONDONTWRITEBYTECODE": "1"}


def start_tensorflow(*arguments):
    """Starts a script of this folder in an environment where `import tensorflow` is the real TensorFlow."""
    return subprocess.Popen([tensorflow_python(), *map(str, arguments)], env=tensorflow_environment(), cwd=HERE)


def run_tensorflow(*arguments):
    assert start_tensorflow(*arguments).wait() == 0


def run_keras2_tensorflow(*arguments):
    """Runs a script of this folder with TensorFlow 2.15, the last with tf.estimator and Keras 2, and with tf-slim."""
    python = tensorflow_python("WEIR_KERAS2_TF_PYTHON")
    subprocess.run([python, *map(str, arguments)], env=tensorflow_environment(), cwd=HERE, check=True)


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
