"""tf.nn.rnn_cell, and functions that run cells over time steps."""

_CELLS = ["RNNCell", "BasicRNNCell", "BasicLSTMCell", "LSTMCell", "GRUCell", "MultiRNNCell", "LSTMStateTuple", "DropoutWrapper", "ResidualWrapper",
          "DeviceWrapper"]
_LOOPS = ["dynamic_rnn", "raw_rnn", "static_rnn", "bidirectional_dynamic_rnn", "static_bidirectional_rnn"]

NAMES = {
    **{f"nn.rnn_cell.{name}": f"weir.lib.rnn_cell:{name}" for name in _CELLS},
    **{f"contrib.rnn.{name}": f"=nn.rnn_cell.{name}" for name in _CELLS},
    "contrib.rnn.LayerRNNCell": "weir.lib.rnn_cell:LayerRNNCell",
    **{f"nn.{name}": name for name in _LOOPS},
    "contrib.rnn.static_rnn": "static_rnn",
    "contrib.rnn.static_bidirectional_rnn": "static_bidirectional_rnn",
    "python.ops.rnn_cell.*": "=nn.rnn_cell.",
    "python.ops.rnn_cell_impl.*": "=nn.rnn_cell.",
    "python.ops.rnn.*": "=nn.",
}
