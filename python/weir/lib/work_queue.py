"""DeepRec's WorkQueue: a list of work that the workers of a cluster share."""
from weir import _weir
from weir.lib.datasets import Dataset
from weir.lib.input import _fifo


class WorkQueue(_weir.WorkQueueBase):
    """Hands out work, such as file names, to workers: each slice once per epoch, and to a slow worker fewer of them.

    The queue is on a parameter server, and part of the checkpoints. The slice that a worker holds when it dies goes to another
    worker, once.
    """

    def __init__(self, works, num_epochs=1, shuffle=True, seed=None, prefix=None, num_slices=None, name="work_queue"):
        """Creates a work queue.

        Args:
          works: a list of strings.
          num_epochs: how often all of them are handed out.
          shuffle: whether every epoch has another order, that of `seed` if it is given.
          prefix: a string that take() adds to the front of each work.
          num_slices: cuts the works into that many slices, named "<work>?slice_id=<index>&slice_count=<count>".
          name: the name of the queue. The workers of a cluster share the queue of this name.
        """
        super().__init__(works, num_epochs, shuffle, seed, prefix, num_slices, name)

    def input_producer(self):
        """Returns a queue of the slices that this worker takes, for readers. A queue runner fills it on demand."""
        return _fifo(self._input_producer())

    def input_dataset(self):
        """Returns a dataset of the slices that this worker takes. A queue runner fills it on demand."""
        producer = self.input_producer()
        return Dataset.from_tensors(0).repeat().map(lambda _: producer.dequeue())

    @staticmethod
    def split_slice(work):
        """Returns the work that a slice is a part of, the index of the part, and the number of parts, as tensors."""
        return _weir.split_work_slice(_weir.convert_to_tensor(work, "string"))
