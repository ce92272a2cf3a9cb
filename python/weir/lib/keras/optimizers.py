"""tf.keras.optimizers for graph-mode programs: apply_gradients, minimize and get_updates. The updates are those of tf.train."""
import weir as tf
from weir import _weir
from weir.lib.keras import objects


class Optimizer:
    """Base class. Uses an optimizer of tf.train that _create() returns."""

    def __init__(self, name, **kwargs):
        self._name = name
        self.clipnorm, self.clipvalue = kwargs.pop("clipnorm", None), kwargs.pop("clipvalue", None)
        self._decay = kwargs.pop("decay", 0.0)
        if "lr" in kwargs:
            self._given_rate = kwargs.pop("lr")
        if kwargs:
            raise TypeError(f"Unexpected keyword argument passed to optimizer: {sorted(kwargs)[0]}")
        self._optimizer, self._iterations = None, None

    def _set_rate(self, learning_rate):
        self._rate = getattr(self, "_given_rate", learning_rate)

    @property
    def iterations(self):
        """The number of updates, a variable."""
        if self._iterations is None:
            with tf.name_scope(self._name):
                self._iterations = tf.Variable(tf.constant(0, tf.int64), name="iter", trainable=False, use_resource=True)
        return self._iterations

    @property
    def learning_rate(self):
        return self._rate

    lr = learning_rate

    def _current_rate(self):
        rate = self._rate
        if callable(rate):
            rate = rate(self.iterations) if isinstance(rate, LearningRateSchedule) else rate()
        if self._decay:
            rate = rate / (1.0 + self._decay * tf.cast(self.iterations, tf.float32))
        return rate

    def _of_train(self):
        if self._optimizer is None:
            self._optimizer = self._create(self._current_rate())
        return self._optimizer

    def _create(self, rate):
        raise NotImplementedError("derive from a class of tf.train.Optimizer instead")

    def get_gradients(self, loss, params):
        gradients = tf.gradients(loss, params)
        if any(g is None for g in gradients):
            raise ValueError("An operation has `None` for gradient. Please make sure that all of your ops have a gradient defined (i.e. are "
                             "differentiable). Common ops without gradient: K.argmax, K.round, K.eval.")
        return self._clipped(gradients)

    def _clipped(self, gradients):
        if self.clipnorm is not None:
            gradients = [None if g is None else tf.clip_by_norm(g, self.clipnorm) for g in gradients]
        if self.clipvalue is not None:
            gradients = [None if g is None else tf.clip_by_value(g, -self.clipvalue, self.clipvalue) for g in gradients]
        return gradients

    def apply_gradients(self, grads_and_vars, name=None):
        pairs = list(grads_and_vars)
        counted = self.iterations  # created before the updates, which may read it
        applied = self._of_train().apply_gradients(pairs)
        with tf.control_dependencies([applied]):
            return counted.assign_add(1, read_value=False, name=name)

    def minimize(self, loss, var_list, grad_loss=None, name=None):
        variables = var_list() if callable(var_list) else var_list
        gradients = self._clipped(tf.gradients(loss() if callable(loss) else loss, variables, grad_loss))
        return self.apply_gradients(zip(gradients, variables), name)

    def get_updates(self, loss, params):
        return [self.apply_gradients(zip(self.get_gradients(loss, params), params))]

    def get_slot_names(self):
        return self._of_train().get_slot_names()

    def get_slot(self, var, slot_name):
        return self._of_train().get_slot(var, slot_name)

    def variables(self):
        return [self.iterations] + ([] if self._optimizer is None else list(self._optimizer.variables()))

    weights = property(lambda self: self.variables())

    def get_weights(self):
        from weir.lib.keras import backend
        return backend.batch_get_value(self.weights)

    def set_weights(self, weights):
        from weir.lib.keras import backend
        backend.batch_set_value(list(zip(self.weights, weights)))

    def get_config(self):
        return {"name": self._name}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = dict(config)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        return cls(**config)


class SGD(Optimizer):
    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, name="SGD", **kwargs):
        super().__init__(name, **kwargs)
        self._set_rate(learning_rate)
        self.momentum, self.nesterov = momentum, nesterov

    def _create(self, rate):
        if self.momentum == 0:
            return tf.train.GradientDescentOptimizer(rate, name=self._name)
        return tf.train.MomentumOptimizer(rate, self.momentum, use_nesterov=self.nesterov, name=self._name)

    def get_config(self):
        return {**super().get_config(), "learning_rate": self._rate, "momentum": self.momentum, "nesterov": self.nesterov, "decay": self._decay}


class Adam(Optimizer):
    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, name="Adam", **kwargs):
        super().__init__(name, **kwargs)
        self._set_rate(learning_rate)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon or 1e-7, amsgrad

    def _create(self, rate):
        if self.amsgrad:
            return _weir.AdamVariantOptimizer(_weir.AdamKind.AMSGRAD, rate, self.beta_1, self.beta_2, self.epsilon, False, self._name)
        return tf.train.AdamOptimizer(rate, self.beta_1, self.beta_2, self.epsilon, name=self._name)

    def get_config(self):
        return {**super().get_config(), "learning_rate": self._rate, "beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon,
                "amsgrad": self.amsgrad, "decay": self._decay}


class Adadelta(Optimizer):
    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-7, name="Adadelta", **kwargs):
        super().__init__(name, **kwargs)
        self._set_rate(learning_rate)
        self.rho, self.epsilon = rho, epsilon or 1e-7

    def _create(self, rate):
        return tf.train.AdadeltaOptimizer(rate, self.rho, self.epsilon, name=self._name)

    def get_config(self):
        return {**super().get_config(), "learning_rate": self._rate, "rho": self.rho, "epsilon": self.epsilon, "decay": self._decay}


class Ftrl(Optimizer):
    def __init__(self, learning_rate=0.001, learning_rate_power=-0.5, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, name="Ftrl", l2_shrinkage_regularization_strength=0.0, **kwargs):
        super().__init__(name, **kwargs)
        self._set_rate(learning_rate)
        self._settings = dict(learning_rate_power=learning_rate_power, initial_accumulator_value=initial_accumulator_value,
                              l1_regularization_strength=l1_regularization_strength, l2_regularization_strength=l2_regularization_strength,
                              l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength)

    def _create(self, rate):
        return tf.train.FtrlOptimizer(rate, name=self._name, **self._settings)

    def get_config(self):
        return {**super().get_config(), "learning_rate": self._rate, **self._settings, "decay": self._decay}


class _OfGradients(Optimizer):
    """An optimizer whose update is written with ops: tf.train's differs in where it adds epsilon."""
    _slot_names = ()

    def __init__(self, name, **kwargs):
        super().__init__(name, **kwargs)
        self._slots = {}

    def _slot(self, variable, name, value=0.0):
        key = (variable.name, name)
        if key not in self._slots:
            with tf.control_dependencies(None), tf.name_scope(None):
                self._slots[key] = tf.Variable(tf.fill(variable.shape.as_list(), tf.cast(value, variable.dtype.base_dtype)), trainable=False,
                                               name=f"{self._name}/{variable.op.name}/{name}", use_resource=True)
        return self._slots[key]

    def get_slot(self, var, slot_name):
        return self._slots.get((var.name, slot_name))

    def get_slot_names(self):
        return list(self._slot_names)

    def variables(self):
        return [self.iterations, *self._slots.values()]

    def apply_gradients(self, grads_and_vars, name=None):
        counted, rate, updates = self.iterations, self._current_rate(), []
        for gradient, variable in grads_and_vars:
            if gradient is None:
                continue
            with tf.name_scope(self._name):
                updates.append(self._updated(tf.convert_to_tensor(gradient), variable, rate))
        if not updates:
            raise ValueError("No gradients provided for any variable.")
        with tf.control_dependencies(updates):
            return counted.assign_add(1, read_value=False, name=name)


class RMSprop(_OfGradients):
    _slot_names = ("rms", "momentum", "mg")  # type: ignore[assignment]

    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, name="RMSprop", **kwargs):
        super().__init__(name, **kwargs)
        self._set_rate(learning_rate)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon or 1e-7, centered

    def _updated(self, g, variable, rate):
        rms = self._slot(variable, "rms")
        square = rms.assign(self.rho * rms + (1 - self.rho) * tf.square(g))
        spread = square
        if self.centered:
            mg = self._slot(variable, "mg")
            spread = square - tf.square(mg.assign(self.rho * mg + (1 - self.rho) * g))
        if not self.momentum:
            return variable.assign_sub(rate * g / (tf.sqrt(spread) + self.epsilon)).op
        momentum = self._slot(variable, "momentum")
        step = momentum.assign(self.momentum * momentum + rate * g * tf.rsqrt(spread + self.epsilon))
        return variable.assign_sub(step).op

    def get_config(self):
        return {**super().get_config(), "learning_rate": self._rate, "rho": self.rho, "momentum": self.momentum, "epsilon": self.epsilon,
                "centered": self.centered, "decay": self._decay}


class Adagrad(_OfGradients):
    _slot_names = ("accumulator",)  # type: ignore[assignment]

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, name="Adagrad", **kwargs):
        super().__init__(name, **kwargs)
        if initial_accumulator_value < 0.0:
            raise ValueError(f"initial_accumulator_value must be non-negative: {initial_accumulator_value}")
        self._set_rate(learning_rate)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon or 1e-7

    def _updated(self, g, variable, rate):
        accumulator = self._slot(variable, "accumulator", self.initial_accumulator_value)
        total = accumulator.assign_add(tf.square(g))
        return variable.assign_sub(rate * g / (tf.sqrt(total) + self.epsilon)).op

    def get_config(self):
        return {**super().get_config(), "learning_rate": self._rate, "initial_accumulator_value": self.initial_accumulator_value,
                "epsilon": self.epsilon, "decay": self._decay}


class Adamax(_OfGradients):
    _slot_names = ("m", "v")  # type: ignore[assignment]

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name="Adamax", **kwargs):
        super().__init__(name, **kwargs)
        self._set_rate(learning_rate)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon or 1e-7

    def _updated(self, g, variable, rate):
        m, v = self._slot(variable, "m"), self._slot(variable, "v")
        power = tf.pow(self.beta_1, tf.cast(self.iterations, g.dtype) + 1)
        first = m.assign(self.beta_1 * m + (1 - self.beta_1) * g)
        second = v.assign(tf.maximum(self.beta_2 * v, tf.abs(g)))
        return variable.assign_sub(rate / (1 - power) * first / (second + self.epsilon)).op

    def get_config(self):
        return {**super().get_config(), "learning_rate": self._rate, "beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon,
                "decay": self._decay}


class Nadam(_OfGradients):
    """Adam with Nesterov momentum, whose weight approaches beta_1 as training goes on."""
    _slot_names = ("m", "v")  # type: ignore[assignment]

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name="Nadam", **kwargs):
        self._schedule_decay = kwargs.pop("schedule_decay", 0.004)
        if isinstance(kwargs.get("lr", learning_rate), LearningRateSchedule):
            raise ValueError("The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules as the learning rate.")
        super().__init__(name, **kwargs)
        self._set_rate(learning_rate)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon or 1e-7
        self._product = None  # of the momenta of all steps so far

    def _momentum(self, step):
        return self.beta_1 * (1 - 0.5 * tf.pow(0.96, self._schedule_decay * step))

    def apply_gradients(self, grads_and_vars, name=None):
        if self._product is None:
            with tf.name_scope(None):
                self._product = tf.Variable(1.0, trainable=False, name=f"{self._name}/momentum_cache", use_resource=True)
        step = tf.cast(self.iterations, tf.float32) + 1
        now, following = self._momentum(step), self._momentum(step + 1)
        product = tf.identity(self._product * now)
        self._now = step, now, following, product
        with tf.control_dependencies([product]):
            kept = self._product.assign(product)
        with tf.control_dependencies([kept]):
            return super().apply_gradients(grads_and_vars, name)

    def _updated(self, g, variable, rate):
        step, now, following, product = (tf.cast(value, g.dtype) for value in self._now)
        m, v = self._slot(variable, "m"), self._slot(variable, "v")
        first = m.assign(self.beta_1 * m + (1 - self.beta_1) * g) / (1 - product * following)
        second = v.assign(self.beta_2 * v + (1 - self.beta_2) * tf.square(g)) / (1 - tf.pow(tf.cast(self.beta_2, g.dtype), step))
        mean = (1 - now) * g / (1 - product) + following * first
        return variable.assign_sub(rate * mean / (tf.sqrt(second) + self.epsilon)).op

    def get_config(self):
        return {**super().get_config(), "learning_rate": self._rate, "beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon,
                "decay": self._schedule_decay}


# --- schedules
class LearningRateSchedule:
    """Base class: a callable that returns the rate of a step."""

    def __call__(self, step):
        raise NotImplementedError("Learning rate schedule must override __call__")

    def get_config(self):
        return dict(self._settings)

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def _step(step):
    return tf.cast(step, tf.float32)


class ExponentialDecay(LearningRateSchedule):
    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        self._settings = dict(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, decay_rate=decay_rate, staircase=staircase, name=name)

    def __call__(self, step):
        s = self._settings
        return tf.train.exponential_decay(s["initial_learning_rate"], _step(step), s["decay_steps"], s["decay_rate"], s["staircase"], s["name"])


class InverseTimeDecay(LearningRateSchedule):
    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        self._settings = dict(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, decay_rate=decay_rate, staircase=staircase, name=name)

    def __call__(self, step):
        s = self._settings
        return tf.train.inverse_time_decay(s["initial_learning_rate"], _step(step), s["decay_steps"], s["decay_rate"], s["staircase"], s["name"])


class PiecewiseConstantDecay(LearningRateSchedule):
    def __init__(self, boundaries, values, name=None):
        if len(boundaries) != len(values) - 1:
            raise ValueError("The length of boundaries should be 1 less than the length of values")
        self._settings = dict(boundaries=boundaries, values=values, name=name)

    def __call__(self, step):
        s = self._settings
        return tf.train.piecewise_constant(step, s["boundaries"], s["values"], s["name"])


class PolynomialDecay(LearningRateSchedule):
    def __init__(self, initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None):
        self._settings = dict(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, end_learning_rate=end_learning_rate, power=power,
                              cycle=cycle, name=name)

    def __call__(self, step):
        s = self._settings
        return tf.train.polynomial_decay(s["initial_learning_rate"], _step(step), s["decay_steps"], s["end_learning_rate"], s["power"], s["cycle"], s["name"])


class CosineDecay(LearningRateSchedule):
    def __init__(self, initial_learning_rate, decay_steps, alpha=0.0, name=None):
        self._settings = dict(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, alpha=alpha, name=name)

    def __call__(self, step):
        s = self._settings
        return tf.train.cosine_decay(s["initial_learning_rate"], _step(step), s["decay_steps"], s["alpha"], s["name"])


class CosineDecayRestarts(LearningRateSchedule):
    def __init__(self, initial_learning_rate, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
        self._settings = dict(initial_learning_rate=initial_learning_rate, first_decay_steps=first_decay_steps, t_mul=t_mul, m_mul=m_mul, alpha=alpha,
                              name=name)

    def __call__(self, step):
        s = self._settings
        return tf.train.cosine_decay_restarts(s["initial_learning_rate"], _step(step), s["first_decay_steps"], s["t_mul"], s["m_mul"], s["alpha"], s["name"])


class LinearCosineDecay(LearningRateSchedule):
    def __init__(self, initial_learning_rate, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
        self._settings = dict(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, num_periods=num_periods, alpha=alpha, beta=beta, name=name)

    def __call__(self, step):
        s = self._settings
        return tf.train.linear_cosine_decay(s["initial_learning_rate"], _step(step), s["decay_steps"], s["num_periods"], s["alpha"], s["beta"], s["name"])


class NoisyLinearCosineDecay(LearningRateSchedule):
    def __init__(self, initial_learning_rate, decay_steps, initial_variance=1.0, variance_decay=0.55, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
        self._settings = dict(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, initial_variance=initial_variance,
                              variance_decay=variance_decay, num_periods=num_periods, alpha=alpha, beta=beta, name=name)

    def __call__(self, step):
        s = self._settings
        return tf.train.noisy_linear_cosine_decay(s["initial_learning_rate"], _step(step), s["decay_steps"], s["initial_variance"],
                                                  s["variance_decay"], s["num_periods"], s["alpha"], s["beta"], s["name"])


_NAMES = {name.lower(): value for name, value in list(globals().items()) if isinstance(value, type) and issubclass(value, Optimizer) and name[0] != "_"}


def serialize(optimizer):
    return objects.serialize_keras_object(optimizer)


def deserialize(config, custom_objects=None):
    config = {**config, "class_name": config["class_name"].lower()} if config.get("class_name", "").lower() in _NAMES else config
    return objects.deserialize_keras_object(config, _NAMES, custom_objects, "optimizer")


def get(identifier):
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")


def serialize_schedule(learning_rate_schedule):
    return objects.serialize_keras_object(learning_rate_schedule)


def deserialize_schedule(config, custom_objects=None):
    return objects.deserialize_keras_object(config, {name: value for name, value in globals().items() if isinstance(value, type)}, custom_objects, "decay")
