"""The commonly used part of tf.contrib.layers: layers with their contrib names and defaults, and regularizers."""
import functools
import numbers

from weir import _weir
from weir.lib import layers
from weir.lib.arg_scope import add_arg_scope
from weir.lib.initializers import xavier_initializer

_relu = _weir.op_function("Relu")
_ZEROS = "zeros"


def _regularizer(kind, scale, name):
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}")
        if scale == 0:
            return lambda weights: None
    return lambda weights: _weir.weight_penalty(kind, weights, scale, name)


def l1_regularizer(scale, scope=None):
    return _regularizer(_weir.PenaltyKind.L1, scale, scope or "l1_regularizer")


def l2_regularizer(scale, scope=None):
    return _regularizer(_weir.PenaltyKind.L2, scale, scope or "l2_regularizer")


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope or "l1_l2_regularizer")


def sum_regularizer(regularizer_list, scope=None):
    regularizers = [r for r in regularizer_list if r is not None]
    if not regularizers:
        return None

    def regularize(weights):
        with _weir.name_scope(scope or "sum_regularizer"):
            penalties = [p for p in (r(weights) for r in regularizers) if p is not None]
            return _weir.add_n(penalties) if penalties else None
    return regularize


def apply_regularization(regularizer, weights_list=None):
    weights = _weir.get_collection("weights") if weights_list is None else weights_list
    if not weights:
        raise ValueError("No weights to regularize.")
    with _weir.name_scope("get_regularization_penalty"):
        penalties = [p for p in (regularizer(w) for w in weights) if p is not None]
        total = _weir.add_n(penalties) if penalties else _weir.constant(0.0)
        _weir.add_to_collection("regularization_losses", total)
        return total


def _collect(collections, name, variable):
    """Adds a variable to the model variables and to `collections`: a list, or a dict of lists by name (e.g. "weights").
    """
    if variable not in _weir.get_collection("model_variables"):
        _weir.add_to_collection("model_variables", variable)
    if isinstance(collections, dict):
        collections = collections.get(name)
    for collection in [collections] if isinstance(collections, str) else collections or []:
        _weir.add_to_collection(collection, variable)


def _add_to_collections(collections, value):
    for collection in [collections] if isinstance(collections, str) else collections or []:
        _weir.add_to_collection(collection, value)
    return value


class _Named:
    """Mixin: names a layer's kernel and bias "weights" and "biases"."""

    def add_weight(self, name, *args, **kwargs):
        return super().add_weight({"kernel": "weights", "bias": "biases"}.get(name, name), *args, **kwargs)


class _Dense(_Named, layers.Dense):
    pass


class _Conv1D(_Named, layers.Conv1D):
    pass


class _Conv2D(_Named, layers.Conv2D):
    pass


class _Conv3D(_Named, layers.Conv3D):
    pass


class _Conv2DTranspose(_Named, layers.Conv2DTranspose):
    pass


def _apply(make, default, inputs, activation_fn, normalizer_fn, normalizer_params, biases_initializer, reuse, variables_collections,
           outputs_collections, scope):
    """Applies a layer in its own scope, then a normalization (instead of a bias) and the activation."""
    with _weir.variable_scope(scope, default_name=default, reuse=reuse) as opened:
        layer = make(use_bias=normalizer_fn is None and biases_initializer is not None, _scope=opened, _reuse=reuse)
        y = layer(inputs)
        _collect(variables_collections, "weights", layer.kernel)
        if layer.bias is not None:
            _collect(variables_collections, "biases", layer.bias)
        if normalizer_fn is not None:
            y = normalizer_fn(y, **(normalizer_params or {}))
        if activation_fn is not None:
            y = activation_fn(y)
        return _add_to_collections(outputs_collections, y)


@add_arg_scope
def fully_connected(inputs, num_outputs, activation_fn=_relu, normalizer_fn=None, normalizer_params=None, weights_initializer=xavier_initializer(),
                    weights_regularizer=None, biases_initializer=_ZEROS, biases_regularizer=None, reuse=None, variables_collections=None,
                    outputs_collections=None, trainable=True, scope=None):
    def make(**kwargs):
        return _Dense(num_outputs, kernel_initializer=weights_initializer, kernel_regularizer=weights_regularizer, bias_initializer=biases_initializer,
                      bias_regularizer=biases_regularizer, trainable=trainable, **kwargs)
    return _apply(make, "fully_connected", inputs, activation_fn, normalizer_fn, normalizer_params, biases_initializer, reuse, variables_collections,
                  outputs_collections, scope)


@add_arg_scope
def convolution(inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=None, rate=1, activation_fn=_relu, normalizer_fn=None,
                normalizer_params=None, weights_initializer=xavier_initializer(), weights_regularizer=None, biases_initializer=_ZEROS,
                biases_regularizer=None, reuse=None, variables_collections=None, outputs_collections=None, trainable=True, scope=None, conv_dims=None):
    rank = _weir.convert_to_tensor(inputs).shape.ndims
    if conv_dims is not None and conv_dims + 2 != rank:
        raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
    if rank not in (3, 4, 5):
        raise ValueError(f"Convolution not supported for input with rank {rank}")

    def make(**kwargs):
        kind = {3: _Conv1D, 4: _Conv2D, 5: _Conv3D}[rank]
        return kind(num_outputs, kernel_size, stride, padding.lower(), _format(data_format), rate, kernel_initializer=weights_initializer,
                    kernel_regularizer=weights_regularizer, bias_initializer=biases_initializer, bias_regularizer=biases_regularizer,
                    trainable=trainable, **kwargs)
    return _apply(make, "Conv", inputs, activation_fn, normalizer_fn, normalizer_params,
                  biases_initializer, reuse, variables_collections, outputs_collections, scope)


def _convolution_of(dims, name):
    def convolve(inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=None, rate=1, activation_fn=_relu, normalizer_fn=None,
                 normalizer_params=None, weights_initializer=xavier_initializer(), weights_regularizer=None, biases_initializer=_ZEROS,
                 biases_regularizer=None, reuse=None, variables_collections=None, outputs_collections=None, trainable=True, scope=None):
        return convolution(inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn, normalizer_fn, normalizer_params,
                           weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse, variables_collections,
                           outputs_collections, trainable, scope, conv_dims=dims)
    convolve.__name__ = convolve.__qualname__ = name
    return add_arg_scope(convolve)


convolution1d = _convolution_of(1, "convolution1d")
convolution2d = _convolution_of(2, "convolution2d")
convolution3d = _convolution_of(3, "convolution3d")
conv1d = convolution1d
conv2d = convolution2d
conv3d = convolution3d


@add_arg_scope
def convolution2d_transpose(inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format="NHWC", activation_fn=_relu, normalizer_fn=None,
                            normalizer_params=None, weights_initializer=xavier_initializer(), weights_regularizer=None, biases_initializer=_ZEROS,
                            biases_regularizer=None, reuse=None, variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    def make(**kwargs):
        return _Conv2DTranspose(num_outputs, kernel_size, stride, padding.lower(), _format(data_format), kernel_initializer=weights_initializer,
                                kernel_regularizer=weights_regularizer, bias_initializer=biases_initializer, bias_regularizer=biases_regularizer,
                                trainable=trainable, **kwargs)
    return _apply(make, "Conv2d_transpose", inputs, activation_fn, normalizer_fn, normalizer_params, biases_initializer, reuse,
                  variables_collections, outputs_collections, scope)


conv2d_transpose = convolution2d_transpose


def _format(data_format):
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


def _pool2d(layer, default, inputs, kernel_size, stride, padding, data_format, outputs_collections, scope):
    with _weir.name_scope(scope or default):
        make = layer(kernel_size, stride, padding.lower(), _format(data_format), name=default)
        return _add_to_collections(outputs_collections, make.call(_weir.convert_to_tensor(inputs)))


@add_arg_scope
def max_pool2d(inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None):
    return _pool2d(layers.MaxPooling2D, "MaxPool2D", inputs, kernel_size, stride, padding, data_format, outputs_collections, scope)


@add_arg_scope
def avg_pool2d(inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None):
    return _pool2d(layers.AveragePooling2D, "AvgPool2D", inputs, kernel_size, stride, padding, data_format, outputs_collections, scope)


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    return _add_to_collections(outputs_collections, layers.flatten(inputs, name=scope or "Flatten"))


@add_arg_scope
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None, seed=None):
    layer = layers.Dropout(1 - keep_prob, noise_shape, seed, name=scope or "Dropout")
    return _add_to_collections(outputs_collections, layer(inputs, training=is_training))


@add_arg_scope
def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None, param_initializers=None, param_regularizers=None,
               updates_collections="update_ops", is_training=True, reuse=None, variables_collections=None, outputs_collections=None, trainable=True,
               batch_weights=None, fused=None, data_format="NHWC", zero_debias_moving_mean=False, scope=None):
    if batch_weights is not None or zero_debias_moving_mean:
        raise NotImplementedError("batch_norm: batch_weights and zero_debias_moving_mean are not supported")
    initial, regular = param_initializers or {}, param_regularizers or {}
    with _weir.variable_scope(scope, default_name="BatchNorm", reuse=reuse) as opened:
        layer = layers.BatchNormalization(
            1 if data_format.startswith("NC") else -1, decay, epsilon, center, scale, initial.get("beta", "zeros"), initial.get("gamma", "ones"),
            initial.get("moving_mean", "zeros"), initial.get("moving_variance", "ones"), regular.get("beta"), regular.get("gamma"), fused=fused,
            trainable=trainable, _scope=opened, _reuse=reuse)
        layer.update_collection = updates_collections
        y = layer(inputs, training=is_training)
        if updates_collections is None and layer.updates:  # update the averages with the step itself
            y = _weir.with_dependencies(layer.updates, y)
        for name in ("beta", "gamma", "moving_mean", "moving_variance"):
            if getattr(layer, name) is not None:
                _collect(variables_collections, name, getattr(layer, name))
        return _add_to_collections(outputs_collections, y if activation_fn is None else activation_fn(y))


@add_arg_scope
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    with _weir.name_scope(scope or "OneHotEncoding"):
        labels = _weir.convert_to_tensor(labels)
        if labels.dtype == _weir.dtypes["int32"]:
            labels = _weir.cast(labels, _weir.dtypes["int64"])
        return _add_to_collections(outputs_collections, _weir.one_hot(labels, num_classes, on_value=on_value, off_value=off_value))


@add_arg_scope
def softmax(logits, scope=None):
    return _weir.softmax(logits, name=scope or "softmax")


relu = functools.partial(fully_connected, activation_fn=_relu)
linear = functools.partial(fully_connected, activation_fn=None)


def repeat(inputs, repetitions, layer, *args, **kwargs):
    """Applies a layer repeatedly, in the scopes scope/scope_1, scope/scope_2, ..."""
    scope = kwargs.pop("scope", None)
    name = _name_of(layer)
    with _weir.variable_scope(scope, default_name="Repeat"):
        for i in range(repetitions):
            inputs = layer(inputs, *args, scope=f"{scope or name}_{i + 1}", **kwargs)
        return inputs


def stack(inputs, layer, stack_args, **kwargs):
    """Applies a layer once for each item of stack_args, which are its arguments."""
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise TypeError("stack_args need to be a list or tuple")
    name = _name_of(layer)
    with _weir.variable_scope(scope, default_name="Stack"):
        for i, args in enumerate(stack_args, 1):
            inputs = layer(inputs, *(args if isinstance(args, (list, tuple)) else [args]), scope=f"{scope or name}_{i}", **kwargs)
        return inputs


def _name_of(layer):
    return getattr(layer, "__name__", None) or layer.func.__name__
