"""tf.distributions: TensorFlow's classes of probability distributions. The formulas are in C++ (_weir.Distribution)."""
from weir import _weir


class ReparameterizationType:
    """Whether samples have gradients with respect to the parameters."""

    def __init__(self, rep_type):
        self._rep_type = rep_type

    def __repr__(self):
        return f"<Reparameterization Type: {self._rep_type}>"

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")

_registered_divergences = {}


class RegisterKL:
    """Decorator that registers a function as the divergence of two classes of distributions."""

    def __init__(self, dist_cls_a, dist_cls_b):
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn):
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _registered_divergences:
            raise ValueError(f"KL({self._key[0].__name__} || {self._key[1].__name__}) has already been registered")
        _registered_divergences[self._key] = kl_fn
        return kl_fn


def _registered_divergence(type_a, type_b):
    """The function for the closest base classes, or None."""
    found = [(i + j, function) for (a, b), function in _registered_divergences.items()
             for i, base_a in enumerate(type_a.__mro__) for j, base_b in enumerate(type_b.__mro__) if base_a is a and base_b is b]
    return min(found, key=lambda item: item[0])[1] if found else None


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """The Kullback-Leibler divergence KL(a || b)."""
    function = _registered_divergence(type(distribution_a), type(distribution_b))
    with _weir.name_scope("KullbackLeibler"):
        if function is not None:
            return function(distribution_a, distribution_b, name=name)
        a, b = getattr(distribution_a, "_impl", None), getattr(distribution_b, "_impl", None)
        result = a.kl_divergence(b) if a is not None and b is not None else None
    if result is None:
        raise NotImplementedError(f"No KL(distribution_a || distribution_b) registered for distribution_a type "
                                  f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}")
    return result


class Distribution:
    """Base class. Derived classes implement _sample_n, _log_prob, _mean and so on."""

    def __init__(self, dtype, reparameterization_type, validate_args, allow_nan_stats, parameters=None, graph_parents=None, name=None):
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._validate_args = validate_args
        self._allow_nan_stats = allow_nan_stats
        self._parameters = {key: value for key, value in (parameters or {}).items() if key not in ("self", "__class__")}
        self._graph_parents = graph_parents or []
        with _weir.name_scope(name or type(self).__name__) as scope:
            self._name = scope

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    @property
    def parameters(self):
        return dict(self._parameters)

    @property
    def reparameterization_type(self):
        return self._reparameterization_type

    @property
    def allow_nan_stats(self):
        return self._allow_nan_stats

    @property
    def validate_args(self):
        return self._validate_args

    @property
    def batch_shape(self):
        return _weir.TensorShape(self._batch_shape())

    @property
    def event_shape(self):
        return _weir.TensorShape(self._event_shape())

    def copy(self, **override_parameters_kwargs):
        return type(self)(**{**self._parameters, **override_parameters_kwargs})

    def _call(self, method, name, *args, **kwargs):
        """Calls a method of a derived class in a scope named like a method of TensorFlow's distributions."""
        with _weir.name_scope(self._name), _weir.name_scope(name):
            function = getattr(self, "_" + method, None)
            if function is None:
                raise NotImplementedError(f"{method} is not implemented: {type(self).__name__}")
            return function(*args, **kwargs)

    def _batch_shape(self):
        return None

    def _event_shape(self):
        return None

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        return self._call("batch_shape_tensor", name)

    def event_shape_tensor(self, name="event_shape_tensor"):
        return self._call("event_shape_tensor", name)

    def is_scalar_event(self, name="is_scalar_event"):
        return self._is_scalar(self.event_shape, self._event_shape_tensor, name)

    def is_scalar_batch(self, name="is_scalar_batch"):
        return self._is_scalar(self.batch_shape, self._batch_shape_tensor, name)

    def _is_scalar(self, static_shape, shape_tensor, name):
        with _weir.name_scope(self._name):
            if static_shape.ndims is not None:
                return _weir.convert_to_tensor(static_shape.ndims == 0, name=name)
            return _weir.op_function("Equal")(_weir.op_function("Size")(shape_tensor()), 0, name=name)

    def sample(self, sample_shape=(), seed=None, name="sample"):
        return self._call("sample", name, sample_shape, seed)

    def log_prob(self, value, name="log_prob"):
        return self._call("log_prob", name, self._value(value))

    def prob(self, value, name="prob"):
        return self._call("prob", name, self._value(value))

    def log_cdf(self, value, name="log_cdf"):
        return self._call("log_cdf", name, self._value(value))

    def cdf(self, value, name="cdf"):
        return self._call("cdf", name, self._value(value))

    def log_survival_function(self, value, name="log_survival_function"):
        return self._call("log_survival_function", name, self._value(value))

    def survival_function(self, value, name="survival_function"):
        return self._call("survival_function", name, self._value(value))

    def quantile(self, value, name="quantile"):
        return self._call("quantile", name, self._value(value))

    def entropy(self, name="entropy"):
        return self._call("entropy", name)

    def mean(self, name="mean"):
        return self._call("mean", name)

    def variance(self, name="variance"):
        return self._call("variance", name)

    def stddev(self, name="stddev"):
        return self._call("stddev", name)

    def covariance(self, name="covariance"):
        return self._call("covariance", name)

    def mode(self, name="mode"):
        return self._call("mode", name)

    def kl_divergence(self, other, name="kl_divergence"):
        return kl_divergence(self, other, allow_nan_stats=self._allow_nan_stats)

    def cross_entropy(self, other, name="cross_entropy"):
        with _weir.name_scope(self._name), _weir.name_scope(name):
            return self.entropy() + kl_divergence(self, other, allow_nan_stats=self._allow_nan_stats)

    def _value(self, value):
        return _weir.convert_to_tensor(value, preferred_dtype=self._dtype, name="value")

    # Each function of a pair is computed from the other one, so a derived class needs to define only one.
    def _prob(self, value):
        return _weir.op_function("Exp")(self._log_prob(value))

    def _log_prob(self, value):
        if type(self)._prob is Distribution._prob:
            raise NotImplementedError(f"log_prob is not implemented: {type(self).__name__}")
        return _weir.op_function("Log")(self._prob(value))

    def _sample(self, sample_shape, seed):
        shape = _weir.op_function("Reshape")(_weir.convert_to_tensor(sample_shape, dtype="int32"), [-1])
        count = _weir.op_function("Prod")(shape, 0)
        samples = self._sample_n(count, seed)
        inner = _weir.op_function("StridedSlice")(_weir.op_function("Shape")(samples), [1], [0], [1], end_mask=1)
        return _weir.op_function("Reshape")(samples, _weir.concat([shape, inner], 0))

    def __str__(self):
        return f"tf.distributions.{type(self).__name__}(\"{self._name}\", batch_shape={self.batch_shape}, dtype={self._dtype.name})"

    def __repr__(self):
        return (f"<tf.distributions.{type(self).__name__} '{self._name}' batch_shape={self.batch_shape} event_shape={self.event_shape} "
                f"dtype={self._dtype.name}>")


class _NativeDistribution(Distribution):
    """A distribution that C++ implements. _KIND is its name there; _VALUES are the constructor's parameters that are tensors."""

    _KIND: str = ""
    _VALUES: tuple[str, ...] = ()

    def __init__(self, arguments, dtype=None):
        name, validate_args, allow_nan_stats = (arguments[key] for key in ("name", "validate_args", "allow_nan_stats"))
        values = {key: arguments[key] for key in self._VALUES if arguments[key] is not None}
        with _weir.name_scope(name) as name:
            self._impl = _weir.make_distribution(self._KIND, values, dtype or "int32", allow_nan_stats)
        super().__init__(self._impl.dtype, FULLY_REPARAMETERIZED if self._impl.reparameterized else NOT_REPARAMETERIZED, validate_args,
                         allow_nan_stats, arguments, name=name)

    def _batch_shape(self):
        return self._impl.batch_shape

    def _event_shape(self):
        return self._impl.event_shape


def _delegate(method):
    def call(self, *args):
        return getattr(self._impl, method)(*args)
    return call


for _method in ("batch_shape_tensor", "event_shape_tensor", "sample", "log_prob", "prob", "log_cdf", "cdf", "log_survival_function",
                "survival_function", "quantile", "entropy", "mean", "variance", "stddev", "covariance", "mode"):
    setattr(_NativeDistribution, "_" + _method, _delegate(_method))


def _parameter(name):
    return property(lambda self: self._impl.parameter(name))


class Normal(_NativeDistribution):
    _KIND, _VALUES = "Normal", ("loc", "scale")
    loc, scale = _parameter("loc"), _parameter("scale")

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Normal"):
        super().__init__(locals())


class Uniform(_NativeDistribution):
    _KIND, _VALUES = "Uniform", ("low", "high")
    low, high = _parameter("low"), _parameter("high")

    def __init__(self, low=0.0, high=1.0, validate_args=False, allow_nan_stats=True, name="Uniform"):
        super().__init__(locals())

    def range(self, name="range"):
        return self._impl.parameter("range")


class Bernoulli(_NativeDistribution):
    _KIND, _VALUES = "Bernoulli", ("logits", "probs")
    logits, probs = _parameter("logits"), _parameter("probs")

    def __init__(self, logits=None, probs=None, dtype="int32", validate_args=False, allow_nan_stats=True, name="Bernoulli"):
        super().__init__(locals(), dtype)


class Categorical(_NativeDistribution):
    _KIND, _VALUES = "Categorical", ("logits", "probs")
    logits, probs, event_size = _parameter("logits"), _parameter("probs"), _parameter("event_size")

    def __init__(self, logits=None, probs=None, dtype="int32", validate_args=False, allow_nan_stats=True, name="Categorical"):
        super().__init__(locals(), dtype)


class Beta(_NativeDistribution):
    _KIND, _VALUES = "Beta", ("concentration1", "concentration0")
    concentration1, concentration0 = _parameter("concentration1"), _parameter("concentration0")
    total_concentration = _parameter("total_concentration")

    def __init__(self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name="Beta"):
        super().__init__(locals())


class Dirichlet(_NativeDistribution):
    _KIND, _VALUES = "Dirichlet", ("concentration",)
    concentration, total_concentration = _parameter("concentration"), _parameter("total_concentration")

    def __init__(self, concentration, validate_args=False, allow_nan_stats=True, name="Dirichlet"):
        super().__init__(locals())


class Gamma(_NativeDistribution):
    _KIND = "Gamma"
    _VALUES: tuple[str, ...] = ("concentration", "rate")
    concentration, rate = _parameter("concentration"), _parameter("rate")

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="Gamma"):
        super().__init__(locals())


class Exponential(Gamma):
    _KIND, _VALUES = "Exponential", ("rate",)

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="Exponential"):
        _NativeDistribution.__init__(self, locals())


class Laplace(_NativeDistribution):
    _KIND, _VALUES = "Laplace", ("loc", "scale")
    loc, scale = _parameter("loc"), _parameter("scale")

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Laplace"):
        super().__init__(locals())


class StudentT(_NativeDistribution):
    _KIND, _VALUES = "StudentT", ("df", "loc", "scale")
    df, loc, scale = _parameter("df"), _parameter("loc"), _parameter("scale")

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentT"):
        super().__init__(locals())


class Multinomial(_NativeDistribution):
    _KIND, _VALUES = "Multinomial", ("total_count", "logits", "probs")
    total_count, logits, probs = _parameter("total_count"), _parameter("logits"), _parameter("probs")

    def __init__(self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Multinomial"):
        super().__init__(locals())


class DirichletMultinomial(_NativeDistribution):
    _KIND, _VALUES = "DirichletMultinomial", ("total_count", "concentration")
    total_count, concentration = _parameter("total_count"), _parameter("concentration")
    total_concentration = _parameter("total_concentration")

    def __init__(self, total_count, concentration, validate_args=False, allow_nan_stats=True, name="DirichletMultinomial"):
        super().__init__(locals())


class MultivariateNormalDiag(_NativeDistribution):
    _KIND, _VALUES = "MultivariateNormalDiag", ("loc", "scale_diag")
    loc = _parameter("loc")

    def __init__(self, loc=None, scale_diag=None, scale_identity_multiplier=None, validate_args=False, allow_nan_stats=True,
                 name="MultivariateNormalDiag"):
        arguments = dict(locals())
        with _weir.name_scope(name):
            if scale_diag is None:
                if loc is None:
                    raise ValueError("Must specify one or both of `loc`, `scale_diag`.")
                arguments["loc"] = _weir.convert_to_tensor(loc, name="loc")
                arguments["scale_diag"] = _weir.ones_like(arguments["loc"])
                if scale_identity_multiplier is not None:
                    arguments["scale_diag"] *= _weir.op_function("ExpandDims")(scale_identity_multiplier, -1)
            elif scale_identity_multiplier is not None:
                arguments["scale_diag"] = _weir.convert_to_tensor(scale_diag, name="scale_diag") + _weir.op_function("ExpandDims")(
                    scale_identity_multiplier, -1)
        super().__init__(arguments)


class OneHotCategorical(_NativeDistribution):
    _KIND, _VALUES = "OneHotCategorical", ("logits", "probs")
    logits, probs, event_size = _parameter("logits"), _parameter("probs"), _parameter("event_size")

    def __init__(self, logits=None, probs=None, dtype="int32", validate_args=False, allow_nan_stats=True, name="OneHotCategorical"):
        super().__init__(locals(), dtype)


class Poisson(_NativeDistribution):
    _KIND, _VALUES = "Poisson", ("rate", "log_rate")
    rate, log_rate = _parameter("rate"), _parameter("log_rate")

    def __init__(self, rate=None, log_rate=None, interpolate_nondiscrete=True, validate_args=False, allow_nan_stats=True, name="Poisson"):
        if (rate is None) == (log_rate is None):
            raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
        arguments = dict(locals())
        if rate is None:
            arguments["rate"], arguments["log_rate"] = _weir.op_function("Exp")(log_rate), None
        super().__init__(arguments)
