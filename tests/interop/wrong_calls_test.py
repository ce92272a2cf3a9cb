"""Compares the errors of wrong calls of public functions and raw ops with TensorFlow's: class and text.

WEIR_WRONG_CALLS is the percentage of calls to run (default: 2); WEIR_WRONG_CALLS_SEED selects them.
"""
import json
import os
import re
import subprocess
import sys

import pytest

from conftest import HERE, run_tensorflow

SHARE = int(os.environ.get("WEIR_WRONG_CALLS", "2"))
SEED = os.environ.get("WEIR_WRONG_CALLS_SEED", "1")
# The percentages of calls that may differ. Never increase them. `pytest -s` shows the differences.
MOST_CLASSES, MOST_TEXTS = 10, 60


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """Returns [(mode, call, TensorFlow's answer, Weir's answer)]; an answer is (stage, class, text)."""
    out = tmp_path_factory.mktemp("wrong_calls")
    run_tensorflow("-m", "wrong_calls.make", out, SHARE, SEED)
    weir = out / "wrong_calls_weir.json"
    subprocess.run([sys.executable, "-m", "wrong_calls.run", "weir", out / "wrong_calls.json", weir], cwd=HERE, check=True)

    def read(name):
        return json.loads((out / name).read_text())

    return [(mode, text, theirs, ours) for (mode, text), theirs, ours in
            zip(read("wrong_calls.json"), read("wrong_calls_tensorflow.json"), read("wrong_calls_weir.json"))]


def ends(answer):
    """Whether the call ended the process. Weir need not imitate crashes of TensorFlow."""
    return answer[0] == "ended"


def check(what, calls, found, most):
    for text, theirs, ours in found:
        print(f"{text}\n  TensorFlow: {theirs}\n  Weir: {ours}")
    share = 100 * len(found) / len(calls)
    assert share <= most, f"the {what} differs in {len(found)} of {len(calls)} calls: {share:.1f} %"


def test_weir_survives_every_call(calls):
    ended = [(text, answer) for _, text, _, answer in calls if ends(answer)]
    assert calls and not ended, ended


def test_the_class_of_an_error_is_tensorflows(calls):
    found = [(text, theirs[1:], ours[1:]) for _, text, theirs, ours in calls if not ends(theirs) and theirs[1] != ours[1]]
    check("class", calls, found, MOST_CLASSES)


def essence(text):
    """Returns the text without names of nodes, files and addresses."""
    text = re.sub(r"(?s) for '\{\{node .*| for '[^']*' \(op: '.*", "", text)
    text = re.sub(r"\{\{(function_)?node [^}]*\}\}", "", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    return " ".join(text.split()).rstrip(". ")


def test_the_text_of_an_error_has_tensorflows(calls):
    """Weir's text contains TensorFlow's and may add details, such as the tensors of the call."""
    found = [(text, theirs[2], ours[2]) for _, text, theirs, ours in calls
             if theirs[1] and theirs[1] == ours[1] and essence(theirs[2]) not in essence(ours[2])]
    check("text", calls, found, MOST_TEXTS)
