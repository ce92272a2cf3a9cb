"""Compares calls of the Python API with TensorFlow: values, shapes, names and error classes."""
import json
import math
import re

import pytest

import weir as tf
from both.answers import answer, cases
from conftest import run_keras2_tensorflow, run_tensorflow

# Known differences: a regular expression for the case, and the reason.
DIFFERENT = {
    r"nn_answers: table vocabulary .*": "1.15 selects with Select, 2.21 with SelectV2",
    r"variable_answers: get_variable (integers|a function of a shape|a number as the shape) two columns reference": "a partitioner for an axis that is not there: IndexError in TensorFlow, ValueError here",
    r"hook_answers: CheckpointSaverHook every 2?3?(2.[05])? from 0 by 7": "2.21 reads the step after every run, 1.15 only when one more step would be due",
    r"value_answers: GFile ab?\+ of a file": "TensorFlow does not read what was appended after its buffer was filled",
    r"scope_answers: a scope without a name": "ValueError",
    r"ragged_answers: gradient of to tensor": "2.21 gives IndexedSlices of all rows",
    r"value_answers: convert None in a list.*": "ValueError",
    r"value_answers: convert an empty range": "an empty list is of type float32",
    r"value_answers: convert (an empty range|ragged) to string": "no element says that it is not a string",
}


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    run_tensorflow("ask_answers.py", folder / "answers.json", "MODULES")
    run_keras2_tensorflow("ask_answers.py", folder / "keras2.json", "KERAS2_MODULES")
    return {**json.loads((folder / "answers.json").read_text()), **json.loads((folder / "keras2.json").read_text())}


def same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5) or (math.isnan(a) and math.isnan(b))
    return a == b


@pytest.mark.parametrize("name", cases())
def test_answer(theirs, name):
    reasons = [reason for pattern, reason in DIFFERENT.items() if re.fullmatch(pattern, name)]
    if reasons:
        pytest.skip(reasons[0])
    mine = json.loads(json.dumps(answer(tf, cases()[name])))
    assert same(mine, theirs[name]), f"{name}\n  TensorFlow: {theirs[name]}\n  Weir:       {mine}"
