"""Handles of tensors that a session keeps between steps."""
import numpy as _np

from weir import _weir


class TensorHandle:
    """The result of tf.get_session_handle: the name of a tensor kept by the session."""

    def __init__(self, handle, dtype, session):
        self._handle = handle.decode() if isinstance(handle, bytes) else handle
        self._dtype = dtype
        self._session = session
        self._holders = None

    @property
    def handle(self):
        return self._handle

    def __str__(self):
        return self._handle

    def eval(self):
        if not self._holders:
            with self._session.graph.as_default():
                self._holders = get_session_tensor(self._handle, self._dtype)
        holder, value = self._holders
        return self._session.run(value, {holder: self._handle})

    def delete(self):
        with self._session.graph.as_default():
            holder, deleter = delete_session_tensor(self._handle)
        self._session.run(deleter, {holder: self._handle})

    def get_raw_handle(self):
        return self._handle

    def to_numpy_array(self):
        return _np.array(self._handle)


def get_session_handle(data, name=None):
    """Returns a tensor that stores `data` in the session when it runs, and evaluates to a TensorHandle."""
    data = _weir.convert_to_tensor(data)
    return _weir.op_function("GetSessionHandle")(data, name=name)


def _holder():
    return _weir.op_function("Placeholder")(dtype="string")


def get_session_tensor(handle, dtype, name=None):
    """Returns a placeholder for a raw handle, and the tensor that the handle names."""
    holder = _holder()
    return holder, _weir.op_function("GetSessionTensor")(holder, dtype=dtype, name=name)


def delete_session_tensor(handle, name=None):
    holder = _holder()
    return holder, _weir.op_function("DeleteSessionTensor")(holder, name=name)
