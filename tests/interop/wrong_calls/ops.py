"""Valid calls of raw ops as text, derived from the cases of tests/ops. Needs TensorFlow, which knows the names of the parameters."""
import inspect

from oracle.optest_graph import NAMED_LITERAL, NAMED_NODE
from oracle.optest_parser import Literal, Parser, Ref, definition_of
from oracle.optest_text import read_cases
from oracle.tensorflow1 import tf

MOST_ELEMENTS = 200
CALLS_PER_OP = 2
WORD = {"fed": "t", "const": "const", "var": "var", "resource_var": "rvar"}
# These block, end the process, or depend on its environment.
LEFT_OUT = {"Abort", "Barrier", "PyFunc", "EagerPyFunc", "PyFuncStateless", "PrintV2", "Timestamp", "_Send", "_Recv"}


# Attributes that have another name in Python.
PYTHON_NAMES = {"squeeze_dims": "axis", "lambda": "lambda_"}


class Skip(Exception):
    """The line is not a self-contained call."""


def listed(array):
    values = array.ravel().tolist()
    return [v.decode("latin1") if isinstance(v, bytes) else v[0] if isinstance(v, tuple) else v for v in values]


class Reader:
    def __init__(self):
        self.named = {}

    def literal(self, literal):
        if literal.value is None or literal.value.size > MOST_ELEMENTS or any(v != v for v in listed(literal.value)):
            raise Skip
        values = listed(literal.value)
        if any(isinstance(v, float) and abs(v) == float("inf") for v in values):
            raise Skip
        return "%s(%r, %r, %r)" % (WORD[literal.role], literal.dtype.name, list(literal.value.shape), values)

    def argument(self, argument):
        if isinstance(argument, list):
            return "[%s]" % ", ".join(self.argument(item) for item in argument)
        if isinstance(argument, Literal):
            return self.literal(argument)
        if argument.name not in self.named:
            raise Skip
        text, index = self.named[argument.name]
        return text if index is None else "out(%s, %d)" % (text, index + argument.output)

    def attribute(self, value):
        if isinstance(value, tf.TensorShape):
            return "tf.TensorShape(None)" if value.rank is None else repr(value.as_list())
        if isinstance(value, tf.DType):
            return "tf." + value.name
        if isinstance(value, bytes):
            return repr(value.decode("latin1"))
        if isinstance(value, list):
            return "[%s]" % ", ".join(self.attribute(item) for item in value)
        if not isinstance(value, (int, float, bool)):
            raise Skip
        return repr(value)

    def call(self, parser, names):
        """Parses the rest of a line, whose outputs get these names. Returns (op, text)."""
        start = parser.at
        try:
            op, arguments, attributes = parser.call()
            if parser.text[parser.at:].strip():
                raise Skip  # an `after` clause
            # Inputs come first, some under another name than in the schema. Attributes that are inferred from inputs
            # are not parameters.
            given = list(inspect.signature(getattr(tf.raw_ops, op)).parameters)
            inferred = [arg.name for arg in definition_of(op).attr if arg.name not in given]
            parts = ["%s=%s" % (name, self.argument(argument)) for name, argument in zip(given, arguments)]
            parts += ["%s=%s" % (PYTHON_NAMES.get(name, name), self.attribute(value)) for name, value in attributes.items()
                      if PYTHON_NAMES.get(name, name) in given or name not in inferred]
        except Exception as error:
            for name in names:
                self.named.pop(name, None)
            raise Skip(parser.text[start:]) from error
        text = "tf.raw_ops.%s(%s)" % (op, ", ".join(parts))
        for index, name in enumerate(names):
            self.named[name] = (text, index)
        return op, text

    def line(self, text):
        match = NAMED_NODE.match(text)
        if match:
            return self.call(Parser(text, match.end()), [name.strip() for name in match.group(1).split(",")])
        match = NAMED_LITERAL.match(text)
        if match and "==" not in text:
            self.named[match.group(1)] = (self.literal(Parser(text, match.end()).literal()), None)
            raise Skip
        return self.call(Parser(text), [])


def right_calls(paths):
    """Returns {op: [text]} with the shortest calls that differ in their attributes."""
    found = {}
    for path in paths:
        for case in read_cases(path.read_text()):
            reader = Reader()
            for index, (_, text) in enumerate(case.lines):
                following = case.lines[index + 1][1] if index + 1 < len(case.lines) else ""
                if following.startswith("error ") or text.startswith(("shape ", "gradient ", "random ", "feed ", "run ", "link ", "file ", "error ")):
                    continue
                try:
                    op, call = reader.line(text)
                except Exception:
                    continue
                if op not in LEFT_OUT and "$dir" not in call:
                    found.setdefault(op, []).append(call)
    return {op: sorted(set(calls), key=lambda text: (preference(text), len(text), text))[:CALLS_PER_OP] for op, calls in found.items()}


def preference(text):
    """Sort key that prefers common types and nonempty tensors."""
    return sum(text.count(word) for word in ("half", "bfloat16", "float16", "int8", "int16", "complex", "[0", ", 0]", "[])"))
