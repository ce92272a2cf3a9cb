"""tf.losses."""

_BOUND = ["absolute_difference", "hinge_loss", "huber_loss", "log_loss", "mean_pairwise_squared_error", "mean_squared_error",
          "sigmoid_cross_entropy", "softmax_cross_entropy", "sparse_softmax_cross_entropy", "compute_weighted_loss"]
_COLLECTED = ["Reduction", "add_loss", "get_losses", "get_regularization_losses", "get_regularization_loss", "get_total_loss"]

NAMES = {
    **{f"losses.{name}": f"loss_{name}" for name in _BOUND},
    **{f"losses.{name}": f"weir.lib.losses:{name}" for name in _COLLECTED},
    "losses.cosine_distance": "(labels, predictions, axis=None, weights=1.0, scope=None, loss_collection='losses', "
                              "reduction='weighted_sum_by_nonzero_weights', dim->axis) loss_cosine_distance",
    "python.ops.losses.losses.*": "=losses.",
}
