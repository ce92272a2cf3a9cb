#include "ops/array/slice_spec.h"

#include <algorithm>

namespace weir::ops {
namespace {

constexpr size_t kMaxSpecs = 63;  // masks are 64-bit, and an implicit ellipsis takes one entry

bool Bit(int64_t mask, size_t i) { return (mask >> i) & 1; }

// Resolves dimension `d` of size `dim` with entry `i` of the specification.
Result<SliceSpec::Dim> ResolveDim(int d, int64_t dim, size_t i, const Ints* begin, const Ints* end, const Ints& strides,
                                  const SliceMasks& masks) {
  const int64_t stride = strides[i];
  const bool shrink = Bit(masks.shrink_axis, i);
  if (stride == 0) return InvalidArgument("strides[{}] must be non-zero", i);
  if (shrink && stride < 0) return InvalidArgument("only stride 1 allowed on non-range indexing.");
  SliceSpec::Dim out{.begin = 0, .stride = stride, .size = kUnknownDim};
  if (dim == kUnknownDim) {
    if (shrink) out.size = 1;
    return out;
  }
  if (shrink) {
    out.stride = 1;
    out.size = 1;
    if (begin == nullptr) return out;
    out.begin = (*begin)[i] < 0 ? (*begin)[i] + dim : (*begin)[i];
    if (out.begin < 0 || out.begin >= dim)
      return InvalidArgument("slice index {} of dimension {} out of bounds.", (*begin)[i], d);
    return out;
  }
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? dim : dim - 1;
  auto clamp = [&](int64_t x) { return std::clamp(x < 0 ? x + dim : x, low, high); };
  const bool from_start = Bit(masks.begin, i), to_end = Bit(masks.end, i);
  if ((begin == nullptr && !from_start) || (end == nullptr && !to_end)) return out;
  out.begin = from_start ? (stride > 0 ? low : high) : clamp((*begin)[i]);
  const int64_t stop = to_end ? (stride > 0 ? high : low) : clamp((*end)[i]);
  const int64_t length = stop - out.begin;
  if (length == 0 || (length < 0) != (stride < 0)) {
    out.size = 0;
  } else {
    out.size = length / stride + (length % stride != 0 ? 1 : 0);
  }
  return out;
}

}  // namespace

Result<SliceSpec> ResolveSlice(const PartialShape& input, const Ints* begin, const Ints* end, const Ints& strides,
                               const SliceMasks& masks) {
  const size_t n = strides.size();
  if ((begin != nullptr && begin->size() != n) || (end != nullptr && end->size() != n) || n > kMaxSpecs)
    return InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes [{}], [{}], and [{}] instead. "
        "At most {} elements are possible.",
        begin == nullptr ? n : begin->size(), end == nullptr ? n : end->size(), n, kMaxSpecs);
  if ((masks.ellipsis & (masks.ellipsis - 1)) != 0)
    return InvalidArgument("Multiple ellipses in slice spec not allowed");
  SliceSpec spec;
  DimVector final_dims;
  const int rank = input.rank();
  int d = 0;
  bool seen_ellipsis = false;
  auto take_whole = [&](int until) {
    for (; d < until; ++d) {
      spec.dims.push_back({.begin = 0, .stride = 1, .size = input[d]});
      final_dims.push_back(input[d]);
    }
  };
  for (size_t i = 0; i < n; ++i) {
    if (Bit(masks.ellipsis, i)) {
      seen_ellipsis = true;
      int consumed_after = 0;
      for (size_t j = i + 1; j < n; ++j) consumed_after += Bit(masks.new_axis, j) ? 0 : 1;
      take_whole(rank - consumed_after);
    } else if (Bit(masks.new_axis, i)) {
      final_dims.push_back(1);
    } else {
      if (d >= rank) return InvalidArgument("Index out of range using input dim {}; input has only {} dims", d, rank);
      WEIR_ASSIGN(SliceSpec::Dim dim, ResolveDim(d, input[d], i, begin, end, strides, masks));
      if (!Bit(masks.shrink_axis, i)) final_dims.push_back(dim.size);
      spec.dims.push_back(dim);
      ++d;
    }
  }
  if (!seen_ellipsis) take_whole(rank);
  WEIR_ASSIGN(spec.final_shape, PartialShape::Make(final_dims));
  return spec;
}

Result<SliceSpec> ResolveSlice(const Shape& input, const Tensor& begin, const Tensor& end, const Tensor& strides,
                               const SliceMasks& masks) {
  if (begin.rank() != 1 || end.rank() != 1 || strides.rank() != 1)
    return InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes {}, {}, and {} instead.",
        begin.shape(), end.shape(), strides.shape());
  WEIR_ASSIGN(Ints b, VectorInts(begin, "begin"));
  WEIR_ASSIGN(Ints e, VectorInts(end, "end"));
  WEIR_ASSIGN(Ints s, VectorInts(strides, "strides"));
  return ResolveSlice(PartialShape(input), &b, &e, s, masks);
}

SliceBox BoxOf(const SliceSpec& spec, const Shape& whole) {
  SliceBox box;
  const DimVector strides = RowMajorStrides(whole);
  const size_t rank = spec.dims.size();
  box.box_strides.resize(rank);
  box.whole_strides.resize(rank);
  box.sizes.resize(rank);
  int64_t dense = 1;
  for (size_t i = rank; i-- > 0;) {
    const SliceSpec::Dim& d = spec.dims[i];
    box.first += d.size > 0 ? d.begin * strides[i] : 0;
    // A dimension of at most one element needs no stride, which could overflow.
    box.whole_strides[i] = d.size > 1 ? d.stride * strides[i] : 0;
    box.box_strides[i] = dense;
    box.sizes[i] = d.size;
    dense *= d.size;
  }
  return box;
}

}  // namespace weir::ops
