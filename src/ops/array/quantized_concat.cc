// QuantizedConcat: concatenation of quantized tensors, after conversion to a range that contains the ranges of all of
// them.
#include "op/op_registry.h"
#include "ops/array/concat.h"
#include "ops/array/int_inputs.h"
#include "ops/array/quantized.h"

namespace weir::ops {
namespace {

// The inputs of a run: the axis, then n values, n lower ends and n upper ends.
struct QuantizedParts {
  std::vector<Tensor> values;
  std::vector<QuantizedRange> ranges;
  int axis = 0;
  int64_t outer = 1, inner = 1;  // elements before and after the axis
  Shape out_shape;

  static Result<QuantizedParts> Of(const KernelContext& ctx);
};

Result<QuantizedParts> QuantizedParts::Of(const KernelContext& ctx) {
  QuantizedParts p;
  const int n = (ctx.num_inputs() - 1) / 3;
  for (int k = 0; k < n; ++k) {
    p.values.push_back(ctx.input(1 + k));
    const Tensor& low = ctx.input(1 + n + k);
    const Tensor& high = ctx.input(1 + 2 * n + k);
    for (const Tensor* end : {&low, &high}) {
      if (end->num_elements() != 1)
        return InvalidArgument("{} each tensor's num elements must be 1, given num elements {} in index {}",
                               end == &low ? "input_mins" : "input_maxes", end->num_elements(), k);
    }
    p.ranges.push_back({*low.data<float>(), *high.data<float>()});
  }
  if (ctx.input(0).rank() != 0)
    return InvalidArgument("Concat dim tensor should be a scalar integer, but got shape {}", ctx.input(0).shape());
  const int64_t requested = IntAt(ctx.input(0), 0);
  const Shape& model = p.values[0].shape();
  const int rank = model.rank();
  if (requested < 0 || requested >= rank)
    return InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [0, {}), but got {}", rank,
                           requested);
  p.axis = static_cast<int>(requested);
  int64_t total = 0;
  for (size_t k = 0; k < p.values.size(); ++k) {
    const Shape& shape = p.values[k].shape();
    if (shape.rank() != rank)
      return InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = {} vs. shape[{}] = {}",
                             model, k, shape);
    for (int i = 0; i < rank; ++i) {
      if (i != p.axis && shape[i] != model[i])
        return InvalidArgument("ConcatOp : Dimensions of inputs should match: shape[0] = {} vs. shape[{}] = {}", model,
                               k, shape);
    }
    total += shape[p.axis];
  }
  p.out_shape = model;
  WEIR_TRY(p.out_shape.SetDim(p.axis, total));
  if (p.out_shape.num_elements() == 0) return p;
  for (int i = 0; i < p.axis; ++i) p.outer *= model[i];
  for (int i = p.axis + 1; i < rank; ++i) p.inner *= model[i];
  return p;
}

// A range that contains all others and zero. For signed types it is symmetric.
template <class Q>
QuantizedRange JoinRanges(const std::vector<QuantizedRange>& ranges) {
  QuantizedRange all = {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()};
  for (const QuantizedRange& range : ranges) {
    all.low = std::min(all.low, range.low);
    all.high = std::max(all.high, range.high);
  }
  if (std::numeric_limits<Q>::lowest() == 0) return {std::min(0.0f, all.low), all.high};
  const float largest = std::max(std::fabs(all.low), std::fabs(all.high));
  return {-largest, largest};
}

template <class Q>
Status QuantizedConcat(KernelContext& ctx) {
  WEIR_ASSIGN(const QuantizedParts parts, QuantizedParts::Of(ctx));
  const QuantizedRange joined = JoinRanges<Q>(parts.ranges);
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, parts.out_shape));
  WEIR_TRY(StoreQuantizedRange(ctx, joined));
  if (out.num_elements() == 0) return OkStatus();
  const FloatToQuantized<Q> quantize(joined.low, joined.high);
  const int64_t out_row = out.num_elements() / parts.outer;
  int64_t at = 0;
  for (size_t k = 0; k < parts.values.size(); ++k) {
    const int64_t row = parts.values[k].dim(parts.axis) * parts.inner;
    const QuantizedRange range = parts.ranges[k];
    const bool same = range.low == joined.low && range.high == joined.high;
    const QuantizedToFloat<Q> to_float(range.low, range.high);
    const Q* in = parts.values[k].data<Q>();
    Q* to = out.data<Q>() + at;
    WEIR_TRY(ctx.ParallelFor(parts.outer, row * (same ? 1 : 4), [&](int64_t o) {
      if (same) {
        std::copy_n(in + o * row, row, to + o * out_row);
      } else {
        std::transform(in + o * row, in + (o + 1) * row, to + o * out_row, [&](Q v) { return quantize(to_float(v)); });
      }
    }));
    at += row;
  }
  return OkStatus();
}

Status QuantizedConcatShape(ShapeContext& ctx) {
  const int n = (ctx.num_inputs() - 1) / 3;
  WEIR_TRY(ConcatShapes(ctx, 1, n, 0));
  for (int i = n + 1; i < ctx.num_inputs(); ++i) WEIR_TRY(ctx.WithRank(i, 0).status());
  ctx.set_output(1, PartialShape::Scalar());
  ctx.set_output(2, PartialShape::Scalar());
  return OkStatus();
}

}  // namespace

void RegisterQuantizedConcat(OpRegistry& registry) {
  registry.Add({
      .name = "QuantizedConcat",
      .signature = "concat_dim: int32, values: N * T, input_mins: N * float, input_maxes: N * float -> output: T, "
                   "output_min: float, output_max: float",
      .attrs = {"N: int >= 2", "T: type"},
      .shape = QuantizedConcatShape,
      .kernels = CpuKernelForTypes("T", {kQuint8, kQint32},
                                   [](KernelSetup& setup) -> Result<Kernel> {
                                     return Kernel::Sync(setup.output_type(0) == kQuint8 ? QuantizedConcat<uint8_t>
                                                                                         : QuantizedConcat<int32_t>);
                                   }),
  });
}

}  // namespace weir::ops
