"""OverFeat: P. Sermanet et al., OverFeat: integrated recognition, localization and detection using convolutional networks, 2014."""
from weir.lib.initializers import Constant, TruncatedNormal
from weir.lib.slim_nets.layer_chain import classify, conv, layer_arg_scope, pool

_LAYERS = [conv("conv1", 64, 11, stride=4, padding="VALID"), pool("pool1", 2), conv("conv2", 256, 5, padding="VALID"), pool("pool2", 2),
           conv("conv3", 512, 3), conv("conv4", 1024, 3), conv("conv5", 1024, 3), pool("pool5", 2)]


def overfeat_arg_scope(weight_decay=0.0005):
    return layer_arg_scope(weight_decay, padding="VALID")


def overfeat(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope="overfeat"):
    head = {"weights_initializer": TruncatedNormal(stddev=0.005), "biases_initializer": Constant(0.1)}
    return classify(inputs, _LAYERS, (3072, [6, 6]), head, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope, "overfeat")


overfeat.default_image_size = 231  # type: ignore[attr-defined]
