"""Runs small graphs on TensorFlow and records the results.

A case is a dict: name, graph (GraphDef bytes, including gradients), feeds {tensor name: array}, fetches [tensor names]
and values [arrays]. Differentiable cases also have grad_of (tensor name), grad_xs [tensor names], grads [arrays] and
grad_fetches, the names of TensorFlow's gradient tensors. If those use ops that Weir lacks, grad_fetches is empty and
`unregistered` lists the ops.
A case with `error` (the name of an exception class) instead of values must fail with that error.
"""
import numpy as np
from tensorflow.python.framework import op_def_library, op_def_registry

from oracle.tensorflow1 import tf
from oracle.draw import Draw, typed_variants


class Recorder:
    def __init__(self, weir_ops):
        """`weir_ops`: {name: OpDef} of Weir's ops. Types that Weir does not support are not tried."""
        self.weir_ops = weir_ops
        self.cases = []

    def case(self, name, build, feeds=(), grad=True, static=False):
        """Records a case. `build(*placeholders)` returns a tensor or a list of tensors; `feeds` are arrays. Returns
        False if TensorFlow has no kernel."""
        with tf.Graph().as_default() as graph:
            xs = placeholders(feeds, static)
            ys = outputs(build(*xs))
            forward = graph.as_graph_def()
            target, grads = gradients(ys[0], xs) if grad else (None, [])
            values = attempt(graph, name, ys + [g for _, g in grads], dict(zip(xs, feeds)))
            if values is None and grads:
                target, grads = None, []
                values = attempt(graph, name, ys, dict(zip(xs, feeds)))
            if values is None:
                return False
            whole = graph.as_graph_def() if grads else forward
            own = {function.signature.name for function in whole.library.function}
            unregistered = sorted({node.op for node in whole.node} - set(self.weir_ops) - own)
            entry = {"name": name, "feeds": {x.name: a for x, a in zip(xs, feeds)}, "fetches": [y.name for y in ys], "values": values[:len(ys)],
                     "graph": (forward if unregistered else whole).SerializeToString()}
            if unregistered:
                entry["unregistered"] = unregistered
            # `target` may be the real part of a complex output, a node that is not in the forward graph.
            if grads and not (unregistered and target is not ys[0]):
                entry["grad_of"] = target.name
                entry["grad_xs"] = [x.name for x, _ in grads]
                entry["grad_fetches"] = [] if unregistered else [g.name for _, g in grads]
                entry["grads"] = values[len(ys):]
        self.cases.append(entry)
        return True

    def error(self, name, build, feeds=()):
        """Records a step that fails. Only the error class is compared."""
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

    def sweep(self, op, *inputs, grad=True, only=None, static=False, **attrs):
        """Records the op with `inputs` (in the order of its schema) for every useful combination of types.

        An input is a Draw (its type follows from the schema), an array (used unchanged), or a list of those. `only`
        limits the types.
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
                return apply_op(op, {**given, **free, **attrs})

            label = "%s(%s)%s" % (op, ", ".join("%s%s" % (a.dtype.name, list(a.shape)) for a in feeds),
                                  "".join(" %s=%s" % item for item in {**free, **attrs}.items()))
            try:
                ran += self.case(label, build, feeds, grad, static)
            except Exception as error:
                raise RuntimeError("%s: %s" % (label, error)) from error
        if not ran:
            raise RuntimeError("TensorFlow has no kernel for %s with any type that Weir has" % op)


def feeds_decide(definition, attr):
    """Whether the inputs determine the type attribute, so that it must not be passed."""
    return any(attr in (arg.type_attr, arg.type_list_attr) for arg in definition.input_arg)


def apply_op(op, given):
    """Adds an op by the names of its schema, with the schema's defaults for omitted attributes."""
    definition = op_def_registry.get(op)
    inferred = {name for arg in definition.input_arg for name in (arg.type_attr, arg.number_attr, arg.type_list_attr)}
    for attr in definition.attr:
        if attr.name not in given and attr.name not in inferred and attr.HasField("default_value"):
            kind = attr.default_value.WhichOneof("value")
            value = getattr(attr.default_value, kind)
            if kind == "list":
                value = [item for _, items in value.ListFields() for item in items]
            given = {**given, attr.name: value}
    return op_def_library.apply_op(op, **given)


def placeholders(feeds, static):
    """Returns placeholders. Unless `static`, every second one has only a rank, so that both kinds of shape inference
    run."""
    return [tf.placeholder(a.dtype, [None] * a.ndim if i % 2 and not static else a.shape, name="in%d" % i) for i, a in enumerate(feeds)]


def outputs(result):
    if isinstance(result, tf.Operation):
        with tf.control_dependencies([result]):
            result = tf.constant(0)
    flat = tf.nest.flatten(result)
    return [tf.identity(y, name="out%d" % i) for i, y in enumerate(flat)]


def gradients(y, xs):
    """Returns the differentiated tensor (y, or its real part), and [(x, gradient)] for the inputs that have a
    gradient."""
    inexact = [x for x in xs if x.dtype.is_floating or x.dtype.is_complex]
    if not inexact or not (y.dtype.is_floating or y.dtype.is_complex):
        return None, []
    target = tf.real(y, name="real_part") if y.dtype.is_complex else y
    try:
        found = tf.gradients(target, inexact)
    except (LookupError, TypeError):  # no gradient, or none for this type
        return None, []
    return target, [(x, tf.identity(tf.convert_to_tensor(g))) for x, g in zip(inexact, found) if g is not None]


def attempt(graph, name, fetches, feed):
    """Returns the values, or None if TensorFlow lacks a kernel."""
    with tf.Session(graph=graph) as sess:
        try:
            return sess.run(fetches, feed)
        except tf.errors.UnimplementedError:
            return None
        except (tf.errors.InvalidArgumentError, tf.errors.NotFoundError) as error:
            if any(text in error.message.lower() for text in ("no opkernel", "not implemented", "not supported", "unsupported", "unhandled")):
                return None
            raise RuntimeError("case %s: %s" % (name, error.message)) from None


def materialize(definition, inputs, types):
    """Returns the arrays to feed, in order, and for each input its position, or list of positions, among them."""
    feeds, layout = [], []
    for arg, value in zip(definition.input_arg, inputs):
        dtype = types.get(arg.type_attr) if arg.type_attr else (tf.as_dtype(arg.type).as_numpy_dtype if arg.type else None)

        def add(item):
            feeds.append(item.array(dtype) if isinstance(item, Draw) else np.asarray(item))
            return len(feeds) - 1

        layout.append([add(item) for item in value] if isinstance(value, list) else add(value))
    return feeds, layout
