"""tf.nn.rnn_cell, and functions that run cells over time steps."""

_CELLS = ["RNNCell", "BasicRNNCell", "BasicLSTMCell", "LSTMCell", "GRUCell", "MultiRNNCell", "LSTMStateTuple", "DropoutWrapper", "ResidualWrapper",
          "DeviceWrapper"]
# weir.lib.contrib_rnn
_CONTRIB = ["LSTMBlockCell", "LSTMBlockWrapper", "LSTMBlockFusedCell", "GRUBlockCell", "GRUBlockCellV2", "FusedRNNCell", "FusedRNNCellAdaptor",
            "TimeReversedFusedRNN", "LayerNormBasicLSTMCell", "InputProjectionWrapper", "OutputProjectionWrapper", "EmbeddingWrapper",
            "HighwayWrapper", "AttentionCellWrapper", "UGRNNCell", "ConvLSTMCell", "Conv1DLSTMCell", "Conv2DLSTMCell", "Conv3DLSTMCell",
            "stack_bidirectional_rnn", "stack_bidirectional_dynamic_rnn"]
_MORE_CELLS = ["CoupledInputForgetGateLSTMCell", "NASCell", "IntersectionRNNCell", "PhasedLSTMCell", "GLSTMCell", "SRUCell", "IndRNNCell",
               "IndyGRUCell", "IndyLSTMCell"]
_GRIDS = ["TimeFreqLSTMCell", "GridLSTMCell", "BidirectionalGridLSTMCell"]
_LOOPS = ["dynamic_rnn", "raw_rnn", "static_rnn", "bidirectional_dynamic_rnn", "static_bidirectional_rnn"]
# Private names that programs import: their modules and definitions.
_LINEAR = {"_Linear": "weir.lib.rnn_linear:Linear", "_linear": "weir.lib.rnn_linear:linear"}
_SHAPES = {"_concat": "concat_shapes", "_zero_state_tensors": "zero_state_tensors", "_like_rnncell": "like_rnncell",
           "assert_like_rnncell": "assert_like_rnncell", "ASSERT_LIKE_RNNCELL": "assert_like_rnncell",
           "_WEIGHTS_VARIABLE_NAME": "WEIGHTS_VARIABLE_NAME", "_BIAS_VARIABLE_NAME": "BIAS_VARIABLE_NAME"}
_STEPS = {"_transpose_batch_time": "transpose_batch_time", "_best_effort_input_batch_size": "best_effort_input_batch_size",
          "_infer_state_dtype": "infer_state_dtype", "_concat": "concat_shapes"}
_CELL_MODULES = ["python.ops.rnn_cell", "python.ops.rnn_cell_impl", "contrib.rnn.python.ops.rnn_cell", "contrib.rnn.python.ops.core_rnn_cell",
                 "contrib.rnn.python.ops.core_rnn_cell_impl"]

NAMES = {
    **{f"nn.rnn_cell.{name}": f"weir.lib.rnn_cell:{name}" for name in _CELLS},
    **{f"contrib.rnn.{name}": f"=nn.rnn_cell.{name}" for name in _CELLS},
    **{f"contrib.rnn.{name}": f"weir.lib.contrib_rnn:{name}" for name in _CONTRIB},
    **{f"contrib.rnn.{name}": f"weir.lib.contrib_rnn_cells:{name}" for name in _MORE_CELLS},
    **{f"contrib.rnn.{name}": f"weir.lib.contrib_grid_rnn:{name}" for name in _GRIDS},
    "contrib.rnn.LayerRNNCell": "weir.lib.rnn_cell:LayerRNNCell",
    **{f"nn.{name}": name for name in _LOOPS},
    "contrib.rnn.static_rnn": "static_rnn",
    "contrib.rnn.static_state_saving_rnn": "=nn.static_state_saving_rnn",
    "contrib.rnn.static_bidirectional_rnn": "static_bidirectional_rnn",
    "python.ops.rnn_cell.*": "=nn.rnn_cell.",
    "python.ops.rnn_cell_impl.*": "=nn.rnn_cell.",
    "python.ops.rnn.*": "=nn.",
    **{f"{module}.{name}": target for module in _CELL_MODULES for name, target in _LINEAR.items()},
    **{f"{module}.{name}": f"weir.lib.rnn_internals:{target}" for module in _CELL_MODULES for name, target in _SHAPES.items()},
    **{f"python.ops.{module}.LayerRNNCell": "=contrib.rnn.LayerRNNCell" for module in ("rnn_cell", "rnn_cell_impl")},
    **{f"{module}.{name}": f"weir.lib.rnn_internals:{target}" for module in ("python.ops.rnn", "contrib.rnn.python.ops.core_rnn")
       for name, target in _STEPS.items()},
    **{f"contrib.rnn.python.ops.{module}.*": "=contrib.rnn." for module in ("lstm_ops", "gru_ops", "fused_rnn_cell")},
}
