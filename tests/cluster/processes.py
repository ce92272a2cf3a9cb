"""A cluster of processes, each a Python program that serves one task, and faults for it."""
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time

PEER_TIMEOUT = 4.0  # seconds after which a silent peer counts as lost
PATIENCE = 60  # seconds; for what takes no time on an idle machine

PROGRAM = textwrap.dedent("""
    import sys
    import weir as tf
    cluster, job, task = eval(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    server = tf.train.Server(cluster, job_name=job, task_index=task)
    print("ready", flush=True)
    server.join()
""")


def environment():
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.pathsep.join(filter(None, [here, os.path.dirname(here), os.environ.get("PYTHONPATH")]))
    timeout = str(int(PEER_TIMEOUT * 1000))
    return {**os.environ, "PYTHONPATH": path, "WEIR_PEER_TIMEOUT_MS": timeout, "WEIR_SESSION_LEASE_MS": timeout}


class Cluster:
    """Tasks by name: "ps0", "worker1". `run_in` has a command prefix for each task."""

    def __init__(self, run_in=None, **addresses):
        self.jobs = addresses
        self.run_in = run_in or {}
        self.running = {}
        self.errors = tempfile.TemporaryFile("w+")
        for job, tasks in addresses.items():
            for task in range(len(tasks)):
                self.launch(f"{job}{task}")
        for name in list(self.running):
            self.wait_until_ready(name)

    def target(self, name):
        return "grpc://" + self.jobs[name[:-1]][int(name[-1])]

    def launch(self, name):
        self.running[name] = subprocess.Popen(
            [*self.run_in.get(name, []), sys.executable, "-c", PROGRAM, repr(self.jobs), name[:-1], name[-1]],
            env=environment(), stdout=subprocess.PIPE, stderr=self.errors, text=True,
            # Children would inherit an ignored SIGINT.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))

    def wait_until_ready(self, name):
        assert self.running[name].stdout.readline() == "ready\n", self.said()

    def start(self, name):
        self.launch(name)
        self.wait_until_ready(name)

    def signal(self, name, number):
        self.running[name].send_signal(number)

    def end(self, name):
        """Kills a task and waits until the process, and so its port, is gone."""
        process = self.running.pop(name)
        process.kill()
        process.wait(PATIENCE)
        process.stdout.close()

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for name in list(self.running):
            self.end(name)
        self.errors.close()


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited for: {what}"
        time.sleep(0.01)
