"""What the scripts of this folder share: the implementation under test as TensorFlow 1.x, ports for its servers, peaks of memory.
(measures.py and digits.py have ways of their own: the former is kept word for word, the latter needs what TensorFlow 2 has dropped.)"""
import os
import socket


def tensorflow():
    """The API of TensorFlow 1.x of the interpreter at hand, be it `weir run` or one with TensorFlow 2."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf
    if tf.__version__.startswith("2"):
        tf = tf.compat.v1
        tf.disable_eager_execution()
        tf.disable_control_flow_v2()
        tf.disable_resource_variables()
    return tf


def free_ports(count):
    """Ports that were free a moment ago, no two the same."""
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def free_cluster(**counts):
    """free_cluster(ps=1, worker=2): addresses for so many tasks of each job."""
    ports = iter(free_ports(sum(counts.values())))
    return {job: ["localhost:%d" % next(ports) for _ in range(count)] for job, count in counts.items()}


def peak_mb(pid):
    with open("/proc/%d/status" % pid) as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
