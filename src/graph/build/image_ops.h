// Graph-building functions for the ops of ops/image, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_IMAGE_OPS_H_
#define WEIR_GRAPH_BUILD_IMAGE_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct AdjustContrastv2Attrs {
  std::string name = "";
};
Output AdjustContrastv2(Graph& graph, const Input& images, const Input& contrast_factor, const AdjustContrastv2Attrs& attrs = {});
Output AdjustContrastv2(const Input& images, const Input& contrast_factor, const AdjustContrastv2Attrs& attrs = {});

struct AdjustHueAttrs {
  std::string name = "";
};
Output AdjustHue(Graph& graph, const Input& images, const Input& delta, const AdjustHueAttrs& attrs = {});
Output AdjustHue(const Input& images, const Input& delta, const AdjustHueAttrs& attrs = {});

struct AdjustSaturationAttrs {
  std::string name = "";
};
Output AdjustSaturation(Graph& graph, const Input& images, const Input& scale, const AdjustSaturationAttrs& attrs = {});
Output AdjustSaturation(const Input& images, const Input& scale, const AdjustSaturationAttrs& attrs = {});

struct CropAndResizeAttrs {
  std::string method = "bilinear";
  float extrapolation_value = 0.0f;
  std::string name = "";
};
Output CropAndResize(Graph& graph, const Input& image, const Input& boxes, const Input& box_ind, const Input& crop_size, const CropAndResizeAttrs& attrs = {});
Output CropAndResize(const Input& image, const Input& boxes, const Input& box_ind, const Input& crop_size, const CropAndResizeAttrs& attrs = {});

struct CropAndResizeGradBoxesAttrs {
  std::string method = "bilinear";
  std::string name = "";
};
Output CropAndResizeGradBoxes(Graph& graph, const Input& grads, const Input& image, const Input& boxes, const Input& box_ind, const CropAndResizeGradBoxesAttrs& attrs = {});
Output CropAndResizeGradBoxes(const Input& grads, const Input& image, const Input& boxes, const Input& box_ind, const CropAndResizeGradBoxesAttrs& attrs = {});

struct CropAndResizeGradImageAttrs {
  std::string method = "bilinear";
  std::string name = "";
};
Output CropAndResizeGradImage(Graph& graph, const Input& grads, const Input& boxes, const Input& box_ind, const Input& image_size, DType T, const CropAndResizeGradImageAttrs& attrs = {});
Output CropAndResizeGradImage(const Input& grads, const Input& boxes, const Input& box_ind, const Input& image_size, DType T, const CropAndResizeGradImageAttrs& attrs = {});

struct DecodeAndCropJpegAttrs {
  int64_t channels = 0;
  int64_t ratio = 1;
  bool fancy_upscaling = true;
  bool try_recover_truncated = false;
  float acceptable_fraction = 1.0f;
  std::string dct_method = "";
  std::string name = "";
};
Output DecodeAndCropJpeg(Graph& graph, const Input& contents, const Input& crop_window, const DecodeAndCropJpegAttrs& attrs = {});
Output DecodeAndCropJpeg(const Input& contents, const Input& crop_window, const DecodeAndCropJpegAttrs& attrs = {});

struct DecodeBmpAttrs {
  int64_t channels = 0;
  std::string name = "";
};
Output DecodeBmp(Graph& graph, const Input& contents, const DecodeBmpAttrs& attrs = {});
Output DecodeBmp(const Input& contents, const DecodeBmpAttrs& attrs = {});

struct DecodeGifAttrs {
  std::string name = "";
};
Output DecodeGif(Graph& graph, const Input& contents, const DecodeGifAttrs& attrs = {});
Output DecodeGif(const Input& contents, const DecodeGifAttrs& attrs = {});

struct DecodeJpegAttrs {
  int64_t channels = 0;
  int64_t ratio = 1;
  bool fancy_upscaling = true;
  bool try_recover_truncated = false;
  float acceptable_fraction = 1.0f;
  std::string dct_method = "";
  std::string name = "";
};
Output DecodeJpeg(Graph& graph, const Input& contents, const DecodeJpegAttrs& attrs = {});
Output DecodeJpeg(const Input& contents, const DecodeJpegAttrs& attrs = {});

struct DecodePngAttrs {
  int64_t channels = 0;
  DType dtype = kUint8;
  std::string name = "";
};
Output DecodePng(Graph& graph, const Input& contents, const DecodePngAttrs& attrs = {});
Output DecodePng(const Input& contents, const DecodePngAttrs& attrs = {});

struct DrawBoundingBoxesAttrs {
  std::string name = "";
};
Output DrawBoundingBoxes(Graph& graph, const Input& images, const Input& boxes, const DrawBoundingBoxesAttrs& attrs = {});
Output DrawBoundingBoxes(const Input& images, const Input& boxes, const DrawBoundingBoxesAttrs& attrs = {});

struct DrawBoundingBoxesV2Attrs {
  std::string name = "";
};
Output DrawBoundingBoxesV2(Graph& graph, const Input& images, const Input& boxes, const Input& colors, const DrawBoundingBoxesV2Attrs& attrs = {});
Output DrawBoundingBoxesV2(const Input& images, const Input& boxes, const Input& colors, const DrawBoundingBoxesV2Attrs& attrs = {});

struct EncodeJpegAttrs {
  std::string format = "";
  int64_t quality = 95;
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  std::string density_unit = "in";
  int64_t x_density = 300;
  int64_t y_density = 300;
  std::string xmp_metadata = "";
  std::string name = "";
};
Output EncodeJpeg(Graph& graph, const Input& image, const EncodeJpegAttrs& attrs = {});
Output EncodeJpeg(const Input& image, const EncodeJpegAttrs& attrs = {});

struct EncodeJpegVariableQualityAttrs {
  std::string name = "";
};
Output EncodeJpegVariableQuality(Graph& graph, const Input& images, const Input& quality, const EncodeJpegVariableQualityAttrs& attrs = {});
Output EncodeJpegVariableQuality(const Input& images, const Input& quality, const EncodeJpegVariableQualityAttrs& attrs = {});

struct EncodePngAttrs {
  int64_t compression = -1;
  std::string name = "";
};
Output EncodePng(Graph& graph, const Input& image, const EncodePngAttrs& attrs = {});
Output EncodePng(const Input& image, const EncodePngAttrs& attrs = {});

struct ExtractGlimpseAttrs {
  bool centered = true;
  bool normalized = true;
  bool uniform_noise = true;
  std::string noise = "uniform";
  std::string name = "";
};
Output ExtractGlimpse(Graph& graph, const Input& input, const Input& size, const Input& offsets, const ExtractGlimpseAttrs& attrs = {});
Output ExtractGlimpse(const Input& input, const Input& size, const Input& offsets, const ExtractGlimpseAttrs& attrs = {});

struct ExtractJpegShapeAttrs {
  DType output_type = kInt32;
  std::string name = "";
};
Output ExtractJpegShape(Graph& graph, const Input& contents, const ExtractJpegShapeAttrs& attrs = {});
Output ExtractJpegShape(const Input& contents, const ExtractJpegShapeAttrs& attrs = {});

struct HSVToRGBAttrs {
  std::string name = "";
};
Output HSVToRGB(Graph& graph, const Input& images, const HSVToRGBAttrs& attrs = {});
Output HSVToRGB(const Input& images, const HSVToRGBAttrs& attrs = {});

struct NonMaxSuppressionAttrs {
  float iou_threshold = 0.5f;
  std::string name = "";
};
Output NonMaxSuppression(Graph& graph, const Input& boxes, const Input& scores, const Input& max_output_size, const NonMaxSuppressionAttrs& attrs = {});
Output NonMaxSuppression(const Input& boxes, const Input& scores, const Input& max_output_size, const NonMaxSuppressionAttrs& attrs = {});

struct NonMaxSuppressionV2Attrs {
  std::string name = "";
};
Output NonMaxSuppressionV2(Graph& graph, const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const NonMaxSuppressionV2Attrs& attrs = {});
Output NonMaxSuppressionV2(const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const NonMaxSuppressionV2Attrs& attrs = {});

struct NonMaxSuppressionV3Attrs {
  std::string name = "";
};
Output NonMaxSuppressionV3(Graph& graph, const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, const NonMaxSuppressionV3Attrs& attrs = {});
Output NonMaxSuppressionV3(const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, const NonMaxSuppressionV3Attrs& attrs = {});

struct NonMaxSuppressionV4Attrs {
  bool pad_to_max_output_size = false;
  std::string name = "";
};
struct NonMaxSuppressionV4Result {
  Output selected_indices;
  Output valid_outputs;
};
NonMaxSuppressionV4Result NonMaxSuppressionV4(Graph& graph, const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, const NonMaxSuppressionV4Attrs& attrs = {});
NonMaxSuppressionV4Result NonMaxSuppressionV4(const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, const NonMaxSuppressionV4Attrs& attrs = {});

struct RGBToHSVAttrs {
  std::string name = "";
};
Output RGBToHSV(Graph& graph, const Input& images, const RGBToHSVAttrs& attrs = {});
Output RGBToHSV(const Input& images, const RGBToHSVAttrs& attrs = {});

struct ResizeAreaAttrs {
  bool align_corners = false;
  std::string name = "";
};
Output ResizeArea(Graph& graph, const Input& images, const Input& size, const ResizeAreaAttrs& attrs = {});
Output ResizeArea(const Input& images, const Input& size, const ResizeAreaAttrs& attrs = {});

struct ResizeBicubicAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string name = "";
};
Output ResizeBicubic(Graph& graph, const Input& images, const Input& size, const ResizeBicubicAttrs& attrs = {});
Output ResizeBicubic(const Input& images, const Input& size, const ResizeBicubicAttrs& attrs = {});

struct ResizeBicubicGradAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string name = "";
};
Output ResizeBicubicGrad(Graph& graph, const Input& grads, const Input& original_image, const ResizeBicubicGradAttrs& attrs = {});
Output ResizeBicubicGrad(const Input& grads, const Input& original_image, const ResizeBicubicGradAttrs& attrs = {});

struct ResizeBilinearAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string name = "";
};
Output ResizeBilinear(Graph& graph, const Input& images, const Input& size, const ResizeBilinearAttrs& attrs = {});
Output ResizeBilinear(const Input& images, const Input& size, const ResizeBilinearAttrs& attrs = {});

struct ResizeBilinearGradAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string name = "";
};
Output ResizeBilinearGrad(Graph& graph, const Input& grads, const Input& original_image, const ResizeBilinearGradAttrs& attrs = {});
Output ResizeBilinearGrad(const Input& grads, const Input& original_image, const ResizeBilinearGradAttrs& attrs = {});

struct ResizeNearestNeighborAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string name = "";
};
Output ResizeNearestNeighbor(Graph& graph, const Input& images, const Input& size, const ResizeNearestNeighborAttrs& attrs = {});
Output ResizeNearestNeighbor(const Input& images, const Input& size, const ResizeNearestNeighborAttrs& attrs = {});

struct ResizeNearestNeighborGradAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string name = "";
};
Output ResizeNearestNeighborGrad(Graph& graph, const Input& grads, const Input& size, const ResizeNearestNeighborGradAttrs& attrs = {});
Output ResizeNearestNeighborGrad(const Input& grads, const Input& size, const ResizeNearestNeighborGradAttrs& attrs = {});

struct SampleDistortedBoundingBoxAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  float min_object_covered = 0.1f;
  std::vector<float> aspect_ratio_range = {0.75f, 1.33f};
  std::vector<float> area_range = {0.05f, 1.0f};
  int64_t max_attempts = 100;
  bool use_image_if_no_bounding_boxes = false;
  std::string name = "";
};
struct SampleDistortedBoundingBoxResult {
  Output begin;
  Output size;
  Output bboxes;
};
SampleDistortedBoundingBoxResult SampleDistortedBoundingBox(Graph& graph, const Input& image_size, const Input& bounding_boxes, const SampleDistortedBoundingBoxAttrs& attrs = {});
SampleDistortedBoundingBoxResult SampleDistortedBoundingBox(const Input& image_size, const Input& bounding_boxes, const SampleDistortedBoundingBoxAttrs& attrs = {});

struct SampleDistortedBoundingBoxV2Attrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::vector<float> aspect_ratio_range = {0.75f, 1.33f};
  std::vector<float> area_range = {0.05f, 1.0f};
  int64_t max_attempts = 100;
  bool use_image_if_no_bounding_boxes = false;
  std::string name = "";
};
struct SampleDistortedBoundingBoxV2Result {
  Output begin;
  Output size;
  Output bboxes;
};
SampleDistortedBoundingBoxV2Result SampleDistortedBoundingBoxV2(Graph& graph, const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered, const SampleDistortedBoundingBoxV2Attrs& attrs = {});
SampleDistortedBoundingBoxV2Result SampleDistortedBoundingBoxV2(const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered, const SampleDistortedBoundingBoxV2Attrs& attrs = {});

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_IMAGE_OPS_H_
