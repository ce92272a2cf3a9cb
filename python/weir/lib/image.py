"""tf.image.ResizeMethod."""


class ResizeMethod:
    """Interpolation methods of tf.image.resize_images."""
    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3
