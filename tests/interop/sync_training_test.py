"""Runs a Weir worker in synchronous training with a TensorFlow ps and chief."""
import json
import subprocess

import pytest

import weir as tf
from both.sync_training import STEPS, averaged, train
from conftest import HERE, tensorflow_environment, tensorflow_python
from free_addresses import free_cluster


@pytest.fixture
def found(tmp_path):
    """Trains and returns the final results of both workers, TensorFlow's first."""
    cluster = free_cluster(ps=1, worker=2)
    server = tf.train.Server(cluster, job_name="worker", task_index=1)
    common = dict(cwd=HERE, env=tensorflow_environment())
    servers = subprocess.Popen([tensorflow_python(), "cluster_servers.py", json.dumps([[cluster, "ps", 0]])], stdin=subprocess.PIPE, **common)
    chief = subprocess.Popen([tensorflow_python(), "train_in_sync.py", json.dumps(cluster), "0", str(tmp_path), str(tmp_path / "chief.json")],
                             **common)
    try:
        ours = train(tf, server.target, 1, str(tmp_path))
        assert chief.wait(300) == 0
        yield json.loads((tmp_path / "chief.json").read_text()), ours
    finally:
        for process in (chief, servers):
            process.kill()
            process.wait()


def test_both_reach_the_last_step_with_the_averaged_parameters(found):
    w, b = averaged()
    for mine in found:
        assert mine["step"] == STEPS
        assert mine["w"] == pytest.approx(w, rel=1e-4, abs=1e-5) and mine["b"] == pytest.approx(b, rel=1e-4, abs=1e-5)
