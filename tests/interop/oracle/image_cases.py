"""Image files, and the ops of tf.image: bit-exact resizing, colors, crops and boxes."""
import numpy as np

from oracle.draw import Draw
from oracle.tensorflow1 import tf

SIZES = [((5, 7), (3, 4)), ((4, 5), (9, 11)), ((3, 3), (3, 3)), ((6, 4), (1, 8)), ((1, 1), (2, 3))]


def picture(height, width, channels=3):
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([(x * 11 + y * c * 5) % 256 for c in range(1, channels + 1)], -1).astype(np.uint8)


def files(case):
    raw = tf.raw_ops
    for channels in (1, 2, 3, 4):
        for image in (picture(6, 5, channels), picture(6, 5, channels).astype(np.uint16) * 257):
            name = "png %d %s" % (channels, image.dtype)
            case(name, lambda x: raw.DecodePng(contents=raw.EncodePng(image=x, compression=4), dtype=x.dtype), [image], grad=False)
    case("png as gray", lambda x: raw.DecodePng(contents=raw.EncodePng(image=x), channels=1), [picture(5, 6)], grad=False)
    case("png with alpha", lambda x: raw.DecodePng(contents=raw.EncodePng(image=x), channels=4), [picture(5, 6)], grad=False)
    # Uniform blocks, for which every decoder rounds alike.
    flat = np.repeat(np.repeat(picture(2, 3) // 64 * 64, 16, 0), 16, 1)
    case("jpeg shape", lambda x: raw.ExtractJpegShape(contents=raw.EncodeJpeg(image=x)), [flat], grad=False)
    case("jpeg size", lambda x: tf.shape(raw.DecodeJpeg(contents=raw.EncodeJpeg(image=x), ratio=4)), [flat], grad=False)
    case("jpeg quality", lambda x: tf.shape(raw.DecodeJpeg(contents=raw.EncodeJpegVariableQuality(images=x, quality=30))), [flat], grad=False)
    case("jpeg window", lambda x: tf.shape(raw.DecodeAndCropJpeg(contents=raw.EncodeJpeg(image=x), crop_window=[3, 4, 5, 6])), [flat], grad=False)
    for channels in (0, 3, 4):
        pixels = bytes(range(24))
        header = b"BM" + (54 + 24).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + (40).to_bytes(4, "little")
        bmp = header + (3).to_bytes(4, "little") + (2).to_bytes(4, "little") + b"\1\0\x18\0" + bytes(24) + pixels
        case("bmp %d" % channels, lambda x, c=channels: raw.DecodeBmp(contents=x, channels=c), [np.array(bmp, object)], grad=False)
    gif = bytes.fromhex("4749463839610300020081000001020328323c46505aff00802c000000000300020000020544a8516101003b")
    case("gif", lambda x: raw.DecodeGif(contents=x), [np.array(gif, object)], grad=False)


def resizing(recorder):
    for (height, width), (to_height, to_width) in SIZES:
        size = np.array([to_height, to_width], np.int32)
        for modes in ({}, {"align_corners": True}, {"half_pixel_centers": True}):
            images = Draw(2, height, width, 3, low=0, high=255)
            for op in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic"):
                recorder.sweep(op, images, size, grad=False, **modes)
                # Interpolation weights are always float, so gradients are compared only for float.
                recorder.sweep(op, images, size, only=[tf.float32], **modes)
            # With align_corners and a height of one pixel, TensorFlow divides by zero.
            if "half_pixel_centers" not in modes and not (modes and height == 1):
                recorder.sweep("ResizeArea", images, size, grad=False, **modes)


def make(recorder):
    case = recorder.case
    raw = tf.raw_ops
    files(case)
    resizing(recorder)
    colors = Draw(2, 5, 6, 3, low=0, high=1)
    recorder.sweep("RGBToHSV", colors, grad=False)
    recorder.sweep("HSVToRGB", colors, grad=False)
    for amount in (-0.9, 0.0, 0.3, 1.0):
        recorder.sweep("AdjustHue", colors, np.float32(amount), grad=False)
    for amount in (0.0, 0.4, 2.5):
        recorder.sweep("AdjustSaturation", colors, np.float32(amount), grad=False)
        recorder.sweep("AdjustContrastv2", colors, np.float32(amount), grad=False)
    boxes = np.array([[0, 0, 1, 1], [0.2, 0.3, 0.7, 0.9], [0.9, 0.8, 0.1, 0.2], [-0.5, 0.1, 0.5, 1.4]], np.float32)
    owners = np.array([0, 1, 1, 0], np.int32)
    image = Draw(2, 5, 6, 3, low=0, high=4).array(np.float32)
    for height, width in ((3, 4), (1, 1), (7, 2)):
        for method in ("bilinear", "nearest"):
            case("crop_and_resize %s %d" % (method, height), lambda x, b: raw.CropAndResize(
                image=x, boxes=b, box_ind=owners, crop_size=[height, width], method=method, extrapolation_value=-1.0), [image, boxes],
                 grad=method == "bilinear")
    case("crops of bytes", lambda b: raw.CropAndResize(image=picture(6, 5)[None], boxes=b, box_ind=[0, 0, 0, 0], crop_size=[3, 3]), [boxes], grad=False)
    some = np.tile(boxes[None, :3], (2, 4, 1))
    for channels in (1, 3, 4):
        canvas = Draw(2, 9, 11, channels, low=0, high=1)
        recorder.sweep("DrawBoundingBoxes", canvas, some, grad=False)
        recorder.sweep("DrawBoundingBoxesV2", canvas, some, Draw(3, 4, low=0, high=1).array(np.float32), grad=False)
    parts = np.array([[[0.1, 0.2, 0.5, 0.6], [0.4, 0.3, 0.9, 0.8]]], np.float32)
    for seed in range(1, 9):
        height, width = 20 + 7 * seed, 75 - 6 * seed
        for op, more in ((raw.SampleDistortedBoundingBoxV2, {"min_object_covered": np.float32(seed / 9)}),
                         (raw.SampleDistortedBoundingBox, {"min_object_covered": seed / 9})):
            case("part %s %d" % (op.__name__, seed), lambda b: list(op(
                image_size=np.array([height, width, 3]), bounding_boxes=b, seed=seed, seed2=3, aspect_ratio_range=[0.3 + seed / 20, 1.9], **more)),
                 [parts], grad=False)
    offsets = np.array([[0.3, -0.2], [-0.7, 0.9]], np.float32)
    for centered in (True, False):
        for normalized in (True, False):
            case("glimpse %s %s" % (centered, normalized), lambda x, o: raw.ExtractGlimpse(
                input=x, size=[3, 4], offsets=o, centered=centered, normalized=normalized, uniform_noise=False, noise="zero"),
                 [image, offsets * (1 if normalized else 5)], grad=False)
    scores = Draw(12, low=0, high=1).array(np.float32)
    many = np.sort(Draw(12, 2, 2, low=0, high=1).array(np.float32), 1).reshape(12, 4)
    for most, overlap, least in ((3, 0.5, 0.0), (12, 0.1, 0.3), (12, 0.0, -1.0), (0, 0.5, 0.0)):
        threshold, lowest = np.float32(overlap), np.float32(least)
        case("nms %d" % most, lambda b, s: raw.NonMaxSuppressionV2(boxes=b, scores=s, max_output_size=most, iou_threshold=threshold),
             [many, scores], grad=False)
        case("nms v3 %d %s" % (most, least), lambda b, s: raw.NonMaxSuppressionV3(
            boxes=b, scores=s, max_output_size=most, iou_threshold=threshold, score_threshold=lowest), [many, scores], grad=False)
        case("nms v4 %d %s" % (most, least), lambda b, s: list(raw.NonMaxSuppressionV4(
            boxes=b, scores=s, max_output_size=most, iou_threshold=threshold, score_threshold=lowest, pad_to_max_output_size=True)),
             [many, scores], grad=False)
    case("nms v1", lambda b, s: raw.NonMaxSuppression(boxes=b, scores=s, max_output_size=5, iou_threshold=0.3), [many, scores], grad=False)
