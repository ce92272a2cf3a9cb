"""slim.queues: a context that runs the queue runners of the default graph."""
import contextlib
import threading

from weir import _weir
from weir.lib.graph_keys import GraphKeys

_running = threading.Lock()


class NestedQueueRunnerError(Exception):
    pass


@contextlib.contextmanager
def QueueRunners(session):
    """Runs the graph's queue runners within the block."""
    if not _running.acquire(blocking=False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    try:
        coord = _weir.Coordinator()
        threads = [thread for runner in _weir.get_collection(GraphKeys.QUEUE_RUNNERS)
                   for thread in runner.create_threads(session, coord=coord, daemon=True, start=True)]
        try:
            yield
        finally:
            coord.request_stop()
            try:
                coord.join(threads, stop_grace_period_secs=120)
            except RuntimeError:
                session.close()
    finally:
        _running.release()
