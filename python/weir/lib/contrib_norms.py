"""Normalizations of tf.contrib.layers and layers without a kernel: layer_norm, group_norm, instance_norm, unit_norm, maxout,
spatial_softmax and rearrangements."""
import functools

from weir import _weir
from weir._names import find as _find
from weir.lib import layers
from weir.lib.arg_scope import add_arg_scope
from weir.lib.contrib_layers import _check_format, finish, model_weight
from weir.lib.initializers import Constant, Ones, Zeros
from weir.lib.layer_utils import collect_named_outputs, constant_value, smart_cond


def _parameters(inputs, shape, center, scale, initializers, collections, trainable):
    """Creates the variables beta and gamma. Without `center` or `scale`, that variable is None."""
    initial = initializers or {}

    def parameter(name, otherwise):
        return model_weight(name, shape, inputs.dtype.base_dtype, initial.get(name, otherwise), collections, name, trainable)
    return parameter("beta", Zeros()) if center else None, parameter("gamma", Ones()) if scale else None


def _averaged(updates_collections, is_training, averages, now, decay, zero_debias, results):
    """Makes the moving averages follow the values of a batch. Returns `results`, which do so themselves if there is no collection."""
    def update():
        return [_weir.assign_moving_average(average, value, decay, zero_debias=zero_debias and i == 0)
                for i, (average, value) in enumerate(zip(averages, now))]

    def results_after_update():
        with _weir.control_dependencies(update()):
            return [_find("identity")(result) for result in results]
    if constant_value(is_training) is False:
        return results
    if updates_collections is None:
        return smart_cond(is_training, results_after_update, lambda: results)
    for made in smart_cond(is_training, update, lambda: list(averages)):
        for collection in [updates_collections] if isinstance(updates_collections, str) else updates_collections:
            _weir.add_to_collection(collection, made)
    return results


def normalize_batch(inputs, fuse, decay, center, scale, epsilon, initializers, regularizers, updates_collections, is_training,
                    variables_collections, trainable, batch_weights, data_format, zero_debias):
    """batch_norm in the current scope with what tf.layers.BatchNormalization lacks: weights of examples, averages without the bias of
    their first values, and updates in other collections or at once. `fuse` uses the op for images, for rows as images of one pixel."""
    rank = _rank(inputs)
    channels_first = data_format == "NCHW"
    channels = inputs.shape[1:2] if channels_first else inputs.shape[-1:]
    if not channels.is_fully_defined():
        raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {channels}; `C` dimension must be known but is None")

    def weight(name, otherwise, trains, regularizer=None):
        return model_weight(name, channels, _weir.dtypes["float32"] if fuse else inputs.dtype.base_dtype, initializers.get(name, otherwise),
                            variables_collections, name, trains, regularizer if fuse else None)
    beta = weight("beta", Zeros(), trainable, regularizers.get("beta")) if center else None
    gamma = weight("gamma", Ones(), trainable, regularizers.get("gamma")) if scale else None
    with _weir.variable_scope(_weir.get_variable_scope()) as unpartitioned:
        unpartitioned.set_partitioner(None)
        averages = weight("moving_mean", Zeros(), False), weight("moving_variance", Ones(), False)
    if fuse:
        x = inputs if rank == 4 else _find("reshape")(inputs, [-1, channels[0].value, 1, 1] if channels_first else [-1, 1, 1, channels[0].value])
        factor = _find("ones")(channels) if gamma is None else gamma
        shift = _find("zeros")(channels) if beta is None else beta
        norm = functools.partial(_find("nn.fused_batch_norm"), x, factor, shift, epsilon=epsilon, data_format=data_format)
        y, mean, variance = smart_cond(is_training, norm, lambda: norm(mean=averages[0], variance=averages[1], is_training=False))
        y, = _averaged(updates_collections, is_training, averages, (mean, variance), decay, zero_debias, [y])
        y = y if rank == 4 else _find("reshape")(y, _find("shape")(inputs))
    else:
        axes = [i for i in range(rank) if i != (1 if channels_first else rank - 1)]
        broadcast = [1, channels[0].value] + [1] * (rank - 2) if channels_first else [-1]

        def now():
            if batch_weights is None:
                return _find("nn.moments")(inputs, axes)
            weights = _weir.convert_to_tensor(batch_weights)
            inputs.shape[0:1].assert_is_compatible_with(weights.shape)
            return _find("nn.weighted_moments")(inputs, axes, _find("reshape")(weights, [-1] + [1] * (rank - 1)))
        if constant_value(is_training) is False:
            mean, variance = averages
        elif updates_collections is None:
            found = now()
            mean, variance = smart_cond(is_training, lambda: _averaged(None, True, averages, found, decay, zero_debias, found),
                                        lambda: [_find("identity")(average) for average in averages])
        else:
            found = now()
            _averaged(updates_collections, is_training, averages, found, decay, zero_debias, found)
            mean, variance = smart_cond(is_training, lambda: found, lambda: [_find("identity")(average) for average in averages])
        parts = [None if part is None else _find("reshape")(part, broadcast) for part in (mean, variance, beta, gamma)]
        y = _find("nn.batch_normalization")(inputs, *parts, epsilon)
    y.set_shape(inputs.shape)
    return y


@add_arg_scope
def layer_norm(inputs, center=True, scale=True, activation_fn=None, reuse=None, variables_collections=None, outputs_collections=None,
               trainable=True, begin_norm_axis=1, begin_params_axis=-1, scope=None):
    with _weir.variable_scope(scope, default_name="LayerNorm", reuse=reuse) as opened:
        inputs = _weir.convert_to_tensor(inputs)
        rank = _rank(inputs)
        if begin_norm_axis < 0:
            begin_norm_axis += rank
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError(f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) must be < rank(inputs) ({rank})")
        shape = inputs.shape[begin_params_axis:]
        if not shape.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: {inputs.shape}")
        beta, gamma = _parameters(inputs, shape, center, scale, None, variables_collections, trainable)
        return finish(_weir.normalize_layer(inputs, begin_norm_axis, beta, gamma), activation_fn, outputs_collections, opened.name)


@add_arg_scope
def instance_norm(inputs, center=True, scale=True, epsilon=1e-6, activation_fn=None, param_initializers=None, reuse=None,
                  variables_collections=None, outputs_collections=None, trainable=True, data_format="NHWC", scope=None):
    inputs = _weir.convert_to_tensor(inputs)
    rank = _rank(inputs)
    _check_format(data_format, "NHWC", "NCHW")
    with _weir.variable_scope(scope, default_name="InstanceNorm", reuse=reuse) as opened:
        channels = inputs.shape.as_list()[1 if data_format == "NCHW" else rank - 1]
        if channels is None:
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension.")
        beta, gamma = _parameters(inputs, [channels], center, scale, param_initializers, variables_collections, trainable)
        y = _weir.normalize_instances(inputs, data_format == "NCHW", epsilon, beta, gamma)
        return finish(y, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def group_norm(inputs, groups=32, channels_axis=-1, reduction_axes=(-3, -2), center=True, scale=True, epsilon=1e-6, activation_fn=None,
               param_initializers=None, reuse=None, variables_collections=None, outputs_collections=None, trainable=True, scope=None,
               mean_close_to_zero=False):
    inputs = _weir.convert_to_tensor(inputs)
    _rank(inputs)
    axes = list(reduction_axes)
    channels = _weir.group_norm_channels(inputs.shape, groups, channels_axis, axes)
    with _weir.variable_scope(scope, default_name="GroupNorm", reuse=reuse) as opened:
        beta, gamma = _parameters(inputs, [channels], center, scale, param_initializers, variables_collections, trainable)
        y = _weir.normalize_groups(inputs, groups, channels_axis, axes, epsilon, mean_close_to_zero, beta, gamma)
        return finish(y, activation_fn, outputs_collections, opened.name)


def _rank(inputs):
    if inputs.shape.ndims is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    return inputs.shape.ndims


@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    """Scales vectors along one axis to length 1."""
    with _weir.variable_scope(scope, default_name="UnitNorm"):
        return _weir.normalize_unit(inputs, dim, epsilon)


def poincare_normalize(x, axis=1, epsilon=1e-5, name=None):
    with _weir.name_scope(name or "poincare_normalize"):
        return _weir.normalize_poincare(x, axis, epsilon)


@add_arg_scope
def maxout(inputs, num_units, axis=-1, scope=None):
    """Returns the largest value of each of num_units groups of features."""
    with _weir.variable_scope(scope, default_name="MaxOut"):
        return _weir.max_out(inputs, num_units, axis)


@add_arg_scope
def spatial_softmax(features, temperature=None, name=None, variables_collections=None, trainable=True, data_format="NHWC"):
    """Returns the expected position of each channel's softmax: [batch, 2 * channels]."""
    with _weir.variable_scope(name, default_name="spatial_softmax"):
        _check_format(data_format, "NHWC", "NCHW")
        initial = Ones() if temperature is None else Constant(temperature)
        variable = model_weight("temperature", (), "float32", initial, variables_collections if trainable else None, "temperature", trainable)
        return _weir.spatial_softmax(features, variable, data_format == "NCHW")


@add_arg_scope
def images_to_sequence(inputs, data_format="NHWC", outputs_collections=None, scope=None):
    _check_format(data_format, "NHWC", "NCHW")
    with _weir.name_scope(scope or "ImagesToSequence") as opened:
        return collect_named_outputs(outputs_collections, opened, _weir.images_to_sequence(inputs, data_format == "NCHW"))


@add_arg_scope
def sequence_to_images(inputs, height, output_data_format="channels_last", outputs_collections=None, scope=None):
    with _weir.name_scope(scope or "SequenceToImages") as opened:
        return collect_named_outputs(outputs_collections, opened, _weir.sequence_to_images(inputs, height, output_data_format == "channels_first"))


@add_arg_scope
def dense_to_sparse(tensor, eos_token=0, outputs_collections=None, scope=None):
    """Returns the elements that differ from eos_token as a SparseTensor."""
    from weir._names import find
    with _weir.variable_scope(scope, default_name="dense_to_sparse") as opened:
        return collect_named_outputs(outputs_collections, opened.name, find("SparseTensor")(*_weir.sparse_parts(tensor, eos_token)))


@add_arg_scope
def _inner_flatten(inputs, new_rank, output_collections=None, scope=None):
    """Flattens the dimensions from new_rank - 1 on."""
    from weir._names import find
    with _weir.name_scope(scope or "InnerFlatten") as opened:
        if isinstance(inputs, find("SparseTensor")):
            shape = inputs.dense_shape
            rank = shape.shape.as_list()[0]
            if rank < new_rank:
                raise ValueError(f"Inputs has rank less than new_rank. {inputs} must have rank at least {new_rank}. Received rank {rank}")
            wanted = find("concat")([shape[:new_rank - 1], [find("reduce_prod")(shape[new_rank - 1:])]], 0)
            y = find("sparse_reshape")(inputs, wanted)
        else:
            y = _weir.flatten_inner(inputs, new_rank)
        return collect_named_outputs(output_collections, opened, y)


def scale_gradient(inputs, gradient_multiplier):
    """Returns the inputs. Their gradient is multiplied by gradient_multiplier."""
    from weir._names import find
    return find("custom_gradient")(lambda x: (x, lambda dy: [dy * gradient_multiplier]))(inputs)


class GDN(layers.Layer):
    """Generalized divisive normalization: x / sqrt(beta + gamma * x^2), with beta and gamma kept positive."""

    def __init__(self, inverse=False, beta_min=1e-6, gamma_init=0.1, reparam_offset=2 ** -18, data_format="channels_last",
                 activity_regularizer=None, trainable=True, name=None, **kwargs):
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        if data_format not in ("channels_first", "channels_last"):
            raise ValueError(f"Unsupported `data_format` for GDN layer: {data_format}.")
        self.inverse, self.data_format = inverse, data_format
        self._beta_min, self._gamma_init, self._offset = beta_min, gamma_init, reparam_offset

    def build(self, input_shape):
        shape = _weir.TensorShape(input_shape).as_list()
        self._channels = shape[1 if self.data_format == "channels_first" else -1]
        if self._channels is None:
            raise ValueError("The channel dimension of the inputs to `GDN` must be defined.")
        self._rank = len(shape)
        self.beta, self.gamma = (self._weight(*row) for row in [
            ("reparam_beta", [self._channels], lambda: 1.0, (self._beta_min + self._offset ** 2) ** 0.5),
            ("reparam_gamma", [self._channels] * 2, lambda: self._gamma_init * _weir.eye(self._channels), self._offset)])
        self.built = True

    def _weight(self, name, shape, initial, bound):
        from weir._names import find
        pedestal = self._offset ** 2

        def initialize(shape, dtype=None, partition_info=None):
            return find("sqrt")(_weir.cast(find("zeros")(shape) + initial() + pedestal, dtype))
        value = self.add_weight(name, shape, initializer=initialize)

        def bounded(x):
            # Below the bound, pass on only the gradients that would increase the value.
            return find("maximum")(x, bound), lambda dy: dy * _weir.cast(find("logical_or")(x >= bound, dy < 0), dy.dtype)
        return find("square")(find("custom_gradient")(bounded)(value)) - pedestal

    def call(self, inputs):
        from weir._names import find
        first = self.data_format == "channels_first"
        dims = self._rank - 2
        gamma = find("reshape")(self.gamma, [1] * dims + [self._channels] * 2)
        norm = find("nn.convolution")(find("square")(inputs), gamma, "VALID",
                                      data_format="NC" + "DHW"[3 - dims:] if first else None)
        norm = find("sqrt")(norm + find("reshape")(self.beta, [-1] + [1] * dims) if first else norm + self.beta)
        return inputs * norm if self.inverse else inputs / norm


def gdn(inputs, inverse=False, beta_min=1e-6, gamma_init=0.1, reparam_offset=2 ** -18, data_format="channels_last", activity_regularizer=None,
        trainable=True, name=None, reuse=None):
    return GDN(inverse, beta_min, gamma_init, reparam_offset, data_format, activity_regularizer, trainable, name, dtype=inputs.dtype.base_dtype,
               _scope=name, _reuse=reuse)(inputs)
