#include "ops/array/quantized.h"

namespace weir::ops {

Result<PartialShape> CheckQuantizedRange(ShapeContext& ctx) {
  WEIR_ASSIGN(const int64_t axis, ctx.Attr<int64_t>("axis"));
  if (axis < -1) return InvalidArgument("axis should be at least -1, got {}", axis);
  WEIR_ASSIGN(const PartialShape low, ctx.WithRank(1, axis == -1 ? 0 : 1));
  WEIR_ASSIGN(const PartialShape range, low.Merge(ctx.input(2)));
  if (axis >= 0 && axis < kMaxRank) {
    WEIR_ASSIGN(const PartialShape in, ctx.WithRankAtLeast(0, static_cast<int>(axis) + 1));
    if (in.known_rank()) WEIR_TRY(MergeDims(range.dim(0), in[static_cast<int>(axis)]).status());
  }
  return range;
}

Result<QuantizedRange> QuantizedRange::FromInputs(const KernelContext& ctx, int first) {
  for (int i = first; i < first + 2; ++i) {
    if (ctx.input(i).rank() != 0)
      return InvalidArgument("the ends of a quantized range must be rank 0 but input {} is rank {}, received shape: {}",
                             i, ctx.input(i).rank(), ctx.input(i).shape());
  }
  return QuantizedRange{*ctx.input(first).data<float>(), *ctx.input(first + 1).data<float>()};
}

Status StoreQuantizedRange(KernelContext& ctx, const QuantizedRange& range) {
  WEIR_ASSIGN(const Tensor low, ctx.Allocate(1, Shape{}));
  WEIR_ASSIGN(const Tensor high, ctx.Allocate(2, Shape{}));
  *low.data<float>() = range.low;
  *high.data<float>() = range.high;
  return OkStatus();
}

}  // namespace weir::ops
