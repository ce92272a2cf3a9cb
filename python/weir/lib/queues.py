"""TensorFlow's classes for queues and accumulators. Implemented in C++."""
import collections

from weir import _weir

QueueBase = _weir.QueueBase


def _parts(queue):
    return queue.dtypes, queue.shapes, queue.names, queue.queue_ref


class FIFOQueue(QueueBase):
    """A first-in first-out queue."""

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"):
        super().__init__(*_parts(_weir.fifo_queue(capacity, dtypes, shapes, names, shared_name, name)))


class RandomShuffleQueue(QueueBase):
    """A queue that dequeues in random order. Keeps at least min_after_dequeue elements until it is closed."""

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None,
                 name="random_shuffle_queue"):
        super().__init__(*_parts(_weir.random_shuffle_queue(capacity, min_after_dequeue, dtypes, shapes, names, seed, shared_name, name)))


class PaddingFIFOQueue(QueueBase):
    """A first-in first-out queue that pads elements of different sizes with zeros when it batches them."""

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"):
        super().__init__(*_parts(_weir.padding_fifo_queue(capacity, dtypes, shapes, names, shared_name, name)))


class PriorityQueue(QueueBase):
    """A queue that dequeues the element with the smallest first component, an int64, first."""

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
        super().__init__(*_parts(_weir.priority_queue(capacity, types, shapes, names, shared_name, name)))


class ConditionalAccumulatorBase:
    """Base class of both kinds of accumulators, for isinstance."""


class ConditionalAccumulator(_weir.DenseAccumulator, ConditionalAccumulatorBase):
    """Accumulates dense gradients until there are enough to take their mean (or sum)."""

    def __init__(self, dtype, shape=None, shared_name=None, name="conditional_accumulator", reduction_type="MEAN"):
        super().__init__(dtype, shape, shared_name, name, reduction_type)


SparseAccumulatorTakeGradient = collections.namedtuple("SparseAccumulatorTakeGradient", ["indices", "values", "shape"])


class SparseConditionalAccumulator(_weir.SparseAccumulator, ConditionalAccumulatorBase):
    """The same for sparse gradients (rows)."""

    def __init__(self, dtype, shape=None, shared_name=None, name="sparse_conditional_accumulator", reduction_type="MEAN"):
        super().__init__(dtype, shape, shared_name, name, reduction_type)

    def take_grad(self, num_required, name=None):
        return SparseAccumulatorTakeGradient(*super().take_grad(num_required, name))
