"""Layers that Inception networks are described with, and what their versions share.

A network is a list of layers. A layer is called with its inputs and with a function that scales a number of outputs. Its scope is the name of
its end point.
"""
import dataclasses
import re

from weir import _weir
from weir._names import find as _find
from weir.lib.arg_scope import arg_scope
from weir.lib.contrib_layers import avg_pool2d, batch_norm, conv2d, dropout, fully_connected, l2_regularizer, max_pool2d
from weir.lib.initializers import TruncatedNormal, variance_scaling_initializer


@dataclasses.dataclass
class Conv:
    """A convolution. Its kernel is in its name: Conv2d_0b_1x7, if not given."""
    scope: str
    outputs: int
    stride: int = 1
    padding: str = "SAME"
    kernel: list | None = None
    stddev: float | None = None  # of the initial weights; None means the initializer of the arg_scope

    def __call__(self, net, depth):
        kernel = self.kernel or [int(size) for size in re.search(r"(\d)x(\d)$", self.scope).groups()]
        initial = {} if self.stddev is None else {"weights_initializer": TruncatedNormal(stddev=self.stddev)}
        return conv2d(net, depth(self.outputs), kernel, stride=self.stride, padding=self.padding, scope=self.scope, **initial)


@dataclasses.dataclass
class Pool:
    """A pooling. Its kind and kernel are in its name: AvgPool_0a_3x3."""
    scope: str
    stride: int = 1
    padding: str = "SAME"

    def __call__(self, net, depth):
        size = int(self.scope[-1])
        kind = avg_pool2d if self.scope.startswith("Avg") else max_pool2d
        return kind(net, [size, size], stride=self.stride, padding=self.padding, scope=self.scope)


@dataclasses.dataclass
class Split:
    """Layers with the same inputs, whose outputs are concatenated."""
    layers: list

    def __call__(self, net, depth):
        return _weir.concat([layer(net, depth) for layer in self.layers], 3)


@dataclasses.dataclass
class Mixed:
    """Branches, each of them a list of layers, whose outputs are concatenated."""
    scope: str
    branches: list

    def __call__(self, net, depth):
        outputs = []
        with _weir.variable_scope(self.scope):
            for i, branch in enumerate(self.branches):
                with _weir.variable_scope(f"Branch_{i}"):
                    y = net
                    for layer in branch:
                        y = layer(y, depth)
                    outputs.append(y)
            return _weir.concat(outputs, 3)


def base(inputs, layers, final_endpoint, scope, default_scope, depth):
    """Applies layers up to the end point; returns its output and the end points so far. `depth` scales numbers of outputs."""
    end_points = {}
    with _weir.variable_scope(scope, default_scope):
        net = inputs
        for layer in layers:
            net = end_points[layer.scope] = layer(net, depth)
            if layer.scope == final_endpoint:
                return net, end_points
    raise ValueError(f"Unknown final endpoint {final_endpoint}")


def scaled(depth_multiplier, min_depth):
    """Returns the function that scales a number of outputs."""
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda outputs: max(int(outputs * depth_multiplier), min_depth)


def at_most(net, size):
    """Returns the kernel size x size, or that of the whole image if it is smaller."""
    return [size if known is None else min(known, size) for known in net.shape.as_list()[1:3]]


def logits_of(net, num_classes, scope, spatial_squeeze, **more):
    """A convolution without normalization and activation; its output has the shape [batch, num_classes] if it is squeezed."""
    logits = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope=scope, **more)
    return _find("squeeze")(logits, [1, 2], name="SpatialSqueeze") if spatial_squeeze else logits


def is_training_scope(is_training):
    return arg_scope([batch_norm, dropout], is_training=is_training)


def inception_arg_scope(weight_decay, moving_averages, use_batch_norm=True, decay=0.9997, epsilon=0.001, updates="update_ops", **more):
    """Returns the defaults of the layers. `moving_averages` is the collection for the variables of batch_norm."""
    norm = {"decay": decay, "epsilon": epsilon, "updates_collections": updates, **more,
            "variables_collections": {"beta": None, "gamma": None, "moving_mean": [moving_averages], "moving_variance": [moving_averages]}}
    with arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)):
        with arg_scope([conv2d], weights_initializer=variance_scaling_initializer(), activation_fn=_find("nn.relu"),
                       normalizer_fn=batch_norm if use_batch_norm else None, normalizer_params=norm if use_batch_norm else {}) as scope:
            return scope
