"""Measures building a big graph from Python and running it for the first time. Works with any TensorFlow 1.x.

    PYTHON building.py NODES        prints one JSON line: nodes, seconds per phase, and the memory of the graph and its runs in MB

The graph consists of towers of 100 small layers. A layer has a variable, a product, a sum with a constant, a relu and a mean
(10 nodes). A tower starts with a placeholder. All means are added up at the end. Times are CPU time of the process, so that
other load on the machine matters little.
"""
import json
import os
import sys
import time

import numpy as np

from under_test import tensorflow

tf = tensorflow()

NODES_PER_LAYER = 10
LAYERS_PER_TOWER = 100


def memory_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def build(nodes):
    inputs, means = [], []
    for layer in range(nodes // NODES_PER_LAYER):
        if layer % LAYERS_PER_TOWER == 0:
            x = tf.placeholder(tf.float32, [None, 4])
            inputs.append(x)
        w = tf.Variable(tf.zeros([4, 4]))
        x = tf.nn.relu(tf.matmul(x, w) + 1.0)
        means.append(tf.reduce_mean(x))
    return inputs, tf.add_n(means), tf.global_variables_initializer()


def main(nodes):
    result = {}
    with tf.Graph().as_default() as graph, tf.Session() as session:
        with tf.Graph().as_default():  # warm up: exclude the cost of first use
            session.list_devices()
            build(LAYERS_PER_TOWER * NODES_PER_LAYER)
        memory = memory_mb()

        def timed(part, function):
            start = time.process_time()
            value = function()
            result[part] = round(time.process_time() - start, 4)
            result[part.replace("_s", "_mb")] = round(memory_mb() - memory, 1)
            return value

        inputs, total, init = timed("build_s", lambda: build(nodes))
        result["nodes"] = len(graph.get_operations())
        timed("init_s", lambda: session.run(init))
        feeds = {x: np.ones([2, 4], np.float32) for x in inputs}
        value = timed("first_run_s", lambda: session.run(total, feeds))
        timed("second_run_s", lambda: session.run(total, feeds))
        assert value == (nodes // NODES_PER_LAYER), value
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
