"""Keras cells and recurrent layers. The steps of cells are in C++; the loop is tf.nn.dynamic_rnn's."""
import weir as tf
from weir import _weir
from weir.lib.keras import activations, constraints, initializers, regularizers
from weir.lib.keras.base import InputSpec, Layer, _snake_case, flatten
from weir.lib.keras.core import training_value

_CELL_OPTIONS = ("activation", "recurrent_activation", "use_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer", "unit_forget_bias",
                 "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "kernel_constraint", "recurrent_constraint", "bias_constraint",
                 "dropout", "recurrent_dropout", "implementation", "reset_after")


def _sizes(state_size):
    return list(state_size) if isinstance(state_size, (list, tuple)) else [state_size]


def _zero_states(cell, batch_size, dtype):
    return [_weir.zeros_for_batch(batch_size, tf.TensorShape(size), tf.as_dtype(dtype)) for size in _flat_sizes(cell.state_size)]


def _flat_sizes(state_size):
    return [leaf for one in _sizes(state_size) for leaf in (_sizes(one) if isinstance(one, (list, tuple)) else [one])]


class AbstractRNNCell(Layer):
    """Base class of cells: state_size, output_size and call(inputs, states) -> (output, new states)."""

    def call(self, inputs, states):
        raise NotImplementedError("Abstract method")

    @property
    def state_size(self):
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self):
        raise NotImplementedError("Abstract method")

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
        return _weir.nest_pack_sequence_as(self.state_size, _zero_states(self, batch_size, dtype))


class _Cell(Layer):
    """A cell with a kernel, a recurrent kernel and a bias."""
    gates = 1

    def _set(self, units, activation, recurrent_activation, use_bias, kernel, recurrent, bias, dropout, recurrent_dropout):
        self.units, self.activation, self.use_bias = int(units), activations.get(activation), use_bias
        self.recurrent_activation = activations.get(recurrent_activation) if recurrent_activation is not None else None
        for name, (initializer, regularizer, constraint) in (("kernel", kernel), ("recurrent", recurrent), ("bias", bias)):
            setattr(self, f"{name}_initializer", initializers.get(initializer))
            setattr(self, f"{name}_regularizer", regularizers.get(regularizer))
            setattr(self, f"{name}_constraint", constraints.get(constraint))
        self.dropout, self.recurrent_dropout = min(1.0, max(0.0, dropout)), min(1.0, max(0.0, recurrent_dropout))
        self._masks = None

    @property
    def state_size(self):
        return self.units

    @property
    def output_size(self):
        return self.units

    def _bias_initializer(self):
        return self.bias_initializer

    def _bias_shape(self):
        return (self.gates * self.units,)

    def build(self, input_shape):
        width = tf.TensorShape(input_shape)[-1].value
        self.kernel = self.add_weight("kernel", (width, self.gates * self.units), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.recurrent_kernel = self.add_weight("recurrent_kernel", (self.units, self.gates * self.units), initializer=self.recurrent_initializer,
                                                regularizer=self.recurrent_regularizer, constraint=self.recurrent_constraint)
        self.bias = self.add_weight("bias", self._bias_shape(), initializer=self._bias_initializer(), regularizer=self.bias_regularizer,
                                    constraint=self.bias_constraint) if self.use_bias else None
        self.built = True

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
        states = _zero_states(self, batch_size, dtype)
        return states if isinstance(self.state_size, (list, tuple)) else states[0]

    # --- dropout, with the same masks in all steps
    def _draw_masks(self, inputs, batch_size, training):
        """Draws the masks of a sequence, outside of its loop."""
        def mask(rate, width):
            return _weir.dropout_layer(tf.ones(tf.stack([batch_size, width]), inputs.dtype), rate, None, None, training) if rate else None
        self._masks = (mask(self.dropout, inputs.shape[-1].value), mask(self.recurrent_dropout, self.units))

    def _dropped(self, inputs, hidden, training):
        if not self.dropout and not self.recurrent_dropout:
            return inputs, hidden
        if self._masks is None:
            self._draw_masks(inputs, tf.shape(inputs)[0], training_value(training))
        of_inputs, of_hidden = self._masks
        return (inputs if of_inputs is None else inputs * of_inputs), (hidden if of_hidden is None else hidden * of_hidden)

    def reset_dropout_mask(self):
        self._masks = None

    def reset_recurrent_dropout_mask(self):
        self._masks = None

    def get_config(self):
        config = {"units": self.units, "activation": activations.serialize(self.activation), "use_bias": self.use_bias, "dropout": self.dropout,
                  "recurrent_dropout": self.recurrent_dropout}
        if self.recurrent_activation is not None:
            config["recurrent_activation"] = activations.serialize(self.recurrent_activation)
        for name in ("kernel", "recurrent", "bias"):
            config[f"{name}_initializer"] = initializers.serialize(getattr(self, f"{name}_initializer"))
            config[f"{name}_regularizer"] = regularizers.serialize(getattr(self, f"{name}_regularizer"))
            config[f"{name}_constraint"] = constraints.serialize(getattr(self, f"{name}_constraint"))
        for name in ("reset_after", "unit_forget_bias", "implementation"):
            if hasattr(self, name):
                config[name] = getattr(self, name)
        return {**super().get_config(), **config}


class SimpleRNNCell(_Cell):
    def __init__(self, units, activation="tanh", use_bias=True, kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal",
                 bias_initializer="zeros", kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self._set(units, activation, None, use_bias, (kernel_initializer, kernel_regularizer, kernel_constraint),
                  (recurrent_initializer, recurrent_regularizer, recurrent_constraint), (bias_initializer, bias_regularizer, bias_constraint), dropout,
                  recurrent_dropout)

    def call(self, inputs, states, training=None):
        inputs, hidden = self._dropped(inputs, flatten(states)[0], training)
        output = _weir.keras_rnn_step(inputs, hidden, self.kernel, self.recurrent_kernel, self.bias, self.activation)
        return output, [output]


class GRUCell(_Cell):
    gates = 3

    def __init__(self, units, activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", kernel_regularizer=None, recurrent_regularizer=None,
                 bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0,
                 implementation=1, reset_after=False, **kwargs):
        super().__init__(**kwargs)
        self._set(units, activation, recurrent_activation, use_bias, (kernel_initializer, kernel_regularizer, kernel_constraint),
                  (recurrent_initializer, recurrent_regularizer, recurrent_constraint), (bias_initializer, bias_regularizer, bias_constraint), dropout,
                  recurrent_dropout)
        self.implementation, self.reset_after = implementation, reset_after

    def _bias_shape(self):
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def call(self, inputs, states, training=None):
        inputs, hidden = self._dropped(inputs, flatten(states)[0], training)
        output = _weir.keras_gru_step(inputs, hidden, self.kernel, self.recurrent_kernel, self.bias, self.activation, self.recurrent_activation,
                                      self.reset_after)
        return output, [output]


class LSTMCell(_Cell):
    gates = 4

    def __init__(self, units, activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", unit_forget_bias=True, kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None,
                 dropout=0.0, recurrent_dropout=0.0, implementation=1, **kwargs):
        super().__init__(**kwargs)
        self._set(units, activation, recurrent_activation, use_bias, (kernel_initializer, kernel_regularizer, kernel_constraint),
                  (recurrent_initializer, recurrent_regularizer, recurrent_constraint), (bias_initializer, bias_regularizer, bias_constraint), dropout,
                  recurrent_dropout)
        self.implementation, self.unit_forget_bias = implementation, unit_forget_bias

    @property
    def state_size(self):
        return [self.units, self.units]

    def _bias_initializer(self):
        if not self.unit_forget_bias:
            return self.bias_initializer

        def initial(shape, dtype=None, **unused):
            parts = [self.bias_initializer([self.units], dtype=dtype), tf.ones([self.units], dtype), self.bias_initializer([2 * self.units], dtype=dtype)]
            return tf.concat(parts, 0)

        return initial

    def call(self, inputs, states, training=None):
        hidden, memory = flatten(states)
        inputs, hidden = self._dropped(inputs, hidden, training)
        output, memory = _weir.keras_lstm_step(inputs, hidden, memory, self.kernel, self.recurrent_kernel, self.bias, self.activation,
                                               self.recurrent_activation)
        return output, [output, memory]


class StackedRNNCells(Layer):
    """Cells that run one after the other in each step."""

    def __init__(self, cells, **kwargs):
        self_reverse = kwargs.pop("reverse_state_order", False)
        super().__init__(**kwargs)
        for cell in cells:
            if not hasattr(cell, "call") or not hasattr(cell, "state_size"):
                raise ValueError(f"All cells must have a `call` method and a `state_size` attribute. Received cell: {cell}")
        self.cells, self.reverse_state_order = list(cells), self_reverse

    @property
    def state_size(self):
        order = reversed(self.cells) if self.reverse_state_order else self.cells
        return tuple(cell.state_size for cell in order)

    @property
    def output_size(self):
        last = self.cells[-1]
        return getattr(last, "output_size", None) or _sizes(last.state_size)[0]

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
        return _weir.nest_pack_sequence_as(self.state_size, _zero_states(self, batch_size, dtype))

    def build(self, input_shape):
        shape = tf.TensorShape(input_shape)
        for i, cell in enumerate(self.cells):
            if isinstance(cell, Layer) and not cell.built:
                with tf.name_scope(cell.name):
                    cell._dtype = cell._dtype or self._dtype
                    cell.build(shape)
                    cell.built = True
            shape = tf.TensorShape([shape[0].value, getattr(cell, "output_size", None) or _sizes(cell.state_size)[0]])
        self.built = True

    def call(self, inputs, states, training=None):
        flat, parts = flatten(states), []
        for cell in (reversed(self.cells) if self.reverse_state_order else self.cells):
            count = len(_flat_sizes(cell.state_size))
            parts.append(flat[:count])
            flat = flat[count:]
        if self.reverse_state_order:
            parts.reverse()
        after = []
        for cell, own in zip(self.cells, parts):
            inputs, own = cell.call(inputs, own)
            after.append(flatten(own))
        if self.reverse_state_order:
            after.reverse()
        return inputs, [leaf for own in after for leaf in own]

    def _draw_masks(self, inputs, batch_size, training):
        for cell in self.cells[:1]:
            if hasattr(cell, "_draw_masks"):
                cell._draw_masks(inputs, batch_size, training)
        for before, cell in zip(self.cells, self.cells[1:]):
            if hasattr(cell, "_draw_masks"):
                width = getattr(before, "output_size", None) or _sizes(before.state_size)[0]
                cell._draw_masks(tf.zeros([1, width], inputs.dtype), batch_size, training)


class _Step:
    """Adapts a Keras cell to tf.nn.dynamic_rnn. Where the mask is false, a row keeps its previous state and output."""

    def __init__(self, layer, training, masked):
        self.layer, self.training, self.masked = layer, training, masked
        cell = layer.cell
        self.sizes = _flat_sizes(cell.state_size)
        self.output_size = getattr(cell, "output_size", None) or self.sizes[0]
        self.state_size = (tuple(self.sizes), (self.output_size,)) if masked else tuple(self.sizes)

    def __call__(self, inputs, states):
        x, mask = inputs if self.masked else (inputs, None)
        own, before = states if self.masked else (states, None)
        keywords = {"training": self.training} if "training" in Layer._call_parameters(self.layer.cell) and self.training is not None else {}
        output, after = self.layer.cell.call(x, list(own), **keywords)
        after = flatten(after)
        if not self.masked:
            return output, tuple(after)
        kept = tf.squeeze(mask, [1])
        output = _weir.keras_kept_rows(kept, output, before[0])
        after = [_weir.keras_kept_rows(kept, new, old) for new, old in zip(after, own)]
        return output, (tuple(after), (output,))


class RNN(Layer):
    """Runs a cell over the time steps of sequences: [batch, time, ...]."""

    def __init__(self, cell, return_sequences=False, return_state=False, go_backwards=False, stateful=False, unroll=False, time_major=False, **kwargs):
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, "call") or not hasattr(cell, "state_size"):
            raise ValueError(f"`cell` should have a `call` method and a `state_size` attribute. The RNN was passed: {cell}")
        zero_output_for_mask = kwargs.pop("zero_output_for_mask", False)
        if "input_shape" not in kwargs and ("input_dim" in kwargs or "input_length" in kwargs):
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim", None))
        super().__init__(**kwargs)
        self.cell, self.return_sequences, self.return_state, self.go_backwards = cell, return_sequences, return_state, go_backwards
        self.stateful, self.unroll, self.time_major, self.supports_masking = stateful, unroll, time_major, True
        self._states, self.zero_output_for_mask = None, zero_output_for_mask

    @property
    def states(self):
        return [None] * len(_flat_sizes(self.cell.state_size)) if self._states is None else self._states

    def build(self, input_shape):
        shape = tf.TensorShape(input_shape[0] if isinstance(input_shape, list) else input_shape)
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell._dtype = self.cell._dtype or self._dtype
            with tf.name_scope(self.cell.name):
                self.cell.build(tf.TensorShape([shape[1 if self.time_major else 0].value, *shape.as_list()[2:]]))
            self.cell.built = True
        if self.stateful:
            self._make_states(shape[1 if self.time_major else 0].value)
        self.built = True

    def _make_states(self, batch):
        if batch is None:
            raise ValueError("If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input tensors: with `batch_input_shape` "
                             "or the `batch_shape` argument of Input.")
        made = [tf.Variable(tf.zeros([batch, *tf.TensorShape(size).as_list()], tf.as_dtype(self._dtype)), trainable=False, use_resource=True)
                for size in _flat_sizes(self.cell.state_size)]
        object.__setattr__(self, "_states", made)

    def get_initial_state(self, inputs):
        return _zero_states(self.cell, self._batch(inputs), inputs.dtype)

    def _batch(self, inputs):
        axis = 1 if self.time_major else 0
        known = inputs.shape[axis].value
        return tf.shape(inputs)[axis] if known is None else known

    def __call__(self, inputs, initial_state=None, constants=None, **kwargs):
        if constants is not None:
            raise NotImplementedError("constants of recurrent layers are not supported. Instead: a cell that refers to the tensors")
        if isinstance(inputs, (list, tuple)) and initial_state is None:
            inputs, initial_state = inputs[0], list(inputs[1:]) or None
        if initial_state is not None:
            kwargs["initial_state"] = flatten(initial_state)
        return super().__call__(inputs, **kwargs)

    def call(self, inputs, mask=None, training=None, initial_state=None):
        return self._run(inputs, mask, training, initial_state)

    def _run(self, inputs, mask, training, initial_state):
        if isinstance(mask, (list, tuple)):
            mask = mask[0]
        states = initial_state if initial_state is not None else [v.read_value() for v in self._states] if self.stateful else self.get_initial_state(inputs)
        if len(states) != len(_flat_sizes(self.cell.state_size)):
            raise ValueError(f"Layer has {len(_flat_sizes(self.cell.state_size))} states but was passed {len(states)} initial states.")
        time_axis = 0 if self.time_major else 1
        if self.go_backwards:
            inputs = tf.reverse(inputs, [time_axis])
            mask = None if mask is None else tf.reverse(mask, [time_axis])
        if hasattr(self.cell, "_draw_masks"):
            self.cell._draw_masks(inputs, self._batch(inputs), training_value(training))
        step = _Step(self, training, mask is not None)
        given, first = inputs, tuple(states)
        if mask is not None:
            given = (inputs, tf.expand_dims(mask, -1))
            first = (tuple(states), (_weir.zeros_for_batch(self._batch(inputs), tf.TensorShape(step.output_size), inputs.dtype),))
        outputs, after = tf.nn.dynamic_rnn(step, given, initial_state=first, dtype=inputs.dtype, time_major=self.time_major)
        if hasattr(self.cell, "reset_dropout_mask"):
            self.cell.reset_dropout_mask()
        final = list(after[0]) if mask is not None else list(after)
        last = outputs[-1] if self.time_major else outputs[:, -1]
        if mask is not None:
            last = after[1][0]
            if self.zero_output_for_mask:
                outputs = outputs * tf.cast(given[1], outputs.dtype)
        if self.stateful:
            self.add_update([v.assign(value) for v, value in zip(self._states, final)])
        output = outputs if self.return_sequences else last
        if not self.return_state:
            return output
        packed = _weir.nest_pack_sequence_as(self.cell.state_size, final) if isinstance(self.cell.state_size, (list, tuple)) else final
        return [output, *packed]

    def compute_mask(self, inputs, mask=None):
        mask = mask[0] if isinstance(mask, list) else mask
        kept = mask if self.return_sequences else None
        return [kept] + [None] * len(_flat_sizes(self.cell.state_size)) if self.return_state else kept

    def reset_states(self, states=None):
        from weir.lib.keras import backend
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        if self._states is None:
            raise ValueError("The layer has no states yet: call it first")
        import numpy as np
        values = [np.zeros(v.shape.as_list(), v.dtype.as_numpy_dtype) for v in self._states] if states is None else flatten(states)
        backend.batch_set_value(list(zip(self._states, values)))

    def get_config(self):
        config = {"return_sequences": self.return_sequences, "return_state": self.return_state, "go_backwards": self.go_backwards,
                  "stateful": self.stateful, "unroll": self.unroll, "time_major": self.time_major}
        return {**super().get_config(), **config, "cell": {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}}


class _CellLayer(RNN):
    """A recurrent layer with a cell of its own; the variables have the names of the layer."""

    def _init(self, cell_class, cell_options, activity_regularizer, return_sequences, return_state, go_backwards, stateful, unroll, kwargs):
        cell_options["dtype"], cell_options["name"] = kwargs.get("dtype"), _snake_case(cell_class.__name__)
        super().__init__(cell_class(**cell_options), return_sequences, return_state, go_backwards, stateful, unroll, **kwargs)
        self._activity_regularizer = regularizers.get(activity_regularizer)
        self.input_spec = InputSpec(ndim=3)

    def __getattr__(self, name):
        if name in ("units", "kernel", "recurrent_kernel", "bias") + _CELL_OPTIONS + tuple(f"{n}_{p}" for n in ("kernel", "recurrent", "bias") for p in (
                "initializer", "regularizer", "constraint")):
            return getattr(self.__dict__["cell"], name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def get_config(self):
        config = super().get_config()
        del config["cell"], config["time_major"]
        own = {key: value for key, value in self.cell.get_config().items() if key not in ("name", "trainable", "dtype")}
        return {**config, **own}


class SimpleRNN(_CellLayer):
    def __init__(self, units, activation="tanh", use_bias=True, kernel_initializer="glorot_uniform", recurrent_initializer="orthogonal",
                 bias_initializer="zeros", kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, return_sequences=False,
                 return_state=False, go_backwards=False, stateful=False, unroll=False, **kwargs):
        options = dict(units=units, activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
                       recurrent_initializer=recurrent_initializer, bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
                       recurrent_regularizer=recurrent_regularizer, bias_regularizer=bias_regularizer, kernel_constraint=kernel_constraint,
                       recurrent_constraint=recurrent_constraint, bias_constraint=bias_constraint, dropout=dropout, recurrent_dropout=recurrent_dropout)
        self._init(SimpleRNNCell, options, activity_regularizer, return_sequences, return_state, go_backwards, stateful, unroll, kwargs)


class GRU(_CellLayer):
    def __init__(self, units, activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", kernel_regularizer=None, recurrent_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None, bias_constraint=None,
                 dropout=0.0, recurrent_dropout=0.0, implementation=1, return_sequences=False, return_state=False, go_backwards=False,
                 stateful=False, unroll=False, reset_after=False, **kwargs):
        options = dict(units=units, activation=activation, recurrent_activation=recurrent_activation, use_bias=use_bias,
                       kernel_initializer=kernel_initializer, recurrent_initializer=recurrent_initializer, bias_initializer=bias_initializer,
                       kernel_regularizer=kernel_regularizer, recurrent_regularizer=recurrent_regularizer, bias_regularizer=bias_regularizer,
                       kernel_constraint=kernel_constraint, recurrent_constraint=recurrent_constraint, bias_constraint=bias_constraint, dropout=dropout,
                       recurrent_dropout=recurrent_dropout, implementation=implementation, reset_after=reset_after)
        self._init(GRUCell, options, activity_regularizer, return_sequences, return_state, go_backwards, stateful, unroll, kwargs)


class LSTM(_CellLayer):
    def __init__(self, units, activation="tanh", recurrent_activation="hard_sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", unit_forget_bias=True, kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0.0, recurrent_dropout=0.0, implementation=1, return_sequences=False, return_state=False,
                 go_backwards=False, stateful=False, unroll=False, **kwargs):
        options = dict(units=units, activation=activation, recurrent_activation=recurrent_activation, use_bias=use_bias,
                       kernel_initializer=kernel_initializer, recurrent_initializer=recurrent_initializer, bias_initializer=bias_initializer,
                       unit_forget_bias=unit_forget_bias, kernel_regularizer=kernel_regularizer, recurrent_regularizer=recurrent_regularizer,
                       bias_regularizer=bias_regularizer, kernel_constraint=kernel_constraint, recurrent_constraint=recurrent_constraint,
                       bias_constraint=bias_constraint, dropout=dropout, recurrent_dropout=recurrent_dropout, implementation=implementation)
        self._init(LSTMCell, options, activity_regularizer, return_sequences, return_state, go_backwards, stateful, unroll, kwargs)
