"""Calls of the Python API answer as TensorFlow's do: values, shapes, names and classes of errors."""
import json
import math
import re

import pytest

import weir as tf
from both.answers import answer, cases
from conftest import run_tensorflow

# Where answers differ: a regular expression for the case, and why.
DIFFERENT = {
}


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    path = tmp_path_factory.mktemp("answers") / "answers.json"
    run_tensorflow("ask_answers.py", path)
    return json.loads(path.read_text())


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
