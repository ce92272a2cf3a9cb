"""Runs Supervisors of both libraries on Weir servers; each restores checkpoints of the other."""
import json

import pytest

import weir as tf
from both.supervised import train
from conftest import run_tensorflow
from free_addresses import free_cluster


@pytest.fixture(scope="module")
def target():
    """Starts a cluster of Weir servers and yields the target of its worker."""
    cluster = free_cluster(ps=1, worker=1)
    servers = [tf.train.Server(cluster, job_name=job, task_index=0) for job in ("ps", "worker")]
    yield servers[1].target


@pytest.fixture(scope="module")
def runs(target, tmp_path_factory):
    """Runs trainers one after the other, in two directories. Returns the result of each by name."""
    folder = tmp_path_factory.mktemp("supervised")
    alone, together = str(folder / "alone"), str(folder / "together")
    found = {"weir": train(tf, "", alone, 4)}
    out = folder / "tensorflow.json"
    run_tensorflow("train_supervised.py", out, "", alone, 7, target, together, 5)
    found["tensorflow after weir"], found["tensorflow on weir"] = json.loads(out.read_text())
    found["weir after tensorflow"] = train(tf, "", alone, 9)
    tf.Session.reset(target)
    found["weir after tensorflow on weir"] = train(tf, target, together, 8)
    return found


@pytest.mark.parametrize("name, first, last", [("weir", 0, 4), ("tensorflow after weir", 4, 7), ("weir after tensorflow", 7, 9),
                                               ("tensorflow on weir", 0, 5), ("weir after tensorflow on weir", 5, 8)])
def test_each_goes_on_where_the_last_one_ended(runs, name, first, last):
    run = runs[name]
    assert run["first"] == first
    assert run["saved"].endswith(f"/model.ckpt-{last}")
    assert run["stopped"] and run["finalized"]


@pytest.mark.parametrize("before, after", [("weir", "tensorflow after weir"), ("tensorflow after weir", "weir after tensorflow"),
                                           ("tensorflow on weir", "weir after tensorflow on weir")])
def test_the_values_are_those_that_were_saved(runs, before, after):
    assert runs[after]["before"] == runs[before]["after"]
    assert runs[after]["after"] != runs[after]["before"]
