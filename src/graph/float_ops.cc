#include "graph/float_ops.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace weir {
namespace {

enum class Counting {
  kInput,         // factor per element of the first input
  kOutput,        // factor per element of the output
  kReduce,        // one per element of the input, minus one per element of the output
  kPool,          // the window, per element of the output
  kPoolGrad,      // factor * the window, per element of the gradient
  kMaxPoolGrad,   // the window and one, per element of the pooled value
  kConvolution,   // twice the window's elements, per element of the output
  kDepthwise,     // twice the window, per element of the output
  kConvToInput,   // as many as forward: see ConvolutionBackward
  kConvToFilter,  // likewise
  kMatMul,
  kAddN,
  kL2Loss,
};
struct CountedOp {
  std::string_view op;
  Counting count;
  int64_t factor = 1;
};
constexpr CountedOp kCountedOps[] = {{"Add", Counting::kOutput},
                                     {"AddN", Counting::kAddN},
                                     {"AddV2", Counting::kOutput},
                                     {"ArgMax", Counting::kReduce},
                                     {"ArgMin", Counting::kReduce},
                                     {"AssignAdd", Counting::kInput},
                                     {"AssignSub", Counting::kInput},
                                     {"AvgPool", Counting::kPool},
                                     {"AvgPoolGrad", Counting::kPoolGrad, 2},
                                     {"BatchMatMul", Counting::kMatMul},
                                     {"BatchMatMulV2", Counting::kMatMul},
                                     {"BiasAdd", Counting::kInput},
                                     {"BiasAddGrad", Counting::kReduce},
                                     {"Conv2D", Counting::kConvolution},
                                     {"Conv2DBackpropFilter", Counting::kConvToFilter},
                                     {"Conv2DBackpropInput", Counting::kConvToInput},
                                     {"Conv3D", Counting::kConvolution},
                                     {"DepthwiseConv2dNative", Counting::kDepthwise},
                                     {"Equal", Counting::kOutput},
                                     {"Greater", Counting::kOutput},
                                     {"GreaterEqual", Counting::kOutput},
                                     {"L2Loss", Counting::kL2Loss},
                                     {"Less", Counting::kOutput},
                                     {"LessEqual", Counting::kOutput},
                                     {"Log", Counting::kInput},
                                     {"MatMul", Counting::kMatMul},
                                     {"MaxPool", Counting::kPool},
                                     {"MaxPoolGrad", Counting::kMaxPoolGrad},
                                     {"Maximum", Counting::kOutput},
                                     {"Mean", Counting::kInput},
                                     {"Minimum", Counting::kOutput},
                                     {"Mul", Counting::kOutput},
                                     {"Neg", Counting::kInput},
                                     {"NotEqual", Counting::kOutput},
                                     {"Pow", Counting::kOutput},
                                     {"RealDiv", Counting::kOutput},
                                     {"Reciprocal", Counting::kInput},
                                     {"Rsqrt", Counting::kInput, 2},
                                     {"RsqrtGrad", Counting::kOutput, 4},
                                     {"Softmax", Counting::kInput, 5},
                                     {"Square", Counting::kInput},
                                     {"SquaredDifference", Counting::kOutput, 2},
                                     {"Sub", Counting::kOutput},
                                     {"Sum", Counting::kReduce}};

// The number of elements; negative if it is not known.
int64_t InputSize(const Node& node, int i) {
  if (i >= node.num_inputs() || !node.input(i).valid()) return -1;
  const PartialShape shape = node.input(i).shape();
  return shape.fully_defined() ? shape.num_elements() : -1;
}
int64_t OutputSize(const Node& node) {
  const PartialShape shape = node.num_outputs() == 0 ? PartialShape() : node.output_shape(0);
  return shape.fully_defined() ? shape.num_elements() : -1;
}

int64_t ListProduct(const Node& node, const char* attr) {
  const Result<std::vector<int64_t>> values = node.Attr<std::vector<int64_t>>(attr);
  if (!values.ok()) return -1;
  int64_t product = 1;
  for (int64_t v : *values) product *= v;
  return product;
}

// The last dimension of an image, which is its number of channels.
int64_t LastDim(const PartialShape& shape) { return shape.rank() > 0 ? shape[shape.rank() - 1] : -1; }

// Twice the elements of the image and of the filter, divided by the image's channels and the strides.
int64_t ConvolutionBackward(const Node& node, bool to_input) {
  const int64_t image = to_input ? OutputSize(node) : InputSize(node, 0);
  const int64_t filter = to_input ? InputSize(node, 1) : OutputSize(node);
  const int64_t channels = LastDim(to_input ? node.output_shape(0) : node.input(0).shape());
  const int64_t strides = ListProduct(node, "strides");
  if (image < 0 || filter < 0 || channels < 1 || strides < 1) return -1;
  return 2 * image * filter / (channels * strides);
}

int64_t MatMulOps(const Node& node) {
  const PartialShape a = node.input(0).shape();
  const int64_t out = OutputSize(node);
  if (a.rank() < 2 || out < 0) return -1;
  const Result<bool> transposed = node.Attr<bool>(node.FindAttr("transpose_a") != nullptr ? "transpose_a" : "adj_x");
  const int64_t inner = a[a.rank() - (transposed.ok() && *transposed ? 2 : 1)];
  return inner < 0 ? -1 : 2 * inner * out;
}

// factor * a * b, if both are known.
int64_t Times(int64_t factor, int64_t a, int64_t b) { return a < 0 || b < 0 ? -1 : factor * a * b; }

int64_t OpsOf(const CountedOp& row, const Node& node) {
  switch (row.count) {
    case Counting::kInput:
      return Times(row.factor, InputSize(node, 0), 1);
    case Counting::kOutput:
      return Times(row.factor, OutputSize(node), 1);
    case Counting::kReduce: {
      const int64_t in = InputSize(node, 0), out = OutputSize(node);
      return in < 0 || out < 0 ? -1 : in - out;
    }
    case Counting::kPool:
      return Times(1, ListProduct(node, "ksize"), OutputSize(node));
    case Counting::kPoolGrad:
      return Times(row.factor, ListProduct(node, "ksize"), InputSize(node, 1));
    case Counting::kMaxPoolGrad:
      return Times(1, ListProduct(node, "ksize") + 1, InputSize(node, 1));
    case Counting::kConvolution: {
      const int64_t filter = InputSize(node, 1), channels = LastDim(node.input(1).shape());
      return filter < 0 || channels < 1 ? -1 : Times(2, filter / channels, OutputSize(node));
    }
    case Counting::kDepthwise: {
      const PartialShape filter = node.input(1).shape();
      return filter.rank() == 4 && filter.fully_defined() ? Times(2, filter[0] * filter[1], OutputSize(node)) : -1;
    }
    case Counting::kConvToInput:
    case Counting::kConvToFilter:
      return ConvolutionBackward(node, row.count == Counting::kConvToInput);
    case Counting::kMatMul:
      return MatMulOps(node);
    case Counting::kAddN:
      return Times(node.num_inputs() - 1, InputSize(node, 0), 1);
    case Counting::kL2Loss: {
      const int64_t in = InputSize(node, 0);
      return in < 0 ? -1 : 3 * in - 1;
    }
  }
  return -1;
}

}  // namespace

std::vector<std::string_view> CountedOps() {
  std::vector<std::string_view> names;
  for (const CountedOp& row : kCountedOps) names.push_back(row.op);
  return names;
}

std::optional<int64_t> FloatOps(const Node& node) {
  const CountedOp* row = std::find_if(std::begin(kCountedOps), std::end(kCountedOps),
                                      [&](const CountedOp& r) { return r.op == node.type(); });
  if (row == std::end(kCountedOps)) return std::nullopt;
  const int64_t count = OpsOf(*row, node);
  return count < 0 ? std::nullopt : std::optional<int64_t>(count);
}

}  // namespace weir
