"""Tests of the measuring tools: page and plots of `make bench`, trace analysis, comparison of instruction counts."""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build")).resolve()
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def modules(monkeypatch):
    """Makes the scripts of bench/ and tests/instructions/ importable."""
    for folder in ("bench", "tests/instructions"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    yield
    for name in ("report", "plots", "figures", "cpp_figures", "step_parts", "under_test", "count"):
        sys.modules.pop(name, None)


def measured(**changes):
    return {"date": "today", "rounds": 2, "cores": 2, "torch_missing": "there is no torch", "growth": [],
            "samples": {"Weir": {"null_1": [90.0, 110.0], "null_4": [300.0, 300.0], "train_linreg_async": [70.0], "train_linreg_sync": [80.0]},
                        "TensorFlow 2.21": {"null_1": [1300.0, 1500.0], "null_4": [1000.0, 1000.0], "train_linreg_async": [1000.0],
                                            "train_linreg_sync": [4000.0]},
                        "PyTorch DDP": {}},
            "scaling": {"Weir": [scaled("scalar", "ps", n, 40.0 * n + i) for i in (-1, 0, 1) for n in (1, 2, 4)] + [scaled("bulk", "ps", 1, 20_000.0)],
                        "TensorFlow 2.21": [scaled("scalar", "ps", n, 800.0 * n**0.5) for n in (1, 2)]}, **changes}


def scaled(kind, over, size, us):
    return {"kind": kind, "over": over, "size": size, "median_us": us, "cpu_us": us}


def parted(name, step, **parts):
    return {"name": name, "step_us": step, "traced_us": 2 * step, "parts": {part.replace("_", " "): us for part, us in parts.items()}}


def row_of(page, name):
    return [cell.strip() for line in page.splitlines() if line.startswith(f"| {name} |") for cell in line.strip("|").split("|")]


def test_the_page_tells_ways_between_hosts_apart(modules, tmp_path):
    import report
    samples = measured()["samples"]
    assert "Between hosts" not in report.write(measured(), tmp_path)
    samples["Weir over UCX"] = {"null_1": [200.0, 220.0]}
    samples["Weir over gRPC"] = {"null_1": [600.0], "null_4": [900.0]}
    page = report.write(measured(samples=samples, processor="Some 2000"), tmp_path).split("## Between hosts")
    assert "2 cores of Some 2000." in page[0]
    assert row_of(page[1], "null_1")[:5] == ["null_1", "100.0 us", "210.0 us", "600.0 us", "1.40 ms"]
    assert row_of(page[1], "null_4")[:5] == ["null_4", "300.0 us", "", "900.0 us", "1.00 ms"]


def test_the_page_says_which_goals_are_met(modules, tmp_path):
    import report
    page = report.write(measured(), tmp_path)
    assert row_of(page, "null_1") == ["null_1", "100.0 us (90.0 .. 110.0 us)", "1.40 ms (1.30 .. 1.50 ms)", "0.071", "0.083", "✓"]
    assert row_of(page, "null_4")[-1] == "✗"
    assert row_of(page, "train_linreg_sync to async")[-3:] == ["0.080", "0.100", "✓"]
    assert "**4 of 6 goals met.** Missed: null_4, scalar over ps." in page
    assert "Not measured: there is no torch." in page
    assert row_of(page, "one scalar from each ps")[:9] == [  # doubles, while TensorFlow's grows by a factor of 1.4
        "one scalar from each ps", "Weir", "40.0 us (39.0 .. 41.0 us)", "80.0 us (79.0 .. 81.0 us)", "160.0 us (159.0 .. 161.0 us)", "4.0", "✗",
        "one scalar from each ps", "TensorFlow 2.21"]
    assert (tmp_path / "performance.md").read_text() == page


def test_the_page_gives_the_reason_of_each_missed_goal(modules, tmp_path, monkeypatch):
    import report
    monkeypatch.setattr(report, "LIMITS", {"null_1": "Nothing.", "null_4": "Four calls."})
    page = report.write(measured(), tmp_path)
    assert "- null_4: Four calls.\n- scalar over ps: not profiled yet.\n" in page
    assert "Nothing." not in page  # that goal is met


def test_goals_compare_medians_at_sizes_measured_for_both(modules, tmp_path):
    import report
    assert report.Comparison("a", [1.0], [10.0], 0.1).met and not report.Comparison("a", [1.005], [10.0], 0.1).met

    def growth(over, ours, theirs):
        rows = {name: [dict(scaled("scalar", over, size, us), cpu_us=2 * us) for size, values in curve.items() for us in values]
                for name, curve in ((report.WEIR, ours), (report.TENSORFLOW, theirs))}
        return report.Growth(rows, "scalar", over, "")

    assert growth("ps", {1: [10.0], 2: [14.0], 4: [100.0]}, {1: [10.0], 2: [15.0]}).met
    assert not growth("ps", {1: [10.0], 2: [5.0, 30.0, 30.0]}, {1: [10.0], 2: [20.0]}).met
    assert growth("ps", {1: [10.0]}, {}).points(report.WEIR) == [(1, 10.0, 10.0, 10.0)]
    assert growth("workers", {1: [10.0]}, {}).points(report.WEIR) == [(1, 20.0, 20.0, 20.0)]  # CPU time
    others = {"Weir": [scaled("bulk", "ps", n, 10.0 * n) for n in (1, 2)], "TensorFlow 2.21": [scaled("bulk", "ps", n, 10.0) for n in (1, 2)]}
    assert "**4 of 5 goals met.** Missed: null_4." in report.write(measured(scaling=others), tmp_path)  # only scalars have a growth goal


def test_without_other_implementations_the_page_has_no_verdicts(modules, tmp_path):
    import report
    page = report.write(measured(samples={"Weir": {"null_1": [90.0]}}, scaling={"Weir": []}), tmp_path)
    assert row_of(page, "null_1") == ["null_1", "90.0 us", "", "", "0.083", ""]
    for absent in ("goals met", "What limits", "## Growing clusters", "## In C++", "## Where the time", ".svg"):
        assert absent not in page
    assert list((tmp_path / "performance").iterdir()) == []


def test_cpp_figures_are_compared_with_limits_of_the_machine(modules, tmp_path):
    import cpp_figures
    import report

    def row(name, ns, **more):
        return {"name": "BM_" + name, "run_type": "iteration", "real_time": ns, "cpu_time": ns, "time_unit": "ns", **more}

    rows = [row("Chain/2000", 200_000.0, items_per_second=1e7), row("Call/host/1048576/real_time", 200_000.0, bytes_per_second=5e9),
            row("Call/ucx/8/real_time", 5000.0, bytes_per_second=1.6e6), row("MatMul/32/32/32", 2000.0, flops=4e10), row("Tanh/1048576", 1e6, cpu_time=5e5, bytes_per_second=1.6e10),
            row("Newcomer", 0.5), row("Tanh/1", 1.0, error_occurred=True), row("MachineCopy/1048576", 100_000.0, bytes_per_second=1e10),
            row("MachineCopy/4194304", 500_000.0, bytes_per_second=8e9), row("MachineMultiplyAdd", 100.0, flops=8e10),
            row("MachineUpdate/1048576", 1e6, bytes_per_second=1.2e10), row("ApplyAdagrad/1048576", 2e6, bytes_per_second=6e9),
            row("Chain/2000_mean", 1.0, run_type="aggregate")]
    page = report.write(measured(cpp=cpp_figures.rows_of({"benchmarks": rows})), tmp_path)
    assert row_of(page, "Chain/2000")[1:] == ["200.0 us", "100 ns each", "", ""]
    assert row_of(page, "Call/host/1048576")[1:] == ["200.0 us", "5.00 GB/s", "10.0 GB/s", "50%"]
    assert row_of(page, "Call/ucx/8")[1:] == ["5.0 us", "", "", ""]
    assert row_of(page, "MatMul/32/32/32")[1:] == ["2.0 us", "40.0 GFLOP/s", "80 GFLOP/s", "50%"]
    assert row_of(page, "Tanh/1048576")[1:] == ["1.00 ms", "8.00 GB/s", "16.0 GB/s", "50%"]  # compared with a copy of 4 MB
    assert row_of(page, "ApplyAdagrad/1048576")[1:] == ["2.00 ms", "6.00 GB/s", "12.0 GB/s", "50%"]
    assert row_of(page, "Chain/2000_mean") == []  # an aggregate
    assert row_of(page, "Newcomer")[1:] == ["0 ns", "", "", ""] and page.index("**Others.**") < page.index("| Newcomer |")
    assert row_of(page, "Tanh/1") == []  # it failed


def test_a_trace_is_split_into_kernels_and_gaps(modules):
    import step_parts as parts
    ps, worker = "/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0"
    trace = [parts.Event(ps, "VariableV2", 100, 110, 115), parts.Event(worker, "_Recv", 0, 130, 140), parts.Event(worker, "MatMul", 150, 250, 260),
             parts.Event(worker, "Relu", 200, 250, 255), parts.Event(worker, "Tanh", 290, 300, 300), parts.Event(worker, "_Send", 300, 300, 310),
             parts.Event(ps, "ApplyAdagrad", 340, 380, 390)]
    assert parts.split(trace) == {
        parts.PS_OTHERS: 10,
        parts.PRODUCTS: 75, parts.OTHERS: 35,  # each gets half of the time in which both run
        parts.BETWEEN: 40,  # from the receive to its product, and from there to Tanh, without the cost of tracing: 10 + 30
        parts.PS_UPDATES: 40}
    received = [parts.Event(worker, "MatMul", 0, 10, 10), parts.Event(worker, "_Recv", 5, 50, 50), parts.Event(worker, "MatMul", 50, 60, 60)]
    assert parts.split(received) == {parts.PRODUCTS: 20}  # it waited in between
    assert sum(parts.whole(2.0, 0.1, 0.3, [parts.split(trace)]).values()) == pytest.approx(2.0)
    assert parts.whole(2.0, 0.1, 0.3, [parts.split(trace)])[parts.WAITING] == pytest.approx(1.5)
    assert sum(parts.whole(0.1, 0.1, 0.3, [parts.split(trace)]).values()) == pytest.approx(0.1)  # noise


def test_kernels_count_by_what_they_do_and_where(modules):
    import step_parts as parts

    def part(task, op):
        return parts.part_of(parts.Event(f"/job:{task}/replica:0/task:0", op, 0, 1, 1))

    assert {part("worker", op) for op in ("MatMul", "_FusedMatMul", "BatchMatMulV2", "Einsum")} == {parts.PRODUCTS}
    assert {part("worker", op) for op in ("Conv2D", "_FusedConv2D", "Conv2DBackpropInput", "MaxPoolGrad")} == {parts.CONVOLUTIONS}
    assert {part("worker", op) for op in ("AssignAdd", "ApplyAdagrad", "ScatterSub", "ResourceSparseApplyAdagrad")} == {parts.UPDATES}
    assert part("worker", "Relu") == parts.OTHERS and part("ps", "ScatterSub") == parts.PS_UPDATES and part("ps", "MatMul") == parts.PS_OTHERS
    assert {part("worker", op) for op in ("_Send", "_Recv", "_HostRecv")} == {None}


def test_parts_of_steps_are_stacked(modules, tmp_path):
    import report
    rounds = [parted("null_1", step, client_and_master=step / 4, transport_and_waiting=step * 3 / 4) for step in (30.0, 20.0, 80.0)]
    page = report.write(measured(parts=rounds), tmp_path)
    assert row_of(page, "client and master")[1] == "7.5 us" and row_of(page, "**the step**")[1] == "30.0 us"  # of the median round
    bars = [bar for bar in ElementTree.parse(tmp_path / "performance/step-parts.svg").getroot().iter(SVG + "rect") if bar.find(SVG + "title") is not None]
    assert [bar.find(SVG + "title").text for bar in bars] == ["null_1, client and master: 25.0%", "null_1, transport and waiting: 75.0%"]
    assert float(bars[1].get("width")) == pytest.approx(3 * float(bars[0].get("width")), abs=0.5)
    assert "(performance/step-parts.svg)" in page


def test_synchronous_steps_are_compared_with_pytorch(modules, tmp_path):
    import report
    samples = dict(measured()["samples"], **{"PyTorch DDP": {"train_linreg_sync": [150.0]}})
    page = report.write(measured(samples=samples), tmp_path)
    assert "| train_linreg_sync | 80.0 us | 150.0 us | 0.533 | 0.500 | ✗ |" in page
    assert "**4 of 7 goals met.** Missed: null_4, train_linreg_sync beside PyTorch, scalar over ps." in page


def test_plots_show_every_ratio_and_mark_its_goal(modules, tmp_path):
    import report
    page = report.write(measured(), tmp_path)
    bars = ElementTree.parse(tmp_path / "performance/ratios.svg").getroot()
    assert sorted(bar.get("class") for bar in bars.iter(SVG + "rect")) == ["met"] * 4 + ["missed"]
    assert len([line for line in bars.iter(SVG + "line") if line.get("class") == "goal"]) == 5
    curves = ElementTree.parse(tmp_path / "performance/scaling-ps.svg").getroot()
    assert [len(line.get("points").split()) for line in curves.iter(SVG + "polyline")] == [3, 1, 2]
    assert len([line for line in curves.iter(SVG + "line") if line.get("class") == "w0"]) == 3  # spreads
    for linked in ("ratios", "scaling-ps"):
        assert f"(performance/{linked}.svg)" in page
    assert "scaling-workers.svg" not in page  # no figures


def json_lines(script, *arguments):
    """Runs a script of bench/ with `weir run` and returns the JSON lines that it prints."""
    command = [str(BUILD / "weir"), "run", str(ROOT / "bench" / script), *arguments]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True, env=dict(os.environ, BENCH_RUNNER=shlex.join(command[:2])))
    return [json.loads(line) for line in out.stdout.splitlines()]


@pytest.mark.slow
def test_parts_of_real_steps_add_up(modules):
    import step_parts
    rows = {row["name"]: row for row in json_lines("step_parts.py", "0.05")}
    assert list(rows) == ["null_1", "softmax", "mlp", "embed", "cnn"]
    for row in rows.values():
        assert sum(row["parts"].values()) == pytest.approx(row["step_us"])
        assert set(row["parts"]) == set(step_parts.PARTS)
    assert rows["cnn"]["parts"][step_parts.CONVOLUTIONS] > rows["cnn"]["parts"][step_parts.PS_UPDATES] > 0
    assert rows["mlp"]["parts"][step_parts.PRODUCTS] > 0 and rows["null_1"]["parts"][step_parts.PS_OTHERS] > 0


@pytest.mark.slow
def test_clusters_grow_over_servers_and_workers():
    rows = json_lines("scaling.py", "0.05", "scalar:ps:1,2", "bulk:ps:2", "scalar:workers:2")
    assert [(row["kind"], row["over"], row["size"]) for row in rows] == [("scalar", "ps", 1), ("scalar", "ps", 2), ("bulk", "ps", 2), ("scalar", "workers", 2)]
    assert all(row["median_us"] > 0 and row["cpu_us"] > 0 for row in rows)


def test_counts_may_grow_by_five_percent(modules):
    import count
    _, failures = count.compare({"A": (1000, 10), "B": (1000, 0)}, {"A": (1050, 10), "B": (900, 0)})
    assert failures == []
    _, failures = count.compare({"A": (1000, 10), "B": (1000, 0), "C": (1, 1)}, {"A": (1051, 10), "B": (1000, 1), "D": (1, 1)})
    assert [failure.split(":")[0] for failure in sorted(failures)] == ["A", "B", "C", "D"]
