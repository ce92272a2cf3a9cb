"""Checks that TensorFlow's timeline can read the trace of a step of Weir."""
import json

import numpy as np

import weir as tf
from conftest import run_tensorflow


def traced_step():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4, 3], name="x")
        w = tf.Variable(np.ones([3, 2], np.float32), name="w")
        y = tf.nn.relu(tf.matmul(x, w, name="product"), name="y")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y, name="loss"))
        metadata = tf.RunMetadata()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
            sess.run(train, {x: np.ones([4, 3], np.float32)}, options=options, run_metadata=metadata)
    return metadata


def test_timeline(tmp_path):
    metadata = traced_step()
    (tmp_path / "metadata.pb").write_bytes(metadata.SerializeToString())
    run_tensorflow("read_trace.py", tmp_path / "metadata.pb", tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    shown = {event["args"]["name"]: event for event in events if event.get("cat") == "Op"}
    assert {"product", "y", "GradientDescent/update_w/ApplyGradientDescent"} <= set(shown), sorted(shown)
    assert shown["product"]["args"]["op"] == "MatMul"
    assert shown["product"]["dur"] >= 0 and shown["product"]["ts"] > 0
    assert shown["y"]["args"]["input0"] == "product"
    assert any("CPU" in event["args"]["name"] for event in events if event["name"] == "process_name")


def test_partition_graphs():
    metadata = traced_step()
    nodes = {node.name: node for graph in metadata.partition_graphs for node in graph.node}
    assert nodes["product"].op == "MatMul" and "CPU:0" in nodes["product"].device
