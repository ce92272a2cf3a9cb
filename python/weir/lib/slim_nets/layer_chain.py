"""Networks that are one chain of layers: AlexNet, VGG and OverFeat. Convolutions replace their three fully connected layers, so they accept
larger images than those that they are trained on."""
import functools

from weir import _weir
from weir._names import find as _find
from weir.lib.arg_scope import arg_scope
from weir.lib.contrib_layers import conv2d, dropout, fully_connected, l2_regularizer, max_pool2d, repeat
from weir.lib.initializers import Constant
from weir.lib.layer_utils import convert_collection_to_dict

_FC7_SIZE = 4096


def conv(scope, outputs, size, **more):
    return functools.partial(conv2d, num_outputs=outputs, kernel_size=[size, size], scope=scope, **more)


def convs(scope, count, outputs):
    """`count` convolutions of 3x3, in the scopes scope/scope_1, scope/scope_2, ..."""
    return lambda net: repeat(net, count, conv2d, outputs, [3, 3], scope=scope)


def pool(scope, size):
    return functools.partial(max_pool2d, kernel_size=[size, size], stride=2, scope=scope)


def layer_arg_scope(weight_decay, first_bias=0.0, **pooling):
    """Returns the defaults of the layers: ReLU, L2 regularization, and biases that start at `first_bias`. `pooling` are those of max_pool2d."""
    with arg_scope([conv2d, fully_connected], activation_fn=_find("nn.relu"), weights_regularizer=l2_regularizer(weight_decay),
                   biases_initializer=Constant(first_bias)):
        with arg_scope([conv2d], padding="SAME"), arg_scope([max_pool2d], **pooling) as scope:
            return scope


def classify(inputs, layers, fc6, head, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope, default_name):
    """Returns the logits and the end points. `fc6` is the number of outputs and the kernel of the first convolution after `layers`; `head` are
    arguments of the last three convolutions."""
    with _weir.variable_scope(scope, default_name) as opened:
        collection = opened.original_name_scope + "_end_points"
        with arg_scope([conv2d, fully_connected, max_pool2d], outputs_collections=[collection]):
            net = inputs
            for layer in layers:
                net = layer(net)
            with arg_scope([conv2d], **head):
                net = conv2d(net, *fc6, padding="VALID", scope="fc6")
                net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
                net = conv2d(net, _FC7_SIZE, [1, 1], scope="fc7")
                net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
                net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, biases_initializer=Constant(0), scope="fc8")
        end_points = convert_collection_to_dict(collection)
        if spatial_squeeze:
            net = _find("squeeze")(net, [1, 2], name="fc8/squeezed")
            end_points[opened.name + "/fc8"] = net
        return net, end_points
