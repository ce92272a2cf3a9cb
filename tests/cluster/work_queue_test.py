"""Workers that sleep instead of computing share a work queue; some are killed."""
import collections
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

WORKERS = 8
SLICES, SLEEP = 400, 0.05
SLICES_WITH_KILLS, KILLS = 80, 3

# Takes the slices of two queues, one after the other. Prints the time when it begins and ends a slice.
WORKER = textwrap.dedent("""
    import sys, time
    import weir as tf
    from weir.lib.work_queue import WorkQueue
    cluster, job, task, first, second, sleep = eval(sys.argv[1])
    server = tf.train.Server(cluster, job_name=job, task_index=task)
    if job == "ps":
        server.join()
        sys.exit(0)
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{task}")):
        takes = [WorkQueue(["works"], num_slices=number, name=name).take() for name, number in [("first", first), ("second", second)]]
    with tf.train.MonitoredTrainingSession(server.target, is_chief=task == 0) as session:
        for number, take in enumerate(takes):
            print("ready", number, flush=True)
            sys.stdin.readline()
            try:
                while True:
                    slice = session.run(take).decode()
                    print("begin", number, slice, time.monotonic(), flush=True)
                    time.sleep(sleep)
                    print("end", number, slice, time.monotonic(), flush=True)
            except tf.errors.OutOfRangeError:
                pass
    print("done", flush=True)
""")


class Process:
    def __init__(self, cluster, job, task, errors):
        sleep = SLEEP * 5 if task == WORKERS - 1 else SLEEP
        self.said = []
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, repr((cluster, job, task, SLICES, SLICES_WITH_KILLS, sleep))],
            env={**environment(), "WEIR_SESSION_LEASE_MS": "1000"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        self.reader = threading.Thread(target=lambda: self.said.extend(line.split() for line in iter(self.process.stdout.readline, "")))
        self.reader.start()

    def wait_for(self, *words):
        end = time.monotonic() + PATIENCE
        while list(words) not in list(self.said):
            assert time.monotonic() < end and self.process.poll() is None, self.said[-3:]
            time.sleep(0.002)

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def of(self, what, number):
        """Returns [(slice, time), ...]."""
        return [(words[2], float(words[3])) for words in list(self.said) if words[:2] == [what, str(number)]]

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)


def test_every_slice_once_and_those_of_killed_workers_again_at_most_once():
    cluster = free_cluster(ps=1, worker=WORKERS)
    with tempfile.TemporaryFile("w+") as errors:
        server = Process(cluster, "ps", 0, errors)
        workers = [Process(cluster, "worker", task, errors) for task in range(WORKERS)]
        try:
            for worker in workers:
                worker.wait_for("ready", "0")
            for worker in workers:
                worker.go()
            for worker in workers:
                worker.wait_for("ready", "1")
            check_times(workers)

            for worker in workers:
                worker.go()
            killed = workers[1:1 + KILLS]
            for worker in killed:
                while len(worker.of("begin", 1)) < 2:
                    time.sleep(0.001)
                worker.kill()
            for worker in workers:
                if worker not in killed:
                    worker.wait_for("done")
            check_kills(workers)
        finally:
            for process in [server, *workers]:
                process.kill()
            errors.seek(0)
            said = errors.read()
        assert 1 <= said.count("hands out the slice 'works?slice_id=") <= KILLS, said[-4000:]


def check_times(workers):
    done = [slice for worker in workers for slice, _ in worker.of("end", 0)]
    assert len(done) == len(set(done)) == SLICES
    began = min(when for worker in workers for _, when in worker.of("begin", 0))
    took = max(when for worker in workers for _, when in worker.of("end", 0)) - began
    ideal = SLICES * SLEEP / (WORKERS - 1 + 1 / 5)
    print(f"the epoch took {took / ideal:.3f} times the ideal")
    assert took <= 1.15 * ideal


def check_kills(workers):
    begun = collections.Counter(slice for worker in workers for slice, _ in worker.of("begin", 1))
    done = {slice for worker in workers for slice, _ in worker.of("end", 1)}
    assert max(begun.values()) <= 2
    assert sum(begun.values()) - len(begun) <= KILLS
    # A slice that was handed to a worker that died before it could print it is missing here, and begun once more.
    assert len(done) == SLICES_WITH_KILLS


# Counts the slices that it takes, and saves the model after each of them. ps0 has the count, ps1 has the queue.
CHIEF = textwrap.dedent("""
    import sys, time
    import weir as tf
    from weir.lib.work_queue import WorkQueue
    cluster, job, task, folder = eval(sys.argv[1])
    tf.logging.set_verbosity(tf.logging.INFO)
    server = tf.train.Server(cluster, job_name=job, task_index=task)
    if job == "ps":
        server.join()
        sys.exit(0)
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        step = tf.train.get_or_create_global_step()
        producer = WorkQueue([str(i) for i in range(30)], shuffle=False).input_producer()
        with tf.control_dependencies([producer.dequeue()]):
            count = step.assign_add(1)
    with tf.train.MonitoredTrainingSession(server.target, checkpoint_dir=folder, save_checkpoint_secs=None,
                                           save_checkpoint_steps=1, save_summaries_steps=None) as session:
        while not session.should_stop():
            print("step", session.run(count), flush=True)
            time.sleep(0.01)
    print("done", flush=True)
""")


def test_the_queue_is_restored_with_the_variables_of_its_server(tmp_path):
    cluster = free_cluster(ps=2, worker=1)
    with tempfile.TemporaryFile("w+") as errors:
        def start(job, task):
            return subprocess.Popen([sys.executable, "-c", CHIEF, repr((cluster, job, task, str(tmp_path)))], env=environment(),
                                    stdout=subprocess.PIPE, stderr=errors, text=True)

        running = [start("ps", 0), start("ps", 1), start("worker", 0)]
        chief = running[2]
        try:
            while chief.stdout.readline() != "step 10\n":
                assert chief.poll() is None
            running[1].kill()
            running[1].wait(PATIENCE)
            running.append(start("ps", 1))
            steps = chief.stdout.read().splitlines()
            assert chief.wait(PATIENCE) == 0
        finally:
            for process in running:
                process.kill()
                process.wait(PATIENCE)
                process.stdout.close()
            errors.seek(0)
            said = errors.read()
            print(said[-4000:])
    assert steps.pop() == "done"
    assert "Restored the variables of /job:ps/task:1 from" in said
    # Each slice is counted once, except the one that the chief held when the server was killed.
    last = int(steps[-1].split()[1])
    assert 30 <= last <= 31
    reader = tf.train.load_checkpoint(str(tmp_path))
    assert reader.get_tensor("work_queue-works").tolist() == [b"29"]  # the chief held it when the last step ended
    assert reader.get_tensor("global_step") == last
