"""tensorflow.python.debug: the debugger's classes raise when they are created, so that programs that import them still run."""
_REASON = ("Weir has no debugger (tfdbg). Fetch the tensors with session.run, print them with tf.Print, find NaN with "
           "tf.add_check_numerics_ops, or record a step with tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)")


class _Refused:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(_REASON)


class LocalCLIDebugWrapperSession(_Refused):
    pass


class TensorBoardDebugWrapperSession(_Refused):
    pass


class DumpingDebugWrapperSession(_Refused):
    pass


class LocalCLIDebugHook(_Refused):
    pass


class TensorBoardDebugHook(_Refused):
    pass


class DumpingDebugHook(_Refused):
    pass


class DebugDumpDir(_Refused):
    pass


def has_inf_or_nan(datum, tensor):
    """A filter of tensors, for add_tensor_filter: whether the value contains Inf or NaN."""
    import numpy as np
    array = np.asarray(tensor)
    return bool(array.dtype.kind in "fc" and array.size and not np.isfinite(array).all())


def watch_graph(*args, **kwargs):
    raise NotImplementedError(_REASON)
