"""tf.contrib.opt.ExternalOptimizerInterface: minimizes a loss with an optimizer outside of the graph, for example SciPy's."""
import numpy as _np

from weir import _weir
from weir._names import find as _find
from weir.lib import log as _log


class ExternalOptimizerInterface:
    """Base class: derived classes implement _minimize with an optimizer of flat vectors."""

    def __init__(self, loss, var_list=None, equalities=None, inequalities=None, var_to_bounds=None, **optimizer_kwargs):
        self._loss, self._equalities, self._inequalities = loss, list(equalities or []), list(inequalities or [])
        self._vars = list(_find("trainable_variables")() if var_list is None else var_list)
        shapes = [var.shape for var in self._vars]
        ends = _np.cumsum([0] + [shape.num_elements() for shape in shapes])
        self._slices = [slice(start, end) for start, end in zip(ends[:-1], ends[1:])]
        self._packed_bounds = None if var_to_bounds is None else self._bounds(var_to_bounds)
        self._placeholders = [_find("placeholder")(var.dtype.base_dtype, var.shape) for var in self._vars]
        self._assigns = [_find("assign")(var, placeholder) for var, placeholder in zip(self._vars, self._placeholders)]
        self._packed_var = self._packed(self._vars)
        self._packed_grad = self._gradient(loss)
        self._equality_grads = [self._gradient(one) for one in self._equalities]
        self._inequality_grads = [self._gradient(one) for one in self._inequalities]
        self.optimizer_kwargs = optimizer_kwargs

    def _packed(self, tensors):
        flat = [_find("reshape")(tensor, [-1]) for tensor in tensors]
        return flat[0] if len(flat) == 1 else _find("concat")(flat, 0)

    def _gradient(self, value):
        grads = _find("gradients")(value, self._vars)
        return self._packed([_find("zeros_like")(var) if grad is None else _weir.convert_to_tensor(grad) for grad, var in zip(grads, self._vars)])

    def _bounds(self, var_to_bounds):
        packed = []
        for var in self._vars:
            low, high = var_to_bounds.get(var, (-_np.inf, _np.inf))
            size = tuple(var.shape.as_list())
            packed += zip(_np.broadcast_to(low, size).flat, _np.broadcast_to(high, size).flat)
        return packed

    def minimize(self, session=None, feed_dict=None, fetches=None, step_callback=None, loss_callback=None, **run_kwargs):
        """Minimizes the loss and assigns the result to the variables."""
        session = session or _find("get_default_session")()
        feed_dict, fetches = feed_dict or {}, fetches or []
        loss_callback = loss_callback or (lambda *values: None)
        step_callback = step_callback or (lambda packed: None)
        dtype = self._packed_var.dtype.as_numpy_dtype

        def at(packed):
            return {**feed_dict, **{var: _np.asarray(packed[s], dtype).reshape(var.shape.as_list()) for var, s in zip(self._vars, self._slices)}}

        def function(tensors, callback=None):
            def evaluate(packed):
                values = session.run(tensors if callback is None else [tensors, fetches], feed_dict=at(packed), **run_kwargs)
                if callback is None:
                    return values
                callback(*values[1])
                return values[0]
            return evaluate
        result = self._minimize(
            initial_val=session.run(self._packed_var), loss_grad_func=function([self._loss, self._packed_grad], loss_callback),
            equality_funcs=[function(one) for one in self._equalities], equality_grad_funcs=[function(one) for one in self._equality_grads],
            inequality_funcs=[function(one) for one in self._inequalities],
            inequality_grad_funcs=[function(one) for one in self._inequality_grads], packed_bounds=self._packed_bounds,
            step_callback=step_callback, optimizer_kwargs=self.optimizer_kwargs)
        values = [_np.asarray(result[s], dtype).reshape(var.shape.as_list()) for var, s in zip(self._vars, self._slices)]
        session.run(self._assigns, feed_dict=dict(zip(self._placeholders, values)), **run_kwargs)

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs, inequality_funcs, inequality_grad_funcs, packed_bounds,
                  step_callback, optimizer_kwargs):
        """Returns the packed vector with the smallest loss."""
        raise NotImplementedError("To use ExternalOptimizerInterface, subclass from it and implement the _minimize() method.")


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes with scipy.optimize.minimize. Needs SciPy."""
    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs, inequality_funcs, inequality_grad_funcs, packed_bounds,
                  step_callback, optimizer_kwargs):
        import scipy.optimize  # type: ignore[import]

        def loss_and_gradient(packed):
            loss, gradient = loss_grad_func(packed)
            return _np.float64(loss), _np.asarray(gradient, _np.float64)
        options = dict(optimizer_kwargs.items())
        method = options.pop("method", self._DEFAULT_METHOD)
        constraints = [{"type": kind, "fun": function, "jac": gradient}
                       for kind, functions, gradients in (("eq", equality_funcs, equality_grad_funcs), ("ineq", inequality_funcs, inequality_grad_funcs))
                       for function, gradient in zip(functions, gradients)]
        arguments = {"jac": True, "callback": step_callback, "method": method, "constraints": constraints, "bounds": packed_bounds}
        for name in ("callback", "constraints"):
            if name in options:
                raise ValueError(f"'{name}' must not be given: it is set by the interface")
        if method == "SLSQP":
            del arguments["callback"]
        arguments.update({name: options.pop(name) for name in list(options) if name not in ("fun", "x0", "jac")})
        result = scipy.optimize.minimize(loss_and_gradient, initial_val, **arguments)
        _log.info("Optimization terminated with:\n  Message: %s\n  Objective function value: %f\n  Number of iterations: %d\n"
                  "  Number of functions evaluations: %d", result.message, result.fun, result.nit, result.nfev)
        return result["x"]
