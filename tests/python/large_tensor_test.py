"""Tests tensors beyond the size limits of messages: 2 GB in protobuf, 4 MB by default in gRPC."""
import os
import subprocess
import sys

import pytest

import weir as tf
from free_addresses import free_addresses

SERVER = """
import sys, weir as tf
server = tf.train.Server({"ps": [sys.argv[1]], "worker": [sys.argv[2]]}, job_name="ps")
print("up", flush=True)
sys.stdin.read()
"""


def available_gb():
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) / 2**20


def peak_gb(pid):
    with open(f"/proc/{pid}/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**20


def reset_peak(pid):
    with open(f"/proc/{pid}/clear_refs", "w") as refs:
        refs.write("5")


@pytest.fixture
def cluster():
    """Starts a ps in another process and a server in this one."""
    addresses = free_addresses(2)
    process = subprocess.Popen([sys.executable, "-c", SERVER, *addresses], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"up\n"
    server = tf.train.Server({"ps": addresses[:1], "worker": addresses[1:]}, job_name="worker")
    yield server, process
    server.stop()
    process.kill()
    process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("gigabytes", [1.0, 2.5])
def test_a_large_tensor_crosses_with_one_copy_of_memory_at_most(cluster, gigabytes):
    if available_gb() < 4 * gigabytes + 2:
        pytest.skip(f"{available_gb():.1f} GB of memory are not enough for {gigabytes} GB on two sides")
    server, process = cluster
    size = int(gigabytes * 2**30)
    with tf.device("/job:ps/task:0"):
        value = tf.Variable(tf.fill(tf.constant([size], tf.int64), tf.constant(7, tf.uint8)), dtype=tf.uint8)
    with tf.device("/job:worker/task:0"):
        begin, end, step = (tf.constant([n], tf.int64) for n in (0, size, size - 1))
        ends = tf.strided_slice(tf.identity(value), begin, end, step)
    with tf.Session(server.target) as session:
        session.run(value.initializer)
        for pid in (process.pid, os.getpid()):
            reset_peak(pid)
        before = peak_gb(process.pid), peak_gb(os.getpid())
        assert session.run(ends).tolist() == [7, 7]
        grown = peak_gb(process.pid) - before[0], peak_gb(os.getpid()) - before[1]
    assert grown[0] < gigabytes + 0.25, grown
    assert grown[1] < 2 * gigabytes + 0.25, grown
