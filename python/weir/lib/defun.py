"""tensorflow.python.framework.function.Defun: a function of the graph from a Python function."""
import inspect as _inspect

from weir import _weir

_SHORT = {"float": "f", "int": "i", "uint": "u", "complex": "c", "bool": "b", "string": "s", "bfloat": "b", "qint": "qi", "quint": "qu"}


def _short_name(dtype):
    kind = dtype.name.rstrip("0123456789")
    return _SHORT.get(kind, kind) + dtype.name[len(kind):]


class OverloadedFunction:
    """A function whose types are not declared. A call traces it for the types of its arguments, once for each list of types."""

    def __init__(self, function, options):
        self._function, self._options, self._traced = function, options, {}

    def instantiate(self, input_types):
        """Returns the function for these types."""
        types = tuple(_weir.as_dtype(dtype).base_dtype for dtype in input_types)
        if types not in self._traced:
            options = dict(self._options)
            if options.get("func_name") is not None:
                options["func_name"] += "_" + "".join(_short_name(dtype) for dtype in types)
            gradient = options.get("grad_func")
            if isinstance(gradient, OverloadedFunction):
                outputs = _weir.Defun(*types)(self._function).definition.signature.output_arg
                options["grad_func"] = gradient.instantiate([*types, *(_weir.as_dtype(output.type) for output in outputs)])
            self._traced[types] = _weir.Defun(*types, **options)(self._function)
        return self._traced[types]

    def __call__(self, *args, **kwargs):
        tensors = [_weir.convert_to_tensor(arg) for arg in args]
        return self.instantiate([tensor.dtype for tensor in tensors])(*tensors, **kwargs)


def Defun(*input_types, **kwargs):
    """Decorator: makes a Python function of tensors a function of the graph. Without input_types, its calls decide them."""
    def decorate(function):
        parameters = _inspect.signature(function).parameters.values()
        if input_types or not parameters:
            return _weir.Defun(*input_types, **kwargs)(function)
        return OverloadedFunction(function, kwargs)
    return decorate
