"""tf.errors: the exceptions of steps and services, one class per error code."""

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An error, with the operation that caused it (None if there is none)."""

    def __init__(self, node_def, op, message, error_code):
        super().__init__(node_def, op, message, error_code)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code

    @property
    def message(self):
        return self._message

    @property
    def op(self):
        return self._op

    @property
    def error_code(self):
        return self._error_code

    @property
    def node_def(self):
        if self._node_def is None and self._op is not None:
            self._node_def = self._op.node_def
        return self._node_def

    def __str__(self):
        if self._op is None:
            return self._message
        text = self._message
        if self._op.name not in text:
            text += f"\n\t [[node {self._op.name} (type {self._op.type})]]"
        place = _user_frame(self._op)
        if place is not None:
            file, line, function, source = place
            text += f"\n\t '{self._op.name}' is defined at: {file}:{line}, in {function}"
            if source:
                text += f"\n\t     {source}"
        return text

    def __reduce__(self):
        # An operation belongs to its graph and cannot be pickled.
        if type(self) is OpError:
            return OpError, (None, None, self._message, self._error_code)
        return type(self), (None, None, self._message)


def _user_frame(op):
    """Returns the innermost frame of the user's program in the stack that created the op."""
    import os
    package = os.path.dirname(os.path.abspath(__file__)) + os.sep
    for frame in reversed(op.traceback):
        if not os.path.abspath(frame[0]).startswith(package) and not frame[0].startswith("<frozen"):
            return frame
    return None


_classes = {}


def _define(name, code, doc):
    def __init__(self, node_def, op, message):
        OpError.__init__(self, node_def, op, message, code)
    cls = type(name, (OpError,), {"__init__": __init__, "__doc__": doc, "__module__": __name__, "__qualname__": name})
    _classes[code] = cls
    return cls


CancelledError = _define("CancelledError", CANCELLED, "The operation or step was cancelled.")
UnknownError = _define("UnknownError", UNKNOWN, "An unknown error.")
InvalidArgumentError = _define("InvalidArgumentError", INVALID_ARGUMENT, "An operation received an invalid argument.")
DeadlineExceededError = _define("DeadlineExceededError", DEADLINE_EXCEEDED, "A deadline expired before the operation was done.")
NotFoundError = _define("NotFoundError", NOT_FOUND, "A requested entity (a file, a key) does not exist.")
AlreadyExistsError = _define("AlreadyExistsError", ALREADY_EXISTS, "An entity that was to be created already exists.")
PermissionDeniedError = _define("PermissionDeniedError", PERMISSION_DENIED, "The caller does not have permission for the operation.")
ResourceExhaustedError = _define("ResourceExhaustedError", RESOURCE_EXHAUSTED, "Memory, or another resource, ran out.")
FailedPreconditionError = _define("FailedPreconditionError", FAILED_PRECONDITION, "The system is not in the state that the operation needs.")
AbortedError = _define("AbortedError", ABORTED, "The operation was aborted, typically by a concurrent action.")
OutOfRangeError = _define("OutOfRangeError", OUT_OF_RANGE, "The end of the input was reached.")
UnimplementedError = _define("UnimplementedError", UNIMPLEMENTED, "The operation is not implemented or not supported.")
InternalError = _define("InternalError", INTERNAL, "An internal invariant was violated.")
UnavailableError = _define("UnavailableError", UNAVAILABLE, "The service is not available at the moment.")
DataLossError = _define("DataLossError", DATA_LOSS, "Data is lost or damaged beyond repair.")
UnauthenticatedError = _define("UnauthenticatedError", UNAUTHENTICATED, "The caller is not authenticated.")


def exception_type_from_error_code(error_code):
    return _classes[error_code]


def error_code_from_exception_type(cls):
    for code, known in _classes.items():
        if known is cls:
            return code
    return UNKNOWN


def _from_status(code, message, op):
    cls = _classes.get(code)
    return OpError(None, op, message, code) if cls is None else cls(None, op, message)


class raise_exception_on_not_ok_status:
    """For compatibility only: a no-op, because errors are raised where they occur."""

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return False


class OperatorNotAllowedInGraphError(TypeError):
    """A Tensor was used where Python needs a concrete value."""
