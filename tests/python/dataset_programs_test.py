"""Dataset functions that use external state. data/dataset_programs.json has TensorFlow's results for the same programs, which
also hold on a server."""
import importlib.util
import json
import pathlib

import pytest

import weir as tf

HERE = pathlib.Path(__file__).parent
_spec = importlib.util.spec_from_file_location("dataset_programs", HERE.parent / "interop" / "both" / "dataset_programs.py")
programs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(programs)
EXPECTED = json.loads((HERE / "data" / "dataset_programs.json").read_text())


@pytest.fixture(scope="module")
def answers():
    return json.loads(json.dumps(programs.all_answers(tf)))


@pytest.mark.parametrize("sessions", ["local", "server"])
@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_program(answers, name, sessions):
    assert answers[sessions][name] == EXPECTED[name]
