"""Runs the programs of trainers/, written as users of TensorFlow 1.x write them, with Weir and with TensorFlow 2.15, and
compares what they print: the same words, and numbers within a tolerance."""
import json
import os
import pathlib
import re
import subprocess
import time

import pytest

from conftest import HERE, start_tensorflow
from free_addresses import free_addresses, free_cluster

BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", HERE.parents[1] / "build")).resolve()
PATIENCE = 300
TOLERANCE = 2e-4
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|nan|inf)\b")


def alone(*arguments):
    """A run of one process."""
    return lambda: [{"role": "main", "arguments": arguments}]


def estimator_cluster():
    cluster = free_cluster(chief=1, worker=1, ps=1)
    roles = ["ps", "chief", "worker", "evaluator"]
    return [{"role": role, "environment": {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": role, "index": 0}})}} for role in roles]


def worker_cluster():
    ps, *workers = free_addresses(3)
    hosts = [f"--ps_hosts={ps}", f"--worker_hosts={','.join(workers)}"]
    return [{"role": job + str(task), "arguments": [*hosts, f"--job_name={job}", f"--task_id={task}"]}
            for job, task in (("ps", 0), ("worker", 0), ("worker", 1))]


# The runs: what they are called, starting with the name of the program, and their tasks.
RUNS = {
    **{path.stem: alone() for path in sorted((HERE / "trainers").glob("*.py"))},
    "dqn plain": alone("--nodouble_q", "--dueling=false", "--episodes=6"),
    "cnn_benchmark replicated": alone("--variable_update=replicated", "--optimizer=rmsprop"),
    "inception_sync": worker_cluster,
    "matrix_factorization adam": alone("--optimizer=adam"),
    "rent_estimator cluster": estimator_cluster,
    "word2vec sampled_softmax": alone("--loss=sampled_softmax"),
}
# Runs that are compared less closely, and why.
LOOSE = {
    "rent_estimator cluster": (5e-3, "chief and worker take turns as they can"),
}


def tasks_of(name, folder):
    """Returns the tasks of a run as data for run_trainers.py, and makes the folder in which they run."""
    place = folder / name.replace(" ", "_")
    place.mkdir(parents=True)
    return [{"program": str(HERE / "trainers" / (name.split()[0] + ".py")), "folder": str(place), "role": task["role"],
             "arguments": list(task.get("arguments", ())), "environment": task.get("environment", {}),
             "serves": task["role"].startswith("ps")} for task in RUNS[name]()]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """Starts TensorFlow, which runs all programs one after the other while the tests run them with Weir."""
    folder = tmp_path_factory.mktemp("tensorflow")
    (folder / "plan.json").write_text(json.dumps([tasks_of(name, folder / "runs") for name in RUNS]))
    script = start_tensorflow("run_trainers.py", folder / "plan.json", python="WEIR_KERAS2_TF_PYTHON")
    end = time.monotonic() + 4 * PATIENCE

    def printed(name):
        place = folder / "runs" / name.replace(" ", "_")
        while not (place / "done").exists():
            assert script.server.process.poll() is None and time.monotonic() < end, "TensorFlow has not run the program"
            time.sleep(0.05)
        return outputs(place, json.loads((place / "done").read_text()))

    yield printed
    assert script.wait() == 0


def outputs(place, statuses):
    """What every task printed. Those that serve others are ended by a signal."""
    wrong = {role: (place / f"{role}.err").read_text()[-3000:] for role, status in statuses.items() if status and not role.startswith("ps")}
    assert not wrong, "\n".join(f"{role} failed:\n{text}" for role, text in wrong.items())
    return {role: (place / f"{role}.out").read_text().splitlines() for role in sorted(statuses)}


def run_weir(tasks):
    place = pathlib.Path(tasks[0]["folder"])
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TF_CONFIG", "WEIR_LOG")}
    running, statuses = {}, {}
    try:
        for task in tasks:
            with open(place / f"{task['role']}.out", "w") as out, open(place / f"{task['role']}.err", "w") as err:
                running[task["role"]] = subprocess.Popen([BUILD / "weir", "run", task["program"], *task["arguments"]], cwd=place,
                                                         env={**clean, **task["environment"]}, stdout=out, stderr=err)
        for task in sorted(tasks, key=lambda task: task["serves"]):
            if task["serves"]:
                running[task["role"]].kill()
            statuses[task["role"]] = running[task["role"]].wait(PATIENCE)
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    return outputs(place, statuses)


def line_differs(mine, wanted, tolerance):
    # NumPy pads numbers to the same width.
    mine, wanted = (re.sub(r"\s+(?=\])", "", " ".join(line.split())) for line in (mine, wanted))
    if NUMBER.sub("0", mine) != NUMBER.sub("0", wanted):
        return True
    pairs = zip(map(float, NUMBER.findall(mine)), map(float, NUMBER.findall(wanted)))
    return any(a != b and not abs(a - b) <= tolerance * (1 + abs(b)) for a, b in pairs)


@pytest.mark.parametrize("name", RUNS)
def test_trainer(theirs, tmp_path, name):
    tolerance = LOOSE.get(name, (TOLERANCE,))[0]
    mine = run_weir(tasks_of(name, tmp_path))
    wanted = theirs(name)
    assert mine.keys() == wanted.keys() and any(wanted.values())
    for role, lines in wanted.items():
        assert len(mine[role]) == len(lines), f"{role} prints\n" + "\n".join(mine[role]) + "\nnot\n" + "\n".join(lines)
        wrong = [f"{role}: {a}\n  TensorFlow: {b}" for a, b in zip(mine[role], lines) if line_differs(a, b, tolerance)]
        assert not wrong, "\n".join(wrong)
