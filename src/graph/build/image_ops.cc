// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/image_ops.h"

namespace weir {

Output AdjustContrastv2(Graph& graph, const Input& images, const Input& contrast_factor, const AdjustContrastv2Attrs& attrs) {
  NodeBuilder node(graph, "AdjustContrastv2", attrs.name);
  node.In(images);
  node.In(contrast_factor);
  return node.BuildOutput();
}
Output AdjustContrastv2(const Input& images, const Input& contrast_factor, const AdjustContrastv2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}, InputList{contrast_factor}});
  if (graph == nullptr) return {};
  return AdjustContrastv2(*graph, images, contrast_factor, attrs);
}

Output AdjustHue(Graph& graph, const Input& images, const Input& delta, const AdjustHueAttrs& attrs) {
  NodeBuilder node(graph, "AdjustHue", attrs.name);
  node.In(images);
  node.In(delta);
  return node.BuildOutput();
}
Output AdjustHue(const Input& images, const Input& delta, const AdjustHueAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}, InputList{delta}});
  if (graph == nullptr) return {};
  return AdjustHue(*graph, images, delta, attrs);
}

Output AdjustSaturation(Graph& graph, const Input& images, const Input& scale, const AdjustSaturationAttrs& attrs) {
  NodeBuilder node(graph, "AdjustSaturation", attrs.name);
  node.In(images);
  node.In(scale);
  return node.BuildOutput();
}
Output AdjustSaturation(const Input& images, const Input& scale, const AdjustSaturationAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}, InputList{scale}});
  if (graph == nullptr) return {};
  return AdjustSaturation(*graph, images, scale, attrs);
}

Output CropAndResize(Graph& graph, const Input& image, const Input& boxes, const Input& box_ind, const Input& crop_size, const CropAndResizeAttrs& attrs) {
  NodeBuilder node(graph, "CropAndResize", attrs.name);
  node.In(image);
  node.In(boxes);
  node.In(box_ind);
  node.In(crop_size);
  node.Attr("method", attrs.method);
  node.Attr("extrapolation_value", attrs.extrapolation_value);
  return node.BuildOutput();
}
Output CropAndResize(const Input& image, const Input& boxes, const Input& box_ind, const Input& crop_size, const CropAndResizeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{image}, InputList{boxes}, InputList{box_ind}, InputList{crop_size}});
  if (graph == nullptr) return {};
  return CropAndResize(*graph, image, boxes, box_ind, crop_size, attrs);
}

Output CropAndResizeGradBoxes(Graph& graph, const Input& grads, const Input& image, const Input& boxes, const Input& box_ind, const CropAndResizeGradBoxesAttrs& attrs) {
  NodeBuilder node(graph, "CropAndResizeGradBoxes", attrs.name);
  node.In(grads);
  node.In(image);
  node.In(boxes);
  node.In(box_ind);
  node.Attr("method", attrs.method);
  return node.BuildOutput();
}
Output CropAndResizeGradBoxes(const Input& grads, const Input& image, const Input& boxes, const Input& box_ind, const CropAndResizeGradBoxesAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{grads}, InputList{image}, InputList{boxes}, InputList{box_ind}});
  if (graph == nullptr) return {};
  return CropAndResizeGradBoxes(*graph, grads, image, boxes, box_ind, attrs);
}

Output CropAndResizeGradImage(Graph& graph, const Input& grads, const Input& boxes, const Input& box_ind, const Input& image_size, DType T, const CropAndResizeGradImageAttrs& attrs) {
  NodeBuilder node(graph, "CropAndResizeGradImage", attrs.name);
  node.In(grads);
  node.In(boxes);
  node.In(box_ind);
  node.In(image_size);
  node.Attr("T", T);
  node.Attr("method", attrs.method);
  return node.BuildOutput();
}
Output CropAndResizeGradImage(const Input& grads, const Input& boxes, const Input& box_ind, const Input& image_size, DType T, const CropAndResizeGradImageAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{grads}, InputList{boxes}, InputList{box_ind}, InputList{image_size}});
  if (graph == nullptr) return {};
  return CropAndResizeGradImage(*graph, grads, boxes, box_ind, image_size, T, attrs);
}

Output DecodeAndCropJpeg(Graph& graph, const Input& contents, const Input& crop_window, const DecodeAndCropJpegAttrs& attrs) {
  NodeBuilder node(graph, "DecodeAndCropJpeg", attrs.name);
  node.In(contents);
  node.In(crop_window);
  node.Attr("channels", attrs.channels);
  node.Attr("ratio", attrs.ratio);
  node.Attr("fancy_upscaling", attrs.fancy_upscaling);
  node.Attr("try_recover_truncated", attrs.try_recover_truncated);
  node.Attr("acceptable_fraction", attrs.acceptable_fraction);
  node.Attr("dct_method", attrs.dct_method);
  return node.BuildOutput();
}
Output DecodeAndCropJpeg(const Input& contents, const Input& crop_window, const DecodeAndCropJpegAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{contents}, InputList{crop_window}});
  if (graph == nullptr) return {};
  return DecodeAndCropJpeg(*graph, contents, crop_window, attrs);
}

Output DecodeBmp(Graph& graph, const Input& contents, const DecodeBmpAttrs& attrs) {
  NodeBuilder node(graph, "DecodeBmp", attrs.name);
  node.In(contents);
  node.Attr("channels", attrs.channels);
  return node.BuildOutput();
}
Output DecodeBmp(const Input& contents, const DecodeBmpAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{contents}});
  if (graph == nullptr) return {};
  return DecodeBmp(*graph, contents, attrs);
}

Output DecodeGif(Graph& graph, const Input& contents, const DecodeGifAttrs& attrs) {
  NodeBuilder node(graph, "DecodeGif", attrs.name);
  node.In(contents);
  return node.BuildOutput();
}
Output DecodeGif(const Input& contents, const DecodeGifAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{contents}});
  if (graph == nullptr) return {};
  return DecodeGif(*graph, contents, attrs);
}

Output DecodeJpeg(Graph& graph, const Input& contents, const DecodeJpegAttrs& attrs) {
  NodeBuilder node(graph, "DecodeJpeg", attrs.name);
  node.In(contents);
  node.Attr("channels", attrs.channels);
  node.Attr("ratio", attrs.ratio);
  node.Attr("fancy_upscaling", attrs.fancy_upscaling);
  node.Attr("try_recover_truncated", attrs.try_recover_truncated);
  node.Attr("acceptable_fraction", attrs.acceptable_fraction);
  node.Attr("dct_method", attrs.dct_method);
  return node.BuildOutput();
}
Output DecodeJpeg(const Input& contents, const DecodeJpegAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{contents}});
  if (graph == nullptr) return {};
  return DecodeJpeg(*graph, contents, attrs);
}

Output DecodePng(Graph& graph, const Input& contents, const DecodePngAttrs& attrs) {
  NodeBuilder node(graph, "DecodePng", attrs.name);
  node.In(contents);
  node.Attr("channels", attrs.channels);
  node.Attr("dtype", attrs.dtype);
  return node.BuildOutput();
}
Output DecodePng(const Input& contents, const DecodePngAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{contents}});
  if (graph == nullptr) return {};
  return DecodePng(*graph, contents, attrs);
}

Output DrawBoundingBoxes(Graph& graph, const Input& images, const Input& boxes, const DrawBoundingBoxesAttrs& attrs) {
  NodeBuilder node(graph, "DrawBoundingBoxes", attrs.name);
  node.In(images);
  node.In(boxes);
  return node.BuildOutput();
}
Output DrawBoundingBoxes(const Input& images, const Input& boxes, const DrawBoundingBoxesAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}, InputList{boxes}});
  if (graph == nullptr) return {};
  return DrawBoundingBoxes(*graph, images, boxes, attrs);
}

Output DrawBoundingBoxesV2(Graph& graph, const Input& images, const Input& boxes, const Input& colors, const DrawBoundingBoxesV2Attrs& attrs) {
  NodeBuilder node(graph, "DrawBoundingBoxesV2", attrs.name);
  node.In(images);
  node.In(boxes);
  node.In(colors);
  return node.BuildOutput();
}
Output DrawBoundingBoxesV2(const Input& images, const Input& boxes, const Input& colors, const DrawBoundingBoxesV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}, InputList{boxes}, InputList{colors}});
  if (graph == nullptr) return {};
  return DrawBoundingBoxesV2(*graph, images, boxes, colors, attrs);
}

Output EncodeJpeg(Graph& graph, const Input& image, const EncodeJpegAttrs& attrs) {
  NodeBuilder node(graph, "EncodeJpeg", attrs.name);
  node.In(image);
  node.Attr("format", attrs.format);
  node.Attr("quality", attrs.quality);
  node.Attr("progressive", attrs.progressive);
  node.Attr("optimize_size", attrs.optimize_size);
  node.Attr("chroma_downsampling", attrs.chroma_downsampling);
  node.Attr("density_unit", attrs.density_unit);
  node.Attr("x_density", attrs.x_density);
  node.Attr("y_density", attrs.y_density);
  node.Attr("xmp_metadata", attrs.xmp_metadata);
  return node.BuildOutput();
}
Output EncodeJpeg(const Input& image, const EncodeJpegAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{image}});
  if (graph == nullptr) return {};
  return EncodeJpeg(*graph, image, attrs);
}

Output EncodeJpegVariableQuality(Graph& graph, const Input& images, const Input& quality, const EncodeJpegVariableQualityAttrs& attrs) {
  NodeBuilder node(graph, "EncodeJpegVariableQuality", attrs.name);
  node.In(images);
  node.In(quality);
  return node.BuildOutput();
}
Output EncodeJpegVariableQuality(const Input& images, const Input& quality, const EncodeJpegVariableQualityAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}, InputList{quality}});
  if (graph == nullptr) return {};
  return EncodeJpegVariableQuality(*graph, images, quality, attrs);
}

Output EncodePng(Graph& graph, const Input& image, const EncodePngAttrs& attrs) {
  NodeBuilder node(graph, "EncodePng", attrs.name);
  node.In(image);
  node.Attr("compression", attrs.compression);
  return node.BuildOutput();
}
Output EncodePng(const Input& image, const EncodePngAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{image}});
  if (graph == nullptr) return {};
  return EncodePng(*graph, image, attrs);
}

Output ExtractGlimpse(Graph& graph, const Input& input, const Input& size, const Input& offsets, const ExtractGlimpseAttrs& attrs) {
  NodeBuilder node(graph, "ExtractGlimpse", attrs.name);
  node.In(input);
  node.In(size);
  node.In(offsets);
  node.Attr("centered", attrs.centered);
  node.Attr("normalized", attrs.normalized);
  node.Attr("uniform_noise", attrs.uniform_noise);
  node.Attr("noise", attrs.noise);
  return node.BuildOutput();
}
Output ExtractGlimpse(const Input& input, const Input& size, const Input& offsets, const ExtractGlimpseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{size}, InputList{offsets}});
  if (graph == nullptr) return {};
  return ExtractGlimpse(*graph, input, size, offsets, attrs);
}

Output ExtractJpegShape(Graph& graph, const Input& contents, const ExtractJpegShapeAttrs& attrs) {
  NodeBuilder node(graph, "ExtractJpegShape", attrs.name);
  node.In(contents);
  node.Attr("output_type", attrs.output_type);
  return node.BuildOutput();
}
Output ExtractJpegShape(const Input& contents, const ExtractJpegShapeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{contents}});
  if (graph == nullptr) return {};
  return ExtractJpegShape(*graph, contents, attrs);
}

Output HSVToRGB(Graph& graph, const Input& images, const HSVToRGBAttrs& attrs) {
  NodeBuilder node(graph, "HSVToRGB", attrs.name);
  node.In(images);
  return node.BuildOutput();
}
Output HSVToRGB(const Input& images, const HSVToRGBAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}});
  if (graph == nullptr) return {};
  return HSVToRGB(*graph, images, attrs);
}

Output NonMaxSuppression(Graph& graph, const Input& boxes, const Input& scores, const Input& max_output_size, const NonMaxSuppressionAttrs& attrs) {
  NodeBuilder node(graph, "NonMaxSuppression", attrs.name);
  node.In(boxes);
  node.In(scores);
  node.In(max_output_size);
  node.Attr("iou_threshold", attrs.iou_threshold);
  return node.BuildOutput();
}
Output NonMaxSuppression(const Input& boxes, const Input& scores, const Input& max_output_size, const NonMaxSuppressionAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{boxes}, InputList{scores}, InputList{max_output_size}});
  if (graph == nullptr) return {};
  return NonMaxSuppression(*graph, boxes, scores, max_output_size, attrs);
}

Output NonMaxSuppressionV2(Graph& graph, const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const NonMaxSuppressionV2Attrs& attrs) {
  NodeBuilder node(graph, "NonMaxSuppressionV2", attrs.name);
  node.In(boxes);
  node.In(scores);
  node.In(max_output_size);
  node.In(iou_threshold);
  return node.BuildOutput();
}
Output NonMaxSuppressionV2(const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const NonMaxSuppressionV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{boxes}, InputList{scores}, InputList{max_output_size}, InputList{iou_threshold}});
  if (graph == nullptr) return {};
  return NonMaxSuppressionV2(*graph, boxes, scores, max_output_size, iou_threshold, attrs);
}

Output NonMaxSuppressionV3(Graph& graph, const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, const NonMaxSuppressionV3Attrs& attrs) {
  NodeBuilder node(graph, "NonMaxSuppressionV3", attrs.name);
  node.In(boxes);
  node.In(scores);
  node.In(max_output_size);
  node.In(iou_threshold);
  node.In(score_threshold);
  return node.BuildOutput();
}
Output NonMaxSuppressionV3(const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, const NonMaxSuppressionV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{boxes}, InputList{scores}, InputList{max_output_size}, InputList{iou_threshold}, InputList{score_threshold}});
  if (graph == nullptr) return {};
  return NonMaxSuppressionV3(*graph, boxes, scores, max_output_size, iou_threshold, score_threshold, attrs);
}

NonMaxSuppressionV4Result NonMaxSuppressionV4(Graph& graph, const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, const NonMaxSuppressionV4Attrs& attrs) {
  NodeBuilder node(graph, "NonMaxSuppressionV4", attrs.name);
  node.In(boxes);
  node.In(scores);
  node.In(max_output_size);
  node.In(iou_threshold);
  node.In(score_threshold);
  node.Attr("pad_to_max_output_size", attrs.pad_to_max_output_size);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
NonMaxSuppressionV4Result NonMaxSuppressionV4(const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, const NonMaxSuppressionV4Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{boxes}, InputList{scores}, InputList{max_output_size}, InputList{iou_threshold}, InputList{score_threshold}});
  if (graph == nullptr) return {};
  return NonMaxSuppressionV4(*graph, boxes, scores, max_output_size, iou_threshold, score_threshold, attrs);
}

Output RGBToHSV(Graph& graph, const Input& images, const RGBToHSVAttrs& attrs) {
  NodeBuilder node(graph, "RGBToHSV", attrs.name);
  node.In(images);
  return node.BuildOutput();
}
Output RGBToHSV(const Input& images, const RGBToHSVAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}});
  if (graph == nullptr) return {};
  return RGBToHSV(*graph, images, attrs);
}

Output ResizeArea(Graph& graph, const Input& images, const Input& size, const ResizeAreaAttrs& attrs) {
  NodeBuilder node(graph, "ResizeArea", attrs.name);
  node.In(images);
  node.In(size);
  node.Attr("align_corners", attrs.align_corners);
  return node.BuildOutput();
}
Output ResizeArea(const Input& images, const Input& size, const ResizeAreaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}, InputList{size}});
  if (graph == nullptr) return {};
  return ResizeArea(*graph, images, size, attrs);
}

Output ResizeBicubic(Graph& graph, const Input& images, const Input& size, const ResizeBicubicAttrs& attrs) {
  NodeBuilder node(graph, "ResizeBicubic", attrs.name);
  node.In(images);
  node.In(size);
  node.Attr("align_corners", attrs.align_corners);
  node.Attr("half_pixel_centers", attrs.half_pixel_centers);
  return node.BuildOutput();
}
Output ResizeBicubic(const Input& images, const Input& size, const ResizeBicubicAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}, InputList{size}});
  if (graph == nullptr) return {};
  return ResizeBicubic(*graph, images, size, attrs);
}

Output ResizeBicubicGrad(Graph& graph, const Input& grads, const Input& original_image, const ResizeBicubicGradAttrs& attrs) {
  NodeBuilder node(graph, "ResizeBicubicGrad", attrs.name);
  node.In(grads);
  node.In(original_image);
  node.Attr("align_corners", attrs.align_corners);
  node.Attr("half_pixel_centers", attrs.half_pixel_centers);
  return node.BuildOutput();
}
Output ResizeBicubicGrad(const Input& grads, const Input& original_image, const ResizeBicubicGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{grads}, InputList{original_image}});
  if (graph == nullptr) return {};
  return ResizeBicubicGrad(*graph, grads, original_image, attrs);
}

Output ResizeBilinear(Graph& graph, const Input& images, const Input& size, const ResizeBilinearAttrs& attrs) {
  NodeBuilder node(graph, "ResizeBilinear", attrs.name);
  node.In(images);
  node.In(size);
  node.Attr("align_corners", attrs.align_corners);
  node.Attr("half_pixel_centers", attrs.half_pixel_centers);
  return node.BuildOutput();
}
Output ResizeBilinear(const Input& images, const Input& size, const ResizeBilinearAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}, InputList{size}});
  if (graph == nullptr) return {};
  return ResizeBilinear(*graph, images, size, attrs);
}

Output ResizeBilinearGrad(Graph& graph, const Input& grads, const Input& original_image, const ResizeBilinearGradAttrs& attrs) {
  NodeBuilder node(graph, "ResizeBilinearGrad", attrs.name);
  node.In(grads);
  node.In(original_image);
  node.Attr("align_corners", attrs.align_corners);
  node.Attr("half_pixel_centers", attrs.half_pixel_centers);
  return node.BuildOutput();
}
Output ResizeBilinearGrad(const Input& grads, const Input& original_image, const ResizeBilinearGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{grads}, InputList{original_image}});
  if (graph == nullptr) return {};
  return ResizeBilinearGrad(*graph, grads, original_image, attrs);
}

Output ResizeNearestNeighbor(Graph& graph, const Input& images, const Input& size, const ResizeNearestNeighborAttrs& attrs) {
  NodeBuilder node(graph, "ResizeNearestNeighbor", attrs.name);
  node.In(images);
  node.In(size);
  node.Attr("align_corners", attrs.align_corners);
  node.Attr("half_pixel_centers", attrs.half_pixel_centers);
  return node.BuildOutput();
}
Output ResizeNearestNeighbor(const Input& images, const Input& size, const ResizeNearestNeighborAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}, InputList{size}});
  if (graph == nullptr) return {};
  return ResizeNearestNeighbor(*graph, images, size, attrs);
}

Output ResizeNearestNeighborGrad(Graph& graph, const Input& grads, const Input& size, const ResizeNearestNeighborGradAttrs& attrs) {
  NodeBuilder node(graph, "ResizeNearestNeighborGrad", attrs.name);
  node.In(grads);
  node.In(size);
  node.Attr("align_corners", attrs.align_corners);
  node.Attr("half_pixel_centers", attrs.half_pixel_centers);
  return node.BuildOutput();
}
Output ResizeNearestNeighborGrad(const Input& grads, const Input& size, const ResizeNearestNeighborGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{grads}, InputList{size}});
  if (graph == nullptr) return {};
  return ResizeNearestNeighborGrad(*graph, grads, size, attrs);
}

SampleDistortedBoundingBoxResult SampleDistortedBoundingBox(Graph& graph, const Input& image_size, const Input& bounding_boxes, const SampleDistortedBoundingBoxAttrs& attrs) {
  NodeBuilder node(graph, "SampleDistortedBoundingBox", attrs.name);
  node.In(image_size);
  node.In(bounding_boxes);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  node.Attr("min_object_covered", attrs.min_object_covered);
  node.Attr("aspect_ratio_range", attrs.aspect_ratio_range);
  node.Attr("area_range", attrs.area_range);
  node.Attr("max_attempts", attrs.max_attempts);
  node.Attr("use_image_if_no_bounding_boxes", attrs.use_image_if_no_bounding_boxes);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
SampleDistortedBoundingBoxResult SampleDistortedBoundingBox(const Input& image_size, const Input& bounding_boxes, const SampleDistortedBoundingBoxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{image_size}, InputList{bounding_boxes}});
  if (graph == nullptr) return {};
  return SampleDistortedBoundingBox(*graph, image_size, bounding_boxes, attrs);
}

SampleDistortedBoundingBoxV2Result SampleDistortedBoundingBoxV2(Graph& graph, const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered, const SampleDistortedBoundingBoxV2Attrs& attrs) {
  NodeBuilder node(graph, "SampleDistortedBoundingBoxV2", attrs.name);
  node.In(image_size);
  node.In(bounding_boxes);
  node.In(min_object_covered);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  node.Attr("aspect_ratio_range", attrs.aspect_ratio_range);
  node.Attr("area_range", attrs.area_range);
  node.Attr("max_attempts", attrs.max_attempts);
  node.Attr("use_image_if_no_bounding_boxes", attrs.use_image_if_no_bounding_boxes);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
SampleDistortedBoundingBoxV2Result SampleDistortedBoundingBoxV2(const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered, const SampleDistortedBoundingBoxV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{image_size}, InputList{bounding_boxes}, InputList{min_object_covered}});
  if (graph == nullptr) return {};
  return SampleDistortedBoundingBoxV2(*graph, image_size, bounding_boxes, min_object_covered, attrs);
}

}  // namespace weir
