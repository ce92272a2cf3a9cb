"""tf.nn, except recurrent networks (rnn.py)."""

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
    # Positional order: logits, then labels, as before TensorFlow 1.0.
    "nn.softmax_cross_entropy_with_logits": "(logits=None, labels=None, dim=-1, name=None, axis->dim) softmax_cross_entropy_with_logits",
    "nn.softmax_cross_entropy_with_logits_v2": "(labels, logits, axis=-1, name=None, dim->axis) "
                                               "softmax_cross_entropy_with_logits[dim=axis, stop_labels=False]",
    "nn.sparse_softmax_cross_entropy_with_logits": "sparse_softmax_cross_entropy_with_logits",
    "nn.sigmoid_cross_entropy_with_logits": "(logits=None, labels=None, name=None, targets->labels) sigmoid_cross_entropy_with_logits",
    "nn.weighted_cross_entropy_with_logits": "(labels=None, logits=None, pos_weight=None, name=None, targets->labels) "
                                             "weighted_cross_entropy_with_logits",
    "nn.bias_add": "bias_add",
    "nn.local_response_normalization": "(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None) op:LRN",
    "nn.lrn": "=nn.local_response_normalization",
    "nn.moments": "(x, axes, shift!=None, name=None, keep_dims->keepdims, keepdims=False) moments",
    "nn.weighted_moments": "(x, axes, frequency_weights, name=None, keep_dims->keepdims, keepdims=False) weighted_moments",
    "nn.sufficient_statistics": "(x, axes, shift=None, keep_dims->keepdims, name=None, keepdims=False) sufficient_statistics",
    "nn.l2_normalize": "(x, axis=None, epsilon=1e-12, name=None, dim->axis) l2_normalize",
    **{f"nn.{name}": f"weir.lib.nn_functions:{name}" for name in ("batch_norm_with_global_normalization", "conv_transpose",
                                                                 "compute_average_loss", "scale_regularization_loss",
                                                                 "collapse_repeated", "with_space_to_batch", "static_state_saving_rnn")},
    "nn.top_k": "=math.top_k",
    "nn.in_top_k": "=math.in_top_k",
    "nn.log_sigmoid": "=log_sigmoid",
    "nn.embedding_lookup": "(params, ids, partition_strategy='mod', name=None, validate_indices!=True, max_norm=None) embedding_lookup",
    "nn.embedding_lookup_sparse": "embedding_lookup_sparse",
    "nn.space_to_depth": "=space_to_depth",
    "nn.depth_to_space": "=depth_to_space",
    "nn.space_to_batch": "=space_to_batch",
    # convolution
    "nn.conv1d": "(value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu!=None, data_format=None, name=None, input->value, "
                 "dilations=None) conv1d[input=value, filter=filters, strides=stride]",
    "nn.conv2d": "(input, filter=None, strides=None, padding=None, use_cudnn_on_gpu!=True, data_format='NHWC', dilations=[1, 1, 1, 1], "
                 "name=None, filters->filter) conv2d",
    "nn.conv3d": "(input, filter=None, strides=None, padding=None, data_format='NDHWC', dilations=[1, 1, 1, 1, 1], name=None, "
                 "filters->filter) conv3d",
    "nn.convolution": "(input, filter, padding, strides=None, dilation_rate=None, name=None, data_format=None, filters->filter, "
                      "dilations->dilation_rate) convolution[dilations=dilation_rate]",
    "nn.conv1d_transpose": "(input, filters, output_shape, strides, padding='SAME', data_format='NWC', dilations=None, name=None) "
                           "conv1d_transpose[value=input, filter=filters]",
    "nn.conv2d_transpose": "(value=None, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NHWC', name=None, "
                           "input->value, filters->filter, dilations=None) conv2d_transpose",
    "nn.conv3d_transpose": "(value, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NDHWC', name=None, "
                           "input->value, filters->filter, dilations=None) conv3d_transpose",
    "nn.conv2d_backprop_input": "(input_sizes, filter=None, out_backprop=None, strides=None, padding=None, use_cudnn_on_gpu=True, "
                                "data_format='NHWC', dilations=[1, 1, 1, 1], name=None, filters->filter) op:Conv2DBackpropInput",
    "nn.conv2d_backprop_filter": "(input, filter_sizes, out_backprop, strides, padding, use_cudnn_on_gpu=True, data_format='NHWC', "
                                 "dilations=[1, 1, 1, 1], name=None) op:Conv2DBackpropFilter",
    "nn.conv3d_backprop_filter": "(input, filter_sizes, out_backprop, strides, padding, data_format='NDHWC', dilations=[1, 1, 1, 1, 1], "
                                 "name=None) op:Conv3DBackpropFilterV2",
    "nn.conv3d_backprop_filter_v2": "=nn.conv3d_backprop_filter",
    "nn.depthwise_conv2d": "(input, filter, strides, padding, rate=None, name=None, data_format=None, dilations->rate) "
                           "depthwise_conv2d[dilations=rate]",
    "nn.depthwise_conv2d_native": "(input, filter, strides, padding, data_format='NHWC', dilations=[1, 1, 1, 1], name=None) "
                                  "op:DepthwiseConv2dNative",
    "nn.depthwise_conv2d_backprop_input": "(input_sizes, filter, out_backprop, strides, padding, data_format='NHWC', dilations=[1, 1, 1, 1], "
                                          "name=None) op:DepthwiseConv2dNativeBackpropInput",
    "nn.depthwise_conv2d_native_backprop_input": "=nn.depthwise_conv2d_backprop_input",
    "nn.depthwise_conv2d_backprop_filter": "(input, filter_sizes, out_backprop, strides, padding, data_format='NHWC', "
                                           "dilations=[1, 1, 1, 1], name=None) op:DepthwiseConv2dNativeBackpropFilter",
    "nn.depthwise_conv2d_native_backprop_filter": "=nn.depthwise_conv2d_backprop_filter",
    "nn.separable_conv2d": "(input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None, "
                           "dilations->rate) separable_conv2d",
    "nn.atrous_conv2d": "atrous_conv2d",
    "nn.atrous_conv2d_transpose": "atrous_conv2d_transpose",
    "nn.fused_batch_norm": "fused_batch_norm",
    # pooling
    "nn.max_pool": "(value, ksize, strides, padding, data_format='NHWC', name=None, input->value) max_pool2d[input=value]",
    "nn.avg_pool": "(value, ksize, strides, padding, data_format='NHWC', name=None, input->value) avg_pool2d[input=value]",
    "nn.max_pool2d": "(input, ksize, strides, padding, data_format='NHWC', name=None) max_pool2d",
    "nn.avg_pool2d": "=nn.avg_pool",
    "nn.max_pool1d": "(input, ksize, strides, padding, data_format='NWC', name=None) max_pool1d",
    "nn.avg_pool1d": "(input, ksize, strides, padding, data_format='NWC', name=None) avg_pool1d",
    "nn.max_pool3d": "(input, ksize, strides, padding, data_format='NDHWC', name=None) max_pool3d",
    "nn.avg_pool3d": "(input, ksize, strides, padding, data_format='NDHWC', name=None) avg_pool3d",
    "nn.max_pool_v2": "(input, ksize, strides, padding, data_format=None, name=None) max_pool_any",
    "nn.avg_pool_v2": "(input, ksize, strides, padding, data_format=None, name=None) avg_pool_any",
    "nn.max_pool_with_argmax": "(input, ksize, strides, padding, data_format='NHWC', Targmax=None, name=None, output_dtype->Targmax, "
                               "include_batch_in_index=False) max_pool_with_argmax",
    "nn.pool": "(input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None, data_format=None, "
               "dilations->dilation_rate) pool",
    **{f"nn.fractional_{kind}_pool": "(value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, "
                                     f"name=None) op:Fractional{kind.title()}Pool" for kind in ("max", "avg")},
    "ctc_loss_v2": "weir.lib.nn_functions:ctc_loss_v2",
    "batch_scatter_update": "weir.lib.nn_functions:batch_scatter_update",
    "nn.dilation2d": "(input, filter=None, strides=None, rates=None, padding=None, name=None, filters->filter, dilations->rates) "
                     "op:Dilation2D",
    "nn.erosion2d": "erosion2d",
    **{f"nn.quantized_{kind}_pool": f"op:Quantized{kind.title()}Pool" for kind in ("max", "avg")},
    "nn.quantized_relu_x": "(features, max_value, min_features, max_features, out_type='quint8', name=None) op:QuantizedReluX",
    # modules that programs import
    "python.ops.nn.*": "=nn.",
    "python.ops.nn_impl.*": "=nn.",
    "python.ops.embedding_ops.*": "=nn.",
}
