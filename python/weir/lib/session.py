"""tf.Session and tf.InteractiveSession: sessions as context managers."""
from weir import _weir


class Session(_weir.BaseSession):
    """Runs parts of a graph. As a context manager it becomes the default session, and is closed at the end."""

    def __enter__(self):
        return self._enter(True)

    def __exit__(self, exc_type, exc_value, traceback):
        self._exit()
        self.close()

    @staticmethod
    def reset(target, containers=None, config=None):
        """Closes the sessions of the server at `target` and clears the given (or the default) containers."""
        if target is None:
            raise TypeError("target must be a string")
        _weir.reset_server(target, [c if isinstance(c, str) else c.decode() for c in containers or []], config)


class InteractiveSession(_weir.BaseSession):
    """A session that is the default session, with its graph the default graph, until it is closed."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        self._enter(graph is not None)
