"""Keras layers on single tensors: Dense, Embedding, shapes, dropout, activations, normalization."""
import numpy as np

import weir as tf
from weir import _weir
from weir.lib.keras import activations, constraints, initializers, objects, regularizers, state
from weir.lib.keras.base import InputSpec, Layer
from weir.lib.layers import norm_options, renorm_weights


def training_value(training):
    """Converts a `training` argument; None means the learning phase."""
    training = state.learning_phase() if training is None else training
    return bool(training) if isinstance(training, (int, np.integer)) else tf.cast(training, tf.bool) if training.dtype != tf.bool else training


def data_format(value):
    value = state.settings.image_data_format if value is None else value.lower()
    if value not in ("channels_first", "channels_last"):
        raise ValueError(f"The `data_format` argument must be one of \"channels_first\", \"channels_last\". Received: {value}")
    return value


class ComputedLayer(Layer):
    """A layer that C++ defines: which variables it needs, and what it computes from them. The variables are attributes."""
    activation = None
    use_variables = True

    def _set_weights(self, **given):
        """Each argument: initializer, regularizer and constraint of the variable of that name."""
        self._settings = {}
        for name, (initializer, regularizer, constraint) in given.items():
            setting = dict(initializer=initializers.get(initializer), regularizer=regularizers.get(regularizer), constraint=constraints.get(constraint))
            self._settings[name] = setting
            for part, value in setting.items():
                setattr(self, f"{name.removesuffix('_kernel') if name.endswith('_kernel') else name}_{part}", value)
        self._make_computation()  # checks the settings

    def build(self, input_shape):
        computation = self._make_computation()
        self._computation = computation
        for name in self._settings:
            setattr(self, name, None)
        for spec in computation.build(input_shape, tf.as_dtype(self._dtype or state.settings.floatx), self.name):
            setattr(self, spec.name, self.add_weight(spec.name, spec.shape, spec.dtype, trainable=spec.trainable, **self._settings[spec.name]))
        self.built = True

    def _compute(self, inputs, training=False):
        y, updates = self._computation.apply(inputs, {name: getattr(self, name) for name in self._settings}, training)
        for update in updates:
            self.add_update(update.op if isinstance(update, tf.Tensor) else update)
        return y if self.activation is None else self.activation(y)

    def call(self, inputs):
        return self._compute(inputs)

    def _weight_config(self, without=()):
        made = {"initializer": initializers, "regularizer": regularizers, "constraint": constraints}
        return {f"{name.removesuffix('_kernel') if name.endswith('_kernel') else name}_{part}": made[part].serialize(value)
                for name, setting in self._settings.items() if name not in without for part, value in setting.items()}


class Dense(ComputedLayer):
    def __init__(self, units, activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = int(units), activations.get(activation), use_bias
        self.supports_masking, self.input_spec = True, InputSpec(min_ndim=2)
        self._set_weights(kernel=(kernel_initializer, kernel_regularizer, kernel_constraint), bias=(bias_initializer, bias_regularizer, bias_constraint))

    def _make_computation(self):
        return _weir.DenseLayer(self.units, self.use_bias)

    def build(self, input_shape):
        if tf.TensorShape(input_shape)[-1].value is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        super().build(input_shape)
        self.input_spec = InputSpec(min_ndim=2, axes={-1: tf.TensorShape(input_shape)[-1].value})

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)[:-1].concatenate([self.units])

    def get_config(self):
        return {**super().get_config(), "units": self.units, "activation": activations.serialize(self.activation), "use_bias": self.use_bias,
                **self._weight_config()}


class Activation(Layer):
    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking, self.activation = True, activations.get(activation)

    def call(self, inputs):
        return self.activation(inputs)

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)

    def get_config(self):
        return {**super().get_config(), "activation": activations.serialize(self.activation)}


class Flatten(Layer):
    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = "channels_last" if data_format is None else data_format
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs):
        return _weir.flatten_layer(inputs, self.data_format) if inputs.shape.ndims != 1 else tf.expand_dims(inputs, -1)

    def get_config(self):
        return {**super().get_config(), "data_format": self.data_format}


class Reshape(Layer):
    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs):
        known = inputs.shape[1:].num_elements()
        sizes = list(self.target_shape)
        if known is not None and -1 in sizes:
            rest = int(np.prod([s for s in sizes if s != -1]))
            if rest and known % rest == 0:
                sizes[sizes.index(-1)] = known // rest
        if known is not None and -1 not in sizes and int(np.prod(sizes)) != known:
            raise ValueError(f"total size of new array must be unchanged, input_shape = {inputs.shape[1:].as_list()}, output_shape = {sizes}")
        rows = inputs.shape[0].value
        rows = tf.shape(inputs)[0] if rows is None else rows
        y = tf.reshape(inputs, tf.stack([rows, *sizes]) if isinstance(rows, tf.Tensor) else [rows, *sizes])
        y.set_shape([inputs.shape[0].value, *[None if s == -1 else s for s in sizes]])
        return y

    def get_config(self):
        return {**super().get_config(), "target_shape": self.target_shape}


class Permute(Layer):
    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ValueError(f"Invalid permutation `dims` for Permute Layer: {dims}. The set of indices in `dims` must be consecutive and start from 1.")
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs):
        return tf.transpose(inputs, perm=(0,) + self.dims)

    def get_config(self):
        return {**super().get_config(), "dims": self.dims}


class RepeatVector(Layer):
    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(n, int):
            raise TypeError(f"Expected an integer value for `n`, got {type(n)}.")
        self.n, self.input_spec = n, InputSpec(ndim=2)

    def call(self, inputs):
        return tf.tile(tf.expand_dims(inputs, 1), [1, self.n, 1])

    def get_config(self):
        return {**super().get_config(), "n": self.n}


class Lambda(Layer):
    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        self.function, self.arguments, self.mask, self._output_shape = function, arguments or {}, mask, output_shape
        self.supports_masking = mask is not None

    def call(self, inputs, mask=None, training=None):
        import inspect
        arguments = dict(self.arguments)
        try:
            names = inspect.signature(self.function).parameters
        except (TypeError, ValueError):
            names = ()
        if "mask" in names:
            arguments["mask"] = mask
        if "training" in names:
            arguments["training"] = training
        return self.function(inputs, **arguments)

    def compute_mask(self, inputs, mask=None):
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def get_config(self):
        return {**super().get_config(), "function": self.function, "arguments": self.arguments}


class Masking(Layer):
    def __init__(self, mask_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking, self.mask_value = True, mask_value

    def compute_mask(self, inputs, mask=None):
        return tf.reduce_any(tf.not_equal(inputs, tf.cast(self.mask_value, inputs.dtype)), axis=-1)

    def call(self, inputs):
        kept = tf.reduce_any(tf.not_equal(inputs, tf.cast(self.mask_value, inputs.dtype)), axis=-1, keepdims=True)
        return inputs * tf.cast(kept, inputs.dtype)

    def get_config(self):
        return {**super().get_config(), "mask_value": self.mask_value}


class ActivityRegularization(Layer):
    def __init__(self, l1=0.0, l2=0.0, **kwargs):
        super().__init__(activity_regularizer=regularizers.L1L2(l1, l2), **kwargs)
        self.supports_masking, self.l1, self.l2 = True, l1, l2

    def call(self, inputs):
        return tf.identity(inputs)

    def get_config(self):
        return {**super().get_config(), "l1": self.l1, "l2": self.l2}


class Embedding(Layer):
    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", embeddings_regularizer=None, activity_regularizer=None,
                 embeddings_constraint=None, mask_zero=False, input_length=None, **kwargs):
        if "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,) if input_length else (None,)
        super().__init__(activity_regularizer=activity_regularizer, dtype=kwargs.pop("dtype", state.settings.floatx), **kwargs)
        self.input_dim, self.output_dim, self.mask_zero, self.input_length = input_dim, output_dim, mask_zero, input_length
        self.supports_masking = mask_zero
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)

    def build(self, input_shape):
        self.embeddings = self.add_weight("embeddings", (self.input_dim, self.output_dim), initializer=self.embeddings_initializer,
                                          regularizer=self.embeddings_regularizer, constraint=self.embeddings_constraint)
        self.built = True

    def compute_mask(self, inputs, mask=None):
        return tf.not_equal(inputs, 0) if self.mask_zero else None

    def call(self, inputs):
        ids = inputs if inputs.dtype in (tf.int32, tf.int64) else tf.cast(inputs, tf.int32)
        return tf.nn.embedding_lookup(self.embeddings, ids)

    def get_config(self):
        return {**super().get_config(), "input_dim": self.input_dim, "output_dim": self.output_dim,
                "embeddings_initializer": initializers.serialize(self.embeddings_initializer),
                "embeddings_regularizer": regularizers.serialize(self.embeddings_regularizer),
                "embeddings_constraint": constraints.serialize(self.embeddings_constraint), "mask_zero": self.mask_zero,
                "input_length": self.input_length}


# --- dropout and noise
class _Random(Layer):
    """A layer that changes its inputs only in training."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs, training=None):
        training = training_value(training)
        if isinstance(training, bool):
            return self._noisy(inputs) if training else tf.identity(inputs)
        y = tf.cond(training, lambda: self._noisy(inputs), lambda: tf.identity(inputs))
        y.set_shape(inputs.shape)
        return y


class Dropout(Layer):
    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed, self.supports_masking = rate, noise_shape, seed, True

    def _noise_shape(self, inputs):
        if self.noise_shape is None:
            return None
        sizes = tf.shape(inputs)
        return [sizes[i] if size is None else size for i, size in enumerate(self.noise_shape)]

    def call(self, inputs, training=None):
        return _weir.dropout_layer(inputs, self.rate, self._noise_shape(inputs), self.seed, training_value(training))

    def get_config(self):
        return {**super().get_config(), "rate": self.rate, "noise_shape": self.noise_shape, "seed": self.seed}


class _SpatialDropout(Dropout):
    """Drops whole channels."""
    dims = 1

    def __init__(self, rate, data_format=None, **kwargs):
        super().__init__(rate, **kwargs)
        self.data_format = globals()["data_format"](data_format)
        self.input_spec = InputSpec(ndim=self.dims + 2)

    def _noise_shape(self, inputs):
        sizes = tf.shape(inputs)
        ones = [1] * self.dims
        return [sizes[0], sizes[1], *ones] if self.data_format == "channels_first" else [sizes[0], *ones, sizes[self.dims + 1]]

    def get_config(self):
        return {**Layer.get_config(self), "rate": self.rate, "data_format": self.data_format}


class SpatialDropout1D(_SpatialDropout):
    def __init__(self, rate, **kwargs):
        super().__init__(rate, "channels_last", **kwargs)

    def get_config(self):
        return {**Layer.get_config(self), "rate": self.rate}


class SpatialDropout2D(_SpatialDropout):
    dims = 2


class SpatialDropout3D(_SpatialDropout):
    dims = 3


class GaussianNoise(_Random):
    def __init__(self, stddev, **kwargs):
        super().__init__(**kwargs)
        self.stddev = stddev

    def _noisy(self, inputs):
        return inputs + tf.random_normal(tf.shape(inputs), 0.0, self.stddev, dtype=inputs.dtype)

    def get_config(self):
        return {**super().get_config(), "stddev": self.stddev}


class GaussianDropout(_Random):
    def __init__(self, rate, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate

    def _noisy(self, inputs):
        return inputs * tf.random_normal(tf.shape(inputs), 1.0, (self.rate / (1 - self.rate)) ** 0.5, dtype=inputs.dtype)

    def get_config(self):
        return {**super().get_config(), "rate": self.rate}


class AlphaDropout(_Random):
    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def _noisy(self, inputs):
        return _weir.keras_alpha_dropout(inputs, float(self.rate), self.noise_shape, self.seed) if 0 < self.rate < 1 else tf.identity(inputs)

    def get_config(self):
        return {**super().get_config(), "rate": self.rate}


# --- activations as layers
class _Pointwise(Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)


class LeakyReLU(_Pointwise):
    def __init__(self, alpha=0.3, **kwargs):
        super().__init__(**kwargs)
        self.alpha = np.array(alpha, dtype=state.settings.floatx)

    def call(self, inputs):
        return tf.nn.leaky_relu(inputs, float(self.alpha))

    def get_config(self):
        return {**super().get_config(), "alpha": float(self.alpha)}


class ELU(_Pointwise):
    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = np.array(alpha, dtype=state.settings.floatx)

    def call(self, inputs):
        return activations.elu(inputs, float(self.alpha))

    def get_config(self):
        return {**super().get_config(), "alpha": float(self.alpha)}


class ThresholdedReLU(_Pointwise):
    def __init__(self, theta=1.0, **kwargs):
        super().__init__(**kwargs)
        self.theta = np.array(theta, dtype=state.settings.floatx)

    def call(self, inputs):
        return inputs * tf.cast(tf.greater(inputs, float(self.theta)), inputs.dtype)

    def get_config(self):
        return {**super().get_config(), "theta": float(self.theta)}


class Softmax(_Pointwise):
    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs):
        return activations.softmax(inputs, axis=self.axis)

    def get_config(self):
        return {**super().get_config(), "axis": self.axis}


class ReLU(_Pointwise):
    def __init__(self, max_value=None, negative_slope=0, threshold=0, **kwargs):
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0 or negative_slope < 0:
            raise ValueError(f"max_value and negative_slope of ReLU layer cannot be negative values, got {max_value} and {negative_slope}")
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs):
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)

    def get_config(self):
        return {**super().get_config(), "max_value": self.max_value, "negative_slope": self.negative_slope, "threshold": self.threshold}


class PReLU(_Pointwise):
    def __init__(self, alpha_initializer="zeros", alpha_regularizer=None, alpha_constraint=None, shared_axes=None, **kwargs):
        super().__init__(**kwargs)
        self.alpha_initializer, self.alpha_regularizer = initializers.get(alpha_initializer), regularizers.get(alpha_regularizer)
        self.alpha_constraint = constraints.get(alpha_constraint)
        self.shared_axes = [shared_axes] if isinstance(shared_axes, int) else shared_axes

    def build(self, input_shape):
        shape = tf.TensorShape(input_shape).as_list()[1:]
        for axis in self.shared_axes or []:
            shape[axis - 1] = 1
        self.alpha = self.add_weight("alpha", shape, initializer=self.alpha_initializer, regularizer=self.alpha_regularizer,
                                     constraint=self.alpha_constraint)
        self.built = True

    def call(self, inputs):
        return _weir.keras_prelu(inputs, self.alpha)

    def get_config(self):
        return {**super().get_config(), "alpha_initializer": initializers.serialize(self.alpha_initializer),
                "alpha_regularizer": regularizers.serialize(self.alpha_regularizer),
                "alpha_constraint": constraints.serialize(self.alpha_constraint), "shared_axes": self.shared_axes}


# --- normalization
class BatchNormalization(ComputedLayer):
    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones",
                 moving_mean_initializer="zeros", moving_variance_initializer="ones", beta_regularizer=None, gamma_regularizer=None,
                 beta_constraint=None, gamma_constraint=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99, fused=None, trainable=True,
                 virtual_batch_size=None, adjustment=None, name=None, **kwargs):
        super().__init__(name=name, trainable=trainable, **kwargs)
        self._norm_options = norm_options(renorm, renorm_clipping, renorm_momentum, fused, virtual_batch_size, adjustment)
        self.renorm, self.renorm_clipping, self.renorm_momentum, self.virtual_batch_size = renorm, renorm_clipping or {}, renorm_momentum, virtual_batch_size
        self.axis, self.momentum, self.epsilon, self.center, self.scale, self.fused = axis, momentum, epsilon, center, scale, fused
        self.supports_masking = True
        self._set_weights(gamma=(gamma_initializer, gamma_regularizer, gamma_constraint), beta=(beta_initializer, beta_regularizer, beta_constraint),
                          moving_mean=(moving_mean_initializer, None, None), moving_variance=(moving_variance_initializer, None, None),
                          **renorm_weights(renorm, initializers.get(moving_mean_initializer), initializers.get(moving_variance_initializer)))

    def _make_computation(self):
        axis = self.axis[0] if isinstance(self.axis, (list, tuple)) and len(self.axis) == 1 else self.axis
        if not isinstance(axis, int):
            raise TypeError(f"axis must be an int or a list of one, type given: {type(axis)}")
        return _weir.BatchNormLayer(axis, self.momentum, self.epsilon, self.center, self.scale, self.fused, **self._norm_options)

    def call(self, inputs, training=None):
        return self._compute(inputs, training_value(training))

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)

    def get_config(self):
        config = self._weight_config(without=("moving_stddev", "renorm_mean", "renorm_stddev"))
        kept = {key: value for key, value in config.items() if not key.startswith("moving_") or key.endswith("initializer")}
        if self.renorm:
            kept.update(renorm=True, renorm_clipping=self.renorm_clipping, renorm_momentum=self.renorm_momentum)
        if self.virtual_batch_size is not None:
            kept["virtual_batch_size"] = self.virtual_batch_size
        return {**super().get_config(), "axis": self.axis, "momentum": self.momentum, "epsilon": self.epsilon, "center": self.center,
                "scale": self.scale, **kept}


class LayerNormalization(Layer):
    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones", beta_regularizer=None,
                 gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(name=name, trainable=trainable, **kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {axis}")
        self.axis, self.epsilon, self.center, self.scale, self.supports_masking = axis, epsilon, center, scale, True
        self._parts = {"gamma": (gamma_initializer, gamma_regularizer, gamma_constraint), "beta": (beta_initializer, beta_regularizer, beta_constraint)}

    def build(self, input_shape):
        shape = tf.TensorShape(input_shape)
        given = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        self._axes = sorted(axis % shape.ndims for axis in given)
        for name, wanted in (("gamma", self.scale), ("beta", self.center)):
            initializer, regularizer, constraint = self._parts[name]
            setattr(self, name, self.add_weight(name, [shape[axis].value for axis in self._axes], initializer=initializer, regularizer=regularizer,
                                                constraint=constraint) if wanted else None)
        self.built = True

    def call(self, inputs):
        spread = [inputs.shape[i].value if i in self._axes else 1 for i in range(inputs.shape.ndims)]

        def broadcast(value):
            return None if value is None else tf.reshape(value, spread) if self._axes != [inputs.shape.ndims - 1] else value

        y = _weir.keras_normalize(inputs, self._axes, broadcast(self.gamma), broadcast(self.beta), self.epsilon)
        y.set_shape(inputs.shape)
        return y

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)

    def get_config(self):
        return {**super().get_config(), "axis": self.axis, "epsilon": self.epsilon, "center": self.center, "scale": self.scale,
                **{f"{name}_{part}": objects.serialize_keras_object(value) if not isinstance(value, str) else value
                   for name, values in self._parts.items() for part, value in zip(("initializer", "regularizer", "constraint"), values)}}
