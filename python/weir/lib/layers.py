"""tf.layers: a class per layer that owns its variables, and a function per layer that creates and applies it.

A layer creates its variables on its first call, in its own variable scope, and reuses them in later calls.
"""
import re

from weir import _weir


class InputSpec:
    """Describes the expected input of a layer."""

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None):
        self.dtype, self.shape, self.max_ndim, self.min_ndim, self.axes = dtype, shape, max_ndim, min_ndim, axes or {}
        self.ndim = len(shape) if shape is not None else ndim


class Layer:
    """Base class of layers. Subclasses create variables with add_weight in build(input_shape), and implement
    call(inputs)."""
    update_collection = "update_ops"

    def __init__(self, trainable=True, name=None, dtype=None, _scope=None, _reuse=None, activity_regularizer=None, **kwargs):
        if kwargs:
            raise TypeError(f"Keyword argument not understood: {sorted(kwargs)[0]}")
        self.trainable, self.built, self.input_spec = trainable, False, None
        self.dtype = None if dtype is None else _weir.as_dtype(dtype)
        self._activity_regularizer = activity_regularizer
        self._base_name = name or re.sub("([a-z])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", type(self).__name__)).lower()
        self._given_scope, self._reuse, self._scope = _scope, _reuse, None
        self._trainable_weights, self._non_trainable_weights, self._updates, self._losses = [], [], [], []

    @property
    def name(self):
        return self._base_name if self._scope is None else self._scope.name.rsplit("/", 1)[-1]

    @property
    def scope_name(self):
        if self._scope is None:
            raise ValueError(f'No name available for layer scope because the layer "{self._base_name}" has not been used yet.')
        return self._scope.name

    @property
    def graph(self):
        return _weir.get_default_graph() if self._scope is None else self._graph

    @property
    def trainable_weights(self):
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self):
        return self._non_trainable_weights if self.trainable else self._trainable_weights + self._non_trainable_weights

    @property
    def weights(self):
        return self.trainable_weights + self.non_trainable_weights

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    @property
    def updates(self):
        return list(self._updates)

    @property
    def losses(self):
        return list(self._losses)

    def add_update(self, updates, inputs=None):
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            self._updates.append(update)
            if self.update_collection is not None:
                _weir.add_to_collection(self.update_collection, update)

    def add_loss(self, losses, inputs=None):
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            self._losses.append(loss)
            _weir.add_to_collection("regularization_losses", loss)

    def add_weight(self, name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, constraint=None, use_resource=None,
                   partitioner=None, **unused):
        trainable = True if trainable is None else trainable
        before = len(_weir.get_collection("regularization_losses"))
        with _weir.variable_scope(self._scope, reuse=self._reuse or self.built, auxiliary_name_scope=False):
            variable = _weir.get_variable(name, shape=shape, dtype=dtype or self.dtype or _weir.dtypes["float32"], initializer=initializer,
                                          regularizer=regularizer, trainable=trainable and self.trainable, constraint=constraint,
                                          use_resource=use_resource, partitioner=partitioner)
        self._losses += _weir.get_collection("regularization_losses")[before:]
        kept = self._trainable_weights if trainable else self._non_trainable_weights
        if not any(variable is other for other in kept):
            kept.append(variable)
        return variable

    add_variable = add_weight

    def build(self, input_shape):
        self.built = True

    def call(self, inputs, **kwargs):
        return inputs

    def compute_output_shape(self, input_shape):
        raise NotImplementedError

    def count_params(self):
        if not self.built:
            raise ValueError(f"You tried to call `count_params` on {self.name}, but the layer isn't built.")
        return sum(weight.shape.num_elements() for weight in self.weights)

    def _open_scope(self, scope=None):
        if self._scope is not None:
            return
        given = scope if scope is not None else self._given_scope
        if self._reuse:
            opened = _weir.variable_scope(given if given is not None else self._base_name)
        else:
            opened = _weir.variable_scope(given, default_name=self._base_name)
        with opened as captured:
            self._scope, self._graph = captured, _weir.get_default_graph()

    def __call__(self, inputs, *args, **kwargs):
        self._open_scope(kwargs.pop("scope", None))
        nested = isinstance(inputs, (list, tuple, dict))
        if not nested:
            inputs = _weir.convert_to_tensor(inputs)
            if self.dtype is None:
                self.dtype = inputs.dtype.base_dtype
        with _weir.variable_scope(self._scope, reuse=self._reuse or self.built, auxiliary_name_scope=False):
            with _weir.name_scope(self._scope.original_name_scope):
                if not self.built:
                    self.build(None if nested else inputs.shape)
                    self.built = True
                outputs = self.call(inputs, *args, **kwargs)
                if self._activity_regularizer is not None:
                    self.add_loss(self._activity_regularizer(outputs))
                return outputs

    def apply(self, inputs, *args, **kwargs):
        return self(inputs, *args, **kwargs)

    def _channels(self, input_shape, axis):
        return _weir.layer_channels(_weir.TensorShape(input_shape), axis, self.name)


class Dense(Layer):
    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = int(units), activation, use_bias
        self._kernel = dict(initializer=kernel_initializer, regularizer=kernel_regularizer, constraint=kernel_constraint)
        self._bias = dict(initializer=_initializer(bias_initializer), regularizer=bias_regularizer, constraint=bias_constraint)

    def build(self, input_shape):
        self.kernel = self.add_weight("kernel", [self._channels(input_shape, -1), self.units], **self._kernel)
        self.bias = self.add_weight("bias", [self.units], **self._bias) if self.use_bias else None
        self.built = True

    def call(self, inputs):
        y = _weir.dense_layer(inputs, self.kernel, self.bias)
        return y if self.activation is None else self.activation(y)

    def compute_output_shape(self, input_shape):
        return _weir.TensorShape(_weir.TensorShape(input_shape).as_list()[:-1] + [self.units])


def _initializer(value):
    """Returns an initializer. Accepts "zeros" and "ones", too."""
    from weir.lib import initializers
    return {"zeros": initializers.Zeros, "ones": initializers.Ones}[value]() if value in ("zeros", "ones") else value


class _Conv(Layer):
    dims = 0

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, activation=None,
                 use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.filters = filters
        self.kernel_size = _weir.layer_sizes(kernel_size, self.dims, "kernel_size")
        self.strides = _weir.layer_sizes(strides, self.dims, "strides")
        self.dilation_rate = _weir.layer_sizes(dilation_rate, self.dims, "dilation_rate")
        self.padding, self.data_format = padding, data_format
        self.activation, self.use_bias = activation, use_bias
        self._window = _weir.LayerWindow(self.dims, self.strides, padding, data_format, self.dilation_rate)
        self._kernel = dict(initializer=kernel_initializer, regularizer=kernel_regularizer, constraint=kernel_constraint)
        self._bias = dict(initializer=_initializer(bias_initializer), regularizer=bias_regularizer, constraint=bias_constraint)

    def _kernel_shape(self, channels):
        return [*self.kernel_size, channels, self.filters]

    def build(self, input_shape):
        channels = self._channels(input_shape, 1 if self._window.channels_first else -1)
        self.kernel = self.add_weight("kernel", self._kernel_shape(channels), **self._kernel)
        self._build_bias()

    def _build_bias(self):
        self.bias = self.add_weight("bias", [self.filters], **self._bias) if self.use_bias else None
        self.built = True

    def call(self, inputs):
        y = self._convolved(inputs)
        return y if self.activation is None else self.activation(y)

    def _convolved(self, inputs):
        return _weir.convolution_layer(inputs, self.kernel, self.bias, self._window)


class Conv1D(_Conv):
    dims = 1


class Conv2D(_Conv):
    dims = 2


class Conv3D(_Conv):
    dims = 3


class _SeparableConv(_Conv):
    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, depth_multiplier=1,
                 activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None, bias_initializer="zeros",
                 depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, None, bias_initializer, None,
                         bias_regularizer, activity_regularizer, None, bias_constraint, trainable, name, **kwargs)
        self.depth_multiplier = depth_multiplier
        self._depthwise = dict(initializer=depthwise_initializer, regularizer=depthwise_regularizer, constraint=depthwise_constraint)
        self._pointwise = dict(initializer=pointwise_initializer, regularizer=pointwise_regularizer, constraint=pointwise_constraint)

    def build(self, input_shape):
        channels = self._channels(input_shape, 1 if self._window.channels_first else -1)
        self.depthwise_kernel = self.add_weight("depthwise_kernel", [*self.kernel_size, channels, self.depth_multiplier], **self._depthwise)
        self.pointwise_kernel = self.add_weight("pointwise_kernel", [*[1] * self.dims, channels * self.depth_multiplier, self.filters], **self._pointwise)
        self._build_bias()

    def _convolved(self, inputs):
        return _weir.separable_layer(inputs, self.depthwise_kernel, self.pointwise_kernel, self.bias, self._window)


class SeparableConv1D(_SeparableConv):
    dims = 1


class SeparableConv2D(_SeparableConv):
    dims = 2


class _ConvTranspose(_Conv):
    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, 1, activation, use_bias, kernel_initializer, bias_initializer,
                         kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **kwargs)

    def _kernel_shape(self, channels):
        return [*self.kernel_size, self.filters, channels]

    def _convolved(self, inputs):
        return _weir.transposed_layer(inputs, self.kernel, self.bias, self.filters, self.kernel_size, self._window)


class Conv2DTranspose(_ConvTranspose):
    dims = 2


class Conv3DTranspose(_ConvTranspose):
    dims = 3


class _Pooling(Layer):
    max, dims = True, 0

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.pool_size = _weir.layer_sizes(pool_size, self.dims, "pool_size")
        self.strides = _weir.layer_sizes(strides, self.dims, "strides")
        self.padding, self.data_format = padding, data_format
        self._window = _weir.LayerWindow(self.dims, self.strides, padding, data_format)

    def call(self, inputs):
        return _weir.pooling_layer(inputs, self.max, self.pool_size, self._window)


def _pooling(name, max, dims):
    return type(name, (_Pooling,), {"max": max, "dims": dims, "__module__": __name__})


MaxPooling1D, MaxPooling2D, MaxPooling3D = (_pooling(f"MaxPooling{n}D", True, n) for n in (1, 2, 3))
AveragePooling1D, AveragePooling2D, AveragePooling3D = (_pooling(f"AveragePooling{n}D", False, n) for n in (1, 2, 3))


class Flatten(Layer):
    def __init__(self, data_format="channels_last", name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.data_format = data_format

    def call(self, inputs):
        return _weir.flatten_layer(inputs, self.data_format)


class Dropout(Layer):
    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs, training=False):
        return _weir.dropout_layer(inputs, self.rate, self.noise_shape, self.seed, _predicate(training))


def _predicate(training):
    """Converts 0 and 1, which some programs use, to bool."""
    return bool(training) if isinstance(training, int) else training


class BatchNormalization(Layer):
    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones",
                 moving_mean_initializer="zeros", moving_variance_initializer="ones", beta_regularizer=None, gamma_regularizer=None,
                 beta_constraint=None, gamma_constraint=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99, fused=None, trainable=True,
                 virtual_batch_size=None, adjustment=None, name=None, **kwargs):
        super().__init__(trainable, name, **kwargs)
        if renorm or virtual_batch_size is not None or adjustment is not None:
            raise NotImplementedError("batch normalization: renorm, virtual_batch_size and adjustment are not supported")
        self.axis, self.momentum, self.epsilon, self.center, self.scale, self.fused = axis, momentum, epsilon, center, scale, fused
        self._beta = dict(initializer=_initializer(beta_initializer), regularizer=beta_regularizer, constraint=beta_constraint)
        self._gamma = dict(initializer=_initializer(gamma_initializer), regularizer=gamma_regularizer, constraint=gamma_constraint)
        self._moving = [_initializer(moving_mean_initializer), _initializer(moving_variance_initializer)]

    def build(self, input_shape):
        axis = self.axis[0] if isinstance(self.axis, (list, tuple)) and len(self.axis) == 1 else self.axis
        if not isinstance(axis, int):
            raise TypeError(f"axis must be an int or a list of one, type given: {type(axis)}")
        self._plan = _weir.NormPlan(_weir.TensorShape(input_shape), self.dtype, axis, self.fused, self.name)
        shape, dtype = [self._plan.channels], self._plan.dtype
        self.gamma = self.add_weight("gamma", shape, dtype, **self._gamma) if self.scale else None
        self.beta = self.add_weight("beta", shape, dtype, **self._beta) if self.center else None
        self._scope.set_partitioner(None)  # do not partition variables that the layer updates itself
        self.moving_mean = self.add_weight("moving_mean", shape, dtype, self._moving[0], trainable=False)
        self.moving_variance = self.add_weight("moving_variance", shape, dtype, self._moving[1], trainable=False)
        self.built = True

    def call(self, inputs, training=False):
        y, updates = _weir.norm_layer(inputs, self._plan, self.gamma, self.beta, self.moving_mean, self.moving_variance, self.momentum, self.epsilon,
                                      _predicate(training))
        for update in updates:
            self.add_update(update)
        return y


# --- functions

def _function(layer):
    """Returns a function for layer(...)(inputs). `name` is the variable scope; `reuse` selects existing variables."""
    def apply(inputs, *args, name=None, reuse=None, **kwargs):
        return layer(*args, name=name, _reuse=reuse, _scope=name, **kwargs)(inputs)
    return apply


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None,
          bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _function(Dense)(inputs, units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
                            activity_regularizer, kernel_constraint, bias_constraint, trainable, name=name, reuse=reuse)


def conv1d(inputs, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, activation=None, use_bias=True,
           kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
           kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _function(Conv1D)(inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                             bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
                             trainable, name=name, reuse=reuse)


def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1), activation=None,
           use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
           activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _function(Conv2D)(inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                             bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
                             trainable, name=name, reuse=reuse)


def conv3d(inputs, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1, 1), activation=None,
           use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
           activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _function(Conv3D)(inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                             bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
                             trainable, name=name, reuse=reuse)


def separable_conv1d(inputs, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1,
                     depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None,
                     bias_initializer="zeros", depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, trainable=True,
                     name=None, reuse=None):
    return _function(SeparableConv1D)(inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation,
                                      use_bias, depthwise_initializer, pointwise_initializer, bias_initializer, depthwise_regularizer,
                                      pointwise_regularizer, bias_regularizer, activity_regularizer, depthwise_constraint, pointwise_constraint,
                                      bias_constraint, trainable, name=name, reuse=reuse)


def separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1),
                     depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None,
                     bias_initializer="zeros", depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, trainable=True,
                     name=None, reuse=None):
    return _function(SeparableConv2D)(inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation,
                                      use_bias, depthwise_initializer, pointwise_initializer, bias_initializer, depthwise_regularizer,
                                      pointwise_regularizer, bias_regularizer, activity_regularizer, depthwise_constraint, pointwise_constraint,
                                      bias_constraint, trainable, name=name, reuse=reuse)


def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", activation=None, use_bias=True,
                     kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                     kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _function(Conv2DTranspose)(inputs, filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer,
                                      bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
                                      bias_constraint, trainable, name=name, reuse=reuse)


def conv3d_transpose(inputs, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format="channels_last", activation=None, use_bias=True,
                     kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                     kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _function(Conv3DTranspose)(inputs, filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer,
                                      bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
                                      bias_constraint, trainable, name=name, reuse=reuse)


def _pooling_function(layer, name):
    def pool(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
        return layer(pool_size, strides, padding, data_format, name)(inputs)
    pool.__name__ = pool.__qualname__ = name
    return pool


max_pooling1d = _pooling_function(MaxPooling1D, "max_pooling1d")
max_pooling2d = _pooling_function(MaxPooling2D, "max_pooling2d")
max_pooling3d = _pooling_function(MaxPooling3D, "max_pooling3d")
average_pooling1d = _pooling_function(AveragePooling1D, "average_pooling1d")
average_pooling2d = _pooling_function(AveragePooling2D, "average_pooling2d")
average_pooling3d = _pooling_function(AveragePooling3D, "average_pooling3d")


def flatten(inputs, name=None, data_format="channels_last"):
    return Flatten(data_format, name)(inputs)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones",
                        moving_mean_initializer="zeros", moving_variance_initializer="ones", beta_regularizer=None, gamma_regularizer=None,
                        beta_constraint=None, gamma_constraint=None, training=False, trainable=True, name=None, reuse=None, renorm=False,
                        renorm_clipping=None, renorm_momentum=0.99, fused=None, virtual_batch_size=None, adjustment=None):
    layer = BatchNormalization(axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, moving_mean_initializer,
                               moving_variance_initializer, beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint, renorm,
                               renorm_clipping, renorm_momentum, fused, trainable, virtual_batch_size, adjustment, name, _reuse=reuse, _scope=name)
    return layer(inputs, training=training)
