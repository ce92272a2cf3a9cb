"""Shared by the scripts of this folder: the implementation under test as TensorFlow 1.x, ports for its servers, peak
memory.

measures.py and digits.py do not use tensorflow(): the former is a shared script, the latter needs more of TensorFlow
1.x.
"""
import os
import socket


def tensorflow():
    """Returns the TensorFlow 1.x API of this interpreter, be it `weir run` or TensorFlow 2."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf
    if tf.__version__.startswith("2"):
        tf = tf.compat.v1
        tf.disable_eager_execution()
        tf.disable_control_flow_v2()
        tf.disable_resource_variables()
    return tf


def free_ports(count):
    """Returns distinct ports that are currently free."""
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def free_cluster(**counts):
    """free_cluster(ps=1, worker=2): returns addresses for the given number of tasks per job."""
    ports = iter(free_ports(sum(counts.values())))
    return {job: ["localhost:%d" % next(ports) for _ in range(count)] for job, count in counts.items()}


def peak_mb(pid):
    with open("/proc/%d/status" % pid) as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
