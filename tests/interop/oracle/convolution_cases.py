"""Convolution, pooling and batch normalization for a generated set of sizes, strides, dilations and paddings."""
import itertools

import numpy as np

from oracle.draw import Draw as D
from oracle.draw import real
from oracle.tensorflow1 import tf

FLOAT = [tf.float32]
# Without half: some TensorFlow kernels accumulate in half, which is too imprecise to compare.
NO_HALF = [tf.float32, tf.float64, tf.bfloat16]
i32 = np.int32


def images(sweep):
    """Windows of several sizes, in float."""
    height, width = 7, 8
    for (rows, columns), stride, dilation, padding in itertools.product(((1, 1), (3, 2), (4, 4)), (1, 2), (1, 2), ("SAME", "VALID")):
        if stride > 1 and dilation > 1:
            continue
        sweep("Conv2D", D(2, height, width, 3), D(rows, columns, 3, 4, salt=1), strides=[1, stride, stride, 1], padding=padding,
              dilations=[1, dilation, dilation, 1], only=FLOAT)
        if dilation == 1:
            sweep("DepthwiseConv2dNative", D(2, height, width, 3), D(rows, columns, 3, 2, salt=1), strides=[1, stride, stride, 1],
                  padding=padding, only=FLOAT)
            for op in ("MaxPool", "AvgPool"):
                sweep(op, D(2, height, width, 3), ksize=[1, rows, columns, 1], strides=[1, stride, stride, 1], padding=padding, only=FLOAT)


def many_channels(sweep):
    """Sizes for which Weir uses the Winograd algorithm, with typical filter values."""
    for size, padding in itertools.product((3, 5), ("SAME", "VALID")):
        sweep("Conv2D", D(9, 15, 18, 16), D(size, size, 16, 32, low=-0.2, high=0.2, salt=1), strides=[1, 1, 1, 1], padding=padding, only=FLOAT)


def types(sweep):
    sweep("Conv2D", D(2, 5, 4, 2), D(2, 3, 2, 3, salt=1), strides=[1, 1, 2, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0])
    sweep("Conv2D", D(2, 5, 4, 4), D(2, 3, 2, 6, salt=1), strides=[1, 1, 1, 1], padding="SAME", only=FLOAT, grad=False)
    sweep("Conv2DBackpropInput", i32([2, 5, 4, 2]), D(3, 3, 2, 3), D(2, 3, 2, 3, salt=1), strides=[1, 2, 2, 1], padding="SAME")
    sweep("Conv2DBackpropFilter", D(2, 5, 4, 2), i32([3, 3, 2, 3]), D(2, 3, 2, 3, salt=1), strides=[1, 2, 2, 1], padding="SAME")
    sweep("DepthwiseConv2dNative", D(2, 5, 4, 2), D(3, 2, 2, 2, salt=1), strides=[1, 2, 2, 1], padding="SAME")
    sweep("DepthwiseConv2dNativeBackpropInput", i32([2, 5, 4, 2]), D(3, 3, 2, 2), D(2, 3, 2, 4, salt=1), strides=[1, 2, 2, 1], padding="SAME")
    sweep("DepthwiseConv2dNativeBackpropFilter", D(2, 5, 4, 2), i32([3, 3, 2, 2]), D(2, 3, 2, 4, salt=1), strides=[1, 2, 2, 1], padding="SAME",
          only=NO_HALF)
    sweep("MaxPool", D(2, 5, 4, 3), ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1], padding="SAME")
    sweep("AvgPool", D(2, 5, 4, 3), ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1], padding="SAME")
    sweep("AvgPoolGrad", i32([2, 5, 4, 3]), D(2, 3, 4, 3), ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1], padding="SAME")
    sweep("MaxPoolWithArgmax", D(2, 5, 4, 3), ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1], padding="SAME")
    sweep("MaxPoolWithArgmax", D(2, 5, 4, 3), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID", include_batch_in_index=True, only=FLOAT)


def volumes(sweep):
    for stride, padding in itertools.product((1, 2), ("SAME", "VALID")):
        strides = [1, stride, 1, stride, 1]
        sweep("Conv3D", D(2, 4, 3, 5, 2), D(2, 3, 2, 2, 3, salt=1), strides=strides, padding=padding, only=NO_HALF)
        sweep("MaxPool3D", D(2, 4, 3, 5, 2), ksize=[1, 2, 3, 2, 1], strides=strides, padding=padding)
        sweep("AvgPool3D", D(2, 4, 3, 5, 2), ksize=[1, 2, 3, 2, 1], strides=strides, padding=padding)
    sweep("Conv3DBackpropInputV2", i32([2, 4, 3, 4, 2]), D(2, 3, 2, 2, 3), D(2, 2, 2, 2, 3, salt=1), strides=[1, 2, 2, 2, 1], padding="SAME", only=FLOAT)
    sweep("Conv3DBackpropFilterV2", D(2, 4, 3, 4, 2), i32([2, 3, 2, 2, 3]), D(2, 2, 2, 2, 3, salt=1), strides=[1, 2, 2, 2, 1], padding="SAME", only=FLOAT)
    sweep("AvgPool3DGrad", i32([2, 4, 3, 4, 2]), D(2, 2, 2, 2, 2), ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="SAME", only=FLOAT)


def gradients_of_pooling(case):
    windows = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 1, 1], padding="SAME")
    case("gradients of max pooling", lambda x, d: tf.gradients(tf.gradients(tf.nn.max_pool(x, **windows) * d, x)[0], d), [real(2, 5, 4, 3), real(2, 3, 4, 3)],
         grad=False)
    case("gradients of max pooling of volumes",
         lambda x, d: tf.gradients(tf.gradients(tf.nn.max_pool3d(x, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID") * d, x)[0], d),
         [real(1, 4, 4, 2, 2), real(1, 2, 2, 1, 2)], grad=False)


def normalization(sweep, case):
    none = np.zeros(0, np.float32)
    scale, offset = D(3, low=0.5, high=2).array(np.float32), D(3).array(np.float32)
    for op in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
        sweep(op, D(4, 3, 2, 3), scale, offset, none, none, epsilon=0.01, only=NO_HALF)
    case("batch normalization of a trained model",
         lambda x, s, o, m, v: tf.nn.fused_batch_norm(x, s, o, m, v, epsilon=0.01, is_training=False)[0],
         [real(4, 3, 2, 3), scale, offset, real(3), real(3, low=0.5, high=2.0)])


def functions(case):
    case("conv1d", lambda x, w: tf.nn.conv1d(x, w, 2, "SAME"), [real(2, 7, 3), real(3, 3, 4)])
    case("conv2d_transpose", lambda x, w: tf.nn.conv2d_transpose(x, w, [2, 7, 6, 4], [1, 2, 2, 1], "SAME"), [real(2, 4, 3, 3), real(3, 2, 4, 3)])
    case("conv3d_transpose", lambda x, w: tf.nn.conv3d_transpose(x, w, [1, 4, 4, 3, 2], [1, 2, 2, 2, 1], "SAME"),
         [real(1, 2, 2, 2, 3), real(2, 2, 2, 2, 3)])
    case("separable_conv2d", lambda x, w, p: tf.nn.separable_conv2d(x, w, p, [1, 1, 1, 1], "SAME"), [real(2, 5, 4, 3), real(3, 3, 3, 2), real(1, 1, 6, 4)])


def make(recorder):
    for group in (images, many_channels, types, volumes):
        group(recorder.sweep)
    gradients_of_pooling(recorder.case)
    normalization(recorder.sweep, recorder.case)
    functions(recorder.case)
