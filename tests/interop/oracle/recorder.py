"""Runs small graphs on TensorFlow and keeps what came out.

A case is a dict: name, graph (GraphDef bytes, gradients included), feeds {tensor name: array}, fetches [tensor names], values
[arrays], and for differentiable ones grad_of (tensor name), grad_xs [tensor names], grads [arrays] and grad_fetches, the names of
TensorFlow's own gradients: none where they use ops that Weir lacks, which `unregistered` then lists.
A case with `error` (the name of an exception class) instead of values must fail that way.
"""
import numpy as np

from oracle.tensorflow1 import tf
from oracle.draw import Draw, typed_variants


class Recorder:
    def __init__(self, weir_ops):
        """`weir_ops`: {name: OpDef} of what Weir registers. Types that it leaves out are not asked for."""
        self.weir_ops = weir_ops
        self.cases = []

    def case(self, name, build, feeds=(), grad=True):
        """`build(*placeholders)` gives a tensor or a list of them; `feeds` are arrays. False where TensorFlow has no kernel."""
        with tf.Graph().as_default() as graph:
            xs = placeholders(feeds)
            ys = outputs(build(*xs))
            entry = {"name": name, "feeds": {x.name: a for x, a in zip(xs, feeds)}, "fetches": [y.name for y in ys]}
            forward = graph.as_graph_def()
            grads = gradients(ys, xs) if grad else []
            fetches = ys + [g for _, g in grads]
            whole = graph.as_graph_def()
            unregistered = sorted({node.op for node in whole.node} - set(self.weir_ops))
            if grads:
                entry["grad_of"] = ys[0].name
                entry["grad_xs"] = [x.name for x, _ in grads]
                entry["grad_fetches"] = [] if unregistered else [g.name for _, g in grads]
            if unregistered:
                entry["unregistered"] = unregistered
            entry["graph"] = (forward if unregistered else whole).SerializeToString()
            with tf.Session(graph=graph) as sess:
                try:
                    values = sess.run(fetches, dict(zip(xs, feeds)))
                except (tf.errors.InvalidArgumentError, tf.errors.NotFoundError, tf.errors.UnimplementedError) as error:
                    if "No OpKernel" in error.message or "not implemented" in error.message.lower():
                        return False
                    raise RuntimeError("case %s: %s" % (name, error.message)) from None
            entry["values"] = values[:len(ys)]
            entry["grads"] = values[len(ys):]
        self.cases.append(entry)
        return True

    def error(self, name, build, feeds=()):
        """The step fails; what counts is the class of the error."""
        with tf.Graph().as_default() as graph:
            xs = [tf.placeholder(a.dtype, None, name="in%d" % i) for i, a in enumerate(feeds)]
            ys = outputs(build(*xs))
            entry = {"name": name, "graph": graph.as_graph_def().SerializeToString(), "fetches": [y.name for y in ys],
                     "feeds": {x.name: a for x, a in zip(xs, feeds)}}
            with tf.Session(graph=graph) as sess:
                try:
                    sess.run(ys, dict(zip(xs, feeds)))
                except tf.errors.OpError as error:
                    entry["error"] = type(error).__name__
                    entry["message"] = error.message
        if "error" not in entry:
            raise RuntimeError("case %s: TensorFlow finds nothing wrong" % name)
        self.cases.append(entry)

    def sweep(self, op, *inputs, grad=True, only=None, **attrs):
        """The op on `inputs` (in the order of its schema) for every combination of types worth trying.

        An input is a Draw (its type follows the schema), an array (as it is), or a list of those. `only` limits the types.
        """
        definition = self.weir_ops[op]
        names = [arg.name for arg in definition.input_arg]
        if len(names) != len(inputs):
            raise RuntimeError("%s takes %s" % (op, names))
        known = {attr.name for attr in definition.attr}
        ran = 0
        for types in typed_variants(definition, inputs, attrs, only):
            feeds, layout = materialize(definition, inputs, types)
            free = {k: tf.as_dtype(v) for k, v in types.items() if k in known and not feeds_decide(definition, k)}

            def build(*xs):
                given = dict(zip(names, [[xs[i] for i in slot] if isinstance(slot, list) else xs[slot] for slot in layout]))
                return getattr(tf.raw_ops, op)(**given, **free, **attrs)

            label = "%s(%s)%s" % (op, ", ".join("%s%s" % (a.dtype.name, list(a.shape)) for a in feeds),
                                  "".join(" %s=%s" % item for item in {**free, **attrs}.items()))
            try:
                ran += self.case(label, build, feeds, grad)
            except Exception as error:
                raise RuntimeError("%s: %s" % (label, error)) from error
        if not ran:
            raise RuntimeError("TensorFlow has no kernel for %s with any type that Weir has" % op)


def feeds_decide(definition, attr):
    """Whether the type attribute follows from inputs: then it is not given."""
    return any(attr in (arg.type_attr, arg.type_list_attr) for arg in definition.input_arg)


def placeholders(feeds):
    """Every second one has only its rank, so that shapes are inferred both ways."""
    return [tf.placeholder(a.dtype, [None] * a.ndim if i % 2 else a.shape, name="in%d" % i) for i, a in enumerate(feeds)]


def outputs(result):
    if isinstance(result, tf.Operation):
        with tf.control_dependencies([result]):
            result = tf.constant(0)
    flat = list(result) if isinstance(result, (list, tuple)) else [result]
    return [tf.identity(y, name="out%d" % i) for i, y in enumerate(flat)]


def gradients(ys, xs):
    """[(x, gradient)] for the inputs that have one, when the first output is differentiable."""
    inexact = [x for x in xs if x.dtype.is_floating or x.dtype.is_complex]
    if not inexact or not (ys[0].dtype.is_floating or ys[0].dtype.is_complex):
        return []
    try:
        found = tf.gradients(ys[0], inexact)
    except LookupError:  # an op without a gradient
        return []
    return [(x, tf.identity(tf.convert_to_tensor(g))) for x, g in zip(inexact, found) if g is not None]


def materialize(definition, inputs, types):
    """The arrays to feed, in order, and for each input its position or list of positions among them."""
    feeds, layout = [], []
    for arg, value in zip(definition.input_arg, inputs):
        dtype = types.get(arg.type_attr) if arg.type_attr else (tf.as_dtype(arg.type).as_numpy_dtype if arg.type else None)

        def add(item):
            feeds.append(item.array(dtype) if isinstance(item, Draw) else np.asarray(item))
            return len(feeds) - 1

        layout.append([add(item) for item in value] if isinstance(value, list) else add(value))
    return feeds, layout
