"""Writes docs/performance.md and its plots from the results of run.py.

    /usr/bin/python3 bench/report.py [MEASURED.json [FOLDER]]     (default: build/bench.json, docs)
"""
import json
import pathlib
import statistics
import sys

import cpp_figures
import plots
from figures import shown, with_spread
from step_parts import PARTS

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEIR, TENSORFLOW, TORCH = "Weir", "TensorFlow 2.21", "PyTorch DDP"
TRANSPORTS = {"Weir over UCX": "ucx", "Weir over gRPC": "grpc"}  # values of WEIR_TRANSPORT
ASYNC_GOALS = {"linreg": 1 / 10, "softmax": 1 / 6, "mlp": 1 / 2.5, "embed": 1 / 4, "cnn": 1 / 1.3}
# Goals: Weir's figure as a fraction of TensorFlow's, at most.
GOALS = {"import": 1 / 15, "import memory": 1 / 8, "feed_fetch_scalar": 1 / 10, "wide_2000_ops": 1 / 4, "step_linreg": 1, "step_softmax": 1,
         "step_mlp": 1, "step_cnn": 0.9, "step_embed": 1, "build_50000_nodes": 1 / 4, "null_1": 1 / 12, "null_4": 1 / 12, "null_8": 1 / 12,
         "pull_1": 1 / 12, "rows_1000": 1 / 8, "rows_1000000": 1 / 8, "pull_250000": 1 / 5, "push_250000": 1 / 5, "pull_25000000": 1 / 3.5,
         "push_25000000": 1 / 3.5, "ps memory": 1 / 10, "train_linreg_sync": 1 / 3, "train_softmax_sync": 1 / 3, "train_mlp_sync": 1 / 1.3,
         "train_embed_sync": 1 / 1.3, "records_queue": 1 / 2, "records_data": 1 / 2, "digits worker memory": 1 / 4,
         "weir serve memory": 1 / 20, "weir serve start": 1 / 50, "idle ps memory": 1 / 10, "idle ps start": 1 / 12,
         **{f"train_{model}_async": goal for model, goal in ASYNC_GOALS.items()}}
TORCH_GOAL = 1 / 2
# The bottleneck of a measure, according to a profile. Printed only if the goal is missed. Keys are names of rows, with
# " beside PyTorch" appended for those, and names of growths that have goals: "scalar over ps", "scalar over workers".
LIMITS = {
    "scalar over ps": "over plain sockets, one message to each of 1, 2, 4, 8 and 16 processes and one reply take 5.6, 12, 23, 42 and 79 us on two cores: a "
                      "growth of 14. A step that costs little besides its messages grows like them. TensorFlow's curve is flatter because its first point is "
                      "much higher.",
    "scalar over workers": "the CPU time of a step is two messages and one thread wake-up. With more processes than cores, each runs with cold caches and "
                           "TLB. TensorFlow's curve is flatter, but twenty times higher.",
    "train_linreg_sync to async": "a round is ten messages in five calls, most of them one after the other: two workers pull, push and wait for a token, and the chief "
                                  "takes, applies and gives tokens. Five round trips over bare sockets take some 200 us between "
                                  "processes that sleep, and 28 us between two that poll, each on its own core; here four processes share two cores.",
    "train_softmax_sync to async": "as with linreg, five calls one after the other; and 80 of its microseconds are products.",
    "train_embed_async": "more than a third of a step gathers, combines and updates random rows of a table of 128 MB and its slot, which fit in no cache.",
    "train_embed_sync to async": "more than a third of a step gathers, combines and updates random rows of a table of 128 MB and its slot, which fit in no "
                                 "cache.",
}


def verdict(met):
    return {None: "", True: "✓", False: "✗"}[met]


class Comparison:
    """One row: samples of Weir and of another implementation, and the goal for the ratio of their medians (at most)."""

    def __init__(self, name, ours, theirs, goal):
        self.name, self.ours, self.theirs, self.goal = name, ours, theirs, goal
        self.ratio = statistics.median(ours) / statistics.median(theirs) if theirs else None

    @property
    def met(self):
        return None if self.goal is None or self.ratio is None else self.ratio <= self.goal

    def line(self):
        goal = f"{self.goal:.3f}" if self.goal is not None else ""
        if self.ratio is None:
            return f"| {self.name} | {with_spread(self.name, self.ours)} | | | {goal} | |"
        return (f"| {self.name} | {with_spread(self.name, self.ours)} | {with_spread(self.name, self.theirs)} | {self.ratio:.3f} | {goal} "
                f"| {verdict(self.met)} |")


def comparisons(samples):
    ours, theirs = samples[WEIR], samples.get(TENSORFLOW, {})
    rows = [Comparison(row, values, theirs.get(row), GOALS.get(row)) for row, values in ours.items()]
    rows += [Comparison(f"train_{model}_sync to async", ours[f"train_{model}_sync"], theirs[f"train_{model}_async"], goal)
             for model, goal in ASYNC_GOALS.items() if f"train_{model}_sync" in ours and f"train_{model}_async" in theirs]
    return rows


def table(rows, other):
    return [f"| measure | Weir | {other} | ratio | goal | met |", "|---|---|---|---|---|---|", *(row.line() for row in rows)]


MEANINGS = [
    ("import", "the time to import the package with numpy, and the memory of the process afterwards"),
    ("feed_fetch_scalar, wide_2000_ops", "a step of a local session that feeds a scalar, runs two ops and fetches the result; a step of 2,000 ops"),
    ("step_MODEL", "a training step of a local session, with Adagrad"),
    ("null_N, pull_FLOATS, push_FLOATS, rows_N", "a step of one worker against parameter servers in other processes: a scalar from each of N servers; a "
                                                 "variable of FLOATS floats sent to the worker; a tensor of FLOATS floats added to a variable; 32 rows of 64 "
                                                 "floats gathered from a table of N rows"),
    ("train_MODEL_MODE", "the time between two successive steps of two workers together, with 1 parameter server (linreg, cnn) or 2"),
    ("MODEL", "linreg: two scalars, 1 example; softmax: 784 to 10, 100 examples; mlp: layers of 784, 1024, 1024 and 10, 32 examples; cnn: two 5 x 5 convolutions "
     "of 32 and 64 channels with pooling, layers of 512 and 10, 64 images of 28 x 28; embed: 4,096 of a million rows of 32 floats"),
    ("build, initialize, first_run, memory", "a graph of 50,000 nodes: the time to build it in Python, to initialize its variables and to run its first step, and the memory of the process afterwards"),
    ("records", "the time to read, parse and batch a record of 28 x 28 pixels, with queues and with tf.data"),
    ("memory, start", "the peak memory of a process, and the time until its port accepts connections"),
]


def meaning_lines():
    return ["", "What the rows are (`bench/measures.py`, `building.py`, `records.py`, `digits.py`, `idle.py`):", "",
            *(f"- `{names}`: {what}" for names, what in MEANINGS)]


def network_lines(samples):
    """Compares transports, for clusters on several hosts."""
    shown_rows = [row for row in samples[WEIR] if any(row in samples.get(name, {}) for name in TRANSPORTS) and row != "ps memory"]
    if not shown_rows:
        return []
    columns = [WEIR, *TRANSPORTS, TENSORFLOW]

    def cell(name, row):
        values = samples.get(name, {}).get(row)
        return shown(row, statistics.median(values)) if values else ""

    return ["", "## Between hosts", "",
            "The tasks of one host share memory. Between hosts calls go over gRPC, or over UCX where `WEIR_TRANSPORT` asks for it. Here both "
            "are measured over the loopback device, so the times include no network. TensorFlow's calls go over gRPC.", "",
            f"| measure | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|",
            *(f"| {row} | {' | '.join(cell(name, row) for name in columns)} |" for row in shown_rows)]


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
    """Shows how building, the first run and memory grow with the graph: linearly if the last columns are constant."""
    lines = ["", "## Big graphs", "",
             "Towers of small layers built from Python (`bench/building.py`), in seconds of CPU time. The last three columns are per node.", "",
             "| nodes | build | initialize | first run | memory | build | first run | memory |", "|---|---|---|---|---|---|---|---|"]
    return lines + [f"| {r['nodes']} | {r['build_s']:.2f} s | {r['init_s']:.2f} s | {r['first_run_s']:.2f} s | {r['first_run_mb']:.0f} MB "
                    f"| {r['build_s'] / r['nodes'] * 1e6:.1f} us | {r['first_run_s'] / r['nodes'] * 1e6:.1f} us "
                    f"| {r['first_run_mb'] / r['nodes'] * 2**20:.0f} B |" for r in growth]


class Growth:
    """The cost of one kind of step by number of parameter servers or workers: {size: samples} per implementation."""

    def __init__(self, scaling, kind, over, what):
        self.kind, self.over, self.what = kind, over, what
        self.figure = "median_us" if over == "ps" else "cpu_us"
        self.curves = {contender: self._samples(rows) for contender, rows in scaling.items()}

    def _samples(self, rows):
        samples = {}
        for row in rows:
            if (row["kind"], row["over"]) == (self.kind, self.over):
                samples.setdefault(row["size"], []).append(row[self.figure])
        return dict(sorted(samples.items()))

    @property
    def name(self):
        return f"{self.kind} over {self.over}"

    @property
    def met(self):
        """Whether Weir's curve grows at most as much as TensorFlow's over the sizes measured for both. None if there
        are fewer than two such sizes."""
        ours, theirs = (self.curves.get(contender, {}) for contender in (WEIR, TENSORFLOW))
        sizes = [size for size in ours if size in theirs]
        return growth_of(ours, sizes) <= growth_of(theirs, sizes) if len(sizes) > 1 else None

    def points(self, contender):
        """Returns [(size, median, minimum, maximum)]."""
        return [(size, statistics.median(values), min(values), max(values)) for size, values in self.curves.get(contender, {}).items()]

    def lines(self, sizes):
        for contender, samples in self.curves.items():
            if not samples:
                continue
            cells = [with_spread("", samples[size]) if size in samples else "" for size in sizes]
            yield (f"| {self.what} | {contender} | {' | '.join(cells)} | {growth_of(samples, list(samples)):.1f} "
                   f"| {verdict(self.met if contender == WEIR else None)} |")


def growth_of(samples, sizes):
    return statistics.median(samples[sizes[-1]]) / statistics.median(samples[sizes[0]])


BULK_MB = 100
SCALED = [("scalar", "ps", "one scalar from each ps"), ("rows", "ps", "32 rows of a table of 1 GB split over the ps"),
          ("bulk", "ps", f"{BULK_MB} MB split over the ps"), ("scalar", "workers", "a scalar from one ps"),
          ("rows", "workers", "32 rows of a table of 1 GB"), ("bulk", "workers", f"{BULK_MB} MB")]
OVER = {"ps": "The time of a step of one worker, over parameter servers:",
        "workers": "The CPU time of all processes per step, over workers of one parameter server that all run steps as fast as they can:"}
GROWTH_GOALS = "scalar"  # the kind with a growth goal: flatter than TensorFlow's. The others are informative.


def growths_of(scaling):
    return [Growth(scaling, *kind) for kind in SCALED]


def scaling_lines(growths, drawn):
    """Shows how a step grows with the cluster. The goal is to grow less than TensorFlow."""
    lines = ["", "## Growing clusters", "",
             "Steps that compute almost nothing. All tasks run on this host as light processes that share its cores (`bench/scaling.py`). Growth is the last "
             "figure divided by the first; for a scalar, the goal is to grow less than TensorFlow."]
    for over, what in OVER.items():
        members = [growth for growth in growths if growth.over == over and any(growth.curves.values())]
        if not members:
            continue
        sizes = sorted({size for growth in members for samples in growth.curves.values() for size in samples})
        lines += ["", what, ""]
        if f"scaling-{over}" in drawn:
            lines += [f"![a step over {over}](performance/scaling-{over}.svg)", ""]
        lines += [f"| a step that takes | by | {' | '.join(map(str, sizes))} | growth | flatter |", "|---" * (len(sizes) + 4) + "|",
                  *(line for growth in members for line in growth.lines(sizes))]
    return lines


def typical(parts):
    """Returns, for each step, the round with the median time. Its parts add up; medians of parts would not."""
    rounds = {}
    for row in parts:
        rounds.setdefault(row["name"], []).append(row)
    return [sorted(rows, key=lambda row: row["step_us"])[(len(rows) - 1) // 2] for rows in rounds.values()]


def parts_lines(rows):
    if not rows:
        return []
    names = [part for part in PARTS if any(row["parts"].get(part) for row in rows)]

    def cells(value):
        return " | ".join(shown("", figure) if figure else "" for figure in map(value, rows))

    return ["", "## Where the time of a step goes", "",
            "One worker and its parameter servers (`bench/step_parts.py`; 1 for the null step and cnn, 2 for the others), each in its own process. "
            "Kernel times come from traces (`RunOptions.FULL_TRACE`); where several kernels run at once, the time is split evenly. Tracing overhead is "
            "excluded: the parts add up to the untraced step.", "",
            "![parts of a step](performance/step-parts.svg)", "",
            f"| part | {' | '.join(row['name'] for row in rows)} | what it is |", "|---" * (len(rows) + 2) + "|",
            *(f"| {part} | {cells(lambda row: row['parts'].get(part))} | {PARTS[part]} |" for part in names),
            f"| **the step** | {cells(lambda row: row['step_us'])} | median, untraced |",
            f"| traced | {cells(lambda row: row['traced_us'])} | the same steps while they are traced |"]


def limit_lines(missed):
    """Lists what limits each missed goal."""
    return ["", "What limits the figures that miss their goal:", "", *(f"- {name}: {LIMITS.get(name, 'not profiled yet.')}" for name in missed)] if missed else []


def write_plots(folder, rows, growths, parts):
    """Writes the plots that there are figures for. Returns their names."""
    drawn = {}
    bars = [(row.name, 1 / row.ratio, 1 / row.goal if row.goal else None) for row in rows if row.ratio]
    if bars:
        drawn["ratios"] = plots.ratio_bars("Weir beside TensorFlow 2.21", bars)
    titles = {"ps": ("A step that computes nothing, over more and more parameter servers", "parameter servers", "median time of a step, logarithmic"),
              "workers": ("A step that computes nothing, by more and more workers of one parameter server", "workers",
                          "CPU time of all processes per step, logarithmic")}
    short = {"scalar": "scalars", "rows": "32 rows of 1 GB", "bulk": f"{BULK_MB} MB"}
    for over, title in titles.items():
        curves = [(f"{contender}, {short[growth.kind]}", i, list(short).index(growth.kind), growth.points(contender))
                  for i, contender in enumerate((WEIR, TENSORFLOW)) for growth in growths if growth.over == over]
        if any(points for *_, points in curves):
            drawn[f"scaling-{over}"] = plots.lines(*title, curves)
    if parts:
        drawn["step-parts"] = plots.stacks("Where the time of a step goes", [(row["name"], shown("", row["step_us"]), row["parts"]) for row in parts], list(PARTS))
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in drawn.items():
        (folder / f"{name}.svg").write_text(picture)
    return set(drawn)


def write(measured, folder):
    rows = comparisons(measured["samples"])
    torch, torch_rows = torch_lines(measured)
    growths, parts = growths_of(measured["scaling"]), typical(measured.get("parts", []))
    judged = [(row.name, row.met) for row in rows] + [(f"{row.name} beside PyTorch", row.met) for row in torch_rows]
    judged += [(growth.name, growth.met) for growth in growths if growth.kind == GROWTH_GOALS]
    judged = [(name, met) for name, met in judged if met is not None]
    missed = [name for name, met in judged if not met]
    lines = ["# Performance", "",
             f"Written by `make bench` on {measured['date']}: alternating rounds in one run ({measured['rounds']} of them), medians (and minimum .. maximum). "
             f"{measured['cores']} cores{' of ' + measured['processor'] if measured.get('processor') else ''}. Only ratios within one run mean anything; the goal is the largest allowed ratio of Weir's figure to the other's.", ""]
    if judged:
        lines += [f"**{len(judged) - len(missed)} of {len(judged)} goals met.**" + (f" Missed: {', '.join(missed)}." if missed else ""), ""]
    drawn = write_plots(folder / "performance", rows, growths, parts)
    if "ratios" in drawn:
        lines += ["![Weir beside TensorFlow, as ratios with their goals](performance/ratios.svg)", ""]
    lines += table(rows, TENSORFLOW)
    lines += ["", "`sync to async` compares synchronous training with TensorFlow's asynchronous training; `weir serve` and an idle ps under `weir run` are "
              "compared with an idle ps of TensorFlow, from the start of the process until its port accepts connections.",
              "Within a host a large value is passed without a copy. `pull` is the time until the worker can read the value; it reads one element. "
              "For `push`, the ps adds the value to a variable, so it reads the whole value once."]
    lines += meaning_lines()
    lines += limit_lines(missed)
    lines += network_lines(measured["samples"])
    lines += torch
    lines += parts_lines(parts)
    if any(measured["scaling"].values()):
        lines += scaling_lines(growths, drawn)
    lines += cpp_figures.lines(measured.get("cpp", []))
    lines += growth_lines(measured["growth"])
    text = "\n".join(lines) + "\n"
    (folder / "performance.md").write_text(text)
    return text


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "bench.json"
    print(write(json.loads(source.read_text()), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs"))
