"""What TensorFlow says, computed once by its own interpreter (WEIR_TF_PYTHON): the two never share a process."""
import os
import pathlib
import pickle
import subprocess

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent


def tensorflow_python():
    path = os.environ.get("WEIR_TF_PYTHON")
    if not path:
        pytest.skip("WEIR_TF_PYTHON names no interpreter with tensorflow-cpu: use `make interop`")
    return path


@pytest.fixture(scope="session")
def answers(tmp_path_factory):
    """The folder that make_cases.py fills."""
    out = tmp_path_factory.mktemp("tensorflow")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([tensorflow_python(), str(HERE / "make_cases.py"), str(out)], check=True, env=environment)
    return out


@pytest.fixture(scope="session")
def cases(answers):
    with open(answers / "cases.pkl", "rb") as f:
        return [unpacked(entry) for entry in pickle.load(f)]


def unpacked(value):
    if isinstance(value, tuple) and value and value[0] == "array":
        return np.frombuffer(value[3], dtype=value[1]).reshape(value[2])
    if isinstance(value, dict):
        return {key: unpacked(item) for key, item in value.items()}
    return [unpacked(item) for item in value] if isinstance(value, list) else value
