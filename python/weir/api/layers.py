"""tf.layers and tf.contrib.layers."""

_CLASSES = ["Layer", "Dense", "Conv1D", "Conv2D", "Conv3D", "SeparableConv2D", "Conv2DTranspose", "Conv3DTranspose", "MaxPooling1D", "MaxPooling2D",
            "MaxPooling3D", "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "Flatten", "Dropout", "BatchNormalization", "InputSpec"]
_FUNCTIONS = ["dense", "conv1d", "conv2d", "conv3d", "separable_conv2d", "conv2d_transpose", "conv3d_transpose", "max_pooling1d", "max_pooling2d",
              "max_pooling3d", "average_pooling1d", "average_pooling2d", "average_pooling3d", "flatten", "dropout", "batch_normalization"]

_CONTRIB = ["l1_regularizer", "l2_regularizer", "l1_l2_regularizer", "sum_regularizer", "apply_regularization", "fully_connected", "convolution",
            "convolution2d", "conv2d", "convolution2d_transpose", "conv2d_transpose", "max_pool2d", "avg_pool2d", "flatten", "dropout", "batch_norm",
            "one_hot_encoding"]

NAMES = {
    **{f"layers.{name}": f"weir.lib.layers:{name}" for name in _CLASSES + _FUNCTIONS},
    **{f"contrib.layers.{name}": f"weir.lib.contrib_layers:{name}" for name in _CONTRIB},
    "python.layers.layers.*": "=layers.",
    "python.layers.base.*": "=layers.",
    "python.layers.core.*": "=layers.",
    "python.layers.convolutional.*": "=layers.",
    "python.layers.pooling.*": "=layers.",
    "python.layers.normalization.*": "=layers.",
}
