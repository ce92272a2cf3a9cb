"""Runs examples/cluster/estimator.py alone, and as parameter server, chief, worker and evaluator."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build")).resolve()
PROGRAM = ROOT / "examples/cluster/estimator.py"
PATIENCE = 120

pytestmark = pytest.mark.slow


def run(path, *command):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TF_CONFIG", "WEIR_LOG")}
    done = subprocess.run([*map(str, command), f"--model_dir={path / 'model'}"], cwd=path, env=environment, capture_output=True, text=True,
                          timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def error_at(step, out):
    (found,) = re.findall(rf"step {step}: the error is (\S+)\n", out)
    return float(found)


def assert_exported(path):
    assert len(list((path / "model/export/line").iterdir())) == 1
    assert list((path / "model/eval").glob("events.*")) and list((path / "model/eval_last").glob("events.*"))


def test_alone(tmp_path):
    out = run(tmp_path, BUILD / "weir", "run", PROGRAM, "--steps=200")
    assert error_at(200, out) < 0.1
    assert_exported(tmp_path)


def test_on_a_cluster(tmp_path):
    out = run(tmp_path, BUILD / "weir", "up", PROGRAM, "--chief", "--evaluator", "--ps", 1, "--workers", 1, "--", "--steps=400")
    slope, offset = map(float, re.search(r"chief/0.*y = (\S+) x \+ (\S+)\n", out).groups())
    assert abs(slope - 2) < 0.2 and abs(offset - 0.5) < 0.1
    (step,) = re.findall(r"evaluator/0.*step (\d+): the error", out)
    assert 400 <= int(step) <= 402  # the two tasks that train may both be in their last step
    assert error_at(step, out) < 0.1
    assert_exported(tmp_path)
