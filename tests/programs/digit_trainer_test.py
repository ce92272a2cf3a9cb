"""The digit trainer, from pictures to a trained graph that reads them: what `make demo` runs."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build")).resolve()
PATIENCE = 300


def weir(*arguments):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TF_CONFIG", "WEIR_LOG")}
    done = subprocess.run([BUILD / "weir", *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """A folder with pictures of digits, and records of them."""
    pytest.importorskip("sklearn")
    folder = tmp_path_factory.mktemp("digits")
    subprocess.run([sys.executable, str(ROOT / "tools/write_digits"), "--pictures", str(folder)], check=True, capture_output=True)
    for part, count in (("train", 1497), ("test", 300)):
        assert weir("records", "make", folder / part, folder / f"{part}.tfrecords", "--raw", "--channels=1").startswith(f"{count} records of 10 classes")
    return folder


@pytest.mark.parametrize("mode", ["async", "sync"])
def test_from_pictures_to_predictions(pictures, tmp_path, mode):
    out = weir("up", ROOT / "examples/digits/train.py", "--ps", 1, "--workers", 2, "--", f"--train={pictures}/train.tfrecords",
               f"--validation={pictures}/test.tfrecords", f"--logdir={tmp_path}", "--steps=1200" if mode == "async" else "--steps=400",
               *(["--issync"] if mode == "sync" else []))
    assert float(re.search(r"\[worker/0\] accuracy (\d\.\d+) on digits that were not trained with", out)[1]) >= 0.97
    shares = [int(n) for n in re.findall(r"\] (\d+) steps here", out)]
    assert all(398 <= n <= 402 for n in shares) if mode == "sync" else 1200 <= sum(shares) <= 1202
    assert re.search(r"\[worker/0\] step +\d+  loss \d\.\d+  accuracy \d\.\d+", out)
    assert list(tmp_path.glob("events.out.tfevents.*"))

    unseen = sorted(pictures.glob("test/*/*.png"))
    lines = weir("run", ROOT / "examples/digits/predict.py", tmp_path / "digits.pb", *unseen).splitlines()
    right = sum(line.startswith(f"{path}: {path.parent.name}  (") for path, line in zip(unseen, lines, strict=True))
    assert right >= 0.97 * len(unseen)
