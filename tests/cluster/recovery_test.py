"""Restarts of the chief and of parameter servers: what is alive is kept (docs/recovery.md)."""
import os
import random
import statistics
import time

import pytest

import weir as tf
from training import Training

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("WEIR_TEST_KILLS", "5"))  # `make soak` sets more
SEED = 5
NEVER = 1_000_000  # steps between checkpoints: only the first step of a session is saved


@pytest.mark.parametrize("kind", ["async", "sync"])
def test_a_chief_that_is_killed_loses_no_step(tmp_path, kind):
    chance = random.Random(SEED)
    pauses = []
    with Training(str(tmp_path), ps=2, kind=kind, save_steps=NEVER) as training:
        training.wait_for_step(0, ["worker0"])
        training.wait_for_step(0, ["worker1"])
        for _ in range(KILLS):
            time.sleep(chance.uniform(0.05, 0.4))
            training.kill("worker0")
            before = max([step for _, step in training.steps_since(0, ["worker1"])])
            time.sleep(chance.uniform(0, 0.2))
            chief = training.restart("worker0")
            pauses.append(training.wait_for_step(chief.started, ["worker0"]) - chief.started)
            training.wait_for_step(time.monotonic(), ["worker1"])
            resumed = min(step for _, step in training.steps_since(chief.started, ["worker0"]))
            assert resumed >= before, f"the chief went on from step {resumed} after step {before}\n{training.errors_said()}"
        training.finish()
        steps = [step for _, step in training.steps_since(0, ["worker1"])]
        assert steps == sorted(steps), "the global step fell"
        total = training.steps_made()
        # The chief may have saved the last checkpoint during the last step of the other worker.
        last = max(step for _, step in training.steps_since(0))
        said = training.errors_said(everything=True)
    assert said.count("alive on all servers") == KILLS, said[-4000:]
    if kind == "async":
        assert last >= total, f"{total} steps ended, but the last one was step {last}"
    print(f"from the start of the process to its first step: median {statistics.median(pauses):.3f} s, most {max(pauses):.3f} s")


def test_only_the_variables_of_the_lost_parameter_server_are_restored(tmp_path):
    """ps0 has the global step and b or w; ps1 has the other one."""
    with Training(str(tmp_path), ps=2, save_steps=NEVER) as training:
        for worker in ["worker0", "worker1"]:
            training.wait_for_step(0, [worker])
        time.sleep(0.5)
        before = max(step for _, step in training.steps_since(0))
        assert before > 20
        training.kill("ps1")
        server = training.restart("ps1")
        for worker in ["worker0", "worker1"]:
            training.wait_for_step(server.started, [worker])
        first = min(step for _, step in training.steps_since(server.started))
        assert first >= before
        training.finish()
        said = training.errors_said(everything=True)
    assert "Restored the variables of /job:ps/task:1 from" in said
    values = tf.train.load_checkpoint(str(tmp_path / "model"))
    assert values.get_tensor("global_step") > before


def test_synchronous_training_restores_all_variables_when_a_parameter_server_is_lost(tmp_path):
    with Training(str(tmp_path), ps=2, kind="sync", save_steps=NEVER) as training:
        for worker in ["worker0", "worker1"]:
            training.wait_for_step(0, [worker])
        while max(step for _, step in training.steps_since(0)) < 20:
            time.sleep(0.01)
        training.kill("ps1")
        server = training.restart("ps1")
        for worker in ["worker0", "worker1"]:
            training.wait_for_step(server.started, [worker])
        first = min(step for _, step in training.steps_since(server.started))
        assert first < 20
        training.finish()
        assert "Restoring those of all tasks" in training.errors_said(everything=True)


def test_a_new_folder_does_not_continue_with_the_weights_of_another_run(tmp_path):
    with Training(str(tmp_path / "a"), save_steps=NEVER) as training:
        while max([step for _, step in training.steps_since(0)], default=0) < 50:
            time.sleep(0.01)
        for worker in ["worker0", "worker1"]:
            training.kill(worker)
        training.folder = str(tmp_path / "b")
        os.mkdir(training.folder)
        chief = training.restart("worker0")
        training.wait_for_step(chief.started, ["worker0"])
        assert min(step for _, step in training.steps_since(chief.started, ["worker0"])) <= 1  # a fetched variable is read last


def test_the_behaviour_of_tensorflow_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("WEIR_RECOVER", "restore")
    with Training(str(tmp_path), save_steps=NEVER) as training:
        while max([step for _, step in training.steps_since(0)], default=0) < 50:
            time.sleep(0.01)
        training.kill("worker1")
        training.kill("worker0")
        chief = training.restart("worker0")
        training.wait_for_step(chief.started, ["worker0"])
        assert min(step for _, step in training.steps_since(chief.started, ["worker0"])) < 50
