"""Children forked from a process that talks to a server: they get an error and do not disturb their parent."""
import subprocess
import sys

import pytest

from free_addresses import free_cluster
from processes import PATIENCE, Cluster

PARENT = """
import os, signal, sys
import weir as tf

target, way = sys.argv[1:]
with tf.device("/job:ps/task:0"):
    v = tf.Variable(tf.zeros([1 << 18]))
    up = tf.assign_add(v, tf.ones([1 << 18]))
session = tf.Session(target)
session.run(v.initializer)
assert session.run(up)[0] == 1


def refused(ask):
    try:
        ask()
    except tf.errors.FailedPreconditionError as error:
        assert "forked" in error.message, error.message
    else:
        raise AssertionError("was not refused")


child = os.fork()
if child == 0:
    signal.alarm(30)  # a child that hangs is a failure
    if way == "run":
        refused(lambda: session.run(up))
    elif way == "new session":
        refused(lambda: tf.Session(target).run(up))
    elif way == "local":
        with tf.Graph().as_default(), tf.Session() as own:
            assert own.run(tf.add(1.0, 2.0)) == 3
    elif way == "drop":
        del session
    sys.exit(0)  # as a program does, which closes its sessions
_, status = os.waitpid(child, 0)
assert status == 0, status
for i in range(20):
    assert session.run(up, options=tf.RunOptions(timeout_in_ms=10000))[0] == 2 + i
session.close()
print("fine")
"""


@pytest.mark.parametrize("transport", ["auto", "grpc"])
@pytest.mark.parametrize("way", ["run", "new session", "local", "drop"])
def test_a_forked_child_harms_neither_itself_nor_its_parent(monkeypatch, transport, way):
    monkeypatch.setenv("WEIR_TRANSPORT", transport)
    with Cluster(**free_cluster(ps=1)) as cluster:
        done = subprocess.run([sys.executable, "-c", PARENT, cluster.target("ps0"), way], capture_output=True, text=True, timeout=3 * PATIENCE)
        assert done.returncode == 0 and done.stdout.endswith("fine\n"), done.stderr
