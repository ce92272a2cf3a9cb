"""Strategies of tensorflow.python.training.device_setter that programs use for their own device functions."""


class _RoundRobinStrategy:
    """Returns the next task for each op: 0, 1, ..., 0, 1, ..."""

    def __init__(self, num_tasks):
        self._num_tasks, self._next_task = num_tasks, 0

    def __call__(self, unused_op):
        task = self._next_task
        self._next_task = (task + 1) % self._num_tasks
        return task
