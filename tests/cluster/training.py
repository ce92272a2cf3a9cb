"""A training job of processes that the tests kill and start again, with the steps that each process has made."""
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

import weir as tf
from free_addresses import free_cluster
from processes import PATIENCE, environment

# Trains, "async" or "sync", and saves the model every so many steps, until the step in the file <folder>/last. Prints each step that it makes.
TRAINER = textwrap.dedent("""
    import os, sys, time
    import numpy as np
    import weir as tf
    cluster, job, task, folder, together = eval(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5] == "sync"
    save_steps = int(sys.argv[6])
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
                                           save_checkpoint_secs=None, save_checkpoint_steps=save_steps,
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

    def __init__(self, cluster, name, folder, kind, save_steps, errors):
        self.started = time.monotonic()
        self.said = []
        self.process = subprocess.Popen([sys.executable, "-c", TRAINER, repr(cluster), name[:-1], name[-1], folder, kind,
                                         str(save_steps)],
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
    def __init__(self, folder, ps=1, workers=2, kind="async", save_steps=20):
        self.cluster = free_cluster(ps=ps, worker=workers)
        self.folder = folder
        self.kind = kind
        self.save_steps = save_steps
        self.made_by_killed = 0  # steps that killed processes have printed
        self.errors = tempfile.TemporaryFile("w+")
        names = [f"{job}{i}" for job, tasks in self.cluster.items() for i in range(len(tasks))]
        self.tasks = {name: self.launch(name) for name in names}

    def restart(self, name):
        self.tasks[name] = self.launch(name)
        return self.tasks[name]

    def kill(self, name):
        self.tasks[name].kill()
        self.made_by_killed += len(self.tasks[name].said)
        self.tasks[name].said = []

    def steps_made(self):
        """The number of steps whose end a process has seen."""
        return self.made_by_killed + sum(len(task.said) for task in self.tasks.values())

    def launch(self, name):
        return Task(self.cluster, name, self.folder, self.kind, self.save_steps, self.errors)

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

    def errors_said(self, everything=False):
        self.errors.seek(0)
        said = self.errors.read()
        return said if everything else said[-4000:]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for task in self.tasks.values():
            task.kill()
        self.errors.close()
