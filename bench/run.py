"""Compares Weir with TensorFlow and writes docs/performance.md. `make bench` runs it.

    /usr/bin/python3 bench/run.py [--rounds N] [--quick]

TensorFlow comes from the interpreter that WEIR_TF_PYTHON names, or from the virtual environment of `make interop`; without
either, only Weir is measured. PyTorch is Debian's python3-torch (`tools/install_deps bench`), if installed. measures.py is a
shared script: do not edit it. The contenders alternate in one run, because machines are noisy; the result is the ratio of the
medians. Raw results go to build/bench.json, from which report.py writes the page and its plots.
"""
import argparse
import datetime
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

import cpp_figures
import report
from report import TENSORFLOW, TORCH, TRANSPORTS, WEIR

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURES = ROOT / "bench" / "measures.py"
BUILDING = ROOT / "bench" / "building.py"
RECORDS = ROOT / "bench" / "records.py"
DIGITS = ROOT / "bench" / "digits.py"
IDLE = ROOT / "bench" / "idle.py"
SCALING = ROOT / "bench" / "scaling.py"
STEP_PARTS = ROOT / "bench" / "step_parts.py"
TORCH_DDP = ROOT / "bench" / "torch_ddp.py"
WEIR_BENCH = ROOT / "build" / "weir_bench"
PYTHON = "/usr/bin/python3"
# Steps of one worker against parameter servers, each in its own process: mode, size, repeats.
CLUSTER = [("null", 1, 300), ("null", 4, 200), ("null", 8, 150), ("pull", 1, 300), ("pull", 250_000, 200), ("push", 250_000, 200),
           ("pull", 25_000_000, 15), ("push", 25_000_000, 15), ("rows", 1000, 200), ("rows", 1_000_000, 200)]
# Training by two workers and parameter servers, each in its own process: model, servers, steps of each worker.
TRAINING = [("linreg", 1, 600), ("softmax", 2, 400), ("mlp", 2, 80), ("embed", 2, 150), ("cnn", 1, 40)]
TORCH_STEPS = {"linreg": 1000, "softmax": 400}
GROWTH = [50_000, 100_000, 200_000, 500_000]  # graph sizes, to show how costs grow
# Growing clusters: kind of step, what grows, sizes. Each worker of `bulk` holds at least 100 MB.
SCALED = ["scalar:ps:1,2,4,8,16", "rows:ps:1,2,4,8,16", "bulk:ps:1,2,4,8,16", "scalar:workers:1,2,4,8,16,32,64", "rows:workers:1,8,64",
          "bulk:workers:1,4,16"]
SCALING_S = 0.4  # seconds per size
CPP_S = 0.05  # minimum seconds per benchmark of weir_bench
PARTS_SCALE = 1.0  # factor on the number of steps in step_parts.py


def tensorflow_python():
    path = os.environ.get("WEIR_TF_PYTHON") or str(ROOT / "build/interop-venv/bin/python")
    return path if os.path.exists(path) else None


def run_local(command):
    """Runs `measures.py local` once: {row: value}. Omits rows that failed, e.g. because an op is missing."""
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


def last_row(command, *arguments, **environment):
    done = subprocess.run(command + [str(MEASURES), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, BENCH_RUNNER=shlex.join(map(str, command)), **environment))
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"measures.py {' '.join(map(str, arguments))} of {command} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def run_cluster(command, **environment):
    return {row["name"]: row["median_us"] for row in (last_row(command, *arguments, **environment) for arguments in CLUSTER)}


def run_training(command, **environment):
    """Returns microseconds between two steps of any worker, and the peak memory of a nearly empty parameter server."""
    rows = {}
    for model, servers, steps in TRAINING:
        for mode in ("async", "sync"):
            row = last_row(command, "train", model, mode, 2, servers, steps, **environment)
            rows[row["name"]] = 1e6 / row["steps_per_s"]
            if model == "linreg" and mode == "async":
                rows["ps memory"] = row["ps_peak_mb"][0]
    return rows


def run_input(command):
    """Returns microseconds per record (read, parsed and batched), and the peak memory of the digit trainer's worker."""
    rows = {}
    environment = dict(os.environ, BENCH_RUNNER=shlex.join(map(str, command)))
    with tempfile.TemporaryDirectory() as folder:
        for script, *arguments in ((RECORDS, folder, "queue"), (RECORDS, folder, "data"), (DIGITS, folder, "120")):
            out = subprocess.run(command + [str(script), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
            if out.returncode != 0:
                continue  # omit the row of what is not supported
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


def import_seconds():
    """Measures importing Weir and numpy. `weir run` imports both before a script could start a clock."""
    code = "import time; start = time.perf_counter(); import numpy, weir; print(time.perf_counter() - start)"
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "build/python"))
    return float(subprocess.run([PYTHON, "-c", code], stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout)


def run_idle(name, command):
    """Returns memory and start time of an idle parameter server: a program of the API and, for Weir, `weir serve`. Both
    are compared with TensorFlow's program, as TensorFlow has no counterpart of `weir serve`."""
    program = command + [str(MEASURES), "serve", '{"ps": ["localhost:{port}"]}', "ps", "0"]
    lines = {"idle ps": program}
    if name == WEIR:
        lines["weir serve"] = [str(ROOT / "build/weir"), "serve", "--cluster", "ps=localhost:{port}", "--job_name", "ps"]
    rows = {}
    for row, line in lines.items():
        result = json.loads(subprocess.run([PYTHON, str(IDLE), *line], stdout=subprocess.PIPE, text=True, check=True).stdout)
        rows.update({f"{row} memory": result["peak_mb"], f"{row} start": result["start_s"] * 1e6})
    for figure in ("memory", "start"):
        rows.setdefault(f"weir serve {figure}", rows[f"idle ps {figure}"])
    return rows


def processor():
    """Returns the CPU's model name, or "" if it is unknown."""
    try:
        with open("/proc/cpuinfo") as file:
            return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        return ""


def why_no_torch():
    """Returns None if PyTorch with gloo is usable, else the reason."""
    code = "import torch.distributed as d; assert d.is_gloo_available()"
    done = subprocess.run([PYTHON, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return None if done.returncode == 0 else f"{PYTHON} cannot import torch with gloo (`tools/install_deps bench` installs it)"


def run_torch():
    """Returns microseconds between two steps of any worker, under the names of the rows to compare with."""
    rows = {}
    for model, steps in TORCH_STEPS.items():
        out = subprocess.run([PYTHON, str(TORCH_DDP), model, str(steps)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
        rows[f"train_{model}_sync"] = 1e6 / json.loads(out.splitlines()[-1])["steps_per_s"]
    return rows


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def run_scaling(command):
    """Returns the sizes that succeeded: a machine may lack memory for many processes."""
    out = subprocess.run(command + [str(SCALING), str(SCALING_S), *SCALED], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if out.returncode != 0:
        print("  scaling.py failed; its results are incomplete", file=sys.stderr)
    return json_lines(out.stdout)


def run_parts(command):
    """Returns how the time of a step is distributed."""
    out = subprocess.run(command + [str(STEP_PARTS), str(PARTS_SCALE)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                         env=dict(os.environ, BENCH_RUNNER=shlex.join(map(str, command))))
    if out.returncode != 0:
        print("  step_parts.py failed; its results are incomplete", file=sys.stderr)
    return json_lines(out.stdout)


def run_cpp():
    """Returns the results of weir_bench that succeeded: name, microseconds, and rates per second, if counted."""
    if not WEIR_BENCH.exists():
        print("  there is no build/weir_bench (WEIR_BENCH is off)", file=sys.stderr)
        return []
    out = subprocess.run([str(WEIR_BENCH), "--benchmark_format=json", f"--benchmark_min_time={CPP_S}", f"--benchmark_min_warmup_time={CPP_S}"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if out.returncode != 0:
        print(f"  {WEIR_BENCH} ended with {out.returncode}", file=sys.stderr)
        return []
    return cpp_figures.rows_of(json.loads(out.stdout))


def make_quick():
    """Reduces all repeats: for trying out this script, not for measuring."""
    global CLUSTER, TRAINING, TORCH_STEPS, GROWTH, SCALED, SCALING_S, CPP_S, PARTS_SCALE
    CLUSTER = [(mode, size, min(repeats, 5)) for mode, size, repeats in CLUSTER]
    TRAINING = [(model, servers, 20) for model, servers, _ in TRAINING if model in ("linreg", "softmax")]
    TORCH_STEPS = {model: 20 for model in TORCH_STEPS}
    GROWTH, SCALED, SCALING_S = [2_000], ["scalar:ps:1,2,4", "bulk:ps:1,2", "scalar:workers:1,2,4"], 0.1
    CPP_S, PARTS_SCALE = 0.001, 0.1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="few repeats, and the page goes to build/bench: to try this script out")
    args = parser.parse_args()
    start = time.monotonic()
    if args.quick:
        make_quick()
    contenders = {WEIR: [str(ROOT / "build/weir"), "run"]}
    if tensorflow_python():
        contenders[TENSORFLOW] = [tensorflow_python()]
    torch_missing = why_no_torch()
    if torch_missing:
        print(f"PyTorch is left out: {torch_missing}", file=sys.stderr)
    samples = {name: {} for name in [*contenders, *TRANSPORTS, TORCH]}
    scaling, parts, cpp = {name: [] for name in contenders}, [], []

    def keep(name, rows):
        for row, value in rows.items():
            samples[name].setdefault(row, []).append(value)

    for i in range(args.rounds):
        for name, command in contenders.items():
            print(f"round {i + 1} of {args.rounds}: {name} ...", file=sys.stderr, flush=True)
            measured = {**run_local(command), **building_rows(command, GROWTH[0]), **run_cluster(command), **run_training(command), **run_input(command),
                        **run_idle(name, command)}
            if name == WEIR:
                measured["import"] = import_seconds() * 1e6
            keep(name, measured)
            scaling[name] += run_scaling(command)
        for name, transport in TRANSPORTS.items():
            print(f"round {i + 1} of {args.rounds}: {name} ...", file=sys.stderr, flush=True)
            keep(name, {**run_cluster(contenders[WEIR], WEIR_TRANSPORT=transport), **run_training(contenders[WEIR], WEIR_TRANSPORT=transport)})
        if not torch_missing:
            print(f"round {i + 1} of {args.rounds}: {TORCH} ...", file=sys.stderr, flush=True)
            keep(TORCH, run_torch())
        print(f"round {i + 1} of {args.rounds}: {WEIR} alone, in C++ and by parts ...", file=sys.stderr, flush=True)
        cpp += run_cpp()
        parts += run_parts(contenders[WEIR])
    print("growing graphs ...", file=sys.stderr, flush=True)
    result = {"date": str(datetime.date.today()), "rounds": args.rounds, "cores": os.cpu_count(), "processor": processor(), "samples": samples, "torch_missing": torch_missing,
              "scaling": scaling, "parts": parts, "cpp": cpp, "growth": [run_building(contenders[WEIR], nodes) for nodes in GROWTH]}
    folder = ROOT / "build" / "bench" if args.quick else ROOT / "docs"
    folder.mkdir(parents=True, exist_ok=True)
    (ROOT / "build" / ("bench-quick.json" if args.quick else "bench.json")).write_text(json.dumps(result, indent=1))
    print(report.write(result, folder))
    print(f"took {(time.monotonic() - start) / 60:.1f} minutes", file=sys.stderr)


if __name__ == "__main__":
    main()
