"""Imports and small names of public programs, as `weir run` provides them."""
import os
import subprocess
import sys

import numpy as np
import pytest
import weir as tf

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))

IMPORTS = """
from tensorflow.contrib.framework.python.ops import add_arg_scope, arg_scope
from tensorflow.contrib.framework.python.ops import variables as framework_variables
from tensorflow.contrib.framework.python.ops.arg_scope import arg_scope as scope_function
from tensorflow.contrib.framework.python.framework import checkpoint_utils
from tensorflow.contrib.layers.python.layers import initializers, layers, regularizers, utils
from tensorflow.contrib.layers.python.layers.layers import conv2d
from tensorflow.contrib.rnn.python.ops import core_rnn_cell, fused_rnn_cell, gru_ops, lstm_ops, rnn_cell
from tensorflow.contrib.seq2seq.python.ops import attention_wrapper, basic_decoder, beam_search_decoder, decoder, helper
from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import _bahdanau_score, _BaseAttentionMechanism, _compute_attention, _luong_score
from tensorflow.contrib.slim.nets import alexnet, inception, overfeat, resnet_utils, resnet_v1, resnet_v2, vgg
from tensorflow.contrib.slim.python.slim.nets import inception_v1, inception_v2
from tensorflow.contrib.slim.python.slim.nets.inception_v3 import inception_v3, inception_v3_arg_scope
from tensorflow.contrib.slim.python.slim.nets.resnet_utils import Block, conv2d_same
import tensorflow.contrib.slim.nets as nets
import tensorflow.contrib.slim.python.slim.nets.vgg as same_vgg
from tensorflow.examples.tutorials.mnist import input_data, mnist
from tensorflow.python.client import session, timeline
from tensorflow.python.data.ops import dataset_ops, iterator_ops
from tensorflow.python.eager import context
from tensorflow.python.framework import constant_op, function, ops, random_seed, smart_cond, tensor_spec, tensor_util
from tensorflow.python.layers import base, core, utils as layer_utils
from tensorflow.python.ops import data_flow_ops, gen_math_ops, resource_variable_ops, rnn_cell_impl
from tensorflow.python.ops.losses import losses_impl
from tensorflow.python.ops.rnn import _best_effort_input_batch_size, _transpose_batch_time
from tensorflow.python.ops.rnn_cell_impl import _concat, _Linear, _linear, _zero_state_tensors, LayerRNNCell
from tensorflow.python.platform import gfile, resource_loader, tf_logging
from tensorflow.python.tools import inspect_checkpoint
from tensorflow.python.training import moving_averages, queue_runner_impl, server_lib, training
from tensorflow.python.util import compat, deprecation, nest
from tensorflow.python.util.tf_export import tf_export
"""


def run(tmp_path, text, *arguments):
    (tmp_path / "program.py").write_text(text)
    return subprocess.run([sys.executable, "-m", "weir", "run", str(tmp_path / "program.py"), *arguments], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": PACKAGE})


def test_modules_that_programs_import(tmp_path):
    result = run(tmp_path, IMPORTS + """
import tensorflow as tf
assert callable(arg_scope) and arg_scope is scope_function is tf.contrib.framework.arg_scope
assert conv2d is tf.contrib.layers.conv2d is layers.conv2d and framework_variables.model_variable is tf.contrib.slim.model_variable
assert initializers.xavier_initializer is tf.contrib.layers.xavier_initializer
assert same_vgg is vgg is nets.vgg is tf.contrib.slim.nets.vgg and inception.inception_v3 is inception_v3 and resnet_v1.resnet_utils is resnet_utils
assert core_rnn_cell._linear is _linear and decoder._transpose_batch_time is _transpose_batch_time and resnet_utils.Block is Block
assert rnn_cell.LSTMCell is tf.contrib.rnn.LSTMCell and rnn_cell_impl.RNNCell is tf.nn.rnn_cell.RNNCell
assert training.AdamOptimizer is tf.train.AdamOptimizer and server_lib.Server is tf.distribute.Server is tf.train.Server
assert losses_impl.Reduction is tf.losses.Reduction and tf.VariableV1 is tf.Variable
assert tensor_spec.TensorSpec is tf.TensorSpec and not context.executing_eagerly() and context.in_graph_mode()
assert tf.__git_version__ == tf.GIT_VERSION and tf.__compiler_version__ and tf.__cxx11_abi_flag__ == 1 and tf.__monolithic_build__ == 0
assert resource_loader.get_path_to_datafile("x.txt").endswith("/x.txt")
assert tf_export("some.name")(len) is len
print("ok")
""")
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stderr


def test_flags_can_be_listed_and_absl_flags_are_parsed(tmp_path):
    (tmp_path / "absl").mkdir()
    (tmp_path / "absl" / "__init__.py").write_text("")
    (tmp_path / "absl" / "flags.py").write_text("""
class Error(Exception):
    pass
class Flags:
    def __call__(self, argv, known_only=False):
        assert known_only
        if "--bad" in argv:
            raise Error("bad flag")
        self.seen = [a for a in argv if a.startswith("--mine")]
        return [a for a in argv if not a.startswith("--mine")]
FLAGS = Flags()
""")
    text = """
import sys
sys.path.insert(0, %r)
from absl import flags
import tensorflow as tf
tf.flags.DEFINE_integer("batch", 3, "", short_name="b")
def main(argv):
    listed = tf.flags.FLAGS.__flags
    print(listed["batch"].value, listed["b"].value, flags.FLAGS.seen, argv[1:])
tf.app.run()
""" % str(tmp_path)
    result = run(tmp_path, text, "--batch=5", "--mine=1", "rest")
    assert result.stdout == "5 5 ['--mine=1'] ['rest']\n", result.stderr
    result = run(tmp_path, text, "--bad")
    assert result.returncode == 1 and "bad flag" in result.stderr and "Traceback" not in result.stderr


def test_the_network_of_the_tutorial_trains():
    from weir.lib import mnist_model
    rng = np.random.RandomState(0)
    images, labels = rng.rand(20, mnist_model.IMAGE_PIXELS).astype(np.float32), rng.randint(0, 10, 20)
    with tf.Graph().as_default():
        logits = mnist_model.inference(tf.constant(images), 16, 8)
        loss = mnist_model.loss(logits, tf.constant(labels))
        step = mnist_model.training(loss, 0.5)
        correct = mnist_model.evaluation(logits, tf.constant(labels))
        assert [v.op.name for v in tf.trainable_variables()] == [f"{s}/{v}" for s in ("hidden1", "hidden2", "softmax_linear")
                                                                 for v in ("weights", "biases")]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            first = sess.run(loss)
            for _ in range(30):
                sess.run(step)
            assert sess.run(loss) < first and 0 <= sess.run(correct) <= 20


# --- tf.contrib.framework -------------------------------------------------------------------------------------------
framework = tf.contrib.framework


def test_variables_are_found_by_scope_suffix_and_pattern():
    with tf.Graph().as_default():
        with tf.variable_scope("a"):
            w = framework.model_variable("w", [2], initializer=tf.ones_initializer())
            b = framework.variable("b", [2], initializer=tf.zeros_initializer(), trainable=False)
        with tf.variable_scope("c"):
            v = framework.variable("w", [3], device="/cpu:0")
        local = framework.local_variable(1.0, name="l")
        assert v.device == "/device:CPU:0"
        assert framework.get_variables("a") == [w, b] and framework.get_variables(suffix="w") == [w, v]
        assert framework.get_variables_by_name("w", "a") == [w] and framework.get_variables_by_suffix("b") == [b]
        assert framework.get_model_variables() == [w] and framework.get_trainable_variables() == [w, v]
        assert framework.get_local_variables() == [local]
        assert framework.get_variables_to_restore(exclude=["a/w"]) == [b, v]
        assert framework.get_variables_to_restore(include=["a"], exclude=["a/b"]) == [w]
        assert framework.filter_variables([w, b, v], ["a/", "w"], ["b$"]) == [w, v]
        assert framework.filter_variables([w, b, v], ["w"], reg_search=False) == []
        assert framework.get_unique_variable("a/w") is w
        with pytest.raises(ValueError, match="Couldn't find"):
            framework.get_unique_variable("nothing")
        with pytest.raises(TypeError, match="exclude"):
            framework.get_variables_to_restore(exclude="a")


def test_variables_are_assigned_from_values_and_checkpoints(tmp_path):
    with tf.Graph().as_default():
        w = tf.get_variable("w", initializer=np.float32([1, 2]))
        p = tf.get_variable("p", shape=[4], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))
        n = tf.get_variable("n", initializer=np.float32([9]))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = tf.train.Saver([w, *p]).save(sess, str(tmp_path / "model"))
            framework.assign_from_values_fn({"w": np.float32([5, 6])})(sess)
            assert sess.run(w).tolist() == [5, 6]
            op, feeds = framework.assign_from_checkpoint(path, [w, *p])
            sess.run([part.assign(part * 0) for part in p])
            sess.run(op, feeds)
            assert sess.run(w).tolist() == [1, 2] and sess.run(tf.convert_to_tensor(p)).tolist() == [1, 1, 1, 1]
            with pytest.raises(ValueError, match=r"missing variable \[n\]"):
                framework.assign_from_checkpoint(path, [n])
            assert framework.assign_from_checkpoint_fn(path, [n], ignore_missing_vars=True) is None
            sess.run(w.assign([0, 0]))
            framework.assign_from_checkpoint_fn(path, [w, n], ignore_missing_vars=True)(sess)
            assert sess.run(w).tolist() == [1, 2]


def test_contrib_metrics_take_predictions_first():
    with tf.Graph().as_default():
        value, update = tf.contrib.metrics.streaming_accuracy(tf.constant([1, 0, 1, 1]), tf.constant([1, 1, 1, 0]))
        precision, precise = tf.contrib.metrics.streaming_precision(tf.constant([1, 1, 0]), tf.constant([1, 0, 0]))
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            sess.run([update, precise])
            assert sess.run([value, precision]) == [0.5, 0.5]


def test_aliases_of_outputs():
    utils = tf.contrib.slim.utils
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="x")
        assert utils.collect_named_outputs("ends", "scope/x/", x) is x
        assert utils.get_tensor_aliases(x) == ["scope/x"] and utils.convert_collection_to_dict("ends") == {"scope/x": x}
        assert utils.get_tensor_aliases(tf.constant(1.0, name="y")) == ["y"]
        assert utils.two_element_tuple(3) == (3, 3) and utils.last_dimension(tf.TensorShape([None, 4])) == 4
        assert utils.smart_cond(True, lambda: 1, lambda: 2) == 1 and utils.constant_value(tf.constant(False)) is False
        with pytest.raises(ValueError, match="must be known"):
            utils.last_dimension(tf.TensorShape([None]))


def test_an_op_library_is_refused_with_advice(tmp_path):
    (tmp_path / "ops.so").write_bytes(b"")
    with pytest.raises(tf.errors.UnimplementedError, match="py_func"):
        tf.load_op_library(str(tmp_path / "ops.so"))


def test_deprecated_functions_warn_once(caplog):
    from weir.lib import deprecation
    calls = []

    @deprecation.deprecated("2020-01-01", "Use another one.")
    def old():
        calls.append(1)

    assert old() is None and old() is None and len(calls) == 2 and old.__name__ == "old"
    assert deprecation.deprecated_argument_lookup("new", None, "old", 3) == 3
    with pytest.raises(ValueError, match="both 'old' and 'new'"):
        deprecation.deprecated_argument_lookup("new", 1, "old", 3)


def test_warnings_about_deprecated_functions_can_be_turned_off(monkeypatch):
    from weir.lib import deprecation
    lines: list = []
    monkeypatch.setattr("weir.lib.log.warning", lambda message, *args: lines.append(message % args))
    monkeypatch.setattr(deprecation, "_PRINT_DEPRECATION_WARNINGS", False)

    @deprecation.deprecated("2020-01-01", "Use another one.")
    def old():
        return 3

    assert old() == 3 and lines == []
    monkeypatch.setattr(deprecation, "_PRINT_DEPRECATION_WARNINGS", True)
    assert old() == old() == 3 and len(lines) == 1


def test_resource_variables_are_distinguished():
    kind = tf.python.ops.resource_variable_ops.ResourceVariable
    with tf.Graph().as_default():
        assert isinstance(kind(1.0), kind) and isinstance(tf.get_variable("r", [], use_resource=True), kind)
        assert not isinstance(tf.Variable(1.0), kind)


def test_a_checkpoint_is_printed(tmp_path, capsys):
    from weir.lib import inspect_checkpoint
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("w", initializer=np.float32([1, 2]))
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, str(tmp_path / "model"))
    inspect_checkpoint.print_tensors_in_checkpoint_file(path, "", True)
    assert capsys.readouterr().out == "tensor_name: w (float32) 2\n[1. 2.]\n"
    inspect_checkpoint.print_tensors_in_checkpoint_file(path, "w", False)
    assert capsys.readouterr().out == "tensor_name:  w\n[1. 2.]\n"
    inspect_checkpoint.print_tensors_in_checkpoint_file(path, "x", False)
    assert "not found" in capsys.readouterr().out
