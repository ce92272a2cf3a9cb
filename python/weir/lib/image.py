"""tf.image.ResizeMethod."""


class ResizeMethod:
    """How tf.image.resize_images finds the pixels of another size."""
    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3
