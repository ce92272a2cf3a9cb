"""tf.contrib.layers: layers with their contrib names and defaults, and regularizers. Further layers are in contrib_norms.py and
contrib_encoders.py."""
import functools
import numbers

from weir import _weir
from weir._names import find as _find
from weir.lib import layers
from weir.lib.arg_scope import add_arg_scope
from weir.lib.initializers import xavier_initializer
from weir.lib.layer_utils import channel_dimension, collect_named_outputs, get_variable_collections, last_dimension, n_positive_integers, two_element_tuple
from weir.lib.layer_config import initializer as _initializer

_relu = _weir.op_function("Relu")
_relu6, _elu = _weir.op_function("Relu6"), _weir.op_function("Elu")
_ZEROS = "zeros"
_WEIGHT_NAMES = {"kernel": "weights", "bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}


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
    """Adds a variable to `collections`: a list, or a dict of lists by name (e.g. "weights")."""
    collections = get_variable_collections(collections, name)
    for collection in [collections] if isinstance(collections, str) else collections or []:
        if not any(known is variable for known in _weir.get_collection(collection)):
            _weir.add_to_collection(collection, variable)


def model_weight(name, shape, dtype, initializer, collections, group, trainable=True, regularizer=None):
    """Returns a model variable of the current scope, which is also in `collections`: a list, or a dict of lists by group."""
    from weir.lib.contrib_variables import model_variable
    found = get_variable_collections(collections, group)
    return model_variable(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
                          collections=[found] if isinstance(found, str) else found)


def finish(y, activation_fn, outputs_collections, scope):
    """Applies the activation and adds the output to its collections, under the name of the layer."""
    if activation_fn is not None:
        y = activation_fn(y)
    return collect_named_outputs(outputs_collections, scope, y)


class _Named:
    """Mixin: names a layer's kernel and bias "weights" and "biases"."""

    def add_weight(self, name, *args, **kwargs):
        return super().add_weight(_WEIGHT_NAMES.get(name, name), *args, **kwargs)


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


class _Conv3DTranspose(_Named, layers.Conv3DTranspose):
    pass


class _SeparableConv2D(_Named, layers.SeparableConv2D):
    pass


def _model_variable(getter, name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None,
                    caching_device=None, partitioner=None, use_resource=None, **unused):
    """Custom getter of layers: their variables are model variables, with the defaults that arg_scope sets for these."""
    from weir.lib.contrib_variables import model_variable
    return model_variable(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
                          collections=collections, caching_device=caching_device, partitioner=partitioner, custom_getter=getter,
                          use_resource=use_resource)


def _layer_scope(scope, default, reuse):
    return _weir.variable_scope(scope, default_name=default, reuse=reuse, custom_getter=_model_variable)


def _apply(make, default, inputs, activation_fn, normalizer_fn, normalizer_params, biases_initializer, reuse, variables_collections,
           outputs_collections, scope):
    """Applies a layer in its own scope, then a normalization (instead of a bias) and the activation."""
    with _layer_scope(scope, default, reuse) as opened:
        layer = make(use_bias=normalizer_fn is None and biases_initializer is not None, _scope=opened, _reuse=reuse)
        y = layer(inputs)
        _collect(variables_collections, "weights", layer.kernel)
        if layer.bias is not None:
            _collect(variables_collections, "biases", layer.bias)
        if normalizer_fn is not None:
            y = normalizer_fn(y, **(normalizer_params or {}))
        return finish(y, activation_fn, outputs_collections, opened.name)


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


def _transposed(layer, default, data_format, name):
    def convolve(inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=data_format, activation_fn=_relu, normalizer_fn=None,
                 normalizer_params=None, weights_initializer=xavier_initializer(), weights_regularizer=None, biases_initializer=_ZEROS,
                 biases_regularizer=None, reuse=None, variables_collections=None, outputs_collections=None, trainable=True, scope=None):
        def make(**kwargs):
            return layer(num_outputs, kernel_size, stride, padding.lower(), _format(data_format), kernel_initializer=weights_initializer,
                         kernel_regularizer=weights_regularizer, bias_initializer=biases_initializer, bias_regularizer=biases_regularizer,
                         trainable=trainable, **kwargs)
        return _apply(make, default, inputs, activation_fn, normalizer_fn, normalizer_params, biases_initializer, reuse, variables_collections,
                      outputs_collections, scope)
    convolve.__name__ = convolve.__qualname__ = name
    return add_arg_scope(convolve)


convolution2d_transpose = _transposed(_Conv2DTranspose, "Conv2d_transpose", "NHWC", "convolution2d_transpose")
convolution3d_transpose = _transposed(_Conv3DTranspose, "Conv3d_transpose", "NDHWC", "convolution3d_transpose")
conv2d_transpose = convolution2d_transpose
conv3d_transpose = convolution3d_transpose


@add_arg_scope
def separable_convolution2d(inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1, padding="SAME", data_format="NHWC", rate=1,
                            activation_fn=_relu, normalizer_fn=None, normalizer_params=None, weights_initializer=xavier_initializer(),
                            pointwise_initializer=None, weights_regularizer=None, biases_initializer=_ZEROS, biases_regularizer=None, reuse=None,
                            variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    """A depthwise convolution and a pointwise one; without num_outputs only the depthwise one."""
    _check_format(data_format, "NHWC", "NCHW")
    with _layer_scope(scope, "SeparableConv2d", reuse) as opened:
        inputs = _weir.convert_to_tensor(inputs)
        use_bias = normalizer_fn is None and biases_initializer is not None
        if num_outputs is not None:
            layer = _SeparableConv2D(num_outputs, kernel_size, stride, padding.lower(), _format(data_format), two_element_tuple(rate),
                                     depth_multiplier, use_bias=use_bias, depthwise_initializer=weights_initializer,
                                     pointwise_initializer=pointwise_initializer or weights_initializer, bias_initializer=biases_initializer,
                                     depthwise_regularizer=weights_regularizer, pointwise_regularizer=weights_regularizer,
                                     bias_regularizer=biases_regularizer, trainable=trainable, _scope=opened, _reuse=reuse)
            y = layer(inputs)
            _collect(variables_collections, "weights", layer.depthwise_kernel)
            _collect(variables_collections, "weights", layer.pointwise_kernel)
            if layer.bias is not None:
                _collect(variables_collections, "biases", layer.bias)
        else:
            first = data_format == "NCHW"
            channels = channel_dimension(inputs.shape, data_format, min_rank=4)
            filters = model_weight("depthwise_weights", [*two_element_tuple(kernel_size), channels, depth_multiplier], inputs.dtype.base_dtype,
                                   weights_initializer, variables_collections, "weights", trainable, weights_regularizer)
            strides = two_element_tuple(stride)
            y = _find("nn.depthwise_conv2d")(inputs, filters, [1, 1, *strides] if first else [1, *strides, 1], padding,
                                       rate=two_element_tuple(rate), data_format=data_format)
            if use_bias:
                y = _add_bias(y, channels * depth_multiplier, biases_initializer, biases_regularizer, variables_collections, trainable, data_format)
        if normalizer_fn is not None:
            y = normalizer_fn(y, **(normalizer_params or {}))
        return finish(y, activation_fn, outputs_collections, opened.name)


separable_conv2d = separable_convolution2d


def _add_bias(y, size, initializer, regularizer, collections, trainable, data_format="NHWC"):
    biases = model_weight("biases", [size], y.dtype.base_dtype, _initializer(initializer), collections, "biases", trainable, regularizer)
    return _find("nn.bias_add")(y, biases, data_format=data_format)


@add_arg_scope
def convolution2d_in_plane(inputs, kernel_size, stride=1, padding="SAME", activation_fn=_relu, normalizer_fn=None, normalizer_params=None,
                           weights_initializer=xavier_initializer(), weights_regularizer=None, biases_initializer=_ZEROS, biases_regularizer=None,
                           reuse=None, variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    """Convolves every channel with the same filter."""
    with _weir.variable_scope(scope, default_name="ConvInPlane", reuse=reuse) as opened:
        inputs = _weir.convert_to_tensor(inputs)
        channels = last_dimension(inputs.shape, min_rank=4)
        filters = model_weight("weights", [*two_element_tuple(kernel_size), 1, 1], inputs.dtype.base_dtype, weights_initializer,
                               variables_collections, "weights", trainable, weights_regularizer)
        y = _weir.convolve_in_plane(inputs, filters, [1, *two_element_tuple(stride), 1], padding)
        if normalizer_fn is not None:
            y = normalizer_fn(y, **(normalizer_params or {}))
        elif biases_initializer is not None:
            y = _add_bias(y, channels, biases_initializer, biases_regularizer, variables_collections, trainable)
        return finish(y, activation_fn, outputs_collections, opened.name)


conv2d_in_plane = convolution2d_in_plane


@add_arg_scope
def bias_add(inputs, activation_fn=None, initializer=_ZEROS, regularizer=None, reuse=None, variables_collections=None, outputs_collections=None,
             trainable=True, data_format="NHWC", scope=None):
    _check_format(data_format, "NHWC", "NCHW")
    with _weir.variable_scope(scope, default_name="BiasAdd", reuse=reuse) as opened:
        inputs = _weir.convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Dims of shape must be known but is None")
        if rank != 4 and data_format == "NCHW":
            raise ValueError("Data format NCHW only supports 4D Tensor")
        size = inputs.shape.as_list()[1 if data_format == "NCHW" else -1]
        if size is None:
            raise ValueError("`C` dimension must be known but is None")
        y = _add_bias(inputs, size, initializer, regularizer, variables_collections, trainable, data_format)
        return finish(y, activation_fn, outputs_collections, opened.name)


def _check_format(data_format, *formats):
    if data_format not in formats:
        raise ValueError(f"data_format has to be either {' or '.join(formats[::-1])}.")


def _format(data_format):
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


def _pooling(layer, default, data_format, name):
    def pool_of(inputs, kernel_size, stride=2, padding="VALID", data_format=data_format, outputs_collections=None, scope=None):
        _check_format(data_format, *(["NHWC", "NCHW"] if layer.dims == 2 else ["NDHWC", "NCDHW"]))
        with _weir.name_scope(scope or default) as opened:
            made = layer(kernel_size, stride, padding.lower(), _format(data_format), name=default)
            return collect_named_outputs(outputs_collections, opened, made.call(_weir.convert_to_tensor(inputs)))
    pool_of.__name__ = pool_of.__qualname__ = name
    return add_arg_scope(pool_of)


max_pool2d = _pooling(layers.MaxPooling2D, "MaxPool2D", "NHWC", "max_pool2d")
avg_pool2d = _pooling(layers.AveragePooling2D, "AvgPool2D", "NHWC", "avg_pool2d")
max_pool3d = _pooling(layers.MaxPooling3D, "MaxPool3D", "NDHWC", "max_pool3d")
avg_pool3d = _pooling(layers.AveragePooling3D, "AvgPool3D", "NDHWC", "avg_pool3d")


@add_arg_scope
def pool(inputs, kernel_size, pooling_type, padding="VALID", data_format=None, dilation_rate=1, stride=1, outputs_collections=None, scope=None):
    with _weir.name_scope(scope or f"{pooling_type.lower()}_pool") as opened:
        inputs = _weir.convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None or rank < 3:
            raise ValueError("Rank of inputs must be known" if rank is None else "Rank of inputs must be >= 3")
        y = _find("nn.pool")(inputs, n_positive_integers(rank - 2, kernel_size), pooling_type, padding,
                             dilation_rate=n_positive_integers(rank - 2, dilation_rate), strides=n_positive_integers(rank - 2, stride),
                             data_format=data_format)
        return collect_named_outputs(outputs_collections, opened, y)


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    with _weir.name_scope(scope or "Flatten") as opened:
        return collect_named_outputs(outputs_collections, opened, layers.Flatten().call(_weir.convert_to_tensor(inputs)))


@add_arg_scope
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None, seed=None):
    with _weir.variable_scope(scope, default_name="Dropout") as opened:
        layer = layers.Dropout(1 - keep_prob, noise_shape, seed, _scope=opened)
        return collect_named_outputs(outputs_collections, opened.name, layer(inputs, training=is_training))


@add_arg_scope
def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None, param_initializers=None, param_regularizers=None,
               updates_collections="update_ops", is_training=True, reuse=None, variables_collections=None, outputs_collections=None, trainable=True,
               batch_weights=None, fused=None, data_format="NHWC", zero_debias_moving_mean=False, scope=None, renorm=False,
               renorm_clipping=None, renorm_decay=0.99, adjustment=None):
    if renorm:
        fused = bool(fused)
    _check_format(data_format, "NHWC", "NCHW")
    initial, regular = param_initializers or {}, param_regularizers or {}
    inputs = _weir.convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    # As in TensorFlow, the layer of tf.layers computes what it can, and functions of this module the rest.
    special = batch_weights is not None or zero_debias_moving_mean or updates_collections != "update_ops"
    fuse = fused in (None, True) and batch_weights is None and not renorm and adjustment is None and rank in (2, 4) and (special or rank == 2)
    if fuse or special:
        if renorm:
            raise ValueError("renorm is not supported with batch_weights, updates_collections or zero_debias_moving_mean")
        from weir.lib.contrib_norms import normalize_batch
        with _weir.variable_scope(scope, default_name="BatchNorm", reuse=reuse) as opened:
            y = normalize_batch(inputs, fuse, decay, center, scale, epsilon, initial, regular, updates_collections, is_training,
                                variables_collections, trainable, batch_weights, data_format, zero_debias_moving_mean)
            return finish(y, activation_fn, outputs_collections, opened.name)
    with _layer_scope(scope, "BatchNorm", reuse) as opened:
        layer = layers.BatchNormalization(
            1 if data_format.startswith("NC") else -1, decay, epsilon, center, scale, initial.get("beta", "zeros"), initial.get("gamma", "ones"),
            initial.get("moving_mean", "zeros"), initial.get("moving_variance", "ones"), regular.get("beta"), regular.get("gamma"), fused=fused,
            trainable=trainable, renorm=renorm, renorm_clipping=renorm_clipping, renorm_momentum=renorm_decay, adjustment=adjustment, _scope=opened,
            _reuse=reuse)
        y = layer(inputs, training=is_training)
        for name in ("beta", "gamma", "moving_mean", "moving_variance"):
            if getattr(layer, name) is not None:
                _collect(variables_collections, name, getattr(layer, name))
        return finish(y, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    with _weir.name_scope(scope or "OneHotEncoding") as opened:
        labels = _weir.convert_to_tensor(labels)
        if labels.dtype == _weir.dtypes["int32"]:
            labels = _weir.cast(labels, _weir.dtypes["int64"])
        return collect_named_outputs(outputs_collections, opened, _weir.one_hot(labels, num_classes, on_value=on_value, off_value=off_value))


@add_arg_scope
def softmax(logits, scope=None):
    return _weir.softmax(logits, name=scope or "softmax")


relu = functools.partial(fully_connected, activation_fn=_relu)
relu6 = functools.partial(fully_connected, activation_fn=_relu6)
elu = functools.partial(fully_connected, activation_fn=_elu)
linear = functools.partial(fully_connected, activation_fn=None)


def legacy_fully_connected(x, num_output_units, activation_fn=None, weight_init=xavier_initializer(), bias_init=_ZEROS, name=None,
                           weight_collections=("weights",), bias_collections=("biases",), output_collections=("activations",), trainable=True,
                           weight_regularizer=None, bias_regularizer=None):
    """A fully connected layer whose bias is the variable "bias"."""
    with _weir.variable_scope(name, default_name="fully_connected"):
        x = _weir.convert_to_tensor(x)
        if x.shape.ndims is None or x.shape.ndims < 2:
            raise ValueError(f"rank of x must be at least 2 not: {x.shape.ndims}")

        def weight(name, shape, initializer, regularizer, collections):
            return _weir.get_variable(name, shape=shape, dtype=x.dtype.base_dtype, initializer=_initializer(initializer), regularizer=regularizer,
                                      trainable=trainable, collections=[*(collections or []), "variables"])
        weights = weight("weights", [last_dimension(x.shape, min_rank=2), num_output_units], weight_init, weight_regularizer, weight_collections)
        biases = None if bias_init is None else weight("bias", [num_output_units], bias_init, bias_regularizer, bias_collections)
        y = _weir.multiply_rows(x, weights, biases)
        if activation_fn is not None:
            y = activation_fn(y)
        for collection in output_collections or []:
            _weir.add_to_collection(collection, y)
        return y


legacy_relu = functools.partial(legacy_fully_connected, activation_fn=_relu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)


def repeat(inputs, repetitions, layer, *args, **kwargs):
    """Applies a layer repeatedly, in the scopes scope/scope_1, scope/scope_2, ..."""
    scope = kwargs.pop("scope", None)
    name = _name_of(layer, "repeat")
    with _weir.variable_scope(scope, default_name="Repeat"):
        for i in range(repetitions):
            inputs = layer(inputs, *args, scope=f"{scope or name}_{i + 1}", **kwargs)
        return inputs


def stack(inputs, layer, stack_args, **kwargs):
    """Applies a layer once for each item of stack_args, which are its arguments."""
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    name = _name_of(layer, "stack")
    with _weir.variable_scope(scope, default_name="Stack"):
        for i, args in enumerate(stack_args, 1):
            inputs = layer(inputs, *(args if isinstance(args, (list, tuple)) else [args]), scope=f"{scope or name}_{i}", **kwargs)
        return inputs


def _name_of(layer, otherwise):
    return getattr(layer, "__name__", None) or getattr(getattr(layer, "func", None), "__name__", None) or otherwise
