"""Cells of tf.contrib.rnn that tf.nn.rnn_cell lacks, and stacks of bidirectional networks. The computations are in C++."""
from weir import _weir
from weir.lib.rnn_cell import LSTMStateTuple, RNNCell, _activation, _ComputedCell, _LSTM, _OneSize, _OuterCell, _OutputIsStateCell
from weir.lib.rnn_linear import linear


class LSTMBlockCell(_LSTM):
    """An LSTM whose step is one op."""
    _attributes = {"kernel": "_kernel", "bias": "_bias", "w_i_diag": "_w_i_diag", "w_f_diag": "_w_f_diag", "w_o_diag": "_w_o_diag"}
    _state_is_tuple, _activation = True, None

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None, reuse=None, name="lstm_cell"):
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units, self._forget_bias, self._cell_clip, self._use_peephole = num_units, forget_bias, cell_clip, use_peephole

    def _computation(self):
        return _weir.lstm_block_cell(self._num_units, self._forget_bias, self._cell_clip, self._use_peephole)


class GRUBlockCell(_OutputIsStateCell):
    """A GRU whose step is one op."""
    _attributes = {"w_ru": "_gate_kernel", "b_ru": "_gate_bias", "w_c": "_candidate_kernel", "b_c": "_candidate_bias"}
    _named_as_gru = False

    def __init__(self, num_units=None, cell_size=None, reuse=None, name="gru_cell"):
        if (cell_size is None) == (num_units is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        super().__init__(cell_size if num_units is None else num_units, reuse=reuse, name=name)

    def _computation(self):
        return _weir.gru_block_cell(self._num_units, self._named_as_gru)


class GRUBlockCellV2(GRUBlockCell):
    """GRUBlockCell with the variables of GRUCell."""
    _attributes = {"gates/kernel": "_gate_kernel", "gates/bias": "_gate_bias", "candidate/kernel": "_candidate_kernel",
                   "candidate/bias": "_candidate_bias"}
    _named_as_gru = True


class FusedRNNCell:
    """A network that computes all time steps itself: called with inputs [time, batch, depth], it returns outputs and state."""

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        raise NotImplementedError("Abstract method")


class LSTMBlockWrapper(_ComputedCell, FusedRNNCell):
    """Base class of LSTMs that compute all time steps at once."""

    @property
    def num_units(self):
        raise NotImplementedError("Abstract method")

    def __call__(self, inputs, *args, **kwargs):
        """The inputs may be a list of time steps."""
        self._is_list = isinstance(inputs, list)
        return super(RNNCell, self).__call__(_weir.stack(inputs) if self._is_list else inputs, *args, **kwargs)

    def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
        inputs.shape.assert_has_rank(3)
        if initial_state is None and dtype is None:
            raise ValueError("Either initial_state or dtype needs to be specified")
        if initial_state is not None and len(initial_state) != 2:
            raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
        weights = {name: getattr(self, attribute) for name, attribute in self._attributes.items()}
        outputs, c, h = self._computation().run_all(inputs, list(initial_state or []), weights, sequence_length)
        return (_weir.unstack(outputs) if self._is_list else outputs), LSTMStateTuple(c, h)


class LSTMBlockFusedCell(LSTMBlockWrapper):
    _attributes = LSTMBlockCell._attributes

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, reuse=None, dtype=None, name="lstm_fused_cell"):
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units, self._forget_bias, self._cell_clip, self._use_peephole = num_units, forget_bias, cell_clip, use_peephole

    @property
    def num_units(self):
        return self._num_units

    def _computation(self):
        return _weir.lstm_block_cell(self._num_units, self._forget_bias, self._cell_clip, self._use_peephole)


class FusedRNNCellAdaptor(FusedRNNCell):
    """Runs any cell as a FusedRNNCell."""

    def __init__(self, cell, use_dynamic_rnn=False):
        self._cell, self._use_dynamic_rnn = cell, use_dynamic_rnn

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        is_list = isinstance(inputs, list)
        if self._use_dynamic_rnn:
            outputs, state = _weir.dynamic_rnn(self._cell, _weir.stack(inputs) if is_list else inputs, sequence_length=sequence_length,
                                               initial_state=initial_state, dtype=dtype, time_major=True, scope=scope)
            return (_weir.unstack(outputs, axis=0) if is_list else outputs), state
        steps = inputs if is_list else _weir.unstack(inputs)
        outputs, state = _weir.static_rnn(self._cell, steps, initial_state=initial_state, dtype=dtype, sequence_length=sequence_length, scope=scope)
        return (outputs if is_list else _weir.stack(outputs)), state


class TimeReversedFusedRNN(FusedRNNCell):
    """Runs a FusedRNNCell backwards in time."""

    def __init__(self, cell):
        self._cell = cell

    @staticmethod
    def _reversed(tensors, lengths):
        if isinstance(tensors, list):
            return list(reversed(tensors))
        if lengths is None:
            return _weir.op_function("ReverseV2")(tensors, [0])
        return _weir.op_function("ReverseSequence")(tensors, lengths, seq_dim=0, batch_dim=1)

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        outputs, state = self._cell(self._reversed(inputs, sequence_length), initial_state=initial_state, dtype=dtype,
                                    sequence_length=sequence_length, scope=scope)
        return self._reversed(outputs, sequence_length), state


class LayerNormBasicLSTMCell(_LSTM):
    """An LSTM with normalized gates and state, and with dropout of the candidate that is added to the state."""
    _state_is_tuple = True

    def __init__(self, num_units, forget_bias=1.0, input_size=None, activation=None, layer_norm=True, norm_gain=1.0, norm_shift=0.0,
                 dropout_keep_prob=1.0, dropout_prob_seed=None, reuse=None):
        super().__init__(_reuse=reuse)
        if input_size is not None:
            from weir.lib import log
            log.warning(f"{self}: The input_size parameter is deprecated.")
        scopes = ("input", "transform", "forget", "output", "state")
        self._attributes = {"kernel": "_kernel", **({f"{scope}/{part}": f"_{scope}_{part}" for scope in scopes for part in ("gamma", "beta")}
                                                    if layer_norm else {"bias": "_bias"})}
        self._num_units, self._forget_bias, self._layer_norm, self._activation = num_units, forget_bias, layer_norm, _activation(activation)
        self._norm, self._keep_prob, self._seed = (norm_gain, norm_shift), dropout_keep_prob, dropout_prob_seed

    def _computation(self):
        return _weir.layer_norm_lstm_cell(self._num_units, self._forget_bias, self._layer_norm, *self._norm, self._keep_prob, self._seed)


class UGRNNCell(_OneSize, RNNCell):
    """Update gate RNN: one gate chooses between the old state and its candidate."""

    def __init__(self, num_units, initializer=None, forget_bias=1.0, activation=None, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer, self._forget_bias, self._activation = num_units, initializer, forget_bias, _activation(activation)

    def call(self, inputs, state):
        with _weir.variable_scope(_weir.get_variable_scope(), initializer=self._initializer):
            kernel, bias = _weights(inputs.shape[1].value + self._num_units, 2 * self._num_units, inputs.dtype)
        after = _weir.ugrnn_step(inputs, state, kernel, bias, self._forget_bias, self._activation)
        return after, after


class ConvLSTMCell(RNNCell):
    """An LSTM whose products are convolutions."""

    def __init__(self, conv_ndims, input_shape, output_channels, kernel_shape, use_bias=True, skip_connection=False, forget_bias=1.0,
                 initializers=None, name="conv_lstm_cell"):
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._input_shape, self._channels, self._kernel_shape = list(input_shape), output_channels, list(kernel_shape)
        self._use_bias, self._skip, self._forget_bias = use_bias, skip_connection, forget_bias

    @property
    def output_size(self):
        return _weir.TensorShape(self._input_shape[:-1] + [self._channels + (self._input_shape[-1] if self._skip else 0)])

    @property
    def state_size(self):
        return LSTMStateTuple(_weir.TensorShape(self._input_shape[:-1] + [self._channels]), self.output_size)

    def call(self, inputs, state, scope=None):
        c, h = state
        depth = inputs.shape[-1].value + h.shape[-1].value
        kernel = _weir.get_variable("kernel", self._kernel_shape + [depth, 4 * self._channels], dtype=inputs.dtype)
        bias = _weir.get_variable("biases", [4 * self._channels], dtype=inputs.dtype, initializer=_zeros()) if self._use_bias else None
        after = LSTMStateTuple(*_weir.conv_lstm_step(inputs, c, h, kernel, bias, self._forget_bias, self._skip))
        return after.h, after


class Conv1DLSTMCell(ConvLSTMCell):
    def __init__(self, name="conv_1d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    def __init__(self, name="conv_2d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    def __init__(self, name="conv_3d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=3, name=name, **kwargs)


# --- wrappers ---
def _weights(rows, columns, dtype):
    """The variables of a linear layer in the current scope."""
    return (_weir.get_variable("kernel", [rows, columns], dtype=dtype), _weir.get_variable("bias", [columns], dtype=dtype, initializer=_zeros()))


def _linear(parts, size):
    """A linear layer with variables in the current scope."""
    return linear(parts, size, True)


class _Projection(_OuterCell):
    """A cell with a linear layer before or after it."""

    def __init__(self, cell, size, activation, reuse):
        super().__init__(cell, _reuse=reuse)
        self._size, self._linear_activation = size, activation

    def _projected(self, values):
        projected = _linear([values], self._size)
        return projected if self._linear_activation is None else self._linear_activation(projected)


class InputProjectionWrapper(_Projection):
    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        super().__init__(cell, num_proj, activation, reuse)

    def call(self, inputs, state):
        return self._cell(self._projected(inputs), state)


class OutputProjectionWrapper(_Projection):
    def __init__(self, cell, output_size, activation=None, reuse=None):
        super().__init__(cell, output_size, activation, reuse)

    @property
    def output_size(self):
        return self._size

    def call(self, inputs, state):
        output, state = self._cell(inputs, state)
        return self._projected(output), state


class EmbeddingWrapper(_OuterCell):
    """A cell whose inputs are ids, with their embeddings."""

    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        super().__init__(cell, _reuse=reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(f"Both embedding_classes and embedding_size must be > 0: {embedding_classes}, {embedding_size}.")
        self._classes, self._size, self._initializer = embedding_classes, embedding_size, initializer

    def call(self, inputs, state):
        with _weir.device("/cpu:0"):
            initializer = self._initializer or _weir.get_variable_scope().initializer
            if not initializer:
                from weir.lib.initializers import RandomUniform
                initializer = RandomUniform(-3 ** 0.5, 3 ** 0.5)
            dtype = _weir.nest_flatten(state)[0].dtype
            embedding = _weir.get_variable("embedding", [self._classes, self._size], initializer=initializer, dtype=dtype)
            embedded = _weir.embedding_lookup(embedding, _weir.op_function("Reshape")(inputs, [-1]))
        return self._cell(embedded, state)


class HighwayWrapper(_OuterCell):
    """A cell whose outputs are mixed with its inputs."""

    def __init__(self, cell, couple_carry_transform_gates=True, carry_bias_init=1.0):
        super().__init__(cell)
        self._couple, self._carry_bias_init = couple_carry_transform_gates, carry_bias_init

    def _mixed(self, given, output):
        from weir.lib.initializers import Constant
        size, weights = given.shape[1].value, []
        for gate, start in (("carry", self._carry_bias_init), ("transform", -self._carry_bias_init))[:1 if self._couple else 2]:
            weights.append(_weir.get_variable(f"{gate}_w", [size, size], dtype=given.dtype))
            weights.append(_weir.get_variable(f"{gate}_b", [size], dtype=given.dtype, initializer=Constant(start)))
        return _weir.highway_mix(given, output, weights)

    def __call__(self, inputs, state, scope=None):
        outputs, state = self._cell(inputs, state, scope=scope)
        _weir.nest_assert_same_structure(inputs, outputs)
        return _weir.nest_map_structure(self._mixed, inputs, outputs), state


class AttentionCellWrapper(RNNCell):
    """A cell that attends to its last outputs."""

    def __init__(self, cell, attn_length, attn_size=None, attn_vec_size=None, input_size=None, state_is_tuple=True, reuse=None):
        super().__init__(_reuse=reuse)
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        if not state_is_tuple:
            raise NotImplementedError("AttentionCellWrapper of Weir keeps its state as a tuple: use state_is_tuple=True")
        self._cell, self._length, self._input_size = cell, attn_length, input_size
        self._size = cell.output_size if attn_size is None else attn_size
        self._vec_size = self._size if attn_vec_size is None else attn_vec_size

    @property
    def state_size(self):
        return (self._cell.state_size, self._size, self._size * self._length)

    @property
    def output_size(self):
        return self._size

    def call(self, inputs, state):
        state, read, past = state
        past = _weir.op_function("Reshape")(past, [-1, self._length, self._size])
        output, state = self._cell(_linear([inputs, read], self._input_size or inputs.shape[1].value), state)
        with _weir.variable_scope("attention"):
            kernel = _weir.get_variable("attn_w", [1, 1, self._size, self._vec_size], dtype=inputs.dtype)
            v = _weir.get_variable("attn_v", [self._vec_size], dtype=inputs.dtype)
            query = _linear(_weir.nest_flatten(state), self._vec_size)
            read = _weir.legacy_attention_read(past, _weir.legacy_attention_features(past, kernel), v, query)
        with _weir.variable_scope("attn_output_projection"):
            output = _linear([output, read], self._size)
        past = _weir.concat([past[:, 1:], output[:, None]], 1)
        return output, (state, read, _weir.op_function("Reshape")(past, [-1, self._size * self._length]))


def _zeros():
    from weir.lib.initializers import Constant
    return Constant(0)


# --- stacks of bidirectional networks ---
def _states(given, count, what):
    if given is None:
        return [None] * count
    if not isinstance(given, list) or len(given) != count:
        raise ValueError(f"{what} must be a list of states (one per layer).")
    return given


def _layers(cells_fw, cells_bw):
    for name, cells in (("fw", cells_fw), ("bw", cells_bw)):
        if not isinstance(cells, list) or not cells:
            raise ValueError(f"Must specify at least one {name} cell for BidirectionalRNN: cells_{name} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    return len(cells_fw)


def stack_bidirectional_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None, sequence_length=None,
                            scope=None):
    count, forward, backward, outputs = _layers(cells_fw, cells_bw), [], [], inputs
    first_fw, first_bw = _states(initial_states_fw, count, "initial_states_fw"), _states(initial_states_bw, count, "initial_states_bw")
    with _weir.variable_scope(scope or "stack_bidirectional_rnn"):
        for i in range(count):
            with _weir.variable_scope(f"cell_{i}"):
                outputs, fw, bw = _weir.static_bidirectional_rnn(cells_fw[i], cells_bw[i], outputs, initial_state_fw=first_fw[i],
                                                                 initial_state_bw=first_bw[i], sequence_length=sequence_length, dtype=dtype)
                forward.append(fw)
                backward.append(bw)
    return outputs, tuple(forward), tuple(backward)


def stack_bidirectional_dynamic_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None, sequence_length=None,
                                    parallel_iterations=None, time_major=False, scope=None, swap_memory=False):
    count, forward, backward, outputs = _layers(cells_fw, cells_bw), [], [], inputs
    first_fw, first_bw = _states(initial_states_fw, count, "initial_states_fw"), _states(initial_states_bw, count, "initial_states_bw")
    with _weir.variable_scope(scope or "stack_bidirectional_rnn"):
        for i in range(count):
            with _weir.variable_scope(f"cell_{i}"):
                both, (fw, bw) = _weir.bidirectional_dynamic_rnn(cells_fw[i], cells_bw[i], outputs, initial_state_fw=first_fw[i],
                                                                 initial_state_bw=first_bw[i], sequence_length=sequence_length, dtype=dtype,
                                                                 parallel_iterations=parallel_iterations, swap_memory=swap_memory,
                                                                 time_major=time_major)
                outputs = _weir.concat(list(both), 2)
                forward.append(fw)
                backward.append(bw)
    return outputs, tuple(forward), tuple(backward)
