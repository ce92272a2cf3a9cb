"""Softmax and its losses along every axis, clipping, embeddings, gradients of unconnected values, lookup tables."""
import itertools

import numpy as np

from both.answers import evaluate

CASES = {}
RNG = np.random.RandomState(0)


def values_and_gradients(tf, y, xs, feeds=None):
    gradients = [g for g in tf.gradients(y, xs) if g is not None]
    return [str(y.shape), evaluate(tf, [y] + gradients, feeds)]


def along_axis(make, logits, labels, axis, static):
    def case(tf):
        if static:
            x, z, feeds = tf.constant(logits), tf.constant(labels), {}
        else:
            x, z = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
            feeds = {x: logits, z: labels}
        return values_and_gradients(tf, make(tf, x, z, axis), [x, z], feeds)
    return case


ALONG = {
    "softmax": lambda tf, x, z, axis: tf.nn.softmax(x, axis=axis),
    "log_softmax": lambda tf, x, z, axis: tf.nn.log_softmax(x, axis=axis),
    "cross_entropy": lambda tf, x, z, axis: tf.nn.softmax_cross_entropy_with_logits(labels=z, logits=x, dim=axis),
    "cross_entropy_v2": lambda tf, x, z, axis: tf.nn.softmax_cross_entropy_with_logits_v2(labels=z, logits=x, axis=axis),
}
for shape in [(3,), (2, 3), (2, 3, 4), (2, 1, 3, 2)]:
    logits, labels = RNG.randn(*shape).astype(np.float32), RNG.rand(*shape).astype(np.float32)
    for (name, make), axis in itertools.product(ALONG.items(), range(-len(shape), len(shape))):
        CASES[f"{name} {shape} {axis}"] = along_axis(make, logits, labels, axis, True)
        if "cross" in name:
            CASES[f"{name} {shape} {axis} unknown"] = along_axis(make, logits, labels, axis, False)


def clipped(x, axes):
    def case(tf):
        value = tf.constant(x)
        over = tf.constant([0]) if axes == "tensor" else axes
        return values_and_gradients(tf, tf.clip_by_norm(value, 2.0, axes=over), [value])
    return case


for shape in [(), (3,), (2, 3), (2, 3, 2)]:
    x = (RNG.randn(*shape) * 3 + np.zeros(shape)).astype(np.float32)
    for axes in [None, [], 0, -1, [0], [-1], (0,), 1, [0, 1], [0, -1], "tensor"]:
        if not (shape == (3,) and axes == [0, -1]):
            CASES[f"clip_by_norm {shape} {axes}"] = clipped(x, axes)
    CASES[f"clip_by_average_norm {shape}"] = lambda tf, x=x: evaluate(tf, tf.clip_by_average_norm(x, 0.5))
    CASES[f"clip_by_global_norm {shape}"] = lambda tf, x=x: evaluate(tf, tf.clip_by_global_norm([tf.constant(x), tf.constant((2 * x).astype(np.float32))], 0.5))
ROWS = [[3.0, 4.0], [1.0, 0.0]]
CASES["clip_by_norm by row"] = lambda tf: evaluate(tf, tf.clip_by_norm([[3.0, 4.0], [6.0, 8.0]], [[1.0], [2.0]], axes=[1]))
CASES["clip_by_norm grows"] = lambda tf: tf.clip_by_norm([3.0, 4.0], [[1.0], [2.0]])
CASES["clip_by_norm to zero"] = lambda tf: evaluate(tf, tf.clip_by_norm([3.0, 4.0], 0.0))
CASES["clip_by_norm slices"] = lambda tf: evaluate(
    tf, tf.clip_by_norm(tf.IndexedSlices(tf.constant(ROWS), tf.constant([0, 1])), 1.0, axes=[1]).values)


def looked_up(table, ids, max_norm, kind, strategy):
    def case(tf):
        params = {
            "constant": lambda: tf.constant(table),
            "reference": lambda: tf.Variable(table, use_resource=False),
            "resource": lambda: tf.Variable(table, use_resource=True),
            "list": lambda: [tf.constant(table[:2]), tf.constant(table[2:])],
            "partitioned": lambda: tf.get_variable("e", initializer=tf.constant(table), partitioner=tf.fixed_size_partitioner(2)),
        }[kind]()
        rows = tf.nn.embedding_lookup(params, ids, max_norm=max_norm, partition_strategy=strategy)
        return [str(rows.shape), evaluate(tf, rows)]
    return case


for shape, ids, max_norm in itertools.product([(4,), (4, 2), (4, 2, 3)], [2, [1, 3], [[1], [2]], []], [None, 1.0]):
    table = (RNG.randn(*shape) * 2).astype(np.float32)
    for kind, strategy in [("constant", "mod"), ("reference", "mod"), ("resource", "mod"), ("list", "mod"), ("list", "div"), ("partitioned", "div")]:
        CASES[f"embedding_lookup {shape} {ids} {max_norm} {kind} {strategy}"] = looked_up(table, np.array(ids, np.int32), max_norm, kind, strategy)


def unknown_rows(tf):
    table, ids = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    rows = tf.nn.embedding_lookup(table, ids, max_norm=1.0)
    return [str(rows.shape), evaluate(tf, rows, {table: np.arange(8.0).reshape(4, 2), ids: [1, 2]})]


CASES["embedding_lookup unknown"] = unknown_rows

UNCONNECTED = {
    "constant": lambda tf: tf.constant([[1.0, 2.0]]),
    "reference": lambda tf: tf.Variable([[1.0, 2.0]], use_resource=False),
    "resource": lambda tf: tf.Variable([[1.0, 2.0]], use_resource=True),
    "handle": lambda tf: tf.Variable([[1.0, 2.0]], use_resource=True).handle,
    "partially known": lambda tf: tf.placeholder_with_default([[1.0, 2.0]], [None, 2]),
    "unknown": lambda tf: tf.placeholder_with_default([[1.0, 2.0]], None),
    "integers": lambda tf: tf.Variable([1, 2], use_resource=False),
    "integer resource": lambda tf: tf.Variable([1, 2], use_resource=True),
    "rows": lambda tf: tf.gather(tf.constant([[1.0, 2.0]]), [0, 0]),
}


def unconnected(make, mode):
    def case(tf):
        y = tf.Variable([1.0, 2.0])
        gradients = tf.gradients(tf.reduce_sum(y * y), [make(tf), y], unconnected_gradients=mode)
        known = [g for g in gradients if g is not None]
        return [[g is None for g in gradients], [[g.dtype.name, str(g.shape)] for g in known], evaluate(tf, known)]
    return case


for (name, make), mode in itertools.product(UNCONNECTED.items(), ["none", "zero", "neither"]):
    CASES[f"unconnected {name} {mode}"] = unconnected(make, mode)


def slices_beside_zeros(use_resource):
    def case(tf):
        v, w = (tf.Variable(np.ones((3, 2), np.float32), use_resource=use_resource) for _ in range(2))
        rows, zeros = tf.gradients(tf.reduce_sum(tf.gather(v, [0, 1])), [v, w], unconnected_gradients="zero")
        return [isinstance(rows, tf.IndexedSlices), str(zeros.shape), evaluate(tf, zeros)]
    return case


CASES["unconnected beside slices"] = slices_beside_zeros(False)
CASES["unconnected beside slices of a resource"] = slices_beside_zeros(True)

KEYS = {
    "static": lambda tf: tf.constant([["a", "b"]]),
    "unknown": lambda tf: tf.placeholder(tf.string),
    "partial": lambda tf: tf.placeholder(tf.string, [None, 3]),
    "scalar": lambda tf: tf.constant("a"),
}


def table_shapes(make, keys):
    def case(tf):
        table = make(tf, tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64)))
        found = table.lookup(keys(tf))
        return [str(found.shape), found.dtype.name, found.name, str(table.size().shape)]
    return case


for (name, make), (kind, keys) in itertools.product({
        "hash": lambda tf, contents: tf.lookup.StaticHashTable(contents, -1),
        "vocabulary": lambda tf, contents: tf.lookup.StaticVocabularyTable(contents, 3)}.items(), KEYS.items()):
    CASES[f"table {name} {kind}"] = table_shapes(make, keys)
CASES["table of sparse keys"] = lambda tf: str(tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1).lookup(tf.SparseTensor([[0, 0]], ["a"], [2, 2])).values.shape)
