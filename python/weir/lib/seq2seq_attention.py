"""Attention of tf.contrib.seq2seq: mechanisms, and a cell that attends. The computations are in C++.

To define a mechanism, derive from AttentionMechanism and implement values, batch_size, alignments_size, state_size,
initial_alignments, initial_state and __call__(query, state), which returns (alignments, next state).
"""
import collections
import functools
import math

from weir import _weir
from weir.lib.layers import Dense, Layer
from weir.lib.rnn_cell import RNNCell

_INT32 = _weir.dtypes["int32"]


def _op(op, /, *args, **kwargs):
    return _weir.op_function(op)(*args, **kwargs)


def _size(tensor, axis):
    """A dimension, as a number if it is known."""
    known = tensor.shape[axis].value
    return _op("Shape", tensor)[axis] if known is None else known


class AttentionMechanism:
    @property
    def alignments_size(self):
        raise NotImplementedError

    @property
    def state_size(self):
        raise NotImplementedError


class _BaseAttentionMechanism(AttentionMechanism):
    """A mechanism whose state is the previous alignments. Programs derive from it by this name."""

    def __init__(self, query_layer, memory, probability_fn, memory_sequence_length=None, memory_layer=None, check_inner_dims_defined=True,
                 score_mask_value=None, custom_key_value_fn=None, name=None):
        for what, layer in (("query_layer", query_layer), ("memory_layer", memory_layer)):
            if layer is not None and not isinstance(layer, Layer):
                raise TypeError(f"{what} is not a Layer: {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self._dtype = _weir.dtypes["float32"] if memory_layer is None or memory_layer.dtype is None else memory_layer.dtype
        self._score_mask_value = -math.inf if score_mask_value is None else score_mask_value
        self._given_probability_fn = probability_fn
        with _weir.name_scope(name or "BaseAttentionMechanismInit"):
            self._lengths = None if memory_sequence_length is None else _weir.convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
            self._values = _weir.nest_map_structure(lambda m: _weir.prepare_memory(m, self._lengths, check_inner_dims_defined), memory)
            self._keys = self._values if memory_layer is None else memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size, self._alignments_size = _size(self._keys, 0), _size(self._keys, 1)

    @property
    def memory_layer(self):
        return self._memory_layer

    @property
    def query_layer(self):
        return self._query_layer

    @property
    def values(self):
        return self._values

    @property
    def keys(self):
        return self._keys

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def alignments_size(self):
        return self._alignments_size

    @property
    def state_size(self):
        return self._alignments_size

    @property
    def dtype(self):
        return self._dtype

    def initial_alignments(self, batch_size, dtype):
        return _op("Fill", _weir.stack([batch_size, self._alignments_size]), _weir.cast(0, dtype))

    def initial_state(self, batch_size, dtype):
        return self.initial_alignments(batch_size, dtype)

    def _probability_fn(self, score, previous):
        return self._given_probability_fn(_maybe_mask_score(score, self._lengths, score_mask_value=self._score_mask_value), previous)

    def __call__(self, query, state):
        with _weir.variable_scope(None, default_name=self._scope):
            alignments = self._probability_fn(self._score(query), state)
        return alignments, alignments


def _softmax(score, previous):
    return _op("Softmax", score)


def _plain(probability_fn):
    return _softmax if probability_fn is None else lambda score, _: probability_fn(score)


def _maybe_mask_score(score, memory_sequence_length=None, memory_mask=None, score_mask_value=None):
    """Replaces the scores of steps beyond the length (or where the mask is false) by a value. The value may also be the third argument, as
    before TensorFlow 1.14."""
    if memory_mask is not None and not (isinstance(memory_mask, _weir.Tensor) and memory_mask.dtype == _weir.dtypes["bool"]):
        memory_mask, score_mask_value = None, memory_mask
    score_mask_value = -math.inf if score_mask_value is None else score_mask_value
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
    if memory_mask is not None:
        return _op("SelectV2", memory_mask, score, _weir.cast(score_mask_value, score.dtype))
    return score if memory_sequence_length is None else _weir.mask_score(score, memory_sequence_length, score_mask_value)


def _bahdanau_score(processed_query, keys, attention_v, attention_g=None, attention_b=None):
    """Returns the scores of a query. A boolean instead of `attention_v`, as before TensorFlow 1.14, says whether to normalize; the variables
    are then in the current scope."""
    if not isinstance(attention_v, bool):
        return _weir.bahdanau_score(processed_query, keys, attention_v, attention_g, attention_b)
    units, dtype, normalize = keys.shape[2].value, processed_query.dtype, attention_v
    v = _weir.get_variable("attention_v", [units], dtype=dtype)
    if not normalize:
        return _weir.bahdanau_score(processed_query, keys, v, None, None)
    g = _weir.get_variable("attention_g", [], dtype=dtype, initializer=_constant(math.sqrt(1 / units)))
    b = _weir.get_variable("attention_b", [units], dtype=dtype, initializer=_constant(0))
    return _weir.bahdanau_score(processed_query, keys, v, g, b)


def _luong_score(query, keys, scale):
    """Returns the scores of a query. `scale` is a factor or None; or a boolean, as before TensorFlow 1.14: then the factor is a variable."""
    if isinstance(scale, bool):
        scale = _weir.get_variable("attention_g", [], dtype=query.dtype, initializer=_constant(1)) if scale else None
    return _weir.luong_score(query, keys, scale)


def _prepare_memory(memory, memory_sequence_length=None, memory_mask=None, check_inner_dims_defined=True):
    """Returns the memory, with zeros beyond the lengths or where the mask is false."""
    if isinstance(memory_mask, bool):  # the third argument before TensorFlow 1.14
        memory_mask, check_inner_dims_defined = None, memory_mask
    if memory_mask is not None:
        if memory_sequence_length is not None:
            raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
        return _weir.nest_map_structure(lambda m: _weir.prepare_memory(m, None, check_inner_dims_defined)
                                        * _weir.cast(memory_mask, m.dtype)[(..., *[None] * (m.shape.ndims - 2))], memory)
    return _weir.nest_map_structure(lambda m: _weir.prepare_memory(m, memory_sequence_length, check_inner_dims_defined), memory)


def _projection(units, name, dtype):
    return Dense(units, use_bias=False, name=name, dtype=_weir.dtypes["float32"] if dtype is None else dtype)


class _Bahdanau(_BaseAttentionMechanism):
    def __init__(self, num_units, normalize, dtype, memory, memory_sequence_length, probability_fn, score_mask_value, custom_key_value_fn, name):
        self._num_units, self._normalize = num_units, normalize
        super().__init__(_projection(num_units, "query_layer", dtype), memory, probability_fn, memory_sequence_length,
                         _projection(num_units, "memory_layer", dtype), True, score_mask_value, custom_key_value_fn, name)

    def _score(self, query):
        return _bahdanau_score(query if self._query_layer is None else self._query_layer(query), self._keys, self._normalize)


class _Luong(_BaseAttentionMechanism):
    def __init__(self, num_units, scale, dtype, memory, memory_sequence_length, probability_fn, score_mask_value, custom_key_value_fn, name):
        self._num_units, self._scale = num_units, scale
        super().__init__(None, memory, probability_fn, memory_sequence_length, _projection(num_units, "memory_layer", dtype), True,
                         score_mask_value, custom_key_value_fn, name)

    def _score(self, query):
        return _luong_score(query, self._keys, bool(self._scale))


class BahdanauAttention(_Bahdanau):
    _scope = "bahdanau_attention"

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False, probability_fn=None, score_mask_value=None, dtype=None,
                 custom_key_value_fn=None, name="BahdanauAttention"):
        super().__init__(num_units, normalize, dtype, memory, memory_sequence_length, _plain(probability_fn), score_mask_value,
                         custom_key_value_fn, name)


class LuongAttention(_Luong):
    _scope = "luong_attention"

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False, probability_fn=None, score_mask_value=None, dtype=None,
                 custom_key_value_fn=None, name="LuongAttention"):
        super().__init__(num_units, scale, dtype, memory, memory_sequence_length, _plain(probability_fn), score_mask_value, custom_key_value_fn,
                         name)


class _Monotonic:
    """Adds a learned bias to the score, and starts at the first step of the memory."""

    def _score(self, query):
        bias = _weir.get_variable("attention_score_bias", [], dtype=query.dtype, initializer=_constant(self._score_bias_init))
        return super()._score(query) + bias

    def initial_alignments(self, batch_size, dtype):
        first = _op("Fill", _weir.stack([batch_size]), _weir.cast(0, _INT32))
        return _weir.one_hot(first, self._alignments_size, dtype=dtype)

    @staticmethod
    def _probabilities(noise, mode, seed):
        return functools.partial(_weir.monotonic_probability_fn, sigmoid_noise=noise, mode=mode, seed=seed)


class BahdanauMonotonicAttention(_Monotonic, _Bahdanau):
    _scope = "bahdanau_monotonic_attention"

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False, score_mask_value=None, sigmoid_noise=0.,
                 sigmoid_noise_seed=None, score_bias_init=0., mode="parallel", dtype=None, name="BahdanauMonotonicAttention"):
        self._score_bias_init = score_bias_init
        super().__init__(num_units, normalize, dtype, memory, memory_sequence_length, self._probabilities(sigmoid_noise, mode, sigmoid_noise_seed),
                         score_mask_value, None, name)


class LuongMonotonicAttention(_Monotonic, _Luong):
    _scope = "luong_monotonic_attention"

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False, score_mask_value=None, sigmoid_noise=0.,
                 sigmoid_noise_seed=None, score_bias_init=0., mode="parallel", dtype=None, name="LuongMonotonicAttention"):
        self._score_bias_init = score_bias_init
        super().__init__(num_units, scale, dtype, memory, memory_sequence_length, self._probabilities(sigmoid_noise, mode, sigmoid_noise_seed),
                         score_mask_value, None, name)


def _constant(value):
    from weir.lib.initializers import Constant
    return Constant(value)


# --- the cell ---
def _same_shape(old, new):
    if isinstance(old, _weir.Tensor) and isinstance(new, _weir.Tensor) and not old.shape.is_compatible_with(new.shape):
        raise ValueError(f"Shapes {old.shape} and {new.shape} are incompatible")
    return new


class AttentionWrapperState(collections.namedtuple("AttentionWrapperState", ("cell_state", "attention", "time", "alignments", "alignment_history",
                                                                             "attention_state"))):
    __slots__ = ()

    def clone(self, **kwargs):
        """A copy with some fields replaced, by values of the same shapes."""
        return _weir.nest_map_structure(_same_shape, self, self._replace(**kwargs))


def _joined(inputs, attention):
    return _weir.concat([inputs, attention], -1)


class AttentionWrapper(RNNCell):
    def __init__(self, cell, attention_mechanism, attention_layer_size=None, alignment_history=False, cell_input_fn=None, output_attention=True,
                 initial_cell_state=None, name=None, attention_layer=None, attention_fn=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        for needed in ("output_size", "state_size"):
            if not hasattr(cell, needed):
                raise TypeError(f"The argument 'cell' ({cell!r}) is not an RNNCell: '{needed}' property is missing")
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._attention_mechanisms = tuple(attention_mechanism) if self._is_multi else (attention_mechanism,)
        for mechanism in self._attention_mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError(f"attention_mechanism must be an AttentionMechanism instance, or a list of them, but saw: {mechanism!r}")
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}")
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        self._cell, self._cell_input_fn, self._attention_fn = cell, cell_input_fn or _joined, attention_fn or _compute_attention
        self._output_attention, self._alignment_history = output_attention, alignment_history
        self._attention_layers, self._attention_layer_size = self._layers(attention_layer_size, attention_layer)
        with _weir.name_scope(name or "AttentionWrapperInit"):
            self._initial_cell_state = None
            if initial_cell_state is not None:
                rows = _size(_weir.nest_flatten(initial_cell_state)[-1], 0)
                self._initial_cell_state = self._checked("initial_cell_state", rows, initial_cell_state, "check_initial_cell_state")

    def _layers(self, sizes, layers):
        """Returns the layers that are applied to the contexts, and the total width of their outputs."""
        def listed(values, what):
            values = tuple(values) if isinstance(values, (list, tuple)) else (values,)
            if len(values) != len(self._attention_mechanisms):
                raise ValueError(f"If provided, {what} must contain exactly one entry per attention_mechanism, saw: {len(values)} vs "
                                 f"{len(self._attention_mechanisms)}")
            return values
        widths = [mechanism.values.shape[-1].value for mechanism in self._attention_mechanisms]
        if sizes is not None:
            sizes = listed(sizes, "attention_layer_size")
            made = tuple(_projection(size, "attention_layer", mechanism.dtype) for size, mechanism in zip(sizes, self._attention_mechanisms))
            return made, sum(sizes)
        if layers is not None:
            layers = listed(layers, "attention_layer")
            return layers, sum(layer.compute_output_shape(_weir.TensorShape([None, self._cell.output_size + width]))[-1].value
                               for layer, width in zip(layers, widths))
        return None, sum(widths)

    def _batch_size_checks(self, batch_size, error_message):
        """Returns ops that fail if a memory has another batch size. Raises ValueError if both sizes are known."""
        checks = []
        for mechanism in self._attention_mechanisms:
            sizes = (batch_size, mechanism.batch_size)
            if all(isinstance(size, int) for size in sizes):
                if sizes[0] != sizes[1]:
                    raise ValueError(f"{error_message} Batch sizes: {sizes[1]} and {sizes[0]}")
            else:
                checks.append(_weir.assert_equal(mechanism.batch_size, batch_size, message=error_message))
        return checks

    def _checked(self, what, batch_size, values, name):
        """Fails at run time if the batch sizes of the memory and of the values differ."""
        message = (f"When using AttentionWrapper {self._base_name}: Non-matching batch sizes between the memory (encoder output) and {what}. "
                   "Are you using the BeamSearchDecoder? You may need to tile your memory, its lengths and the initial state via the tf.tile_batch "
                   "function with argument multiple=beam_width.")
        with _weir.control_dependencies(self._batch_size_checks(batch_size, message)):
            return _weir.nest_map_structure(lambda v: v if isinstance(v, _weir.TensorArray) else _op("Identity", v, name=name), values)

    def _item_or_tuple(self, values):
        values = tuple(values)
        return values if self._is_multi else values[0]

    def _tuple(self, values):
        return tuple(values) if self._is_multi else (values,)

    @property
    def output_size(self):
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self):
        sizes = self._item_or_tuple(mechanism.alignments_size for mechanism in self._attention_mechanisms)
        return AttentionWrapperState(cell_state=self._cell.state_size, time=_weir.TensorShape([]), attention=self._attention_layer_size,
                                     alignments=sizes, attention_state=self._item_or_tuple(m.state_size for m in self._attention_mechanisms),
                                     alignment_history=self._item_or_tuple(m.alignments_size if self._alignment_history else ()
                                                                           for m in self._attention_mechanisms))

    def zero_state(self, batch_size, dtype):
        with _weir.name_scope(type(self).__name__ + "ZeroState"):
            state = self._initial_cell_state
            if state is None:
                state = self._cell.zero_state(batch_size, dtype)
            state = self._checked("the requested batch size", batch_size, state, "checked_cell_state")
            alignments = [mechanism.initial_alignments(batch_size, dtype) for mechanism in self._attention_mechanisms]
            return AttentionWrapperState(
                cell_state=state, time=_weir.cast(0, _INT32), alignments=self._item_or_tuple(alignments),
                attention=_weir.zeros_for_batch(batch_size, _weir.TensorShape([self._attention_layer_size]), dtype),
                attention_state=self._item_or_tuple(m.initial_state(batch_size, dtype) for m in self._attention_mechanisms),
                alignment_history=self._item_or_tuple(
                    _weir.TensorArray(dtype, size=0, dynamic_size=True, element_shape=a.shape) if self._alignment_history else ()
                    for a in alignments))

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            return super().get_initial_state(inputs, batch_size, dtype)
        return self.zero_state(batch_size, dtype)

    def call(self, inputs, state):
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(f"Expected state to be instance of AttentionWrapperState. Received type {type(state)} instead.")
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        output = self._checked("the query (decoder output)", _size(output, 0), output, "checked_cell_output")
        layers = self._attention_layers or [None] * len(self._attention_mechanisms)
        attentions, alignments, states, histories = [], [], [], []
        for mechanism, layer, before, history in zip(self._attention_mechanisms, layers, self._tuple(state.attention_state),
                                                     self._tuple(state.alignment_history)):
            attention, aligned, after = self._attention_fn(mechanism, output, before, layer)
            attentions.append(attention)
            alignments.append(aligned)
            states.append(after)
            histories.append(history.write(state.time, aligned) if self._alignment_history else ())
        attention = attentions[0] if len(attentions) == 1 else _weir.concat(attentions, 1)
        after = AttentionWrapperState(cell_state=cell_state, time=state.time + 1, attention=attention, alignments=self._item_or_tuple(alignments),
                                      attention_state=self._item_or_tuple(states), alignment_history=self._item_or_tuple(histories))
        return (attention if self._output_attention else output), after


def _compute_attention(mechanism, output, state, layer):
    alignments, state = mechanism(output, state=state)
    context = _weir.attention_context(alignments, mechanism.values)
    return (context if layer is None else layer(_weir.concat([output, context], 1))), alignments, state
