"""AlexNet in its second version: A. Krizhevsky, One weird trick for parallelizing convolutional neural networks, 2014."""
from weir.lib.initializers import Constant, TruncatedNormal
from weir.lib.slim_nets.layer_chain import classify, conv, layer_arg_scope, pool

_LAYERS = [conv("conv1", 64, 11, stride=4, padding="VALID"), pool("pool1", 3), conv("conv2", 192, 5), pool("pool2", 3),
           conv("conv3", 384, 3), conv("conv4", 384, 3), conv("conv5", 256, 3), pool("pool5", 3)]


def alexnet_v2_arg_scope(weight_decay=0.0005):
    return layer_arg_scope(weight_decay, first_bias=0.1, padding="VALID")


def alexnet_v2(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope="alexnet_v2"):
    head = {"weights_initializer": TruncatedNormal(stddev=0.005), "biases_initializer": Constant(0.1)}
    return classify(inputs, _LAYERS, (4096, [5, 5]), head, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope, "alexnet_v2")


alexnet_v2.default_image_size = 224  # type: ignore[attr-defined]
