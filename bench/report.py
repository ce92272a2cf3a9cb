"""Writes docs/performance.md and its plots out of what run.py measured.

    /usr/bin/python3 bench/report.py [MEASURED.json [FOLDER]]     (default: build/bench.json, docs)
"""
import json
import pathlib
import statistics
import sys

import plots

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


def curve(scaling, contender, kind, value):
    return [(r["size"], r[value]) for r in scaling.get(contender, []) if r["kind"] == kind]


def growth_of(points):
    return points[-1][1] / points[0][1]


def flatter(ours, theirs):
    """Whether ours grows less, over the sizes that both were measured at; None where those are fewer than two."""
    common = {size for size, _ in ours} & {size for size, _ in theirs}
    ours, theirs = ([point for point in points if point[0] in common] for points in (ours, theirs))
    return growth_of(ours) <= growth_of(theirs) if len(common) > 1 else None


SCALED = [("null", "median_us", "one scalar from each ps, time of a step"), ("rows", "median_us", "32 rows of a table split over the ps, time of a step"),
          ("workers", "cpu_us", "workers that take a scalar from one ps, CPU time of all processes per step")]


def scaling_lines(scaling, drawn):
    """The growth of a step with the cluster, which is to be flatter than TensorFlow's."""
    lines = ["", "## Growing clusters", "",
             "Every task is a light process of this host, so that many share its cores (`bench/scaling.py`). The growth is the last figure over the first.", "",
             *(line for name, what in (("scaling-ps", "parameter servers"), ("scaling-workers", "workers")) if name in drawn
               for line in (f"![a step over {what}](performance/{name}.svg)", "")),
             "| step | by | sizes | figures | growth | flatter |", "|---|---|---|---|---|---|"]
    for kind, value, what in SCALED:
        theirs = curve(scaling, TENSORFLOW, kind, value)
        for contender in scaling:
            points = curve(scaling, contender, kind, value)
            if points:
                verdict = {None: "", True: "✓", False: "✗"}[flatter(points, theirs) if contender == WEIR else None]
                lines.append(f"| {what} | {contender} | {', '.join(str(size) for size, _ in points)} "
                             f"| {', '.join(shown(kind, figure) for _, figure in points)} | {growth_of(points):.1f} | {verdict} |")
    return lines


def write_plots(folder, rows, scaling):
    """The names of the plots that there are figures for."""
    drawn = {}
    bars = [(row.name, 1 / row.ratio, 1 / row.goal if row.goal else None) for row in rows if row.ratio]
    if bars:
        drawn["ratios"] = plots.ratio_bars("Weir beside TensorFlow 2.21", bars)
    names = [name for name in (WEIR, TENSORFLOW) if scaling.get(name)]
    over_ps = [(f"{name}, {what}", i, kind == "rows", curve(scaling, name, kind, "median_us"))
               for i, name in enumerate(names) for kind, what in (("null", "scalars"), ("rows", "32 rows"))]
    if any(points for *_, points in over_ps):
        drawn["scaling-ps"] = plots.lines("A step that does nothing, over more and more parameter servers", "parameter servers",
                                          "median time of a step, logarithmic", over_ps)
    over_workers = [(name, i, False, curve(scaling, name, "workers", "cpu_us")) for i, name in enumerate(names)]
    if any(points for *_, points in over_workers):
        drawn["scaling-workers"] = plots.lines("A step that does nothing, by more and more workers of one parameter server", "workers",
                                               "CPU time of all processes per step, logarithmic", over_workers)
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in drawn.items():
        (folder / f"{name}.svg").write_text(picture)
    return set(drawn)


def write(measured, folder):
    rows = comparisons(measured["samples"])
    torch, torch_rows = torch_lines(measured)
    judged = [row for row in rows + torch_rows if row.verdict]
    missed = [row.name for row in judged if row.verdict == "✗"]
    lines = ["# Performance", "",
             f"Written by `make bench` on {measured['date']}: alternating rounds in one run ({measured['rounds']} of them), medians (and the least .. the most). "
             f"{measured['cores']} cores. Only ratios within one run mean anything; the goal is the most that Weir may take of the other's figure.", ""]
    if judged:
        lines += [f"**{len(judged) - len(missed)} of {len(judged)} goals met.**" + (f" Missed: {', '.join(missed)}." if missed else ""), ""]
    drawn = write_plots(folder / "performance", rows, measured["scaling"])
    if "ratios" in drawn:
        lines += ["![Weir beside TensorFlow, as ratios with their goals](performance/ratios.svg)", ""]
    lines += table(rows, TENSORFLOW)
    lines += ["", "`sync to async` compares synchronous training with what TensorFlow reaches asynchronously; `weir serve` and an idle ps under `weir run` are "
              "compared with an idle ps of TensorFlow, from the start of the process until its port takes connections."]
    lines += torch
    if measured["scaling"]:
        lines += scaling_lines(measured["scaling"], drawn)
    lines += growth_lines(measured["growth"])
    text = "\n".join(lines) + "\n"
    (folder / "performance.md").write_text(text)
    return text


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "bench.json"
    print(write(json.loads(source.read_text()), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs"))
