"""Runs the same programs on all mixes of Weir and TensorFlow clients and servers: same values, errors and
cancellations."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

import weir as tf
from both.cluster_programs import NUMERIC, PROGRAMS, SHAPES, run_all
from conftest import HERE, tensorflow_python
from free_addresses import free_addresses

WEIR = pathlib.Path(os.environ.get("WEIR_BUILD", HERE.parents[1] / "build")) / "weir"
CPUS = [f"/job:{job}/replica:0/task:0/device:CPU:0" for job in ("ps", "worker")]

# Cluster name -> (engine of the ps, engine of the worker, clients to test). Sessions are on the worker.
CLUSTERS = {
    "weir": ("weir", "weir", ["tensorflow", "weir"]),
    "tensorflow": ("tensorflow", "tensorflow", ["weir"]),
    "weir ps, tensorflow worker": ("weir", "tensorflow", ["weir", "tensorflow"]),
    "tensorflow ps, weir worker": ("tensorflow", "weir", ["weir", "tensorflow"]),
}

EXPECTED = {
    "ref_variables": [[1.0, 2.0, -3.0], [1.0]],
    "resource_variables": [[1.0, 2.0, -3.0], [1.0]],
    "loop_across_tasks": [[0.0, 0.0], [1.0, 0.0], [10.0, 285.0], [100.0, 328350.0]],
    "nested_loops_across_tasks": [6, 20],
    "gradient_of_a_loop": [16.0, 32.0],
    "cond_across_tasks": [[2.0, 3.0], [10.0, 20.0]],
    "types_across_tasks": [[], (len(NUMERIC) + 1) * len(SHAPES)],
    "large_values": [5_000_000, 12346.0, 5_000_000.0],
    "feeds_and_fetches": [5.0, [2.0, 2.0], 13.0, None, 5.0, [100.0, 103.0], -5.0],
    "partial_run": [6.0, 13.0],
    "callables": [[2.0, 3.0], [4.0, 5.0]],
    "errors": [True, True, 3, True, [21.0]],
    "timeout": [True, 1.0],
    "closed_session": [False, [True], True, 2.0],
    "metadata": [["_here", CPUS[1], True], ["_there", CPUS[0], True]],
    "partition_graphs": [["_here", CPUS[1]], ["_there", CPUS[0]]],
    "devices": CPUS,
    "containers": [1.0, "gone"],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Returns the results of run_all by client and cluster. TensorFlow is started twice: for all servers and for all
    clients."""
    python = tensorflow_python()
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TF_CONFIG")} | {"PYTHONDONTWRITEBYTECODE": "1"}
    folder = tmp_path_factory.mktemp("cluster")
    targets, theirs, processes = {}, [], []
    addresses = iter(free_addresses(2 * len(CLUSTERS)))
    with open(folder / "log.txt", "w") as log:
        try:
            for name, (ps, worker, _) in CLUSTERS.items():
                cluster = {"ps": [next(addresses)], "worker": [next(addresses)]}
                targets[name] = "grpc://" + cluster["worker"][0]
                for job, kind in (("ps", ps), ("worker", worker)):
                    if kind == "tensorflow":
                        theirs.append([cluster, job, 0])
                    else:
                        flag = ";".join(f"{job}={tasks[0]}" for job, tasks in cluster.items())
                        processes.append(subprocess.Popen([WEIR, "serve", "--cluster", flag, "--job_name", job], stderr=log))
            processes.append(subprocess.Popen([python, "cluster_servers.py", json.dumps(theirs)], stdin=subprocess.PIPE, stderr=log,
                                              env=environment, cwd=HERE))
            for_theirs = {name: target for name, target in targets.items() if "tensorflow" in CLUSTERS[name][2]}
            client = subprocess.Popen([python, "cluster_client.py", folder / "results.json", json.dumps(for_theirs)],
                                      stdin=subprocess.PIPE, env=environment, cwd=HERE)
            processes.append(client)
            found = {"weir": {name: run_all(tf, target, "weir") for name, target in targets.items()}}
            found = json.loads(json.dumps(found))
            client.stdin.close()  # starts it; not earlier, because a reset ends the sessions of all clients
            assert client.wait(timeout=180) == 0
            found["tensorflow"] = json.loads((folder / "results.json").read_text())
            found["targets"] = targets
            yield found
        finally:
            for process in processes:
                process.kill()
                process.wait()


MIXES = [(client, cluster) for cluster, (_, _, clients) in CLUSTERS.items() for client in clients]


@pytest.mark.parametrize("program", [program.__name__ for program in PROGRAMS])
@pytest.mark.parametrize("client, cluster", MIXES, ids=[f"{client} on {cluster}" for client, cluster in MIXES])
def test_cluster(results, client, cluster, program):
    value, seconds = results[client][cluster][program]
    assert value == EXPECTED[program]
    assert seconds < 30


def test_a_client_that_asks_for_signs_of_life(results):
    """The server keeps the connection open during a long step with frequent keepalive pings."""
    program = """
import sys
import weir as tf
forever = tf.while_loop(lambda i: i < 2, lambda i: i * 1, [0])
try:
    tf.Session(sys.argv[1]).run(forever, options=tf.RunOptions(timeout_in_ms=6000))
except tf.errors.DeadlineExceededError:
    print("in the end")
"""
    out = subprocess.run([sys.executable, "-c", program, results["targets"]["tensorflow"]], capture_output=True, text=True,
                         timeout=120, env=os.environ | {"WEIR_PEER_TIMEOUT_MS": "900"})
    assert out.stdout == "in the end\n", out.stderr
