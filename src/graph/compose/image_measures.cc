// Similarity of two images, and edge detection.
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/convolution.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/image.h"
#include "graph/compose/image_files.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"

namespace weir {
namespace {

// Two images of one size as floats, and the highest possible value.
struct ImagePair {
  Output a, b;
  Output highest;
};

Status CheckSameShape(const PartialShape& a, const PartialShape& b) {
  if ((a.known_rank() && a.rank() < 3) || (b.known_rank() && b.rank() < 3))
    return InvalidArgument("images must have at least 3 dimensions, but the shapes are {} and {}", a, b);
  if (!a.known_rank() || !b.known_rank()) return OkStatus();
  for (int i = 1; i <= 3; ++i) {
    const int64_t x = a[a.rank() - i], y = b[b.rank() - i];
    if (x >= 0 && y >= 0 && x != y)
      return InvalidArgument("the images must have the same shape, but the shapes are {} and {}", a, b);
  }
  return OkStatus();
}

Result<ImagePair> PairOf(Graph& graph, const Input& a_in, const Input& b_in, double max_val) {
  const Output a = ValueOf(graph, a_in, kInvalidType, "a");
  WEIR_TRY(graph.TakeError());
  const Output b = ValueOf(graph, b_in, b_in.is_output() ? kInvalidType : a.base_dtype(), "b");
  WEIR_TRY(graph.TakeError());
  WEIR_TRY(CheckSameShape(a.shape(), b.shape()));
  const ImagePair pair{ConvertImageType(graph, a, kFloat), ConvertImageType(graph, b, kFloat),
                       ConvertImageType(graph, CastValue(graph, Tensor::Scalar(max_val), a.base_dtype()), kFloat)};
  WEIR_TRY(graph.TakeError());
  return pair;
}

Result<ImagePair> PairOfOneType(Graph& graph, const Input& a, const Input& b, double max_val) {
  if (a.is_output() && b.is_output() && a.output().base_dtype() != b.output().base_dtype())
    return MarkTypeError(InvalidArgument("the images have the types {} and {}, which don't all match",
                                         a.output().base_dtype(), b.output().base_dtype()));
  return PairOf(graph, a, b, max_val);
}

// Gaussian weights [size, size, 1, 1] that sum to 1.
Result<Tensor> GaussianWeights(int64_t size, double sigma) {
  constexpr int64_t kLargest = 1 << 12;
  if (size < 1 || size > kLargest)
    return InvalidArgument("filter_size must be positive and at most {}, got {}", kLargest, size);
  if (!(sigma > 0)) return InvalidArgument("filter_sigma must be positive, got {}", sigma);
  WEIR_ASSIGN(const Tensor weights, Tensor::Allocate(kFloat, Shape{size, size, 1, 1}));
  std::vector<double> line;
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    const double x = (static_cast<double>(i) - static_cast<double>(size - 1) / 2) / sigma;
    line.push_back(std::exp(-0.5 * x * x));
    sum += line.back();
  }
  for (int64_t i = 0; i < size * size; ++i)
    weights.data<float>()[i] =
        static_cast<float>(line[static_cast<size_t>(i / size)] * line[static_cast<size_t>(i % size)] / (sum * sum));
  return weights;
}

Output LastOf(Graph& graph, Output shape, int count) {
  return StridedSlice(graph, shape, std::vector<int64_t>{-count}, {0}, {1}, {.end_mask = 1});
}
Output AllBut(Graph& graph, Output shape, int count) {
  return StridedSlice(graph, shape, {0}, std::vector<int64_t>{-count}, {1}, {.begin_mask = 1});
}

// Applies f, which takes [images, height, width, channels], to images with any number of leading dimensions.
template <class F>
Output OverImages(Graph& graph, Output x, F&& f) {
  if (x.shape().known_rank() && x.shape().rank() == 4) return f(x);
  const Output shape = ShapeValue(graph, x);
  const Output flat = Reshape(graph, x, Concat(graph, {Tensor::Vector<int32_t>({-1}), LastOf(graph, shape, 3)}, 0));
  const Output y = f(flat);
  if (!y.valid()) return y;
  return Reshape(graph, y, Concat(graph, {AllBut(graph, shape, 3), LastOf(graph, ShapeValue(graph, y), 3)}, 0));
}

struct Similarity {
  Output whole;      // luminance, contrast and structure
  Output structure;  // contrast and structure
};

// Similarity per channel: [..., channels].
Result<Similarity> SimilarityPerChannel(Graph& graph, const ImagePair& pair, const SimilarityOptions& options) {
  WEIR_ASSIGN(const Tensor bell, GaussianWeights(options.filter_size, options.filter_sigma));
  for (const Output& image : {pair.a, pair.b}) {
    const PartialShape shape = image.shape();
    for (int i = 2; shape.known_rank() && i <= 3; ++i)
      if (const int64_t size = shape[shape.rank() - i]; size >= 0 && size < options.filter_size)
        return InvalidArgument("filter_size {} is larger than the images (shape {})", options.filter_size, shape);
  }
  const Output channels = LastOf(graph, ShapeValue(graph, pair.a), 1);
  const Output filter =
      Tile(graph, bell, Concat(graph, {Tensor::Vector<int32_t>({1, 1}), channels, Tensor::Vector<int32_t>({1})}, 0));
  const auto smooth = [&](Output x) {
    return OverImages(graph, x, [&](Output images) { return ConvolveDepthwise(graph, images, filter, {}); });
  };
  const Output c1 = Square(Mul(pair.highest, static_cast<float>(options.k1)));
  const Output c2 = Square(Mul(pair.highest, static_cast<float>(options.k2)));
  const Output mean_a = smooth(pair.a), mean_b = smooth(pair.b);
  const Output means = mean_a * mean_b * 2.0f, squares = Square(mean_a) + Square(mean_b);
  const Output luminance = (means + c1) / (squares + c1);
  const Output products = smooth(pair.a * pair.b) * 2.0f;
  const Output powers = smooth(Square(pair.a) + Square(pair.b));
  const Output structure = (products - means + c2) / (powers - squares + c2);
  const Similarity similarity{Mean(graph, luminance * structure, {-3, -2}), Mean(graph, structure, {-3, -2})};
  WEIR_TRY(graph.TakeError());
  return similarity;
}

// Halves height and width, rounding up.
Output HalfSize(Graph& graph, Output x) {
  return OverImages(graph, x, [&](Output images) {
    return Pool(graph, images, PoolKind::kAverage, {2, 2}, 2, {.strides = {2, 2}, .padding = "SAME"});
  });
}

Result<Output> SimilarityOverScales(Graph& graph, ImagePair pair, const std::vector<float>& powers,
                                    const SimilarityOptions& options) {
  if (powers.empty()) return InvalidArgument("power_factors must not be empty");
  OutputList parts;
  for (size_t i = 0; i < powers.size(); ++i) {
    NameScope scale(graph, fmt::format("Scale{}", i));
    if (i > 0) {
      pair.a = HalfSize(graph, pair.a);
      pair.b = HalfSize(graph, pair.b);
      WEIR_TRY(graph.TakeError());
    }
    WEIR_ASSIGN(const Similarity one, SimilarityPerChannel(graph, pair, options));
    parts.push_back(Relu(i + 1 < powers.size() ? one.structure : one.whole));
  }
  const Output all = Stack(graph, InputList(parts.begin(), parts.end()), -1);
  const Output product = Prod(graph, Pow(graph, all, Tensor::Vector<float>(absl::MakeConstSpan(powers))), {-1});
  return Mean(graph, product, {-1});
}

}  // namespace

Output PeakSignalToNoise(Graph& graph, const Input& a, const Input& b, double max_val, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "PSNR"));
  const Result<ImagePair> pair = PairOf(graph, a, b, max_val);
  if (!pair.ok()) return FailedOutput(graph, pair.status());
  const Output mse = Mean(graph, SquaredDifference(graph, pair->a, pair->b), {-3, -2, -1});
  if (!mse.valid()) return mse;
  const Output peak = (20.0f * Log(graph, pair->highest)) / Log(graph, 10.0f);
  const Output psnr = Sub(graph, peak, static_cast<float>(10 / std::log(10.0)) * Log(graph, mse), {.name = "psnr"});
  return psnr.valid() ? Identity(graph, psnr) : psnr;
}

Output StructuralSimilarity(Graph& graph, const Input& a, const Input& b, double max_val,
                            const SimilarityOptions& options) {
  NameScope scope(graph, "SSIM");
  const Result<ImagePair> pair = PairOfOneType(graph, a, b, max_val);
  if (!pair.ok()) return FailedOutput(graph, pair.status());
  const Result<Similarity> similarity = SimilarityPerChannel(graph, *pair, options);
  if (!similarity.ok()) return FailedOutput(graph, similarity.status());
  return Mean(graph, similarity->whole, {-1});
}

Output MultiscaleSimilarity(Graph& graph, const Input& a, const Input& b, double max_val,
                            const std::vector<float>& power_factors, const SimilarityOptions& options) {
  NameScope scope(graph, "MS-SSIM");
  const Result<ImagePair> pair = PairOfOneType(graph, a, b, max_val);
  if (!pair.ok()) return FailedOutput(graph, pair.status());
  const Result<Output> similarity = SimilarityOverScales(graph, *pair, power_factors, options);
  return similarity.ok() ? *similarity : FailedOutput(graph, similarity.status());
}

ImageGradientsResult ImageGradients(Graph& graph, const Input& images) {
  const Output x = ValueOf(graph, images, kInvalidType, "image");
  if (!x.valid()) return {x, x};
  if (!x.shape().known_rank() || x.shape().rank() != 4) {
    const Output failed = FailedOutput(
        graph, InvalidArgument("image_gradients expects a 4D tensor [batch_size, h, w, d], not {}.", x.shape()));
    return {failed, failed};
  }
  const auto difference = [&](int axis) {
    std::vector<int64_t> first(4, 0), all(4, -1);
    first[static_cast<size_t>(axis)] = 1;
    const Output next = Slice(graph, x, Tensor::Vector<int64_t>(first), Tensor::Vector<int64_t>(all));
    const Output count = ShapeValue(graph, next);
    const Output step = Sub(graph, next, Slice(graph, x, Tensor::Vector<int32_t>({0, 0, 0, 0}), count));
    const Result<Tensor> margins = Tensor::Allocate(kInt32, Shape{4, 2});
    if (!margins.ok()) return FailedOutput(graph, margins.status());
    for (int i = 0; i < 8; ++i) margins->data<int32_t>()[i] = i == 2 * axis + 1 ? 1 : 0;
    const Output result = PadWith(graph, step, *margins, "CONSTANT");
    if (result.valid()) graph.RecordError(graph.SetShape(result, x.shape()));
    return result;
  };
  const Output dy = difference(1);
  return {dy, difference(2)};
}

Output SobelEdges(Graph& graph, const Input& image_in) {
  const Output image = ValueOf(graph, image_in, kInvalidType, "image");
  if (!image.valid()) return image;
  if (image.shape().known_rank() && image.shape().rank() != 4)
    return FailedOutput(graph,
                        InvalidArgument("images must be [batch, height, width, channels], not {}", image.shape()));
  constexpr float kDown[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};
  const Result<Tensor> filters = Tensor::Allocate(kFloat, Shape{3, 3, 1, 2});  // vertical, then horizontal
  const Result<Tensor> margins = Tensor::Allocate(kInt32, Shape{4, 2});
  if (!filters.ok() || !margins.ok()) return FailedOutput(graph, filters.ok() ? margins.status() : filters.status());
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) {
      filters->data<float>()[6 * y + 2 * x] = kDown[y][x];
      filters->data<float>()[6 * y + 2 * x + 1] = kDown[x][y];
    }
  }
  for (int i = 0; i < 8; ++i) margins->data<int32_t>()[i] = i >= 2 && i < 6 ? 1 : 0;
  const Output shape = ShapeValue(graph, image);
  const Output channels = LastOf(graph, shape, 1);
  Output filter;
  {
    NameScope scope(graph, "sobel_filters");
    const Output multiples =
        Concat(graph, {Tensor::Vector<int32_t>({1, 1}), channels, Tensor::Vector<int32_t>({1})}, 0, "multiples");
    filter = Tile(graph, CastValue(graph, *filters, image.base_dtype()), multiples, {.name = ExactScopeName(scope)});
  }
  const Output edges = ConvolveDepthwise(graph, PadWith(graph, image, *margins, "REFLECT"), filter, {});
  const Output result = Reshape(graph, edges, Concat(graph, {shape, Tensor::Vector<int32_t>({2})}, 0));
  if (result.valid()) graph.RecordError(graph.SetShape(result, image.shape().Concat(PartialShape{2})));
  return result;
}

}  // namespace weir
