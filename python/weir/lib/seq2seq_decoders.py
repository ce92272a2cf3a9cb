"""Decoders of tf.contrib.seq2seq, and the function that runs them. The loop and the beam search are in C++.

To define a decoder, derive from Decoder and implement batch_size, output_size, output_dtype, initialize and step.
"""
import collections

from weir import _weir
from weir.lib.layers import Layer

_INT32, _BOOL = _weir.dtypes["int32"], _weir.dtypes["bool"]


class Decoder:
    @property
    def batch_size(self):
        raise NotImplementedError

    @property
    def output_size(self):
        raise NotImplementedError

    @property
    def output_dtype(self):
        raise NotImplementedError

    def initialize(self, name=None):
        """Returns (finished, first inputs, first state)."""
        raise NotImplementedError

    def step(self, time, inputs, state, name=None):
        """Returns (outputs, next state, next inputs, finished)."""
        raise NotImplementedError

    def finalize(self, outputs, final_state, sequence_lengths):
        """Returns (outputs, state) after the last step."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self):
        """True if a finished sequence may become unfinished, as when beams change places."""
        return False


def dynamic_decode(decoder, output_time_major=False, impute_finished=False, maximum_iterations=None, parallel_iterations=32, swap_memory=False,
                   scope=None, **kwargs):
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    return _weir.dynamic_decode(decoder, output_time_major, impute_finished, maximum_iterations, parallel_iterations, swap_memory, scope, kwargs)


class BasicDecoderOutput(collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))):
    __slots__ = ()


def _output_size(cell, layer, leading):
    """The shape of a cell's output after an optional layer; `leading` are dimensions between the batch and the output."""
    size = cell.output_size
    if layer is None:
        return size
    shapes = _weir.nest_map_structure(lambda s: layer.compute_output_shape(_weir.TensorShape([None] * (1 + leading)).concatenate(s)),
                                      _weir.nest_map_structure(_weir.TensorShape, size))
    return _weir.nest_map_structure(lambda s: s[1 + leading:], shapes)


def _check(cell, layer):
    for needed in ("output_size", "state_size"):
        if not hasattr(cell, needed):
            raise TypeError(f"The argument 'cell' ({cell!r}) is not an RNNCell: '{needed}' property is missing")
    if not callable(cell):
        raise TypeError(f"The argument 'cell' ({cell!r}) is not an RNNCell: it is not callable")
    if layer is not None and not isinstance(layer, Layer):
        raise TypeError(f"output_layer must be a Layer, received: {type(layer)}")


class BasicDecoder(Decoder):
    def __init__(self, cell, helper, initial_state, output_layer=None):
        from weir.lib.seq2seq_helpers import Helper
        _check(cell, output_layer)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        self._cell, self._helper, self._initial_state, self._output_layer = cell, helper, initial_state, output_layer

    @property
    def batch_size(self):
        return self._helper.batch_size

    @property
    def output_size(self):
        return BasicDecoderOutput(rnn_output=_output_size(self._cell, self._output_layer, 0), sample_id=self._helper.sample_ids_shape)

    @property
    def output_dtype(self):
        dtype = _weir.nest_flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(_weir.nest_map_structure(lambda _: dtype, self.output_size.rnn_output), self._helper.sample_ids_dtype)

    def initialize(self, name=None):
        return tuple(self._helper.initialize()) + (self._initial_state,)

    def step(self, time, inputs, state, name=None):
        with _weir.name_scope(name or "BasicDecoderStep"):
            outputs, cell_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            sample_ids = self._helper.sample(time=time, outputs=outputs, state=cell_state)
            finished, next_inputs, next_state = self._helper.next_inputs(time=time, outputs=outputs, state=cell_state, sample_ids=sample_ids)
        return BasicDecoderOutput(outputs, sample_ids), next_state, next_inputs, finished


# --- beam search ---
class BeamSearchDecoderState(collections.namedtuple("BeamSearchDecoderState",
                                                    ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"))):
    __slots__ = ()


class BeamSearchDecoderOutput(collections.namedtuple("BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids"))):
    __slots__ = ()


class FinalBeamSearchDecoderOutput(collections.namedtuple("FinalBeamDecoderOutput", ("predicted_ids", "beam_search_decoder_output"))):
    __slots__ = ()


def _is_array(value):
    return isinstance(value, _weir.TensorArray)


def _is_zero(weight):
    return isinstance(weight, (int, float)) and weight == 0


class BeamSearchDecoder(Decoder):
    def __init__(self, cell, embedding, start_tokens, end_token, initial_state, beam_width, output_layer=None, length_penalty_weight=0.0,
                 coverage_penalty_weight=0.0, reorder_tensor_arrays=True):
        from weir.lib.seq2seq_helpers import _embedding_function
        _check(cell, output_layer)
        self._cell, self._output_layer, self._reorder = cell, output_layer, reorder_tensor_arrays
        self._embedding_fn = _embedding_function(embedding)
        start = _weir.convert_to_tensor(start_tokens, dtype=_INT32, name="start_tokens")
        if start.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = _weir.convert_to_tensor(end_token, dtype=_INT32, name="end_token")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        known = start.shape[0].value
        self._batch_size = _weir.op_function("Size")(start) if known is None else known
        self._beam_width = beam_width
        self._length_penalty_weight, self._coverage_penalty_weight = length_penalty_weight, coverage_penalty_weight
        self._initial_cell_state = self._each_state(self._split, initial_state)
        self._start_tokens = _weir.split_beams(_weir.tile_batch(start, beam_width), self._batch_size, beam_width)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def _split(self, value):
        return _weir.split_beams(value, self._batch_size, self._beam_width)

    @staticmethod
    def _each_state(function, state):
        """Applies a function to the tensors of a cell's state. TensorArrays stay unchanged."""
        return _weir.nest_map_structure(lambda value: value if _is_array(value) else function(value), state)

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def tracks_own_finished(self):
        return True

    @property
    def output_size(self):
        size = _weir.TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(scores=size, predicted_ids=size, parent_ids=size)

    @property
    def output_dtype(self):
        return BeamSearchDecoderOutput(scores=self._dtype, predicted_ids=_INT32, parent_ids=_INT32)

    @property
    def _dtype(self):
        return next(value.dtype for value in _weir.nest_flatten(self._initial_cell_state) if value.dtype.is_floating)

    def _attention_probs(self, cell_state):
        """The alignments of an AttentionWrapper, if they are needed."""
        if _is_zero(self._coverage_penalty_weight):
            return None
        from weir.lib.seq2seq_attention import AttentionWrapperState

        def found(state):
            if isinstance(state, AttentionWrapperState):
                return list(state.alignments) if isinstance(state.alignments, tuple) else [state.alignments]
            return sum((found(part) for part in state), []) if isinstance(state, tuple) else []
        probs = found(cell_state)
        return None if not probs else probs[0] if len(probs) == 1 else _weir.concat(probs, -1)

    def initialize(self, name=None):
        log_probs, finished, lengths = _weir.first_beams(self._batch_size, self._beam_width, self._dtype)
        attention = self._attention_probs(self._initial_cell_state)
        state = BeamSearchDecoderState(self._initial_cell_state, log_probs, finished, lengths, () if attention is None else attention)
        return finished, self._start_inputs, state

    def step(self, time, inputs, state, name=None):
        with _weir.name_scope(name or "BeamSearchDecoderStep"):
            merged = self._each_state(_weir.merge_beams, state.cell_state)
            outputs, cell_state = self._cell(_weir.nest_map_structure(_weir.merge_beams, inputs), merged)
            outputs, cell_state = self._split(outputs), self._each_state(self._split, cell_state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            attention = self._attention_probs(cell_state)
            before = [state.log_probs, state.finished, state.lengths] + ([] if attention is None else [state.accumulated_attention_probs])
            scores, ids, parents, *after = _weir.beam_search_step(outputs, before, self._beam_width, self._end_token, self._length_penalty_weight,
                                                                  self._coverage_penalty_weight, attention)
            log_probs, finished, lengths = after[:3]
            cell_state = self._each_state(lambda value: _weir.gather_beams(value, parents), cell_state)
            next_inputs = _weir.unless_all_finished(finished, self._start_inputs, lambda: self._embedding_fn(ids))
        next_state = BeamSearchDecoderState(cell_state, log_probs, finished, lengths, after[3] if attention is not None else ())
        return BeamSearchDecoderOutput(scores, ids, parents), next_state, next_inputs, finished

    def finalize(self, outputs, final_state, sequence_lengths):
        longest = _weir.op_function("Cast")(_weir.op_function("Max")(final_state.lengths, 1), DstT=_INT32)
        ids = _weir.op_function("GatherTree")(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        if self._reorder:
            def ordered(value):
                return _weir.gather_tree_from_array(value.stack(), outputs.parent_ids, final_state.lengths) if _is_array(value) else value
            final_state = final_state._replace(cell_state=_weir.nest_map_structure(ordered, final_state.cell_state))
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state
