"""Random values of a given shape and range in any type, and the choice of types for an op."""
import zlib

import numpy as np

from oracle.tensorflow1 import tf

# Types in order of preference, where any type will do.
PREFERRED = [tf.float32, tf.int32, tf.float64, tf.int64, tf.complex64, tf.bool, tf.string]
NUMERIC = [tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32,
           tf.uint64, tf.complex64, tf.complex128]
TRIED = NUMERIC + [tf.bool, tf.string]


class Draw:
    """Random values. The same shape, range and salt give the same values. Integers are taken from the range, unsigned
    ones from its nonnegative part."""

    def __init__(self, *shape, low=-2.0, high=2.0, salt=0):
        self.shape, self.low, self.high, self.salt = shape, low, high, salt

    def array(self, dtype):
        dtype = np.dtype(dtype)
        rng = np.random.RandomState(zlib.crc32(repr((self.shape, self.low, self.high, self.salt, dtype.name)).encode()) & 0x7FFFFFFF)
        if dtype == bool:
            return rng.randint(0, 2, self.shape).astype(bool)
        if dtype == object:
            words = [b"", b"a", b"weir", b"12", b"\xc3\xa9t\xc3\xa9"]
            array = np.empty(int(np.prod(self.shape)), object)
            array[:] = [words[i] for i in rng.randint(0, len(words), array.size)]
            return array.reshape(self.shape)
        if dtype.kind in "iu":
            low = int(np.ceil(self.low)) if dtype.kind == "i" else max(0, int(np.ceil(self.low)))
            return rng.randint(low, max(int(np.floor(self.high)), low) + 1, self.shape).astype(dtype)
        values = rng.uniform(self.low, self.high, self.shape)
        if dtype.kind == "c":
            values = values + 1j * rng.uniform(self.low, self.high, self.shape)
        return np.asarray(values).astype(dtype)


def typed_variants(definition, inputs, attrs, only=None):
    """Returns dicts {type attribute: numpy type}. Each attribute takes all its types while the others keep their first
    one."""
    wanted = {}
    for attr in definition.attr:
        if attr.type != "type" or attr.name in attrs:
            continue
        drawn = [arg for arg, value in zip(definition.input_arg, inputs) if arg.type_attr == attr.name and has_draw(value)]
        fed = [arg for arg in definition.input_arg if arg.type_attr == attr.name]
        if fed and not drawn:
            continue
        allowed = [tf.as_dtype(t) for t in attr.allowed_values.list.type] or TRIED
        allowed = [t for t in allowed if t in (only or TRIED)] if attr.name == "T" or not only else [t for t in allowed if t in TRIED]
        wanted[attr.name] = [t.as_numpy_dtype for t in sorted(allowed, key=lambda t: PREFERRED.index(t) if t in PREFERRED else len(PREFERRED))]
    first = {name: types[0] for name, types in wanted.items()}
    yield first
    for name, types in wanted.items():
        for dtype in types[1:]:
            yield {**first, name: dtype}


def has_draw(value):
    return isinstance(value, Draw) or isinstance(value, list) and any(isinstance(item, Draw) for item in value)


_RNG = np.random.RandomState(7)


def real(*shape, low=-2.0, high=2.0, dtype=np.float32):
    return np.asarray(_RNG.uniform(low, high, shape)).astype(dtype)


def ints(*shape, low=0, high=5, dtype=np.int32):
    return np.asarray(_RNG.randint(low, high, shape)).astype(dtype)
