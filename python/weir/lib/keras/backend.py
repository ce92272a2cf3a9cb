"""tf.keras.backend: functions that need more than one call of a tf function. (The others are rows of weir/api/keras.py.)"""
import numpy as np

import weir as tf
from weir import _weir
from weir.lib.keras import state
from weir.lib.keras.state import learning_phase, settings  # noqa: F401


# --- settings
def backend():
    return "tensorflow"


def epsilon():
    return settings.epsilon


def set_epsilon(value):
    settings.epsilon = value


def floatx():
    return settings.floatx


def set_floatx(value):
    if value not in ("float16", "float32", "float64"):
        raise ValueError(f"Unknown floatx type: {value}")
    settings.floatx = str(value)


def image_data_format():
    return settings.image_data_format


def set_image_data_format(data_format):
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Unknown data_format: {data_format}")
    settings.image_data_format = str(data_format)


def cast_to_floatx(x):
    return tf.cast(x, settings.floatx) if isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor)) else np.asarray(x, dtype=settings.floatx)


def get_uid(prefix=""):
    uids = state.of_graph().uids
    uids[prefix] += 1
    return uids[prefix]


def reset_uids():
    state.of_graph().uids.clear()


def manual_variable_initialization(value):
    settings.manual_initialization = value


# --- sessions
def _initialize(session):
    known = state.of_graph(session.graph)
    with session.graph.as_default():
        variables = [v for v in tf.global_variables() if isinstance(v, tf.Variable) and v.name not in known.initialized]
        if variables and not getattr(settings, "manual_initialization", False):
            flags = session.run([tf.is_variable_initialized(v) for v in variables])
            session.run([v.initializer for v, done in zip(variables, flags) if not done])
            known.initialized.update(v.name for v in variables)


def get_session(op_input_list=()):
    """Returns the default session, or one that Keras keeps; initializes variables that have no value yet."""
    session = tf.get_default_session()
    if session is None:
        if settings.session is None or settings.session.graph is not tf.get_default_graph():
            settings.session = tf.Session()
        session = settings.session
    _initialize(session)
    return session


def set_session(session):
    settings.session = session


def clear_session():
    settings.session, settings.learning_phase = None, None
    tf.reset_default_graph()


def set_learning_phase(value):
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    settings.learning_phase = int(value)


class learning_phase_scope:
    """Sets the learning phase inside of the scope."""

    def __init__(self, value):
        if value not in (0, 1):
            raise ValueError("Expected learning phase to be 0 or 1.")
        self._value = value

    def __enter__(self):
        self._before, settings.learning_phase = settings.learning_phase, self._value

    def __exit__(self, *error):
        settings.learning_phase = self._before


class _Function:
    """The result of K.function: runs outputs and updates."""

    def __init__(self, inputs, outputs, updates, keywords):
        self.inputs, self.outputs = _weir.nest_flatten(inputs), outputs
        self._updates = [update[0].assign(update[1]) if isinstance(update, tuple) else update for update in updates or []]
        self._fetches = keywords.pop("fetches", None) or []
        self._feeds = keywords.pop("feed_dict", None) or {}
        if keywords:
            raise ValueError(f"Session keyword arguments are not supported: {sorted(keywords)}")

    def __call__(self, inputs):
        values = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        feeds = {**self._feeds, **dict(zip(self.inputs, values))}
        flat = _weir.nest_flatten(self.outputs)
        results = get_session().run([flat, [u.op if isinstance(u, tf.Tensor) else u for u in self._updates], self._fetches], feeds)
        return _weir.nest_pack_sequence_as(self.outputs, results[0])


def function(inputs, outputs, updates=None, name=None, **kwargs):
    return _Function(inputs, outputs, updates, kwargs)


# --- variables and values
def variable(value, dtype=None, name=None, constraint=None):
    dtype = tf.as_dtype(dtype or settings.floatx)
    if not isinstance(value, (tf.Tensor, tf.Variable)):
        value = np.asarray(value, dtype=dtype.as_numpy_dtype)
    return tf.Variable(value, dtype=dtype, name=name, constraint=constraint, use_resource=True)


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None, ragged=False):
    if ragged:
        raise NotImplementedError("ragged placeholders are not supported")
    if shape is None and ndim is not None:
        shape = (None,) * ndim
    made = tf.sparse_placeholder if sparse else tf.placeholder
    return made(tf.as_dtype(dtype or settings.floatx), shape, name=name)


def constant(value, dtype=None, shape=None, name=None):
    return tf.constant(value, dtype or settings.floatx, shape, name)


def _filled_variable(made, shape, dtype, name):
    return tf.Variable(made(shape, tf.as_dtype(dtype or settings.floatx)), name=name, use_resource=True)


def zeros(shape, dtype=None, name=None):
    return _filled_variable(tf.zeros, shape, dtype, name)


def ones(shape, dtype=None, name=None):
    return _filled_variable(tf.ones, shape, dtype, name)


def eye(size, dtype=None, name=None):
    return tf.Variable(tf.eye(size, dtype=tf.as_dtype(dtype or settings.floatx)), name=name, use_resource=True)


def random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None):
    return variable(tf.random_uniform(shape, low, high, tf.as_dtype(dtype or settings.floatx), seed), dtype, name)


def random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None):
    return variable(tf.random_normal(shape, mean, scale, tf.as_dtype(dtype or settings.floatx), seed), dtype, name)


def eval(x):
    return get_session().run(x)


get_value = eval


def batch_get_value(tensors):
    return get_session().run(list(tensors)) if tensors else []


def set_value(x, value):
    batch_set_value([(x, value)])


def batch_set_value(tuples):
    if not tuples:
        return
    session = get_session()
    for x, value in tuples:
        x.load(np.asarray(value, dtype=x.dtype.base_dtype.as_numpy_dtype), session)


def set_layer_weights(layer, weights):
    """Assigns the values of a layer's weights, which must have their number and shapes."""
    own = layer.weights
    if len(own) != len(weights):
        raise ValueError(f'You called `set_weights(weights)` on layer "{layer.name}" with a weight list of length {len(weights)}, but the layer '
                         f"was expecting {len(own)} weights.")
    for variable, value in zip(own, weights):
        shape = tuple(getattr(value, "shape", ()))
        if tuple(variable.shape.as_list()) != shape:
            raise ValueError(f"Layer weight shape {tuple(variable.shape.as_list())} not compatible with provided weight shape {shape}")
    batch_set_value(list(zip(own, weights)))


def update(x, new_x):
    return x.assign(new_x)


def update_add(x, increment):
    return x.assign_add(increment)


def update_sub(x, decrement):
    return x.assign_sub(decrement)


def moving_average_update(x, value, momentum):
    return x.assign_sub((x - value) * (1.0 - momentum))


# --- shapes and types
def int_shape(x):
    shape = getattr(x, "shape", None)
    if shape is None:
        return None
    shape = tf.TensorShape(shape)
    return None if shape.ndims is None else tuple(shape.as_list())


def ndim(x):
    return tf.TensorShape(x.shape).ndims


def dtype(x):
    return x.dtype.base_dtype.name


def count_params(x):
    return tf.TensorShape(x.shape).num_elements()


def is_sparse(tensor):
    return isinstance(tensor, tf.SparseTensor)


def is_keras_tensor(x):
    if not isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor)):
        raise ValueError(f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor instance.")
    return state.history(x) is not None


def to_dense(tensor):
    return tf.sparse_tensor_to_dense(tensor) if is_sparse(tensor) else tensor


def batch_flatten(x):
    return _weir.flatten_layer(x, "channels_last")


def repeat(x, n):
    return tf.tile(tf.expand_dims(x, 1), [1, n, 1])


def squeeze(x, axis):
    return tf.squeeze(x, [axis])


def concatenate(tensors, axis=-1):
    return tf.concat([to_dense(t) for t in tensors], axis)


def arange(start, stop=None, step=1, dtype="int32"):
    if stop is None and start < 0:
        start = 0
    return tf.range(0, start, step, dtype=dtype) if stop is None else tf.range(start, stop, step, dtype=dtype)


def temporal_padding(x, padding=(1, 1)):
    return _weir.keras_pad(x, [tuple(padding)], False)


def _is_first(data_format):
    from weir.lib.keras import core
    return core.data_format(data_format) == "channels_first"


def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    return _weir.keras_pad(x, [tuple(p) for p in padding], _is_first(data_format))


def spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None):
    return _weir.keras_pad(x, [tuple(p) for p in padding], _is_first(data_format))


def resize_images(x, height_factor, width_factor, data_format, interpolation="nearest"):
    return _weir.keras_enlarge(x, [height_factor, width_factor], _is_first(data_format), interpolation == "bilinear")


def resize_volumes(x, depth_factor, height_factor, width_factor, data_format):
    return _weir.keras_enlarge(x, [depth_factor, height_factor, width_factor], _is_first(data_format))


# --- arithmetic
def _number(x):
    return tf.cast(x, settings.floatx) if tf.convert_to_tensor(x).dtype == tf.bool else x


def mean(x, axis=None, keepdims=False):
    return tf.reduce_mean(_number(x), axis, keepdims)


def var(x, axis=None, keepdims=False):
    return tf.math.reduce_variance(_number(x), axis, keepdims)


def std(x, axis=None, keepdims=False):
    return tf.math.reduce_std(_number(x), axis, keepdims)


def any(x, axis=None, keepdims=False):
    return tf.reduce_any(tf.cast(x, tf.bool), axis, keepdims)


def all(x, axis=None, keepdims=False):
    return tf.reduce_all(tf.cast(x, tf.bool), axis, keepdims)


def sqrt(x):
    x = tf.convert_to_tensor(x)
    return tf.sqrt(tf.clip_by_value(x, 0.0, float("inf")))


def clip(x, min_value, max_value):
    if isinstance(min_value, (int, float)) and isinstance(max_value, (int, float)) and max_value < min_value:
        max_value = min_value
    low = float("-inf") if min_value is None else min_value
    high = float("inf") if max_value is None else max_value
    return tf.clip_by_value(x, low, high)


def dot(x, y):
    if is_sparse(x):
        return tf.sparse_tensor_dense_matmul(x, y)
    return _weir.keras_dot(x, y)


def batch_dot(x, y, axes=None):
    x_rank, y_rank = ndim(x), ndim(y)
    if axes is None:
        axes = [x_rank - 1, y_rank - 1] if y_rank == 2 else [x_rank - 1, y_rank - 2]
    elif isinstance(axes, int):
        axes = [axes, axes]
    axes = [axis + rank if axis < 0 else axis for axis, rank in zip(axes, (x_rank, y_rank))]
    return _weir.keras_batch_dot(x, y, *axes)


def repeat_elements(x, rep, axis):
    return tf.repeat(x, rep, axis=axis)


def gradients(loss, variables):
    return tf.gradients(loss, variables)


def stop_gradient(variables):
    if isinstance(variables, (list, tuple)):
        return [tf.stop_gradient(v) for v in variables]
    return tf.stop_gradient(variables)


def print_tensor(x, message=""):
    with tf.control_dependencies([tf.print(message, x)]):
        return tf.identity(x)


# --- decisions
def switch(condition, then_expression, else_expression):
    condition = tf.cast(condition, tf.bool)
    yes = then_expression if callable(then_expression) else lambda: then_expression
    no = else_expression if callable(else_expression) else lambda: else_expression
    if condition.shape.ndims == 0:
        return tf.cond(condition, yes, no)
    a, b = yes(), no()
    rank, of_condition = a.shape.ndims, condition.shape.ndims
    for _ in range((rank or 0) - (of_condition or 0)):
        condition = tf.expand_dims(condition, -1)
    return tf.where(tf.logical_and(condition, tf.ones_like(a, dtype=tf.bool)), a, b)


def in_train_phase(x, alt, training=None):
    training = learning_phase() if training is None else training
    if isinstance(training, (bool, int)):
        chosen = x if training else alt
        return chosen() if callable(chosen) else chosen
    return switch(training, x, alt)


def in_test_phase(x, alt, training=None):
    return in_train_phase(alt, x, training)


# --- neural networks
def elu(x, alpha=1.0):
    from weir.lib.keras import activations
    return activations.elu(x, alpha)


def dropout(x, level, noise_shape=None, seed=None):
    return tf.nn.dropout(x, rate=level, noise_shape=noise_shape, seed=seed)


def l2_normalize(x, axis=None):
    return tf.nn.l2_normalize(x, axis)


def bias_add(x, bias, data_format=None):
    rank = ndim(x)
    if ndim(bias) != 1:
        raise ValueError(f"Unexpected bias dimensions {ndim(bias)}. Expect to be 1")
    return x + tf.reshape(bias, [1, -1] + [1] * (rank - 2)) if _is_first(data_format) and rank > 2 else x + bias


def _padding(padding):
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return padding.upper()


def _convolve(x, kernel, dims, strides, padding, data_format, dilation_rate):
    strides = _weir.layer_sizes(strides, dims, "strides")
    dilations = _weir.layer_sizes(dilation_rate, dims, "dilation_rate")
    if padding == "causal":
        x, padding = temporal_padding(x, (dilations[0] * (int_shape(kernel)[0] - 1), 0)), "valid"
    spatial = "DHW"[3 - dims:] if dims > 1 else "W"
    return tf.nn.convolution(x, kernel, padding=_padding(padding), strides=list(strides), dilation_rate=list(dilations),
                             data_format=f"NC{spatial}" if _is_first(data_format) else f"N{spatial}C")


def conv1d(x, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    return _convolve(x, kernel, 1, strides, padding, data_format, dilation_rate)


def conv2d(x, kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    return _convolve(x, kernel, 2, strides, padding, data_format, dilation_rate)


def conv3d(x, kernel, strides=(1, 1, 1), padding="valid", data_format=None, dilation_rate=(1, 1, 1)):
    return _convolve(x, kernel, 3, strides, padding, data_format, dilation_rate)


def conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    first = _is_first(data_format)
    sides = [1, 1, *strides] if first else [1, *strides, 1]
    shape = [tf.shape(x)[0] if i == 0 and size is None else size for i, size in enumerate(output_shape)] if isinstance(output_shape, (list, tuple)) else output_shape
    return tf.nn.conv2d_transpose(x, kernel, tf.stack(shape) if isinstance(shape, list) else shape, sides, _padding(padding), "NCHW" if first else "NHWC")


def separable_conv2d(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    first = _is_first(data_format)
    return tf.nn.separable_conv2d(x, depthwise_kernel, pointwise_kernel, [1, 1, *strides] if first else [1, *strides, 1], _padding(padding),
                                  rate=list(dilation_rate), data_format="NCHW" if first else "NHWC")


def _pool(x, dims, pool_size, strides, padding, data_format, pool_mode):
    if pool_mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    window = _weir.LayerWindow(dims, list(strides), padding, "channels_first" if _is_first(data_format) else "channels_last")
    return _weir.pooling_layer(x, pool_mode == "max", list(pool_size), window)


def pool2d(x, pool_size, strides=(1, 1), padding="valid", data_format=None, pool_mode="max"):
    return _pool(x, 2, pool_size, strides, padding, data_format, pool_mode)


def pool3d(x, pool_size, strides=(1, 1, 1), padding="valid", data_format=None, pool_mode="max"):
    return _pool(x, 3, pool_size, strides, padding, data_format, pool_mode)


def batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=1e-3):
    def spread(value):
        if value is None or axis in (-1, ndim(x) - 1) or ndim(value) == ndim(x):
            return value
        shape = [1] * ndim(x)
        shape[axis] = -1
        return tf.reshape(value, shape)
    return tf.nn.batch_normalization(x, spread(mean), spread(var), spread(beta), spread(gamma), epsilon)


def normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=1e-3):
    mean, variance = tf.nn.moments(x, list(reduction_axes))
    kept = [size if i not in reduction_axes else 1 for i, size in enumerate(int_shape(x))]

    def spread(value):
        return value if value is None or sorted(reduction_axes) == list(range(ndim(x)))[:-1] else tf.reshape(value, [-1 if s is None else s for s in kept])
    return tf.nn.batch_normalization(x, spread(mean), spread(variance), spread(beta), spread(gamma), epsilon), mean, variance


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return tf.random_normal(shape, mean, stddev, tf.as_dtype(dtype or settings.floatx), seed)


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    return tf.random_uniform(shape, minval, maxval, tf.as_dtype(dtype or settings.floatx), seed)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return tf.truncated_normal(shape, mean, stddev, tf.as_dtype(dtype or settings.floatx), seed)


def random_binomial(shape, p=0.0, dtype=None, seed=None):
    return tf.cast(tf.less_equal(tf.random_uniform(shape, seed=seed), p), dtype or settings.floatx)


def binary_crossentropy(target, output, from_logits=False):
    return _weir.keras_loss("element_crossentropy", target, output, from_logits=from_logits, epsilon=settings.epsilon)


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    return _weir.keras_loss("categorical_crossentropy", target, output, from_logits=from_logits, axis=axis, epsilon=settings.epsilon)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    if axis not in (-1, ndim(output) - 1):
        output = tf.transpose(output, [i for i in range(ndim(output)) if i != axis % ndim(output)] + [axis % ndim(output)])
    return _weir.keras_loss("sparse_categorical_crossentropy", target, output, from_logits=from_logits, epsilon=settings.epsilon)


def map_fn(fn, elems, name=None, dtype=None):
    return tf.map_fn(fn, elems, name=name, dtype=dtype)


class name_scope:
    """Returns a name scope."""

    def __init__(self, name, default_name=None, values=None):
        self._scope = tf.name_scope(name, default_name, values)
        self.name = name

    def __enter__(self):
        return self._scope.__enter__()

    def __exit__(self, *error):
        return self._scope.__exit__(*error)


