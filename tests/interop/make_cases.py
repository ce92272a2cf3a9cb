"""Run by TensorFlow's interpreter: builds graphs with TensorFlow, runs them, and writes what came out.

    python make_cases.py OUT     writes OUT/ops.pb (an OpList) and OUT/cases.pkl

A case is a dict: name, graph (GraphDef bytes), feeds {tensor name: array}, fetches [tensor names], values [arrays], and for
differentiable ones grad_of (tensor name), grad_xs [tensor names], grads [arrays].
"""
import os
import pickle
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

tf = tf.compat.v1
tf.disable_eager_execution()
tf.disable_control_flow_v2()
tf.disable_resource_variables()

CASES = []


def case(name, build, feeds, grad=True, setup=None):
    """build(*placeholders) -> tensor or list of tensors; feeds: list of arrays."""
    with tf.Graph().as_default() as graph:
        xs = [tf.placeholder(a.dtype, [None] * a.ndim if i % 2 else a.shape, name="in%d" % i) for i, a in enumerate(feeds)]
        ys = build(*xs)
        ys = [tf.identity(y, name="out%d" % i) for i, y in enumerate(ys if isinstance(ys, (list, tuple)) else [ys])]
        feed = {x: a for x, a in zip(xs, feeds)}
        graph_def = graph.as_graph_def().SerializeToString()
        entry = {"name": name, "graph": graph_def, "feeds": {x.name: a for x, a in zip(xs, feeds)}, "fetches": [y.name for y in ys]}
        with tf.Session(graph=graph) as sess:
            entry["values"] = sess.run(ys, feed)
            floats = [x for x in xs if x.dtype.is_floating]
            if grad and floats and ys[0].dtype.is_floating:
                grads = tf.gradients(ys[0], floats)
                kept = [(x, g) for x, g in zip(floats, grads) if g is not None]
                if kept:
                    dense = [tf.convert_to_tensor(g) for _, g in kept]
                    entry["grad_of"] = ys[0].name
                    entry["grad_xs"] = [x.name for x, _ in kept]
                    entry["grads"] = sess.run(dense, feed)
    CASES.append(entry)


def portable(value):
    """Arrays as (type, shape, bytes): the other interpreter has another numpy."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value)
        return ("array", value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, dict):
        return {key: portable(item) for key, item in value.items()}
    return [portable(item) for item in value] if isinstance(value, list) else value


def main(out):
    rng = np.random.RandomState(7)

    def real(*shape, low=-2.0, high=2.0, dtype=np.float32):
        return rng.uniform(low, high, shape).astype(dtype)

    def ints(*shape, low=0, high=5, dtype=np.int32):
        return rng.randint(low, high, shape).astype(dtype)

    shapes = [(), (3,), (2, 3), (4, 1, 5), (0, 3)]
    for op in ["abs", "neg", "square", "exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "asinh", "sigmoid", "sign", "floor",
               "ceil", "round", "rint", "erf", "erfc", "is_nan", "is_inf", "is_finite", "softplus", "softsign", "relu", "relu6", "elu", "selu"]:
        function = getattr(tf.nn, op, None) or getattr(tf, op, None) or getattr(tf.math, op if op != "neg" else "negative")
        for shape in shapes:
            for dtype in (np.float32, np.float64):
                case("%s%s%s" % (op, list(shape), dtype.__name__), function, [real(*shape, dtype=dtype)], grad=op not in ("floor", "ceil", "round", "rint"))
    for op in ["sqrt", "rsqrt", "log", "log1p", "lgamma", "digamma", "reciprocal", "acosh"]:
        for shape in shapes:
            case("%s%s" % (op, list(shape)), getattr(tf.math, op), [real(*shape, low=1.1, high=4.0)])
    for op in ["asin", "acos", "atanh"]:
        case(op, getattr(tf, op), [real(3, 4, low=-0.9, high=0.9)])
    pairs = [((), ()), ((3,), ()), ((2, 3), (3,)), ((2, 1), (1, 3)), ((4, 1, 5), (3, 1)), ((0, 3), (3,))]
    for op in ["add", "subtract", "multiply", "divide", "maximum", "minimum", "squared_difference", "atan2", "truediv", "floordiv", "floormod", "div_no_nan"]:
        function = getattr(tf, op, None) or getattr(tf.math, op)
        for a, b in pairs:
            case("%s%s%s" % (op, list(a), list(b)), function, [real(*a), real(*b, low=0.5)], grad=op not in ("floordiv", "floormod"))
            if op not in ("atan2", "divide", "div_no_nan", "truediv"):
                case("%s%s%sint" % (op, list(a), list(b)), function, [ints(*a, low=-7, high=7), ints(*b, low=1, high=5)])
    for a, b in pairs:
        case("pow%s%s" % (list(a), list(b)), tf.pow, [real(*a, low=0.5), real(*b)])
        for op in ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]:
            case("%s%s%s" % (op, list(a), list(b)), getattr(tf, op), [ints(*a), ints(*b)])
    for op in ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_logsumexp"]:
        for shape, axis in [((3,), 0), ((2, 3), 1), ((2, 3), [0, 1]), ((2, 3, 4), [0, 2]), ((2, 3, 4), -2)]:
            for keep in (False, True):
                case("%s%s%s%s" % (op, list(shape), axis, keep), lambda x, op=op, axis=axis, keep=keep: getattr(tf, op)(x, axis, keepdims=keep), [real(*shape)])
    for op in ["reduce_all", "reduce_any"]:
        case(op, lambda x, op=op: getattr(tf, op)(x, 1), [ints(3, 4, high=2).astype(bool)])
    for op in ["argmax", "argmin"]:
        case(op, lambda x, op=op: getattr(tf, op)(x, 1), [real(3, 4)])
    for op in ["cumsum", "cumprod"]:
        for exclusive in (False, True):
            for reverse in (False, True):
                case("%s%d%d" % (op, exclusive, reverse), lambda x, op=op, e=exclusive, r=reverse: getattr(tf, op)(x, 1, exclusive=e, reverse=r), [real(2, 4)])
    for ta in (False, True):
        for tb in (False, True):
            a, b = real(*((4, 3) if ta else (3, 4))), real(*((5, 4) if tb else (4, 5)))
            case("matmul%d%d" % (ta, tb), lambda x, y, ta=ta, tb=tb: tf.matmul(x, y, transpose_a=ta, transpose_b=tb), [a, b])
            case("matmul64%d%d" % (ta, tb), lambda x, y, ta=ta, tb=tb: tf.matmul(x, y, transpose_a=ta, transpose_b=tb), [a.astype(np.float64), b.astype(np.float64)])
    case("transpose", lambda x: tf.transpose(x, [2, 0, 1]), [real(2, 3, 4)])
    case("reshape", lambda x: tf.reshape(x, [4, -1]), [real(2, 3, 4)])
    case("concat", lambda x, y: tf.concat([x, y], 1), [real(2, 3), real(2, 5)])
    case("split", lambda x: tf.split(x, [1, 3, 2], 1), [real(2, 6)])
    case("stack", lambda x, y: tf.stack([x, y], 1), [real(2, 3), real(2, 3)])
    case("unstack", lambda x: tf.unstack(x, axis=0), [real(3, 2)])
    case("slice", lambda x: tf.slice(x, [1, 0], [2, -1]), [real(4, 3)])
    for text in ["1:3", "::-1", "..., 1", ":, None, 2", "-1", "1:, ::2", "0, 1:", "..., ::-2"]:
        case("strided[%s]" % text, lambda x, text=text: eval("x[%s]" % text), [real(4, 5)])
    case("gather", lambda x, i: tf.gather(x, i), [real(5, 3), ints(2, 2)])
    case("gather1", lambda x, i: tf.gather(x, i, axis=1), [real(3, 5), ints(4)])
    case("gather_nd", lambda x, i: tf.gather_nd(x, i), [real(5, 5), ints(3, 2)])
    case("scatter_nd", lambda i, u: tf.scatter_nd(i, u, [5, 2]), [ints(4, 1), real(4, 2)])
    for mode in ["CONSTANT", "REFLECT", "SYMMETRIC"]:
        case("pad" + mode, lambda x, mode=mode: tf.pad(x, [[1, 1], [0, 2]], mode), [real(3, 4)])
    case("tile", lambda x: tf.tile(x, [2, 3]), [real(2, 2)])
    case("one_hot", lambda i: tf.one_hot(i, 4), [ints(3, 2)])
    case("where", tf.where, [ints(3, 3, high=2).astype(bool)])
    case("select", lambda c, x, y: tf.where(c, x, y), [ints(2, 3, high=2).astype(bool), real(2, 3), real(2, 3)])
    case("top_k", lambda x: tf.nn.top_k(x, 2), [real(3, 5)])
    case("reverse", lambda x: tf.reverse(x, [1]), [real(2, 3)])
    case("expand", lambda x: tf.expand_dims(x, 1), [real(2, 3)])
    case("squeeze", lambda x: tf.squeeze(x, [1]), [real(2, 1, 3)])
    case("band", lambda x: tf.matrix_band_part(x, 1, 0), [real(2, 3, 3)])
    case("diag", tf.diag, [real(3)])
    case("matrix_diag", lambda x: tf.raw_ops.MatrixDiag(diagonal=x), [real(2, 3)])
    case("broadcast_to", lambda x: tf.broadcast_to(x, [2, 4, 3]), [real(4, 1)])
    case("space_to_batch", lambda x: tf.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]), [real(1, 4, 4, 2)])
    case("depth_to_space", lambda x: tf.depth_to_space(x, 2), [real(1, 2, 2, 8)])
    case("cast", lambda x: tf.cast(x, tf.int32), [real(3, 4)])
    case("segment_sum", lambda x: tf.segment_sum(x, [0, 0, 2, 3]), [real(4, 2)])
    case("unsorted_segment_sum", lambda x: tf.unsorted_segment_sum(x, [3, 0, 3, 1], 5), [real(4, 2)])
    case("softmax", tf.nn.softmax, [real(3, 5)])
    case("log_softmax", tf.nn.log_softmax, [real(3, 5)])
    case("xent", lambda x, y: tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.nn.softmax(y), logits=x), [real(4, 3), real(4, 3)])
    case("sparse_xent", lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x), [real(4, 5), ints(4)])
    case("sigmoid_xent", lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid(y), logits=x), [real(4, 3), real(4, 3)])
    case("bias_add", tf.nn.bias_add, [real(2, 3, 4), real(4)])
    case("l2_loss", tf.nn.l2_loss, [real(3, 4)])
    case("leaky_relu", lambda x: tf.nn.leaky_relu(x, 0.1), [real(3, 4)])
    case("moments", lambda x: tf.nn.moments(x, [0]), [real(5, 3)])
    case("l2_normalize", lambda x: tf.nn.l2_normalize(x, 1), [real(3, 4)])
    case("mlp", lambda x, w, b, v: tf.nn.softmax(tf.matmul(tf.nn.relu(tf.matmul(x, w) + b), v)), [real(5, 4), real(4, 6), real(6), real(6, 3)])
    case("unique", lambda x: tf.unique(x), [ints(8)])
    for seed in (1, 99):
        for name, draw in [("uniform", lambda s: tf.random_uniform([3, 7], seed=s)), ("normal", lambda s: tf.random_normal([40, 9], seed=s)),
                           ("truncated", lambda s: tf.truncated_normal([33], seed=s)), ("ints", lambda s: tf.random_uniform([17], 0, 100, tf.int32, seed=s)),
                           ("double", lambda s: tf.random_normal([5, 5], dtype=tf.float64, seed=s)), ("shuffle", lambda s: tf.random_shuffle(list(range(20)), seed=s))]:
            case("random_%s_%d" % (name, seed), lambda draw=draw, seed=seed: draw(seed), [])

    with open(os.path.join(out, "cases.pkl"), "wb") as f:
        pickle.dump([portable(entry) for entry in CASES], f)
    from tensorflow.core.framework import op_def_pb2
    ops = op_def_pb2.OpList()
    for name in [*sorted(tf.raw_ops.__dict__), "_Arg", "_Retval"]:
        definition = op_def_registry.get(name)
        if definition is not None:
            ops.op.add().CopyFrom(definition)
    with open(os.path.join(out, "ops.pb"), "wb") as f:
        f.write(ops.SerializeToString())


if __name__ == "__main__":
    main(sys.argv[1])
