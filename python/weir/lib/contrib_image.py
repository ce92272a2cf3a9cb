"""tf.contrib.image: projective transforms of images. A transform maps a point (x, y) of the result to a point of the image:
((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1; it is the row [a0, a1, a2, b0, b1, b2, c0, c1]."""
import weir as tf

_TYPES = (tf.uint8, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64)


def _batch(images):
    """Returns the images as a batch, and a function that gives a batch the rank of `images`."""
    rank = images.shape.ndims
    if rank is None:
        raise TypeError("images rank must be statically known")
    if rank == 2:
        return images[None, :, :, None], lambda y: y[0, :, :, 0]
    if rank == 3:
        return images[None], lambda y: y[0]
    if rank != 4:
        raise TypeError("Images should have rank between 2 and 4.")
    return images, lambda y: y


def _rows(values, width, what):
    """Returns one row or several as a matrix."""
    values = tf.convert_to_tensor(values, dtype=tf.float32, name=what)
    rank = values.shape.ndims
    if rank is None:
        raise TypeError(f"{what} rank must be statically known")
    if rank == (1 if width else 0):
        return values[None]
    if rank != (2 if width else 1):
        raise TypeError(f"{what} should have rank {'1 or 2' if width else '0 or 1'}.")
    return values


def _pixels(images, y, x):
    """The pixels at integral positions [batch, height, width]; zeros outside of the images."""
    shape = tf.shape(images)
    height, width = tf.cast(shape[1], x.dtype), tf.cast(shape[2], x.dtype)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    row, column = (tf.cast(tf.where(inside, part, tf.zeros_like(part)), tf.int32) for part in (y, x))
    batch = tf.zeros_like(row) + tf.range(shape[0])[:, None, None]
    found = tf.gather_nd(images, tf.stack([batch, row, column], -1))
    return tf.where(tf.tile(inside[..., None], [1, 1, 1, shape[3]]), found, tf.zeros_like(found))


def _round(x):
    """Rounds halves away from zero, as C++ does."""
    return tf.sign(x) * tf.floor(tf.abs(x) + 0.5)


def _transformed(images, transforms, size, interpolation):
    shape = tf.shape(images)
    x, y = tf.cast(tf.range(size[1]), tf.float32)[None, None, :], tf.cast(tf.range(size[0]), tf.float32)[None, :, None]
    a0, a1, a2, b0, b1, b2, c0, c1 = (part[:, None, None] for part in tf.unstack(transforms, num=8, axis=1))
    k = c0 * x + c1 * y + 1.0
    everywhere = tf.zeros([shape[0], size[0], size[1]])
    ix, iy, valid = (a0 * x + a1 * y + a2) / k + everywhere, (b0 * x + b1 * y + b2) / k + everywhere, tf.not_equal(k + everywhere, 0.0)
    ix, iy = (tf.where(valid, part, everywhere - 1e6) for part in (ix, iy))
    if interpolation == "NEAREST":
        return _pixels(images, _round(iy), _round(ix))
    left, top = tf.floor(ix), tf.floor(iy)
    values = [[tf.cast(_pixels(images, top + i, left + j), tf.float32) for j in (0, 1)] for i in (0, 1)]
    right_part, lower_part = (ix - left)[..., None], (iy - top)[..., None]
    upper, lower = ((1.0 - right_part) * row[0] + right_part * row[1] for row in values)
    return tf.cast((1.0 - lower_part) * upper + lower_part * lower, images.dtype)


def flat_transforms_to_matrices(transforms):
    """Returns transforms as matrices [n, 3, 3]."""
    transforms = _rows(transforms, 8, "transforms")
    return tf.reshape(tf.concat([transforms, tf.ones([tf.shape(transforms)[0], 1])], 1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices):
    matrices = tf.convert_to_tensor(transform_matrices, dtype=tf.float32, name="matrices")
    if matrices.shape.ndims not in (2, 3):
        raise ValueError(f"Matrices should be 2-D or 3-D, got: {matrices}")
    flat = tf.reshape(matrices, [-1, 9])
    return (flat / flat[:, 8:9])[:, :8]


def transform(images, transforms, interpolation="NEAREST", output_shape=None, name=None):
    """Applies one transform to all images, or one to each. The gradient is the inverse transform of the result's gradient."""
    with tf.name_scope(name, "transform"):
        images = tf.convert_to_tensor(images, name="images")
        if images.dtype.base_dtype not in _TYPES:
            raise TypeError(f"Invalid dtype {images.dtype}.")
        method = interpolation.upper()
        if method not in ("NEAREST", "BILINEAR"):
            raise ValueError(f"Invalid interpolation {interpolation}: it must be NEAREST or BILINEAR")
        batch, unbatch = _batch(images)
        transforms = _rows(transforms, 8, "transforms")
        size = tf.shape(batch)[1:3] if output_shape is None else tf.convert_to_tensor(output_shape, tf.int32, name="output_shape")
        if not size.shape.is_compatible_with([2]):
            raise ValueError("output_shape must be a 1-D Tensor of 2 elements: new_height, new_width")

        @tf.custom_gradient
        def compute(images):
            def gradient(dy):
                inverse = matrices_to_flat_transforms(tf.matrix_inverse(flat_transforms_to_matrices(transforms)))
                return _transformed(dy, inverse, tf.shape(images)[1:3], method)
            return _transformed(images, transforms, size, method), gradient
        y = compute(batch)
        known = tf.contrib.util.constant_value(size)
        rows = batch.shape[1:3].as_list() if output_shape is None else [None, None] if known is None else known.tolist()
        y.set_shape([batch.shape[0], *rows, batch.shape[3]])
        return unbatch(y)


def angles_to_projective_transforms(angles, image_height, image_width, name=None):
    """Returns transforms that rotate images about their centres, counterclockwise, by angles in radians."""
    with tf.name_scope(name, "angles_to_projective_transforms"):
        angles = _rows(angles, 0, "angles")
        width, height = (tf.cast(size, tf.float32) - 1.0 for size in (image_width, image_height))
        sin, cos = tf.sin(angles), tf.cos(angles)
        x, y = (width - (cos * width - sin * height)) / 2.0, (height - (sin * width + cos * height)) / 2.0
        zeros = tf.zeros_like(sin)
        return tf.stack([cos, -sin, x, sin, cos, y, zeros, zeros], 1)


def translations_to_projective_transforms(translations, name=None):
    """Returns transforms that move images by (dx, dy)."""
    with tf.name_scope(name, "translations_to_projective_transforms"):
        dx, dy = tf.unstack(_rows(translations, 2, "translations"), num=2, axis=1)
        ones, zeros = tf.ones_like(dx), tf.zeros_like(dx)
        return tf.stack([ones, zeros, -dx, zeros, ones, -dy, zeros, zeros], 1)


def compose_transforms(*transforms):
    """Returns the transform that equals the first one, applied to the result of the second one, and so on."""
    if not transforms:
        raise ValueError("transforms cannot be empty")
    matrices = [flat_transforms_to_matrices(part) for part in transforms]
    composed = matrices[0]
    for matrix in matrices[1:]:
        composed = tf.matmul(composed, matrix)
    return matrices_to_flat_transforms(composed)


def rotate(images, angles, interpolation="NEAREST", name=None):
    with tf.name_scope(name, "rotate"):
        images = tf.convert_to_tensor(images, name="images")
        batch, _ = _batch(images)
        size = tf.shape(batch)
        return transform(images, angles_to_projective_transforms(angles, size[1], size[2]), interpolation)


def translate(images, translations, interpolation="NEAREST", name=None):
    with tf.name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation)
