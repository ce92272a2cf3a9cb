"""tf.nn.rnn_cell: cells of recurrent networks. A cell owns its variables, like a layer. The computations are in C++.

To define a cell, derive from RNNCell and implement state_size, output_size and call(inputs, state).
"""
import collections

from weir import _weir
from weir.lib import layer_config as _config
from weir.lib.layers import Layer

_INPUT, _STATE, _OUTPUT = _weir.CellPart.INPUT, _weir.CellPart.STATE, _weir.CellPart.OUTPUT


class LSTMStateTuple(collections.namedtuple("LSTMStateTuple", ("c", "h"))):
    __slots__ = ()

    @property
    def dtype(self):
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


def _mapped(function, structure):
    """Applies a function to each leaf, and keeps the nesting."""
    return _weir.nest_map_structure(function, structure)


class RNNCell(Layer):
    def __init__(self, trainable=True, name=None, dtype=None, _reuse=None, **kwargs):
        super().__init__(trainable, name, dtype, _reuse=_reuse, **kwargs)

    @property
    def state_size(self):
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self):
        raise NotImplementedError("Abstract method")

    def call(self, inputs, state):
        raise NotImplementedError("Abstract method")

    def __call__(self, inputs, state, scope=None):
        if not hasattr(self, "_base_name"):  # a subclass did not call __init__
            Layer.__init__(self)
        with _weir.variable_scope(_weir.get_variable_scope() if scope is None else scope, custom_getter=self._kept) as opened:
            return super().__call__(inputs, state, scope=None if scope is None else opened)

    def get_config(self):
        return {**super().get_config(), **_config.settings_of(self, RNNCell, no_activation="tanh")}

    def _kept(self, getter, *args, **kwargs):
        """Custom getter: registers variables that call() creates with the cell."""
        variable = getter(*args, **kwargs)
        kept = self._trainable_weights if getattr(variable, "trainable", kwargs.get("trainable", True)) else self._non_trainable_weights
        if self.trainable and not any(variable is other for other in kept):
            kept.append(variable)
        return variable

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            inputs = _weir.convert_to_tensor(inputs)
            batch_size = inputs.shape[0].value if batch_size is None else batch_size
            batch_size = _weir.op_function("Shape")(inputs)[0] if batch_size is None else batch_size
            dtype = inputs.dtype if dtype is None else dtype
        if batch_size is None or dtype is None:
            raise ValueError("batch_size and dtype must not be None while constructing initial state: "
                             f"batch_size={batch_size}, dtype={dtype}")
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size, dtype):
        with _weir.name_scope(type(self).__name__ + "ZeroState"):
            return _mapped(lambda size: _weir.zeros_for_batch(batch_size, _weir.TensorShape(size), dtype), self.state_size)


class LayerRNNCell(RNNCell):
    """A cell that creates its variables in build(). Opens only its own scope."""

    def __call__(self, inputs, state, scope=None):
        return Layer.__call__(self, inputs, state, scope=scope)


class _ComputedCell(LayerRNNCell):
    """A cell that C++ defines: which variables it needs, and what it computes from them."""
    _attributes = {"kernel": "_kernel", "bias": "_bias"}  # the attribute for each variable

    def _weight_settings(self, name):
        """The user's settings for a variable: arguments of add_weight."""
        return {}

    def build(self, input_shape):
        for attribute in self._attributes.values():
            setattr(self, attribute, None)
        for spec in self._computation().weights(input_shape, self.dtype or _weir.dtypes["float32"]):
            variable = self.add_weight(spec.name, spec.shape, **{"initializer": spec.initializer, **self._weight_settings(spec.name)})
            setattr(self, self._attributes[spec.name], variable)
        self.built = True

    def _compute(self, inputs, state):
        weights = {name: getattr(self, attribute) for name, attribute in self._attributes.items()}
        return self._computation().compute(inputs, state, weights, self._activation)


class _OneSize:
    """Mixin: output and state have num_units."""

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units


class _OutputIsStateCell(_OneSize, _ComputedCell):
    """Base class of cells whose output is their state."""

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units, self._activation = num_units, _activation(activation)

    def call(self, inputs, state):
        output, _ = self._compute(inputs, [state])
        return output, output


class BasicRNNCell(_OutputIsStateCell):
    def _computation(self):
        return _weir.basic_rnn_cell(self._num_units)


class GRUCell(_OutputIsStateCell):
    _attributes = {"gates/kernel": "_gate_kernel", "gates/bias": "_gate_bias", "candidate/kernel": "_candidate_kernel",
                   "candidate/bias": "_candidate_bias"}

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._kernel_initializer, self._bias_initializer = _config.initializer(kernel_initializer), _config.initializer(bias_initializer)

    def _computation(self):
        return _weir.gru_cell(self._num_units)

    def _weight_settings(self, name):
        given = self._bias_initializer if name.endswith("bias") else self._kernel_initializer
        return {} if given is None else {"initializer": given}


class _LSTM(_ComputedCell):
    """Base class of LSTM cells: the state is c and h, as a tuple or concatenated in one tensor."""

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units

    @property
    def output_size(self):
        return self._num_units

    def call(self, inputs, state):
        output, after = self._compute(inputs, list(state) if self._state_is_tuple else [state])
        return output, LSTMStateTuple(*after) if self._state_is_tuple else after[0]


class BasicLSTMCell(_LSTM):
    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units, self._forget_bias, self._state_is_tuple = num_units, forget_bias, state_is_tuple
        self._activation = _activation(activation)

    def _computation(self):
        return _weir.basic_lstm_cell(self._num_units, self._forget_bias, self._state_is_tuple)


class LSTMCell(_LSTM):
    _attributes = {"kernel": "_kernel", "bias": "_bias", "w_f_diag": "_w_f_diag", "w_i_diag": "_w_i_diag", "w_o_diag": "_w_o_diag",
                   "projection/kernel": "_proj_kernel"}

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None, num_unit_shards=None,
                 num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_peepholes = num_units, num_proj, use_peepholes
        self._cell_clip, self._proj_clip, self._initializer = cell_clip, proj_clip, _config.initializer(initializer)
        self._num_unit_shards, self._num_proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._state_is_tuple, self._activation = forget_bias, state_is_tuple, _activation(activation)

    @property
    def state_size(self):
        seen = self._num_proj or self._num_units
        return LSTMStateTuple(self._num_units, seen) if self._state_is_tuple else self._num_units + seen

    @property
    def output_size(self):
        return self._num_proj or self._num_units

    def _computation(self):
        return _weir.lstm_cell(self._num_units, self._use_peepholes, self._num_proj or None, self._forget_bias, self._cell_clip, self._proj_clip,
                               self._state_is_tuple)

    def _weight_settings(self, name):
        shards = {"kernel": self._num_unit_shards, "projection/kernel": self._num_proj_shards}.get(name)
        return {} if name == "bias" else {"initializer": self._initializer,
                                          "partitioner": None if shards is None else _weir.fixed_size_partitioner(shards)}


class MultiRNNCell(RNNCell):
    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        if len({id(cell) for cell in cells}) < len(cells):
            _warn("At least two cells provided to MultiRNNCell are the same object and will share weights.")
        self._cells, self._state_is_tuple = list(cells), state_is_tuple
        if not state_is_tuple and any(isinstance(cell.state_size, (list, tuple)) for cell in cells):
            raise ValueError("Some cells return tuples of states, but the flag state_is_tuple is not set.  "
                             f"State sizes are: {[cell.state_size for cell in cells]}")

    @property
    def state_size(self):
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self):
        return self._cells[-1].output_size

    def zero_state(self, batch_size, dtype):
        if not self._state_is_tuple:
            return super().zero_state(batch_size, dtype)
        with _weir.name_scope(type(self).__name__ + "ZeroState"):
            return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    def call(self, inputs, state):
        if self._state_is_tuple:
            if not isinstance(state, (list, tuple)) or len(state) != len(self._cells):
                raise ValueError(f"Expected state to be a tuple of length {len(self.state_size)}, but received: {state}")
            states = state
        else:
            states = _weir.split(state, [cell.state_size for cell in self._cells], 1)
        after = []
        for i, (cell, own) in enumerate(zip(self._cells, states)):
            with _weir.variable_scope(f"cell_{i}"):
                inputs, own = cell(inputs, own)
                after.append(own)
        return inputs, (tuple(after) if self._state_is_tuple else _weir.concat(after, 1))

    @property
    def trainable_weights(self):
        return [weight for cell in self._cells if isinstance(cell, Layer) for weight in cell.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self):
        weights = [weight for cell in self._cells if isinstance(cell, Layer) for weight in cell.non_trainable_weights]
        if self.trainable:
            return weights
        return [weight for cell in self._cells if isinstance(cell, Layer) for weight in cell.trainable_weights] + weights


class _OuterCell(RNNCell):
    """Base class of cells that call another cell, and have its sizes and its initial state."""

    def __init__(self, cell, **kwargs):
        super().__init__(**kwargs)
        self._cell = cell

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        with _weir.name_scope(type(self).__name__ + "ZeroState"):
            return self._cell.zero_state(batch_size, dtype)

    @classmethod
    def from_config(cls, config, custom_objects=None):
        from weir._names import find
        inner = config["cell"]
        kind = (custom_objects or {}).get(inner["class_name"]) or getattr(find("contrib.rnn"), inner["class_name"])
        return cls(**{**config, "cell": kind.from_config(inner["config"])})


class _Wrapper(_OuterCell):
    """An outer cell without a scope and variables of its own."""

    @property
    def wrapped_cell(self):
        return self._cell

    @property
    def trainable_weights(self):
        return self._cell.trainable_weights

    @property
    def non_trainable_weights(self):
        return self._cell.non_trainable_weights

    def __call__(self, inputs, state, scope=None):
        return self._call_wrapped(inputs, state, scope)

    def call(self, inputs, state):
        return self._call_wrapped(inputs, state, None)

    def _call_cell(self, inputs, state, scope):
        return self._cell(inputs, state) if scope is None else self._cell(inputs, state, scope=scope)


class DropoutWrapper(_Wrapper):
    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, variational_recurrent=False, input_size=None,
                 dtype=None, seed=None, dropout_state_filter_visitor=None, **kwargs):
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._filter = dropout_state_filter_visitor or _is_not_memory
        self._seed, self._noise, self._variational_recurrent, self._input_size = seed, {}, variational_recurrent, input_size
        self._input_keep_prob, self._output_keep_prob, self._state_keep_prob = input_keep_prob, output_keep_prob, state_keep_prob
        self._keep = {_INPUT: _keep_prob("input_keep_prob", input_keep_prob), _STATE: _keep_prob("state_keep_prob", state_keep_prob),
                      _OUTPUT: _keep_prob("output_keep_prob", output_keep_prob)}
        if variational_recurrent:
            if dtype is None:
                raise ValueError("When variational_recurrent=True, dtype must be provided")
            for part, sizes in ((_INPUT, input_size), (_STATE, cell.state_size), (_OUTPUT, cell.output_size)):
                if not self._drops(part):
                    continue
                if sizes is None:
                    raise ValueError("When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be provided")
                self._noise[part] = [_weir.cell_dropout_noise(part, i, _weir.TensorShape(size), dtype, seed)
                                     for i, size in enumerate(_weir.nest_flatten(sizes))]

    def _drops(self, part):
        keep = self._keep[part]
        return not isinstance(keep, float) or keep < 1.0

    def _dropped(self, part, values, flags=None):
        """Applies dropout to each leaf of `values`, or only to those marked in `flags`."""
        flat = _weir.nest_flatten(values)
        flags = [True] * len(flat) if flags is None else flags
        noise = self._noise.get(part, [None] * len(flat))
        out = [_weir.cell_dropout(part, i, value, self._keep[part], self._seed, drawn) if wanted else value
               for i, (value, wanted, drawn) in enumerate(zip(flat, flags, noise))]
        return _weir.nest_pack_sequence_as(values, out)

    def _call_wrapped(self, inputs, state, scope):
        if self._drops(_INPUT):
            inputs = self._dropped(_INPUT, inputs)
        output, state = self._call_cell(inputs, state, scope)
        if self._drops(_STATE):
            state = self._dropped(_STATE, state, _flags(self._filter, state))
        if self._drops(_OUTPUT):
            output = self._dropped(_OUTPUT, output)
        return output, state


def _is_not_memory(substate):
    """For LSTM states, applies dropout only to h. Never applies it to a TensorArray."""
    if isinstance(substate, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(substate, _weir.TensorArray)


def _flags(visitor, state):
    """Returns a flag per leaf. Calls the visitor for a part of the state, and recursively if the result is true."""
    answer = visitor(state)
    if not isinstance(state, (list, tuple)):
        return [answer]
    answers = [answer] * len(state) if isinstance(answer, bool) else answer
    return [flag for wanted, part in zip(answers, state) for flag in (_flags(visitor, part) if wanted else [False] * len(_weir.nest_flatten(part)))]


def _keep_prob(name, value):
    """Converts a number in [0, 1] to float. Tensors stay unchanged."""
    if isinstance(value, (int, float)):
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"Parameter {name} must be between 0 and 1: {value}")
        return float(value)
    return value


class ResidualWrapper(_Wrapper):
    def __init__(self, cell, residual_fn=None, **kwargs):
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _call_wrapped(self, inputs, state, scope):
        outputs, state = self._call_cell(inputs, state, scope)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, outputs), state
        sums = _weir.residual_outputs(_weir.nest_flatten(inputs), _weir.nest_flatten(outputs))
        return _weir.nest_pack_sequence_as(outputs, sums), state


class DeviceWrapper(_Wrapper):
    def __init__(self, cell, device, **kwargs):
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size, dtype):
        with _weir.name_scope(type(self).__name__ + "ZeroState"), _weir.device(self._device):
            return self._cell.zero_state(batch_size, dtype)

    def _call_wrapped(self, inputs, state, scope):
        with _weir.device(self._device):
            return self._call_cell(inputs, state, scope)


def _activation(given):
    """Returns an activation function: a string means the function of that name in tf.nn; None means tanh."""
    if not isinstance(given, str):
        return given
    import weir
    try:
        return getattr(weir.nn, given)
    except AttributeError:
        raise ValueError(f"Unknown activation function: {given}") from None


def _warn(message):
    from weir.lib import log
    log.warning(message)
