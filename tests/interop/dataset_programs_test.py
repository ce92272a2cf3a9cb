"""Compares with TensorFlow how dataset functions use variables, queues, tables and random generators."""
import json

import pytest

import weir as tf
from both.dataset_programs import PROGRAMS, all_answers
from conftest import run_tensorflow


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    path = tmp_path_factory.mktemp("datasets") / "answers.json"
    run_tensorflow("ask_datasets.py", path)
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def ours():
    return json.loads(json.dumps(all_answers(tf)))


@pytest.mark.parametrize("sessions", ["local", "server"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(ours, theirs, name, sessions):
    mine, wanted = ours[sessions][name], theirs[sessions][name]
    if wanted[0] == "error" and wanted[1] == "TypeError":  # in traced functions, TensorFlow prepends the class to the text
        wanted[2] = wanted[2].replace("TypeError: ", "")
    assert mine == wanted
