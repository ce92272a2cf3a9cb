"""contrib.slim.nets: variables, end points and collections of every network, and outputs with the same weights."""
import importlib

import numpy as np

from both.answers import slim

CASES = {}
IMAGES = np.random.RandomState(3).rand(1, 139, 139, 3).astype(np.float32)


def module(tf, name):
    """Returns a module of slim's networks."""
    slim(tf)
    return importlib.import_module(f"weir.contrib.slim.nets.{name}" if tf.__name__ == "weir" else f"tf_slim.nets.{name}")


# name: module, arg_scope, size of the images
NETS = {
    "alexnet_v2": ("alexnet", "alexnet_v2_arg_scope", 224),
    "overfeat": ("overfeat", "overfeat_arg_scope", 231),
    **{name: ("vgg", "vgg_arg_scope", 224) for name in ("vgg_a", "vgg_16", "vgg_19")},
    **{name: (name[:9], "resnet_arg_scope", 224) for name in ("resnet_v1_50", "resnet_v2_50")},
    "inception_v1": ("inception_v1", "inception_v1_arg_scope", 224),
    "inception_v2": ("inception_v2", "inception_v2_arg_scope", 224),
    "inception_v3": ("inception_v3", "inception_v3_arg_scope", 299),
}


def build(tf, name, size=None, images=None, scope_arguments=None, **arguments):
    """Returns the logits and end points of a network with its arg_scope."""
    file, scope, default_size = NETS[name]
    size = size or default_size
    images = tf.placeholder(tf.float32, [2, size, size, 3], name="images") if images is None else images
    with slim(tf).arg_scope(getattr(module(tf, file), scope)(**(scope_arguments or {}))):
        return getattr(module(tf, file), name)(images, **{"num_classes": 7, **arguments})


def described(tf, logits, end_points):
    """Shapes of the results, all variables, and sizes of collections."""
    sizes = {key: len(tf.get_collection(key)) for key in ("trainable_variables", "model_variables", "regularization_losses", "update_ops",
                                                          "moving_vars")}
    return [logits.shape.as_list(), [[key, value.shape.as_list()] for key, value in end_points.items()],
            [[v.op.name, v.shape.as_list()] for v in tf.global_variables()], sizes]


def structure(name, **arguments):
    return lambda tf: described(tf, *build(tf, name, **arguments))


CASES.update({f"structure of {name}": structure(name) for name in NETS})
VARIANTS = {
    "vgg_a of larger images": dict(name="vgg_a", size=256, spatial_squeeze=False, is_training=False),
    "vgg_16 in another scope": dict(name="vgg_16", scope="mine", scope_arguments={"weight_decay": 0.1}),
    "alexnet_v2 without a scope": dict(name="alexnet_v2", scope=None),
    "resnet_v1_50 without pooling": dict(name="resnet_v1_50", num_classes=None, global_pool=False, is_training=False),
    "resnet_v1_50 with stride 8": dict(name="resnet_v1_50", output_stride=8, global_pool=False, size=65),
    "resnet_v2_50 with stride 4": dict(name="resnet_v2_50", output_stride=4, scope="mine"),
    "resnet_v1_50 with stride 6": dict(name="resnet_v1_50", output_stride=6),
    "resnet_v2_50 with other defaults": dict(name="resnet_v2_50", scope_arguments={"batch_norm_scale": False, "weight_decay": 0.1}),
    "inception_v1 without normalization": dict(name="inception_v1", scope_arguments={"use_batch_norm": False}),
    "inception_v2 of half the depth": dict(name="inception_v2", depth_multiplier=0.5, min_depth=40, scope="mine"),
    "inception_v2 of no depth": dict(name="inception_v2", depth_multiplier=0),
    "inception_v3 of small images": dict(name="inception_v3", size=171, spatial_squeeze=False),
    "inception_v3 of no depth": dict(name="inception_v3", depth_multiplier=-1.0),
    "inception_v3 without auxiliary logits": dict(name="inception_v3", create_aux_logits=False, is_training=False,
                                                  scope_arguments={"batch_norm_var_collection": "mine", "use_fused_batchnorm": None}),
}
CASES.update({name: structure(**arguments) for name, arguments in VARIANTS.items()})
# --- parts of networks ---
BASES = {
    "inception_v1": ["Conv2d_1a_7x7", "Mixed_3c", "MaxPool_5a_2x2", "nothing"],
    "inception_v2": ["Conv2d_1a_7x7", "Mixed_4a"],
    "inception_v3": ["Conv2d_2b_3x3", "Mixed_6a"],
}


def base(name, end_point):
    def compute(tf):
        images = tf.placeholder(tf.float32, [2, 224, 224, 3])
        return described(tf, *getattr(module(tf, "inception"), f"{name}_base")(images, final_endpoint=end_point))
    return compute


CASES.update({f"{name} up to {end_point}": base(name, end_point) for name, ends in BASES.items() for end_point in ends})


def own_blocks(version, **arguments):
    """A network of two blocks with a unit of its own."""
    def compute(tf):
        net, utils = module(tf, f"resnet_v{version}"), module(tf, "resnet_utils")
        blocks = [getattr(net, f"resnet_v{version}_block")("first", base_depth=4, num_units=2, stride=2),
                  utils.Block("second", net.bottleneck, [{"depth": 16, "depth_bottleneck": 4, "stride": 2}, {"depth": 20, "depth_bottleneck": 4,
                                                                                                        "stride": 1}])]
        with slim(tf).arg_scope(utils.resnet_arg_scope()):
            found = getattr(net, f"resnet_v{version}")(tf.constant(IMAGES[:, :33, :33]), blocks, num_classes=3, is_training=False, **arguments)
        return [described(tf, *found), computed(tf, list(found[1].values())[-6:])]
    return compute


# --- outputs with the same weights ---
def computed(tf, tensors):
    """Evaluates tensors with weights that both libraries compute alike: sines, scaled so that activations keep their size."""
    with tf.Session() as sess:
        variables, weights = tf.global_variables(), {}
        for i, v in enumerate(variables):
            shape = v.shape.as_list()
            values = np.sin(np.arange(np.prod(shape)) * 0.7 + i).reshape(shape)
            if v.op.name.endswith(("gamma", "variance")):
                values = 1 + 0.3 * values
            elif len(shape) == 4:
                values /= np.sqrt(np.prod(shape[:3]) / 4)
            weights[v.initializer.inputs[1]] = values
        sess.run([v.initializer for v in variables], weights)
        return [[np.mean(value), np.std(value), value.reshape(-1)[:20]] for value in sess.run(tensors)]


def outputs(name, size, end_points, **arguments):
    def compute(tf):
        images = tf.constant(IMAGES[:, :size, :size])
        logits, found = build(tf, name, images=images, is_training=False, **arguments)
        return [described(tf, logits, found), computed(tf, [found[end_point] for end_point in end_points])]
    return compute


CASES.update({
    "outputs of resnet_v1_50": outputs("resnet_v1_50", 65, ["resnet_v1_50/block1", "resnet_v1_50/block4", "predictions"]),
    "outputs of resnet_v2_50 with stride 8": outputs("resnet_v2_50", 65, ["resnet_v2_50/block4", "predictions"], output_stride=8, global_pool=False),
    "outputs of inception_v2": outputs("inception_v2", 96, ["Conv2d_1a_7x7", "Mixed_3c", "Mixed_5c", "Predictions"], depth_multiplier=0.5),
    "outputs of inception_v3": outputs("inception_v3", 139, ["Mixed_5d", "Mixed_6a", "Mixed_7c", "AuxLogits", "Predictions"], depth_multiplier=0.5),
    **{f"blocks of version {version}": own_blocks(version) for version in (1, 2)},
    "blocks with a stride that is too large": own_blocks(1, output_stride=64),
    "blocks with a stride and without the first layers": own_blocks(1, output_stride=2, include_root_block=False, global_pool=False),
})
