"""Modules below tensorflow.python: what programs import from them beside public names."""
import collections
import os
import subprocess
import sys

import numpy as np
import pytest
import weir as tf
from weir._names import find

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))


def inner(name):
    return find("python." + name)


def run(fetches):
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        return sess.run(fetches)


IMPORTS = """
from tensorflow.compat.v1.train import AdamOptimizer
from tensorflow.compat.v1 import estimator, keras, logging
import tensorflow.compat.v1 as tf1
import tensorflow.compat.v1.keras.layers as compat_layers
import tensorflow.compat.v1.nn.rnn_cell
from tensorflow.python import debug as tf_debug
from tensorflow.python.client import graph_util
from tensorflow.python.data.experimental.ops import batching, optimization
from tensorflow.python.data.ops.readers import TFRecordDatasetV1
from tensorflow.python.data.util import nest as data_nest
from tensorflow.python.debug.wrappers import hooks as debug_hooks
from tensorflow.python.feature_column.feature_column import _EmbeddingColumn, _NumericColumn
from tensorflow.python.framework import meta_graph, device_spec
from tensorflow.python.framework.common_shapes import broadcast_shape
from tensorflow.python.keras.engine.base_layer import InputSpec, Layer
from tensorflow.python.keras.engine.training import Model
from tensorflow.python.keras.layers.recurrent import LSTM
from tensorflow.python.keras.layers import convolutional, core
from tensorflow.python.keras.utils import conv_utils, generic_utils, np_utils, tf_utils
from tensorflow.python.keras.optimizer_v2 import learning_rate_schedule
from tensorflow.python.layers.convolutional import _Conv
from tensorflow.python.lib.io import file_io, python_io
from tensorflow.python.ops import (array_ops, candidate_sampling_ops, check_ops, clip_ops, control_flow_ops, control_flow_util, ctc_ops,
                                   data_flow_ops, embedding_ops, functional_ops, gen_bitwise_ops, gen_ctc_ops, gen_functional_ops,
                                   gen_script_ops, gradient_checker, image_ops, init_ops, linalg_ops, logging_ops, lookup_ops, map_fn, math_ops,
                                   metrics, metrics_impl, nn, nn_impl, nn_ops, parsing_ops, random_ops, rnn, rnn_cell, script_ops, sort_ops,
                                   sparse_ops, stateless_random_ops, string_ops, summary_ops, tensor_array_ops, variables,
                                   weights_broadcast_ops)
from tensorflow.python.ops.distributions import categorical, normal
from tensorflow.python.ops.init_ops import Initializer, Ones, Orthogonal, RandomNormal, RandomUniform, TruncatedNormal, Zeros
from tensorflow.python.ops.linalg import linalg_impl, linear_operator, linear_operator_diag
from tensorflow.python.ops.ragged import ragged_factory_ops, ragged_tensor
from tensorflow.python.ops.signal import mel_ops, window_ops
from tensorflow.python.platform import app, flags, gfile, resource_loader, test, tf_logging
from tensorflow.python.summary.writer.event_file_writer import EventFileWriter
from tensorflow.python.training import basic_loops, evaluation, slot_creator
from tensorflow.python.util import deprecation_wrapper, function_utils, lazy_loader, module_wrapper
from tensorflow.python.util.nest import assert_shallow_structure, flatten_up_to, map_structure_up_to
"""


def test_modules_that_programs_import(tmp_path):
    (tmp_path / "program.py").write_text(IMPORTS + """
import tensorflow as tf
assert AdamOptimizer is tf.train.AdamOptimizer and compat_layers.Dense is tf.keras.layers.Dense and tf1.nn.rnn_cell.GRUCell is tf.nn.rnn_cell.GRUCell
assert keras.Model is tf.keras.Model is Model and LSTM is core.LSTM is tf.keras.layers.LSTM and Layer is tf.keras.layers.Layer
assert map_fn.map_fn is tf.map_fn and ctc_ops.ctc_loss is tf.nn.ctc_loss and script_ops.py_func is tf.py_func
assert init_ops.Zeros is tf.zeros_initializer and Orthogonal is tf.orthogonal_initializer
assert normal.Normal is tf.distributions.Normal and linear_operator_diag.LinearOperatorDiag is tf.linalg.LinearOperatorDiag
assert nn_ops.conv2d is tf.nn.conv2d and array_ops.concat is tf.concat and TFRecordDatasetV1 is tf.data.TFRecordDataset
assert math_ops.tanh_grad is tf.raw_ops.TanhGrad and array_ops.strided_slice_grad is tf.raw_ops.StridedSliceGrad
assert not hasattr(nn_ops, "no_such_function") and tf_debug.has_inf_or_nan(None, [float("nan")])
for module in ("tensorflow.compat.v1.no_such_module", "tensorflow.compat.v1.lite", "tensorflow.python.keras.no_such_module"):
    try:
        __import__(module)
    except ModuleNotFoundError:
        continue
    assert False, module
print("ok")
""")
    result = subprocess.run([sys.executable, "-m", "weir", "run", str(tmp_path / "program.py")], capture_output=True, text=True,
                            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": PACKAGE})
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stderr


def test_the_debugger_says_what_to_use_instead():
    with pytest.raises(NotImplementedError, match="session.run.*tf.Print"):
        inner("debug.LocalCLIDebugWrapperSession")(None)
    has_inf_or_nan = inner("debug.lib.debug_data.has_inf_or_nan")
    assert has_inf_or_nan(None, [1.0, np.inf]) and not has_inf_or_nan(None, ["text"]) and not has_inf_or_nan(None, [1])


# --- nest --------------------------------------------------------------------------------------------------------------
Pair = collections.namedtuple("Pair", ["a", "b"])


def test_structures_up_to_a_shallow_one():
    nest = inner("util.nest")
    shallow, deep = [[None, None], {"k": None}], [[[1, 2], (3,)], {"k": {"x": 4}}]
    assert nest.flatten_up_to(shallow, deep) == [[1, 2], (3,), {"x": 4}]
    assert nest.map_structure_up_to(shallow, lambda part, sign: (part, sign), deep, [[1, 2], {"k": 3}]) == [[([1, 2], 1), ((3,), 2)], {"k": ({"x": 4}, 3)}]
    assert nest.flatten_up_to(Pair(None, None), Pair([1], 2)) == [[1], 2] and nest.flatten_up_to(0, [1, 2]) == [[1, 2]]
    assert nest.map_structure_up_to(0, lambda part: sum(part), [1, 2]) == 3
    for error, message, bad in ((TypeError, "must also be a sequence", 5), (TypeError, "same sequence type", (1, {"k": 1})),
                                (ValueError, "same sequence length", [[1, 2]]), (ValueError, "same keys", [[1, 2], {"j": 3}])):
        with pytest.raises(error, match=message):
            nest.assert_shallow_structure(shallow, bad)
    nest.assert_shallow_structure([None], (1,), check_types=False)


def test_paths_of_a_structure():
    nest = inner("util.nest")
    value = {"b": [1, Pair(2, 3)], "a": 4}
    assert nest.flatten_with_joined_string_paths(value) == [("a", 4), ("b/0", 1), ("b/1/a", 2), ("b/1/b", 3)]
    assert nest.map_structure_with_paths(lambda path, x: f"{path}={x}", value) == {"b": ["b/0=1", Pair("b/1/a=2", "b/1/b=3")], "a": "a=4"}
    assert list(nest.yield_flattened_paths([[1], 2])) == [(0, 0), (1,)]
    assert nest.flatten_dict_items({("x", ("y", "z")): (1, (2, 3)), "w": 4}) == {"x": 1, "y": 2, "z": 3, "w": 4}
    with pytest.raises(ValueError, match="not unique"):
        nest.flatten_dict_items({("x", "x"): (1, 2)})
    assert nest.get_traverse_shallow_structure(lambda s: not isinstance(s, tuple), [(1, 2), [3, (4,)]]) == [False, [True, False]]


# --- training ----------------------------------------------------------------------------------------------------------
def test_slots_of_variables():
    slot_creator = inner("training.slot_creator")
    with tf.Graph().as_default():
        with tf.variable_scope("scope"):
            v = tf.get_variable("v", initializer=[1.0, 2.5])
        for kind in (v, tf.get_variable("r", [2], use_resource=True)):
            slot = slot_creator.create_slot(kind, kind.initialized_value(), name="slot")
            assert slot.op.name == f"{kind.op.name}/slot" and slot.shape == [2] and slot.op.type == kind.op.type
            assert slot not in tf.trainable_variables() and f"loc:@{kind.op.name}".encode() in slot.op.colocation_groups()
        zeros = slot_creator.create_zeros_slot(v, name="zeros", dtype=tf.float64)
        assert zeros.op.name == "scope/v/zeros" and zeros.dtype.base_dtype == tf.float64
        ones = slot_creator.create_slot_with_initializer(v, tf.ones_initializer(), tf.TensorShape([3]), tf.float32, "ones", colocate_with_primary=False)
        of_tensor = slot_creator.create_zeros_slot(tf.constant([[1, 2]], name="const"), name="slot")
        assert of_tensor.op.name == "const/slot" and slot_creator.create_zeros_slot(v, "zeros").op.name == "scope/v/zeros_1"
        parts = tf.get_variable("p", [4], partitioner=tf.fixed_size_partitioner(2))
        info = slot_creator.create_zeros_slot(list(parts)[1], name="slot")._save_slice_info
        assert (info.full_name, info.full_shape, info.var_offset, info.var_shape) == ("p/slot", [4], [2], [2])
        unknown = tf.Variable(tf.placeholder_with_default([5.0, 6.0], None), validate_shape=False)
        values = run([slot, zeros, ones, of_tensor, slot_creator.create_zeros_slot(unknown, name="slot")])
    assert [value.tolist() for value in values[1:]] == [[0, 0], [1, 1, 1], [[0, 0]], [0, 0]]


def test_averages_with_weights():
    average = inner("training.moving_averages.weighted_moving_average")
    with tf.Graph().as_default():
        value, weight = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        result = average(value, 0.5, weight)
        assert [v.op.name for v in tf.global_variables()] == ["WeightedMovingAvg/value_x_weight", "WeightedMovingAvg/weight"]
        assert tf.trainable_variables() == [] and tf.get_collection("mine") == []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            assert sess.run(result, {value: 4.0, weight: 1.0}) == 4.0
            assert sess.run(result, {value: 1.0, weight: 2.0}) == pytest.approx((4 * 0.25 + 2 * 0.5) / (0.25 + 1))


def test_weights_are_broadcast():
    ops = inner("ops.weights_broadcast_ops")
    with tf.Graph().as_default():
        values = tf.ones([2, 3])
        unknown = tf.placeholder_with_default([[1.0], [2.0]], None)
        wrong = tf.placeholder_with_default([1.0, 2.0, 3.0, 4.0], None)
        assert run([ops.broadcast_weights(2.0, values), ops.broadcast_weights([[1.0], [2.0]], values), ops.broadcast_weights(unknown, values)])[2].tolist() == \
            [[1, 1, 1], [2, 2, 2]]
        assert ops.assert_broadcastable(1.0, values).type == "NoOp"
        run(ops.assert_broadcastable(unknown, values))
        with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast to values"):
            run(ops.assert_broadcastable(wrong, values))
        with pytest.raises(ValueError, match="weights can not be broadcast to values"):
            ops.broadcast_weights([1.0, 2.0, 3.0, 4.0], values)


def test_gradients_are_checked():
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant([1.0, 2.0])
        assert inner("ops.gradient_checker.compute_gradient_error")(x, [2], x * x, [2]) < 1e-2


def test_evaluation_steps():
    evaluation = inner("training.evaluation")
    with tf.Graph().as_default():
        step = evaluation._get_or_create_eval_step()
        assert evaluation._get_or_create_eval_step() is step and evaluation._StopAfterNEvalsHook(3) is not None


def test_parts_of_cells():
    """Programs with their own cells import private functions."""
    cells, rnn = inner("ops.rnn_cell_impl"), inner("ops.rnn")
    with tf.Graph().as_default():
        x, y = tf.ones([2, 3]), tf.ones([2, 1])
        with tf.variable_scope("cell", initializer=tf.ones_initializer()):
            both = cells._linear([x, y], 2, True, bias_initializer=tf.constant_initializer(0.5))
        assert [v.op.name for v in tf.trainable_variables()] == ["cell/kernel", "cell/bias"]
        with tf.variable_scope("own", initializer=tf.ones_initializer()):
            layer = find("contrib.rnn.python.ops.core_rnn_cell._Linear")(x, 2, False)
        state = cells._zero_state_tensors((2, tf.nn.rnn_cell.LSTMStateTuple(3, tf.TensorShape([4]))), 5, tf.float32)
        assert state[1].h.shape == [5, 4]
        known, unknown = tf.zeros([4, 5, 6]), tf.placeholder_with_default(np.zeros((2, 3), np.float32), None)
        assert rnn._transpose_batch_time(known).shape == [5, 4, 6] and rnn._best_effort_input_batch_size([unknown, known]) == 5
        values = run([both, layer(x), rnn._best_effort_input_batch_size([unknown]), tf.shape(rnn._transpose_batch_time(unknown))])
        assert [value.tolist() for value in values] == [[[4.5, 4.5]] * 2, [[3, 3]] * 2, 3, [3, 2]]
        assert rnn._infer_state_dtype(None, state) == tf.float32
        with pytest.raises(ValueError, match="2D arguments"):
            cells._linear(known, 2, True)
        with pytest.raises(TypeError, match="not an RNNCell"):
            cells.assert_like_rnncell("cell", 3)
        cells.assert_like_rnncell("cell", tf.nn.rnn_cell.GRUCell(2))


# --- graphs ------------------------------------------------------------------------------------------------------------
def test_meta_graphs_of_a_scope(tmp_path):
    meta_graph = inner("framework.meta_graph")
    path = str(tmp_path / "graph.meta")
    with tf.Graph().as_default():
        with tf.variable_scope("layer"):
            tf.get_variable("v", [2])
            tf.constant(1.0, name="c")
        tf.get_variable("other", [1])
        exported, variables = meta_graph.export_scoped_meta_graph(filename=path, export_scope="layer")
        assert list(variables) == ["v"] and any(node.name == "c" for node in exported.graph_def.node)
        copied = meta_graph.copy_scoped_meta_graph("layer", "copy")
        assert [v.op.name for v in copied.values()] == ["copy/v"] and list(copied) == ["v"]
    assert meta_graph.read_meta_graph_file(path) == exported
    with open(path, "w") as file:
        file.write(str(exported))
    assert meta_graph.read_meta_graph_file(path) == exported
    with pytest.raises(OSError, match="does not exist"):
        meta_graph.read_meta_graph_file(path + ".gone")
    with tf.Graph().as_default():
        assert [v.op.name for v in meta_graph.import_scoped_meta_graph(path, import_scope="new").values()] == ["new/v"]
    with tf.Graph().as_default():
        tf.constant(1.0, name="c")
        assert tf.train.export_meta_graph(some_option=1).graph_def.node[0].name == "c"


def test_small_functions_of_the_framework():
    with tf.Graph().as_default():
        sparse = tf.SparseTensor([[0]], [1.0], [2])
        assert inner("framework.sparse_tensor").is_sparse(sparse) and not inner("framework.sparse_tensor").is_sparse(sparse.values)
        assert not isinstance(sparse.values, inner("framework.ops").EagerTensor) and not inner("tf2").enabled()
        assert run(inner("ops.math_ops").reduced_shape([2, 3, 5], [0, -1])).tolist() == [1, 3, 1]
        merge = inner("framework.device").merge_device("/job:worker/cpu:0")
        with tf.device("/task:2"):
            assert merge(tf.no_op().node_def).to_string() == "/job:worker/task:2/device:CPU:0"


def test_kinds_of_control_flow():
    util = inner("ops.control_flow_util")
    with tf.Graph().as_default() as graph:
        x = tf.placeholder_with_default(1.0, [])
        tf.cond(x > 0, lambda: x + 1, lambda: x)
        tf.while_loop(lambda i: i < 3.0, lambda i: i + x, [0.0])
        kinds = {name: {op.name.partition("/")[0] for op in graph.get_operations() if getattr(util, name)(op)} for name in
                 ("IsCondSwitch", "IsLoopSwitch", "IsCondMerge", "IsLoopMerge", "IsLoopEnter", "IsLoopExit", "IsLoopConstantEnter")}
        assert kinds == {name: {"cond"} if "Cond" in name else {"while"} for name in kinds}
        assert util.smart_cond(True, lambda: 1, lambda: 2) == 1


# --- Python ------------------------------------------------------------------------------------------------------------
def test_parameters_of_functions():
    import functools
    utils = inner("util.function_utils")

    class Callable:
        def __call__(self, a, b, **kwargs):
            pass

        def method(self, c, d=1):
            pass

    def function(a, b, c=3):
        pass

    assert utils.fn_args(function) == ("a", "b", "c") and utils.fn_args(Callable()) == ("a", "b") and utils.fn_args(Callable().method) == ("c", "d")
    assert utils.fn_args(functools.partial(function, 1, c=2)) == ("b",)
    assert utils.has_kwargs(Callable()) and not utils.has_kwargs(function) and utils.has_kwargs(functools.partial(Callable(), 1))
    with pytest.raises(TypeError, match="function-like"):
        utils.has_kwargs(3)


def test_modules_are_loaded_when_they_are_used():
    space: dict = {}
    loader = inner("util.lazy_loader").LazyLoader("colors", space, "colorsys")
    assert space == {} and loader.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0) and space["colors"].__name__ == "colorsys"


def test_events_are_written(tmp_path):
    writer = inner("summary.writer.event_file_writer.EventFileWriter")(str(tmp_path), filename_suffix=".own")
    writer.add_event(tf.Event(step=3, wall_time=1.0))
    writer.close()
    path, = tmp_path.iterdir()
    assert path.name.endswith(".own") and [event.step for event in tf.train.summary_iterator(str(path))][-1] == 3 and writer.get_logdir() == str(tmp_path)


def test_whole_files(tmp_path):
    file_io = inner("lib.io.file_io")
    path = str(tmp_path / "file")
    file_io.write_string_to_file(path, "text")
    file_io.atomic_write_string_to_file(path, "more text")
    assert file_io.read_file_to_string(path) == "more text" and file_io.read_file_to_string(path, binary_mode=True) == b"more text"
    with pytest.raises(tf.errors.AlreadyExistsError):
        file_io.atomic_write_string_to_file(path, "other", overwrite=False)
    assert file_io.list_directory_v2(str(tmp_path)) == ["file"] and file_io.get_matching_files_v2(path + "*") == [path]
