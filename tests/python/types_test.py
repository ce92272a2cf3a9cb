"""Tests DType, TensorShape and Dimension."""
import pickle

import numpy as np
import pytest

import weir as tf


def test_dtypes():
    assert tf.as_dtype("float") is tf.float32
    assert tf.as_dtype(np.float16) is tf.float16
    assert tf.as_dtype(np.dtype("<U3")) is tf.string
    assert tf.as_dtype(float) is tf.float32 and tf.as_dtype(bool) is tf.bool and tf.as_dtype(object) is tf.string
    assert tf.as_dtype(1) is tf.float32
    for bad in ("foo", None, [], 3.5):
        with pytest.raises(TypeError):
            tf.as_dtype(bad)
    assert tf.float32 == "float32" and tf.float32 == np.float32 and tf.float32 != tf.float64 and tf.float32 != None  # noqa: E711
    assert repr(tf.float32) == "tf.float32" and str(tf.float32) == "<dtype: 'float32'>"
    assert tf.float32_ref.base_dtype is tf.float32 and tf.float32._is_ref_dtype is False
    assert tf.complex64.real_dtype is tf.float32
    assert tf.int32.max == 2**31 - 1 and tf.float32.max == np.finfo(np.float32).max and tf.int32.min == -2**31
    with pytest.raises(TypeError):
        tf.string.max
    assert tf.float32.as_numpy_dtype is np.float32 and tf.string.as_numpy_dtype is object
    assert tf.float64.size == 8 and tf.int32.is_integer and tf.uint8.is_unsigned and tf.bool.is_bool
    assert pickle.loads(pickle.dumps(tf.int64)) is tf.int64
    assert len({tf.float32, tf.as_dtype("float32"), tf.int32}) == 2


def test_bfloat16_in_numpy():
    kind = tf.bfloat16.as_numpy_dtype
    array = np.array([1.0, 2.5, -3.0]).astype(kind)
    assert array.dtype == kind and tf.as_dtype(array.dtype) is tf.bfloat16
    np.testing.assert_array_equal(array.astype(np.float32), [1, 2.5, -3])
    assert float(array[1]) == 2.5 and array[1] == 2.5 and repr(kind(1.5)) == "1.5"
    assert float(kind(1 + 2**-12)) == 1.0


def test_shapes():
    unknown = tf.TensorShape(None)
    shape = tf.TensorShape([2, None])
    assert str(shape) == "(2, ?)" and repr(shape) == "TensorShape([Dimension(2), Dimension(None)])" and str(unknown) == "<unknown>"
    assert shape[0].value == 2 and shape[1].value is None and shape[-2].value == 2
    assert shape.as_list() == [2, None] and shape.ndims == 2 and unknown.ndims is None
    assert shape[:1] == tf.TensorShape([2]) and unknown[1:].ndims is None and unknown[:2].ndims == 2
    assert tf.TensorShape([2, 3]) == [2, 3] and tf.TensorShape([2, 3]) != [2, 4] and shape == tf.TensorShape([2, None])
    assert tf.TensorShape([2, 3]).num_elements() == 6 and shape.num_elements() is None
    assert (shape.concatenate([4])).as_list() == [2, None, 4]
    assert shape.merge_with([None, 3]).as_list() == [2, 3]
    assert bool(tf.TensorShape([])) and not bool(unknown) and len(shape) == 2
    assert [d.value for d in shape] == [2, None]
    assert tf.TensorShape(3).as_list() == [3] and tf.TensorShape(np.array([1, 2])).as_list() == [1, 2]
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert [d.size for d in tf.TensorShape([2, 3]).as_proto().dim] == [2, 3]
    for call, text in [
        (lambda: tf.TensorShape([2, 3]).merge_with([2, 4]), "Shapes (2, 3) and (2, 4) are not compatible"),
        (lambda: tf.TensorShape([2, 3]).with_rank(3), "Shape (2, 3) must have rank 3"),
        (lambda: unknown.as_list(), "as_list() is not defined on an unknown TensorShape."),
        (lambda: len(unknown), "unknown rank"),
        (lambda: shape.assert_is_fully_defined(), "not fully defined"),
        (lambda: tf.TensorShape([2, -1]), "must be >= 0"),
    ]:
        with pytest.raises(ValueError) as raised:
            call()
        assert text in str(raised.value)
    with pytest.raises(TypeError):
        tf.TensorShape("ab")
    with pytest.raises(IndexError):
        shape[5]


def test_dimensions():
    three = tf.Dimension(3)
    unknown = tf.Dimension(None)
    assert three + 2 == 5 and 2 + three == 5 and three * 2 == 6 and tf.Dimension(7) // 2 == 3 and tf.Dimension(7) % 2 == 1 and 5 - three == 2
    assert (three + None).value is None and (unknown == 3) is None and (unknown < 3) is None
    assert three == 3 and three != 4 and three < 4 and int(three) == 3 and list(range(5))[three] == 3
    assert repr(three) == "Dimension(3)" and repr(unknown) == "Dimension(None)" and str(unknown) == "?"
    for bad, error in [("a", TypeError), (-2, ValueError), (1.5, TypeError)]:
        with pytest.raises(error):
            tf.Dimension(bad)
    with pytest.raises(TypeError, match="please use // instead"):
        three / 2
    with pytest.raises(ValueError, match="not compatible"):
        three.merge_with(4)
    assert not (three == "x")
