"""What judges measurements: the page of `make bench`, and the comparison of instruction counts."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture
def modules(monkeypatch):
    """The scripts of bench/ and tests/instructions/, importable."""
    for folder in ("bench", "tests/instructions"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    yield
    for name in ("report", "count"):
        sys.modules.pop(name, None)


def measured(**changes):
    return {"date": "today", "rounds": 2, "cores": 2, "torch_missing": "there is no torch", "growth": [],
            "samples": {"Weir": {"null_1": [90.0, 110.0], "null_4": [300.0, 300.0], "train_linreg_async": [70.0], "train_linreg_sync": [80.0]},
                        "TensorFlow 2.21": {"null_1": [1300.0, 1500.0], "null_4": [1000.0, 1000.0], "train_linreg_async": [1000.0],
                                            "train_linreg_sync": [4000.0]},
                        "PyTorch DDP": {}}, **changes}


def row_of(page, name):
    return [cell.strip() for line in page.splitlines() if line.startswith(f"| {name} |") for cell in line.strip("|").split("|")]


def test_the_page_says_which_goals_are_met(modules, tmp_path):
    import report
    page = report.write(measured(), tmp_path)
    assert row_of(page, "null_1") == ["null_1", "100.0 us (90.0 .. 110.0 us)", "1.40 ms (1.30 .. 1.50 ms)", "0.071", "0.083", "✓"]
    assert row_of(page, "null_4")[-1] == "✗"
    assert row_of(page, "train_linreg_sync to async")[-3:] == ["0.080", "0.100", "✓"]
    assert "**4 of 5 goals met.** Missed: null_4." in page
    assert "Not measured: there is no torch." in page
    assert (tmp_path / "performance.md").read_text() == page


def test_synchronous_steps_are_compared_with_pytorch(modules, tmp_path):
    import report
    samples = dict(measured()["samples"], **{"PyTorch DDP": {"train_linreg_sync": [150.0]}})
    page = report.write(measured(samples=samples), tmp_path)
    assert "| train_linreg_sync | 80.0 us | 150.0 us | 0.533 | 0.500 | ✗ |" in page


def test_counts_may_grow_by_five_percent(modules):
    import count
    _, failures = count.compare({"A": (1000, 10), "B": (1000, 0)}, {"A": (1050, 10), "B": (900, 0)})
    assert failures == []
    _, failures = count.compare({"A": (1000, 10), "B": (1000, 0), "C": (1, 1)}, {"A": (1051, 10), "B": (1000, 1), "D": (1, 1)})
    assert [failure.split(":")[0] for failure in sorted(failures)] == ["A", "B", "C", "D"]
