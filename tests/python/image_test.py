"""Tests tf.image: decode_image with files of every kind, and errors of its functions while a graph is built."""
import struct

import numpy as np
import pytest

import weir as tf

PIXELS = np.arange(18, dtype=np.uint8).reshape(2, 3, 3)
BMP = (b"BM" + struct.pack("<IHHI", 54 + 24, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, 3, -2, 1, 24, 0, 24, 0, 0, 0, 0) +
       b"".join(row[:, ::-1].tobytes() + bytes(3) for row in PIXELS))
GIF = bytes.fromhex("4749463839610300020081000001020328323c46505aff00802c000000000300020000020544a8516101003b")


def run(build, *feeds):
    # Bytes as objects, because a numpy bytes array would lose trailing zeros.
    feeds = [np.array(x, object) if isinstance(x, bytes) else np.asarray(x) for x in feeds]
    with tf.Graph().as_default(), tf.Session() as sess:
        places = [tf.placeholder(tf.string if x.dtype == object else x.dtype, x.shape) for x in feeds]
        return sess.run(build(*places), dict(zip(places, feeds)))


def png(pixels=PIXELS):
    return run(lambda: tf.image.encode_png(pixels))


def test_decode_image_by_kind():
    assert np.array_equal(run(tf.image.decode_image, png()), PIXELS)
    assert np.array_equal(run(tf.image.decode_image, BMP), PIXELS)
    frames = run(tf.image.decode_image, GIF)
    assert frames.shape == (1, 2, 3, 3) and frames[0, 0, 1].tolist() == [40, 50, 60]
    assert run(lambda x: tf.image.decode_image(x, expand_animations=False), GIF).shape == (2, 3, 3)
    jpeg = run(lambda: tf.image.encode_jpeg(np.full([8, 8, 3], 100, np.uint8)))
    assert np.abs(run(tf.image.decode_image, jpeg).astype(int) - 100).max() <= 1


def test_decode_image_types_and_channels():
    assert np.array_equal(run(lambda x: tf.image.decode_image(x, dtype=tf.uint16), png()), PIXELS.astype(np.uint16) * 257)
    assert run(lambda x: tf.image.decode_image(x, channels=1), png()).shape == (2, 3, 1)
    floats = run(lambda x: tf.image.decode_image(x, dtype=tf.float32), png())
    assert np.allclose(floats, PIXELS / 255.0)


@pytest.mark.parametrize("contents,channels,message", [
    (b"hello, this is no image", None, "Unable to decode bytes as JPEG, PNG, GIF, or BMP"),
    (GIF, 1, "decoding GIF images"),
    (BMP, 1, "decoding BMP images"),
    (b"\xff\xd8\xff\xe0", 4, "decoding JPEG images"),
    (b"\xff\xd8\xff\xe0", None, "JPEG"),
    (b"\x89PNG\r\n\x1a\n", None, "PNG"),
])
def test_decode_image_refuses(contents, channels, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(lambda x: tf.image.decode_image(x, channels=channels), contents)


def test_the_error_names_the_node():
    with pytest.raises(tf.errors.InvalidArgumentError) as info:
        run(lambda x: tf.image.decode_png(x, name="my_picture"), b"\x89PNG\r\n\x1a\nnothing")
    assert info.value.op.name == "my_picture"


@pytest.mark.parametrize("build", [
    lambda x: tf.image.decode_image(b"", channels=2),
    lambda x: tf.image.resize_images(x[0, 0], [2, 2]),
    lambda x: tf.image.resize_images(x, [2, 2, 2]),
    lambda x: tf.image.resize_images(x, [2, 2], method=9),
    lambda x: tf.image.resize_images(tf.placeholder(tf.float32), [2, 2]),
    lambda x: tf.image.central_crop(x, 0.0),
    lambda x: tf.image.central_crop(x, 1.5),
    lambda x: tf.image.crop_to_bounding_box(x, 0, 0, 9, 1),
    lambda x: tf.image.crop_to_bounding_box(x, -1, 0, 1, 1),
    lambda x: tf.image.pad_to_bounding_box(x, 0, 0, 1, 1),
    lambda x: tf.image.resize_image_with_crop_or_pad(x, 0, 1),
    lambda x: tf.image.flip_left_right(x[0]),
    lambda x: tf.image.random_hue(x, 0.6),
    lambda x: tf.image.random_contrast(x, 2.0, 1.0),
    lambda x: tf.image.random_brightness(x, -1.0),
    lambda x: tf.image.adjust_gamma(x, -1.0),
    lambda x: tf.image.grayscale_to_rgb(x),
])
def test_wrong_arguments(build):
    with tf.Graph().as_default(), pytest.raises(ValueError):
        build(tf.placeholder(tf.float32, [4, 5, 3]))


def test_sizes_that_are_unknown_until_run_time():
    x = np.random.RandomState(1).rand(6, 8, 3).astype(np.float32)

    def cropped(y):
        unknown = tf.placeholder_with_default(y, [None, None, 3])
        return tf.image.resize_image_with_crop_or_pad(unknown, 4, 10)

    result = run(cropped, x)
    assert result.shape == (4, 10, 3)
    assert np.array_equal(result[:, 1:9], x[1:5]) and not result[:, 0].any() and not result[:, 9].any()
    with pytest.raises(tf.errors.InvalidArgumentError, match="height must be"):
        run(lambda y: tf.image.crop_to_bounding_box(tf.placeholder_with_default(y, [None, None, 3]), 3, 0, 5, 5), x)


def jpeg(pixels, **options):
    return run(lambda: tf.image.encode_jpeg(pixels, **options))


NOISE = np.random.RandomState(6).randint(0, 256, (19, 22, 3)).astype(np.uint8)


def test_parts_of_a_jpeg_image():
    contents = jpeg(NOISE)
    whole = run(tf.image.decode_jpeg, contents)
    assert whole.shape == (19, 22, 3)
    for y, x, height, width in ((0, 0, 19, 22), (3, 5, 9, 8), (18, 21, 1, 1), (7, 0, 2, 22)):
        part = run(lambda c: tf.image.decode_and_crop_jpeg(c, [y, x, height, width]), contents)
        assert np.array_equal(part, whole[y:y + height, x:x + width])
    with pytest.raises(tf.errors.InvalidArgumentError, match="crop window"):
        run(lambda c: tf.image.decode_and_crop_jpeg(c, [0, 15, 2, 8]), contents)


def test_a_jpeg_image_that_ends_early():
    contents = jpeg(NOISE)
    cut = contents[:len(contents) * 2 // 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="truncated"):
        run(tf.image.decode_jpeg, cut)
    saved = run(lambda c: tf.image.decode_jpeg(c, try_recover_truncated=True), cut)
    assert saved.shape == (19, 22, 3) and np.array_equal(saved[:4, :8], run(tf.image.decode_jpeg, contents)[:4, :8])


def test_jpeg_decoding_options():
    contents = jpeg(NOISE)
    usual = run(tf.image.decode_jpeg, contents)
    assert not np.array_equal(usual, run(lambda c: tf.image.decode_jpeg(c, fancy_upscaling=False), contents))
    assert np.array_equal(usual, run(lambda c: tf.image.decode_jpeg(c, dct_method="INTEGER_FAST"), contents))
    assert not np.array_equal(usual, run(lambda c: tf.image.decode_jpeg(c, dct_method="INTEGER_ACCURATE"), contents))
    assert run(lambda c: tf.image.decode_jpeg(c, ratio=4), contents).shape == (5, 6, 3)


def test_what_a_jpeg_file_holds():
    plain = jpeg(NOISE)
    frame = plain.index(b"\xff\xc0")
    assert plain[frame + 11] == 0x22 and plain[13:18] == b"\x01\x01\x2c\x01\x2c"  # chroma at half resolution, 300 per inch
    full = jpeg(NOISE, chroma_downsampling=False)
    assert full[full.index(b"\xff\xc0") + 11] == 0x11
    assert b"\xff\xc2" in jpeg(NOISE, progressive=True) and b"\xff\xc2" not in plain
    assert jpeg(NOISE, density_unit="cm", x_density=10, y_density=20)[13:18] == b"\x02\0\x0a\0\x14"
    assert b"http://ns.adobe.com/xap/1.0/\0<mine/>" in jpeg(NOISE, xmp_metadata="<mine/>")
    assert len(jpeg(NOISE, quality=10)) < len(jpeg(NOISE, quality=50)) < len(jpeg(NOISE, quality=95)) == len(plain)
    assert len(jpeg(NOISE, optimize_size=True)) < len(plain)


def test_types_of_images():
    def converted(values, dtype, **options):
        return run(lambda x: tf.image.convert_image_dtype(x, dtype, **options), values).tolist()

    assert converted(np.float32([0, 0.1, 0.5, 0.999, 1]), tf.uint8) == [0, 25, 127, 255, 255]
    assert converted(np.uint8([0, 1, 255]), tf.uint16) == [0, 256, 65280]
    assert converted(np.uint16([0, 255, 256, 65535]), tf.uint8) == [0, 0, 1, 255]
    assert converted(np.uint8([0, 51, 255]), tf.float32) == pytest.approx([0, 0.2, 1])
    assert converted(np.float32([-1, 2]), tf.uint8, saturate=True) == [0, 255]
    assert converted(np.uint8([7]), tf.uint8) == [7]
    with pytest.raises(AttributeError, match="^dtype must be either floating point or integer"):
        tf.image.convert_image_dtype(tf.constant([7]), tf.bool)
    with pytest.raises(AttributeError, match="^image dtype must be either floating point or integer"):
        tf.image.adjust_hue(tf.constant([[["a"]]]), 0.5)


def test_resize_with_pad():
    x = np.random.RandomState(7).rand(4, 2, 3).astype(np.float32)
    framed = run(lambda y: tf.image.resize_image_with_pad(y, 5, 5), x)
    assert framed.shape == (5, 5, 3) and not framed[:, 0].any() and not framed[:, 3:].any()
    assert np.array_equal(framed[:, 1:3], run(lambda y: tf.image.resize_images(y, [5, 2]), x))


def test_central_crop():
    x = np.random.RandomState(8).rand(7, 10, 1).astype(np.float32)
    assert np.array_equal(run(lambda y: tf.image.central_crop(y, 0.5), x), x[1:6, 2:8])
    assert np.array_equal(run(lambda y: tf.image.central_crop(tf.placeholder_with_default(y, [None, None, 1]), 0.5), x), x[1:6, 2:8])


def test_flips():
    x = np.random.RandomState(9).rand(3, 4, 5, 2).astype(np.float32)
    for build, axis in ((tf.image.flip_left_right, -2), (tf.image.flip_up_down, -3)):
        for images in (x, x[0]):
            assert np.array_equal(run(build, images), np.flip(images, axis))
            assert np.array_equal(run(lambda y: build(tf.placeholder_with_default(y, None)), images), np.flip(images, axis))


@pytest.mark.parametrize("build, axis", [(tf.image.random_flip_left_right, -2), (tf.image.random_flip_up_down, -3)])
def test_random_flips(build, axis):
    x = np.random.RandomState(10).rand(64, 2, 3, 1).astype(np.float32)

    def flips(results):
        flipped = [np.array_equal(result, np.flip(image, axis)) for result, image in zip(results, x)]
        assert all(f or np.array_equal(result, image) for f, result, image in zip(flipped, results, x))
        return sum(flipped)

    assert 10 < flips(run(lambda y: build(y, seed=3), x)) < 54  # each image is flipped independently
    with tf.Graph().as_default(), tf.Session() as sess:
        place = tf.placeholder(tf.float32, [2, 3, 1])
        one = build(place, seed=3)
        assert 10 < flips([sess.run(one, {place: image}) for image in x]) < 54


def test_total_variation_and_psnr():
    x, y = np.random.RandomState(11).rand(2, 2, 4, 5, 3).astype(np.float32)
    variation = sum(np.abs(np.diff(x, axis=axis)).sum((1, 2, 3)) for axis in (1, 2))
    assert np.allclose(run(tf.image.total_variation, x), variation, rtol=1e-5)
    assert np.allclose(run(tf.image.total_variation, x[0]), variation[0], rtol=1e-5)
    noise = 10 * np.log10(1 / ((x - y) ** 2).mean((1, 2, 3)))
    assert np.allclose(run(lambda a, b: tf.image.psnr(a, b, max_val=1.0), x, y), noise, rtol=1e-5)
    assert np.allclose(run(lambda a: tf.image.adjust_gamma(a, 2, 0.5), x), x ** 2 / 2, rtol=1e-5)


def test_odd_margins_are_smaller_at_the_top_left():
    x = np.random.RandomState(4).rand(4, 5, 2).astype(np.float32)
    padded = run(lambda y: tf.image.resize_image_with_crop_or_pad(y, 7, 8), x)
    assert np.array_equal(padded[1:5, 1:6], x) and np.isclose(padded.sum(), x.sum())
    assert np.array_equal(run(lambda y: tf.image.resize_image_with_crop_or_pad(y, 1, 2), x), x[1:2, 1:3])


def test_preserved_aspect_ratio():
    shape = lambda size: run(lambda y: tf.image.resize_images(y, size, preserve_aspect_ratio=True), np.zeros([7, 5, 1], np.float32)).shape  # noqa: E731
    assert shape([4, 4]) == (4, 3, 1) and shape([100, 10]) == (14, 10, 1)


def test_rot90_in_both_directions():
    x = np.random.RandomState(5).rand(3, 4, 2).astype(np.float32)
    for k in range(-5, 6):
        assert np.array_equal(run(lambda y: tf.image.rot90(y, k), x), np.rot90(x, k)), k


def test_values_at_a_bound():
    assert run(lambda y: tf.image.adjust_brightness(y, 0.5), np.array([[[0, 100, 200]]], np.uint8)).tolist() == [[[127, 227, 255]]]
    assert run(lambda y: tf.image.adjust_brightness(y, -0.5), np.array([[[0, 100, 200]]], np.uint8)).tolist() == [[[0, 0, 72]]]
    flat = run(tf.image.per_image_standardization, np.full([4, 5, 3], 7, np.uint8))
    assert not flat.any()
    # The contrast of a faint image is not amplified: the deviation is at least 1 / sqrt(number of elements).
    faint = np.zeros([2, 2, 1], np.float32)
    faint[0, 0] = 0.1
    assert np.allclose(run(tf.image.per_image_standardization, faint), (faint - faint.mean()) * 2, atol=1e-6)


def test_gradients_of_what_programs_train_through():
    x = np.random.RandomState(2).rand(1, 4, 5, 2).astype(np.float32)
    for build in (lambda y: tf.image.resize_images(y, [7, 3]), lambda y: tf.image.resize_images(y, [2, 9], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR),
                  lambda y: tf.image.resize_images(y, [8, 8], method=tf.image.ResizeMethod.BICUBIC), tf.image.flip_up_down,
                  lambda y: tf.image.crop_and_resize(y, [[0.1, 0.2, 0.8, 0.9]], [0], [3, 3])):
        def slopes(y):
            total = tf.reduce_sum(build(y) * 2)
            return total, tf.gradients(total, y)[0]

        total, gradient = run(slopes, x)
        # The function is linear, so it equals its gradient times the image.
        assert np.isclose(total, (gradient * x).sum(), rtol=1e-4)


def test_color_space_conversions():
    x = np.random.RandomState(3).rand(2, 4, 5, 3).astype(np.float32)
    gray = run(tf.image.rgb_to_grayscale, x)
    assert gray.shape == (2, 4, 5, 1) and np.allclose(gray[..., 0], x @ np.array([0.2989, 0.587, 0.114]), atol=1e-6)
    assert np.abs(run(tf.image.rgb_to_grayscale, PIXELS)[..., 0].astype(int) - (PIXELS @ np.array([0.2989, 0.587, 0.114]))).max() <= 1
    assert np.allclose(run(lambda y: tf.image.yuv_to_rgb(tf.image.rgb_to_yuv(y)), x), x, atol=1e-5)
    yiq = np.array([[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]])
    assert np.allclose(run(tf.image.rgb_to_yiq, x), x @ yiq, atol=1e-6)
    # The coefficients of the inverse have only about four digits.
    assert np.allclose(run(lambda y: tf.image.yiq_to_rgb(tf.image.rgb_to_yiq(y)), x), x, atol=2e-4)
    assert np.array_equal(run(tf.image.grayscale_to_rgb, gray), np.repeat(gray, 3, -1))


def test_a_random_part_of_an_image():
    image = tf.placeholder(tf.uint8, [None, None, 3])
    begin, size, box = tf.image.sample_distorted_bounding_box(tf.shape(image), tf.zeros([1, 0, 4]), seed=3, min_object_covered=0.1,
                                                              aspect_ratio_range=[0.5, 2.0], area_range=[0.2, 0.6], max_attempts=50,
                                                              use_image_if_no_bounding_boxes=True)
    part = tf.slice(image, begin, size)
    assert box.shape.as_list() == [1, 1, 4]
    with tf.Session() as session:
        shapes = {session.run(part, {image: np.zeros([40, 30, 3])}).shape for _ in range(20)}
    assert len(shapes) > 5
    for rows, columns, channels in shapes:
        assert channels == 3 and 0.2 <= rows * columns / 1200 <= 0.6 and 0.4 < columns / rows < 2.2


def test_channels_and_batches_stay_known_where_sizes_are_not():
    image, images = tf.placeholder(tf.float32, [None, None, 3]), tf.placeholder(tf.float32, [2, None, None, 3])
    assert tf.image.resize_image_with_crop_or_pad(image, 30, 40).shape.as_list() == [30, 40, 3]
    assert tf.image.resize_image_with_crop_or_pad(images, 30, 40).shape.as_list() == [2, 30, 40, 3]
    assert tf.image.central_crop(image, 0.5).shape.as_list() == [None, None, 3]
    assert tf.image.central_crop(images, 0.5).shape.as_list() == [2, None, None, 3]
    size = tf.placeholder(tf.int32, [])
    assert tf.image.crop_to_bounding_box(tf.zeros([9, 8, 3]), 0, 0, size, 4).shape.as_list() == [None, 4, 3]
    assert tf.image.crop_to_bounding_box(images, tf.constant(1), 2, 3, 4).shape.as_list() == [2, 3, 4, 3]


# --- crops and image comparison
def test_sample_distorted_bounding_box():
    image = np.arange(40 * 60 * 3, dtype=np.float32).reshape(40, 60, 3)
    boxes = np.float32([[[0.1, 0.2, 0.5, 0.6], [0.4, 0.3, 0.9, 0.8]]])

    def part(**options):
        begin, size, box = tf.image.sample_distorted_bounding_box(tf.shape(image), boxes, seed=1, seed2=2, **options)
        assert begin.op.name == "sample_distorted_bounding_box/SampleDistortedBoundingBoxV2"
        return begin, size, box, tf.slice(image, begin, size)

    begin, size, box, cut = run(lambda: part())
    assert begin.tolist() == [6, 9, 0] and size.tolist() == [16, 16, -1]
    assert np.allclose(box, [[[0.15, 0.15, 0.55, 0.41666666]]])
    assert np.array_equal(cut, image[6:22, 9:25])
    for covered in (0.3, 1.0):
        *_, box, _ = run(lambda: part(min_object_covered=tf.constant(covered), area_range=(0.1, 1), aspect_ratio_range=[0.5, 2.0], max_attempts=200))
        shared = np.prod(np.clip(np.minimum(box[0], boxes[0])[:, 2:] - np.maximum(box[0], boxes[0])[:, :2], 0, None), 1)
        assert (shared / np.prod(boxes[0, :, 2:] - boxes[0, :, :2], 1)).max() > covered - 0.1
    with pytest.raises(tf.errors.InvalidArgumentError, match="No bounding boxes"):
        run(lambda: tf.image.sample_distorted_bounding_box([4, 4, 3], np.zeros([1, 0, 4], np.float32)))


def window_means(x, size=11, sigma=1.5):
    line = np.exp(-0.5 * ((np.arange(size) - (size - 1) / 2) / sigma) ** 2)
    weights = np.outer(line, line) / line.sum() ** 2
    rows, columns = x.shape[0] - size + 1, x.shape[1] - size + 1
    return np.stack([[(x[i:i + size, j:j + size] * weights[:, :, None]).sum((0, 1)) for j in range(columns)] for i in range(rows)])


def test_ssim():
    rng = np.random.RandomState(3)
    a = rng.rand(14, 15, 2).astype(np.float32)
    b = np.clip(a + rng.randn(14, 15, 2) * 0.1, 0, 1).astype(np.float32)
    ma, mb = window_means(a), window_means(b)
    va, vb, ab = window_means(a * a) - ma * ma, window_means(b * b) - mb * mb, window_means(a * b) - ma * mb
    wanted = np.mean((2 * ma * mb + 1e-4) * (2 * ab + 9e-4) / ((ma ** 2 + mb ** 2 + 1e-4) * (va + vb + 9e-4)))
    assert np.allclose(run(lambda x, y: tf.image.ssim(x, y, 1.0), a, b), wanted, rtol=1e-4)
    assert np.allclose(run(lambda x, y: tf.image.ssim(x, y, 1.0), np.stack([a, a]), np.stack([b, a])), [wanted, 1], rtol=1e-4)
    bytes_ = (a * 255).astype(np.uint8)
    assert np.allclose(run(lambda x: tf.image.ssim(x, x, 255), bytes_), 1)
    assert np.allclose(run(lambda x: tf.image.ssim_multiscale(x, x, 1.0, power_factors=(0.5, 0.5), filter_size=5), a), 1, rtol=1e-5)
    with pytest.raises(ValueError, match="filter_size 11"):
        run(lambda x: tf.image.ssim(x, x, 1.0), a[:8])
    with pytest.raises(ValueError, match="same shape"):
        run(lambda x, y: tf.image.ssim(x, y, 1.0), a, b[:, :12])


def test_sobel_edges():
    image = np.random.RandomState(1).rand(2, 5, 6, 3).astype(np.float32)
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)), "reflect")
    weights = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    wanted = [sum(w[i, j] * padded[:, i:i + 5, j:j + 6] for i in range(3) for j in range(3)) for w in (weights, weights.T)]
    assert np.allclose(run(tf.image.sobel_edges, image), np.stack(wanted, -1), atol=1e-5)


def test_extract_glimpse():
    image = np.arange(20, dtype=np.float32).reshape(1, 4, 5, 1)
    glimpse = run(lambda x: tf.image.extract_glimpse(x, [3, 3], [[0.0, 0.0]]), image)
    assert np.array_equal(glimpse[0, :, :, 0], image[0, :3, 1:4, 0])
    noisy = run(lambda x: tf.image.extract_glimpse(x, [9, 9], [[0.0, 0.0]]), image)
    assert noisy.shape == (1, 9, 9, 1) and noisy.min() >= 0 and noisy.max() <= 19
