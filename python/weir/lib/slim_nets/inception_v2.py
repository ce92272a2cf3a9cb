"""Inception version 2: S. Ioffe and C. Szegedy, Batch normalization: accelerating deep network training by reducing internal covariate shift,
2015."""
from weir import _weir
from weir.lib.contrib_layers import avg_pool2d, dropout, separable_conv2d, softmax
from weir.lib.initializers import TruncatedNormal
from weir.lib.slim_nets.inception_layers import (Conv, Mixed, Pool, at_most, base, inception_arg_scope, is_training_scope, logits_of, scaled)


class _FirstConv:
    """A separable convolution of 7x7, with a filter for each of the three colors."""
    scope = "Conv2d_1a_7x7"

    def __call__(self, net, depth):
        outputs = depth(64)
        return separable_conv2d(net, outputs, [7, 7], depth_multiplier=min(outputs // 3, 8), stride=2, padding="SAME",
                                weights_initializer=TruncatedNormal(stddev=1.0), scope=self.scope)


def _narrow(outputs, stddev=0.09):
    return Conv("Conv2d_0a_1x1", outputs, stddev=stddev)


def _mixed(scope, direct, single, double, pooled, pool="AvgPool_0a_3x3"):
    """`single` and `double` are the outputs of a 1x1 convolution and of the one or two 3x3 convolutions after it."""
    return Mixed(scope, [[Conv("Conv2d_0a_1x1", direct)],
                         [_narrow(single[0]), Conv("Conv2d_0b_3x3", single[1])],
                         [_narrow(double[0]), Conv("Conv2d_0b_3x3", double[1]), Conv("Conv2d_0c_3x3", double[1])],
                         [Pool(pool), Conv("Conv2d_0b_1x1", pooled, stddev=0.1)]])


def _halved(scope, single, double):
    """Like _mixed, but halves the size of the image."""
    return Mixed(scope, [[_narrow(single[0]), Conv("Conv2d_1a_3x3", single[1], stride=2)],
                         [_narrow(double[0]), Conv("Conv2d_0b_3x3", double[1]), Conv("Conv2d_1a_3x3", double[1], stride=2)],
                         [Pool("MaxPool_1a_3x3", stride=2)]])


_LAYERS = [
    _FirstConv(), Pool("MaxPool_2a_3x3", stride=2), Conv("Conv2d_2b_1x1", 64, stddev=0.1), Conv("Conv2d_2c_3x3", 192),
    Pool("MaxPool_3a_3x3", stride=2),
    _mixed("Mixed_3b", 64, (64, 64), (64, 96), 32),
    _mixed("Mixed_3c", 64, (64, 96), (64, 96), 64),
    _halved("Mixed_4a", (128, 160), (64, 96)),
    _mixed("Mixed_4b", 224, (64, 96), (96, 128), 128),
    _mixed("Mixed_4c", 192, (96, 128), (96, 128), 128),
    _mixed("Mixed_4d", 160, (128, 160), (128, 160), 96),
    _mixed("Mixed_4e", 96, (128, 192), (160, 192), 96),
    _halved("Mixed_5a", (128, 192), (192, 256)),
    _mixed("Mixed_5b", 352, (192, 320), (160, 224), 128),
    _mixed("Mixed_5c", 352, (192, 320), (192, 224), 128, pool="MaxPool_0a_3x3"),
]


def inception_v2_arg_scope(weight_decay=0.00004, batch_norm_var_collection="moving_vars"):
    return inception_arg_scope(weight_decay, batch_norm_var_collection)


def inception_v2_base(inputs, final_endpoint="Mixed_5c", min_depth=16, depth_multiplier=1.0, scope=None):
    return base(inputs, _LAYERS, final_endpoint, scope, "InceptionV2", scaled(depth_multiplier, min_depth))


def inception_v2(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8, min_depth=16, depth_multiplier=1.0, prediction_fn=softmax,
                 spatial_squeeze=True, reuse=None, scope="InceptionV2"):
    with _weir.variable_scope(scope, "InceptionV2", reuse=reuse) as opened, is_training_scope(is_training):
        net, end_points = inception_v2_base(inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=opened)
        with _weir.variable_scope("Logits"):
            kernel = at_most(net, 7)
            net = avg_pool2d(net, kernel, padding="VALID", scope="AvgPool_1a_{}x{}".format(*kernel))
            net = dropout(net, dropout_keep_prob, scope="Dropout_1b")
            logits = logits_of(net, num_classes, "Conv2d_1c_1x1", spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, end_points


inception_v2.default_image_size = 224  # type: ignore[attr-defined]
