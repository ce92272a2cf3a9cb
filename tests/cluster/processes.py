"""A cluster of processes, and what may happen to them. Each is a Python program that serves one task.

Every task knows the same Python functions, in the same order as this module: py_func on a task runs there.
"""
import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import time

PEER_TIMEOUT = 3.0  # seconds after which a silent peer counts as lost
PATIENCE = 60  # for what takes no time at all on an idle machine

PROGRAM = textwrap.dedent("""
    import sys
    import weir as tf
    import processes
    processes.functions()
    cluster, job, task = eval(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    server = tf.train.Server(cluster, job_name=job, task_index=task)
    print("ready", flush=True)
    server.join()
""")


def environment():
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "WEIR_PEER_TIMEOUT_MS": str(int(PEER_TIMEOUT * 1000))}


KEPT = []


def functions():
    """Functions for graphs: pyfunc_0 sleeps for some seconds, pyfunc_1 adds a byte to a file and sleeps for 10 ms."""
    import numpy as np
    import weir as tf

    def sleep(seconds):
        time.sleep(float(seconds))
        return np.float32(seconds)

    def tick(path):
        with open(path, "ab") as file:
            file.write(b".")
        time.sleep(0.01)
        return np.int32(0)

    graph = tf.Graph()
    KEPT.append(graph)  # they live as long as the graph that knows them
    with graph.as_default():
        made = [tf.py_func(sleep, [1.0], tf.float32), tf.py_func(tick, [""], tf.int32)]
    assert [one.op.get_attr("token") for one in made] == [b"pyfunc_0", b"pyfunc_1"]


def free_address(host="localhost"):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return f"{host}:{s.getsockname()[1]}"


class Cluster:
    """Tasks by name: "ps0", "worker1". `run_in` gives the words that a task's command begins with."""

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
            env=environment(), stdout=subprocess.PIPE, stderr=self.errors, text=True)

    def wait_until_ready(self, name):
        assert self.running[name].stdout.readline() == "ready\n", self.said()

    def start(self, name):
        self.launch(name)
        self.wait_until_ready(name)

    def signal(self, name, number):
        self.running[name].send_signal(number)

    def end(self, name):
        """Kills it and waits until it is gone, with its port."""
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
