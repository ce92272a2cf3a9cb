"""Tests that memory of closed sessions returns to the system within seconds, in this process and on servers."""
import os
import subprocess
import sys
import time

import numpy as np
import pytest
import weir as tf

SERVER = """
import sys
import weir as tf
server = tf.train.Server({"local": ["localhost:0"]}, start=True)
print(server.target, flush=True)
sys.stdin.read()
"""

SECONDS = 5
NEAR_MB = 60


def resident_mb(pid):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) // 1024


def wait_until_below(pid, megabytes):
    deadline = time.monotonic() + SECONDS
    while resident_mb(pid) > megabytes and time.monotonic() < deadline:
        time.sleep(0.1)
    return resident_mb(pid)


@pytest.fixture
def server():
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.target = process.stdout.readline().strip()
    with tf.Graph().as_default(), tf.Session(process.target) as session:
        session.run(tf.constant(1.0) + 1.0)
    yield process
    process.stdin.close()
    process.wait(10)


@pytest.mark.slow
def test_a_server_gives_back_a_large_feed(server):
    before = resident_mb(server.pid)
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        x = tf.placeholder(tf.float32, [None])
        assert session.run(tf.reduce_sum(x + 1.0), {x: np.ones([100 << 18], np.float32)}) == 2 * (100 << 18)
        assert wait_until_below(server.pid, before + NEAR_MB) <= before + NEAR_MB  # while the session is still open


@pytest.mark.slow
def test_a_server_releases_the_memory_of_a_closed_session(server):
    before = resident_mb(server.pid)
    definition = tf.GraphDef()
    for i in range(200000):
        node = definition.node.add()
        node.name = f"c{i}"
        node.op = "Const"
        node.attr["dtype"].type = tf.float32.as_datatype_enum
        node.attr["value"].tensor.dtype = tf.float32.as_datatype_enum
        node.attr["value"].tensor.float_val.append(1.0)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        with tf.Session(server.target) as session:
            assert session.run("c7:0") == 1.0
            held = resident_mb(server.pid)
    assert held > before + NEAR_MB
    assert wait_until_below(server.pid, before + NEAR_MB) <= before + NEAR_MB


@pytest.mark.slow
def test_a_process_gives_back_strings_of_a_step():
    body = """
import time
import weir as tf
from memory_release_test import resident_mb, wait_until_below, NEAR_MB
import os
with tf.Session() as session:
    session.run(tf.constant(1) + 1)
    before = resident_mb(os.getpid())
    session.run(tf.fill([300000], tf.constant("x" * 1000)).op)
    after = wait_until_below(os.getpid(), before + NEAR_MB)
    assert after <= before + NEAR_MB, (before, after)
"""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    subprocess.run([sys.executable, "-c", body], env=environment, check=True, timeout=60,
                   cwd=os.path.dirname(os.path.abspath(__file__)))
