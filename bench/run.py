"""Measures Weir beside TensorFlow and writes docs/performance.md. `make bench` runs it.

    /usr/bin/python3 bench/run.py [--rounds N]

TensorFlow is the interpreter that WEIR_TF_PYTHON names, or the virtual environment of `make interop`; without one only Weir is
measured. measures.py is a shared measuring script, kept word for word. The two alternate in one go, because machines are noisy: what counts is the ratio of the medians.
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURES = ROOT / "bench" / "measures.py"
BUILDING = ROOT / "bench" / "building.py"
RECORDS = ROOT / "bench" / "records.py"
DIGITS = ROOT / "bench" / "digits.py"
# What each row may cost, as a fraction of TensorFlow's figure.
GOALS = {"import": 1 / 15, "import memory": 1 / 8, "feed_fetch_scalar": 1 / 6, "wide_2000_ops": 1 / 2, "step_linreg": 1, "step_softmax": 1,
         "step_mlp": 1, "step_cnn": 0.9, "step_embed": 1, "build_50000_nodes": 1 / 4, "null_1": 1 / 3, "pull_1": 1 / 3, "pull_25000000": 1 / 1.2,
         "push_25000000": 1 / 1.2, "ps memory": 1 / 10, "train_linreg_async": 1 / 3, "train_linreg_sync": 1 / 3, "train_softmax_async": 1 / 3,
         "train_softmax_sync": 1 / 3, "train_mlp_async": 1 / 1.3, "train_mlp_sync": 1 / 1.3, "train_embed_async": 1 / 1.3,
         "train_embed_sync": 1 / 1.3, "train_cnn_async": 1 / 1.2, "records_queue": 1 / 2, "records_data": 1 / 2, "digits worker memory": 1 / 4}
# Steps of a worker against parameter servers in processes of their own: mode, size, repeats.
CLUSTER = [("null", 1, 300), ("null", 4, 200), ("pull", 1, 300), ("pull", 25_000_000, 15), ("push", 25_000_000, 15), ("rows", 1_000_000, 200)]
# Two workers that train against parameter servers, all in processes of their own: model, servers, steps of each.
TRAINING = [("linreg", 1, 600), ("softmax", 2, 400), ("mlp", 2, 80), ("embed", 2, 150), ("cnn", 1, 40)]
GROWTH = [50_000, 100_000, 200_000, 500_000]  # sizes of the graphs that show how Weir grows


def tensorflow_python():
    path = os.environ.get("WEIR_TF_PYTHON") or str(ROOT / "build/interop-venv/bin/python")
    return path if os.path.exists(path) else None


def run_local(command):
    """One run of `measures.py local`: {row: value}. Rows that end in an error (an op that is missing) are left out."""
    out = subprocess.run(command + [str(MEASURES), "local"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    rows = {}
    for line in out.splitlines():
        row = json.loads(line)
        if row["name"] == "import":
            rows["import"] = row["seconds"] * 1e6
            rows["import memory"] = row["peak_mb"]
        elif "median_us" in row:
            rows[row["name"]] = row["median_us"]
    return rows


def last_row(command, *arguments):
    out = subprocess.run(command + [str(MEASURES), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                         env=dict(os.environ, BENCH_RUNNER=" ".join(command))).stdout
    return json.loads(out.splitlines()[-1])


def run_cluster(command):
    return {row["name"]: row["median_us"] for row in (last_row(command, *arguments) for arguments in CLUSTER)}


def run_training(command):
    """Microseconds between two steps of any worker, and the peak memory of a parameter server that holds next to nothing."""
    rows = {}
    for model, servers, steps in TRAINING:
        for mode in ("async", "sync"):
            row = last_row(command, "train", model, mode, 2, servers, steps)
            rows[row["name"]] = 1e6 / row["steps_per_s"]
            if model == "linreg" and mode == "async":
                rows["ps memory"] = row["ps_peak_mb"][0]
    return rows


def run_input(command):
    """Microseconds per record of 28 x 28 pixels that is read, parsed and batched, and the peak memory of the digit trainer's worker."""
    rows = {}
    environment = dict(os.environ, BENCH_RUNNER=" ".join(command))
    with tempfile.TemporaryDirectory() as folder:
        for script, *arguments in ((RECORDS, folder, "queue"), (RECORDS, folder, "data"), (DIGITS, folder, "120")):
            out = subprocess.run(command + [str(script), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
            if out.returncode != 0:
                continue  # what is missing leaves its row out
            row = json.loads(out.stdout.splitlines()[-1])
            if row["name"] == "digits":
                rows["digits worker memory"] = row["worker_peak_mb"]
            else:
                rows[row["name"]] = 1e6 / row["records_per_s"]
    return rows


def run_building(command, nodes):
    out = subprocess.run(command + [str(BUILDING), str(nodes)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return json.loads(out.splitlines()[-1])


def building_rows(command, nodes):
    result = run_building(command, nodes)
    return {f"build_{nodes}_nodes": result["build_s"] * 1e6, f"initialize_{nodes}_nodes": result["init_s"] * 1e6,
            f"first_run_{nodes}_nodes": result["first_run_s"] * 1e6, f"memory_{nodes}_nodes": result["first_run_mb"]}


def growth_lines(command):
    """How building, running for the first time and memory grow with the graph: linearly, if the last columns stay what they are."""
    lines = ["", "## Big graphs", "",
             "Towers of small layers built from Python (`bench/building.py`), in seconds of CPU time. The last three columns are per node.", "",
             "| nodes | build | initialize | first run | memory | build | first run | memory |", "|---|---|---|---|---|---|---|---|"]
    for nodes in GROWTH:
        print(f"a graph of {nodes} nodes ...", file=sys.stderr, flush=True)
        r = run_building(command, nodes)
        lines.append(f"| {r['nodes']} | {r['build_s']:.2f} s | {r['init_s']:.2f} s | {r['first_run_s']:.2f} s | {r['first_run_mb']:.0f} MB "
                     f"| {r['build_s'] / r['nodes'] * 1e6:.1f} us | {r['first_run_s'] / r['nodes'] * 1e6:.1f} us "
                     f"| {r['first_run_mb'] / r['nodes'] * 2**20:.0f} B |")
    return lines


def import_seconds():
    """What importing Weir costs a program, numpy included: `weir run` has done it before a script can look at the clock."""
    code = "import time; start = time.perf_counter(); import numpy, weir; print(time.perf_counter() - start)"
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "build/python"))
    return float(subprocess.run(["/usr/bin/python3", "-c", code], stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout)


def shown(name, value):
    return f"{value:.0f} MB" if "memory" in name else f"{value / 1e6:.2f} s" if value > 1e6 else f"{value / 1e3:.2f} ms" if value > 1e3 else f"{value:.1f} us"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    contenders = {"Weir": [str(ROOT / "build/weir"), "run"]}
    if tensorflow_python():
        contenders["TensorFlow 2.21"] = [tensorflow_python()]
    samples = {name: {} for name in contenders}
    for i in range(rounds):
        for name, command in contenders.items():
            print(f"round {i + 1} of {rounds}: {name} ...", file=sys.stderr, flush=True)
            measured = {**run_local(command), **building_rows(command, GROWTH[0]), **run_cluster(command), **run_training(command), **run_input(command)}
            for row, value in measured.items():
                if name == "Weir" and row == "import":
                    value = import_seconds() * 1e6
                samples[name].setdefault(row, []).append(value)
    lines = [
        "# Performance", "",
        f"Written by `make bench` on {datetime.date.today()}: {rounds} alternating rounds in one run, medians. {os.cpu_count()} cores. "
        "Only ratios within one run mean anything; the goal is the most that Weir may take of TensorFlow's figure.", "",
        "| measure | Weir | TensorFlow 2.21 | ratio | goal |", "|---|---|---|---|---|"]
    for row in samples["Weir"]:
        ours = statistics.median(samples["Weir"][row])
        theirs = samples.get("TensorFlow 2.21", {}).get(row)
        goal = GOALS.get(row)
        if theirs:
            other = statistics.median(theirs)
            lines.append(f"| {row} | {shown(row, ours)} | {shown(row, other)} | {ours / other:.3f} | {'%.3f' % goal if goal else ''} |")
        else:
            lines.append(f"| {row} | {shown(row, ours)} | | | {'%.3f' % goal if goal else ''} |")
    lines += growth_lines(contenders["Weir"])
    text = "\n".join(lines) + "\n"
    (ROOT / "docs" / "performance.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
