"""Compares the graph of SyncReplicasOptimizer with TensorFlow's: nodes, inputs, devices, attributes, collections."""
import json

import pytest

import weir as tf
from both.sync_graphs import CASES, answers
from conftest import run_tensorflow


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    path = tmp_path_factory.mktemp("sync") / "answers.json"
    run_tensorflow("ask_sync_graphs.py", path)
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def ours():
    return json.loads(json.dumps(answers(tf)))


@pytest.mark.parametrize("case", CASES)
def test_graph(ours, theirs, case):
    mine, wanted = ours[case], theirs[case]
    assert mine["said"] == wanted["said"]
    assert mine["collections"] == wanted["collections"]
    assert sorted(mine["nodes"]) == sorted(wanted["nodes"])
    different = {name: (node, wanted["nodes"][name]) for name, node in mine["nodes"].items() if node != wanted["nodes"][name]}
    assert not different


def test_accepted_tokens(ours, theirs):
    assert ours["accepted tokens"] == theirs["accepted tokens"]
