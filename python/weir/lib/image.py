"""tf.image.ResizeMethod."""
from weir import _weir


class ResizeMethod:
    """Interpolation methods of tf.image.resize_images."""
    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), soft_nms_sigma=0.0,
                                    name=None):
    """The indices and scores of the selected boxes. Overlapping boxes get lower scores if soft_nms_sigma is positive."""
    indices, chosen_scores, _ = _weir.op_function("NonMaxSuppressionV5")(boxes, scores, max_output_size, iou_threshold, score_threshold,
                                                                         soft_nms_sigma, name=name)
    return indices, chosen_scores
