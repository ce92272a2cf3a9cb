"""Run by TensorFlow's interpreter: generates the list of wrong calls and runs them on TensorFlow.

    python -m wrong_calls.make OUT SHARE SEED

Writes the calls to OUT/wrong_calls.json and the answers to OUT/wrong_calls_tensorflow.json. SHARE is the percentage of
calls to use, selected with SEED.
"""
import itertools
import json
import pathlib
import random
import re
import sys

from wrong_calls import run
from wrong_calls.mutations import wrong_calls

HERE = pathlib.Path(__file__).parent


def written_calls():
    for line in (HERE / "good_calls.txt").read_text().splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            parts = re.split(r"\{([^{}|:]*\|[^{}:]*)\}", line)
            choices = [[part] if index % 2 == 0 else part.split("|") for index, part in enumerate(parts)]
            yield from ("".join(choice) for choice in itertools.product(*choices))


def op_calls():
    from wrong_calls.ops import right_calls
    calls = right_calls(sorted((HERE.parent.parent / "ops").glob("*.optest")))
    return [call for op in sorted(calls) for call in calls[op]]


def comparable(right):
    """Drops calls that this TensorFlow does not support and calls that block."""
    answers = run.answer(run.load("tensorflow"), [("const", text.rstrip(";")) for text in right])
    gone = re.compile("not available|has no attribute|removed in version|No OpKernel|Could not find device")
    return [text for text, (stage, kind, message) in zip(right, answers)
            if stage != "ended" and kind not in ("DeadlineExceededError", "UnimplementedError") and not (kind and gone.search(message))]


def all_calls(right):
    return [list(call) for call in dict.fromkeys(call for text in right for call in wrong_calls(text))]


def main(out, share, seed):
    out = pathlib.Path(out)
    calls = all_calls(comparable([*written_calls(), *op_calls()]))
    if int(share) < 100:
        calls = random.Random(int(seed)).sample(calls, len(calls) * int(share) // 100)
    (out / "wrong_calls.json").write_text(json.dumps(calls))
    run.main("tensorflow", out / "wrong_calls.json", out / "wrong_calls_tensorflow.json")


if __name__ == "__main__":
    main(*sys.argv[1:])
