"""Runs the digit trainer in Python and in C++, from image files to predictions, as `make demo` does."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build")).resolve()
PATIENCE = 300


def run(*command):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TF_CONFIG", "WEIR_LOG")}
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def weir(*arguments):
    return run(BUILD / "weir", *arguments)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Returns a folder with images of digits and their record files."""
    pytest.importorskip("sklearn")
    folder = tmp_path_factory.mktemp("digits")
    subprocess.run([sys.executable, str(ROOT / "tools/write_digits"), "--pictures", str(folder)], check=True, capture_output=True)
    for part, count in (("train", 1497), ("test", 300)):
        assert weir("records", "make", folder / part, folder / f"{part}.tfrecords", "--raw", "--channels=1").startswith(f"{count} records of 10 classes")
    return folder


# Language -> (trainer, prediction command).
TRAINERS = {"Python": (ROOT / "examples/digits/train.py", [BUILD / "weir", "run", ROOT / "examples/digits/predict.py"]),
            "C++": (BUILD / "examples/digits_train", [BUILD / "examples/digits_predict"])}


@pytest.mark.parametrize("language, mode", [("Python", "async"), ("Python", "sync"), ("C++", "sync"),
                                            pytest.param("C++", "async", marks=pytest.mark.slow)])
def test_from_pictures_to_predictions(pictures, tmp_path, language, mode):
    trainer, predictor = TRAINERS[language]
    out = weir("up", trainer, "--ps", 1, "--workers", 2, "--", f"--train={pictures}/train.tfrecords",
               f"--validation={pictures}/test.tfrecords", f"--logdir={tmp_path}", "--steps=1600" if mode == "async" else "--steps=400",
               *(["--issync"] if mode == "sync" else []))
    assert float(re.search(r"\[worker/0\] accuracy (\d\.\d+) on digits not used for training", out)[1]) >= 0.97
    shares = [int(n) for n in re.findall(r"\] (\d+) steps by this worker", out)]
    assert all(398 <= n <= 402 for n in shares) if mode == "sync" else 1600 <= sum(shares) <= 1602
    assert re.search(r"\[worker/0\] step +\d+  loss \d\.\d+  accuracy \d\.\d+", out)
    assert list(tmp_path.glob("events.out.tfevents.*"))

    unseen = sorted(pictures.glob("test/*/*.png"))
    lines = run(*predictor, tmp_path / "digits.pb", *unseen).splitlines()
    right = sum(line.startswith(f"{path}: {path.parent.name}  (") for path, line in zip(unseen, lines, strict=True))
    assert right >= 0.97 * len(unseen)
    for _, other in TRAINERS.values():  # each can read the graph of the other
        assert run(*other, tmp_path / "digits.pb", unseen[0], unseen[-1]).splitlines() == [lines[0], lines[-1]]


def test_events_of_the_program_in_cpp_have_pictures(pictures, tmp_path):
    """A second run continues from the checkpoint of the first; the event files contain images."""
    for steps in (100, 120):
        out = weir("up", BUILD / "examples/digits_train", "--ps", 1, "--", f"--train={pictures}/train.tfrecords",
                   f"--validation={pictures}/test.tfrecords", f"--logdir={tmp_path}", f"--steps={steps}")
    assert "[worker/0] 20 steps by this worker" in out
    found = subprocess.run([sys.executable, "-c", """
import sys, weir as tf
for event in tf.train.summary_iterator(sys.argv[1]):
    for value in event.summary.value:
        print(value.tag, event.step, value.HasField("image") and (value.image.height, value.image.width))
""", str(min(tmp_path.glob("events.out.tfevents.*")))], env={**os.environ, "PYTHONPATH": str(BUILD / "python")}, capture_output=True, text=True)
    assert "loss 100 False" in found.stdout and "digits/image/3 100 (28, 28)" in found.stdout, found.stderr


def test_wrong_input_of_the_programs_in_cpp(pictures, tmp_path):
    predict = BUILD / "examples/digits_predict"
    nothing = subprocess.run([predict, tmp_path / "none.pb", tmp_path / "x.png"], capture_output=True, text=True)
    assert nothing.returncode == 1 and "none.pb" in nothing.stderr
    records = subprocess.run([predict, pictures / "train.tfrecords", tmp_path / "x.png"], capture_output=True, text=True)
    assert records.returncode == 1 and "is not a trained graph" in records.stderr
    lost = subprocess.run([BUILD / "weir", "up", BUILD / "examples/digits_train", "--", f"--train={tmp_path}/none.tfrecords",
                           f"--validation={pictures}/test.tfrecords", f"--logdir={tmp_path}"], capture_output=True, text=True, timeout=PATIENCE)
    assert lost.returncode == 1 and "none.tfrecords: No such file or directory" in lost.stderr
