"""Inception version 1: C. Szegedy et al., Going deeper with convolutions, 2014."""
from weir import _weir
from weir.lib.arg_scope import arg_scope
from weir.lib.contrib_layers import avg_pool2d, conv2d, dropout, fully_connected, softmax
from weir.lib.initializers import TruncatedNormal
from weir.lib.slim_nets.inception_layers import Conv, Mixed, Pool, base, inception_arg_scope, is_training_scope, logits_of


def _mixed(scope, direct, narrow, wide, pooled, last="Conv2d_0b_3x3"):
    """`narrow` and `wide` are the outputs of a 1x1 and of a 3x3 convolution; `last` is the name of the latter in the wide branch."""
    return Mixed(scope, [[Conv("Conv2d_0a_1x1", direct)],
                         [Conv("Conv2d_0a_1x1", narrow[0]), Conv("Conv2d_0b_3x3", narrow[1])],
                         [Conv("Conv2d_0a_1x1", wide[0]), Conv(last, wide[1])],
                         [Pool("MaxPool_0a_3x3"), Conv("Conv2d_0b_1x1", pooled)]])


_LAYERS = [
    Conv("Conv2d_1a_7x7", 64, stride=2), Pool("MaxPool_2a_3x3", stride=2), Conv("Conv2d_2b_1x1", 64), Conv("Conv2d_2c_3x3", 192),
    Pool("MaxPool_3a_3x3", stride=2),
    _mixed("Mixed_3b", 64, (96, 128), (16, 32), 32),
    _mixed("Mixed_3c", 128, (128, 192), (32, 96), 64),
    Pool("MaxPool_4a_3x3", stride=2),
    _mixed("Mixed_4b", 192, (96, 208), (16, 48), 64),
    _mixed("Mixed_4c", 160, (112, 224), (24, 64), 64),
    _mixed("Mixed_4d", 128, (128, 256), (24, 64), 64),
    _mixed("Mixed_4e", 112, (144, 288), (32, 64), 64),
    _mixed("Mixed_4f", 256, (160, 320), (32, 128), 128),
    Pool("MaxPool_5a_2x2", stride=2),
    _mixed("Mixed_5b", 256, (160, 320), (32, 128), 128, last="Conv2d_0a_3x3"),
    _mixed("Mixed_5c", 384, (192, 384), (48, 128), 128),
]


def inception_v1_arg_scope(weight_decay=0.00004, use_batch_norm=True, batch_norm_var_collection="moving_vars"):
    return inception_arg_scope(weight_decay, batch_norm_var_collection, use_batch_norm)


def inception_v1_base(inputs, final_endpoint="Mixed_5c", scope="InceptionV1"):
    with arg_scope([conv2d, fully_connected], weights_initializer=TruncatedNormal(stddev=0.01)):
        return base(inputs, _LAYERS, final_endpoint, scope, "InceptionV1", depth=lambda outputs: outputs)


def inception_v1(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8, prediction_fn=softmax, spatial_squeeze=True, reuse=None,
                 scope="InceptionV1"):
    with _weir.variable_scope(scope, "InceptionV1", reuse=reuse) as opened, is_training_scope(is_training):
        net, end_points = inception_v1_base(inputs, scope=opened)
        with _weir.variable_scope("Logits"):
            net = avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
            net = dropout(net, dropout_keep_prob, scope="Dropout_0b")
            logits = logits_of(net, num_classes, "Conv2d_0c_1x1", spatial_squeeze)
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits, end_points


inception_v1.default_image_size = 224  # type: ignore[attr-defined]
