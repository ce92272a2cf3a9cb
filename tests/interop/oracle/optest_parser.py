"""Parses literals, references, attributes and calls in a line of an .optest file, with TensorFlow's types."""
import dataclasses
import re

import numpy as np

from oracle.tensorflow1 import tf
from tensorflow.python.framework import op_def_registry

TYPES = {name: tf.as_dtype(name) for name in (
    "half bfloat16 float double int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool string complex64 complex128 "
    "qint8 quint8 qint16 quint16 qint32 resource variant").split()}
ROLES = ("const", "var", "resource_var")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class Unsupported(Exception):
    """The rule by which TensorFlow 2.21 cannot run a case."""


@dataclasses.dataclass
class Literal:
    """A literal. dtype is None for a bare shape; value is None if there are no braces."""
    role: str = "fed"
    dtype: object = None
    shape: object = None
    value: object = None


@dataclasses.dataclass
class Ref:
    name: str
    output: int = 0


def draw(dtype, shape, low=None, high=None):
    if dtype == tf.string:
        return np.full(shape, b"x", dtype=object)
    if low is None:
        low, high = (0, 9) if dtype.is_integer else (-2, 2)
    values = np.random.uniform(low, high, size=shape)
    return (np.floor(values) if dtype.is_integer else values).astype(dtype.as_numpy_dtype)


def make_array(dtype, shape, values):
    array = np.empty(len(values), dtype.as_numpy_dtype)
    if dtype.is_quantized:
        array[:] = [(value,) for value in values]
    elif len(values):
        array[:] = values if dtype == tf.string else np.array(values).astype(dtype.as_numpy_dtype)
    return array.reshape(shape)


class Parser:
    def __init__(self, text, at=0):
        self.text, self.at = text, at

    def match(self, pattern):
        found = re.compile(r"\s*(" + pattern + ")").match(self.text, self.at)
        if not found:
            return ""
        self.at = found.end()
        return found.group(1)

    def peek(self):
        rest = self.text[self.at:].lstrip()
        return rest[:1]

    def take(self, token):
        return self.match(re.escape(token)) != ""

    def expect(self, token):
        if not self.take(token):
            raise ValueError("no %r at %r" % (token, self.text[self.at:]))

    def word(self):
        return self.match(r"[A-Za-z_0-9.]+")

    def number(self):
        text = self.match(r"[-+]?(?:inf|nan|0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
        if not text:
            raise ValueError("no number at %r" % self.text[self.at:])
        return text

    def listed(self, close, read):
        """Reads items with read(), separated by commas, up to `close`."""
        items = []
        while not self.take(close):
            if items:
                self.expect(",")
            items.append(read())
        return items

    def quoted(self):
        body = self.match(r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\]|\\.)*'")
        if not body:
            raise ValueError("no text at %r" % self.text[self.at:])
        out, i = bytearray(), 1
        while i < len(body) - 1:
            c = body[i]
            if c == "\\":
                i += 1
                if body[i] == "x":
                    out.append(int(body[i + 1:i + 3], 16))
                    i += 3
                    continue
                c = ESCAPES.get(body[i], body[i])
            out += c.encode()
            i += 1
        return bytes(out)

    def shape(self):
        if self.take("?"):
            return None
        self.expect("[")
        return self.listed("]", lambda: None if self.take("?") else int(self.number()))

    def value(self, dtype):
        if dtype == tf.string:
            return self.quoted()
        if dtype == tf.bool:
            return self.word() in ("true", "1")
        if dtype.is_complex:
            text = self.match(r"[^ ,}]+")
            return complex(text if "inf" in text else re.sub(r"(^|[-+])j$", r"\g<1>1j", text.replace("i", "j")))
        return int(self.number(), 0) if dtype.is_integer else float(self.number())

    def values(self, dtype, shape):
        if self.match(r"random\b"):
            limits = () if self.peek() == "}" else (float(self.number()), float(self.number()))
            self.expect("}")
            return draw(dtype, shape, *limits)
        values, size = [], int(np.prod(shape))
        while not self.take("}"):
            if self.take("..."):
                values = [values[i % len(values)] for i in range(size)]
                continue
            values.append(self.value(dtype))
            if self.match(r"to\b"):
                values += np.arange(values[-1] + 1, self.value(dtype) + 1).tolist()
            self.take(",")
        if len(values) != size:
            raise ValueError("%d values for %s" % (len(values), shape))
        return make_array(dtype, shape, values)

    def literal(self):
        word = self.word()
        role, word = (word, self.word()) if word in ROLES else ("fed", word)
        literal = Literal(role, TYPES[word], [])
        if self.peek() in ("[", "?"):
            literal.shape = self.shape()
        if self.take("{"):
            literal.value = self.values(literal.dtype, literal.shape)
        return literal

    def ref(self):
        name = self.word()
        return Ref(name, int(self.number()) if self.take(":") else 0)

    def argument(self, only_shapes):
        if only_shapes and self.peek() in ("[", "?"):
            return Literal(shape=self.shape())
        if self.take("["):
            return self.listed("]", lambda: self.argument(only_shapes))
        start, word = self.at, self.word()
        is_literal = word in ROLES or word in TYPES and (only_shapes or self.peek() in ("[", "{", "?"))
        self.at = start
        return self.literal() if is_literal else self.ref()

    def call(self, only_shapes=False):
        """Reads a call. Returns (op, arguments, attributes)."""
        op, arguments, attributes = self.word(), [], {}
        self.expect("(")
        while self.peek() not in (")", ";", ""):
            if arguments:
                self.expect(",")
            arguments.append(self.argument(only_shapes))
        if self.take(";"):
            kinds = {attr.name: attr.type for attr in definition_of(op).attr}
            while True:
                name = self.word()
                self.expect("=")
                if name not in kinds:
                    raise ValueError("%s has no attribute %s" % (op, name))
                attributes[name] = self.attribute(kinds[name])
                if not self.take(","):
                    break
        self.expect(")")
        return op, arguments, attributes

    def attribute(self, kind):
        if kind.startswith("list("):
            self.expect("[")
            return self.listed("]", lambda: self.attribute(kind[5:-1]))
        if kind == "func":
            raise Unsupported("functions are not made here")
        if kind == "tensor":
            literal = self.literal()
            return tf.make_tensor_proto(literal.value, dtype=literal.dtype, shape=literal.shape)
        return {"string": self.quoted, "int": lambda: int(self.number()), "float": lambda: float(self.number()),
                "bool": lambda: self.word() == "true", "type": lambda: TYPES[self.word()],
                "shape": lambda: tf.TensorShape(self.shape())}[kind]()


def definition_of(op):
    definition = op_def_registry.get(op)
    if definition is None:
        raise Unsupported("functions are not made here")
    return definition
