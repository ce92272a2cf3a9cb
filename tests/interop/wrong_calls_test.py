"""Wrong calls of public functions and raw ops fail alike: the class of the error is TensorFlow's, its text too or in wrong_call_differences.txt.

WEIR_WRONG_CALLS is the share of the calls that are made, in percent (default: 2); WEIR_WRONG_CALLS_SEED chooses them.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from conftest import HERE, run_tensorflow

LIST = HERE / "wrong_call_differences.txt"
SHARE = os.environ.get("WEIR_WRONG_CALLS", "2")
SEED = os.environ.get("WEIR_WRONG_CALLS_SEED", "1")


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """[(mode, call, what TensorFlow answers, what Weir answers)]; an answer is (stage, class, text)."""
    out = tmp_path_factory.mktemp("wrong_calls")
    run_tensorflow("-m", "wrong_calls.make", out, SHARE, SEED)
    weir = out / "wrong_calls_weir.json"
    subprocess.run([sys.executable, "-m", "wrong_calls.run", "weir", out / "wrong_calls.json", weir], cwd=HERE, check=True)
    read = lambda name: json.loads((out / name).read_text())
    return [(mode, text, theirs, ours) for (mode, text), theirs, ours in
            zip(read("wrong_calls.json"), read("wrong_calls_tensorflow.json"), read("wrong_calls_weir.json"))]


def known_differences():
    """{kind: [(pattern of the call, pattern of TensorFlow's answer, pattern of Weir's)]}, where kind is "class" or "text"."""
    known = {"class": [], "text": []}
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            fields = [field.strip() for field in line.split(" | ")]
            assert len(fields) == 5 and fields[0] in known and len(fields[4].split()) > 2, f"{LIST.name}:{number} is not KIND | CALL | THEIRS | OURS | WHY: {line}"
            known[fields[0]].append(tuple(re.compile(".*".join(map(re.escape, field.split("*"))), re.DOTALL) for field in fields[1:4]))
    return known


def is_known(known, text, theirs, ours):
    return any(call.fullmatch(text) and a.fullmatch(theirs) and b.fullmatch(ours) for call, a, b in known)


def ends(answer):
    """Ends of TensorFlow's process are no example to follow."""
    return answer[0] == "ended"


def report(found):
    return f"{len(found)} calls differ:\n" + "\n".join(f"{text}\n  TensorFlow: {a}\n  Weir: {b}" for text, a, b in found[:200])


def test_weir_survives_every_call(calls):
    ended = [(text, answer) for _, text, _, answer in calls if ends(answer)]
    assert not ended, ended


def test_the_class_of_an_error_is_tensorflows(calls):
    known, found = known_differences()["class"], []
    for _, text, theirs, ours in calls:
        if not ends(theirs) and theirs[1] != ours[1]:
            a, b = (f"{answer[1] or 'accepted'}: {answer[2]}" for answer in (theirs, ours))
            if not is_known(known, text, a, b):
                found.append((text, a, b))
    assert not found, report(found)


def essence(text):
    """The text without what names nodes, files and addresses."""
    text = re.sub(r"(?s) for '\{\{node .*| for '[^']*' \(op: '.*", "", text)
    text = re.sub(r"\{\{(function_)?node [^}]*\}\}", "", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    return " ".join(text.split()).rstrip(". ")


def test_the_text_of_an_error_is_tensorflows(calls):
    known, found = known_differences()["text"], []
    for _, text, theirs, ours in calls:
        if theirs[1] and theirs[1] == ours[1] and essence(theirs[2]) != essence(ours[2]):
            if not is_known(known, text, essence(theirs[2]), essence(ours[2])):
                found.append((text, theirs[2], ours[2]))
    assert not found, report(found)
