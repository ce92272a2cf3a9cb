"""Compares ClusterSpec with TensorFlow's."""
import json

import pytest

import weir as tf
from both.cluster_specs import EXPRESSIONS, answers
from conftest import run_tensorflow

# Only the error class is compared: Python's own message names the callee.
ONLY_THE_CLASS = {"C()", "hash(c)"}
# Messages to which Weir appends the list of jobs.
MORE = {expression: "; it has idle, ps, worker" for expression in (
    "c.num_tasks('x')", "c.job_tasks('x')", "c.task_address('x', 0)")}


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    path = tmp_path_factory.mktemp("cluster_specs") / "answers.json"
    run_tensorflow("ask_cluster_specs.py", path)
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def ours():
    return answers(tf)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_answer(ours, theirs, expression):
    mine, wanted = ours[expression], theirs[expression]
    if expression in ONLY_THE_CLASS:
        mine, wanted = mine.split(":")[0], wanted.split(":")[0]
        assert wanted == "TypeError"
    if expression == "c.as_dict()":  # the order is not specified
        mine, wanted = eval(mine), eval(wanted)
    assert mine == wanted + MORE[expression] if expression in MORE else mine == wanted
