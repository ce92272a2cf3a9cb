"""Runs the digit classifier of examples/cluster on clusters of processes, in asynchronous and synchronous mode."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build")).resolve()
PATIENCE = 300


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """Returns a folder with digits in MNIST's file format."""
    pytest.importorskip("sklearn")
    folder = tmp_path_factory.mktemp("digits") / "data"
    subprocess.run([sys.executable, str(ROOT / "tools/write_digits"), str(folder)], check=True, capture_output=True)
    return folder


def train(digits, logs, *arguments, ps=2, workers=2):
    """Trains and returns the output of the tasks."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TF_CONFIG", "WEIR_LOG")}
    done = subprocess.run([BUILD / "weir", "up", ROOT / "examples/cluster/digits.py", "--ps", str(ps), "--workers", str(workers), "--",
                           f"--data_dir={digits}", f"--logdir={logs}", *arguments],
                          env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shares(out):
    return [int(re.search(rf"\[worker/{task}\] (\d+) steps by this worker", out)[1]) for task in range(2)]


def accuracy(out):
    return float(re.search(r"\[worker/0\] accuracy (\d\.\d+) on 300 digits not used for training", out)[1])


@pytest.mark.parametrize("mode", ["async", "sync"])
def test_training(digits, tmp_path, mode):
    out = train(digits, tmp_path / "logs", "--steps=600", *(["--sync"] if mode == "sync" else []))
    assert accuracy(out) > 0.9
    # The chief prints one line per hundred of its steps. In async mode it may run only few steps.
    lines = re.findall(r"\[worker/0\] step +\d+  loss 0\.\d+", out)
    assert len(lines) == shares(out)[0] // 100
    if mode == "sync":
        assert all(598 <= share <= 602 for share in shares(out))
    else:
        assert 600 <= sum(shares(out)) <= 602
    saved = re.search(r"\[worker/0\] checkpoint  (.*)", out)[1]
    assert pathlib.Path(saved + ".index").exists()
    assert list((tmp_path / "logs").glob("events.out.tfevents.*"))


def test_training_continues_from_its_checkpoint(digits, tmp_path):
    train(digits, tmp_path / "logs", "--steps=200")
    out = train(digits, tmp_path / "logs", "--steps=300")
    assert 97 <= sum(shares(out)) <= 102  # a step may be in flight when the first run ends


@pytest.mark.slow
def test_clusters_of_all_sizes_reach_what_one_worker_reaches(digits, tmp_path):
    alone = accuracy(train(digits, tmp_path / "alone", "--steps=800", ps=1, workers=1))
    assert alone > 0.93
    for ps, workers in [(1, 2), (1, 4), (2, 1), (2, 2), (2, 4)]:
        for mode in ([], ["--sync"]):
            out = train(digits, tmp_path / f"{ps}_{workers}_{len(mode)}", "--steps=800", *mode, ps=ps, workers=workers)
            assert accuracy(out) > alone - 0.03, (ps, workers, mode, out)
