"""Helpers of tf.contrib.seq2seq: where a decoder gets the inputs of its next step from. The computations are in C++.

To define a helper, derive from Helper, or give functions to CustomHelper.
"""
import abc

from weir import _weir

_INT32 = _weir.dtypes["int32"]


def _op(op, /, *args, **kwargs):
    return _weir.op_function(op)(*args, **kwargs)


def _embedding_function(embedding):
    return embedding if callable(embedding) else lambda ids: _weir.embedding_lookup(embedding, ids)


class Helper(abc.ABC):
    @property
    @abc.abstractmethod
    def batch_size(self):
        """The number of sequences, an int32 scalar."""

    @property
    @abc.abstractmethod
    def sample_ids_shape(self):
        """The shape of sample_ids without the batch dimension."""

    @property
    @abc.abstractmethod
    def sample_ids_dtype(self):
        """The type of sample_ids."""

    @abc.abstractmethod
    def initialize(self, name=None):
        """Returns (finished, first inputs)."""

    @abc.abstractmethod
    def sample(self, time, outputs, state, name=None):
        """Returns sample_ids."""

    @abc.abstractmethod
    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Returns (finished, next inputs, next state)."""


class CustomHelper(Helper):
    def __init__(self, initialize_fn, sample_fn, next_inputs_fn, sample_ids_shape=None, sample_ids_dtype=None):
        self._initialize_fn, self._sample_fn, self._next_inputs_fn = initialize_fn, sample_fn, next_inputs_fn
        self._batch_size = None
        self._sample_ids_shape = _weir.TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or _INT32

    @property
    def batch_size(self):
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self):
        return self._sample_ids_dtype

    def initialize(self, name=None):
        with _weir.name_scope(name or "CustomHelperInitialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = _op("Size", finished)
        return finished, inputs

    def sample(self, time, outputs, state, name=None):
        with _weir.name_scope(name or "CustomHelperSample"):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with _weir.name_scope(name or "CustomHelperNextInputs"):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class _ScalarIds(Helper):
    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return _weir.TensorShape([])

    @property
    def sample_ids_dtype(self):
        return _INT32


class TrainingHelper(_ScalarIds):
    """Training: the decoder reads given inputs."""

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with _weir.name_scope(name or "TrainingHelper"):
            self._inputs = _weir.nest_map_structure(_weir.convert_to_tensor, inputs)
            self._sequence_length = _weir.convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.shape.ndims != 1:
                raise ValueError(f"Expected sequence_length to be a vector, but received shape: {self._sequence_length.shape}")
            self._input_tas, self._zero_inputs = _weir.unstack_training_inputs(self._inputs, time_major)
            self._start_inputs = self._zero_inputs
            self._batch_size = _op("Size", self._sequence_length)

    @property
    def inputs(self):
        return self._inputs

    @property
    def sequence_length(self):
        return self._sequence_length

    def initialize(self, name=None):
        with _weir.name_scope(name or "TrainingHelperInitialize"):
            return _weir.training_step(self._input_tas, self._zero_inputs, self._sequence_length, None)

    def sample(self, time, outputs, state, name=None):
        with _weir.name_scope(name or "TrainingHelperSample"):
            return _op("ArgMax", outputs, -1, output_type=_INT32)

    def next_inputs(self, time, outputs, state, sample_ids=None, name=None):
        with _weir.name_scope(name or "TrainingHelperNextInputs"):
            finished, inputs = _weir.training_step(self._input_tas, self._zero_inputs, self._sequence_length, time)
            return finished, inputs, state


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Scheduled sampling: some inputs are given; the others are embeddings of ids that are sampled from the outputs."""

    def __init__(self, inputs, sequence_length, embedding, sampling_probability, time_major=False, seed=None, scheduling_seed=None, name=None):
        with _weir.name_scope(name or "ScheduledEmbeddingSamplingWrapper"):
            self._embedding_fn = _embedding_function(embedding)
            self._sampling_probability = _scalar_probability(sampling_probability)
            self._seed, self._scheduling_seed = seed, scheduling_seed
            super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time, outputs, state, name=None):
        with _weir.name_scope(name or "ScheduledEmbeddingTrainingHelperSample"):
            return _weir.sample_some_classes(outputs, self._sampling_probability, self.batch_size, self._scheduling_seed, self._seed)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with _weir.name_scope(name or "ScheduledEmbeddingTrainingHelperNextInputs"):
            finished, inputs, state = super().next_inputs(time, outputs, state, sample_ids, name)

            def embedded(indices):
                return self._embedding_fn(_op("GatherNd", sample_ids, indices))

            def mixed():
                return _weir.replace_sampled_rows(sample_ids > -1, inputs, embedded)
            return finished, _weir.unless_all_finished(finished, inputs, mixed), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Scheduled sampling: some inputs are given; the others are previous outputs."""

    def __init__(self, inputs, sequence_length, sampling_probability, time_major=False, seed=None, next_inputs_fn=None, auxiliary_inputs=None,
                 name=None):
        with _weir.name_scope(name or "ScheduledOutputTrainingHelper"):
            self._sampling_probability = _scalar_probability(sampling_probability)
            self._seed, self._next_inputs_fn, self._auxiliary_tas = seed, next_inputs_fn, None
            if auxiliary_inputs is not None:
                inputs = _weir.concat([inputs, auxiliary_inputs], -1)
                self._auxiliary_tas, _ = _weir.unstack_training_inputs(_weir.convert_to_tensor(auxiliary_inputs), time_major)
            super().__init__(inputs, sequence_length, time_major, name)

    def initialize(self, name=None):
        return super().initialize(name)

    def sample(self, time, outputs, state, name=None):
        with _weir.name_scope(name or "ScheduledOutputTrainingHelperSample"):
            flags = _weir.sample_flags(self._sampling_probability, self.batch_size, self._seed)
            return _op("Cast", flags, DstT=_INT32)

    def _with_auxiliary(self, time, outputs, indices=None):
        if self._auxiliary_tas is None:
            return outputs
        auxiliary = self._auxiliary_tas[0].read(time + 1)
        if indices is not None:
            auxiliary = _op("GatherNd", auxiliary, indices)
        return _weir.concat([outputs, auxiliary], -1)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with _weir.name_scope(name or "ScheduledOutputTrainingHelperNextInputs"):
            finished, inputs, state = super().next_inputs(time, outputs, state, sample_ids, name)
            sampled = _op("Cast", sample_ids, DstT=_weir.dtypes["bool"])

            def replaced(indices):
                rows = _op("GatherNd", outputs, indices)
                return self._with_auxiliary(time, rows if self._next_inputs_fn is None else self._next_inputs_fn(rows), indices)

            def mixed():
                return _weir.replace_sampled_rows(sampled, inputs, replaced)
            # finished everywhere, or nothing sampled
            keep = _op("LogicalOr", _op("All", finished, 0), _op("LogicalNot", _op("Any", sampled, 0)))
            return finished, _weir.unless_all_finished(keep, inputs, mixed), state


class GreedyEmbeddingHelper(_ScalarIds):
    """The inputs are embeddings of the most likely outputs."""

    def __init__(self, embedding, start_tokens, end_token):
        self._embedding_fn = _embedding_function(embedding)
        self._start_tokens = _weir.convert_to_tensor(start_tokens, dtype=_INT32, name="start_tokens")
        self._end_token = _weir.convert_to_tensor(end_token, dtype=_INT32, name="end_token")
        if self._start_tokens.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._batch_size = _op("Size", self._start_tokens)
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def initialize(self, name=None):
        return _op("Fill", _weir.stack([self._batch_size]), False), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        if not isinstance(outputs, _weir.Tensor):
            raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
        return _op("ArgMax", outputs, -1, output_type=_INT32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished = _op("Equal", sample_ids, self._end_token)
        return finished, _weir.unless_all_finished(finished, self._start_inputs, lambda: self._embedding_fn(sample_ids)), state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """The inputs are embeddings of classes that are drawn with the probabilities of the outputs."""

    def __init__(self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None):
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature, self._seed = softmax_temperature, seed

    def sample(self, time, outputs, state, name=None):
        if not isinstance(outputs, _weir.Tensor):
            raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
        return _weir.sample_classes(outputs, self._softmax_temperature, self._seed)


class InferenceHelper(Helper):
    """The inputs are what a function samples from the outputs."""

    def __init__(self, sample_fn, sample_shape, sample_dtype, start_inputs, end_fn, next_inputs_fn=None):
        self._sample_fn, self._end_fn, self._next_inputs_fn = sample_fn, end_fn, next_inputs_fn
        self._sample_shape, self._sample_dtype = _weir.TensorShape(sample_shape), sample_dtype
        self._start_inputs = _weir.convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = _op("Shape", self._start_inputs)[0]

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return self._sample_shape

    @property
    def sample_ids_dtype(self):
        return self._sample_dtype

    def initialize(self, name=None):
        return _op("Fill", _weir.stack([self._batch_size]), False), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        return self._sample_fn(outputs)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state


def _scalar_probability(value):
    value = _weir.convert_to_tensor(value, name="sampling_probability")
    if value.shape.ndims not in (0, 1):
        raise ValueError(f"sampling_probability must be either a scalar or a vector. saw shape: {value.shape}")
    return value
