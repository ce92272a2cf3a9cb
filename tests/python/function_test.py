"""Tests tf.function in graph mode."""
import pytest

import weir as tf
from evaluation import evaluate


def test_a_function_keeps_the_structure_of_its_result():
    @tf.function
    def f(x, y=2.0):
        """Multiplies."""
        return x * y, {"k": x + 1, "none": None}
    x = tf.placeholder(tf.float32, [None])
    product, rest = f(x)
    assert (f.__name__, f.__doc__, product.shape.as_list(), rest["none"]) == ("f", "Multiplies.", [None], None)
    assert [t.tolist() for t in evaluate([product, rest["k"]], {x: [1, 2]})] == [[2, 4], [2, 3]]
    assert evaluate(tf.gradients(f(x, 3.0)[0], x)[0], {x: [1, 2]}).tolist() == [3, 3]


def test_a_function_is_traced_once_per_kind_of_argument():
    traces = []

    @tf.function
    def f(x, flag):
        traces.append(flag)
        return -x if flag else x
    x = tf.placeholder(tf.float32, [None])
    assert evaluate([f(x, True), f(x, False), f(x + 1, True)], {x: [1]})[2].tolist() == [-2]
    assert traces == [True, False]
    f(tf.ones([2, 2]), True)
    assert traces == [True, False, True]


def test_effects_take_place_in_order_without_being_fetched():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)

    @tf.function
    def f(x):
        v.assign(x)
        v.assign_add(10.0)
        return v * 2
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(f(tf.constant(5.0))) == 30 and sess.run(v) == 15


def test_an_input_signature_fixes_types_and_shapes():
    f = tf.function(lambda a: a + 1, input_signature=[tf.TensorSpec([None], tf.float32)])
    assert evaluate(f([1, 2])).tolist() == [2, 3]
    with pytest.raises(TypeError, match="does not fit its input_signature"):
        f(tf.placeholder(tf.int32, [2]))
    with pytest.raises(TypeError, match="takes 1 tensors"):
        tf.function(lambda a, b: a, input_signature=[tf.TensorSpec([None], tf.float32)])(1.0, 2.0)
    with pytest.raises(TypeError, match="TensorSpec"):
        tf.function(lambda a: a, input_signature=[tf.float32])


def test_a_concrete_function_describes_its_arguments_and_results():
    @tf.function
    def f(x, y):
        return [x * y]
    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.float32))
    assert [spec.shape.as_list() for spec in concrete.inputs] == [[2], []]
    assert concrete.structured_outputs[0].shape.as_list() == [2] and concrete.function_def.signature.name == concrete.name
    assert evaluate(concrete(tf.constant([1.0, 2.0]), tf.constant(3.0)))[0].tolist() == [3, 6]


def test_methods_are_functions_of_their_object():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @tf.function
        def apply(self, x):
            return x * self.factor
    two, three = Scale(2.0), Scale(3.0)
    assert evaluate([two.apply(tf.constant(1.0)), three.apply(tf.constant(1.0))]) == [2, 3]


def test_a_wrapped_function_has_one_signature():
    square = tf.wrap_function(tf.autograph.experimental.do_not_convert(lambda x: x * x), [tf.TensorSpec([], tf.float32)])
    assert evaluate(square(tf.constant(3.0))) == 9
