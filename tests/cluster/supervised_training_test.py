"""Supervisors of a chief and a second worker, in a cluster of processes. Some of the processes are killed and
restarted."""
import re
import subprocess
import sys
import textwrap
import threading

import pytest

import weir as tf
from free_addresses import free_cluster
from processes import PATIENCE, PROGRAM, Cluster, environment, wait_until

LOST = (tf.errors.UnavailableError, tf.errors.AbortedError)


@pytest.fixture
def cluster():
    with Cluster(**free_cluster(ps=1, worker=2)) as made:
        yield made


class Trainer(threading.Thread):
    """Counts steps on the ps, up to `last`. With `queue`, the increments come from a queue on the worker. The queue is
    closed when training ends and stays closed in the worker's process, so a trainer that will train again must not use
    it."""

    def __init__(self, cluster, task, logdir, last, queue=False):
        super().__init__(daemon=True)
        self.target, self.last = cluster.target(f"worker{task}"), last
        self.seen, self.error, self.graph = [], None, tf.Graph()
        device = f"/job:worker/task:{task}"
        with self.graph.as_default(), tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device=device)):
            self.step = tf.train.get_or_create_global_step()
            by = tf.constant(1, tf.int64)
            if queue:
                items = tf.FIFOQueue(5, tf.int64, shapes=[[]], shared_name=f"input{task}")
                tf.train.add_queue_runner(tf.train.QueueRunner(items, [items.enqueue(by)]))
                by = items.dequeue()
            self.more = tf.assign_add(self.step, by)
            self.sv = tf.train.Supervisor(is_chief=task == 0, logdir=logdir, save_model_secs=0.05, recovery_wait_secs=1)

    def train(self):
        with self.sv.managed_session(self.target) as sess:
            self.seen = [int(sess.run(self.step))]
            while not self.sv.should_stop() and self.seen[-1] < self.last:
                self.seen.append(int(sess.run(self.more)))

    def run(self):
        try:
            self.train()
        except Exception as error:
            self.error = error

    def finish(self):
        self.join(2 * PATIENCE)
        assert not self.is_alive()
        return self.error


def saved_step(logdir):
    latest = tf.train.latest_checkpoint(logdir)
    return int(latest.rsplit("-", 1)[1]) if latest else -1


def test_a_second_worker_trains_with_the_chief(cluster, tmp_path):
    chief, second = [Trainer(cluster, task, str(tmp_path), last=300, queue=True) for task in (0, 1)]
    second.start()  # waits for the chief
    chief.start()
    assert chief.finish() is None and second.finish() is None
    assert chief.seen[-1] >= 300 and second.seen[-1] >= 300
    # Each step was made by one worker only.
    assert not set(chief.seen[1:]) & set(second.seen[1:])
    assert saved_step(str(tmp_path)) >= 0


def test_a_lost_ps_ends_the_sessions_and_training_goes_on_from_the_last_checkpoint(cluster, tmp_path):
    logdir, forever = str(tmp_path), 10 ** 9
    trainers = [Trainer(cluster, task, logdir, forever) for task in (0, 1)]
    for trainer in trainers:
        trainer.start()
    wait_until(lambda: saved_step(logdir) > 0, "a checkpoint of a step")
    cluster.end("ps0")
    for trainer in trainers:
        assert isinstance(trainer.finish(), LOST)
    reached, saved = trainers[0].seen[-1], saved_step(logdir)
    assert 0 < saved <= reached + 1
    last = reached + 200
    trainers = [Trainer(cluster, task, logdir, last) for task in (0, 1)]
    for trainer in trainers:
        trainer.start()
    cluster.start("ps0")
    for trainer in trainers:
        assert trainer.finish() is None
        assert trainer.seen[0] >= saved and trainer.seen[-1] >= last


# A trainer that recovers from lost tasks, as in TensorFlow's documentation.
TRAINER = textwrap.dedent("""
    import os, sys
    import weir as tf
    cluster, task, logdir, end = eval(sys.argv[1]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
    server = tf.train.Server(cluster, job_name="worker", task_index=task)
    with tf.device(tf.train.replica_device_setter(worker_device=f"/job:worker/task:{task}", cluster=cluster)):
        step = tf.train.get_or_create_global_step()
        more = tf.assign_add(step, 1)
    sv = tf.train.Supervisor(is_chief=task == 0, logdir=logdir, save_model_secs=0.02)

    def train():
        with sv.managed_session(server.target) as sess:
            at = sess.run(step)
            print("begins at", at, flush=True)
            while not sv.should_stop() and not os.path.exists(end):
                sess.run(more)
        return os.path.exists(end)
    while True:
        try:
            if train():
                break
        except (tf.errors.UnavailableError, tf.errors.AbortedError) as error:
            print("lost", type(error).__name__, flush=True)
    print("done", flush=True)
""")


class Processes:
    """A ps and two workers, each a process that trains until the file `end` exists. Their output goes to files."""

    def __init__(self, path):
        self.jobs = free_cluster(ps=1, worker=2)
        self.path, self.logdir, self.end, self.running = path, str(path / "logs"), path / "end", {}
        for name in ("ps0", "worker0", "worker1"):
            self.start(name)

    def start(self, name):
        program = PROGRAM if name.startswith("ps") else TRAINER
        with (self.path / f"{name}.out").open("a") as out, (self.path / f"{name}.err").open("a") as err:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-c", program, repr(self.jobs), name[:-1], name[-1], self.logdir, str(self.end)],
                env=environment(), stdout=out, stderr=err)

    def restart(self, name):
        self.running[name].kill()
        self.running[name].wait(PATIENCE)
        self.start(name)

    def said(self, name, kind="out"):
        return (self.path / f"{name}.{kind}").read_text()

    def begun(self, name):
        return [int(at) for at in re.findall(r"begins at (\d+)", self.said(name))]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for process in self.running.values():
            process.kill()
            process.wait(PATIENCE)


@pytest.mark.slow
def test_training_outlives_its_processes(tmp_path):
    with Processes(tmp_path) as processes:
        # Kills them one after the other, each after training has made progress.
        for name in ("ps0", "worker1", "ps0", "worker0", "ps0"):
            before = saved_step(processes.logdir)
            wait_until(lambda: processes.begun("worker0") and processes.begun("worker1"), "both workers to begin")
            wait_until(lambda: saved_step(processes.logdir) > max(before, 0), "a later checkpoint")
            rounds = len(processes.begun("worker0")), len(processes.begun("worker1"))
            saved = saved_step(processes.logdir)
            processes.restart(name)
            for worker in (0, 1):
                if name == "ps0" or name == f"worker{worker}":
                    wait_until(lambda: len(processes.begun(f"worker{worker}")) > rounds[worker], f"worker{worker} to begin again")
            assert processes.begun("worker0")[-1] >= saved or name == "worker1"  # nothing that was saved is lost
        processes.end.touch()
        for name in ("worker0", "worker1"):
            assert processes.running[name].wait(PATIENCE) == 0, processes.said(name, "err")
            assert processes.said(name).endswith("done\n")
        assert "lost" in processes.said("worker1")
