"""Runs a case of an .optest file on TensorFlow: Asker(case, folder).ask() returns the lines where it differs.

Not compared: `gradient` lines, which compare Weir with itself, and the texts of error messages.
"""
import os
import re

import numpy as np

from oracle.optest_apply import apply_op, apply_to_shapes, describe, known_shape
from oracle.optest_parser import Literal, Parser, Ref, Unsupported, draw
from oracle.tensorflow1 import tf

TOLERANCE = {tf.half: 2e-3, tf.bfloat16: 1e-2, tf.float32: 3e-6, tf.complex64: 3e-6, tf.float64: 1e-9, tf.complex128: 1e-9}
CONFIG = tf.ConfigProto(device_count={"GPU": 0}, inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
# The optimizer would remove nodes without a visible effect, such as a push without a pop, and with them their errors.
CONFIG.graph_options.rewrite_options.disable_meta_optimizer = True
CONFIG.graph_options.optimizer_options.opt_level = -1
CHECK = re.compile(r"(\w+)(?::(\d+))?\s*(==|is\b|between\b)")
NAMED_NODE = re.compile(r"([\w, ]+?)\s*=\s*(?=\w+\()")
NAMED_LITERAL = re.compile(r"(\w+)\s*=\s*")
WITHOUT_MEANING_HERE = ("then", "covers", "only")
# Messages for ops and types that 1.15 supports and 2.21 does not.
CANNOT = ("It has been removed in version", "No OpKernel was registered", "no registered", "Could not find device for node")


def check_supported(error):
    for text in CANNOT:
        if text in str(error):
            raise Unsupported(text) from error


def class_of(error):
    """Returns the error class as cases name it. An exception of TensorFlow's Python while building counts as the status
    that caused it."""
    if isinstance(error, tf.errors.OpError):
        return type(error).__name__.replace("Error", "")
    if isinstance(error, (ValueError, TypeError)):
        return "InvalidArgument"
    return "NotFound" if isinstance(error, LookupError) else type(error).__name__


def first_sentence(error):
    """Returns the message without the graph locations before it."""
    lines = [line for line in str(error).split("\n")
             if line and not re.match(r"  |Graph execution error|Detected at node|Node: ", line)]
    return lines[0][:160] if lines else ""


def integers(array):
    """Quantized numbers, which are integers or, in arrays of TensorFlow's own types, structures with one field."""
    return array[array.dtype.names[0]] if array.dtype.names else array


def same(value, literal, tolerance):
    if literal.dtype == tf.string:
        return value.tolist() == literal.value.tolist()
    if literal.dtype.is_quantized:
        return np.array_equal(integers(value), integers(literal.value))
    if tolerance is None:
        return np.array_equal(value, literal.value)
    wide = np.complex128 if literal.dtype.is_complex else np.float64
    value, wanted = value.astype(wide), literal.value.astype(wide)
    with np.errstate(all="ignore"):
        relative = 0 if literal.dtype.is_integer else tolerance
        return all(np.allclose(part(value), part(wanted), rtol=relative, atol=tolerance, equal_nan=True)
                   for part in (np.real, np.imag))


class Asker:
    def __init__(self, case, folder):
        self.case, self.folder = case, folder
        self.graph = tf.Graph()
        self.named, self.feeds, self.initializers, self.resource_types = {}, {}, [], {}
        self.session = None  # created by the first step; many cases have none
        self.differences = []

    def ask(self):
        """Returns [(line number, line, what TensorFlow does)]. Stops at a failure that the case does not expect."""
        lines = [line for line in self.case.lines if line[1].split()[0] not in WITHOUT_MEANING_HERE or line[1] == "then"]
        with self.graph.as_default():
            while lines:
                count = self.lines_of_step(lines)
                step, lines = lines[:count], lines[count:]
                try:
                    self.ask_step(step)
                except Unsupported:
                    raise
                except Exception as error:  # any error is an answer of TensorFlow
                    check_supported(error)
                    self.differ(step[0], "error is %s: %s" % (class_of(error), first_sentence(error)))
                    break
        if self.session:
            self.session.close()
        return self.differences

    def differ(self, line, what):
        self.differences.append((*line, what))

    def lines_of_step(self, lines):
        if len(lines) > 1 and re.match(r"error \w", lines[1][1]):
            return 2
        checks = 0
        while checks < len(lines) and CHECK.match(lines[checks][1]) and not re.match(
                r"error \w", lines[checks + 1][1] if checks + 1 < len(lines) else ""):
            checks += 1
        return max(checks, 1)

    def ask_step(self, step):
        if len(step) > 1 and step[1][1].startswith("error "):
            self.ask_error(step[0], step[1][1].split()[1])
        elif CHECK.match(step[0][1]):
            self.ask_values(step)
        else:
            self.follow(step[0])

    def run(self, fetches):
        if not self.session:
            self.session = tf.Session(graph=self.graph, config=CONFIG)
        if self.initializers:
            self.session.run(self.initializers)
            self.initializers = []
        return self.session.run(fetches, self.feeds)

    def ask_error(self, line, wanted):
        try:
            if CHECK.match(line[1]):
                self.ask_values([line])
            elif (node := self.follow(line)) is not None:
                self.run(node.outputs if isinstance(node, tf.Operation) and node.outputs else node)
        except Unsupported:
            raise
        except Exception as error:
            check_supported(error)
            if class_of(error) != wanted:
                self.differ(line, "error is %s, not %s" % (class_of(error), wanted))
            return
        self.differ(line, "no error")

    def ask_values(self, step):
        found = [CHECK.match(text) for _, text in step]
        tensors = [self.read(self.tensor(Ref(match.group(1), int(match.group(2) or 0)))) for match in found]
        values = self.run([tensor.op if tensor.dtype == tf.resource else tensor for tensor in tensors])
        for line, match, tensor, value in zip(step, found, tensors, values):
            # A numpy string array would lose trailing zero bytes.
            parser, value = Parser(line[1], match.end()), np.asarray(value, object if isinstance(value, bytes) else None)
            if match.group(3) == "between":
                low, _, high = float(parser.number()), parser.word(), float(parser.number())
                agrees = bool(np.all((value >= low) & (value <= high)))
            else:
                literal = parser.literal()
                agrees = tensor.dtype.base_dtype == literal.dtype and tf.TensorShape(literal.shape).is_compatible_with(value.shape)
                if agrees and literal.value is not None:
                    tolerance = float(parser.number()) if parser.take("within") else TOLERANCE.get(literal.dtype)
                    agrees = same(value, literal, tolerance)
            if not agrees:
                items = " ".join(str(item) for item in value.ravel()[:20])
                self.differ(line, "gives %s%s{%s}" % (tensor.dtype.base_dtype.name, list(value.shape), items))

    def read(self, tensor):
        if tensor.name in self.resource_types:
            return tf.raw_ops.ReadVariableOp(resource=tensor, dtype=self.resource_types[tensor.name])
        return tensor

    def follow(self, line):
        """Executes a line that compares nothing. Returns the node that it adds, or None."""
        parser = Parser(line[1])
        word = parser.word()
        is_named = parser.peek() in ("=", "(", ",", ":")
        if not is_named and word in ("run", "feed", "file", "shape", "random", "gradient", "then", "link"):
            return getattr(self, "follow_" + word)(line, parser)
        match = NAMED_NODE.match(line[1])
        if match:
            return self.add_node(Parser(line[1], match.end()), [name.strip() for name in match.group(1).split(",")])
        match = NAMED_LITERAL.match(line[1])
        if match:
            self.named[match.group(1)] = self.add_literal(Parser(line[1], match.end()).literal())
            return None
        return self.add_node(Parser(line[1]), [])

    def follow_then(self, line, parser):
        pass

    follow_gradient = follow_then

    def follow_run(self, line, parser):
        nodes = [self.named[name.strip().split(":")[0]] for name in line[1][len("run "):].split(",")]
        self.run([node.op if isinstance(node, tf.Tensor) else node for node in nodes])

    def follow_feed(self, line, parser):
        name = parser.ref()
        parser.expect("=")
        self.feeds[self.tensor(name)] = self.in_folder(parser.literal().value)

    def follow_file(self, line, parser):
        name, content = parser.quoted().decode(), parser.quoted()
        with open(os.path.join(self.folder, name), "wb") as out:
            out.write(content)

    def follow_link(self, line, parser):
        merge = parser.ref()
        parser.expect("=")
        node = self.named[merge.name]
        (node.op if isinstance(node, tf.Tensor) else node)._update_input(merge.output, self.tensor(parser.ref()))

    def follow_random(self, line, parser):
        op, arguments, attributes = parser.call()
        for literal in (item for argument in arguments for item in (argument if isinstance(argument, list) else [argument])):
            if literal.value is None:
                literal.value = draw(literal.dtype, literal.shape)
        self.run(apply_op(op, [self.tensor(argument) for argument in arguments], attributes).outputs)

    def follow_shape(self, line, parser):
        start = parser.at
        parser.word()
        is_call, parser.at = parser.peek() == "(", start
        call = parser.call(only_shapes=True) if is_call else None
        tensor = None if is_call else self.tensor(parser.ref())
        parser.expect("->")
        try:
            shapes = apply_to_shapes(*call) if is_call else [known_shape(tensor)]
        except (ValueError, TypeError, tf.errors.OpError) as error:
            check_supported(error)
            if not parser.take("error"):
                self.differ(line, "the shape function refuses it")
            return
        if parser.take("error"):
            self.differ(line, "no error but " + describe(shapes))
        elif parser.text[parser.at:].replace(" ", "") != describe(shapes).replace(" ", ""):
            self.differ(line, describe(shapes))

    def in_folder(self, value):
        if isinstance(value, bytes):
            return value.replace(b"$dir", self.folder.encode())
        if isinstance(value, np.ndarray) and value.dtype == object:
            return np.array([self.in_folder(item) for item in value.ravel()], dtype=object).reshape(value.shape)
        return value

    def add_literal(self, literal):
        value = self.in_folder(literal.value)
        if literal.role == "fed":
            tensor = tf.placeholder(literal.dtype, literal.shape)
            self.feeds[tensor] = value
            return tensor
        constant = tf.constant(value, dtype=literal.dtype, shape=literal.shape)
        if literal.role == "const":
            return constant
        if literal.role == "var":
            variable = tf.raw_ops.VariableV2(shape=literal.shape, dtype=literal.dtype)
            self.initializers.append(tf.raw_ops.Assign(ref=variable, value=constant).op)
            return variable
        name = "resource_var_%d" % len(self.resource_types)
        variable = tf.raw_ops.VarHandleOp(shape=literal.shape, dtype=literal.dtype, shared_name=name)
        self.initializers.append(tf.raw_ops.AssignVariableOp(resource=variable, value=constant))
        self.resource_types[variable.name] = literal.dtype
        return variable

    def tensor(self, argument):
        if isinstance(argument, Literal):
            return self.add_literal(argument)
        if isinstance(argument, list):
            return [self.tensor(item) for item in argument]
        node = self.named[argument.name]
        if isinstance(node, tf.Operation):
            return node.outputs[argument.output]
        return node.op.outputs[argument.output] if argument.output else node

    def add_node(self, parser, names):
        op, arguments, attributes = parser.call()
        attributes = {name: self.in_folder(value) for name, value in attributes.items()}
        inputs = [self.tensor(argument) for argument in arguments]
        if op == "gradient":
            for name, gradient in zip(names, tf.gradients(inputs[0], inputs[1:])):
                sparse = isinstance(gradient, tf.IndexedSlices)
                self.named[name] = gradient.values if sparse else gradient
                self.named[name + "_indices"] = gradient.indices if sparse else None
            return None
        after = []
        while parser.take("," if after else "after"):
            node = self.named[parser.ref().name]
            after.append(node if isinstance(node, tf.Operation) else node.op)
        with tf.control_dependencies(after):
            node = apply_op(op, inputs, attributes)
        for name, output in zip(names, node.outputs):
            self.named[name] = output
        if len(names) == 1:
            self.named[names[0]] = node
        return node
