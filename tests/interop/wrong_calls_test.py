"""Compares the errors of wrong calls of public functions and raw ops with TensorFlow's: class and text.

WEIR_WRONG_CALLS is the percentage of calls to run (default: 2); WEIR_WRONG_CALLS_SEED selects them.
wrong_calls/differences.txt lists where the class differs and why; a difference that it does not list fails the test.
wrong_calls/text_differences.txt lists texts that differ by intent; the share of the others is bounded.
"""
import collections
import json
import os
import re
import subprocess
import sys

import pytest

from conftest import HERE, run_tensorflow

SHARE = int(os.environ.get("WEIR_WRONG_CALLS", "2"))
SEED = os.environ.get("WEIR_WRONG_CALLS_SEED", "1")
# The percentage of unlisted texts that may differ. Lower it when fewer differ; `pytest -s` prints the differences.
MOST_TEXTS = 16
Known = collections.namedtuple("Known", "place fits reason")


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


def is_missing(answer):
    """A name that Weir does not have: coverage_test.py counts those."""
    return answer[1] == "AttributeError" and re.match(r"module 'weir[\w.]*' has no attribute", answer[2]) is not None


def essence(text):
    """The text without the names of nodes, graphs, files and addresses."""
    text = re.sub(r"(?s) for '\{\{node .*| for '[^']*' \(op: '.*| \(graphs are <.*", "", text)
    text = re.sub(r"\{\{(function_)?node [^}]*\}\}", "", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    return " ".join(text.split()).rstrip(". ")


def said(answer):
    return f"{answer[1]}: {essence(answer[2])}" if answer[1] else "accepted"


def read_list(name):
    """The lines `CALL | TensorFlow's answer | Weir's answer | WHY` of a file; `*` stands for any text."""
    known = []
    for number, line in enumerate((HERE / "wrong_calls" / name).read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            fields = [field.strip() for field in line.split(" | ")]
            assert len(fields) == 4 and len(fields[3].split()) > 2, f"{name}:{number} is not CALL | THEIRS | OURS | WHY: {line}"
            patterns = [re.compile(".*".join(map(re.escape, field.split("*")))) for field in fields[:3]]
            known.append(Known(f"{name}:{number}: {line}",
                               lambda *texts, patterns=patterns: all(p.fullmatch(t) for p, t in zip(patterns, texts)), fields[3]))
    return known


def not_listed(name, differences):
    """The differences that no line of the list explains. With all calls, a line that explains none of them is an error."""
    known, used, new = read_list(name), set(), []
    for call, theirs, ours in differences:
        found = [item.place for item in known if item.fits(call, said(theirs), said(ours))]
        used.update(found)
        if not found:
            new.append(f"{call}\n  TensorFlow: {theirs[0]} {said(theirs)}\n  Weir: {ours[0]} {said(ours)}")
    stale = [item.place for item in known if item.place not in used]
    assert SHARE < 100 or not stale, "these no longer explain anything:\n" + "\n".join(stale)
    return new


def test_weir_survives_every_call(calls):
    ended = [(text, answer) for _, text, _, answer in calls if ends(answer)]
    assert calls and not ended, ended


def test_the_class_of_an_error_is_tensorflows(calls):
    differences = [(text, theirs, ours) for _, text, theirs, ours in calls
                   if not ends(theirs) and theirs[1] != ours[1] and not is_missing(ours)]
    new = not_listed("differences.txt", differences)
    assert not new, f"the class differs in {len(new)} of {len(calls)} calls:\n" + "\n".join(new)


def test_the_text_of_an_error_has_tensorflows(calls):
    """Weir's text contains TensorFlow's and may add details, such as the tensors of the call."""
    differences = [(text, theirs, ours) for _, text, theirs, ours in calls
                   if theirs[1] and theirs[1] == ours[1] and essence(theirs[2]) not in essence(ours[2])]
    new = not_listed("text_differences.txt", differences)
    print("\n".join(new))
    share = 100 * len(new) / len(calls)
    assert share <= MOST_TEXTS, f"the text differs in {len(new)} of {len(calls)} calls: {share:.1f} %"
