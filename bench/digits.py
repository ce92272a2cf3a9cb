"""Measures the memory of the digit trainer: the unmodified examples/digits/train.py, on any TensorFlow 1.x implementation.

    PYTHON digits.py FOLDER STEPS     runs one ps and one worker as processes; prints one JSON line with the worker's peak memory

BENCH_RUNNER is the command that runs a script (PYTHON itself, or `weir run`). TensorFlow 2 runs it as compat.v1, plus the part of
tf.contrib that the trainer uses.
"""
import json, os, runpy, shlex, subprocess, sys

from under_test import free_cluster

DIGITS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples", "digits")
RUNNER = shlex.split(os.environ.get("BENCH_RUNNER", shlex.quote(sys.executable)))


def tensorflow():
    import tensorflow as tf
    if tf.__version__.startswith("2"):
        import types
        tf = tf.compat.v1
        tf.disable_v2_behavior()
        l2 = lambda scale: lambda weights: scale * tf.nn.l2_loss(weights)
        tf.contrib = types.SimpleNamespace(layers=types.SimpleNamespace(l2_regularizer=l2))
        sys.modules["tensorflow"] = tf
    return tf


def write(path):
    import numpy as np
    tf = tensorflow()
    rng = np.random.RandomState(0)
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(2000):
            pixels = rng.randint(0, 256, 784).astype(np.uint8).tobytes()
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                "image_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i % 10])),
            })).SerializeToString())


def task(*arguments):
    tensorflow()
    sys.path.insert(0, DIGITS)
    sys.argv = [os.path.join(DIGITS, "train.py"), *arguments]
    runpy.run_path(sys.argv[0], run_name="__main__")


def main(folder, steps):
    records = os.path.join(folder, "digits.tfrecords")
    me = os.path.abspath(__file__)
    subprocess.run(RUNNER + [me, "write", records], check=True, stderr=subprocess.DEVNULL)
    cluster = free_cluster(ps=1, worker=1)
    flags = ["--ps_hosts=" + cluster["ps"][0], "--worker_hosts=" + cluster["worker"][0], "--train=" + records, "--validation=" + records,
             "--logdir=" + os.path.join(folder, "logs"), "--steps=" + steps]
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    start = lambda job: subprocess.Popen(RUNNER + [me, "task", "--job_name=" + job, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
    server = start("ps")
    _, status, used = os.wait4(start("worker").pid, 0)
    server.kill()
    if status != 0:
        raise SystemExit("the worker failed: status %d" % status)
    print(json.dumps({"name": "digits", "worker_peak_mb": used.ru_maxrss // 1024}), flush=True)


if __name__ == "__main__":
    what, arguments = sys.argv[1], sys.argv[2:]
    {"write": write, "task": task}.get(what, lambda *rest: main(what, *rest))(*arguments)
