"""tf.nn without convolution, pooling and recurrence."""

_OPS = {
    "relu": "Relu", "relu6": "Relu6", "elu": "Elu", "selu": "Selu", "softplus": "Softplus", "softsign": "Softsign",
    "tanh": "Tanh", "sigmoid": "Sigmoid", "l2_loss": "L2Loss",
}
_BOUND = [
    "dropout", "zero_fraction", "xw_plus_b", "relu_layer", "crelu", "log_poisson_loss", "batch_normalization",
    "sampled_softmax_loss", "nce_loss", "swish", "normalize_moments", "uniform_candidate_sampler",
    "log_uniform_candidate_sampler", "learned_unigram_candidate_sampler", "fixed_unigram_candidate_sampler", "all_candidate_sampler",
    "compute_accidental_hits",
]

NAMES = {
    **{f"nn.{name}": f"op:{op}" for name, op in _OPS.items()},
    **{f"nn.{name}": name for name in _BOUND},
    "nn.silu": "swish",
    "nn.leaky_relu": "(features, alpha=0.2, name=None) op:LeakyRelu",
    "nn.softmax": "(logits, axis=-1, name=None, dim->axis) softmax",
    "nn.log_softmax": "(logits, axis=-1, name=None, dim->axis) log_softmax",
    # By position: logits, then labels, as before 1.0.
    "nn.softmax_cross_entropy_with_logits": "(logits=None, labels=None, dim=-1, name=None, axis->dim) softmax_cross_entropy_with_logits",
    "nn.softmax_cross_entropy_with_logits_v2": "(labels, logits, axis=-1, name=None, dim->axis) "
                                               "softmax_cross_entropy_with_logits[dim=axis, stop_labels=False]",
    "nn.sparse_softmax_cross_entropy_with_logits": "sparse_softmax_cross_entropy_with_logits",
    "nn.sigmoid_cross_entropy_with_logits": "(logits=None, labels=None, name=None, targets->labels) sigmoid_cross_entropy_with_logits",
    "nn.weighted_cross_entropy_with_logits": "(labels=None, logits=None, pos_weight=None, name=None, targets->labels) "
                                             "weighted_cross_entropy_with_logits",
    "nn.bias_add": "(value, bias, data_format=None, name=None) op:BiasAdd",
    "nn.local_response_normalization": "(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None) op:LRN",
    "nn.lrn": "=nn.local_response_normalization",
    "nn.moments": "(x, axes, shift!=None, name=None, keep_dims->keepdims, keepdims=False) moments",
    "nn.weighted_moments": "(x, axes, frequency_weights, name=None, keep_dims->keepdims, keepdims=False) weighted_moments",
    "nn.sufficient_statistics": "(x, axes, shift=None, keep_dims->keepdims, name=None, keepdims=False) sufficient_statistics",
    "nn.l2_normalize": "(x, axis=None, epsilon=1e-12, name=None, dim->axis) l2_normalize",
    "nn.top_k": "=math.top_k",
    "nn.in_top_k": "=math.in_top_k",
    "nn.log_sigmoid": "=log_sigmoid",
    "nn.embedding_lookup": "(params, ids, partition_strategy='mod', name=None, validate_indices!=True, max_norm=None) embedding_lookup",
    "nn.embedding_lookup_sparse": "embedding_lookup_sparse",
    "nn.space_to_depth": "=space_to_depth",
    "nn.depth_to_space": "=depth_to_space",
    "nn.space_to_batch": "=space_to_batch",
    # the modules that programs import
    "python.ops.nn_ops.*": "=nn.",
    "python.ops.nn.*": "=nn.",
    "python.ops.nn_impl.*": "=nn.",
    "python.ops.embedding_ops.*": "=nn.",
    "python.ops.candidate_sampling_ops.*": "=nn.",
}
