"""tf.contrib.nn."""
from weir import _weir
from weir._names import find as _find

_DROPPED = -1.7580993408473766  # the limit of scaled exponential linear units towards minus infinity


def alpha_dropout(x, keep_prob, noise_shape=None, seed=None, name=None):
    """Dropout that keeps the mean and the variance of scaled exponential linear units."""
    with _weir.name_scope(name or "alpha_dropout") as scope:
        x = _weir.convert_to_tensor(x, name="x")
        if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1.:
            raise ValueError("keep_prob must be a scalar tensor or a float in the range (0, 1], got %g" % keep_prob)
        if isinstance(keep_prob, (int, float)) and keep_prob == 1:
            return x
        keep_prob = _weir.convert_to_tensor(keep_prob, dtype=x.dtype, name="keep_prob")
        shape = _find("shape")(x) if noise_shape is None else noise_shape
        kept = _weir.cast(_find("random_uniform")(shape, seed=seed, dtype=x.dtype) < keep_prob, x.dtype)
        scale = (keep_prob + _DROPPED ** 2 * keep_prob * (1 - keep_prob)) ** -0.5
        y = scale * (x * kept + _DROPPED * (1 - kept)) - scale * _DROPPED * (1 - keep_prob)
        y.set_shape(x.shape)
        return _find("identity")(y, name=scope)


def scaled_softplus(x, alpha, clip=None, name=None):
    """Returns alpha * log(1 + exp(x / alpha)), at most `clip`."""
    with _weir.name_scope(name or "scaled_softplus") as scope:
        x = _weir.convert_to_tensor(x, name="x")
        alpha = _weir.convert_to_tensor(alpha, dtype=x.dtype, name="alpha")
        y = alpha * _find("nn.softplus")(x / alpha)
        return _find("identity")(y if clip is None else _find("minimum")(y, clip), name=scope)


def sampled_sparse_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, sampled_values=None, remove_accidental_hits=True,
                                partition_strategy="mod", name="sampled_sparse_softmax_loss"):
    """Like tf.nn.sampled_softmax_loss, for labels with one class per row."""
    labels = _find("reshape")(labels, [-1, 1])
    return _find("nn.sampled_softmax_loss")(weights, biases, labels, inputs, num_sampled, num_classes, sampled_values=sampled_values,
                                            remove_accidental_hits=remove_accidental_hits, partition_strategy=partition_strategy, name=name)
