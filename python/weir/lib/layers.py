"""tf.layers: a class per layer that owns its variables, and a function per layer that creates and applies it.

A layer creates its variables on its first call, in its own variable scope, and reuses them in later calls.
"""
import copy
import re

from weir import _weir
from weir.lib import layer_config as _config


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
        self.trainable, self.built, self.input_spec, self.stateful = trainable, False, None, False
        self.dtype = None if dtype is None else _weir.as_dtype(dtype)
        self._activity_regularizer = _config.regularizer(activity_regularizer)
        self._base_name = name or re.sub("([a-z])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", type(self).__name__)).lower()
        self._given_scope, self._reuse, self._scope = _scope, _reuse, None
        self._trainable_weights, self._non_trainable_weights, self._updates, self._losses = [], [], [], []

    def __deepcopy__(self, memo):
        """Returns a layer with the same settings, which has no scope and no variables yet."""
        unused = {"built": False, "_scope": None, "_trainable_weights": [], "_non_trainable_weights": [], "_updates": [], "_losses": []}
        copied = memo[id(self)] = type(self).__new__(type(self))
        for name, value in vars(self).items():
            try:
                vars(copied)[name] = copy.deepcopy(unused.get(name, value), memo)
            except TypeError:  # tensors, graphs and what has them
                vars(copied)[name] = value
        return copied

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

    def get_updates_for(self, inputs=None):
        return self.updates

    def get_losses_for(self, inputs=None):
        return self.losses

    @property
    def activity_regularizer(self):
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer):
        self._activity_regularizer = regularizer

    @property
    def dynamic(self):
        return False

    @property
    def inbound_nodes(self):
        return []

    @property
    def outbound_nodes(self):
        return []

    def _unconnected(self, what):
        return AttributeError(f"Layer {self.name} is not connected, no {what} to return. Keep the tensors of the call instead.")

    @property
    def input(self):
        raise self._unconnected("input")

    @property
    def output(self):
        raise self._unconnected("output")

    @property
    def input_shape(self):
        raise self._unconnected("input shape")

    @property
    def output_shape(self):
        raise self._unconnected("output shape")

    def get_weights(self):
        """Returns the values of the weights, in the default session."""
        from weir.lib.keras import backend
        return backend.batch_get_value(self.weights)

    def set_weights(self, weights):
        """Assigns the values of the weights, in the default session."""
        from weir.lib.keras import backend
        backend.set_layer_weights(self, weights)

    def get_config(self):
        """Returns the arguments of the constructor. Derived classes add theirs."""
        dtype = None if self.dtype is None else self.dtype.name
        return {"name": self.name, "trainable": self.trainable, "dtype": dtype, **_config.settings_of(self, Layer)}

    @classmethod
    def from_config(cls, config):
        return cls(**config)

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


class _WeightedLayer(Layer):
    """A layer that C++ defines: which variables it needs, and what it computes from them.

    The variables are attributes. `_weight_settings` has the user's settings for each of them.
    """
    activation = None

    def _set_weights(self, **settings):
        """Each argument: initializer, regularizer and constraint of the variable of that name."""
        convert = {"initializer": _config.initializer, "regularizer": _config.regularizer, "constraint": _config.constraint}
        self._weight_settings = {name: {kind: convert[kind](value) for kind, value in zip(convert, given)} for name, given in settings.items()}
        for name, given in self._weight_settings.items():
            for kind, value in given.items():
                setattr(self, f"{name if name == 'kernel' else name.removesuffix('_kernel')}_{kind}", value)
        self._computation = None
        self._make_computation()  # checks the settings

    def build(self, input_shape):
        self._computation = self._make_computation()
        for name in self._weight_settings:
            setattr(self, name, None)
        for spec in self._computation.build(input_shape, self.dtype or _weir.dtypes["float32"], self.name):
            if not spec.trainable:
                self._scope.set_partitioner(None)  # do not partition variables that the layer updates itself
            variable = self.add_weight(spec.name, spec.shape, spec.dtype, trainable=spec.trainable, **self._weight_settings[spec.name])
            setattr(self, spec.name, variable)
        self.built = True

    def call(self, inputs):
        return self._compute(inputs)

    def _compute(self, inputs, training=False):
        computation = self._computation or self._make_computation()  # a subclass may have its own build()
        y, updates = computation.apply(inputs, {name: getattr(self, name) for name in self._weight_settings}, _predicate(training))
        for update in updates:
            self.add_update(update)
        return y if self.activation is None else self.activation(y)


class Dense(_WeightedLayer):
    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = int(units), _config.activation(activation), use_bias
        self._set_weights(kernel=(kernel_initializer, kernel_regularizer, kernel_constraint), bias=(bias_initializer, bias_regularizer, bias_constraint))

    def _make_computation(self):
        return _weir.DenseLayer(self.units, self.use_bias)

    def compute_output_shape(self, input_shape):
        return _weir.TensorShape(_weir.TensorShape(input_shape).as_list()[:-1] + [self.units])


class _Conv(_WeightedLayer):
    dims, _kind, depth_multiplier = 0, _weir.ConvKind.PLAIN, 1

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, activation=None,
                 use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self._set_window(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias)
        self._set_weights(kernel=(kernel_initializer, kernel_regularizer, kernel_constraint), bias=(bias_initializer, bias_regularizer, bias_constraint))

    def _set_window(self, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias):
        self.filters = filters
        self.kernel_size = _weir.layer_sizes(kernel_size, self.dims, "kernel_size")
        self.strides = _weir.layer_sizes(strides, self.dims, "strides")
        self.dilation_rate = _weir.layer_sizes(dilation_rate, self.dims, "dilation_rate")
        self.padding, self.data_format, self.activation, self.use_bias = padding, data_format, _config.activation(activation), use_bias

    def _make_computation(self):
        return _weir.ConvLayer(self._kind, self.dims, self.filters, self.kernel_size, self.strides, self.padding, self.data_format,
                               self.dilation_rate, self.use_bias, self.depth_multiplier)


class Conv1D(_Conv):
    dims = 1


class Conv2D(_Conv):
    dims = 2


class Conv3D(_Conv):
    dims = 3


class _SeparableConv(_Conv):
    _kind = _weir.ConvKind.SEPARABLE

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, depth_multiplier=1,
                 activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None, bias_initializer="zeros",
                 depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        Layer.__init__(self, trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.depth_multiplier = depth_multiplier
        self._set_window(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias)
        self._set_weights(depthwise_kernel=(depthwise_initializer, depthwise_regularizer, depthwise_constraint),
                          pointwise_kernel=(pointwise_initializer, pointwise_regularizer, pointwise_constraint),
                          bias=(bias_initializer, bias_regularizer, bias_constraint))


class SeparableConv1D(_SeparableConv):
    dims = 1


class SeparableConv2D(_SeparableConv):
    dims = 2


class _ConvTranspose(_Conv):
    _kind = _weir.ConvKind.TRANSPOSED

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, 1, activation, use_bias, kernel_initializer, bias_initializer,
                         kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **kwargs)


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


def norm_options(renorm, renorm_clipping, renorm_momentum, fused, virtual_batch_size, adjustment):
    """Checks these options of batch normalization. Returns the arguments of BatchNormLayer for them."""
    if adjustment is not None:
        raise NotImplementedError("batch normalization: adjustment is not supported")
    if fused and renorm:
        raise ValueError("Passing both `fused=True` and `renorm=True` is not supported")
    if fused and virtual_batch_size is not None:
        raise ValueError("Passing `fused=True` is not supported when `virtual_batch_size` is specified.")
    options = {"virtual_batch_size": virtual_batch_size}
    if renorm:
        clipping, keys = renorm_clipping or {}, ("rmax", "rmin", "dmax")
        if set(clipping) - set(keys):
            raise ValueError(f"Received invalid keys for `renorm_clipping` argument: {clipping}. Supported values: {keys}.")
        options.update(renorm_momentum=renorm_momentum, renorm_clipping={key: value for key, value in clipping.items() if value is not None})
    return options


def renorm_weights(renorm, mean_initializer, variance_initializer):
    """Returns the settings of the variables of batch renormalization, which start like the moving averages."""
    if not renorm:
        return {}

    def stddev_initializer(*args, **kwargs):
        return _weir.op_function("Sqrt")(variance_initializer(*args, **kwargs))
    return {"moving_stddev": (stddev_initializer, None, None), "renorm_mean": (mean_initializer, None, None),
            "renorm_stddev": (stddev_initializer, None, None)}


class BatchNormalization(_WeightedLayer):
    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones",
                 moving_mean_initializer="zeros", moving_variance_initializer="ones", beta_regularizer=None, gamma_regularizer=None,
                 beta_constraint=None, gamma_constraint=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99, fused=None, trainable=True,
                 virtual_batch_size=None, adjustment=None, name=None, **kwargs):
        super().__init__(trainable, name, **kwargs)
        self._norm_options = norm_options(renorm, renorm_clipping, renorm_momentum, fused, virtual_batch_size, adjustment)
        self.renorm, self.virtual_batch_size = renorm, virtual_batch_size
        self.axis, self.momentum, self.epsilon, self.center, self.scale, self.fused = axis, momentum, epsilon, center, scale, fused
        self._set_weights(gamma=(gamma_initializer, gamma_regularizer, gamma_constraint), beta=(beta_initializer, beta_regularizer, beta_constraint),
                          moving_mean=(moving_mean_initializer,), moving_variance=(moving_variance_initializer,),
                          **renorm_weights(renorm, moving_mean_initializer, _config.initializer(moving_variance_initializer)))

    def _make_computation(self):
        axis = self.axis[0] if isinstance(self.axis, (list, tuple)) and len(self.axis) == 1 else self.axis
        if not isinstance(axis, int):
            raise TypeError(f"axis must be an int or a list of one, type given: {type(axis)}")
        return _weir.BatchNormLayer(axis, self.momentum, self.epsilon, self.center, self.scale, self.fused, **self._norm_options)

    def call(self, inputs, training=False):
        return self._compute(inputs, training)


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
