"""Residual networks: K. He et al., Deep residual learning for image recognition, 2015."""
from weir import _weir
from weir._names import find as _find
from weir.lib.arg_scope import add_arg_scope
from weir.lib.contrib_layers import conv2d
from weir.lib.layer_utils import collect_named_outputs, last_dimension
from weir.lib.slim_nets import resnet_blocks as resnet_utils  # programs use it by this name, too
from weir.lib.slim_nets.resnet_blocks import resnet_arg_scope


@add_arg_scope
def bottleneck(inputs, depth, depth_bottleneck, stride, rate=1, outputs_collections=None, scope=None):
    """A unit: 1x1, 3x3 and 1x1 convolutions beside a shortcut."""
    with _weir.variable_scope(scope, "bottleneck_v1") as opened:
        if last_dimension(inputs.shape, min_rank=4) == depth:
            shortcut = resnet_utils.subsample(inputs, stride, "shortcut")
        else:
            shortcut = conv2d(inputs, depth, [1, 1], stride=stride, activation_fn=None, scope="shortcut")
        residual = conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = resnet_utils.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = conv2d(residual, depth, [1, 1], stride=1, activation_fn=None, scope="conv3")
        return collect_named_outputs(outputs_collections, opened.name, _find("nn.relu")(shortcut + residual))


_VERSION = resnet_utils.Version("resnet_v1", bottleneck, {}, lambda net: net)


def resnet_v1(inputs, blocks, num_classes=None, is_training=True, global_pool=True, output_stride=None, include_root_block=True, reuse=None,
              scope=None):
    return _VERSION.build(inputs, blocks, num_classes, is_training, global_pool, output_stride, include_root_block, reuse, scope)


resnet_v1.default_image_size = 224  # type: ignore[attr-defined]


def resnet_v1_block(scope, base_depth, num_units, stride):
    return resnet_utils.make_block(bottleneck, scope, base_depth, num_units, stride)


resnet_v1_50 = _VERSION.network(50)
resnet_v1_101 = _VERSION.network(101)
resnet_v1_152 = _VERSION.network(152)
resnet_v1_200 = _VERSION.network(200)
