"""Compares the placement by replica_device_setter with TensorFlow: variables, slots, partitions and other nodes."""
import json

import pytest

import weir as tf
from both.placements import SETTERS, answers
from conftest import run_tensorflow


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    path = tmp_path_factory.mktemp("placements") / "answers.json"
    run_tensorflow("ask_placements.py", path)
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def ours():
    return answers(tf)


@pytest.mark.parametrize("setter", SETTERS)
def test_placement(ours, theirs, setter):
    assert ours[setter] == theirs[setter]
