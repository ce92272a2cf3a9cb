"""Runs small graphs on TensorFlow and keeps what came out.

A case is a dict: name, graph (GraphDef bytes, gradients included), feeds {tensor name: array}, fetches [tensor names], values
[arrays], and for differentiable ones grad_of (tensor name), grad_xs [tensor names], grads [arrays] and grad_fetches, the names of
TensorFlow's own gradients: none where they use ops that Weir lacks, which `unregistered` then lists.
A case with `error` (the name of an exception class) instead of values must fail that way.
"""
import numpy as np
from tensorflow.python.framework import op_def_library, op_def_registry

from oracle.tensorflow1 import tf
from oracle.draw import Draw, typed_variants


class Recorder:
    def __init__(self, weir_ops):
        """`weir_ops`: {name: OpDef} of what Weir registers. Types that it leaves out are not asked for."""
        self.weir_ops = weir_ops
        self.cases = []

    def case(self, name, build, feeds=(), grad=True, static=False):
        """`build(*placeholders)` gives a tensor or a list of them; `feeds` are arrays. False where TensorFlow has no kernel."""
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
            # The gradient of a complex output's real part, which the forward graph alone does not have.
            if grads and not (unregistered and target is not ys[0]):
                entry["grad_of"] = target.name
                entry["grad_xs"] = [x.name for x, _ in grads]
                entry["grad_fetches"] = [] if unregistered else [g.name for _, g in grads]
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

    def sweep(self, op, *inputs, grad=True, only=None, static=False, **attrs):
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
    """Whether the type attribute follows from inputs: then it is not given."""
    return any(attr in (arg.type_attr, arg.type_list_attr) for arg in definition.input_arg)


def apply_op(op, given):
    """An op by the names of its schema, with the schema's defaults for attributes that are not given."""
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
    """Every second one has only its rank, so that shapes are inferred both ways; none if they must be `static`."""
    return [tf.placeholder(a.dtype, [None] * a.ndim if i % 2 and not static else a.shape, name="in%d" % i) for i, a in enumerate(feeds)]


def outputs(result):
    if isinstance(result, tf.Operation):
        with tf.control_dependencies([result]):
            result = tf.constant(0)
    flat = tf.nest.flatten(result)
    return [tf.identity(y, name="out%d" % i) for i, y in enumerate(flat)]


def gradients(y, xs):
    """What is differentiated (y, or its real part), and [(x, gradient)] for the inputs that have one."""
    inexact = [x for x in xs if x.dtype.is_floating or x.dtype.is_complex]
    if not inexact or not (y.dtype.is_floating or y.dtype.is_complex):
        return None, []
    target = tf.real(y, name="real_part") if y.dtype.is_complex else y
    try:
        found = tf.gradients(target, inexact)
    except (LookupError, TypeError):  # no gradient at all, or one that has not this type
        return None, []
    return target, [(x, tf.identity(tf.convert_to_tensor(g))) for x, g in zip(inexact, found) if g is not None]


def attempt(graph, name, fetches, feed):
    """The values, or None where TensorFlow lacks a kernel."""
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
    """The arrays to feed, in order, and for each input its position or list of positions among them."""
    feeds, layout = [], []
    for arg, value in zip(definition.input_arg, inputs):
        dtype = types.get(arg.type_attr) if arg.type_attr else (tf.as_dtype(arg.type).as_numpy_dtype if arg.type else None)

        def add(item):
            feeds.append(item.array(dtype) if isinstance(item, Draw) else np.asarray(item))
            return len(feeds) - 1

        layout.append([add(item) for item in value] if isinstance(value, list) else add(value))
    return feeds, layout
