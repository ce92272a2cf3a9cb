#include "ops/array/padding.h"

#include <limits>

#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

// The rank of the padded tensor, derived from either input; -1 if unknown.
Result<int> KnownRank(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape paddings, ctx.WithRank(1, 2));
  if (paddings.known_rank() && paddings[1] != kUnknownDim && paddings[1] != 2)
    return InvalidArgument("paddings must be a matrix with 2 columns, not {}", paddings);
  const PartialShape& in = ctx.input(0);
  const int64_t rows = paddings.known_rank() ? paddings[0] : kUnknownDim;
  if (in.known_rank()) {
    if (rows != kUnknownDim && rows != in.rank())
      return InvalidArgument("paddings {} must have one row per dimension of the input {}", paddings, in);
    return in.rank();
  }
  if (rows > kMaxRank) return InvalidArgument("paddings {} have too many rows", paddings);
  return static_cast<int>(rows);
}

Status Infer(ShapeContext& ctx, bool pad) {
  WEIR_ASSIGN(int rank, KnownRank(ctx));
  if (rank < 0) return OkStatus();
  PartialShape out = PartialShape::OfRank(rank);
  const Tensor* constant = ctx.constant(1);
  if (constant != nullptr) {
    WEIR_ASSIGN(std::vector<Padding> paddings, ReadPaddings(*constant, rank));
    for (int i = 0; i < rank; ++i) {
      const int64_t size = ctx.input(0).dim(i);
      if (size == kUnknownDim) continue;
      const Padding& p = paddings[static_cast<size_t>(i)];
      if (pad) {
        WEIR_ASSIGN(int64_t padded, PaddedSize(size, p));
        out.SetDim(i, padded);
      } else {
        if (p.before > size || p.after > size - p.before)
          return InvalidArgument("paddings ({}, {}) exceed the size {} of dimension {}", p.before, p.after, size, i);
        out.SetDim(i, size - p.before - p.after);
      }
    }
  }
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace

Result<std::vector<Padding>> ReadPaddings(const Tensor& paddings, int rank) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2)
    return InvalidArgument("paddings must be a matrix with 2 columns: {}", paddings.shape());
  if (paddings.dim(0) != rank)
    return InvalidArgument("The first dimension of paddings must be the rank of inputs: {} for inputs of rank {}",
                           paddings.shape(), rank);
  std::vector<Padding> out;
  for (int i = 0; i < rank; ++i) {
    out.push_back({IntAt(paddings, int64_t{2} * i), IntAt(paddings, int64_t{2} * i + 1)});
    if (out.back().before < 0 || out.back().after < 0)
      return InvalidArgument("Paddings must be non-negative: {} {}", out.back().before, out.back().after);
  }
  return out;
}

Result<int64_t> PaddedSize(int64_t size, const Padding& padding) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (padding.before > kMax - size || padding.after > kMax - size - padding.before)
    return InvalidArgument("a size of {} padded by {} and {} is too large", size, padding.before, padding.after);
  return size + padding.before + padding.after;
}

Status PaddedShape(ShapeContext& ctx) { return Infer(ctx, true); }
Status UnpaddedShape(ShapeContext& ctx) { return Infer(ctx, false); }

}  // namespace weir::ops
