"""MonitoredTrainingSessions of two worker processes in a cluster whose tasks are killed and restarted: training reaches
its last step."""
import queue
import re
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

import weir as tf
from free_addresses import free_cluster
from processes import PATIENCE, Cluster, environment

LAST_STEP = 400

WORKER = textwrap.dedent("""
    import sys, time
    import weir as tf
    target, task, folder, last_step, limit = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5]
    with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device=f"/job:worker/task:{task}")):
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        loss = tf.square(w - 3.0)
        train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=step)

    class Says(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            print("session", session.run(step), flush=True)

    hooks = [tf.train.StopAtStepHook(last_step=last_step), Says()]
    with tf.train.MonitoredTrainingSession(target, is_chief=task == 0, checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=20,
                                           recovery_wait_secs=0.5, max_wait_secs=120) as sess:
        while not sess.should_stop():
            _, seen, value = sess.run([train, step, w])
            print("step", seen, flush=True)
            while seen >= int(open(limit).read()):
                time.sleep(0.005)
    print("done", seen, float(value), flush=True)
""")


@pytest.fixture
def cluster():
    with Cluster(**free_cluster(ps=1, worker=2)) as made:
        yield made


class Trainer:
    def __init__(self, cluster, task, folder):
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, cluster.target(f"worker{task}"), str(task), str(folder), str(LAST_STEP), str(folder) + ".limit"],
            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        self.lines = []
        self.unread = queue.SimpleQueue()  # the lines that were not consumed, then None at the end of the output
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.unread.put(line)
        self.unread.put(None)

    def wait_for_step(self, step):
        """Reads output until the worker has reached that step."""
        while True:
            line = self.unread.get(timeout=PATIENCE)
            assert line is not None, "".join(self.lines)
            self.lines.append(line)
            if (match := re.match(r"step (\d+)", line)) and int(match.group(1)) >= step:
                return

    def finish(self):
        self.process.wait(timeout=2 * PATIENCE)
        self.lines += iter(self.unread.get, None)
        return self.process.returncode

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        self.reader.join()
        self.process.stdout.close()

    def sessions(self):
        """The steps at which its sessions started."""
        return [int(line.split()[1]) for line in self.lines if line.startswith("session ")]

    def result(self):
        """The last step and value that it printed."""
        last, value = [line for line in self.lines if line.startswith("done ")][0].split()[1:]
        return int(last), float(value)


def let_run(tmp_path, step):
    """Lets workers run up to that step. A fast worker waits there for the other one and for the next fault."""
    (tmp_path / "limit.new").write_text(str(step))
    (tmp_path / "limit.new").rename(tmp_path / "checkpoints.limit")


@pytest.fixture
def trainers(cluster, tmp_path):
    let_run(tmp_path, 0)
    made = [Trainer(cluster, task, tmp_path / "checkpoints") for task in range(2)]
    yield made
    for trainer in made:
        trainer.end()


@pytest.mark.parametrize("killed", [["ps0", "ps0"], ["worker0", "worker1", "ps0"]])
def test_the_run_ends_though_tasks_are_killed(cluster, trainers, tmp_path, killed):
    steps = [60 + 80 * i for i in range(len(killed))]
    for step, task in zip(steps, killed):
        let_run(tmp_path, step + 20)
        for trainer in trainers:  # both have noticed the last loss before the next
            trainer.wait_for_step(step)
        cluster.end(task)
        cluster.start(task)
    let_run(tmp_path, 2 * LAST_STEP)
    codes = [trainer.finish() for trainer in trainers]
    assert codes == [0, 0], "".join(trainers[0].lines + trainers[1].lines)
    # A worker creates a new session for each loss of a task that it uses.
    for index, trainer in enumerate(trainers):
        assert len(trainer.sessions()) > sum(task in ("ps0", f"worker{index}") for task in killed)
        last, value = trainer.result()
        assert last >= LAST_STEP - 2 and abs(value - 3.0) < 1e-3
    # At most the steps since the last checkpoint, one every 20 steps, are lost.
    assert trainers[0].sessions()[1] >= steps[0] - 20
    saved = int(tf.train.latest_checkpoint(str(tmp_path / "checkpoints")).rpartition("-")[2])
    assert saved >= LAST_STEP
