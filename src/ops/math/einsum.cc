// Einsum: sums of products over labelled dimensions. Each input becomes a batch of matrices [batch, kept, contracted],
// the batches are multiplied, and the result is permuted to the output's order. Operands that already have the right
// layout are not copied.
#include <algorithm>
#include <map>

#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/strided_copy.h"
#include "ops/math/batch_product.h"
#include "ops/math/cast.h"
#include "ops/math/einsum_equation.h"
#include "ops/math/einsum_gradient.h"
#include "ops/math/segment_rows.h"

namespace weir::ops {
namespace {

using Labels = std::vector<int>;

bool Contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// The size of every label over all inputs. Ellipsis dimensions of size 1 broadcast; all others must be equal.
using Sizes = std::map<int, int64_t>;
Status AddSizes(const Labels& labels, const Shape& shape, const std::vector<Shape>& all, Sizes& sizes) {
  for (int d = 0; d < shape.rank(); ++d) {
    const auto [at, inserted] = sizes.emplace(labels[static_cast<size_t>(d)], shape[d]);
    if (inserted || at->second == shape[d]) continue;
    if (at->first < kFirstEllipsisLabel)
      return InvalidArgument("Expected dimension {} at axis {} of the input shaped {} but got dimension {}", at->second,
                             d, shape, shape[d]);
    if (shape[d] == 1) continue;
    if (at->second != 1)
      return InvalidArgument("In[0] and In[1] must have compatible batch dimensions: {} vs. {}", all.front(),
                             all.back());
    at->second = shape[d];
  }
  return OkStatus();
}

// REQUIRES: the labels are those of one tensor, so that a product without zeros does not overflow.
int64_t Product(const Labels& labels, const Sizes& sizes) {
  int64_t product = 1;
  for (const int label : labels) {
    if (sizes.at(label) == 0) return 0;
  }
  for (const int label : labels) product *= sizes.at(label);
  return product;
}

// A tensor with labelled dimensions.
struct Operand {
  Tensor tensor;
  Labels labels;
};

// Drops the dimensions of `t` that broadcast against the other operand; the product does not need them.
Operand WithoutBroadcasting(const Tensor& t, const Labels& labels, const Sizes& sizes) {
  Operand operand{t, {}};
  Shape shape;
  for (int d = 0; d < t.rank(); ++d) {
    const int label = labels[static_cast<size_t>(d)];
    if (t.dim(d) != sizes.at(label)) continue;
    operand.labels.push_back(label);
    (void)shape.AddDim(t.dim(d));  // cannot fail: no more elements than t
  }
  if (shape.rank() != t.rank()) operand.tensor = t.Reshaped(shape);
  return operand;
}

// Copies the dimensions of `tensor`, labelled `labels`, into a new dense tensor in the order `wanted`. Equal labels
// advance together, which extracts a diagonal.
Result<Tensor> Arrange(const KernelContext& ctx, const Tensor& tensor, const Labels& labels, const Labels& wanted,
                       const Sizes& sizes) {
  const DimVector strides = RowMajorStrides(tensor.shape());
  DimVector dims;
  for (const int label : wanted) dims.push_back(sizes.at(label));
  WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor arranged, Tensor::Allocate(tensor.dtype(), shape));
  if (arranged.num_elements() == 0) return arranged;
  const DimVector to_strides = RowMajorStrides(shape);
  std::vector<CopyDim> copy;
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t stride = 0;
    for (size_t d = 0; d < labels.size(); ++d) {
      if (labels[d] == wanted[i]) stride += strides[d];
    }
    copy.push_back({dims[i], stride, to_strides[i]});
  }
  StridedCopy(ctx, tensor.dtype(), copy, tensor.raw(), arranged.raw());
  return arranged;
}

// Sums over labels that occur nowhere else and takes diagonals, so that each label is left once.
Result<Operand> Simplify(const KernelContext& ctx, const Operand& operand, const Labels& needed, const Sizes& sizes) {
  const auto& [tensor, labels] = operand;
  Labels kept, summed;
  for (const int label : labels) {
    if (Contains(kept, label) || Contains(summed, label)) continue;
    (Contains(needed, label) ? kept : summed).push_back(label);
  }
  const bool repeated = kept.size() + summed.size() < labels.size();
  if (!repeated && summed.empty()) return operand;
  // The summed dimensions come first.
  Labels order = summed;
  order.insert(order.end(), kept.begin(), kept.end());
  Tensor arranged = tensor;
  if (order != labels) {
    WEIR_ASSIGN(arranged, Arrange(ctx, tensor, labels, order, sizes));
  }
  if (summed.empty()) return Operand{arranged, kept};
  DimVector dims;
  for (const int label : kept) dims.push_back(sizes.at(label));
  WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(const Tensor sum, Tensor::Allocate(tensor.dtype(), shape));
  WEIR_ASSIGN(const RowReducer add, RowReducer::For(RowOp::kSum, tensor.dtype()));
  const int64_t width = shape.num_elements();
  const int64_t rows = width == 0 ? 0 : arranged.num_elements() / width;
  WEIR_TRY(ctx.ParallelFor(width, rows, [&](int64_t begin, int64_t end) {
    add.FillGap(add.Row(sum, begin, 1), end - begin);
    for (int64_t r = 0; r < rows; ++r)
      add.Combine(add.Row(sum, begin, 1), add.Row(arranged, r * width + begin, 1), end - begin);
  }));
  return Operand{sum, kept};
}

Labels Join(std::initializer_list<Labels> parts) {
  Labels all;
  for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// A batch of matrices: `tensor` is [batch, rows, columns], or [batch, columns, rows] if transposed.
struct Stack {
  Tensor tensor;
  bool transposed = false;
};
Result<Stack> AsStack(const KernelContext& ctx, const Operand& operand, const Labels& batch, const Labels& rows,
                      const Labels& columns, const Sizes& sizes) {
  if (operand.labels == Join({batch, rows, columns})) return Stack{operand.tensor, false};
  if (operand.labels == Join({batch, columns, rows})) return Stack{operand.tensor, true};
  WEIR_ASSIGN(Tensor arranged, Arrange(ctx, operand.tensor, operand.labels, Join({batch, rows, columns}), sizes));
  return Stack{std::move(arranged), false};
}

// The product of two operands, with labels in the order [batch, kept of a, kept of b].
Result<Operand> Multiply(const KernelContext& ctx, const Operand& a, const Operand& b, const Labels& output,
                         const Sizes& sizes) {
  Labels batch, contracted, a_kept, b_kept;
  for (const int label : a.labels) {
    if (!Contains(b.labels, label)) {
      a_kept.push_back(label);
    } else {
      (Contains(output, label) ? batch : contracted).push_back(label);
    }
  }
  for (const int label : b.labels) {
    if (!Contains(a.labels, label)) b_kept.push_back(label);
  }
  WEIR_ASSIGN(const Stack left, AsStack(ctx, a, batch, a_kept, contracted, sizes));
  WEIR_ASSIGN(const Stack right, AsStack(ctx, b, batch, contracted, b_kept, sizes));
  Operand product{Tensor(), Join({batch, a_kept, b_kept})};
  DimVector dims;
  for (const int label : product.labels) dims.push_back(sizes.at(label));
  WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(product.tensor, Tensor::Allocate(a.tensor.dtype(), shape));
  if (shape.num_elements() == 0) return product;
  const GemmLayout layout{.m = Product(a_kept, sizes),
                          .n = Product(b_kept, sizes),
                          .k = Product(contracted, sizes),
                          .transpose_a = left.transposed,
                          .transpose_b = right.transposed};
  WEIR_TRY(BatchProduct(ctx, a.tensor.dtype(), layout, {.count = Product(batch, sizes)}, left.tensor.raw(),
                        right.tensor.raw(), product.tensor.raw()));
  return product;
}

// Permutes `result` to the order of the output. A repeated output label fills a diagonal; other elements are zero.
Result<Tensor> AsOutput(const KernelContext& ctx, const Operand& result, const Labels& output, const Sizes& sizes) {
  if (result.labels == output) return result.tensor;
  Labels unique;
  for (const int label : output) {
    if (!Contains(unique, label)) unique.push_back(label);
  }
  if (unique.size() == output.size()) return Arrange(ctx, result.tensor, result.labels, output, sizes);
  WEIR_ASSIGN(const Tensor arranged, Arrange(ctx, result.tensor, result.labels, unique, sizes));
  DimVector dims;
  for (const int label : output) dims.push_back(sizes.at(label));
  WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor out, Tensor::Zeros(arranged.dtype(), shape));
  if (out.num_elements() == 0) return out;
  const DimVector from = RowMajorStrides(arranged.shape());
  const DimVector to = RowMajorStrides(shape);
  std::vector<CopyDim> copy;
  for (size_t i = 0; i < unique.size(); ++i) {
    int64_t stride = 0;
    for (size_t d = 0; d < output.size(); ++d) stride += output[d] == unique[i] ? to[d] : 0;
    copy.push_back({sizes.at(unique[i]), from[i], stride});
  }
  StridedCopy(ctx, out.dtype(), copy, arranged.raw(), out.raw());
  return out;
}

Result<Tensor> Converted(const Tensor& t, DType dtype) {
  if (t.dtype() == dtype) return t;
  WEIR_ASSIGN(Tensor converted, Tensor::Allocate(dtype, t.shape()));
  CastLoop(t.dtype(), dtype)(t.raw(), converted.raw(), t.num_elements());
  return converted;
}

Status RunEinsum(KernelContext& ctx, const EinsumEquation& equation) {
  const DType dtype = ctx.input(0).dtype();
  const DType compute = dtype == kHalf || dtype == kBFloat16 ? kFloat : dtype;
  std::vector<Labels> labels;
  std::vector<Shape> shapes;
  Sizes sizes;
  int ellipsis_rank = 0;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Subscripts& subscripts = equation.inputs[static_cast<size_t>(i)];
    shapes.push_back(ctx.input(i).shape());
    WEIR_ASSIGN(Labels own, LabelDimensions(subscripts, shapes.back().rank(), i));
    WEIR_TRY(AddSizes(own, shapes.back(), shapes, sizes));
    WEIR_ASSIGN(const int own_rank, subscripts.EllipsisRank(shapes.back().rank(), i));
    ellipsis_rank = std::max(ellipsis_rank, own_rank);
    labels.push_back(std::move(own));
  }
  WEIR_ASSIGN(const Labels output, LabelOutput(equation.output, ellipsis_rank));
  std::vector<Operand> operands;
  for (size_t i = 0; i < labels.size(); ++i) {
    WEIR_ASSIGN(const Tensor input, Converted(ctx.input(static_cast<int>(i)), compute));
    const Labels needed = labels.size() == 1 ? output : Join({output, labels[1 - i]});
    WEIR_ASSIGN(Operand operand, Simplify(ctx, WithoutBroadcasting(input, labels[i], sizes), needed, sizes));
    operands.push_back(std::move(operand));
  }
  if (operands.size() == 2) {
    WEIR_ASSIGN(operands[0], Multiply(ctx, operands[0], operands[1], output, sizes));
  }
  WEIR_ASSIGN(const Tensor result, AsOutput(ctx, operands[0], output, sizes));
  WEIR_ASSIGN(Tensor out, Converted(result, dtype));
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

Result<Kernel> MakeEinsum(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string text, setup.Attr<std::string>("equation"));
  WEIR_ASSIGN(const EinsumEquation equation, EinsumEquation::Parse(text, setup.num_inputs()));
  return Kernel::Sync([equation](KernelContext& ctx) { return RunEinsum(ctx, equation); });
}

Status EinsumShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const std::string text, ctx.Attr<std::string>("equation"));
  WEIR_ASSIGN(const EinsumEquation equation, EinsumEquation::Parse(text, ctx.num_inputs()));
  std::map<char, int64_t> sizes;
  PartialShape ellipsis = PartialShape::Scalar();
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Subscripts& s = equation.inputs[static_cast<size_t>(i)];
    const PartialShape& shape = ctx.input(i);
    auto add = [&](char label, int64_t size) -> Status {
      const auto [at, inserted] = sizes.emplace(label, size);
      if (inserted) return OkStatus();
      WEIR_ASSIGN(at->second, MergeDims(at->second, size));
      return OkStatus();
    };
    if (!shape.known_rank()) {
      for (const char label : s.before + s.after) WEIR_TRY(add(label, kUnknownDim));
      if (s.ellipsis) ellipsis = PartialShape();
      continue;
    }
    WEIR_ASSIGN(const int own_rank, s.EllipsisRank(shape.rank(), i));
    const int before = static_cast<int>(s.before.size());
    for (int d = 0; d < before; ++d) WEIR_TRY(add(s.before[static_cast<size_t>(d)], shape[d]));
    for (size_t d = 0; d < s.after.size(); ++d)
      WEIR_TRY(add(s.after[d], shape[before + own_rank + static_cast<int>(d)]));
    WEIR_ASSIGN(const PartialShape own, shape.Sub(before, before + own_rank));
    WEIR_ASSIGN(ellipsis, BroadcastShapes(ellipsis, own));
  }
  if (!equation.output.ellipsis && ellipsis.known_rank() && ellipsis.rank() > 0)
    WEIR_TRY(LabelOutput(equation.output, ellipsis.rank()).status());
  auto part = [&](const std::string& labels) {
    PartialShape shape = PartialShape::Scalar();
    for (const char label : labels) shape.AddDim(sizes.at(label));
    return shape;
  };
  if (!equation.output.ellipsis) ellipsis = PartialShape::Scalar();
  ctx.set_output(0, part(equation.output.before).Concat(ellipsis).Concat(part(equation.output.after)));
  return OkStatus();
}

}  // namespace

void RegisterEinsum(OpRegistry& registry) {
  registry.Add({
      .name = "Einsum",
      .signature = "inputs: N * T -> output: T",
      .attrs = {"equation: string", "N: int >= 1", "T: type"},
      .shape = EinsumShape,
      .gradient = EinsumGradient,
      .kernels = CpuKernelForTypes("T", {kBFloat16, kHalf, kFloat, kDouble, kComplex64, kComplex128, kInt32, kInt64},
                                   MakeEinsum),
  });
}

}  // namespace weir::ops
