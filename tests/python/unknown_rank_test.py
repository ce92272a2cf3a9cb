"""Functions whose inputs have no static rank: they build what they would build for the rank that is fed."""
import numpy as np
import pytest

import weir as tf

IMAGE = np.arange(48, dtype=np.float32).reshape(4, 4, 3) / 48


def both(function, *arrays):
    """Returns the results with static shapes and with none at all."""
    with tf.Graph().as_default(), tf.Session() as session:
        known = session.run(function(*(tf.constant(a) for a in arrays)))
        fed = [tf.placeholder(a.dtype, None) for a in arrays]
        return known, session.run(function(*fed), dict(zip(fed, arrays)))


@pytest.mark.parametrize("function", [
    lambda x: tf.image.rot90(x), lambda x: tf.image.rot90(x, 2), lambda x: tf.image.rot90(x, 3), lambda x: tf.image.rot90(x, 4), tf.image.transpose_image,
    tf.image.flip_left_right, tf.image.flip_up_down, tf.image.rgb_to_grayscale])
@pytest.mark.parametrize("shape", [(4, 4, 3), (2, 2, 4, 3)])
def test_rotated_images(function, shape):
    known, fed = both(function, np.resize(IMAGE, shape))
    np.testing.assert_array_equal(fed, known)


@pytest.mark.parametrize("function", [
    lambda x: tf.image.crop_to_bounding_box(x, 1, 1, 2, 2), lambda x: tf.image.pad_to_bounding_box(x, 1, 1, 6, 6),
    lambda x: tf.image.resize_image_with_crop_or_pad(x, 3, 6), lambda x: tf.image.resize_image_with_pad(x, 6, 6)])
def test_a_cropped_or_padded_image(function):
    known, fed = both(function, IMAGE)
    np.testing.assert_array_equal(fed, known)


@pytest.mark.parametrize("function", [tf.image.random_flip_left_right, tf.image.random_flip_up_down])
@pytest.mark.parametrize("shape", [(4, 4, 3), (1, 4, 4, 3)])
def test_a_random_flip(function, shape):
    x = np.resize(IMAGE, shape)
    axis = len(shape) - (2 if function is tf.image.random_flip_left_right else 3)
    fed = both(function, x)[1]
    assert np.array_equal(fed, x) or np.array_equal(fed, np.flip(x, axis))


@pytest.mark.parametrize("function", [tf.image.rot90, tf.image.transpose_image, tf.image.flip_up_down, tf.image.random_flip_up_down])
def test_a_matrix_is_no_image(function):
    x = tf.placeholder(tf.float32, None)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="must be at least three-dimensional"):
        session.run(function(x), {x: IMAGE[0]})


def test_sobel_edges_of_doubles():
    known, fed = both(tf.image.sobel_edges, IMAGE[np.newaxis].astype(np.float64))
    np.testing.assert_array_equal(fed, known)
    np.testing.assert_allclose(known, both(tf.image.sobel_edges, IMAGE[np.newaxis])[0], atol=1e-5)


@pytest.mark.parametrize("axes", [0, 1, 2, [[1], [0]], [[-1, -2], [1, 0]], [[0], [1]]])
def test_tensordot(axes):
    a, b = np.arange(9.0).reshape(3, 3), np.arange(27.0).reshape(3, 3, 3)
    known, fed = both(lambda x, y: tf.tensordot(x, y, axes), a, b)
    np.testing.assert_array_equal(fed, known)
    np.testing.assert_allclose(known, np.tensordot(a, b, axes))
    with tf.Graph().as_default(), tf.Session() as session:  # only one rank is unknown
        x = tf.placeholder(tf.float64, None)
        np.testing.assert_array_equal(session.run(tf.tensordot(x, b, axes), {x: a}), known)
        np.testing.assert_array_equal(session.run(tf.tensordot(b, x, 1), {x: a}), np.tensordot(b, a, 1))


@pytest.mark.parametrize("equation, count", [("ij,jk->ik", 2), ("ij,jk", 2), ("ii->i", 1), ("...ij->...ji", 1), ("ij,jk,kl->il", 3)])
def test_einsum(equation, count):
    matrices = [np.arange(9.0).reshape(3, 3) + i for i in range(count)]
    known, fed = both(lambda *x: tf.einsum(equation, *x), *matrices)
    np.testing.assert_allclose(fed, known)
    np.testing.assert_allclose(known, np.einsum(equation, *matrices))


def test_einsum_checks_the_rank_of_each_step():
    x = tf.placeholder(tf.float32, None)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="Expected input 0 to have rank 2 but got: 1"):
        session.run(tf.einsum("ij,jk->ik", x, np.ones([3, 4], np.float32)), {x: [1.0, 2.0, 3.0]})


def test_gradients_of_tensordot_and_einsum():
    x = tf.placeholder(tf.float64, None)
    b = np.arange(6.0).reshape(3, 2)
    for y in (tf.tensordot(x, b, 1), tf.einsum("ij,jk->ik", x, b)):
        gradient, = tf.gradients(tf.reduce_sum(y), x)
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(gradient, {x: np.ones([2, 3])}), np.tile(b.sum(1), [2, 1]))
