"""LSTMs over time and frequency of tf.contrib.rnn: TimeFreqLSTMCell, GridLSTMCell and BidirectionalGridLSTMCell.

The inputs of one time step are cut into overlapping windows, and the cell runs over them as over time steps.
"""
import collections
import itertools

from weir import _weir
from weir._names import find as _find
from weir.lib.contrib_rnn_cells import _clipped, _op, _sigmoid, _tanh, _width, sharded_variable
from weir.lib.initializers import Constant
from weir.lib.rnn_cell import RNNCell


def _windows(inputs, first, end, size, step):
    """Returns the windows of `size` columns of inputs[:, first:end], each of which starts `step` after the last."""
    count = int((end - first - size) / step) + 1
    return [inputs[:, start:start + size] for start in range(first, first + count * step, step)]


def _vectors(names, size, dtype):
    """Returns the variables of the peepholes, by name."""
    return {name: _weir.get_variable(name, [size], dtype=dtype) for name in names}


class TimeFreqLSTMCell(RNNCell):
    """An LSTM that runs over frequencies within a time step: J. Li et al., LSTM time and frequency recurrence for automatic speech
    recognition, 2015. Its state is one tensor with c and h of each window."""

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_unit_shards=1, forget_bias=1.0, feature_size=None,
                 frequency_skip=1, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes, self._cell_clip, self._initializer = num_units, use_peepholes, cell_clip, initializer
        self._shards, self._forget_bias, self._feature_size, self._frequency_skip = num_unit_shards, forget_bias, feature_size, frequency_skip

    @property
    def state_size(self):
        return 2 * self._num_units

    @property
    def output_size(self):
        return self._num_units

    def call(self, inputs, state):
        size, dtype = self._num_units, inputs.dtype
        windows = _windows(inputs, 0, _width(inputs), self._feature_size, self._frequency_skip)
        with _weir.variable_scope(_weir.get_variable_scope(), initializer=self._initializer):
            kernel = sharded_variable("W", self._feature_size + 2 * size, 4 * size, dtype, self._shards)
            bias = _weir.get_variable("B", [4 * size], dtype=dtype, initializer=Constant(0))
            diagonal = _vectors(["W_F_diag", "W_I_diag", "W_O_diag"], size, dtype) if self._use_peepholes else {}

        def seen(name, c):
            return diagonal[name] * c if diagonal else 0.0
        outputs, states = [], []
        h_of_last = _find("zeros_like")(state[:, :size])  # of the last window
        for n, window in enumerate(windows):
            c, h = state[:, 2 * n * size:(2 * n + 1) * size], state[:, (2 * n + 1) * size:(2 * n + 2) * size]
            gates = _op("BiasAdd", _weir.matmul(_weir.concat([window, h, h_of_last], 1), kernel), bias)
            i, j, f, o = _weir.split(gates, 4, 1)
            c = _sigmoid(f + self._forget_bias + seen("W_F_diag", c)) * c + _sigmoid(i + seen("W_I_diag", c)) * _tanh(j)
            c = _clipped(c, self._cell_clip)
            h_of_last = _sigmoid(o + seen("W_O_diag", c)) * _tanh(c)
            outputs.append(h_of_last)
            states += [c, h_of_last]
        return _weir.concat(outputs, 1), _weir.concat(states, 1)


class GridLSTMCell(RNNCell):
    """An LSTM with a state that goes on in time and one that goes on in frequency: N. Kalchbrenner et al., Grid long short-term memory, 2015.
    Each of several blocks of frequencies has weights of its own."""
    _directions: tuple[str, ...] = ("",)  # prefixes of the names of the states

    def __init__(self, num_units, use_peepholes=False, share_time_frequency_weights=False, cell_clip=None, initializer=None, num_unit_shards=1,
                 forget_bias=1.0, feature_size=None, frequency_skip=None, num_frequency_blocks=None, start_freqindex_list=None,
                 end_freqindex_list=None, couple_input_forget_gates=False, state_is_tuple=True, reuse=None):
        super().__init__(_reuse=reuse)
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        self._num_units, self._use_peepholes, self._share = num_units, use_peepholes, share_time_frequency_weights
        self._couple_input_forget_gates, self._state_is_tuple = couple_input_forget_gates, state_is_tuple
        self._cell_clip, self._initializer, self._shards, self._forget_bias = cell_clip, initializer, num_unit_shards, forget_bias
        self._feature_size, self._frequency_skip, self._counts = feature_size, frequency_skip, list(num_frequency_blocks)
        self._starts, self._ends = start_freqindex_list, end_freqindex_list
        names = [f"{direction}state_f{i:02d}_b{block:02d}_{part}" for direction in self._directions for block, count in enumerate(self._counts)
                 for i in range(count) for part in "cm"]
        self._state_tuple_type = collections.namedtuple(type(self).__name__.replace("Cell", "StateTuple"), names)

    @property
    def state_tuple_type(self):
        return self._state_tuple_type if self._state_is_tuple else None

    @property
    def state_size(self):
        count = len(self._state_tuple_type._fields)
        return self._state_tuple_type(*[self._num_units] * count) if self._state_is_tuple else self._num_units * count

    @property
    def output_size(self):
        return self._num_units * len(self._state_tuple_type._fields)

    def call(self, inputs, state):
        states = list(state) if self._state_is_tuple else _weir.split(state, len(self._state_tuple_type._fields), 1)
        outputs, after = [], []
        with _weir.variable_scope(_weir.get_variable_scope(), initializer=self._initializer):
            self._run(self._make_tf_features(inputs), iter(states), outputs, after)
        after = self._state_tuple_type(*after) if self._state_is_tuple else _weir.concat(after, 1)
        return _weir.concat(outputs, 1), after

    def _run(self, blocks, states, outputs, after):
        """Runs over the windows of all blocks. Takes their states from the iterator, and appends outputs and new states to the lists."""
        for block, windows in enumerate(blocks):
            made, new_states = self._compute(windows, block, list(itertools.islice(states, 2 * len(windows))))
            outputs += made
            after += new_states

    def _make_tf_features(self, input_feat, slice_offset=0):
        """Returns the windows of each block, shifted by the offset; zeros extend the inputs."""
        width = _width(input_feat)
        offset = max(slice_offset, 0)
        if slice_offset:
            input_feat = _find("pad")(input_feat, [[0, 0], [0, offset] if slice_offset > 0 else [-slice_offset, 0]])
        if self._starts:
            if len(self._starts) != len(self._ends):
                raise ValueError(f"Length of start and end freqindex_list does not match {len(self._starts)} {len(self._ends)}")
            if len(self._counts) != len(self._starts):
                raise ValueError(f"Length of num_frequency_blocks is not equal to start_freqindex_list {len(self._counts)} {len(self._starts)}")
            ranges = list(zip(self._starts, self._ends))
        else:
            if len(self._counts) != 1:
                raise ValueError(f"Length of num_frequency_blocks is not 1, but instead is {len(self._counts)}")
            ranges = [(0, width)]
        blocks = [_windows(input_feat, first + offset, end + offset, self._feature_size, self._frequency_skip) for first, end in ranges]
        for windows, count in zip(blocks, self._counts):
            if len(windows) != count:
                raise ValueError(f"Invalid num_frequency_blocks, requires {len(windows)} but gets {count}, please check the input size and filter "
                                 "config are correct.")
        return blocks

    def _weights(self, axis, block, width, dtype):
        """Returns kernel, bias and peepholes of the LSTM over frequency ("f") or over time ("t")."""
        gates = 3 if self._couple_input_forget_gates else 4
        kernel = sharded_variable(f"W_{axis}_{block}", width + 2 * self._num_units, gates * self._num_units, dtype, self._shards)
        bias = _weir.get_variable(f"B_{axis}_{block}", [gates * self._num_units], dtype=dtype, initializer=Constant(0))
        peepholes = {}
        if self._use_peepholes:
            whole = "freq" if axis == "f" else "time"
            for gate in "FO" if self._couple_input_forget_gates else "FIO":
                for seen in "ft":
                    peepholes[gate + seen] = _weir.get_variable(f"W_{gate}_diag_{whole}{seen}_{block}", [self._num_units], dtype=dtype)
        return kernel, bias, peepholes

    def _compute(self, windows, block, states):
        """Runs over the windows of a block. `states` are c and h of each window in the last time step."""
        over_frequency = self._weights("f", block, self._feature_size, windows[0].dtype)
        over_time = over_frequency if self._share else self._weights("t", block, self._feature_size, windows[0].dtype)
        zeros = _find("zeros_like")(states[0])
        cells, hidden = {"f": zeros, "t": None}, {"f": zeros, "t": None}
        outputs, after = [], []
        for i, window in enumerate(windows):
            cells["t"], hidden["t"] = states[2 * i], states[2 * i + 1]
            inputs = _weir.concat([window, hidden["t"], hidden["f"]], 1)
            before = dict(cells)
            gates = {}
            for axis, weights in (("f", over_frequency), ("t", over_time)):
                cells[axis], gates[axis] = self._new_cell(axis, inputs, before, weights)
            for axis, weights in (("f", over_frequency), ("t", over_time)):
                hidden[axis] = _sigmoid(gates[axis] + self._seen(weights[2], "O", cells)) * _tanh(cells[axis])
            outputs += [hidden["t"], hidden["f"]]
            after += [cells["t"], hidden["t"]]
        return outputs, after

    @staticmethod
    def _seen(peepholes, gate, cells):
        """Returns the peephole terms of a gate: both cells, multiplied by their weights. 0 without peepholes."""
        return peepholes[gate + "f"] * cells["f"] + peepholes[gate + "t"] * cells["t"] if peepholes else 0.0

    def _new_cell(self, axis, inputs, before, weights):
        """Returns the new cell of one axis, and its output gate before peepholes and sigmoid."""
        kernel, bias, peepholes = weights
        gates = _weir.split(_op("BiasAdd", _weir.matmul(inputs, kernel), bias), 3 if self._couple_input_forget_gates else 4, 1)
        j, f, o = gates[-3:]
        forget = _sigmoid(f + self._forget_bias + self._seen(peepholes, "F", before))
        add = 1.0 - forget if self._couple_input_forget_gates else _sigmoid(gates[0] + self._seen(peepholes, "I", before))
        return _clipped(forget * before[axis] + add * _tanh(j), self._cell_clip), o


class BidirectionalGridLSTMCell(GridLSTMCell):
    """A GridLSTMCell that runs over the frequencies in both directions."""
    _directions = ("fwd_", "bwd_")

    def __init__(self, num_units, use_peepholes=False, share_time_frequency_weights=False, cell_clip=None, initializer=None, num_unit_shards=1,
                 forget_bias=1.0, feature_size=None, frequency_skip=None, num_frequency_blocks=None, start_freqindex_list=None,
                 end_freqindex_list=None, couple_input_forget_gates=False, backward_slice_offset=0, reuse=None):
        super().__init__(num_units, use_peepholes, share_time_frequency_weights, cell_clip, initializer, num_unit_shards, forget_bias,
                         feature_size, frequency_skip, num_frequency_blocks, start_freqindex_list, end_freqindex_list,
                         couple_input_forget_gates, True, reuse)
        self._backward_slice_offset = backward_slice_offset

    def call(self, inputs, state):
        forward = self._make_tf_features(inputs)
        backward = self._make_tf_features(inputs, self._backward_slice_offset) if self._backward_slice_offset else forward
        outputs, after, states = [], [], iter(state)
        with _weir.variable_scope(_weir.get_variable_scope(), initializer=self._initializer):
            with _weir.variable_scope("fwd"):
                self._run(forward, states, outputs, after)
            with _weir.variable_scope("bwd"):
                self._run([windows[::-1] for windows in backward], states, outputs, after)
        return _weir.concat(outputs, 1), self._state_tuple_type(*after)
