"""Training whose tasks are killed repeatedly: it reaches its last step and loses no step that was saved."""
import os
import random
import statistics
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

import pytest

import weir as tf
from free_addresses import free_cluster
from processes import PATIENCE, environment

pytestmark = pytest.mark.slow

KILLS = 30
SEED = 11

# Trains, "async" or "sync", until the step in the file <folder>/last. Prints each step that it makes.
TRAINER = textwrap.dedent("""
    import os, sys, time
    import numpy as np
    import weir as tf
    cluster, job, task, folder, together = eval(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5] == "sync"
    server = tf.train.Server(cluster, job_name=job, task_index=task)
    if job == "ps":
        server.join()
        sys.exit(0)

    class StopWhenAsked(tf.train.SessionRunHook):
        def before_run(self, context):
            return tf.train.SessionRunArgs(tf.train.get_global_step())
        def after_run(self, context, values):
            print("step", values.results, flush=True)
            name = os.path.join(folder, "last")
            if os.path.exists(name) and values.results >= int(open(name).read()):
                context.request_stop()

    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{task}")):
        step = tf.train.get_or_create_global_step()
        x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None])
        w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) + b - y))
        optimizer, hooks = tf.train.AdagradOptimizer(0.1), [StopWhenAsked()]
        if together:
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, len(cluster["worker"]))
            hooks.append(optimizer.make_session_run_hook(task == 0, num_tokens=0))
        train = optimizer.minimize(loss, global_step=step)
    rng = np.random.RandomState(task)
    with tf.train.MonitoredTrainingSession(server.target, is_chief=task == 0, checkpoint_dir=folder + "/model",
                                           save_checkpoint_secs=None, save_checkpoint_steps=20,
                                           save_summaries_steps=None, log_step_count_steps=None,
                                           hooks=hooks) as session:
        while not session.should_stop():
            data = rng.rand(8, 3)
            session.run(train, {x: data, y: data @ [1.0, -2.0, 3.0]})
            time.sleep(0.005)
    print("done", flush=True)
""")


class Task:
    """One process, with the steps that it has printed and their times."""

    def __init__(self, cluster, name, folder, kind, errors):
        self.started = time.monotonic()
        self.said = []
        self.process = subprocess.Popen([sys.executable, "-c", TRAINER, repr(cluster), name[:-1], name[-1], folder, kind],
                                        env=environment(), stdout=subprocess.PIPE, stderr=errors, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if line.startswith("step "):
                self.said.append((time.monotonic(), int(line.split()[1])))

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()


class Training:
    def __init__(self, folder, ps=1, workers=2, kind="async"):
        self.cluster = free_cluster(ps=ps, worker=workers)
        self.folder = folder
        self.kind = kind
        self.errors = tempfile.TemporaryFile("w+")
        names = [f"{job}{i}" for job, tasks in self.cluster.items() for i in range(len(tasks))]
        self.tasks = {name: self.launch(name) for name in names}

    def launch(self, name):
        return Task(self.cluster, name, self.folder, self.kind, self.errors)

    def steps_since(self, since, names=None):
        return [said for name, task in self.tasks.items() if names is None or name in names
                for said in list(task.said) if said[0] > since]

    def wait_for_step(self, since, names=None):
        """Waits for the first step that one of the tasks makes after `since`, and returns its time."""
        end = time.monotonic() + PATIENCE
        while not (steps := self.steps_since(since, names)):
            assert time.monotonic() < end, f"no step was made\n{self.errors_said()}"
            time.sleep(0.002)
        return min(steps)[0]

    def latest_checkpoint_step(self):
        latest = tf.train.latest_checkpoint(os.path.join(self.folder, "model"))
        return 0 if latest is None else int(latest.rsplit("-", 1)[1])

    def finish(self):
        """Makes training end a hundred steps from now, and waits for that."""
        last = max(step for _, step in self.steps_since(0)) + 100
        with open(os.path.join(self.folder, "ask"), "w") as file:
            file.write(str(last))
        os.rename(os.path.join(self.folder, "ask"), os.path.join(self.folder, "last"))
        for name, task in self.tasks.items():
            if name.startswith("worker"):
                assert task.process.wait(PATIENCE) == 0, self.errors_said()
        for task in self.tasks.values():
            if task.process.poll() is not None:
                task.reader.join(PATIENCE)
        assert max(step for _, step in self.steps_since(0)) >= last, self.errors_said()
        assert self.latest_checkpoint_step() >= last

    def errors_said(self):
        self.errors.seek(0)
        return self.errors.read()[-4000:]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for task in self.tasks.values():
            task.kill()
        self.errors.close()


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
