"""Residual networks that normalize before each convolution: K. He et al., Identity mappings in deep residual networks, 2016."""
from weir import _weir
from weir._names import find as _find
from weir.lib.arg_scope import add_arg_scope
from weir.lib.contrib_layers import batch_norm, conv2d
from weir.lib.layer_utils import collect_named_outputs, last_dimension
from weir.lib.slim_nets import resnet_blocks as resnet_utils  # programs use it by this name, too
from weir.lib.slim_nets.resnet_blocks import resnet_arg_scope

_PLAIN = {"activation_fn": None, "normalizer_fn": None}


@add_arg_scope
def bottleneck(inputs, depth, depth_bottleneck, stride, rate=1, outputs_collections=None, scope=None):
    """A unit: 1x1, 3x3 and 1x1 convolutions of the normalized inputs, beside a shortcut."""
    with _weir.variable_scope(scope, "bottleneck_v2") as opened:
        preact = batch_norm(inputs, activation_fn=_find("nn.relu"), scope="preact")
        if last_dimension(inputs.shape, min_rank=4) == depth:
            shortcut = resnet_utils.subsample(inputs, stride, "shortcut")
        else:
            shortcut = conv2d(preact, depth, [1, 1], stride=stride, scope="shortcut", **_PLAIN)
        residual = conv2d(preact, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = resnet_utils.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = conv2d(residual, depth, [1, 1], stride=1, scope="conv3", **_PLAIN)
        return collect_named_outputs(outputs_collections, opened.name, shortcut + residual)


_VERSION = resnet_utils.Version("resnet_v2", bottleneck, _PLAIN, lambda net: batch_norm(net, activation_fn=_find("nn.relu"), scope="postnorm"))


def resnet_v2(inputs, blocks, num_classes=None, is_training=True, global_pool=True, output_stride=None, include_root_block=True, reuse=None,
              scope=None):
    return _VERSION.build(inputs, blocks, num_classes, is_training, global_pool, output_stride, include_root_block, reuse, scope)


resnet_v2.default_image_size = 224  # type: ignore[attr-defined]


def resnet_v2_block(scope, base_depth, num_units, stride):
    return resnet_utils.make_block(bottleneck, scope, base_depth, num_units, stride)


resnet_v2_50 = _VERSION.network(50)
resnet_v2_101 = _VERSION.network(101)
resnet_v2_152 = _VERSION.network(152)
resnet_v2_200 = _VERSION.network(200)
