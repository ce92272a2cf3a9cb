"""Decorators for gradients written in Python, and constants for aggregation methods."""
from weir import _weir


class RegisterGradient:
    """Decorator @tf.RegisterGradient("MyOp") for a function(op, *grads) that returns gradients of the op's inputs."""

    def __init__(self, op_type):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, function):
        return _weir.register_gradient(self._op_type, function)


def no_gradient(op_type):
    _weir.register_no_gradient(op_type)


class AggregationMethod:
    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients:
    NONE = "none"
    ZERO = "zero"


def _variables_between(inputs, results):
    """Returns the graph's variables on which the results depend, except through the inputs."""
    known = {}
    for collection in ("variables", "local_variables", "trainable_variables"):
        known.update((v.op.name, v) for v in results[0].graph.get_collection(collection) if hasattr(v, "op"))
    seen, stack, found = {x.op for x in inputs}, [r.op for r in results], []
    while stack:
        op = stack.pop()
        if op in seen:
            continue
        seen.add(op)
        if (op._traits.is_variable or op._traits.is_variable_handle) and op.name in known:
            found.append(known[op.name])
        stack.extend(x.op for x in op.inputs)
    return sorted(found, key=lambda v: v.op.name)


def _takes_variables(function):
    import inspect
    parameters = inspect.signature(function).parameters.values()
    return any(p.kind == p.VAR_KEYWORD or p.name == "variables" and p.kind != p.VAR_POSITIONAL for p in parameters)


def custom_gradient(f=None):
    """Decorator for a function that returns (results, gradient function): the results get that gradient function.

    If `f` uses variables, the gradient function must have a parameter `variables` and return two lists: the gradients of the
    arguments and those of the variables.
    """
    import functools

    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        inputs = [_weir.op_function("Identity")(_weir.convert_to_tensor(arg)) for arg in args]
        before = {v.op.name for v in _weir.global_variables() + _weir.local_variables()}
        result, gradient = f(*inputs, **kwargs)
        results = [_weir.convert_to_tensor(r) for r in _weir.nest_flatten(result)]
        graph = (results + inputs)[0].graph
        made = [v for v in _weir.global_variables() + _weir.local_variables() if v.op.name not in before]
        if not all(v.op._traits.is_variable_handle for v in made):
            raise TypeError("All variables used by a function wrapped with @custom_gradient must be `ResourceVariable`s. Ensure that "
                            "no `variable_scope` is created with `use_resource=False`.")
        variables = _variables_between(inputs, results) if results else []
        if variables and not _takes_variables(gradient):
            raise TypeError("@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
                            f"{variables}")
        name = f"CustomGradient-{id(gradient)}-{graph.unique_name('custom_gradient')}"

        def backward(op, *result_gradients):
            result_gradients = result_gradients[:len(results)]
            if variables:
                found, of_variables = gradient(*result_gradients, variables=variables)
                if len(of_variables) != len(variables):
                    raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
            else:
                found, of_variables = gradient(*result_gradients), []
            found = _weir.nest_flatten(found)
            if len(found) != len(inputs):
                raise ValueError(f"the gradient function returned {len(found)} gradients for {len(inputs)} inputs")
            return [None] * len(results) + found + list(of_variables)

        _weir.register_gradient(name, backward)
        values = [_weir.convert_to_tensor(v) for v in variables]
        with graph.gradient_override_map({"IdentityN": name}):
            outputs = _weir.op_function("IdentityN")(results + inputs + values)
        return _weir.nest_pack_sequence_as(result, list(outputs)[:len(results)])

    return decorated


def recompute_grad(f):
    """Returns a function that computes f and, instead of keeping f's intermediate values, computes them again for the gradient.

    The second computation starts when the gradient of the results is known. Variables that f creates are reused in it.
    """
    import functools

    @functools.wraps(f)
    def recomputed(*args, **kwargs):
        scope = _weir.get_variable_scope()

        @custom_gradient
        def compute(*inputs):
            def gradient(*result_gradients, variables=None):
                variables = list(variables or [])
                with _weir.control_dependencies([g for g in result_gradients if g is not None]):
                    again = [_weir.op_function("Identity")(x) for x in inputs]
                    with _weir.variable_scope(scope, reuse=True):
                        results = _weir.nest_flatten(f(*again, **kwargs))
                found = _weir.gradients(results, again + variables, list(result_gradients))
                return (found[:len(again)], found[len(again):]) if variables else found
            return f(*inputs, **kwargs), gradient
        return compute(*args)

    return recomputed


def grad_pass_through(f):
    """Decorator: computes f forward, and the identity backward."""
    @custom_gradient
    def passed(*args, **kwargs):
        return f(*args, **kwargs), lambda *grads: list(grads)
    return passed
