"""Functions that are compositions of others, and public names of tests and files."""
import os
import tempfile

import numpy as np

from both.answers import evaluate

CASES = {}


def case(function):
    CASES[function.__name__.replace("_", " ")] = function
    return function


def image(tf, dtype=np.uint8):
    values = np.arange(8 * 9 * 3).reshape(8, 9, 3) % 251
    return tf.constant(values.astype(dtype) if dtype == np.uint8 else (values / 255).astype(dtype))


@case
def gradients_of_images(tf):
    dy, dx = tf.image.image_gradients(tf.constant(np.arange(48).reshape(2, 4, 3, 2).astype(np.float32) ** 2))
    return [evaluate(tf, [dy, dx]), dy.shape.as_list(), dx.shape.as_list()]


@case
def gradients_of_an_image_of_unknown_shape(tf):
    x = tf.placeholder(tf.float32)
    return evaluate(tf, tf.image.image_gradients(x), {x: np.arange(8).reshape(1, 2, 2, 2)})


@case
def gradients_of_an_image_without_a_batch(tf):
    return tf.image.image_gradients(tf.zeros([4, 3, 1]))


@case
def jpeg_quality(tf):
    low, high = tf.image.adjust_jpeg_quality(image(tf), 20), tf.image.adjust_jpeg_quality(image(tf), 95)
    error = [abs(value.astype(int) - (np.arange(216).reshape(8, 9, 3) % 251)).mean() for value in evaluate(tf, [low, high])]
    return [error[0] > error[1], error[0] < 40, low.dtype.name, low.shape.as_list(), low.name]


@case
def jpeg_quality_of_floats(tf):
    made = tf.image.adjust_jpeg_quality(image(tf, np.float32), tf.constant(90), name="n")
    return [made.dtype.name, evaluate(tf, made).max() <= 1, made.name]


@case
def random_jpeg_quality(tf):
    made = tf.image.random_jpeg_quality(image(tf), 10, 90, seed=3)
    return [evaluate(tf, made).shape, made.dtype.name]


for _least, _most in ((-1, 5), (5, 101), (7, 7)):
    CASES[f"random jpeg quality {_least} {_most}"] = lambda tf, a=_least, b=_most: tf.image.random_jpeg_quality(image(tf), a, b)


@case
def patches(tf):
    x = tf.constant(np.arange(16).reshape(1, 4, 4, 1))
    return evaluate(tf, tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"))


@case
def reciprocal_no_nan(tf):
    y = tf.math.reciprocal_no_nan(tf.constant([0.0, 2.0, -4.0]))
    return [evaluate(tf, [y, tf.math.reciprocal_no_nan(tf.constant([0, 0.5], tf.float64))]), y.dtype.name]


@case
def global_normalization(tf):
    x = tf.constant(np.arange(8).reshape(1, 2, 2, 2).astype(np.float32))
    rest = (*(tf.constant(v) for v in ([1.0, 2.0], [3.0, 4.0], [0.5, 0.25], [2.0, 3.0])), 1e-3)
    return evaluate(tf, [tf.nn.batch_norm_with_global_normalization(x, *rest, scale) for scale in (True, False)])


def transposed(tf, rank, strides, **more):
    rng = np.random.RandomState(0)
    x = rng.rand(1, *[3] * (rank - 2), 2).astype(np.float32)
    filters = rng.rand(*[2] * (rank - 2), 4, 2).astype(np.float32)
    y = tf.nn.conv_transpose(tf.constant(x), tf.constant(filters), [1, *[6] * (rank - 2), 4], strides, **more)
    return [y.shape.as_list(), np.round(evaluate(tf, y), 4)]


for _rank in (3, 4, 5):
    CASES[f"transposed convolution of rank {_rank}"] = lambda tf, rank=_rank: transposed(tf, rank, 2)
    CASES[f"transposed convolution of rank {_rank} with a list"] = lambda tf, rank=_rank: transposed(tf, rank, [2] * (rank - 2))
CASES["transposed convolution of rank 2"] = lambda tf: tf.nn.conv_transpose(tf.ones([1, 2]), tf.ones([2, 2]), [1, 2], 1)


@case
def files_by_the_names_of_tf_io(tf):
    with tempfile.TemporaryDirectory() as folder:
        a, b, c = (os.path.join(folder, name) for name in "abc")
        with tf.io.gfile.GFile(a, "w") as file:
            file.write("text")
        tf.io.gfile.copy(src=a, dst=b)
        tf.io.gfile.rename(src=b, dst=c)
        return [sorted(os.path.basename(path) for path in tf.io.gfile.glob(pattern=os.path.join(folder, "*"))), tf.io.gfile.stat(path=c).length,
                [sorted(files) for _, _, files in tf.io.gfile.walk(folder, topdown=False)]]


class Replaced:
    @staticmethod
    def fixed():
        return 1

    def method(self):
        return 2


@case
def stubs(tf):
    stub = tf.test.StubOutForTesting()
    seen = []
    with stub:
        stub.Set(Replaced, "method", lambda self: 3)
        stub.SmartSet(Replaced, "fixed", lambda: 4)
        seen += [Replaced().method(), Replaced.fixed()]
    return seen + [Replaced().method(), Replaced.fixed(), Replaced().fixed()]


@case
def quantized_types(tf):
    return sorted(dtype.name for dtype in tf.QUANTIZED_DTYPES)


def kinds(tf):
    """Returns the op types of variables that do not say whether they are resources."""
    return [tf.Variable(1.0).op.type, tf.get_variable(f"v{len(tf.global_variables())}", []).op.type]


@case
def resource_variables_by_scope(tf):
    tf.disable_resource_variables()
    made = kinds(tf)
    for use_resource in (True, False, None):
        with tf.variable_scope("s", use_resource=use_resource):
            made += kinds(tf)
    return made


@case
def resource_variables_by_default(tf):
    tf.enable_resource_variables()
    try:
        made = [tf.resource_variables_enabled(), *kinds(tf)]
        with tf.variable_scope("s", use_resource=False):
            made += kinds(tf)
        with tf.Graph().as_default():
            made += kinds(tf)
    finally:
        tf.disable_resource_variables()
    return [*made, tf.resource_variables_enabled(), *kinds(tf)]


@case
def changed_devices(tf):
    device = tf.DeviceSpec(job="w", device_type="GPU", device_index=1)
    return [device.replace(job="ps", task=2).to_string(), device.make_merged_spec(tf.DeviceSpec(job="x", task=3)).to_string(), device.to_string()]


CASES["devices with an unknown part"] = lambda tf: tf.DeviceSpec(job="w").replace(x=1)


@case
def consumers_of_composite_tensors(tf):
    sparse = tf.SparseTensor([[0]], [1.0], [2])
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    tf.identity(sparse.values, name="a")
    tf.identity(slices.values, name="b")
    return [[op.name for op in sparse.consumers()], [op.name for op in slices.consumers()]]


@case
def elements_of_a_variable(tf):
    v = tf.get_variable("v", initializer=np.arange(6.0).reshape(2, 3), use_resource=True)
    return evaluate(tf, v.gather_nd([[0, 1], [1, 2]]))


def modules(tf):
    class Inner(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(1.0, name="v")

    class OuterHTTPThing(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            with self.name_scope:
                self.w = tf.Variable([1.0], name="w")
                self.parts = [Inner(), {"k": Inner(), "a": 3}]
                self.t = tf.Variable(2.0, trainable=False, name="t")
                self.same = self.w

        @tf.Module.with_name_scope
        def call(self):
            return tf.constant(1).name
    return OuterHTTPThing


@case
def variables_of_modules(tf):
    first, second = modules(tf)(), modules(tf)("second")
    return [[m.name, [v.name for v in m.variables], [v.name for v in m.trainable_variables], [type(s).__name__ for s in m.submodules], m.call()]
            for m in (first, second)]


CASES["a module with a wrong name"] = lambda tf: modules(tf)("a b")
