"""Keras layers on several tensors."""
import functools

import weir as tf
from weir import _weir
from weir.lib.keras.base import Layer


class _Merge(Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        if not isinstance(input_shape, (list, tuple)) or len(input_shape) < 2:
            raise ValueError(f"A merge layer should be called on a list of at least 2 inputs. Got {input_shape}")
        self.built = True

    def call(self, inputs):
        if not isinstance(inputs, (list, tuple)):
            raise ValueError(f"A merge layer should be called on a list of inputs. Got {inputs}")
        ranks = [x.shape.ndims for x in inputs]
        if None not in ranks:
            # Tensors of lower rank get dimensions after the batch.
            most = max(ranks)
            inputs = [functools.reduce(lambda x, _: tf.expand_dims(x, 1), range(most - x.shape.ndims), x) for x in inputs]
        return self._merged(inputs)

    def compute_mask(self, inputs, mask=None):
        if mask is None or all(m is None for m in mask):
            return None
        return functools.reduce(tf.logical_and, [m for m in mask if m is not None])


def _merge(name, combine, finish=lambda y, n: y, count=None):
    def merged(self, inputs):
        if count is not None and len(inputs) != count:
            raise ValueError(f"A `{name}` layer should be called on exactly {count} inputs")
        return finish(functools.reduce(combine, inputs), len(inputs))
    return type(name, (_Merge,), {"_merged": merged, "__module__": __name__})


Add = _merge("Add", lambda a, b: a + b)
Subtract = _merge("Subtract", lambda a, b: a - b, count=2)
Multiply = _merge("Multiply", lambda a, b: a * b)
Average = _merge("Average", lambda a, b: a + b, lambda y, n: y / n)
Maximum = _merge("Maximum", lambda a, b: tf.maximum(a, b))
Minimum = _merge("Minimum", lambda a, b: tf.minimum(a, b))


class Concatenate(_Merge):
    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape):
        super().build(input_shape)
        ranks = {tf.TensorShape(shape).ndims for shape in input_shape}
        known = [tf.TensorShape(shape).as_list() for shape in input_shape if tf.TensorShape(shape).ndims is not None]
        rest = [[size for i, size in enumerate(shape) if i != self.axis % len(shape)] for shape in known]
        differ = any(a != b for one in rest for other in rest for a, b in zip(one, other) if a is not None and b is not None)
        if len(ranks - {None}) > 1 or differ:
            raise ValueError("A `Concatenate` layer requires inputs with matching shapes except for the concat axis. Got inputs shapes: "
                             f"{[tuple(shape) for shape in known]}")

    def call(self, inputs):
        return tf.concat(inputs, self.axis)

    def compute_mask(self, inputs, mask=None):
        if mask is None or all(m is None for m in mask):
            return None
        parts = []
        for x, m in zip(inputs, mask):
            if m is None:
                parts.append(tf.ones_like(x, dtype=tf.bool))
            elif m.shape.ndims < x.shape.ndims:
                parts.append(tf.logical_and(tf.expand_dims(m, -1), tf.ones_like(x, dtype=tf.bool)))
            else:
                parts.append(m)
        return tf.reduce_all(tf.concat(parts, self.axis), axis=-1)

    def get_config(self):
        return {**super().get_config(), "axis": self.axis}


class Dot(_Merge):
    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(axes, int) and (not isinstance(axes, (list, tuple)) or len(axes) != 2):
            raise TypeError(f"Invalid type for `axes` - should be a list or an int, and of two elements: {axes}")
        self.axes, self.normalize = axes, normalize

    def call(self, inputs):
        x, y = inputs
        axes = [self.axes, self.axes] if isinstance(self.axes, int) else list(self.axes)
        axes = [axis % value.shape.ndims for axis, value in zip(axes, (x, y))]
        if self.normalize:
            x, y = (tf.nn.l2_normalize(value, axis) for value, axis in zip((x, y), axes))
        return _weir.keras_batch_dot(x, y, *axes)

    def compute_mask(self, inputs, mask=None):
        return None

    def get_config(self):
        return {**super().get_config(), "axes": self.axes, "normalize": self.normalize}


def add(inputs, **kwargs):
    return Add(**kwargs)(inputs)


def subtract(inputs, **kwargs):
    return Subtract(**kwargs)(inputs)


def multiply(inputs, **kwargs):
    return Multiply(**kwargs)(inputs)


def average(inputs, **kwargs):
    return Average(**kwargs)(inputs)


def maximum(inputs, **kwargs):
    return Maximum(**kwargs)(inputs)


def minimum(inputs, **kwargs):
    return Minimum(**kwargs)(inputs)


def concatenate(inputs, axis=-1, **kwargs):
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs, axes, normalize=False, **kwargs):
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)


# --- attention
class _Attention(Layer):
    def __init__(self, **kwargs):
        self.causal = kwargs.pop("causal", False)
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs, mask=None):
        if not isinstance(inputs, list) or not 2 <= len(inputs) <= 3:
            raise ValueError(f"{type(self).__name__} layer must be called on a list of inputs, namely [query, value] or [query, value, key].")
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        query_mask, value_mask = (mask[0], mask[1]) if mask else (None, None)
        scores = self._scores(query, key)
        allowed = None if value_mask is None else tf.expand_dims(value_mask, -2)
        if self.causal:
            ones = tf.ones_like(scores[:1], dtype=tf.int32)
            lower = tf.greater_equal(tf.cumsum(ones, -2), tf.cumsum(ones, -1))
            allowed = lower if allowed is None else tf.logical_and(lower, allowed)
        if allowed is not None:
            scores -= 1e9 * tf.cast(tf.logical_not(allowed), scores.dtype)
        result = tf.matmul(tf.nn.softmax(scores), value)
        return result if query_mask is None else result * tf.cast(tf.expand_dims(query_mask, -1), result.dtype)

    def compute_mask(self, inputs, mask=None):
        return None if not mask or mask[0] is None else mask[0]


class Attention(_Attention):
    def __init__(self, use_scale=False, **kwargs):
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape):
        self.scale = self.add_weight("scale", (), initializer="ones", dtype=self.dtype) if self.use_scale else None
        self.built = True

    def _scores(self, query, key):
        scores = tf.matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale

    def get_config(self):
        return {**super().get_config(), "use_scale": self.use_scale}


class AdditiveAttention(_Attention):
    def __init__(self, use_scale=True, **kwargs):
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape):
        width = tf.TensorShape(input_shape[1])[-1].value
        self.scale = self.add_weight("scale", [width], initializer="glorot_uniform", dtype=self.dtype) if self.use_scale else None
        self.built = True

    def _scores(self, query, key):
        active = tf.tanh(tf.expand_dims(query, -2) + tf.expand_dims(key, -3))
        return tf.reduce_sum(active if self.scale is None else self.scale * active, -1)

    def get_config(self):
        return {**super().get_config(), "use_scale": self.use_scale}


