"""Writes docs/performance.md out of what run.py measured.

    /usr/bin/python3 bench/report.py [MEASURED.json [FOLDER]]     (default: build/bench.json, docs)
"""
import json
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEIR, TENSORFLOW, TORCH = "Weir", "TensorFlow 2.21", "PyTorch DDP"
ASYNC_GOALS = {"linreg": 1 / 10, "softmax": 1 / 6, "mlp": 1 / 2.5, "embed": 1 / 4, "cnn": 1 / 1.3}
# What each row may cost, as a fraction of TensorFlow's figure.
GOALS = {"import": 1 / 15, "import memory": 1 / 8, "feed_fetch_scalar": 1 / 10, "wide_2000_ops": 1 / 4, "step_linreg": 1, "step_softmax": 1,
         "step_mlp": 1, "step_cnn": 0.9, "step_embed": 1, "build_50000_nodes": 1 / 4, "null_1": 1 / 12, "null_4": 1 / 12, "null_8": 1 / 12,
         "pull_1": 1 / 12, "rows_1000": 1 / 8, "rows_1000000": 1 / 8, "pull_250000": 1 / 5, "push_250000": 1 / 5, "pull_25000000": 1 / 3.5,
         "push_25000000": 1 / 3.5, "ps memory": 1 / 10, "train_linreg_sync": 1 / 3, "train_softmax_sync": 1 / 3, "train_mlp_sync": 1 / 1.3,
         "train_embed_sync": 1 / 1.3, "records_queue": 1 / 2, "records_data": 1 / 2, "digits worker memory": 1 / 4,
         "weir serve memory": 1 / 20, "weir serve start": 1 / 50, "idle ps memory": 1 / 10, "idle ps start": 1 / 12,
         **{f"train_{model}_async": goal for model, goal in ASYNC_GOALS.items()}}
TORCH_GOAL = 1 / 2


def shown(name, value):
    if "memory" in name:
        return f"{value:.0f} MB"
    return f"{value / 1e6:.2f} s" if value >= 1e6 else f"{value / 1e3:.2f} ms" if value >= 1e3 else f"{value:.1f} us"


def with_spread(name, values):
    middle = shown(name, statistics.median(values))
    if len(values) < 2:
        return middle
    unit = middle.split()[1]
    low, high = (shown(name, value) for value in (min(values), max(values)))
    return f"{middle} ({low.removesuffix(' ' + unit)} .. {high})"


class Comparison:
    """One row: what Weir and another take, as samples, and the most that the ratio of the medians may be."""

    def __init__(self, name, ours, theirs, goal):
        self.name, self.ours, self.theirs, self.goal = name, ours, theirs, goal
        self.ratio = statistics.median(ours) / statistics.median(theirs) if theirs else None

    @property
    def verdict(self):
        if self.goal is None or self.ratio is None:
            return ""
        return "✓" if self.ratio <= self.goal else "✗"

    def line(self):
        goal = f"{self.goal:.3f}" if self.goal is not None else ""
        if self.ratio is None:
            return f"| {self.name} | {with_spread(self.name, self.ours)} | | | {goal} | |"
        return (f"| {self.name} | {with_spread(self.name, self.ours)} | {with_spread(self.name, self.theirs)} | {self.ratio:.3f} | {goal} "
                f"| {self.verdict} |")


def comparisons(samples):
    ours, theirs = samples[WEIR], samples.get(TENSORFLOW, {})
    rows = [Comparison(row, values, theirs.get(row), GOALS.get(row)) for row, values in ours.items()]
    rows += [Comparison(f"train_{model}_sync to async", ours[f"train_{model}_sync"], theirs[f"train_{model}_async"], goal)
             for model, goal in ASYNC_GOALS.items() if f"train_{model}_sync" in ours and f"train_{model}_async" in theirs]
    return rows


def table(rows, other):
    return [f"| measure | Weir | {other} | ratio | goal | met |", "|---|---|---|---|---|---|", *(row.line() for row in rows)]


def torch_lines(measured):
    samples = measured["samples"]
    lines = ["", "## Beside PyTorch", "",
             "Synchronous training with two workers against DistributedDataParallel over gloo: two processes, the same models and batches, one thread "
             "each (`bench/torch_ddp.py`). Microseconds between two steps of any worker.", ""]
    if not samples.get(TORCH):
        return lines + [f"Not measured: {measured['torch_missing']}."], []
    rows = [Comparison(row, samples[WEIR][row], values, TORCH_GOAL) for row, values in samples[TORCH].items() if row in samples[WEIR]]
    return lines + table(rows, TORCH), rows


def growth_lines(growth):
    """How building, running for the first time and memory grow with the graph: linearly, if the last columns stay what they are."""
    lines = ["", "## Big graphs", "",
             "Towers of small layers built from Python (`bench/building.py`), in seconds of CPU time. The last three columns are per node.", "",
             "| nodes | build | initialize | first run | memory | build | first run | memory |", "|---|---|---|---|---|---|---|---|"]
    return lines + [f"| {r['nodes']} | {r['build_s']:.2f} s | {r['init_s']:.2f} s | {r['first_run_s']:.2f} s | {r['first_run_mb']:.0f} MB "
                    f"| {r['build_s'] / r['nodes'] * 1e6:.1f} us | {r['first_run_s'] / r['nodes'] * 1e6:.1f} us "
                    f"| {r['first_run_mb'] / r['nodes'] * 2**20:.0f} B |" for r in growth]


def write(measured, folder):
    rows = comparisons(measured["samples"])
    torch, torch_rows = torch_lines(measured)
    judged = [row for row in rows + torch_rows if row.verdict]
    missed = [row.name for row in judged if row.verdict == "✗"]
    lines = ["# Performance", "",
             f"Written by `make bench` on {measured['date']}: {measured['rounds']} alternating rounds in one run, medians (and the least .. the most). "
             f"{measured['cores']} cores. Only ratios within one run mean anything; the goal is the most that Weir may take of the other's figure.", ""]
    if judged:
        lines += [f"**{len(judged) - len(missed)} of {len(judged)} goals met.**" + (f" Missed: {', '.join(missed)}." if missed else ""), ""]
    lines += table(rows, TENSORFLOW)
    lines += ["", "`sync to async` compares synchronous training with what TensorFlow reaches asynchronously; `weir serve` and an idle ps under `weir run` are "
              "compared with an idle ps of TensorFlow, from the start of the process until its port takes connections."]
    lines += torch
    lines += growth_lines(measured["growth"])
    text = "\n".join(lines) + "\n"
    (folder / "performance.md").write_text(text)
    return text


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "bench.json"
    print(write(json.loads(source.read_text()), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs"))
