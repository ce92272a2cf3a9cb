// tf.image functions whose public signature differs from that of a single op.
#include "graph/compose/image.h"

#include "bind/arguments.h"
#include "graph/build/image_ops.h"
#include "graph/compose/dims.h"
#include "graph/compose/image_files.h"

namespace weir::python {
namespace {

void BindImageFiles(py::module_& m) {
  const auto no_name = py::arg("name") = py::none();
  Def(
      m, "convert_image_dtype",
      +[](Graph& g, Input image, DType dtype, bool saturate, Name n) {
        return ConvertImageType(g, image, dtype, saturate, n.text);
      },
      py::arg("image"), py::arg("dtype"), py::arg("saturate") = false, no_name);
  Def(
      m, "is_jpeg", +[](Graph& g, Input contents, Name n) { return IsJpeg(g, contents, n.text); }, py::arg("contents"),
      no_name);
  Def(
      m, "decode_image",
      +[](Graph& g, Input contents, std::optional<int64_t> channels, DType dtype, Name n, bool expand_animations) {
        return DecodeAnyImage(g, contents, {channels.value_or(0), dtype, expand_animations, n.text});
      },
      py::arg("contents"), py::arg("channels") = py::none(), py::arg("dtype") = kUint8, no_name,
      py::arg("expand_animations") = true);
}

// Parses a number of tf.image.ResizeMethod (1.x) or a name (2.x).
ResizeMethod MethodOf(const py::object& method) {
  constexpr const char* kNames[] = {"bilinear", "nearest", "bicubic", "area"};
  for (int i = 0; i < 4; ++i) {
    if (py::isinstance<py::str>(method) ? method.cast<std::string>() == kNames[i] : method.equal(py::int_(i)))
      return static_cast<ResizeMethod>(i);
  }
  RaiseValue("Resize method is not implemented: " + py::repr(method).cast<std::string>());
}

// Raises TensorFlow's error for coordinates that are no numbers.
void CheckCoordinates(std::initializer_list<Input> coordinates) {
  for (const Input& x : coordinates) {
    if (x.absent()) RaiseType("'>=' not supported between instances of 'NoneType' and 'int'");
    const std::optional<Tensor> value = x.literal() == nullptr ? std::nullopt : x.literal()->Value(kInt32);
    if (value.has_value() && value->rank() > 0) RaiseType("'>=' not supported between instances of 'list' and 'int'");
  }
}

void BindResizing(py::module_& m) {
  const auto no_name = py::arg("name") = py::none();
  Def(
      m, "resize_images",
      +[](Graph& g, Input images, Input size, const py::object& method, bool align_corners, bool preserve_aspect_ratio,
          Name n) {
        return ResizeImages(g, images, size, {MethodOf(method), align_corners, preserve_aspect_ratio, n.text});
      },
      py::arg("images"), py::arg("size"), py::arg("method") = 0, py::arg("align_corners") = false,
      py::arg("preserve_aspect_ratio") = false, no_name);
  Def(
      m, "resize_image_with_crop_or_pad",
      +[](Graph& g, Input image, Input height, Input width) {
        CheckCoordinates({height, width});
        return ResizeWithCropOrPad(g, image, height, width);
      },
      py::arg("image"), py::arg("target_height"), py::arg("target_width"));
  Def(
      m, "resize_image_with_pad",
      +[](Graph& g, Input image, Input height, Input width, const py::object& method, bool align_corners) {
        CheckCoordinates({height, width});
        return ResizeWithPad(g, image, height, width, {MethodOf(method), align_corners});
      },
      py::arg("image"), py::arg("target_height"), py::arg("target_width"), py::arg("method") = 0,
      py::arg("align_corners") = false);
  using Box = Output (*)(Graph&, Input, Input, Input, Input, Input);
  const std::pair<const char*, Box> boxes[] = {
      {"crop_to_bounding_box",
       [](Graph& g, Input image, Input top, Input left, Input height, Input width) {
         CheckCoordinates({top, left, height, width});
         return CropToBoundingBox(g, image, top, left, height, width);
       }},
      {"pad_to_bounding_box",
       [](Graph& g, Input image, Input top, Input left, Input height, Input width) {
         CheckCoordinates({top, left, height, width});
         return PadToBoundingBox(g, image, top, left, height, width);
       }},
  };
  for (const auto& [name, function] : boxes)
    Def(m, name, function, py::arg("image"), py::arg("offset_height"), py::arg("offset_width"),
        py::arg("target_height"), py::arg("target_width"));
  Def(
      m, "central_crop", +[](Graph& g, Input image, double fraction) { return CentralCrop(g, image, fraction); },
      py::arg("image"), py::arg("central_fraction"));
}

void BindTurns(py::module_& m) {
  using Whole = Output (*)(Graph&, Input);
  const std::pair<const char*, Whole> whole[] = {
      {"flip_left_right", [](Graph& g, Input image) { return FlipImage(g, image, Flip::kLeftRight); }},
      {"flip_up_down", [](Graph& g, Input image) { return FlipImage(g, image, Flip::kUpDown); }},
      {"per_image_standardization", [](Graph& g, Input image) { return StandardizeImage(g, image); }},
  };
  for (const auto& [name, function] : whole) Def(m, name, function, py::arg("image"));
  using Chance = Output (*)(Graph&, Input, OpSeed);
  const std::pair<const char*, Chance> flips[] = {
      {"random_flip_left_right",
       [](Graph& g, Input image, OpSeed seed) { return RandomFlip(g, image, Flip::kLeftRight, seed); }},
      {"random_flip_up_down",
       [](Graph& g, Input image, OpSeed seed) { return RandomFlip(g, image, Flip::kUpDown, seed); }},
  };
  for (const auto& [name, function] : flips) Def(m, name, function, py::arg("image"), py::arg("seed") = py::none());
  Def(
      m, "rot90", +[](Graph& g, Input image, Input k, Name n) { return Rotate90(g, image, k, n.text); },
      py::arg("image"), py::arg("k") = 1, py::arg("name") = py::none());
  Def(
      m, "transpose_image", +[](Graph& g, Input image, Name n) { return TransposeImage(g, image, n.text); },
      py::arg("image"), py::arg("name") = py::none());
}

void BindColors(py::module_& m) {
  const auto no_name = py::arg("name") = py::none();
  Def(
      m, "adjust_brightness", +[](Graph& g, Input image, Input delta) { return AdjustBrightness(g, image, delta); },
      py::arg("image"), py::arg("delta"));
  Def(
      m, "adjust_contrast", +[](Graph& g, Input images, Input factor) { return AdjustContrast(g, images, factor); },
      py::arg("images"), py::arg("contrast_factor"));
  Def(
      m, "adjust_hue", +[](Graph& g, Input image, Input delta, Name n) { return AdjustHueOf(g, image, delta, n.text); },
      py::arg("image"), py::arg("delta"), no_name);
  Def(
      m, "adjust_saturation",
      +[](Graph& g, Input image, Input factor, Name n) { return AdjustSaturationOf(g, image, factor, n.text); },
      py::arg("image"), py::arg("saturation_factor"), no_name);
  Def(
      m, "adjust_jpeg_quality",
      +[](Graph& g, Input image, Input quality, Name n) { return AdjustJpegQuality(g, image, quality, n.text); },
      py::arg("image"), py::arg("jpeg_quality"), no_name);
  Def(
      m, "random_jpeg_quality",
      +[](Graph& g, Input image, int64_t least, int64_t most, OpSeed seed) {
        return RandomJpegQuality(g, image, least, most, seed);
      },
      py::arg("image"), py::arg("min_jpeg_quality"), py::arg("max_jpeg_quality"), py::arg("seed") = py::none());
  Def(
      m, "image_gradients",
      +[](Graph& g, Input image) {
        const ImageGradientsResult r = ImageGradients(g, image);
        return std::pair(r.dy, r.dx);
      },
      py::arg("image"));
  Def(
      m, "adjust_gamma",
      +[](Graph& g, Input image, Input gamma, Input gain) { return AdjustGamma(g, image, gamma, gain); },
      py::arg("image"), py::arg("gamma") = 1, py::arg("gain") = 1);
  using Delta = Output (*)(Graph&, Input, double, OpSeed);
  const std::pair<const char*, Delta> deltas[] = {
      {"random_brightness",
       [](Graph& g, Input image, double delta, OpSeed seed) { return RandomBrightness(g, image, delta, seed); }},
      {"random_hue", [](Graph& g, Input image, double delta, OpSeed seed) { return RandomHue(g, image, delta, seed); }},
  };
  for (const auto& [name, function] : deltas)
    Def(m, name, function, py::arg("image"), py::arg("max_delta"), py::arg("seed") = py::none());
  using Range = Output (*)(Graph&, Input, double, double, OpSeed);
  const std::pair<const char*, Range> ranges[] = {
      {"random_contrast", [](Graph& g, Input image, double lower, double upper,
                             OpSeed seed) { return RandomContrast(g, image, lower, upper, seed); }},
      {"random_saturation", [](Graph& g, Input image, double lower, double upper,
                               OpSeed seed) { return RandomSaturation(g, image, lower, upper, seed); }},
  };
  for (const auto& [name, function] : ranges)
    Def(m, name, function, py::arg("image"), py::arg("lower"), py::arg("upper"), py::arg("seed") = py::none());
  using Named = Output (*)(Graph&, Input, Name);
  const std::pair<const char*, Named> named[] = {
      {"rgb_to_grayscale", [](Graph& g, Input images, Name n) { return RgbToGrayscale(g, images, n.text); }},
      {"grayscale_to_rgb", [](Graph& g, Input images, Name n) { return GrayscaleToRgb(g, images, n.text); }},
      {"total_variation", [](Graph& g, Input images, Name n) { return TotalVariation(g, images, n.text); }},
  };
  for (const auto& [name, function] : named) Def(m, name, function, py::arg("images"), no_name);
  using Change = Output (*)(Graph&, Input);
  const std::pair<const char*, Change> changes[] = {
      {"rgb_to_yuv", [](Graph& g, Input images) { return ConvertColorSpace(g, images, ColorConversion::kRgbToYuv); }},
      {"yuv_to_rgb", [](Graph& g, Input images) { return ConvertColorSpace(g, images, ColorConversion::kYuvToRgb); }},
      {"rgb_to_yiq", [](Graph& g, Input images) { return ConvertColorSpace(g, images, ColorConversion::kRgbToYiq); }},
      {"yiq_to_rgb", [](Graph& g, Input images) { return ConvertColorSpace(g, images, ColorConversion::kYiqToRgb); }},
  };
  for (const auto& [name, function] : changes) Def(m, name, function, py::arg("images"));
  const auto size = py::arg("filter_size") = 11;
  const auto sigma = py::arg("filter_sigma") = 1.5, k1 = py::arg("k1") = 0.01, k2 = py::arg("k2") = 0.03;
  Def(
      m, "ssim",
      +[](Graph& g, Input a, Input b, double max_val, int64_t filter_size, double filter_sigma, double small,
          double large) {
        return StructuralSimilarity(g, a, b, max_val, {filter_size, filter_sigma, small, large});
      },
      py::arg("img1"), py::arg("img2"), py::arg("max_val"), size, sigma, k1, k2);
  Def(
      m, "ssim_multiscale",
      +[](Graph& g, Input a, Input b, double max_val, const std::vector<float>& powers, int64_t filter_size,
          double filter_sigma, double small, double large) {
        return MultiscaleSimilarity(g, a, b, max_val, powers, {filter_size, filter_sigma, small, large});
      },
      py::arg("img1"), py::arg("img2"), py::arg("max_val"),
      py::arg("power_factors") = std::vector<float>{0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f}, size, sigma, k1, k2);
  Def(
      m, "sobel_edges", +[](Graph& g, Input image) { return SobelEdges(g, image); }, py::arg("image"));
  Def(
      m, "psnr",
      +[](Graph& g, Input a, Input b, double max_val, Name n) { return PeakSignalToNoise(g, a, b, max_val, n.text); },
      py::arg("a"), py::arg("b"), py::arg("max_val"), no_name);
}

void BindBoxes(py::module_& m) {
  const auto no_name = py::arg("name") = py::none();
  Def(
      m, "draw_bounding_boxes",
      +[](Graph& g, Input images, Input boxes, Name n, Input colors) {
        if (colors.absent()) return DrawBoundingBoxes(g, images, boxes, {.name = n.text});
        return DrawBoundingBoxesV2(g, images, boxes, colors, {.name = n.text});
      },
      py::arg("images"), py::arg("boxes"), no_name, py::arg("colors") = py::none());
  Def(
      m, "sample_distorted_bounding_box",
      +[](Graph& g, Input image_size, Input boxes, std::optional<int64_t> seed, std::optional<int64_t> seed2,
          Input covered, std::optional<std::vector<float>> aspects, std::optional<std::vector<float>> areas,
          std::optional<int64_t> attempts, std::optional<bool> whole, Name n) {
        SampleBoxOptions options{.seed = seed.value_or(0), .seed2 = seed2.value_or(0), .name = n.text};
        if (!covered.absent()) options.min_object_covered = covered;
        if (aspects) options.aspect_ratio_range = *aspects;
        if (areas) options.area_range = *areas;
        if (attempts) options.max_attempts = *attempts;
        if (whole) options.use_image_if_no_bounding_boxes = *whole;
        const SampledBox box = SampleDistortedBox(g, image_size, boxes, options);
        return std::tuple(box.begin, box.size, box.bboxes);
      },
      py::arg("image_size"), py::arg("bounding_boxes"), py::arg("seed") = py::none(), py::arg("seed2") = py::none(),
      py::arg("min_object_covered") = 0.1, py::arg("aspect_ratio_range") = py::none(),
      py::arg("area_range") = py::none(), py::arg("max_attempts") = py::none(),
      py::arg("use_image_if_no_bounding_boxes") = py::none(), no_name);
  Def(
      m, "non_max_suppression",
      +[](Graph& g, Input boxes, Input scores, Input max_output_size, Input iou, Input score, Name n) {
        NameScope scope(g, n.text.empty() ? "non_max_suppression" : n.text);
        const Output overlap = ValueOf(g, iou, kFloat, "iou_threshold"),
                     least = ValueOf(g, score, kFloat, "score_threshold");
        return NonMaxSuppressionV3(g, boxes, scores, max_output_size, overlap, least);
      },
      py::arg("boxes"), py::arg("scores"), py::arg("max_output_size"), py::arg("iou_threshold") = 0.5,
      py::arg("score_threshold") = -std::numeric_limits<double>::infinity(), no_name);
  Def(
      m, "non_max_suppression_padded",
      +[](Graph& g, Input boxes, Input scores, Input max_output_size, Input iou, Input score, bool pad, Name n) {
        NameScope scope(g, n.text.empty() ? "non_max_suppression_padded" : n.text);
        const Output overlap = ValueOf(g, iou, kFloat, "iou_threshold"),
                     least = ValueOf(g, score, kFloat, "score_threshold");
        const auto r =
            NonMaxSuppressionV4(g, boxes, scores, max_output_size, overlap, least, {.pad_to_max_output_size = pad});
        return std::pair(r.selected_indices, r.valid_outputs);
      },
      py::arg("boxes"), py::arg("scores"), py::arg("max_output_size"), py::arg("iou_threshold") = 0.5,
      py::arg("score_threshold") = -std::numeric_limits<double>::infinity(), py::arg("pad_to_max_output_size") = false,
      no_name);
}

}  // namespace

void BindImage(py::module_& m) {
  BindImageFiles(m);
  BindResizing(m);
  BindTurns(m);
  BindColors(m);
  BindBoxes(m);
}

}  // namespace weir::python
