"""The global step: an integer variable in its own collection."""
from weir import _weir
from weir.lib.graph_keys import GraphKeys


def get_global_step(graph=None):
    """Returns the global step: from the graph's collection, or the tensor "global_step:0". None if there is neither."""
    return _weir.find_global_step(graph or _weir.get_default_graph())


def create_global_step(graph=None):
    graph = graph or _weir.get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return _weir.get_variable("global_step", shape=[], dtype="int64", initializer=_zeros, trainable=False,
                                  collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP])


def _zeros(shape, dtype=None, partition_info=None):
    return _weir.initial_zeros(shape, dtype)


def get_or_create_global_step(graph=None):
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor):
    if not hasattr(global_step_tensor, "get_shape"):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    if global_step_tensor.get_shape().ndims not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.get_shape()}')


def global_step(sess, global_step_tensor):
    """Returns the value of the global step in a session."""
    return int(sess.run(global_step_tensor))


def _get_or_create_global_step_read(graph=None):
    """Returns a copy of the global step that a run reads before it updates the step. None if there is no step."""
    return _weir.find_global_step_read(graph or _weir.get_default_graph())


def _increment_global_step(increment, graph=None):
    """Increments the global step, after that copy was read."""
    graph = graph or _weir.get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError("Global step tensor should be created by tf.train.get_or_create_global_step before calling increment.")
    read = _get_or_create_global_step_read(graph)
    with graph.as_default(), graph.name_scope(None), graph.name_scope(step.op.name + "/"), graph.control_dependencies([read]):
        return _weir.assign_add(step, increment)
