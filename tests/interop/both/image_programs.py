"""The public functions of tf.image: resizing, cropping, rotation, colors, and image files."""
import numpy as np

from both.program import Program


def picture(height, width, dtype=np.float32, batch=None):
    shape = (height, width, 3) if batch is None else (batch, height, width, 3)
    values = np.random.RandomState(height * 100 + width).rand(*shape)
    return (values * 255).astype(np.uint8) if dtype == np.uint8 else values.astype(dtype)


def inputs(tf):
    """Returns placeholders for images of known and unknown sizes, and their feeds."""
    whole = tf.placeholder(tf.float32, [7, 9, 3])
    batch = tf.placeholder(tf.float32, [2, 7, 9, 3])
    open_ended = tf.placeholder(tf.float32, [None, None, 3])
    bytes_ = tf.placeholder(tf.uint8, [7, 9, 3])
    feed = {whole: picture(7, 9), batch: picture(7, 9, batch=2), open_ended: picture(6, 5), bytes_: picture(7, 9, np.uint8)}
    return whole, batch, open_ended, bytes_, feed


def sizes(tf):
    whole, batch, open_ended, bytes_, feed = inputs(tf)
    look = []
    for x in (whole, batch, open_ended, bytes_):
        for method in range(4):
            look.append(tf.image.resize_images(x, [4, 5], method=method))
        look += [tf.image.resize_images(x, [12, 8], align_corners=True), tf.image.resize_images(x, [7, 9]),
                 tf.image.resize_images(x, [4, 20], preserve_aspect_ratio=True),
                 tf.image.resize_image_with_crop_or_pad(x, 5, 12), tf.image.resize_image_with_crop_or_pad(x, 10, 4),
                 tf.image.resize_image_with_pad(x, 10, 12), tf.image.resize_image_with_pad(x, 3, 12)]
    return {"look": look, "feeds": [feed]}


def crops(tf):
    whole, batch, open_ended, bytes_, feed = inputs(tf)
    look = []
    for x in (whole, batch, open_ended, bytes_):
        look += [tf.image.central_crop(x, 0.5), tf.image.central_crop(x, 0.9), tf.image.crop_to_bounding_box(x, 1, 2, 3, 3),
                 tf.image.pad_to_bounding_box(x, 1, 2, 13, 14), tf.image.flip_left_right(x), tf.image.flip_up_down(x),
                 tf.image.transpose_image(x), tf.image.total_variation(tf.cast(x, tf.float32))]
        look += [tf.image.rot90(x, k) for k in (1, 2, 3, 4)]
    return {"look": look, "feeds": [feed]}


def colors(tf):
    whole, batch, open_ended, bytes_, feed = inputs(tf)
    look = []
    for x in (whole, batch, open_ended, bytes_):
        look += [tf.image.adjust_brightness(x, 0.1), tf.image.adjust_contrast(x, 0.5), tf.image.adjust_hue(x, 0.2),
                 tf.image.adjust_saturation(x, 0.7), tf.image.adjust_gamma(x, 1.5, 0.9), tf.image.rgb_to_grayscale(x),
                 tf.image.grayscale_to_rgb(tf.image.rgb_to_grayscale(x)), tf.image.per_image_standardization(x)]
    for x in (whole, batch):
        look += [tf.image.rgb_to_yuv(x), tf.image.yuv_to_rgb(x), tf.image.rgb_to_yiq(x), tf.image.yiq_to_rgb(x), tf.image.rgb_to_hsv(x),
                 tf.image.hsv_to_rgb(x), tf.image.psnr(x, x * 0.9, 1.0)]
    for dtype in (tf.float32, tf.float64, tf.uint16, tf.int16, tf.int32):
        look.append(tf.image.convert_image_dtype(bytes_, dtype))
    for dtype in (tf.uint8, tf.int8, tf.uint16):
        look += [tf.image.convert_image_dtype(whole, dtype), tf.image.convert_image_dtype(whole * 1.2, dtype, saturate=True)]
    look.append(tf.image.convert_image_dtype(tf.cast(bytes_, tf.int16) * 100, tf.uint8))
    return {"look": look, "feeds": [feed]}


def random_images(tf):
    """Random functions with fixed seeds."""
    whole, batch, _, bytes_, feed = inputs(tf)
    look = []
    for x in (whole, bytes_):
        look += [tf.image.random_flip_left_right(x, seed=1), tf.image.random_flip_up_down(x, seed=2), tf.image.random_brightness(x, 0.2, seed=3),
                 tf.image.random_contrast(x, 0.5, 1.5, seed=4), tf.image.random_hue(x, 0.2, seed=5), tf.image.random_saturation(x, 0.5, 1.5, seed=6)]
    look += [tf.image.random_flip_left_right(batch, seed=7), tf.image.random_flip_up_down(batch, seed=8)]
    return {"look": look, "feeds": [feed] * 4}


def files(tf):
    image = picture(6, 5, np.uint8)
    png = tf.image.encode_png(tf.constant(image))
    jpeg = tf.image.encode_jpeg(tf.constant(np.full([8, 8, 3], 128, np.uint8)))
    look = [tf.image.decode_png(png), tf.image.decode_png(png, channels=1), tf.image.decode_png(png, dtype=tf.uint16), tf.image.is_jpeg(png),
            tf.image.is_jpeg(jpeg), tf.image.extract_jpeg_shape(jpeg), tf.image.decode_jpeg(jpeg, channels=1)]
    return {"look": look}


def pairs(tf):
    """Image comparison (PSNR, SSIM), edge detection and glimpses."""
    a, b = tf.placeholder(tf.float32, [2, 40, 33, 3]), tf.placeholder(tf.uint8, [2, 40, 33, 3])
    noisy = np.clip(picture(40, 33, batch=2) * 0.8 + picture(40, 33, batch=2)[:, ::-1] * 0.2, 0, 1)
    feed = {a: picture(40, 33, batch=2), b: picture(40, 33, np.uint8, batch=2)}
    powers = (0.1, 0.4, 0.5)
    look = [tf.image.ssim(a, noisy, 1.0), tf.image.ssim(b, b // 2, 255), tf.image.ssim(a[0], noisy[0], 1.0, filter_size=5, filter_sigma=0.7, k1=0.02, k2=0.05),
            tf.image.ssim(tf.expand_dims(a, 0), noisy[None], 1.0), tf.image.ssim_multiscale(a, noisy, 1.0, power_factors=powers, filter_size=4),
            tf.image.psnr(a, noisy, 1.0), tf.image.psnr(b, b // 2, 255), tf.image.sobel_edges(a),
            tf.image.extract_glimpse(a, [5, 7], [[0.2, -0.3], [0.0, 0.5]], uniform_noise=False)]
    return {"look": look, "feeds": [feed]}


def distorted(tf):
    """sample_distorted_bounding_box with fixed seeds."""
    boxes = tf.placeholder(tf.float32, [1, None, 4])
    feed = {boxes: np.float32([[[0.1, 0.2, 0.5, 0.6], [0.4, 0.3, 0.9, 0.8]]])}
    look = []
    for number, options in enumerate(({}, {"min_object_covered": 0.5, "area_range": (0.3, 0.5)}, {"aspect_ratio_range": [0.5, 2.0], "max_attempts": 5})):
        begin, size, box = tf.image.sample_distorted_bounding_box([40, 60, 3], boxes, seed=number + 1, seed2=7, name="part%d" % number, **options)
        look += [begin, size, box, tf.slice(tf.constant(picture(40, 60)), begin, size)]
    none = np.zeros([1, 0, 4], np.float32)
    whole = tf.image.sample_distorted_bounding_box([40, 60, 3], none, seed=3, seed2=4, use_image_if_no_bounding_boxes=True)
    return {"look": look + list(whole), "feeds": [feed] * 5}


def programs():
    return [Program("image sizes", sizes), Program("image crops", crops), Program("image colors", colors), Program("images by chance", random_images),
            Program("image files", files), Program("image pairs", pairs), Program("distorted images", distorted)]
