"""Keras layers on images and sequences: convolution, pooling, padding, cropping, enlarging."""
import weir as tf
from weir import _weir
from weir.lib.keras import activations
from weir.lib.keras.base import InputSpec, Layer
from weir.lib.keras.core import ComputedLayer, data_format as _format

_KIND = _weir.ConvKind


class _Conv(ComputedLayer):
    dims, _kind, depth_multiplier, filters = 0, _KIND.PLAIN, 1, 1

    def _set_window(self, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias):
        self.filters = filters
        self.kernel_size = _weir.layer_sizes(kernel_size, self.dims, "kernel_size")
        self.strides = _weir.layer_sizes(strides, self.dims, "strides")
        self.dilation_rate = _weir.layer_sizes(dilation_rate, self.dims, "dilation_rate")
        self.padding, self.data_format = padding.lower(), _format(data_format)
        self.activation, self.use_bias = activations.get(activation), use_bias
        if self.padding == "causal" and self.dims != 1:
            raise ValueError("Causal padding is only supported for `Conv1D` and `SeparableConv1D`.")
        self.input_spec = InputSpec(ndim=self.dims + 2)

    def _make_computation(self):
        padding = "valid" if self.padding == "causal" else self.padding
        return _weir.ConvLayer(self._kind, self.dims, self.filters, self.kernel_size, self.strides, padding, self.data_format, self.dilation_rate,
                               self.use_bias, self.depth_multiplier)

    def build(self, input_shape):
        shape = tf.TensorShape(input_shape)
        axis = 1 if self.data_format == "channels_first" else -1
        if shape.ndims is not None and shape[axis].value is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        super().build(input_shape)
        self.input_spec = InputSpec(ndim=self.dims + 2, axes={axis: shape[axis].value})

    def call(self, inputs):
        if self.padding == "causal":
            inputs = _weir.keras_pad(inputs, [(self.dilation_rate[0] * (self.kernel_size[0] - 1), 0)], self.data_format == "channels_first")
        return self._compute(inputs)

    def get_config(self):
        return {**super().get_config(), **({} if self._kind == _KIND.DEPTHWISE else {"filters": self.filters}), "kernel_size": self.kernel_size,
                "strides": self.strides, "padding": self.padding, "data_format": self.data_format, "dilation_rate": self.dilation_rate,
                "activation": activations.serialize(self.activation), "use_bias": self.use_bias, **self._weight_config()}


class _PlainConv(_Conv):
    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, activation=None, use_bias=True,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._set_window(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias)
        self._set_weights(kernel=(kernel_initializer, kernel_regularizer, kernel_constraint), bias=(bias_initializer, bias_regularizer, bias_constraint))


class Conv1D(_PlainConv):
    dims = 1

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, activation=None, use_bias=True,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, fused=False, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                         bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, **kwargs)


class Conv2D(_PlainConv):
    dims = 2

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1), activation=None, use_bias=True,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, fused=False, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                         bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, **kwargs)


class Conv3D(_PlainConv):
    dims = 3

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format=None, dilation_rate=(1, 1, 1), activation=None,
                 use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                         bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, **kwargs)


def _without_output_padding(output_padding, dilation=1):
    if output_padding is not None:
        raise NotImplementedError("output_padding of transposed convolutions is not supported. Instead: ZeroPadding of the result")
    if any(d != 1 for d in (dilation if isinstance(dilation, (list, tuple)) else [dilation])):
        raise NotImplementedError("transposed convolutions with dilations are not supported")


class Conv2DTranspose(_PlainConv):
    dims, _kind = 2, _KIND.TRANSPOSED

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", output_padding=None, data_format=None, dilation_rate=(1, 1),
                 activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, **kwargs):
        _without_output_padding(output_padding, dilation_rate)
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                         bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, **kwargs)


class Conv3DTranspose(_PlainConv):
    dims, _kind = 3, _KIND.TRANSPOSED

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid", output_padding=None, data_format=None, activation=None,
                 use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, **kwargs):
        _without_output_padding(output_padding)
        kwargs.pop("dilation_rate", None)
        super().__init__(filters, kernel_size, strides, padding, data_format, 1, activation, use_bias, kernel_initializer, bias_initializer,
                         kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, **kwargs)


class _SeparableConv(_Conv):
    _kind = _KIND.SEPARABLE

    def _init(self, filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation, use_bias, depthwise, pointwise,
              bias, activity_regularizer, kwargs):
        Layer.__init__(self, activity_regularizer=activity_regularizer, **kwargs)
        self.depth_multiplier = depth_multiplier
        self._set_window(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias)
        self._set_weights(depthwise_kernel=depthwise, pointwise_kernel=pointwise, bias=bias)

    def get_config(self):
        return {**super().get_config(), "depth_multiplier": self.depth_multiplier}


class SeparableConv1D(_SeparableConv):
    dims = 1

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, depth_multiplier=1, activation=None,
                 use_bias=True, depthwise_initializer="glorot_uniform", pointwise_initializer="glorot_uniform", bias_initializer="zeros",
                 depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, **kwargs):
        self._init(filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation, use_bias,
                   (depthwise_initializer, depthwise_regularizer, depthwise_constraint),
                   (pointwise_initializer, pointwise_regularizer, pointwise_constraint), (bias_initializer, bias_regularizer, bias_constraint),
                   activity_regularizer, kwargs)


class SeparableConv2D(_SeparableConv):
    dims = 2

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1), depth_multiplier=1,
                 activation=None, use_bias=True, depthwise_initializer="glorot_uniform", pointwise_initializer="glorot_uniform",
                 bias_initializer="zeros", depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, **kwargs):
        self._init(filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation, use_bias,
                   (depthwise_initializer, depthwise_regularizer, depthwise_constraint),
                   (pointwise_initializer, pointwise_regularizer, pointwise_constraint), (bias_initializer, bias_regularizer, bias_constraint),
                   activity_regularizer, kwargs)


class DepthwiseConv2D(_Conv):
    dims, _kind = 2, _KIND.DEPTHWISE

    def __init__(self, kernel_size, strides=(1, 1), padding="valid", depth_multiplier=1, data_format=None, activation=None, use_bias=True,
                 depthwise_initializer="glorot_uniform", bias_initializer="zeros", depthwise_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, depthwise_constraint=None, bias_constraint=None, **kwargs):
        dilation_rate = kwargs.pop("dilation_rate", 1)
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.depth_multiplier = depth_multiplier
        self._set_window(1, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias)
        self._set_weights(depthwise_kernel=(depthwise_initializer, depthwise_regularizer, depthwise_constraint),
                          bias=(bias_initializer, bias_regularizer, bias_constraint))

    def get_config(self):
        return {**super().get_config(), "depth_multiplier": self.depth_multiplier}


# --- pooling
class _Pooling(Layer):
    dims, max = 0, True

    def _set(self, pool_size, strides, padding, data_format):
        self.pool_size = _weir.layer_sizes(pool_size, self.dims, "pool_size")
        self.strides = _weir.layer_sizes(pool_size if strides is None else strides, self.dims, "strides")
        self.padding, self.data_format = padding, _format(data_format)
        self._window = _weir.LayerWindow(self.dims, self.strides, padding, self.data_format)
        self.input_spec = InputSpec(ndim=self.dims + 2)

    def call(self, inputs):
        return _weir.pooling_layer(inputs, self.max, self.pool_size, self._window)

    def get_config(self):
        return {**super().get_config(), "pool_size": self.pool_size, "strides": self.strides, "padding": self.padding, "data_format": self.data_format}


class _Pooling1D(_Pooling):
    dims = 1

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format="channels_last", **kwargs):
        super().__init__(**kwargs)
        self._set(pool_size, strides, padding, data_format)


class _Pooling2D(_Pooling):
    dims = 2

    def __init__(self, pool_size=(2, 2), strides=None, padding="valid", data_format=None, **kwargs):
        super().__init__(**kwargs)
        self._set(pool_size, strides, padding, data_format)


class _Pooling3D(_Pooling):
    dims = 3

    def __init__(self, pool_size=(2, 2, 2), strides=None, padding="valid", data_format=None, **kwargs):
        super().__init__(**kwargs)
        self._set(pool_size, strides, padding, data_format)


def _derived(name, base, **attributes):
    return type(name, (base,), {**attributes, "__module__": __name__})


MaxPooling1D, AveragePooling1D = _derived("MaxPooling1D", _Pooling1D), _derived("AveragePooling1D", _Pooling1D, max=False)
MaxPooling2D, AveragePooling2D = _derived("MaxPooling2D", _Pooling2D), _derived("AveragePooling2D", _Pooling2D, max=False)
MaxPooling3D, AveragePooling3D = _derived("MaxPooling3D", _Pooling3D), _derived("AveragePooling3D", _Pooling3D, max=False)


class _GlobalPooling(Layer):
    dims, max = 0, True

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format, self.input_spec = _format(data_format), InputSpec(ndim=self.dims + 2)

    def call(self, inputs):
        return _weir.keras_pool_globally(inputs, self.max, self.data_format == "channels_first")

    def get_config(self):
        return {**super().get_config(), "data_format": self.data_format}


class GlobalMaxPooling1D(_GlobalPooling):
    dims = 1

    def __init__(self, data_format="channels_last", **kwargs):
        super().__init__(data_format, **kwargs)


class GlobalAveragePooling1D(_GlobalPooling):
    dims, max = 1, False

    def __init__(self, data_format="channels_last", **kwargs):
        super().__init__(data_format, **kwargs)
        self.supports_masking = True

    def call(self, inputs, mask=None):
        if mask is None:
            return super().call(inputs)
        axis = 2 if self.data_format == "channels_first" else 1
        weights = tf.expand_dims(tf.cast(mask, inputs.dtype), 3 - axis)
        return tf.reduce_sum(inputs * weights, axis) / tf.reduce_sum(weights, axis)

    def compute_mask(self, inputs, mask=None):
        return None


GlobalMaxPooling2D, GlobalAveragePooling2D = _derived("GlobalMaxPooling2D", _GlobalPooling, dims=2), _derived("GlobalAveragePooling2D", _GlobalPooling, dims=2, max=False)
GlobalMaxPooling3D, GlobalAveragePooling3D = _derived("GlobalMaxPooling3D", _GlobalPooling, dims=3), _derived("GlobalAveragePooling3D", _GlobalPooling, dims=3, max=False)


# --- margins
def _margins(value, dims, what):
    """Returns [(before, after), ...] for a number, a number per dimension, or a pair per dimension."""
    if isinstance(value, int):
        return ((value, value),) * dims
    if dims == 1:
        value = (value,)
    if len(value) != dims:
        raise ValueError(f"`{what}` should have {dims} elements. Found: {value}")
    return tuple((one, one) if isinstance(one, int) else tuple(one) for one in value)


class _Margins(Layer):
    dims, _what = 0, "padding"

    def _set(self, margins, data_format):
        self._pairs = _margins(margins, self.dims, self._what)
        setattr(self, self._what, self._pairs[0] if self.dims == 1 else self._pairs)
        self.data_format, self.input_spec = data_format, InputSpec(ndim=self.dims + 2)

    def call(self, inputs):
        function = _weir.keras_pad if self._what == "padding" else _weir.keras_crop
        return function(inputs, self._pairs, self.data_format == "channels_first")

    def get_config(self):
        return {**super().get_config(), self._what: getattr(self, self._what), **({} if self.dims == 1 else {"data_format": self.data_format})}


class ZeroPadding1D(_Margins):
    dims = 1

    def __init__(self, padding=1, **kwargs):
        super().__init__(**kwargs)
        self._set(padding, "channels_last")


class ZeroPadding2D(_Margins):
    dims = 2

    def __init__(self, padding=(1, 1), data_format=None, **kwargs):
        super().__init__(**kwargs)
        self._set(padding, _format(data_format))


class ZeroPadding3D(_Margins):
    dims = 3

    def __init__(self, padding=(1, 1, 1), data_format=None, **kwargs):
        super().__init__(**kwargs)
        self._set(padding, _format(data_format))


class Cropping1D(_Margins):
    dims, _what = 1, "cropping"

    def __init__(self, cropping=(1, 1), **kwargs):
        super().__init__(**kwargs)
        self._set(cropping, "channels_last")


class Cropping2D(_Margins):
    dims, _what = 2, "cropping"

    def __init__(self, cropping=((0, 0), (0, 0)), data_format=None, **kwargs):
        super().__init__(**kwargs)
        self._set(cropping, _format(data_format))


class Cropping3D(_Margins):
    dims, _what = 3, "cropping"

    def __init__(self, cropping=((1, 1), (1, 1), (1, 1)), data_format=None, **kwargs):
        super().__init__(**kwargs)
        self._set(cropping, _format(data_format))


class _UpSampling(Layer):
    dims, interpolation, data_format = 0, "nearest", "channels_last"

    def _set(self, size):
        self.size = _weir.layer_sizes(size, self.dims, "size")
        self.input_spec = InputSpec(ndim=self.dims + 2)

    def call(self, inputs):
        y = _weir.keras_enlarge(inputs, list(self.size), self.data_format == "channels_first", self.interpolation == "bilinear")
        first = 2 if self.data_format == "channels_first" else 1
        shape = inputs.shape.as_list()
        for i, factor in enumerate(self.size):
            shape[first + i] = None if shape[first + i] is None else shape[first + i] * factor
        y.set_shape(shape)
        return y

    def get_config(self):
        return {**super().get_config(), "size": self.size[0] if self.dims == 1 else self.size,
                **({} if self.dims == 1 else {"data_format": self.data_format})}


class UpSampling1D(_UpSampling):
    dims = 1

    def __init__(self, size=2, **kwargs):
        super().__init__(**kwargs)
        self._set(size)


class UpSampling2D(_UpSampling):
    dims = 2

    def __init__(self, size=(2, 2), data_format=None, interpolation="nearest", **kwargs):
        super().__init__(**kwargs)
        if interpolation not in ("nearest", "bilinear"):
            raise ValueError('`interpolation` argument should be one of `"nearest"` or `"bilinear"`.')
        self.data_format, self.interpolation = _format(data_format), interpolation
        self._set(size)

    def get_config(self):
        return {**super().get_config(), "interpolation": self.interpolation}


class UpSampling3D(_UpSampling):
    dims = 3

    def __init__(self, size=(2, 2, 2), data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = _format(data_format)
        self._set(size)
