#include "ops/array/nd_index.h"

#include <algorithm>

#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

template <class Index>
int64_t Flatten(const Tensor& indices, const Shape& target, int depth, absl::Span<int64_t> out) {
  const Index* at = indices.data<Index>();
  for (size_t k = 0; k < out.size(); ++k) {
    int64_t flat = 0;
    for (int d = 0; d < depth; ++d) {
      const auto v = static_cast<int64_t>(*at++);
      if (static_cast<uint64_t>(v) >= static_cast<uint64_t>(target[d])) return static_cast<int64_t>(k);
      flat = flat * target[d] + v;
    }
    out[k] = flat;
  }
  return -1;
}

}  // namespace

Result<NdIndices> ResolveNdIndices(const Tensor& indices, const Shape& target, std::string_view target_name) {
  if (indices.rank() < 1) return InvalidArgument("indices must be at least a vector");
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > target.rank())
    return InvalidArgument("index innermost dimension length must be <= {} rank; saw: {} vs. {}", target_name, depth,
                           target.rank());
  NdIndices out;
  out.depth = static_cast<int>(depth);
  int64_t count = 1;
  for (int i = 0; i + 1 < indices.rank(); ++i) count *= indices.dim(i);
  for (int i = out.depth; i < target.rank(); ++i) out.slice *= target[i];
  // An index of depth 0 takes no memory in `indices`, so only this allocation limits their number.
  WEIR_ASSIGN(out.storage, Tensor::Allocate(kInt64, Shape{count}));
  const absl::Span<int64_t> numbers = out.storage.flat<int64_t>();
  out.slices = numbers;
  int64_t bad = -1;
  switch (indices.dtype()) {
    case kInt16:
      bad = Flatten<int16_t>(indices, target, out.depth, numbers);
      break;
    case kUint16:
      bad = Flatten<uint16_t>(indices, target, out.depth, numbers);
      break;
    case kInt32:
      bad = Flatten<int32_t>(indices, target, out.depth, numbers);
      break;
    default:
      bad = Flatten<int64_t>(indices, target, out.depth, numbers);
      break;
  }
  if (bad < 0) return out;
  Ints position, where;
  for (int64_t d = 0; d < depth; ++d) position.push_back(IntAt(indices, bad * depth + d));
  for (int i = indices.rank() - 2; i >= 0; --i) {
    where.insert(where.begin(), bad % indices.dim(i));
    bad /= indices.dim(i);
  }
  return InvalidArgument("indices{} = [{}] does not index into {} shape {}",
                         where.empty() ? std::string() : fmt::format("[{}]", fmt::join(where, ",")),
                         fmt::join(position, ", "), target_name, target);
}

Status CheckKnownNdShapes(const PartialShape& indices, const PartialShape& updates, const PartialShape& target) {
  if (target.known_rank() && target.num_elements() == 0 && (indices.num_elements() > 0 || updates.num_elements() > 0))
    return InvalidArgument("Indices and updates specified for empty output");
  if (!indices.known_rank() || !updates.known_rank() || updates.rank() == 0) return OkStatus();
  const int outer = indices.rank() - 1;
  const int64_t depth = indices[outer];
  if (depth == kUnknownDim) return OkStatus();
  WEIR_ASSIGN(PartialShape batch, indices.Sub(0, outer));
  WEIR_ASSIGN(PartialShape update_batch, updates.Sub(0, std::min(outer, updates.rank())));
  if (!batch.CompatibleWith(update_batch))
    return InvalidArgument(
        "Dimensions [0,{}) of indices[shape={}] = {} must match dimensions [0,{}) of updates[shape={}] = {}", outer,
        indices, batch, outer, updates, update_batch);
  if (!target.known_rank()) return OkStatus();
  WEIR_ASSIGN(PartialShape slice, target.Sub(static_cast<int>(std::min<int64_t>(depth, target.rank()))));
  WEIR_ASSIGN(PartialShape update_slice, updates.Sub(outer));
  if (!slice.CompatibleWith(update_slice))
    return InvalidArgument(
        "Dimensions [{},{}) of input[shape={}] = {} must match dimensions [{},{}) of updates[shape={}] = {}", depth,
        target.rank(), target, slice, outer, updates.rank(), updates, update_slice);
  return OkStatus();
}

}  // namespace weir::ops
