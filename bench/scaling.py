"""How a step that does next to nothing grows with the cluster. All tasks are light processes: forks of this one, which has
imported the implementation but not used it yet.

    PYTHON scaling.py SECONDS PS,PS,... WORKERS,WORKERS,...

    null     one scalar from each of so many parameter servers to one worker
    rows     32 rows of 64 floats, out of a table of a million rows that is split over so many parameter servers
    workers  so many workers, each of which takes one scalar from one parameter server, as often as it can

PYTHON is an interpreter whose `tensorflow` is under test. Every result is one JSON line: the median time of a step, and the
CPU time of all processes per step.
"""
import json
import os
import resource
import select
import signal
import socket
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

if tf.__version__.startswith("2"):
    tf = tf.compat.v1
    tf.disable_eager_execution()
    tf.disable_control_flow_v2()
    tf.disable_resource_variables()
WARM = 20
ROWS, WIDTH, PICKED = 1_000_000, 64, 32
PATIENCE_S = 120


def free_ports(n):
    socks = [socket.socket() for _ in range(n)]
    for s in socks:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in socks]
    for s in socks:
        s.close()
    return ports


class Process:
    """A fork that runs body(read, say): lines go to and from it."""

    def __init__(self, body):
        to_child, from_parent = os.pipe()
        from_child, to_parent = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                read, write = os.fdopen(to_child), os.fdopen(to_parent, "w", buffering=1)
                body(lambda: read.readline().strip(), lambda line: write.write(line + "\n"))
            finally:
                os._exit(0)
        os.close(to_child)
        os.close(to_parent)
        self._lines, self._writer = os.fdopen(from_child), os.fdopen(from_parent, "w", buffering=1)

    def tell(self, line):
        self._writer.write(line + "\n")

    def hear(self):
        if not select.select([self._lines], [], [], PATIENCE_S)[0]:
            raise SystemExit("a process does not answer")
        line = self._lines.readline()
        if not line:
            raise SystemExit("a process died")
        return line.strip()

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self._lines.close()
        self._writer.close()


def cpu_s():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def serve(spec, task):
    def body(read, say):
        server = tf.train.Server(tf.train.ClusterSpec(spec), job_name="ps", task_index=task)
        say("up")
        while read():  # every line asks for the CPU time so far
            say(repr(cpu_s()))
        server.join()
    return body


def build(kind, servers):
    """The step, and what it is fed."""
    parts = []
    for i in range(servers):
        with tf.device("/job:ps/task:%d" % i):
            if kind == "rows":
                table = tf.Variable(tf.zeros([ROWS // servers, WIDTH]))
                parts.append(tf.gather(table, np.random.RandomState(i).randint(0, ROWS // servers, PICKED // servers)))
            else:
                parts.append(tf.Variable(tf.zeros([1])))
    return tf.add_n([tf.slice(part, [0] * (2 if kind == "rows" else 1), [1, 1] if kind == "rows" else [1]) for part in parts])


def work(kind, spec, task, seconds):
    def body(read, say):
        server = tf.train.Server(tf.train.ClusterSpec(spec), job_name="worker", task_index=task)
        say("up")
        read()
        # Workers share the variables of the parameter server but not their initialization, and wait for nobody else.
        config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % task])
        with tf.device("/job:worker/task:%d" % task):
            step = build(kind, len(spec["ps"]))
        with tf.Session(server.target, config=config) as session:
            session.run(tf.global_variables_initializer())
            for _ in range(WARM):
                session.run(step)
            say("warm")
            read()
            times, cpu = [], cpu_s()
            end = time.perf_counter() + seconds
            last = time.perf_counter()
            while last < end:
                session.run(step)
                now = time.perf_counter()
                times.append(now - last)
                last = now
            cpu = cpu_s() - cpu
            say(json.dumps({"steps": len(times), "median_us": float(np.median(times)) * 1e6, "cpu_s": cpu}))
            read()
    return body


def measure(kind, servers, workers, seconds):
    ports = free_ports(servers + workers)
    spec = {"ps": ["localhost:%d" % p for p in ports[:servers]], "worker": ["localhost:%d" % p for p in ports[servers:]]}
    ps = [Process(serve(spec, i)) for i in range(servers)]
    ws = [Process(work(kind, spec, i, seconds)) for i in range(workers)]

    def used(p):
        p.tell("cpu")
        return float(p.hear())

    try:
        for p in ps + ws:
            p.hear()
        for w in ws:  # one after the other: each initializes the same variables
            w.tell("connect")
            w.hear()
        before = sum(map(used, ps))
        for w in ws:
            w.tell("go")
        results = [json.loads(w.hear()) for w in ws]
        cpu = sum(map(used, ps)) - before + sum(r["cpu_s"] for r in results)
        steps = sum(r["steps"] for r in results)
        print(json.dumps({"kind": kind, "size": workers if kind == "workers" else servers,
                          "median_us": float(np.median([r["median_us"] for r in results])), "cpu_us": cpu / steps * 1e6,
                          "steps_per_s": steps / seconds}), flush=True)
    finally:
        for p in ws + ps:
            p.end()


def main():
    seconds = float(sys.argv[1])
    servers, workers = ([int(n) for n in part.split(",")] for part in sys.argv[2:4])
    for kind in ("null", "rows"):
        for n in servers:
            measure(kind, n, 1, seconds)
    for n in workers:
        measure("workers", 1, n, seconds)


if __name__ == "__main__":
    main()
