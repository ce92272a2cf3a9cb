"""tf.contrib.staging.StagingArea: holds what one step has prepared for a later one."""
from weir import _weir


class StagingArea:
    """A first-in first-out store of tuples of tensors, limited by their number and bytes. Its ops are colocated with it."""

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, capacity=0, memory_limit=0):
        if shared_name is None:
            self._name = _weir.get_default_graph().unique_name(type(self).__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError(f"shared_name must be a string, got {shared_name}")
        self._dtypes = [_weir.as_dtype(dtype) for dtype in dtypes]
        if shapes is not None and len(shapes) != len(self._dtypes):
            raise ValueError("StagingArea shapes must be the same length as dtypes")
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError("StagingArea names must be the same length as dtypes")
        self._shapes = [_weir.TensorShape(shape) for shape in shapes or [None] * len(self._dtypes)]
        self._names, self._capacity, self._memory_limit = names or None, capacity, memory_limit
        with _weir.name_scope(f"{self._name}_root"):
            self._root = _op("NoOp")()

    @property
    def name(self):
        """The name under which its ops find it."""
        return self._name

    @property
    def dtypes(self):
        return self._dtypes

    @property
    def shapes(self):
        return self._shapes

    @property
    def names(self):
        return self._names

    @property
    def capacity(self):
        """How many tuples it holds at most (0: any number)."""
        return self._capacity

    @property
    def memory_limit(self):
        """How many bytes it holds at most (0: any number)."""
        return self._memory_limit

    def put(self, values, name=None):
        """Returns an op that adds a tuple: a tensor, a list of tensors, or a dict of tensors by name. It waits for room."""
        with self._scope(name, "put") as scope:
            values = self._converted(values)
            return self._call("Stage", scope, values)

    def get(self, name=None):
        """Returns the tensors of the oldest tuple, which is taken out: a list or, with names, a dict. Waits for one."""
        with self._scope(name, "get") as scope:
            return self._returned(self._call("Unstage", scope, dtypes=self._dtypes))

    def peek(self, index, name=None):
        """Returns the tensors of a tuple that stays. Index 0 is the oldest. Waits until there are that many."""
        with self._scope(name, "peek") as scope:
            return self._returned(self._call("StagePeek", scope, index, dtypes=self._dtypes))

    def size(self, name=None):
        """Returns the number of tuples, as a tensor."""
        with self._scope(name, "size") as scope:
            return self._call("StageSize", scope, dtypes=self._dtypes)

    def clear(self, name=None):
        """Returns an op that removes everything."""
        with self._scope(name, "clear") as scope:
            return self._call("StageClear", scope, dtypes=self._dtypes)

    def _scope(self, name, action):
        return _weir.name_scope(name, f"{self._name}_{action}")

    def _call(self, op, scope, *inputs, **attributes):
        with _weir.colocate_with(self._root):
            return _op(op)(*inputs, shared_name=self._name, capacity=self._capacity, memory_limit=self._memory_limit, name=scope, **attributes)

    def _converted(self, values):
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if set(values) != set(self._names):
                raise ValueError(f"Keys in dictionary to put do not match names of staging area. Dictionary: {sorted(values)}, "
                                 f"Names: {sorted(self._names)}")
            values = [values[name] for name in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a staging area with names")
        elif not isinstance(values, (list, tuple)):
            values = [values]
        if len(values) != len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs {len(values)} vs {len(self._dtypes)}")
        tensors = []
        for value, dtype, shape in zip(values, self._dtypes, self._shapes):
            tensor = _weir.convert_to_tensor(value, None if hasattr(value, "dtype") else dtype)
            if tensor.dtype.base_dtype != dtype:
                raise ValueError(f"Datatypes do not match. Received val.dtype {tensor.dtype!r} and dtype {dtype!r}")
            tensor.shape.assert_is_compatible_with(shape)
            tensors.append(tensor)
        return tensors

    def _returned(self, tensors):
        tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
        if _op("NoOp")().device != self._root.device:  # the caller wants the values on another device
            tensors = [_op("Identity")(tensor) for tensor in tensors]
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shape)
        return dict(zip(self._names, tensors)) if self._names else tensors


def _op(name):
    return _weir.op_function(name)
