"""Switches of TensorFlow that programs turn at their start. Weir always builds graphs, with reference variables."""


def executing_eagerly():
    return False


def off():
    """What is switched off here is off already."""


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    raise NotImplementedError("Weir has no eager mode: build a graph and run it in a Session")


def is_tensor(x):
    from weir import _weir
    return isinstance(x, (_weir.Tensor, _weir.SparseTensor, _weir.IndexedSlices, _weir.Variable))
