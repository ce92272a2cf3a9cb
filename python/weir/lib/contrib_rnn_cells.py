"""Cells of tf.contrib.rnn whose step is a few ops: NAS, phased, grouped, coupled, simple and independent recurrent cells."""
import math

from weir import _weir
from weir._names import find as _find
from weir.lib.initializers import Constant, Initializer, RandomUniform
from weir.lib.rnn_cell import LayerRNNCell, LSTMStateTuple, RNNCell, _activation, _OneSize
from weir.lib.rnn_linear import linear


def _op(op, /, *args, **kwargs):
    return _weir.op_function(op)(*args, **kwargs)


def _sigmoid(x):
    return _op("Sigmoid", x)


def _tanh(x):
    return _op("Tanh", x)


def _clipped(value, limit):
    return value if limit is None else _find("clip_by_value")(value, -limit, limit)


def _width(tensor):
    width = tensor.shape[-1].value
    if width is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return width


class _LSTMSizes:
    """Mixin: the state is c of num_units and h, which is projected if there is num_proj."""
    _num_proj = None

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self):
        return self._num_proj or self._num_units


def sharded_variable(name, rows, columns, dtype, shards):
    """A matrix of variables name_0, name_1, ... that have about the same number of rows."""
    if shards > rows:
        raise ValueError(f"Too many shards: shape={[rows, columns]}, num_shards={shards}")
    parts = [_weir.get_variable(f"{name}_{i}", [rows // shards + (i < rows % shards), columns], dtype=dtype) for i in range(shards)]
    return parts[0] if shards == 1 else _weir.concat(parts, 0)


class CoupledInputForgetGateLSTMCell(_LSTMSizes, RNNCell):
    """An LSTM whose input gate is what the forget gate leaves."""

    def __init__(self, num_units, use_peepholes=False, initializer=None, num_proj=None, proj_clip=None, num_unit_shards=1, num_proj_shards=1,
                 forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, layer_norm=False, norm_gain=1.0, norm_shift=0.0):
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes, self._initializer, self._num_proj = num_units, use_peepholes, initializer, num_proj
        self._proj_clip, self._shards, self._forget_bias = proj_clip, (num_unit_shards, num_proj_shards), forget_bias
        self._state_is_tuple, self._activation = state_is_tuple, _activation(activation) or _tanh
        self._layer_norm, self._norm_start = layer_norm, (norm_gain, norm_shift)

    @property
    def state_size(self):
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    def _norm(self, value, scope):
        """Normalizes a value, if the cell does so."""
        if not self._layer_norm:
            return value
        gain, shift = self._norm_start
        with _weir.variable_scope(scope):
            gamma = _weir.get_variable("gamma", [self._num_units], dtype=value.dtype, initializer=Constant(gain))
            beta = _weir.get_variable("beta", [self._num_units], dtype=value.dtype, initializer=Constant(shift))
        mean, variance = _find("nn.moments")(value, [1], keep_dims=True)
        return _find("nn.batch_normalization")(value, mean, variance, beta, gamma, 1e-12)

    def call(self, inputs, state):
        c, h = state if self._state_is_tuple else _weir.split(state, [self._num_units, self.output_size], 1)
        dtype, size = inputs.dtype, self._num_units

        def diagonal(name):
            return _weir.get_variable(name, [size], dtype=dtype)
        with _weir.variable_scope(_weir.get_variable_scope(), initializer=self._initializer):
            kernel = sharded_variable("W", _width(inputs) + self.output_size, 3 * size, dtype, self._shards[0])
            bias = _weir.get_variable("B", [3 * size], dtype=dtype, initializer=Constant(0))
            gates = _weir.matmul(_weir.concat([inputs, h], 1), kernel)
            if not self._layer_norm:
                gates = _op("BiasAdd", gates, bias)
            j, f, o = _weir.split(gates, 3, 1)
            j, f, o = self._norm(j, "transform"), self._norm(f, "forget"), self._norm(o, "output")
            forget = _sigmoid(f + self._forget_bias + (diagonal("W_F_diag") * c if self._use_peepholes else 0.0))
            c = self._norm(forget * c + (1 - forget) * self._activation(j), "state")
            h = _sigmoid(o + diagonal("W_O_diag") * c if self._use_peepholes else o) * self._activation(c)
            if self._num_proj is not None:
                h = _weir.matmul(h, sharded_variable("W_P", size, self._num_proj, dtype, self._shards[1]))
                h = _clipped(h, self._proj_clip)
        return h, LSTMStateTuple(c, h) if self._state_is_tuple else _weir.concat([c, h], 1)


class NASCell(_LSTMSizes, LayerRNNCell):
    """The cell that B. Zoph and Q. Le found in Neural architecture search with reinforcement learning, 2016."""

    def __init__(self, num_units, num_proj=None, use_bias=False, reuse=None, **kwargs):
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias

    def build(self, inputs_shape):
        width = inputs_shape[-1].value
        if width is None:
            raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}")
        self._recurrent_kernel = self.add_weight("recurrent_kernel", [self.output_size, 8 * self._num_units])
        self._kernel = self.add_weight("kernel", [width, 8 * self._num_units])
        self._bias = self.add_weight("bias", [8 * self._num_units], initializer=Constant(0)) if self._use_bias else None
        self._projection = None if self._num_proj is None else self.add_weight("projection_weights", [self._num_units, self._num_proj])
        self.built = True

    def call(self, inputs, state):
        c, h = state
        recurrent = _weir.matmul(h, self._recurrent_kernel)
        if self._bias is not None:
            recurrent = _op("BiasAdd", recurrent, self._bias)
        x, y = _weir.split(_weir.matmul(inputs, self._kernel), 8, 1), _weir.split(recurrent, 8, 1)
        # Eight sums (one is a product), which form a tree of pairs. The old state joins the first pair.
        leaves = [_sigmoid(x[0] + y[0]), _op("Relu", x[1] + y[1]), _sigmoid(x[2] + y[2]), _op("Relu", x[3] * y[3]),
                  _tanh(x[4] + y[4]), _sigmoid(x[5] + y[5]), _tanh(x[6] + y[6]), _sigmoid(x[7] + y[7])]
        with_state = _tanh(_tanh(leaves[0] * leaves[1]) + c)
        new_c = with_state * _tanh(leaves[2] + leaves[3])
        other = _tanh(_tanh(leaves[4] * leaves[5]) + _sigmoid(leaves[6] + leaves[7]))
        new_h = _tanh(new_c * other)
        if self._projection is not None:
            new_h = _weir.matmul(new_h, self._projection)
        return new_h, LSTMStateTuple(new_c, new_h)


class IntersectionRNNCell(_OneSize, RNNCell):
    """A cell with gates in time and in depth: its output is a mix of its input and of a candidate."""

    def __init__(self, num_units, num_in_proj=None, initializer=None, forget_bias=1.0, y_activation=None, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._num_input_proj, self._initializer = num_units, num_in_proj, initializer
        self._forget_bias, self._y_activation = forget_bias, _activation(y_activation) or (lambda y: _op("Relu", y))

    def call(self, inputs, state):
        with _weir.variable_scope(_weir.get_variable_scope(), initializer=self._initializer):
            if _width(inputs) != self._num_units:
                if not self._num_input_proj:
                    raise ValueError("Must have input size == output size for Intersection RNN. To fix, num_in_proj should be set to num_units "
                                     "at cell init.")
                with _weir.variable_scope("in_projection"):
                    inputs = linear(inputs, self._num_units, True)
            time_gate, h, depth_gate, y = _weir.split(linear([inputs, state], 4 * self._num_units, True), 4, 1)
        time_gate, depth_gate = _sigmoid(time_gate + self._forget_bias), _sigmoid(depth_gate + self._forget_bias)
        new_state = time_gate * state + (1.0 - time_gate) * _tanh(h)
        return depth_gate * inputs + (1.0 - depth_gate) * self._y_activation(y), new_state


class _LogUniform(Initializer):
    """Numbers whose logarithms are uniformly distributed."""

    def __init__(self, minval, maxval):
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape, dtype=None, partition_info=None):
        return _op("Exp", RandomUniform(math.log(self.minval), math.log(self.maxval))(shape, dtype or _weir.dtypes["float32"]))


class PhasedLSTMCell(_LSTMSizes, RNNCell):
    """An LSTM with a clock per unit, which lets the unit change in a part of each period: D. Neil et al., 2016. Its inputs are (time, x)."""

    def __init__(self, num_units, use_peepholes=False, leak=0.001, ratio_on=0.1, trainable_ratio_on=True, period_init_min=1.0,
                 period_init_max=1000.0, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes, self._leak, self._ratio_on = num_units, use_peepholes, leak, ratio_on
        self._trainable_ratio_on, self._period_range = trainable_ratio_on, (period_init_min, period_init_max)

    def _openness(self, time):
        """How far the unit is open to changes, from 0 to 1: rises and falls in its on phase, and is small afterwards."""
        shape = [self._num_units]
        period = _weir.get_variable("period", shape, initializer=_LogUniform(*self._period_range))
        phase = _weir.get_variable("phase", shape, initializer=lambda shape, dtype=None, partition_info=None:
                                   RandomUniform(0.0, 1.0)(shape, dtype or _weir.dtypes["float32"]) * period.initial_value)
        ratio_on = _weir.get_variable("ratio_on", shape, initializer=Constant(self._ratio_on), trainable=self._trainable_ratio_on)
        shifted = _op("Reshape", time, [-1, 1]) - _weir.cast(phase, time.dtype)
        period = _weir.cast(period, time.dtype)
        rest = shifted + _find("stop_gradient")(_op("FloorMod", shifted, period) - shifted)  # the gradient is that of `shifted`
        position = _weir.cast(rest / period, _weir.dtypes["float32"])
        rising = 2 * position / ratio_on
        where = _find("where")
        falling = where(position < ratio_on, 2 - rising, self._leak * position)
        return where(position < 0.5 * ratio_on, rising, falling)

    def call(self, inputs, state):
        c, h = state
        time, x = inputs

        def gates(scope, peephole, count):
            with _weir.variable_scope(scope):
                return linear([x, h] + ([peephole] if self._use_peepholes and peephole is not None else []), count * self._num_units, True)
        input_gate, forget_gate = _weir.split(_sigmoid(gates("mask_gates", c, 2)), 2, 1)
        new_c = c * forget_gate + input_gate * _tanh(gates("new_input", None, 1))
        new_h = _tanh(new_c) * _sigmoid(gates("output_gate", new_c, 1))
        k = self._openness(time)
        new_c, new_h = k * new_c + (1 - k) * c, k * new_h + (1 - k) * h
        return new_h, LSTMStateTuple(new_c, new_h)


class GLSTMCell(_LSTMSizes, RNNCell):
    """An LSTM whose inputs and state are divided into groups with kernels of their own: O. Kuchaiev and B. Ginsburg, 2017."""

    def __init__(self, num_units, initializer=None, num_proj=None, number_of_groups=1, forget_bias=1.0, activation=None, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer, self._num_proj, self._groups = num_units, initializer, num_proj, number_of_groups
        self._forget_bias, self._activation = forget_bias, _activation(activation) or _tanh
        for name, size in (("num_units", num_units), ("num_proj", num_proj)):
            if size and size % number_of_groups != 0:
                raise ValueError(f"{name} must be divisible by number_of_groups")

    def call(self, inputs, state):
        c, h = state
        if _width(inputs) % self._groups != 0:
            raise ValueError(f"the size of the inputs must be divisible by number_of_groups: {_width(inputs)}, {self._groups}")
        parts = []
        with _weir.variable_scope(_weir.get_variable_scope(), initializer=self._initializer):
            for i, (own_inputs, own_h) in enumerate(zip(_weir.split(inputs, self._groups, 1), _weir.split(h, self._groups, 1))):
                with _weir.variable_scope(f"group{i}"):
                    parts.append(_weir.split(linear(_weir.concat([own_inputs, own_h], 1), 4 * self._num_units // self._groups, False), 4, 1))
            biases = [_weir.get_variable(f"bias_{gate}", [self._num_units], dtype=inputs.dtype, initializer=Constant(0)) for gate in "ijfo"]
            i, j, f, o = (_op("BiasAdd", _weir.concat(list(gates), 1), bias) for gates, bias in zip(zip(*parts), biases))
            c = _sigmoid(f + self._forget_bias) * c + _sigmoid(i) * _tanh(j)
            h = _sigmoid(o) * self._activation(c)
            if self._num_proj is not None:
                with _weir.variable_scope("projection"):
                    h = linear(h, self._num_proj, False)
        return h, LSTMStateTuple(c, h)


class SRUCell(_OneSize, LayerRNNCell):
    """The simple recurrent unit, whose gates depend on the inputs only: T. Lei et al., 2017."""

    def __init__(self, num_units, activation=None, reuse=None, name=None, **kwargs):
        super().__init__(_reuse=reuse, name=name, **kwargs)
        self._num_units, self._activation = num_units, _activation(activation) or _tanh

    def build(self, inputs_shape):
        self._kernel = self.add_weight("kernel", [inputs_shape[1].value, 4 * self._num_units])
        self._bias = self.add_weight("bias", [2 * self._num_units], initializer=Constant(0))
        self.built = True

    def call(self, inputs, state):
        candidate, f, r, direct = _weir.split(_weir.matmul(inputs, self._kernel), 4, 1)
        forget, reset = _weir.split(_sigmoid(_op("BiasAdd", _weir.concat([f, r], 1), self._bias)), 2, 1)
        c = forget * state + (1.0 - forget) * candidate
        return reset * self._activation(c) + (1.0 - reset) * direct, c


class _IndependentCell(LayerRNNCell):
    """Base class of cells in which each unit sees only its own last output: S. Li et al., Independently recurrent neural network, 2018."""

    def __init__(self, num_units, activation, reuse, kernel_initializer, bias_initializer, name, dtype, kwargs):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation = num_units, _activation(activation) or _tanh
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def _add(self, width, scope, gates, recurrent_initializer=None, bias=0.0):
        """Returns the variables of a sum: a kernel, factors of the recurrent units, and a bias."""
        size = gates * self._num_units
        return (self.add_weight(f"{scope}kernel_w", [width, size], initializer=self._kernel_initializer),
                self.add_weight(f"{scope}kernel_u", [1, size], initializer=recurrent_initializer or self._kernel_initializer),
                self.add_weight(f"{scope}bias", [size], initializer=self._bias_initializer or Constant(bias)))

    @staticmethod
    def _sum(inputs, state, weights):
        kernel, factors, bias = weights
        return _op("BiasAdd", _weir.matmul(inputs, kernel) + state * factors, bias)


class IndRNNCell(_OneSize, _IndependentCell):
    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, None, None, name, dtype, kwargs)

    def build(self, inputs_shape):
        self._weights_of_sum = self._add(inputs_shape[1].value, "", 1, RandomUniform(-1, 1))
        self.built = True

    def call(self, inputs, state):
        output = self._activation(self._sum(inputs, state, self._weights_of_sum))
        return output, output


class IndyGRUCell(_OneSize, _IndependentCell):
    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, kernel_initializer, bias_initializer, name, dtype, kwargs)

    def build(self, inputs_shape):
        width = inputs_shape[1].value
        self._gates = self._add(width, "gates/", 2, bias=1.0)
        self._candidate = self._add(width, "candidate/", 1)
        self.built = True

    def call(self, inputs, state):
        r, u = _weir.split(_sigmoid(self._sum(inputs, _weir.concat([state] * 2, 1), self._gates)), 2, 1)
        candidate = self._activation(self._sum(inputs, r * state, self._candidate))
        after = u * state + (1 - u) * candidate
        return after, after


class IndyLSTMCell(_LSTMSizes, _IndependentCell):
    def __init__(self, num_units, forget_bias=1.0, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None,
                 dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, kernel_initializer, bias_initializer, name, dtype, kwargs)
        self._forget_bias = forget_bias

    def build(self, inputs_shape):
        self._weights_of_sum = self._add(inputs_shape[1].value, "", 4)
        self.built = True

    def call(self, inputs, state):
        c, h = state
        i, j, f, o = _weir.split(self._sum(inputs, _weir.concat([h] * 4, 1), self._weights_of_sum), 4, 1)
        new_c = c * _sigmoid(f + self._forget_bias) + _sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * _sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)
