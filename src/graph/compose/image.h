// Images in a graph, [height, width, channels] or [batch, height, width, channels]: sizes, crops, turns and colors, as
// TensorFlow's users write them. Errors stay with the graph's build state, and the result is then invalid.
#pragma once

#include <string>
#include <vector>

#include "graph/compose/random.h"
#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

enum class ResizeMethod { kBilinear = 0, kNearestNeighbor = 1, kBicubic = 2, kArea = 3 };
struct ResizeOptions {
  ResizeMethod method = ResizeMethod::kBilinear;
  bool align_corners = false;
  bool preserve_aspect_ratio = false;  // the largest size within `size`
  std::string name = "";
};
// size: [height, width].
Output ResizeImages(Graph& graph, const Input& images, const Input& size, const ResizeOptions& options = {});
// Cut or padded with zeros, around the middle.
Output ResizeWithCropOrPad(Graph& graph, const Input& image, const Input& height, const Input& width);
// Resized without changing its proportions, then padded with zeros.
Output ResizeWithPad(Graph& graph, const Input& image, const Input& height, const Input& width,
                     const ResizeOptions& options = {});

Output CropToBoundingBox(Graph& graph, const Input& image, const Input& offset_height, const Input& offset_width,
                         const Input& target_height, const Input& target_width);
Output PadToBoundingBox(Graph& graph, const Input& image, const Input& offset_height, const Input& offset_width,
                        const Input& target_height, const Input& target_width);
// The middle, with that part of each side.
Output CentralCrop(Graph& graph, const Input& image, double fraction);

enum class Flip { kLeftRight, kUpDown };
Output FlipImage(Graph& graph, const Input& image, Flip flip);
// Each image flipped or not.
Output RandomFlip(Graph& graph, const Input& image, Flip flip, OpSeed seed = {});
// A quarter turn against the clock, k times.
Output RotateQuarter(Graph& graph, const Input& image, const Input& k = 1, std::string name = "");
// Rows become columns.
Output TransposeImage(Graph& graph, const Input& image, std::string name = "");

// Colors of any type: those that are no floats are converted, adjusted and converted back.
Output AdjustBrightness(Graph& graph, const Input& image, const Input& delta);
Output AdjustContrast(Graph& graph, const Input& images, const Input& factor);
Output AdjustHueOf(Graph& graph, const Input& image, const Input& delta, std::string name = "");
Output AdjustSaturationOf(Graph& graph, const Input& image, const Input& factor, std::string name = "");
Output AdjustGamma(Graph& graph, const Input& image, const Input& gamma = 1.0f, const Input& gain = 1.0f);
// By a random number of a range: [-max_delta, max_delta), [lower, upper).
Output RandomBrightness(Graph& graph, const Input& image, double max_delta, OpSeed seed = {});
Output RandomContrast(Graph& graph, const Input& image, double lower, double upper, OpSeed seed = {});
Output RandomHue(Graph& graph, const Input& image, double max_delta, OpSeed seed = {});
Output RandomSaturation(Graph& graph, const Input& image, double lower, double upper, OpSeed seed = {});

Output RgbToGrayscale(Graph& graph, const Input& images, std::string name = "");
Output GrayscaleToRgb(Graph& graph, const Input& images, std::string name = "");
enum class ColorChange { kRgbToYuv, kYuvToRgb, kRgbToYiq, kYiqToRgb };
Output ChangeColors(Graph& graph, const Input& images, ColorChange change);

// Mean 0 and variance 1 for each image; a flat image is divided by 1 / sqrt(its number of values).
Output StandardizeImage(Graph& graph, const Input& image);
// The sum of the differences between neighbors, for each image.
Output TotalVariation(Graph& graph, const Input& images, std::string name = "");

// --- pairs of images [..., height, width, channels] with values up to max_val: one number for each pair
// Peak signal-to-noise ratio.
Output PeakSignalToNoise(Graph& graph, const Input& a, const Input& b, double max_val, std::string name = "");
// How alike they look, at most 1 (SSIM): means, deviations and covariances under a bell of `filter_size` pixels.
struct SimilarityOptions {
  int64_t filter_size = 11;
  double filter_sigma = 1.5;
  double k1 = 0.01;
  double k2 = 0.03;
};
Output StructuralSimilarity(Graph& graph, const Input& a, const Input& b, double max_val,
                            const SimilarityOptions& options = {});
// Over as many scales as there are powers, each half the size of the one before (MS-SSIM).
Output MultiscaleSimilarity(Graph& graph, const Input& a, const Input& b, double max_val,
                            const std::vector<float>& power_factors = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f},
                            const SimilarityOptions& options = {});
// [batch, height, width, channels, 2]: how much each pixel differs from those below and from those to its right.
Output SobelEdges(Graph& graph, const Input& image);

// --- a random part of an image that covers enough of one of its boxes, for training on distorted images
struct SampleBoxOptions {
  int64_t seed = 0;  // with seed2: 0 and 0 draw parts that nobody can foretell
  int64_t seed2 = 0;
  Input min_object_covered = 0.1f;  // the part of a box that must be in it
  std::vector<float> aspect_ratio_range = {0.75f, 1.33f};
  std::vector<float> area_range = {0.05f, 1.0f};
  int64_t max_attempts = 100;  // then the whole image
  bool use_image_if_no_bounding_boxes = false;
  std::string name = "";
};
struct SampledBox {
  Output begin;   // for Slice, as `size`
  Output size;    // [height, width, -1]
  Output bboxes;  // [1, 1, 4], as DrawBoundingBoxes takes it
};
// image_size: [height, width, channels]; bounding_boxes: [batch, n, 4] as [y_min, x_min, y_max, x_max] within 0 and 1.
SampledBox SampleDistortedBox(Graph& graph, const Input& image_size, const Input& bounding_boxes,
                              const SampleBoxOptions& options = {});

}  // namespace weir
