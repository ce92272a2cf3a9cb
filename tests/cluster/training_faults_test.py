"""Training whose tasks are killed repeatedly: it reaches its last step and loses no step that was saved."""
import random
import statistics
import time

import pytest

import weir as tf
from training import Training

pytestmark = pytest.mark.slow

KILLS = 30
SEED = 11

def test_training_goes_on_through_thirty_kills(tmp_path):
    chance = random.Random(SEED)
    recovery = []
    with Training(str(tmp_path)) as training:
        training.wait_for_step(0, ["worker0"])
        for kill in range(KILLS):
            name = ["ps0", "worker0", "worker1"][kill % 3]
            time.sleep(chance.uniform(0, 0.6))  # varies the moment of the kill
            training.tasks[name].kill()
            saved = training.latest_checkpoint_step()
            time.sleep(chance.uniform(0, 0.3))
            training.tasks[name] = task = training.launch(name)
            # After the restart of a worker, this worker continues. After the restart of the ps, any worker may continue
            # first.
            first = training.wait_for_step(task.started, None if name == "ps0" else [name])
            recovery.append(first - task.started)
            lost = [step for _, step in training.steps_since(task.started) if step < saved]
            assert not lost, f"seed {SEED}, kill {kill} of {name}: {saved} was saved, but steps went on from {lost[0]}"
        training.finish()
    print(f"from a restart to the next step: median {statistics.median(recovery):.3f} s, most {max(recovery):.3f} s")
    values = tf.train.load_checkpoint(str(tmp_path / "model"))
    assert abs(values.get_tensor("w") - [1, -2, 3]).max() < 0.2


def test_replicas_that_step_together_go_on_after_the_loss_of_any_parameter_server(tmp_path):
    """The first parameter server holds the global step and the token queue, the second one only variables."""
    with Training(str(tmp_path), ps=2, kind="sync") as training:
        for name in ["ps1", "ps0", "ps1", "ps0"]:
            for worker in ["worker0", "worker1"]:
                training.wait_for_step(time.monotonic(), [worker])
            training.tasks[name].kill()
            training.tasks[name] = task = training.launch(name)
            for worker in ["worker0", "worker1"]:
                training.wait_for_step(task.started, [worker])
        training.finish()
