"""Checks that TensorFlow passes the cases of tests/ops, except for the differences in op_case_differences.txt."""
import collections
import json
import pathlib
import re

import pytest

from conftest import HERE, run_tensorflow

LIST = HERE / "op_case_differences.txt"
OP_CASES = HERE.parent / "ops"
SOMETIMES = "sometimes "  # prefix of nondeterministic differences
Known = collections.namedtuple("Known", "number text file subject what reason")


def read_list():
    known = []
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            fields = [field.strip() for field in line.split(" | ")]
            assert len(fields) == 4 and len(fields[3].split()) > 2, f"{LIST.name}:{number} is not FILE | LINE | WHAT | WHY: {line}"
            known.append(Known(number, line, *fields))
    return known


def fits(pattern, text):
    """Whether the text matches the pattern, in which `*` matches any text."""
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), text) is not None


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    out = tmp_path_factory.mktemp("op_cases") / "answers.json"
    run_tensorflow("ask_op_cases.py", out, *sorted(OP_CASES.glob("*.optest")))
    return json.loads(pathlib.Path(out).read_text())


def test_op_cases(asked):
    known, used, new = read_list(), set(), []
    for file, number, case, line, what in asked["differences"]:
        subject = f"{case}: {line}" if case else line
        found = [item for item in known
                 if item.file == file and fits(item.subject, subject) and fits(item.what.removeprefix(SOMETIMES), what)]
        used.update(item.number for item in found)
        if not found:
            new.append(f"{file}.optest:{number} | {subject} | {what}")
    stale = [f"{LIST.name}:{item.number}: {item.text}" for item in known
             if item.number not in used and not item.what.startswith(SOMETIMES)]
    assert not new, f"TensorFlow differs in {len(new)} places:\n" + "\n".join(new)
    assert not stale, "TensorFlow no longer differs there:\n" + "\n".join(stale)


def test_most_cases_can_be_asked(asked):
    left_out = sum(asked["left out"].values())
    assert asked["asked"] > 2500 and left_out < asked["asked"] // 20, asked["left out"]
