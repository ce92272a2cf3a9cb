"""tf.Session and tf.InteractiveSession: the binding's session as a context manager."""
from weir import _weir


class Session(_weir.BaseSession):
    """Runs parts of a graph. As a context manager it is the default session, and is closed at the end."""

    def __enter__(self):
        return self._enter(True)

    def __exit__(self, exc_type, exc_value, traceback):
        self._exit()
        self.close()

    @staticmethod
    def reset(target, containers=None, config=None):
        """Ends the sessions of the server at `target` and empties containers of its cluster: the default one unless named."""
        if target is None:
            raise TypeError("target must be a string")
        _weir.reset_server(target, [c if isinstance(c, str) else c.decode() for c in containers or []], config)


class InteractiveSession(_weir.BaseSession):
    """The default session (and its graph the default graph) from now on until it is closed."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        self._enter(graph is not None)
