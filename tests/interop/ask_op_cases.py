"""Run by TensorFlow's interpreter: runs the cases of tests/ops on TensorFlow.

    python ask_op_cases.py OUT FILE...    writes OUT, JSON: {"asked": cases, "left out": {rule: cases},
                                          "differences": [[file, line number, case, line, what TensorFlow does], ...]}

The cases run in child processes, so that a case that crashes is reported like any other difference.
"""
import gc
import json
import pathlib
import resource
import signal
import sys
import tempfile

from child_process import answers_of_child
from oracle.optest_graph import Asker
from oracle.optest_parser import Unsupported
from oracle.optest_text import read_cases

SECONDS_PER_CASE = 12


def ask(case):
    with tempfile.TemporaryDirectory() as folder:
        try:
            return {"differences": Asker(case, folder).ask()}
        except Unsupported as rule:
            return {"rule": str(rule)}


def ask_in_child(cases):
    """Runs cases in a child process and returns their answers, up to the last one or the one that crashed the child."""
    found, status = answers_of_child(cases, ask, SECONDS_PER_CASE)
    if len(found) < len(cases):
        what = "does not end" if status == signal.SIGALRM else "ends the process"
        found.append({"differences": [(cases[len(found)].lines[0][0], "*", what)]})
    return found


def main(out, paths):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.freeze()  # so that collections do not visit TensorFlow's own objects
    cases = [(pathlib.Path(path).stem, case) for path in paths for case in read_cases(pathlib.Path(path).read_text())]
    answers = []
    while len(answers) < len(cases):
        answers += ask_in_child([case for _, case in cases[len(answers):]])
    left_out, differences = {}, []
    for (name, case), answer in zip(cases, answers):
        if "rule" in answer:
            left_out[answer["rule"]] = left_out.get(answer["rule"], 0) + 1
        for number, line, what in answer.get("differences", []):
            differences.append([name, number, case.title, line, what])
    pathlib.Path(out).write_text(json.dumps(
        {"asked": len(cases) - sum(left_out.values()), "left out": left_out, "differences": differences}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
