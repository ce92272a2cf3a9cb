"""Tests the conversion of Python values to tensors: types, shapes, errors."""
import numpy as np
import pytest

import weir as tf


def value(tensor):
    with tf.Session(graph=tensor.graph) as sess:
        return sess.run(tensor)


@pytest.mark.parametrize("python, dtype, shape", [
    (1, tf.int32, ()),
    (True, tf.bool, ()),
    (1.5, tf.float32, ()),
    (1j, tf.complex128, ()),
    ("a", tf.string, ()),
    (b"a", tf.string, ()),
    (2**40, tf.int64, ()),
    ([1, 2.5], tf.float32, (2,)),
    ([1, True], tf.int32, (2,)),
    ([True, 1.0], tf.float32, (2,)),
    ([], tf.float32, (0,)),
    ([[]], tf.float32, (1, 0)),
    ([[1, 2], [3, 4]], tf.int32, (2, 2)),
    (((1, 2), (3, 4)), tf.int32, (2, 2)),
    ([b"a", "b"], tf.string, (2,)),
    (np.float64(1.5), tf.float64, ()),
    (np.int64(3), tf.int64, ()),
    ([np.float64(1.5)], tf.float32, (1,)),
    ([np.int64(3)], tf.int32, (1,)),
    ([np.uint8(3)], tf.uint8, (1,)),
    ([np.float32(1.5), 2.0], tf.float32, (2,)),
    (np.array(["a", "b"]), tf.string, (2,)),
    (np.zeros([2, 0], np.int16), tf.int16, (2, 0)),
    (tf.TensorShape([2, 3]), tf.int32, (2,)),
    (tf.Dimension(4), tf.int32, ()),
    ([tf.Dimension(4), -1], tf.int32, (2,)),
])
def test_natural_types(python, dtype, shape):
    tensor = tf.convert_to_tensor(python)
    assert tensor.dtype == dtype
    assert tuple(tensor.shape.as_list()) == shape


@pytest.mark.parametrize("python, dtype", [
    (1, tf.float32), (True, tf.float32), (1, tf.complex64), (1.5, tf.float16), (1, tf.bfloat16), ([1, 2], tf.int64),
    (np.array([1.5]), tf.int32), (np.float64(2.5), tf.float32), (1, tf.uint8), ([1, 2], tf.uint64),
])
def test_requested_types(python, dtype):
    assert tf.constant(python, dtype).dtype == dtype


@pytest.mark.parametrize("python, dtype, error, text", [
    (1.5, tf.int32, TypeError, "Expected int32, but got 1.5 of type 'float'."),
    ("a", tf.int32, TypeError, "Expected int32, but got a of type 'str'."),
    (1, tf.string, TypeError, "Expected string, but got 1 of type 'int'."),
    (1, tf.bool, TypeError, "Expected bool"),
    (300, tf.uint8, ValueError, "300"),
    (2**40, tf.int32, ValueError, "int32"),
    (None, None, ValueError, "None values not supported."),
    ([[1, 2], [3]], None, ValueError, "dense"),
    ([[1], 2], None, ValueError, "dense"),
    ([1, [2]], None, ValueError, "dense"),
    ([1, None], None, TypeError, "Failed to convert"),
    (["a", 1], None, TypeError, "Failed to convert"),
    (object(), None, TypeError, "Failed to convert"),
    ({1: 2}, None, TypeError, "Failed to convert"),
    (tf.TensorShape([2, None]), None, ValueError, "partially known"),
    (np.array(["2001-01-01"], dtype="datetime64[D]"), None, TypeError, "M8[D]"),
])
def test_values_that_do_not_convert(python, dtype, error, text):
    with pytest.raises(error) as raised:
        tf.convert_to_tensor(python, dtype)
    assert text in str(raised.value)


def test_values_are_converted():
    np.testing.assert_array_equal(value(tf.constant([[1, 2], [3, 4]])), [[1, 2], [3, 4]])
    assert value(tf.constant("\u00e9")) == "\u00e9".encode()
    assert value(tf.constant(1.5, tf.float16)) == 1.5
    assert value(tf.constant(2**63, tf.uint64)) == 2**63
    np.testing.assert_array_equal(value(tf.constant(3, shape=[2, 2])), [[3, 3], [3, 3]])
    np.testing.assert_array_equal(value(tf.constant([1, 2, 3], shape=[2, 2])), [[1, 2], [3, 3]])
    with pytest.raises(ValueError):
        tf.constant([1, 2, 3], shape=[2])


def test_constants_do_not_see_later_changes():
    array = np.ones([100, 100], np.float32)
    tensor = tf.constant(array)
    array[:] = 5
    assert value(tensor).max() == 1


def test_lists_with_tensors_are_packed():
    one = tf.constant(1)
    packed = tf.convert_to_tensor([[one, 2], [3, 4]])
    assert packed.op.type == "Pack" and packed.name == "packed:0"
    np.testing.assert_array_equal(value(packed), [[1, 2], [3, 4]])
    as_float = tf.convert_to_tensor([one, 2], dtype=tf.float32)
    assert as_float.dtype == tf.float32
    np.testing.assert_array_equal(value(as_float), [1, 2])
    with pytest.raises(TypeError, match="Expected int32, but got 2.5"):
        tf.convert_to_tensor([one, 2.5])
    with pytest.raises(TypeError, match="Cannot convert a list containing a tensor"):
        tf.convert_to_tensor([one, tf.constant(2.0)])


def test_names_of_packed_inputs():
    n = tf.constant(2)
    reshaped = tf.raw_ops.Reshape(tensor=[1, 2, 3, 4], shape=[n, -1])
    assert reshaped.op.inputs[1].name == "Reshape/shape:0"
    assert reshaped.op.inputs[1].op.inputs[1].name == "Reshape/shape/1:0"


def test_conversion_functions():
    class Celsius:
        degrees = 20.0

    def convert(temperature, dtype=None, name=None, as_ref=False):
        return tf.constant(temperature.degrees, dtype=dtype, name=name)

    tf.register_tensor_conversion_function(Celsius, convert)
    assert value(tf.convert_to_tensor(Celsius())) == 20
    np.testing.assert_array_equal(value(tf.convert_to_tensor([Celsius(), 1.0])), [20, 1])
    assert value(tf.constant(1.0) + Celsius()) == 21

    class Broken:
        pass

    def fail(value, dtype=None, name=None, as_ref=False):
        raise KeyError("mine")

    tf.register_tensor_conversion_function(Broken, fail)
    with pytest.raises(KeyError, match="mine"):
        tf.constant(1.0) + Broken()


def test_preferred_type_is_a_hint():
    assert tf.convert_to_tensor(1, preferred_dtype=tf.float32).dtype == tf.float32
    assert tf.convert_to_tensor(1.5, preferred_dtype=tf.int32).dtype == tf.float32


def test_objects_with_an_array_method():
    class Matrix:
        def __array__(self, dtype=None):
            return np.arange(4.0)

    assert tf.convert_to_tensor(Matrix()).dtype == tf.float64
    with pytest.raises(ValueError, match="requested dtype"):
        tf.convert_to_tensor(tf.constant(1), dtype=tf.float32)
    with pytest.raises(TypeError, match="Operation"):
        tf.convert_to_tensor(tf.raw_ops.NoOp())


@pytest.mark.parametrize("build, shape", [
    (lambda: tf.random_uniform([]), []),
    (lambda: tf.random_uniform(()), []),
    (lambda: tf.random_normal([]), []),
    (lambda: tf.truncated_normal([]), []),
    (lambda: tf.reshape(tf.ones([1]), []), []),
    (lambda: tf.fill([], 1.0), []),
    (lambda: tf.broadcast_to(tf.constant(1.0), []), []),
    (lambda: tf.transpose(tf.constant(1.0), []), []),
    (lambda: tf.tile(tf.constant(1.0), []), []),
    (lambda: tf.reduce_sum(tf.ones([2, 3]), axis=[]), [2, 3]),
    (lambda: tf.reverse(tf.ones([2, 3]), []), [2, 3]),
    (lambda: tf.get_variable("v", [], initializer=tf.random_normal_initializer()).initial_value, []),
])
def test_an_empty_list_is_a_shape_or_axes(build, shape):
    with tf.Graph().as_default(), tf.Session() as sess:
        value = build()
        assert value.shape == shape
        assert list(sess.run(value).shape) == shape


def test_non_integers_are_rejected_as_shapes():
    with tf.Graph().as_default(), pytest.raises(TypeError, match="DataType float32 not in list of allowed values"):
        tf.reshape(tf.ones([1]), [1.5])


def test_ranges_and_buffers():
    with tf.Graph().as_default():
        np.testing.assert_array_equal(value(tf.constant(range(1, 9, 3))), np.int32([1, 4, 7]))
        np.testing.assert_array_equal(value(tf.constant([range(2), range(2)])), [[0, 1], [0, 1]])
        assert value(tf.constant(range(3), tf.float32)).dtype == np.float32
        np.testing.assert_array_equal(value(tf.gather(range(5, 9), range(2))), [5, 6])
        np.testing.assert_array_equal(value(tf.constant(bytearray(b"ab"))), np.uint8([97, 98]))
        x = tf.placeholder(tf.int32, [3])
        with tf.Session() as sess:
            np.testing.assert_array_equal(sess.run(x, {x: range(3)}), [0, 1, 2])


def test_an_empty_constant_ignores_its_value():
    """As in TensorFlow, unless the value is an array."""
    assert tf.constant(0.1, shape=[1, 0]).shape.as_list() == [1, 0]
    assert tf.constant([0.1, 0.2], shape=[0]).shape.as_list() == [0]
    assert tf.constant_initializer(0.1)([1, 0]).shape.as_list() == [1, 0]
    with pytest.raises(ValueError, match="Too many elements"):
        tf.constant(np.array([0.1]), shape=[0])
