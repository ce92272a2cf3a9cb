"""tf.contrib.framework's functions to make, find and assign variables. tf.contrib.slim has them, too."""
import functools
import re

from weir import _weir
from weir.lib.arg_scope import add_arg_scope
from weir.lib.graph_keys import GraphKeys


@add_arg_scope
def variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None, caching_device=None,
             device=None, partitioner=None, custom_getter=None, use_resource=None, synchronization=None, aggregation=None):
    """Returns a variable of the current scope, new or existing, on `device` (a name or a function)."""
    collections = list(dict.fromkeys(collections)) if collections is not None else [GraphKeys.GLOBAL_VARIABLES]
    getter = functools.partial(custom_getter, reuse=_weir.get_variable_scope().reuse) if custom_getter else _weir.get_variable
    with _weir.device(device or ""):
        return getter(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
                      collections=collections, caching_device=caching_device, partitioner=partitioner, use_resource=use_resource)


@add_arg_scope
def model_variable(name, shape=None, dtype="float32", initializer=None, regularizer=None, trainable=True, collections=None,
                   caching_device=None, device=None, partitioner=None, custom_getter=None, use_resource=None, synchronization=None,
                   aggregation=None):
    """Like variable(), for a variable that belongs to the model: it is in GraphKeys.MODEL_VARIABLES as well."""
    collections = [*(collections or []), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
                    collections=collections, caching_device=caching_device, device=device, partitioner=partitioner,
                    custom_getter=custom_getter, use_resource=use_resource)


def local_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """Returns a new variable of this process that is not saved."""
    return _weir.Variable(initial_value, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], validate_shape=validate_shape,
                          name=name, use_resource=use_resource)


def global_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """Returns a new variable that all processes share and that is not trained."""
    return _weir.Variable(initial_value, trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES], validate_shape=validate_shape,
                          name=name, use_resource=use_resource)


def add_model_variable(var):
    """Adds a variable to GraphKeys.MODEL_VARIABLES, once."""
    if not any(var is known for known in _weir.get_collection(GraphKeys.MODEL_VARIABLES)):
        _weir.add_to_collection(GraphKeys.MODEL_VARIABLES, var)


# finding

def get_variables(scope=None, suffix=None, collection=GraphKeys.GLOBAL_VARIABLES):
    """Returns the variables of a collection whose names begin with a scope and end with a suffix."""
    if isinstance(scope, _weir.VariableScope):
        scope = scope.name
    if suffix is not None:
        if ":" not in suffix:
            suffix += ":"
        scope = (scope or "") + ".*" + suffix
    return _weir.get_collection(collection, scope)


def get_model_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix, scope=None):
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name, scope=None):
    """Returns the variables whose last name, below any scopes, is the given one."""
    return get_variables(scope=scope, suffix="/" + given_name + ":|^" + given_name + ":")


def get_unique_variable(var_op_name):
    """Returns the variable with this full name."""
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


def get_variables_to_restore(include=None, exclude=None):
    """Returns the variables of the scopes `include` (None: all) that are not in the scopes `exclude`."""
    def of(scopes):
        if not isinstance(scopes, (list, tuple)):
            raise TypeError("include is provided but is not a list or a tuple." if scopes is include
                            else "exclude is provided but is not a list or a tuple.")
        return [v for scope in scopes for v in get_variables(scope)]
    wanted = get_variables() if include is None else of(include)
    unwanted = set() if exclude is None else {v.name for v in of(exclude)}
    return [v for v in wanted if v.name not in unwanted]


def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
    """Returns the variables whose op names match any of the first patterns (None: all) and none of the others."""
    def patterns(given, name):
        if given is not None and not isinstance(given, (list, tuple)):
            raise TypeError(f"{name} must be a list or a tuple")
        return given
    found = re.search if reg_search else re.match
    include, exclude = patterns(include_patterns, "include_patterns"), patterns(exclude_patterns, "exclude_patterns")
    return [v for v in var_list
            if (include is None or any(found(p, v.op.name) for p in include)) and not any(found(p, v.op.name) for p in exclude or [])]


def get_variable_full_name(var):
    """Returns the name under which a variable is saved: that of the whole variable for one of its partitions."""
    info = var._save_slice_info
    return info.full_name if info else var.op.name


# assigning

def assign_from_values(var_names_to_values):
    """Returns an op that assigns values to variables by name, and what to feed to it."""
    import weir as tf
    feeds, assignments = {}, []
    for name, value in var_names_to_values.items():
        var = get_unique_variable(name)
        fed = tf.placeholder(var.dtype.base_dtype, name="placeholder/" + var.op.name)
        assignments.append(var.assign(tf.reshape(fed, var.shape)))
        feeds[fed] = value.reshape(var.shape.as_list())
    return _weir.group(*assignments), feeds


def assign_from_values_fn(var_names_to_values):
    """Returns a function of a session that assigns values to variables by name."""
    op, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(op, feeds)


def _by_saved_name(var_list):
    """Returns a dict from saved names to lists of variables: the partitions of one variable share its name."""
    named = {}
    if isinstance(var_list, dict):
        for name, var in var_list.items():
            named[name] = list(var) if isinstance(var, (list, tuple)) else [var]
        return named
    for var in var_list:
        named.setdefault(get_variable_full_name(var), []).append(var)
    return named


def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    """Returns an op that assigns the values of a checkpoint, and what to feed to it."""
    import weir as tf
    reader = _weir.NewCheckpointReader(model_path)
    feeds, assignments = {}, []
    for name, variables in _by_saved_name(var_list).items():
        if not reader.has_tensor(name):
            if ignore_missing_vars:
                continue
            raise ValueError(f"Checkpoint is missing variable [{name}]")
        value = reader.get_tensor(name)
        for var in variables:
            fed = tf.placeholder(var.dtype.base_dtype, name="placeholder/" + var.op.name)
            assignments.append(var.assign(fed))
            part = value
            info = var._save_slice_info
            if info:
                part = value[tuple(slice(o, o + n) for o, n in zip(info.var_offset, info.var_shape))]
            if not var.shape.is_compatible_with(part.shape):
                raise ValueError(f"Total size of new array must be unchanged for {name} lh_shape: [{part.shape}], rh_shape: "
                                 f"[{var.shape.as_list()}]")
            feeds[fed] = part.reshape(var.shape.as_list())
    return _weir.group(*assignments), feeds


def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False, reshape_variables=False):
    """Returns a function of a session that restores variables from a checkpoint. None if no variable is left."""
    from weir.lib import log
    import weir as tf
    if ignore_missing_vars:
        reader = _weir.NewCheckpointReader(model_path)
        named = var_list if isinstance(var_list, dict) else {get_variable_full_name(v): v for v in var_list}
        var_list = {}
        for name, var in named.items():
            if reader.has_tensor(name):
                var_list[name] = var
            else:
                log.warning("Variable %s missing in checkpoint %s", name, model_path)
    if not var_list:
        log.warning("No Variables to restore")
        return None
    saver = tf.train.Saver(var_list, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


class VariableDeviceChooser:
    """A device function that assigns variables to the tasks of a job in rotation."""

    def __init__(self, num_tasks=0, job_name="ps", device_type="CPU", device_index=0, replica=None):
        self._job, self._tasks, self._type, self._index, self._replica = job_name, num_tasks, device_type, device_index, replica
        self._next = 0

    def __call__(self, op):
        spec = _weir.DeviceSpec(device_type=self._type, device_index=self._index)
        if self._tasks > 0:
            spec = _weir.DeviceSpec(job=self._job, task=self._next, replica=self._replica, device_type=self._type,
                                    device_index=self._index)
            self._next = (self._next + 1) % self._tasks
        return spec.to_string()


def create_partitioned_variables(shape, slicing, initializer, dtype="float32", trainable=True, collections=None, name=None, reuse=None):
    """Returns the partitions of a new variable that is cut along one axis: `slicing` has the number of parts per axis."""
    if len(shape) != len(slicing):
        raise ValueError(f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: {shape}, slicing: {slicing}")
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    outside = _weir.get_variable_scope().name
    with _weir.variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        inside, reuses = scope.name, scope.reuse
    with _weir.variable_scope(_weir.get_variable_scope(), reuse=reuses):
        whole = _weir.get_variable(inside.removeprefix(outside).lstrip("/"), shape=shape, dtype=dtype, initializer=initializer,
                                   trainable=trainable, collections=collections, partitioner=lambda **_: slicing)
    return list(whole)
