"""tf.function in graph mode: traces a Python function into a function of the graph, once per kind of arguments.

A call adds one node that runs the traced function. Its effects (assignments, prints) take place in program order. Unlike in
TensorFlow, Python's `if` and `while` are not converted: use tf.cond and tf.while_loop.
"""
import functools
import inspect
import weakref

import numpy as np

from weir import _weir
from weir.lib.specs import TensorSpec


def _is_tensor_argument(value):
    return isinstance(value, (_weir.Tensor, np.ndarray, np.generic, TensorSpec))


def _spec(value):
    if isinstance(value, TensorSpec):
        return value
    if isinstance(value, _weir.Tensor):
        return TensorSpec(value.shape, value.dtype.base_dtype)
    return TensorSpec(value.shape, _weir.as_dtype(value.dtype))


def _key(leaf):
    """Returns the part of a trace's key that stands for one leaf of the arguments."""
    if _is_tensor_argument(leaf):
        spec = _spec(leaf)
        return ("tensor", spec.dtype.name, str(spec.shape))
    if isinstance(leaf, (bool, int, float, complex, str, bytes, type(None))):
        return (type(leaf).__name__, leaf)
    return ("object", id(leaf))


class ConcreteFunction:
    """One trace of a function: for arguments of one kind."""

    def __init__(self, function, args, kwargs, name):
        leaves = _weir.nest_flatten((args, kwargs))
        self._inputs = [_spec(leaf) for leaf in leaves if _is_tensor_argument(leaf)]
        self._arguments = leaves  # keeps objects alive whose ids are in the key of this trace
        found = []

        def traced(*tensors):
            given = iter(tensors)
            values = [next(given) if _is_tensor_argument(leaf) else leaf for leaf in leaves]
            positional, keywords = _weir.nest_pack_sequence_as((args, kwargs), values)
            result = function(*positional, **keywords)
            flat = [leaf if leaf is None or isinstance(leaf, _weir.Operation) else _weir.convert_to_tensor(leaf)
                    for leaf in _weir.nest_flatten(result)]
            tensors = [leaf for leaf in flat if isinstance(leaf, _weir.Tensor)]
            found.append((result, [isinstance(leaf, _weir.Tensor) for leaf in flat], [TensorSpec(t.shape, t.dtype.base_dtype) for t in tensors]))
            return [_weir.op_function("Identity")(tensor) for tensor in tensors]

        traced.__name__ = "".join(c if c.isalnum() else "_" for c in name).strip("_") or "function"
        self._defined = _weir.Defun(*[spec.dtype for spec in self._inputs], input_shapes=[spec.shape for spec in self._inputs],
                                    ordered_effects=True)(traced)
        self.name = self._defined.name  # forces tracing
        self._result, self._is_tensor, self._outputs = found[0]

    @property
    def inputs(self):
        return list(self._inputs)

    @property
    def captured_inputs(self):
        return list(self._defined.captured_inputs)

    @property
    def function_def(self):
        return self._defined.definition

    @property
    def structured_input_signature(self):
        return tuple(self._inputs), {}

    @property
    def structured_outputs(self):
        """The specs of the results, in the structure that the function returns."""
        return self._packed(iter(self._outputs))

    @property
    def output_shapes(self):
        return self._packed(iter(spec.shape for spec in self._outputs))

    @property
    def output_dtypes(self):
        return self._packed(iter(spec.dtype for spec in self._outputs))

    def add_to_graph(self, g=None):
        self._defined.add_to_graph(_weir.get_default_graph() if g is None else g)

    def _packed(self, outputs):
        return _weir.nest_pack_sequence_as(self._result, [next(outputs) if is_tensor else None for is_tensor in self._is_tensor])

    def __call__(self, *args, **kwargs):
        leaves = [leaf for leaf in _weir.nest_flatten((args, kwargs)) if leaf is not None]
        if len(leaves) != len(self._inputs):
            raise TypeError(f"{self.name} takes {len(self._inputs)} tensors, but {len(leaves)} were given")
        tensors = [_weir.convert_to_tensor(leaf, dtype=spec.dtype) for leaf, spec in zip(leaves, self._inputs)]
        results = self._defined(*tensors)
        if isinstance(results, _weir.Operation):
            return results if not self._outputs and self._result is not None else None
        results = [results] if isinstance(results, _weir.Tensor) else list(results)
        for tensor, spec in zip(results, self._outputs):
            tensor.set_shape(spec.shape)
        return self._packed(iter(results))


class Function:
    """A Python function that is traced when it is called."""

    def __init__(self, python_function, input_signature=None, name=None):
        functools.update_wrapper(self, python_function)
        self.python_function = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._name = name or getattr(python_function, "__name__", "function")

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        # The bound function is kept with its object, so that calls share its traces.
        bound = vars(instance).get(f"_function_{self._name}")
        if bound is None:
            bound = Function(functools.partial(self.python_function, weakref.proxy(instance)), self.input_signature, self._name)
            vars(instance)[f"_function_{self._name}"] = bound
        return bound

    def _bound(self, args, kwargs):
        """Fills in defaults, and converts the arguments that the signature describes."""
        bound = inspect.signature(self.python_function).bind(*args, **kwargs)
        bound.apply_defaults()
        args, kwargs = bound.args, bound.kwargs
        if self.input_signature is None:
            return args, kwargs
        if kwargs or len(args) != len(self.input_signature):
            raise TypeError(f"{self._name} takes {len(self.input_signature)} tensors by its input_signature {self.input_signature}, but "
                            f"{len(args) + len(kwargs)} were given")
        return tuple(map(self._fitted, self.input_signature, args)), {}

    def _fitted(self, spec, value):
        """Converts an argument to the tensors that its spec describes."""
        if isinstance(spec, dict):
            return {key: self._fitted(one, value[key]) for key, one in spec.items()}
        if isinstance(spec, (list, tuple)):
            return type(spec)(map(self._fitted, spec, value))
        if not isinstance(value, TensorSpec):
            value = _weir.convert_to_tensor(value, dtype=None if isinstance(value, _weir.Tensor) else spec.dtype)
        if value.dtype.base_dtype != spec.dtype or not spec.shape.is_compatible_with(value.shape):
            raise TypeError(f"{self._name}: an argument of type {value.dtype.name} and shape {value.shape} does not fit its input_signature {spec}")
        return value

    def _trace(self, args, kwargs):
        if self.input_signature is not None:
            specs = iter(_weir.nest_flatten(self.input_signature))
            args, kwargs = _weir.nest_pack_sequence_as((args, kwargs), [next(specs) for _ in _weir.nest_flatten((args, kwargs))])
        graph = _weir.get_default_graph()
        if not hasattr(graph, "_function_traces"):
            graph._function_traces = {}  # stored in the graph, so that both are freed together
        traces = graph._function_traces.setdefault(self, {})
        key = (repr(_weir.nest_map_structure(lambda leaf: 0, (args, kwargs))), *map(_key, _weir.nest_flatten((args, kwargs))))
        if key not in traces:
            traces[key] = ConcreteFunction(self.python_function, args, kwargs, self._name)
        return traces[key]

    def get_concrete_function(self, *args, **kwargs):
        if self.input_signature is not None and not args and not kwargs:
            args = self.input_signature
        args, kwargs = self._bound(args, kwargs)
        return self._trace(args, kwargs)

    def __call__(self, *args, **kwargs):
        args, kwargs = self._bound(args, kwargs)
        concrete = self._trace(args, kwargs)
        return concrete(*[leaf for leaf in _weir.nest_flatten((args, kwargs)) if _is_tensor_argument(leaf)])


def function(func=None, input_signature=None, autograph=True, experimental_autograph_options=None, experimental_relax_shapes=False,
             experimental_compile=None):
    """Makes a Function of a Python function, also as a decorator. The other arguments have no effect."""
    if input_signature is not None and not all(isinstance(spec, TensorSpec) for spec in _weir.nest_flatten(tuple(input_signature))):
        raise TypeError(f"input_signature must be a possibly nested sequence of TensorSpec objects, got {input_signature!r}")
    if func is None:
        return lambda decorated: Function(decorated, input_signature)
    return Function(func, input_signature)


def wrap_function(fn, signature, name=None):
    """Traces a function for arguments of the given signature."""
    return Function(fn, signature, name).get_concrete_function()


def do_not_convert(func=None):
    """Returns the function: Weir converts no Python code."""
    return (lambda decorated: decorated) if func is None else func
