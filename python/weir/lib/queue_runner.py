"""tf.train.QueueRunner with Python threads, and functions for the runners in a graph's collection."""
import threading

from weir import _names, _weir
from weir.lib.graph_keys import GraphKeys


class QueueRunner(_weir.QueueRunner):
    """Keeps a queue filled: runs each enqueue op repeatedly on its own thread."""

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        """Returns the threads to start. Empty while threads of an earlier call for this session run."""
        threads = [threading.Thread(target=loop, name=loop.name) for loop in self._loops(sess, coord)]
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return threads

    @staticmethod
    def from_proto(queue_runner_def, import_scope=None):
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(qr, collection=GraphKeys.QUEUE_RUNNERS):
    """Adds a runner to a collection of the default graph, for start_queue_runners."""
    _names.find("add_to_collection")(collection, qr)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection=GraphKeys.QUEUE_RUNNERS):
    """Starts the runners of the session's graph that are not running for it yet. Returns their threads."""
    if sess is None:
        sess = _names.find("get_default_session")()
        if sess is None:
            raise ValueError("Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or "
                             "pass an explicit session to tf.start_queue_runners(sess=sess)")
    if not isinstance(sess, _weir.BaseSession):
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    with sess.graph.as_default():
        return [thread for runner in sess.graph.get_collection(collection)
                for thread in runner.create_threads(sess, coord=coord, daemon=daemon, start=start)]
