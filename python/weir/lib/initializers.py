"""Initializers: create the initial values of variables. The classes store settings; C++ computes the values."""
from weir import _weir

_float32 = _weir.dtypes["float32"]


class Initializer:
    """Base class of initializers. __call__ returns a tensor with the given shape and type."""

    def __call__(self, shape, dtype=None, partition_info=None):
        raise NotImplementedError

    def get_config(self):
        return {key: value.name if isinstance(value, _weir.DType) else value for key, value in vars(self).items()}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class Zeros(Initializer):
    def __init__(self, dtype=_float32):
        self.dtype = _weir.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return _weir.initial_zeros(shape, dtype or self.dtype)


class Ones(Initializer):
    def __init__(self, dtype=_float32):
        self.dtype = _weir.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return _weir.initial_ones(shape, dtype or self.dtype)


class Constant(Initializer):
    def __init__(self, value=0, dtype=_float32, verify_shape=False):
        self.value = value
        self.dtype = _weir.as_dtype(dtype)
        self.verify_shape = verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        return _weir.initial_constant(self.value, shape, dtype or self.dtype,
                                      self.verify_shape if verify_shape is None else verify_shape)


class _RandomInitializer(Initializer):
    """Base class of random initializers: two parameters of a distribution, a seed and a type."""

    def __init__(self, first, second, seed, dtype):
        self.seed = seed
        self.dtype = _weir.as_dtype(dtype)
        self._settings = (first, second)

    def __call__(self, shape, dtype=None, partition_info=None):
        return self._draw(shape, *self._settings, dtype or self.dtype, seed=self.seed)

    def get_config(self):
        return {**dict(zip(self._names, self._settings)), "seed": self.seed, "dtype": self.dtype.name}


class RandomUniform(_RandomInitializer):
    _draw = staticmethod(_weir.random_uniform)
    _names = ("minval", "maxval")

    def __init__(self, minval=0, maxval=None, seed=None, dtype=_float32):
        super().__init__(minval, maxval, seed, dtype)


class RandomNormal(_RandomInitializer):
    _draw = staticmethod(_weir.random_normal)
    _names = ("mean", "stddev")

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=_float32):
        super().__init__(mean, stddev, seed, dtype)


class TruncatedNormal(_RandomInitializer):
    _draw = staticmethod(_weir.truncated_normal)
    _names = ("mean", "stddev")

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=_float32):
        super().__init__(mean, stddev, seed, dtype)


class UniformUnitScaling(Initializer):
    def __init__(self, factor=1.0, seed=None, dtype=_float32):
        self.factor = factor
        self.seed = seed
        self.dtype = _weir.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return _weir.initial_uniform_unit_scaling(shape, dtype or self.dtype, self.factor, self.seed, partition_info)


class VarianceScaling(Initializer):
    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=_float32):
        if scale <= 0.0:
            raise ValueError("`scale` must be positive float.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Invalid `mode` argument: {mode}")
        if distribution.lower() not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Invalid `distribution` argument: {distribution}")
        self.scale = scale
        self.mode = mode
        self.distribution = distribution.lower()
        self.seed = seed
        self.dtype = _weir.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return _weir.initial_variance_scaling(shape, dtype or self.dtype, self.scale, self.mode, self.distribution, self.seed, partition_info)


class Orthogonal(Initializer):
    def __init__(self, gain=1.0, seed=None, dtype=_float32):
        self.gain = gain
        self.seed = seed
        self.dtype = _weir.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return _weir.initial_orthogonal(shape, dtype or self.dtype, self.gain, self.seed)


class Identity(Initializer):
    def __init__(self, gain=1.0, dtype=_float32):
        self.gain = gain
        self.dtype = _weir.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return _weir.initial_identity(shape, dtype or self.dtype, self.gain, partition_info)


class GlorotUniform(VarianceScaling):
    def __init__(self, seed=None, dtype=_float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self):
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    def __init__(self, seed=None, dtype=_float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self):
        return {"seed": self.seed, "dtype": self.dtype.name}


def he_normal(seed=None):
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed=None):
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed=None):
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed=None):
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def xavier_initializer(uniform=True, seed=None, dtype=_float32):
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


def variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=_float32):
    """VarianceScaling with the parameters of tf.contrib.layers."""
    made = VarianceScaling(factor, mode.lower(), "uniform", seed, dtype)
    if not uniform:
        made.distribution = "contrib_truncated_normal"
    return made
