"""What judges measurements: the page of `make bench` and its plots, and the comparison of instruction counts."""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def modules(monkeypatch):
    """The scripts of bench/ and tests/instructions/, importable."""
    for folder in ("bench", "tests/instructions"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    yield
    for name in ("report", "plots", "count"):
        sys.modules.pop(name, None)


def measured(**changes):
    return {"date": "today", "rounds": 2, "cores": 2, "torch_missing": "there is no torch", "growth": [],
            "samples": {"Weir": {"null_1": [90.0, 110.0], "null_4": [300.0, 300.0], "train_linreg_async": [70.0], "train_linreg_sync": [80.0]},
                        "TensorFlow 2.21": {"null_1": [1300.0, 1500.0], "null_4": [1000.0, 1000.0], "train_linreg_async": [1000.0],
                                            "train_linreg_sync": [4000.0]},
                        "PyTorch DDP": {}},
            "scaling": {"Weir": [{"kind": "null", "size": n, "median_us": 40.0 * n, "cpu_us": 50.0} for n in (1, 2, 4)],
                        "TensorFlow 2.21": [{"kind": "null", "size": n, "median_us": 800.0 * n**0.5, "cpu_us": 50.0} for n in (1, 2)]}, **changes}


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
    assert row_of(page, "one scalar from each ps, time of a step")[5] == "✗"  # grows twofold where the other grows by 1.4
    assert (tmp_path / "performance.md").read_text() == page


def test_synchronous_steps_are_compared_with_pytorch(modules, tmp_path):
    import report
    samples = dict(measured()["samples"], **{"PyTorch DDP": {"train_linreg_sync": [150.0]}})
    page = report.write(measured(samples=samples), tmp_path)
    assert "| train_linreg_sync | 80.0 us | 150.0 us | 0.533 | 0.500 | ✗ |" in page


def test_plots_show_every_ratio_and_mark_its_goal(modules, tmp_path):
    import report
    page = report.write(measured(), tmp_path)
    bars = ElementTree.parse(tmp_path / "performance/ratios.svg").getroot()
    assert sorted(bar.get("class") for bar in bars.iter(SVG + "rect")) == ["met"] * 4 + ["missed"]
    assert len([line for line in bars.iter(SVG + "line") if line.get("class") == "goal"]) == 5
    curves = ElementTree.parse(tmp_path / "performance/scaling-ps.svg").getroot()
    assert [len(line.get("points").split()) for line in curves.iter(SVG + "polyline")] == [3, 2]
    for linked in ("ratios", "scaling-ps"):
        assert f"(performance/{linked}.svg)" in page
    assert "scaling-workers.svg" not in page  # there are no figures for it


def test_counts_may_grow_by_five_percent(modules):
    import count
    _, failures = count.compare({"A": (1000, 10), "B": (1000, 0)}, {"A": (1050, 10), "B": (900, 0)})
    assert failures == []
    _, failures = count.compare({"A": (1000, 10), "B": (1000, 0), "C": (1, 1)}, {"A": (1051, 10), "B": (1000, 1), "D": (1, 1)})
    assert [failure.split(":")[0] for failure in sorted(failures)] == ["A", "B", "C", "D"]
