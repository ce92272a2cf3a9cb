"""Tests the tables of public names."""
import inspect

import numpy as np
import pytest
import weir as tf
from weir import _names, _weir

# The only allowed reason why a name cannot be resolved: its op does not exist yet.
LATER = ("no op named",)


def test_every_name_resolves():
    table, _ = _names.tables()
    for name in table:
        if name.endswith("*"):
            continue
        try:
            _names.find(name)
        except AttributeError as error:
            assert any(text in str(error) for text in LATER), f"{name}: {error}"


def test_signatures():
    assert str(inspect.signature(tf.argmax)) == "(input, axis=None, name=None, dimension=None, output_type=None)"
    assert str(inspect.signature(tf.nn.moments)) == "(x, axes, shift=None, name=None, keep_dims=None, keepdims=None)"
    assert tf.argmax.__name__ == "argmax"
    with pytest.raises(TypeError):
        tf.argmax()
    with pytest.raises(ValueError):
        tf.argmax([1.0], axis=0, dimension=0)


def test_none_asks_for_the_default():
    with tf.Graph().as_default(), tf.Session() as s:
        assert s.run(tf.argmax([1.0, 3.0], axis=None)) == 1
        assert s.run(tf.reduce_sum([1.0, 3.0], keepdims=None)) == 4


def test_compat_v1():
    import weir.compat.v1 as v1
    v1.disable_eager_execution()
    assert v1.nn.relu is tf.nn.relu and v1.Session is tf.Session
    assert not v1.executing_eagerly()
    with pytest.raises(NotImplementedError):
        v1.enable_eager_execution()


def test_scatters_and_tensors():
    with tf.Graph().as_default(), tf.Session() as s:
        v = tf.Variable(np.zeros([2, 2], np.float32))
        s.run(v.initializer)
        assert s.run(tf.scatter_add(v, [1], [[1.0, 2.0]])).tolist() == [[0, 0], [1, 2]]
        assert s.run(tf.scatter_nd_update(v, [[0]], [[5.0, 5.0]])).tolist() == [[5, 5], [1, 2]]
        assert tf.is_tensor(v) and tf.is_tensor(v + 1) and not tf.is_tensor(1)


def test_the_extension_has_no_function_twice():
    for name in dir(_weir):
        doc = getattr(getattr(_weir, name), "__doc__", None) or ""
        assert not doc.startswith(f"{name}(*args, **kwargs)\nOverloaded"), name
