"""Residual networks are blocks of units: what versions 1 and 2 share, with TensorFlow's names of contrib.slim.nets.resnet_utils.

A block whose stride would exceed the requested output stride is computed with stride 1, and the kernels after it are dilated instead.
"""
import collections
import functools

from weir import _weir
from weir._names import find as _find
from weir.lib.arg_scope import add_arg_scope, arg_scope
from weir.lib.contrib_layers import batch_norm, conv2d, l2_regularizer, max_pool2d, softmax
from weir.lib.initializers import variance_scaling_initializer
from weir.lib.layer_utils import collect_named_outputs, convert_collection_to_dict

Block = collections.namedtuple("Block", ["scope", "unit_fn", "args"])
# units of the four blocks, by the depth of the network
_UNITS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}


def subsample(inputs, factor, scope=None):
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(inputs, num_outputs, kernel_size, stride, rate=1, scope=None):
    """A convolution with "SAME" padding. With a stride, the padding does not depend on the size of the inputs."""
    if stride == 1:
        return conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope)
    padding = (kernel_size - 1) * rate
    before, after = padding // 2, padding - padding // 2
    padded = _find("pad")(inputs, [[0, 0], [before, after], [before, after], [0, 0]])
    return conv2d(padded, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope)


@add_arg_scope
def stack_blocks_dense(net, blocks, output_stride=None, outputs_collections=None):
    stride, rate = 1, 1  # of what is built so far; the rate replaces strides beyond output_stride
    for block in blocks:
        with _weir.variable_scope(block.scope, "block") as scope:
            for i, unit in enumerate(block.args, 1):
                if output_stride is not None and stride > output_stride:
                    raise ValueError("The target output_stride cannot be reached.")
                with _weir.variable_scope(f"unit_{i}"):
                    if output_stride is not None and stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= unit.get("stride", 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        stride *= unit.get("stride", 1)
            net = collect_named_outputs(outputs_collections, scope.name, net)
    if output_stride is not None and stride != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def resnet_arg_scope(weight_decay=0.0001, batch_norm_decay=0.997, batch_norm_epsilon=1e-5, batch_norm_scale=True):
    norm = {"decay": batch_norm_decay, "epsilon": batch_norm_epsilon, "scale": batch_norm_scale, "updates_collections": "update_ops"}
    with arg_scope([conv2d], weights_regularizer=l2_regularizer(weight_decay), weights_initializer=variance_scaling_initializer(),
                   activation_fn=_find("nn.relu"), normalizer_fn=batch_norm, normalizer_params=norm):
        with arg_scope([batch_norm], **norm), arg_scope([max_pool2d], padding="SAME") as scope:
            return scope


def make_block(unit_fn, scope, base_depth, num_units, stride):
    """A block of bottleneck units. The last unit has the stride."""
    unit = {"depth": base_depth * 4, "depth_bottleneck": base_depth, "stride": 1}
    return Block(scope, unit_fn, [dict(unit) for _ in range(num_units - 1)] + [{**unit, "stride": stride}])


class Version(collections.namedtuple("Version", ["name", "unit_fn", "root", "ending"])):
    """One version of the architecture: its units, arguments of the first convolution, and the function after the last block."""

    def build(self, inputs, blocks, num_classes=None, is_training=True, global_pool=True, output_stride=None, include_root_block=True, reuse=None,
              scope=None):
        with _weir.variable_scope(scope, self.name, reuse=reuse) as opened:
            collection = opened.original_name_scope + "_end_points"
            with (arg_scope([conv2d, self.unit_fn, stack_blocks_dense], outputs_collections=collection),
                  arg_scope([batch_norm], is_training=is_training)):
                net = inputs
                if include_root_block:
                    if output_stride is not None:
                        if output_stride % 4 != 0:
                            raise ValueError("The output_stride needs to be a multiple of 4.")
                        output_stride //= 4
                    with arg_scope([conv2d], **self.root):
                        net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
                    net = max_pool2d(net, [3, 3], stride=2, scope="pool1")
                net = self.ending(stack_blocks_dense(net, blocks, output_stride))
                if global_pool:
                    net = _find("reduce_mean")(net, [1, 2], name="pool5", keepdims=True)
                if num_classes is not None:
                    net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits")
                end_points = convert_collection_to_dict(collection)
                if num_classes is not None:
                    end_points["predictions"] = softmax(net, scope="predictions")
                return net, end_points

    def network(self, layers):
        """Returns the function that builds the published network of so many layers."""
        name = f"{self.name}_{layers}"

        def build(inputs, num_classes=None, is_training=True, global_pool=True, output_stride=None, reuse=None, scope=name):
            blocks = [make_block(self.unit_fn, f"block{i + 1}", 64 << i, count, stride=1 if i == 3 else 2)
                      for i, count in enumerate(_UNITS[layers])]
            return self.build(inputs, blocks, num_classes, is_training, global_pool, output_stride, True, reuse, scope)
        build.__name__ = build.__qualname__ = name
        build.default_image_size = 224  # type: ignore[attr-defined]
        return build
