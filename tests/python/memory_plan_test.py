"""Tests memory planning: the report of WEIR_EXPLAIN, and that losses and fetched values do not depend on it."""
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import weir as tf

PROGRAM = """
import numpy as np
import weir as tf

x = tf.placeholder(tf.float32, [None, 64])
y = tf.placeholder(tf.int32, [None])
hidden = x
for layer in range(4):
    hidden = tf.nn.relu(tf.matmul(hidden, tf.Variable(np.linspace(-0.1, 0.1, 64 * 64, dtype=np.float32).reshape(64, 64))))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=hidden))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, name='train')
with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=1)) as session:
    session.run(tf.global_variables_initializer())
    for step in range(5):
        session.run(train, {x: np.ones([32, 64]), y: np.arange(32) % 10})
"""
DOCS = pathlib.Path(__file__).parents[2] / "docs" / "architecture.md"


def test_the_report_of_shared_memory_equals_the_docs():
    ended = subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, "WEIR_EXPLAIN": "1"}, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, timeout=60, check=True)
    said = [line for line in ended.stderr.splitlines() if "memory of" in line]
    assert len(said) == 1, ended.stderr  # plans that run only once have no memory plan
    found = re.fullmatch(r"plan for train: memory of (\d+) outputs in (\d+) slots of (\d+) bytes, (\d+) without sharing", said[0])
    outputs, slots, together, apart = map(int, found.groups())
    assert 1 < slots < outputs and together < apart
    assert said[0] in DOCS.read_text().splitlines()


@pytest.mark.parametrize("sizes", [[20] * 12, [3, 20, 200, 20, 3, 3, 200, 200, 200, 7, 200, 1]])
def test_values_do_not_depend_on_memory_planning(sizes):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 30])
        w = tf.Variable(np.linspace(-1, 1, 30 * 30, dtype=np.float32).reshape(30, 30))
        hidden = x
        for _ in range(6):
            hidden = tf.nn.tanh(tf.matmul(tf.reverse(hidden, [1]), w))
        loss = tf.reduce_sum(tf.square(tf.transpose(hidden)))
        train = tf.train.AdagradOptimizer(0.1).minimize(loss)
        init = tf.global_variables_initializer()
    off = tf.ConfigProto()
    off.graph_options.rewrite_options.memory_optimization = off.graph_options.rewrite_options.NO_MEM_OPT
    fetched = []
    for config in (None, off):
        random = np.random.RandomState(1)
        with tf.Session(graph=graph, config=config) as session:
            session.run(init)
            kept, then = [], []
            for size in sizes:
                batch = random.normal(size=[size, 30]).astype(np.float32)
                values = session.run([hidden, loss, w, train], {x: batch})[:3]
                kept.append(values)
                then.append([np.copy(value) for value in values])
        for now, before in zip(kept, then):  # later steps must not have overwritten fetched values
            for a, b in zip(now, before):
                np.testing.assert_array_equal(a, b)
        fetched.append(then)
    for with_plan, without in zip(*fetched):
        for a, b in zip(with_plan, without):
            np.testing.assert_array_equal(a, b)
