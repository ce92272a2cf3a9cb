"""The kinds of queues and accumulators, as the classes that TensorFlow has for them; what they do is in C++."""
import collections

from weir import _weir

QueueBase = _weir.QueueBase


def _parts(queue):
    return queue.dtypes, queue.shapes, queue.names, queue.queue_ref


class FIFOQueue(QueueBase):
    """First in, first out."""

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"):
        super().__init__(*_parts(_weir.fifo_queue(capacity, dtypes, shapes, names, shared_name, name)))


class RandomShuffleQueue(QueueBase):
    """In random order, of at least min_after_dequeue + 1 elements until it is closed."""

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None,
                 name="random_shuffle_queue"):
        super().__init__(*_parts(_weir.random_shuffle_queue(capacity, min_after_dequeue, dtypes, shapes, names, seed, shared_name, name)))


class PaddingFIFOQueue(QueueBase):
    """First in, first out; batches of elements of different sizes are filled up with zeros."""

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"):
        super().__init__(*_parts(_weir.padding_fifo_queue(capacity, dtypes, shapes, names, shared_name, name)))


class PriorityQueue(QueueBase):
    """The element with the smallest first component, an int64, comes first."""

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
        super().__init__(*_parts(_weir.priority_queue(capacity, types, shapes, names, shared_name, name)))


class ConditionalAccumulatorBase:
    """What both kinds of accumulators have; a class to ask for."""


class ConditionalAccumulator(_weir.DenseAccumulator, ConditionalAccumulatorBase):
    """Adds up dense gradients until enough are there to take their mean (or sum)."""

    def __init__(self, dtype, shape=None, shared_name=None, name="conditional_accumulator", reduction_type="MEAN"):
        super().__init__(dtype, shape, shared_name, name, reduction_type)


SparseAccumulatorTakeGradient = collections.namedtuple("SparseAccumulatorTakeGradient", ["indices", "values", "shape"])


class SparseConditionalAccumulator(_weir.SparseAccumulator, ConditionalAccumulatorBase):
    """The same for gradients that are rows."""

    def __init__(self, dtype, shape=None, shared_name=None, name="sparse_conditional_accumulator", reduction_type="MEAN"):
        super().__init__(dtype, shape, shared_name, name, reduction_type)

    def take_grad(self, num_required, name=None):
        return SparseAccumulatorTakeGradient(*super().take_grad(num_required, name))
