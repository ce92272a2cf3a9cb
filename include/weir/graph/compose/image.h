// TensorFlow's image functions on [height, width, channels] or [batch, height, width, channels]: resizing, cropping,
// flipping, colors. Errors are recorded in the graph's build state; the result is then invalid.
#pragma once

#include <string>
#include <vector>

#include "weir/graph/compose/random.h"
#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

enum class ResizeMethod { kBilinear = 0, kNearestNeighbor = 1, kBicubic = 2, kArea = 3 };
struct ResizeOptions {
  ResizeMethod method = ResizeMethod::kBilinear;
  bool align_corners = false;
  bool preserve_aspect_ratio = false;  // the largest size that fits into `size`
  std::string name = "";
};
// size: [height, width].
Output ResizeImages(Graph& graph, const Input& images, const Input& size, const ResizeOptions& options = {});
// Crops or zero-pads around the center.
Output ResizeWithCropOrPad(Graph& graph, const Input& image, const Input& height, const Input& width);
// Resizes with unchanged proportions, then pads with zeros.
Output ResizeWithPad(Graph& graph, const Input& image, const Input& height, const Input& width,
                     const ResizeOptions& options = {});

Output CropToBoundingBox(Graph& graph, const Input& image, const Input& offset_height, const Input& offset_width,
                         const Input& target_height, const Input& target_width);
Output PadToBoundingBox(Graph& graph, const Input& image, const Input& offset_height, const Input& offset_width,
                        const Input& target_height, const Input& target_width);
// The central part, with the given fraction of each side.
Output CentralCrop(Graph& graph, const Input& image, double fraction);

enum class Flip { kLeftRight, kUpDown };
Output FlipImage(Graph& graph, const Input& image, Flip flip);
// Flips each image with probability 1/2.
Output RandomFlip(Graph& graph, const Input& image, Flip flip, OpSeed seed = {});
// Rotates by 90 degrees counterclockwise, k times.
Output Rotate90(Graph& graph, const Input& image, const Input& k = 1, std::string name = "");
// Swaps rows and columns.
Output TransposeImage(Graph& graph, const Input& image, std::string name = "");

// Color adjustments for any type: non-floating images are converted to float and back.
Output AdjustBrightness(Graph& graph, const Input& image, const Input& delta);
Output AdjustContrast(Graph& graph, const Input& images, const Input& factor);
Output AdjustHueOf(Graph& graph, const Input& image, const Input& delta, std::string name = "");
Output AdjustSaturationOf(Graph& graph, const Input& image, const Input& factor, std::string name = "");
Output AdjustGamma(Graph& graph, const Input& image, const Input& gamma = 1.0f, const Input& gain = 1.0f);
// Adjusts by a random value in [-max_delta, max_delta) or [lower, upper).
Output RandomBrightness(Graph& graph, const Input& image, double max_delta, OpSeed seed = {});
Output RandomContrast(Graph& graph, const Input& image, double lower, double upper, OpSeed seed = {});
Output RandomHue(Graph& graph, const Input& image, double max_delta, OpSeed seed = {});
Output RandomSaturation(Graph& graph, const Input& image, double lower, double upper, OpSeed seed = {});

// Encodes an image as JPEG of the given quality and decodes it again.
Output AdjustJpegQuality(Graph& graph, const Input& image, const Input& quality, std::string name = "");
// With a random quality in [min, max).
Output RandomJpegQuality(Graph& graph, const Input& image, int64_t min_quality, int64_t max_quality, OpSeed seed = {});

Output RgbToGrayscale(Graph& graph, const Input& images, std::string name = "");
Output GrayscaleToRgb(Graph& graph, const Input& images, std::string name = "");
enum class ColorConversion { kRgbToYuv, kYuvToRgb, kRgbToYiq, kYiqToRgb };
Output ConvertColorSpace(Graph& graph, const Input& images, ColorConversion change);

// Scales each image to mean 0 and variance 1. The divisor is at least 1 / sqrt(number of values), for uniform images.
Output StandardizeImage(Graph& graph, const Input& image);
// The sum of the absolute differences of neighboring pixels, per image.
Output TotalVariation(Graph& graph, const Input& images, std::string name = "");

// --- Comparison of images [..., height, width, channels] with values up to max_val: one number per pair ---
// Peak signal-to-noise ratio.
Output PeakSignalToNoise(Graph& graph, const Input& a, const Input& b, double max_val, std::string name = "");
// Structural similarity (SSIM), at most 1: compares means, variances and covariances under a Gaussian filter of
// `filter_size` pixels.
struct SimilarityOptions {
  int64_t filter_size = 11;
  double filter_sigma = 1.5;
  double k1 = 0.01;
  double k2 = 0.03;
};
Output StructuralSimilarity(Graph& graph, const Input& a, const Input& b, double max_val,
                            const SimilarityOptions& options = {});
// SSIM at several scales (MS-SSIM): one per power factor, each half the size of the previous one.
Output MultiscaleSimilarity(Graph& graph, const Input& a, const Input& b, double max_val,
                            const std::vector<float>& power_factors = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f},
                            const SimilarityOptions& options = {});
// [batch, height, width, channels, 2]: vertical and horizontal gradients.
Output SobelEdges(Graph& graph, const Input& image);
// The differences between each pixel of images [batch, height, width, channels] and the next one below it, and to its
// right. Zero at the border.
struct ImageGradientsResult {
  Output dy;
  Output dx;
};
ImageGradientsResult ImageGradients(Graph& graph, const Input& images);

// --- A random crop that covers enough of a bounding box, for training on distorted images ---
struct SampleBoxOptions {
  int64_t seed = 0;  // seed == seed2 == 0: nondeterministic
  int64_t seed2 = 0;
  Input min_object_covered = 0.1f;  // fraction of a box that the crop must contain
  std::vector<float> aspect_ratio_range = {0.75f, 1.33f};
  std::vector<float> area_range = {0.05f, 1.0f};
  int64_t max_attempts = 100;  // then the whole image is used
  bool use_image_if_no_bounding_boxes = false;
  std::string name = "";
};
struct SampledBox {
  Output begin;   // `begin` and `size` are arguments for Slice
  Output size;    // [height, width, -1]
  Output bboxes;  // [1, 1, 4], for DrawBoundingBoxes
};
// image_size: [height, width, channels]; bounding_boxes: [batch, n, 4] as [y_min, x_min, y_max, x_max] in [0, 1].
SampledBox SampleDistortedBox(Graph& graph, const Input& image_size, const Input& bounding_boxes,
                              const SampleBoxOptions& options = {});

}  // namespace weir
