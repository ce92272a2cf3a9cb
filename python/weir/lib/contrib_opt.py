"""tf.contrib.opt: optimizers that C++ implements, and optimizers that wrap another one."""
import contextlib
import math

from weir import _weir
from weir._names import find as _find


class LazyAdamOptimizer(_weir.AdamVariantOptimizer):
    """Adam whose moments change only in the rows that have a gradient."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="Adam"):
        super().__init__(_weir.AdamKind.LAZY, learning_rate, beta1, beta2, epsilon, use_locking, name)


class NadamOptimizer(_weir.AdamVariantOptimizer):
    """Adam with Nesterov momentum."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="Adam"):
        super().__init__(_weir.AdamKind.NESTEROV, learning_rate, beta1, beta2, epsilon, use_locking, name)


class _SignOptimizer(_weir.SignOptimizer):
    def __init__(self, kind, learning_rate, amount, beta, sign_decay_fn, use_locking, name):
        self._sign_decay_fn, self._sign_decay = sign_decay_fn, 1.0
        super().__init__(kind, learning_rate, amount, beta, self._current_sign_decay, use_locking, name)

    def _current_sign_decay(self):
        return self._sign_decay

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        if self._sign_decay_fn is not None:
            self._sign_decay = _weir.convert_to_tensor(self._sign_decay_fn(global_step), name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)


def _renamed(attribute):
    """An attribute that TensorFlow names otherwise."""
    return property(lambda self: getattr(self, attribute), lambda self, value: setattr(self, attribute, value))


class AddSignOptimizer(_SignOptimizer):
    _alpha, _alpha_t = _renamed("_amount"), _renamed("_amount_t")

    def __init__(self, learning_rate=0.1, alpha=1.0, beta=0.9, sign_decay_fn=None, use_locking=False, name="AddSignOptimizer"):
        super().__init__(_weir.SignKind.ADD, learning_rate, alpha, beta, sign_decay_fn, use_locking, name)


class PowerSignOptimizer(_SignOptimizer):
    _logbase, _logbase_t = _renamed("_amount"), _renamed("_amount_t")

    def __init__(self, learning_rate=0.1, base=math.e, beta=0.9, sign_decay_fn=None, use_locking=False, name="PowerSignOptimizer"):
        super().__init__(_weir.SignKind.POWER, learning_rate, math.log(base), beta, sign_decay_fn, use_locking, name)


class RegAdagradOptimizer(_weir.RegAdagradOptimizer):
    @contextlib.contextmanager
    def avoid_updates_to_slots(self):
        """Updates that are built within the block leave the accumulators as they are."""
        before, self._update_slots = self._update_slots, False
        try:
            yield
        finally:
            self._update_slots = before

    def _should_update_slots(self):
        return self._update_slots


# --- decoupled weight decay ---
class DecoupledWeightDecayExtension:
    """Mixin for optimizers: subtracts weight_decay * variable in each step, apart from the gradient.

    class MyOptimizer(DecoupledWeightDecayExtension, tf.train.AdamOptimizer)
    """

    def __init__(self, weight_decay, **kwargs):
        self._weight_decay, self._decay_var_list = weight_decay, None
        super().__init__(**kwargs)

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None, colocate_gradients_with_ops=False,
                 name=None, grad_loss=None, decay_var_list=None):
        """Decays the variables of decay_var_list; by default all that have a gradient."""
        self._decay_var_list = decay_var_list
        return super().minimize(loss, global_step=global_step, var_list=var_list, gate_gradients=gate_gradients,
                                aggregation_method=aggregation_method, colocate_gradients_with_ops=colocate_gradients_with_ops, name=name,
                                grad_loss=grad_loss)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, decay_var_list=None):
        pairs = list(grads_and_vars)
        only = decay_var_list or self._decay_var_list or []
        rate = self._weight_decay() if callable(self._weight_decay) else self._weight_decay
        decays = _weir.decay_weights(pairs, rate, [var.op.name for var in only], self._use_locking)
        with _weir.control_dependencies(decays):
            return super().apply_gradients(pairs, global_step=global_step, name=name)


def extend_with_decoupled_weight_decay(base_optimizer):
    """Returns a class derived from an optimizer class, whose first argument is the weight decay."""
    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        def __init__(self, weight_decay, *args, **kwargs):
            self._weight_decay, self._decay_var_list = weight_decay, None
            base_optimizer.__init__(self, *args, **kwargs)
    return OptimizerWithDecoupledWeightDecay


class AdamWOptimizer(DecoupledWeightDecayExtension, _weir.AdamOptimizer):
    def __init__(self, weight_decay, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="AdamW"):
        super().__init__(weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon, use_locking=use_locking, name=name)


class MomentumWOptimizer(DecoupledWeightDecayExtension, _weir.MomentumOptimizer):
    def __init__(self, weight_decay, learning_rate, momentum, use_locking=False, name="MomentumW", use_nesterov=False):
        super().__init__(weight_decay, learning_rate=learning_rate, momentum=momentum, use_locking=use_locking, name=name,
                         use_nesterov=use_nesterov)


# --- optimizers around another one ---
class _Wrapper(_weir.Optimizer):
    """Base of optimizers that compute and apply gradients with another one."""

    def __init__(self, opt, use_locking, name):
        super().__init__(use_locking, name)
        self._opt = opt
        self._optimizer = opt

    def compute_gradients(self, *args, **kwargs):
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args, **kwargs):
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self):
        return self._opt.variables()


class MovingAverageOptimizer(_Wrapper):
    """Keeps moving averages of the variables, which a swapping_saver saves in their place."""

    def __init__(self, opt, average_decay=0.9999, num_updates=None, sequential_update=True):
        super().__init__(opt, opt._use_locking, "MovingAverage")
        self._ema = _weir.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._averages, self._sequential_update = None, sequential_update

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = list(grads_and_vars)
        train_op = self._opt.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [var for grad, var in pairs if grad is not None]
        with _weir.control_dependencies([train_op] if self._sequential_update else []):
            averaged = self._ema.apply(variables)
        self._averages = {var.op.name: self._ema.average(var) for var in variables}
        return _weir.group(train_op, averaged, name="train_with_avg")

    def swapping_saver(self, var_list=None, name="swapping_saver", **kwargs):
        """Returns a saver that saves each average under the name of its variable, and the variable under that of its average."""
        if self._averages is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        if var_list is None:
            var_list = _find("global_variables")()
        if not isinstance(var_list, dict):
            var_list = {var.op.name: var for var in var_list}
        swapped = dict(var_list)
        by_op = {var.op.name: key for key, var in var_list.items()}
        for key, var in var_list.items():
            average = self._averages.get(var.op.name)
            if average is None:
                continue
            other = by_op.get(average.op.name)
            if other is None:
                raise ValueError(f"Variable to swap {average.op.name} is not in variables to save. This breaks the swapping logic.")
            swapped[key], swapped[other] = average, var
        return _find("train.Saver")(swapped, name=name, **kwargs)


class VariableClippingOptimizer(_Wrapper):
    """Clips variables after their updates: to a norm along some of their dimensions."""

    def __init__(self, opt, vars_to_clip_dims, max_norm, use_locking=False, colocate_clip_ops_with_vars=False, name="VariableClipping"):
        super().__init__(opt, use_locking, name)
        self._vars_to_clip_dims, self._max_norm = {var.op.name: list(dims) for var, dims in vars_to_clip_dims.items()}, max_norm

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = list(grads_and_vars)
        with _weir.name_scope(self._name):
            update = self._opt.apply_gradients(pairs, global_step=global_step)
            with _weir.control_dependencies([update]):
                clips = [_weir.clip_variable(grad, var, self._vars_to_clip_dims[var.op.name], self._max_norm, self._use_locking)
                         for grad, var in pairs if grad is not None and var.op.name in self._vars_to_clip_dims]
            return _weir.group(update, *clips, name=name)


class DropStaleGradientOptimizer(_Wrapper):
    """Drops gradients that were computed more than `staleness` global steps ago."""

    def __init__(self, opt, staleness, use_locking=False, name="DropStaleGradient"):
        super().__init__(opt, use_locking, name)
        self._staleness, self._local_step = staleness, None

    def compute_gradients(self, loss, *args, **kwargs):
        self._local_step = _find("train.get_global_step")() + 0
        with _weir.control_dependencies([self._local_step]):
            loss = _find("identity")(loss)
            return self._opt.compute_gradients(loss, *args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        from weir.lib.initializers import Zeros
        pairs = list(grads_and_vars)
        if global_step is None:
            raise ValueError("Global step is required to check staleness.")
        counter = _weir.get_variable("stale_counter", shape=[], initializer=Zeros(), trainable=False)

        def accept():
            with _weir.control_dependencies([self._opt.apply_gradients(pairs, global_step=global_step, name=name)]):
                return _find("identity")(0.0)

        def drop():
            return _find("identity")(1.0)
        with _weir.control_dependencies([getattr(grad, "values", grad) for grad, _ in pairs if grad is not None]):
            staleness = _find("reshape")(global_step - self._local_step, [])
        dropped = _find("cond")(_find("less_equal")(staleness, self._staleness), accept, drop)
        update = _find("assign_add")(counter, dropped)
        _find("summary.scalar")("Gradient_staleness_percentage", counter / (_weir.cast(global_step + 1, _weir.dtypes["float32"])))
        return update
