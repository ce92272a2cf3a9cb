"""tf.layers, tf.contrib.layers, and the aliases of these in tf.contrib.slim."""

_CLASSES = ["Layer", "Dense", "Conv1D", "Conv2D", "Conv3D", "SeparableConv1D", "SeparableConv2D", "Conv2DTranspose", "Conv3DTranspose", "MaxPooling1D", "MaxPooling2D",
            "MaxPooling3D", "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "Flatten", "Dropout", "BatchNormalization", "InputSpec"]
_FUNCTIONS = ["dense", "conv1d", "conv2d", "conv3d", "separable_conv1d", "separable_conv2d", "conv2d_transpose", "conv3d_transpose", "max_pooling1d", "max_pooling2d",
              "max_pooling3d", "average_pooling1d", "average_pooling2d", "average_pooling3d", "flatten", "dropout", "batch_normalization"]

_CONTRIB = ["l1_regularizer", "l2_regularizer", "l1_l2_regularizer", "sum_regularizer", "apply_regularization", "fully_connected", "convolution",
            "convolution1d", "convolution2d", "convolution3d", "conv1d", "conv2d", "conv3d", "convolution2d_transpose", "conv2d_transpose",
            "max_pool2d", "avg_pool2d", "flatten", "dropout", "batch_norm", "one_hot_encoding", "softmax", "relu", "linear", "repeat", "stack"]
_INITIALIZERS = ["xavier_initializer", "xavier_initializer_conv2d", "variance_scaling_initializer"]

NAMES = {
    **{f"layers.{name}": f"weir.lib.layers:{name}" for name in _CLASSES + _FUNCTIONS},
    **{f"contrib.layers.{name}": f"weir.lib.contrib_layers:{name}" for name in _CONTRIB},
    **{f"contrib.slim.{name}": f"weir.lib.contrib_layers:{name}" for name in _CONTRIB},
    **{f"contrib.slim.{name}": f"=contrib.layers.{name}" for name in _INITIALIZERS},
    **{f"contrib.slim.{name}": f"=contrib.framework.{name}" for name in ["arg_scope", "add_arg_scope"]},
    **{f"contrib.slim.{name}": f"=train.{name}" for name in ["get_global_step", "create_global_step", "get_or_create_global_step"]},
    "python.layers.layers.*": "=layers.",
    "python.layers.base.*": "=layers.",
    "python.layers.core.*": "=layers.",
    "python.layers.convolutional.*": "=layers.",
    "python.layers.pooling.*": "=layers.",
    "python.layers.normalization.*": "=layers.",
}
