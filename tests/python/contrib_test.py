"""Tests small parts of tf.contrib, and modules that programs import from tensorflow.python."""
import os
import subprocess
import sys

import pytest

import weir as tf


# --- hyperparameters --------------------------------------------------------------------------------------------------
def test_hparams():
    hparams = tf.contrib.training.HParams(rate=0.1, layers=[3, 4], name="x", deep=False, steps=10)
    hparams.parse("rate=1,layers=[5,6,7],name=a b,deep=true")
    assert hparams.values() == {"rate": 1.0, "layers": [5, 6, 7], "name": "a b", "deep": True, "steps": 10}
    assert isinstance(hparams.rate, float)
    hparams.parse("layers[1]=9").parse_json('{"steps": 3}').override_from_dict({"name": "y"})
    assert (hparams.layers, hparams.steps, hparams.get("name"), hparams.get("none", 7)) == ([5, 9, 7], 3, "y", 7)
    hparams.add_hparam("more", 1)
    hparams.set_hparam("more", 2)
    assert hparams.more == 2 and "more" in hparams
    hparams.del_hparam("more")
    assert "more" not in hparams and not hasattr(hparams, "more")
    assert hparams.to_json(sort_keys=True) == '{"deep": true, "layers": [5, 9, 7], "name": "y", "rate": 1.0, "steps": 3}'


@pytest.mark.parametrize("text", ["rate=x", "steps=1.5", "none=1", "rate", "layers=3", "rate=[1]", "layers[5]=1", "steps=1,steps=2", "deep=maybe"])
def test_hparams_that_cannot_be_parsed(text):
    hparams = tf.contrib.training.HParams(rate=0.1, layers=[3, 4], deep=False, steps=10)
    with pytest.raises((ValueError, KeyError)):
        hparams.parse(text)


def test_hparams_keep_their_types():
    hparams = tf.contrib.training.HParams(rate=0.1, steps=10, names=["a"])
    hparams.set_hparam("rate", 1)
    assert isinstance(hparams.rate, float)
    for name, value in (("steps", 1.5), ("steps", True), ("rate", "x"), ("names", "a"), ("steps", [1])):
        with pytest.raises(ValueError):
            hparams.set_hparam(name, value)
    for name, value in (("rate", 1), ("parse", 1), ("empty", [])):
        with pytest.raises(ValueError):
            hparams.add_hparam(name, value)


# --- arg_scope --------------------------------------------------------------------------------------------------------
def test_arg_scope():
    framework = tf.contrib.framework

    @framework.add_arg_scope
    def layer(x, width=1, name="none"):
        return x, width, name

    @framework.add_arg_scope
    def other(width=0):
        return width

    with framework.arg_scope([layer, other], width=3) as outer:
        assert layer(1) == (1, 3, "none") and other() == 3
        with framework.arg_scope([layer], name="inner"):
            assert layer(1) == (1, 3, "inner") and layer(1, width=4) == (1, 4, "inner")
        assert layer(1) == (1, 3, "none")
    assert layer(1) == (1, 1, "none")
    with framework.arg_scope(outer):
        assert layer(2) == (2, 3, "none")
    assert framework.has_arg_scope(layer) and framework.arg_scoped_arguments(layer) == ("x", "width", "name")
    with pytest.raises(ValueError, match="not decorated"):
        with framework.arg_scope([len], x=1):
            pass
    with pytest.raises(TypeError):
        with framework.arg_scope(layer, width=1):
            pass


# --- modules ----------------------------------------------------------------------------------------------------------
def test_modules_of_programs(tmp_path):
    """Imports them as a program under `weir run` does."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))
    text = """
from tensorflow.python.client import device_lib
from tensorflow.python.training import moving_averages, learning_rate_decay
from tensorflow.python.ops import variables, state_ops, init_ops, variable_scope, gradients_impl, array_ops, math_ops
from tensorflow.python.framework import ops, dtypes, sparse_tensor, tensor_shape
from tensorflow.python.summary.writer import writer
import tensorflow as tf
assert variables.Variable is tf.Variable and moving_averages.ExponentialMovingAverage is tf.train.ExponentialMovingAverage
assert variable_scope.get_variable is tf.get_variable and init_ops.zeros_initializer is tf.zeros_initializer
assert ops.get_default_graph is tf.get_default_graph and dtypes.float32 is tf.float32 and writer.FileWriter is tf.summary.FileWriter
found = device_lib.list_local_devices()
assert ("/device:CPU:0", "CPU") in [(d.name, d.device_type) for d in found], found
try:
    tf.contrib.nothing
except AttributeError as error:
    assert "is provided by Weir" in str(error)
from tensorflow.python.ops import nothing
"""
    (tmp_path / "program.py").write_text(text)
    result = subprocess.run([sys.executable, "-m", "weir", "run", str(tmp_path / "program.py")], capture_output=True, text=True,
                            env={**os.environ, "PYTHONPATH": package})
    assert result.returncode == 1 and "cannot import name 'nothing'" in result.stderr
    assert "`tensorflow` is provided by Weir, which lacks this name; dir(tensorflow.python.ops) lists the names that exist" in result.stderr


@pytest.mark.parametrize("make", [tf.train.AdamOptimizer, tf.train.GradientDescentOptimizer, lambda rate: tf.train.MomentumOptimizer(0.1, rate)])
def test_a_rate_that_is_text_fails_in_the_step(make):
    """As in TensorFlow, which casts the rate in the step."""
    train = make("x").minimize(tf.square(tf.Variable(1.0)))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.UnimplementedError, match="Cast string to float is not supported"):
            session.run(train)
