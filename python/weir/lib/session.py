"""tf.Session and tf.InteractiveSession: sessions as context managers."""
from weir import _weir


class Session(_weir.BaseSession):
    """Runs parts of a graph. As a context manager it becomes the default session, and is closed at the end.

    Extensions to TensorFlow: `tls_cert`, `tls_key`, `tls_ca` and `token_file` name the files of the credentials of this
    process (docs/security.md).
    """

    def __init__(self, target="", graph=None, config=None, tls_cert="", tls_key="", tls_ca="", token_file=""):
        if tls_cert or tls_key or tls_ca or token_file:
            _weir.use_credentials(tls_cert=tls_cert, tls_key=tls_key, tls_ca=tls_ca, token_file=token_file)
        super().__init__(target, graph, config)

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
