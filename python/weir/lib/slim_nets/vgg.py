"""VGG: K. Simonyan and A. Zisserman, Very deep convolutional networks for large-scale image recognition, 2014."""
from weir.lib.slim_nets.layer_chain import classify, convs, layer_arg_scope, pool

_OUTPUTS = (64, 128, 256, 512, 512)  # of the convolutions before each pooling


def _network(name, counts):
    """Returns the function that builds a VGG with `counts` convolutions before each pooling."""
    layers = [layer for i, (count, outputs) in enumerate(zip(counts, _OUTPUTS), 1)
              for layer in (convs(f"conv{i}", count, outputs), pool(f"pool{i}", 2))]

    def build(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope=name):
        return classify(inputs, layers, (4096, [7, 7]), {}, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope, name)
    build.__name__ = build.__qualname__ = name
    build.default_image_size = 224  # type: ignore[attr-defined]
    return build


def vgg_arg_scope(weight_decay=0.0005):
    return layer_arg_scope(weight_decay)


vgg_a = _network("vgg_a", (1, 1, 2, 2, 2))
vgg_16 = vgg_d = _network("vgg_16", (2, 2, 3, 3, 3))
vgg_19 = vgg_e = _network("vgg_19", (2, 2, 4, 4, 4))
