"""Exchanges values between interpreters with different numpy versions: arrays as (type, shape, bytes), in lists and
dicts.

Imported by both; depends on neither TensorFlow nor Weir.
"""
import numpy as np


def pack(value):
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        value = list(value)
    if isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value)
        if value.dtype == object:
            return ("strings", value.shape, [bytes(v) if isinstance(v, (bytes, np.bytes_)) else str(v).encode() for v in value.flat])
        name = "bfloat16" if "bfloat16" in value.dtype.name else value.dtype.str
        return ("array", name, value.shape, value.tobytes())
    if isinstance(value, dict):
        return {key: pack(item) for key, item in value.items()}
    return [pack(item) for item in value] if isinstance(value, list) else value


def unpack(value, bfloat16):
    """Inverse of pack. `bfloat16` is the numpy type of that name in this interpreter."""
    if isinstance(value, tuple) and value and value[0] == "array":
        # Copied, because arrays of frombuffer are read-only.
        return np.frombuffer(value[3], dtype=bfloat16 if value[1] == "bfloat16" else value[1]).reshape(value[2]).copy()
    if isinstance(value, tuple) and value and value[0] == "strings":
        array = np.empty(len(value[2]), object)
        array[:] = value[2]
        return array.reshape(value[1])
    if isinstance(value, dict):
        return {key: unpack(item, bfloat16) for key, item in value.items()}
    return [unpack(item, bfloat16) for item in value] if isinstance(value, list) else value
