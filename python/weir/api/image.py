"""tf.image: image files and image processing."""

_FILES = {
    "decode_png": "(contents, channels=0, dtype='uint8', name=None) op:DecodePng",
    "decode_jpeg": "(contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1, "
                   "dct_method='', name=None) op:DecodeJpeg",
    "decode_and_crop_jpeg": "(contents, crop_window, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, "
                            "acceptable_fraction=1, dct_method='', name=None) op:DecodeAndCropJpeg",
    "decode_bmp": "(contents, channels=0, name=None) op:DecodeBmp",
    "decode_gif": "op:DecodeGif",
    "decode_image": "decode_image",
    "encode_jpeg": "(image, format='', quality=95, progressive=False, optimize_size=False, chroma_downsampling=True, density_unit='in', "
                   "x_density=300, y_density=300, xmp_metadata='', name=None) op:EncodeJpeg",
    "extract_jpeg_shape": "(contents, output_type='int32', name=None) op:ExtractJpegShape",
    "is_jpeg": "is_jpeg",
}
_BOUND = [
    "convert_image_dtype", "resize_images", "resize_image_with_crop_or_pad", "resize_image_with_pad", "crop_to_bounding_box",
    "pad_to_bounding_box", "central_crop", "flip_left_right", "flip_up_down", "random_flip_left_right", "random_flip_up_down", "rot90",
    "transpose_image", "adjust_brightness", "adjust_contrast", "adjust_hue", "adjust_saturation", "adjust_gamma", "adjust_jpeg_quality", "random_jpeg_quality", "image_gradients", "random_brightness",
    "random_contrast", "random_hue", "random_saturation", "rgb_to_grayscale", "grayscale_to_rgb", "rgb_to_yuv", "yuv_to_rgb", "rgb_to_yiq",
    "yiq_to_rgb", "per_image_standardization", "total_variation", "psnr", "ssim", "ssim_multiscale", "sobel_edges", "sample_distorted_bounding_box", "draw_bounding_boxes", "non_max_suppression",
    "non_max_suppression_padded",
]
_RESIZE_OPS = {
    "resize_bilinear": "ResizeBilinear", "resize_nearest_neighbor": "ResizeNearestNeighbor", "resize_bicubic": "ResizeBicubic",
}

NAMES = {
    **{f"image.{name}": entry for name, entry in _FILES.items()},
    **{f"io.{name}": f"=image.{name}" for name in _FILES},
    **{f"image.{name}": name for name in _BOUND},
    **{f"image.{name}": f"(images, size, align_corners=False, name=None, half_pixel_centers=False) op:{op}" for name, op in _RESIZE_OPS.items()},
    "image.encode_png": "(image, compression=-1, name=None) op:EncodePng",
    "image.resize_area": "(images, size, align_corners=False, name=None) op:ResizeArea",
    "image.resize": "=image.resize_images",
    "image.resize_with_crop_or_pad": "=image.resize_image_with_crop_or_pad",
    "image.transpose": "=image.transpose_image",
    "image.ResizeMethod": "weir.lib.image:ResizeMethod",
    "image.rgb_to_hsv": "(images, name=None) op:RGBToHSV",
    "image.hsv_to_rgb": "(images, name=None) op:HSVToRGB",
    "image.crop_and_resize": "(image, boxes, box_ind=None, crop_size=None, method='bilinear', extrapolation_value=0, name=None, "
                             "box_indices->box_ind) op:CropAndResize",
    "image.extract_glimpse": "(input, size, offsets, centered=True, normalized=True, uniform_noise=True, name=None) op:ExtractGlimpse",
    "image.random_crop": "=random_crop",
    "image.non_max_suppression_overlaps": "(overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=float('-inf'), "
                                          "name=None) op:NonMaxSuppressionWithOverlaps",
    "image.non_max_suppression_with_scores": "weir.lib.image:non_max_suppression_with_scores",
    "image.combined_non_max_suppression": "(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5, "
                                          "score_threshold=float('-inf'), pad_per_class=False, clip_boxes=True, name=None) "
                                          "op:CombinedNonMaxSuppression",
    "image.extract_patches": "(images, sizes, strides, rates, padding, name=None) op:ExtractImagePatches[ksizes=sizes]",
    "image.extract_image_patches": "=extract_image_patches",
}
