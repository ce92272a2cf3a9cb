"""Measures how the cost of an almost empty step grows with the cluster. All tasks are light processes: forks of this one, which
has imported the implementation but not used it yet.

    PYTHON scaling.py SECONDS KIND:OVER:SIZE,SIZE,...  ...      e.g. scalar:ps:1,2,4 rows:workers:1,2

    scalar   one scalar from each parameter server to each worker, per step
    rows     32 rows of 64 floats, from a table of 1 GB that is split over the parameter servers
    bulk     100 MB that are split over the parameter servers

OVER is `ps` (SIZE parameter servers, one worker) or `workers` (one parameter server, SIZE workers that run steps as fast as they
can). PYTHON is an interpreter with the `tensorflow` under test. Prints one JSON line per size: the median time of a step, and the
CPU time of all processes per step.
"""
import json
import os
import resource
import select
import signal
import sys
import time

import numpy as np

from under_test import free_cluster, tensorflow

tf = tensorflow()

WARM = {"scalar": 20, "rows": 20, "bulk": 3}
TABLE_ROWS, WIDTH, PICKED = 4_000_000, 64, 32
BULK_FLOATS = 25_000_000
TIMEOUT_S = 120


class Process:
    """A forked process that runs body(read, say) and exchanges lines with its parent."""

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

    def send(self, line):
        self._writer.write(line + "\n")

    def receive(self):
        if not select.select([self._lines], [], [], TIMEOUT_S)[0]:
            raise SystemExit("a process did not answer within 120 s")
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
        while read():  # each line requests the CPU time so far
            say(repr(cpu_s()))
        server.join()
    return body


def build(kind, servers):
    """Builds the step: one number from each parameter server. Variables are filled, so that all their pages exist."""
    parts = []
    for i in range(servers):
        with tf.device("/job:ps/task:%d" % i):
            if kind == "rows":
                rows = TABLE_ROWS // servers
                table = tf.Variable(tf.fill([rows, WIDTH], 0.5))
                parts.append(tf.gather(table, np.random.RandomState(i).randint(0, rows, PICKED // servers)))
            else:
                parts.append(tf.Variable(tf.fill([BULK_FLOATS // servers if kind == "bulk" else 1], 0.5)))
    rank = 2 if kind == "rows" else 1
    return tf.add_n([tf.slice(part, [0] * rank, [1] * rank) for part in parts])


def work(kind, spec, task, seconds):
    def body(read, say):
        server = tf.train.Server(tf.train.ClusterSpec(spec), job_name="worker", task_index=task)
        say("up")
        read()
        # Workers share the variables. The first worker initializes them before the others connect. The device filter
        # keeps a session from waiting for other workers.
        config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % task])
        with tf.device("/job:worker/task:%d" % task):
            step = build(kind, len(spec["ps"]))
        with tf.Session(server.target, config=config) as session:
            if task == 0:
                session.run(tf.global_variables_initializer())
            for _ in range(WARM[kind]):
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


def measure(kind, over, size, seconds):
    servers, workers = (size, 1) if over == "ps" else (1, size)
    spec = free_cluster(ps=servers, worker=workers)
    ps = [Process(serve(spec, i)) for i in range(servers)]
    ws = [Process(work(kind, spec, i, seconds)) for i in range(workers)]

    def used(p):
        p.send("cpu")
        return float(p.receive())

    try:
        for p in ps + ws:
            p.receive()
        for w in ws:  # in order: the first initializes the variables
            w.send("connect")
            w.receive()
        before = sum(map(used, ps))
        for w in ws:
            w.send("go")
        results = [json.loads(w.receive()) for w in ws]
        cpu = sum(map(used, ps)) - before + sum(r["cpu_s"] for r in results)
        steps = sum(r["steps"] for r in results)
        print(json.dumps({"kind": kind, "over": over, "size": size, "median_us": float(np.median([r["median_us"] for r in results])),
                          "cpu_us": cpu / steps * 1e6}), flush=True)
    finally:
        for p in ws + ps:
            p.end()


def main():
    seconds = float(sys.argv[1])
    for part in sys.argv[2:]:
        kind, over, sizes = part.split(":")
        for size in sizes.split(","):
            measure(kind, over, int(size), seconds)


if __name__ == "__main__":
    main()
