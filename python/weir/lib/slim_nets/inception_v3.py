"""Inception version 3: C. Szegedy et al., Rethinking the Inception architecture for computer vision, 2015."""
from weir import _weir
from weir.lib.contrib_layers import avg_pool2d, conv2d, dropout, softmax
from weir.lib.initializers import TruncatedNormal
from weir.lib.slim_nets.inception_layers import (Conv, Mixed, Pool, Split, at_most, base, inception_arg_scope, is_training_scope, logits_of,
                                                 scaled)

_POOL = Pool("AvgPool_0a_3x3")


def _mixed_35(scope, pooled, names=("Conv2d_0a_1x1", "Conv2d_0b_5x5")):
    """A module for 35x35 pixels. `names` are those of the convolutions in the second branch."""
    return Mixed(scope, [[Conv("Conv2d_0a_1x1", 64)],
                         [Conv(names[0], 48), Conv(names[1], 64)],
                         [Conv("Conv2d_0a_1x1", 64), Conv("Conv2d_0b_3x3", 96), Conv("Conv2d_0c_3x3", 96)],
                         [_POOL, Conv("Conv2d_0b_1x1", pooled)]])


def _mixed_17(scope, inner):
    """A module for 17x17 pixels. `inner` is the number of outputs between its 7x7 convolutions, which are pairs of 1x7 and 7x1."""
    return Mixed(scope, [[Conv("Conv2d_0a_1x1", 192)],
                         [Conv("Conv2d_0a_1x1", inner), Conv("Conv2d_0b_1x7", inner), Conv("Conv2d_0c_7x1", 192)],
                         [Conv("Conv2d_0a_1x1", inner), Conv("Conv2d_0b_7x1", inner), Conv("Conv2d_0c_1x7", inner),
                          Conv("Conv2d_0d_7x1", inner), Conv("Conv2d_0e_1x7", 192)],
                         [_POOL, Conv("Conv2d_0b_1x1", 192)]])


def _mixed_8(scope, name):
    """A module for 8x8 pixels. `name` is that of the 3x1 convolution in the second branch."""
    return Mixed(scope, [[Conv("Conv2d_0a_1x1", 320)],
                         [Conv("Conv2d_0a_1x1", 384), Split([Conv("Conv2d_0b_1x3", 384), Conv(name, 384)])],
                         [Conv("Conv2d_0a_1x1", 448), Conv("Conv2d_0b_3x3", 384),
                          Split([Conv("Conv2d_0c_1x3", 384), Conv("Conv2d_0d_3x1", 384)])],
                         [_POOL, Conv("Conv2d_0b_1x1", 192)]])


def _halving(scope, outputs, kernel=None):
    return Conv(scope, outputs, stride=2, padding="VALID", kernel=kernel)


_LAYERS = [
    _halving("Conv2d_1a_3x3", 32), Conv("Conv2d_2a_3x3", 32, padding="VALID"), Conv("Conv2d_2b_3x3", 64),
    Pool("MaxPool_3a_3x3", 2, "VALID"), Conv("Conv2d_3b_1x1", 80, padding="VALID"), Conv("Conv2d_4a_3x3", 192, padding="VALID"),
    Pool("MaxPool_5a_3x3", 2, "VALID"),
    _mixed_35("Mixed_5b", 32),
    _mixed_35("Mixed_5c", 64, names=("Conv2d_0b_1x1", "Conv_1_0c_5x5")),
    _mixed_35("Mixed_5d", 64),
    # The names of the halving convolutions say 1x1, as in published checkpoints.
    Mixed("Mixed_6a", [[_halving("Conv2d_1a_1x1", 384, kernel=[3, 3])],
                       [Conv("Conv2d_0a_1x1", 64), Conv("Conv2d_0b_3x3", 96), _halving("Conv2d_1a_1x1", 96, kernel=[3, 3])],
                       [Pool("MaxPool_1a_3x3", 2, "VALID")]]),
    _mixed_17("Mixed_6b", 128),
    _mixed_17("Mixed_6c", 160),
    _mixed_17("Mixed_6d", 160),
    _mixed_17("Mixed_6e", 192),
    Mixed("Mixed_7a", [[Conv("Conv2d_0a_1x1", 192), _halving("Conv2d_1a_3x3", 320)],
                       [Conv("Conv2d_0a_1x1", 192), Conv("Conv2d_0b_1x7", 192), Conv("Conv2d_0c_7x1", 192), _halving("Conv2d_1a_3x3", 192)],
                       [Pool("MaxPool_1a_3x3", 2, "VALID")]]),
    _mixed_8("Mixed_7b", "Conv2d_0b_3x1"),
    _mixed_8("Mixed_7c", "Conv2d_0c_3x1"),
]


def inception_v3_arg_scope(weight_decay=0.00004, batch_norm_var_collection="moving_vars", batch_norm_decay=0.9997, batch_norm_epsilon=0.001,
                           updates_collections="update_ops", use_fused_batchnorm=True):
    return inception_arg_scope(weight_decay, batch_norm_var_collection, decay=batch_norm_decay, epsilon=batch_norm_epsilon,
                               updates=updates_collections, fused=use_fused_batchnorm)


def inception_v3_base(inputs, final_endpoint="Mixed_7c", min_depth=16, depth_multiplier=1.0, scope=None):
    return base(inputs, _LAYERS, final_endpoint, scope, "InceptionV3", scaled(depth_multiplier, min_depth))


def _auxiliary_logits(net, num_classes, spatial_squeeze, depth):
    """A second classifier, of the 17x17 pixels, whose loss helps to train the first layers."""
    with _weir.variable_scope("AuxLogits"):
        net = avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
        net = Conv("Conv2d_1b_1x1", 128)(net, depth)
        kernel = at_most(net, 5)
        net = conv2d(net, depth(768), kernel, weights_initializer=TruncatedNormal(stddev=0.01), padding="VALID",
                     scope="Conv2d_2a_{}x{}".format(*kernel))
        return logits_of(net, num_classes, "Conv2d_2b_1x1", spatial_squeeze, weights_initializer=TruncatedNormal(stddev=0.001))


def inception_v3(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8, min_depth=16, depth_multiplier=1.0, prediction_fn=softmax,
                 spatial_squeeze=True, reuse=None, create_aux_logits=True, scope="InceptionV3"):
    depth = scaled(depth_multiplier, min_depth)
    with _weir.variable_scope(scope, "InceptionV3", reuse=reuse) as opened, is_training_scope(is_training):
        net, end_points = inception_v3_base(inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=opened)
        if create_aux_logits:
            end_points["AuxLogits"] = _auxiliary_logits(end_points["Mixed_6e"], num_classes, spatial_squeeze, depth)
        with _weir.variable_scope("Logits"):
            kernel = at_most(net, 8)
            net = avg_pool2d(net, kernel, padding="VALID", scope="AvgPool_1a_{}x{}".format(*kernel))
            net = dropout(net, dropout_keep_prob, scope="Dropout_1b")
            end_points["PreLogits"] = net
            logits = logits_of(net, num_classes, "Conv2d_1c_1x1", spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, end_points


inception_v3.default_image_size = 299  # type: ignore[attr-defined]
