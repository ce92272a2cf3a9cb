"""slim's networks: they train, share variables and are found under their names. tests/interop/both/net_answers.py compares them with tf-slim."""
import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

import weir as tf
from evaluation import evaluate, random_values

slim, nets = tf.contrib.slim, tf.contrib.slim.nets


def test_modules_have_their_names():
    names = ["alexnet", "inception", "inception_v1", "inception_v2", "inception_v3", "overfeat", "resnet_utils", "resnet_v1", "resnet_v2", "vgg"]
    for name in names:
        inner = importlib.import_module(f"weir.contrib.slim.python.slim.nets.{name}")
        assert getattr(nets, name) is inner is importlib.import_module(f"weir.contrib.slim.nets.{name}")
    assert nets.inception.inception_v3 is nets.inception_v3.inception_v3 and nets.resnet_v1.resnet_utils is nets.resnet_utils
    assert nets.resnet_v2.resnet_arg_scope is nets.resnet_utils.resnet_arg_scope
    assert nets.vgg.vgg_d is nets.vgg.vgg_16 and nets.vgg.vgg_16.__name__ == "vgg_16" and nets.vgg.vgg_19.default_image_size == 224
    assert nets.inception.inception_v3.default_image_size == 299


def test_networks_are_imported_on_first_use():
    program = "import sys, weir; weir.contrib.slim.conv2d; assert not [m for m in sys.modules if m.startswith('weir.lib.slim_nets')]"
    package = os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))
    assert subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": package}).returncode == 0


def test_a_residual_network_trains():
    blocks = [nets.resnet_v2.resnet_v2_block("block1", base_depth=2, num_units=2, stride=2)]
    images, labels = random_values(8, 16, 16, 3), np.arange(8) % 2
    with slim.arg_scope(nets.resnet_v2.resnet_arg_scope()):
        logits, _ = nets.resnet_v2.resnet_v2(tf.constant(images), blocks, num_classes=2)
        assert tf.losses.get_regularization_losses()
        loss = tf.losses.sparse_softmax_cross_entropy(tf.constant(labels), tf.squeeze(logits, [1, 2]))
    step = slim.learning.create_train_op(loss, tf.train.MomentumOptimizer(0.05, 0.9))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run(loss)
        for _ in range(30):
            sess.run(step)
        assert sess.run(loss) < 0.5 * first


def test_a_network_is_built_again_with_the_same_variables():
    x = tf.placeholder(tf.float32, [None, None, None, 3])
    with slim.arg_scope(nets.inception.inception_v1_arg_scope()):
        nets.inception.inception_v1(x, num_classes=3)
        count = len(tf.global_variables())
        logits, _ = nets.inception.inception_v1(x, num_classes=3, is_training=False, reuse=True, spatial_squeeze=False)
    assert len(tf.global_variables()) == count and logits.shape.as_list() == [None, None, None, 3]


@pytest.mark.parametrize("version", [1, 2])
def test_deep_networks_have_the_published_number_of_layers(version):
    module = getattr(nets, f"resnet_v{version}")
    for layers in (50, 101, 152, 200):
        with tf.Graph().as_default():
            getattr(module, f"resnet_v{version}_{layers}")(tf.zeros([1, 32, 32, 3]), 2)
            weights = [v.op.name for v in tf.global_variables() if v.op.name.endswith("/weights") and "shortcut" not in v.op.name]
            assert len(weights) == layers and weights[0] == f"resnet_v{version}_{layers}/conv1/weights"


@pytest.mark.parametrize("build, name, stddev", [
    (lambda x: nets.alexnet.alexnet_v2(x, spatial_squeeze=False), "alexnet_v2/fc8/weights", 0.005),
    (lambda x: nets.inception.inception_v1_base(x, "Conv2d_2c_3x3"), "InceptionV1/Conv2d_2c_3x3/weights", 0.01),
    (lambda x: nets.inception.inception_v2_base(x, "Mixed_3c"), "InceptionV2/Mixed_3c/Branch_1/Conv2d_0a_1x1/weights", 0.09),
    (lambda x: nets.inception.inception_v3(x), "InceptionV3/AuxLogits/Conv2d_2b_1x1/weights", 0.001),
])
def test_initial_weights(build, name, stddev):
    build(tf.zeros([1, 299, 299, 3]))
    [weights] = [v for v in tf.global_variables() if v.op.name == name]
    with tf.Session() as sess:
        sess.run(weights.initializer)
        # A normal distribution that is cut off at two standard deviations has 0.88 of the deviation.
        np.testing.assert_allclose(sess.run(weights).std(), 0.88 * stddev, rtol=0.05)


def test_first_biases():
    with slim.arg_scope(nets.alexnet.alexnet_v2_arg_scope()):
        nets.alexnet.alexnet_v2(tf.zeros([1, 224, 224, 3]), 3)
    biases = {v.op.name.split("/")[1]: v for v in tf.global_variables() if v.op.name.endswith("biases")}
    with tf.Session() as sess:
        sess.run([v.initializer for v in biases.values()])
        assert {name: round(float(value.mean()), 3) for name, value in sess.run(biases).items()} == {
            **{name: 0.1 for name in ("conv1", "conv2", "conv3", "conv4", "conv5", "fc6", "fc7")}, "fc8": 0.0}


def test_kernels_are_dilated_instead_of_strides():
    """A network without strides, subsampled, has the outputs of the network with strides."""
    x = tf.constant(random_values(1, 9, 9, 4))
    blocks = [nets.resnet_v1.resnet_v1_block("a", base_depth=1, num_units=2, stride=2),
              nets.resnet_v1.resnet_v1_block("b", base_depth=2, num_units=2, stride=1)]
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        strided = nets.resnet_utils.stack_blocks_dense(x, blocks)
        dense = nets.resnet_utils.stack_blocks_dense(x, blocks, output_stride=1)
    strided, dense = evaluate([strided, nets.resnet_utils.subsample(dense, 2)])
    np.testing.assert_allclose(strided, dense, rtol=1e-5, atol=1e-6)


def test_convolutions_with_a_stride_depend_only_on_their_padding():
    x = tf.constant(random_values(1, 8, 8, 2))
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        strided = nets.resnet_utils.conv2d_same(x, 3, 3, stride=2, scope="conv")
        dense = nets.resnet_utils.conv2d_same(x, 3, 3, stride=1, scope="conv")
    strided, dense = evaluate([strided, nets.resnet_utils.subsample(dense, 2)])
    np.testing.assert_allclose(strided, dense, rtol=1e-5, atol=1e-6)
