#include "ops/math/segment_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ops/math/cast.h"
#include "ops/math/simd_loops.h"

namespace weir::ops {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

bool IsMean(RowOp op) { return op == RowOp::kMean || op == RowOp::kSqrtN; }
bool IsNarrow(DType t) { return t == kHalf || t == kBFloat16; }

template <class F>
BinaryLoops Wrapping(SimdOp op, F f) {
  return std::move(SimdLoops(op)).And(AlsoSigned(BinaryFor<uint8_t, uint16_t, uint32_t, uint64_t, C64, C128>(f)));
}
template <class F>
BinaryLoops Extremes(SimdOp op, F f) {
  return std::move(SimdLoops(op))
      .And(BinaryFor<int8_t, uint8_t, int16_t, uint16_t, uint32_t, int64_t, uint64_t, half, bfloat16>(f));
}

BinaryLoop FindLoop(RowOp op, DType dtype) {
  switch (op) {
    case RowOp::kSum:
    case RowOp::kMean:
    case RowOp::kSqrtN:
      return Wrapping(SimdOp::kAdd, [](auto x, auto y) { return static_cast<decltype(x)>(x + y); }).Find(dtype);
    case RowOp::kProd:
      return Wrapping(SimdOp::kMul,
                      [](auto x, auto y) {
                        if constexpr (std::is_integral_v<decltype(x)>) {
                          return static_cast<decltype(x)>(uint64_t{x} * uint64_t{y});
                        } else {
                          return x * y;
                        }
                      })
          .Find(dtype);
    case RowOp::kMax:
      return Extremes(SimdOp::kMax, [](auto x, auto y) { return x < y ? y : x; }).Find(dtype);
    case RowOp::kMin:
      return Extremes(SimdOp::kMin, [](auto x, auto y) { return y < x ? y : x; }).Find(dtype);
  }
  return nullptr;
}

// Calls f(TypeTag<T>{}) with the C++ type of a numeric dtype.
template <class F>
void ForNumberType(DType dtype, F&& f) {
  ForType(dtype, kFloatingTypes + kIntegerTypes + kComplexTypes, std::forward<F>(f));
}

template <class T>
T Extreme(bool highest) {
  if constexpr (std::is_same_v<T, half>) {
    return half::FromBits(highest ? 0x7bff : 0xfbff);
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return bfloat16::FromBits(highest ? 0x7f7f : 0xff7f);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return highest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  } else {
    return T(0);
  }
}

// Converts all elements of `from` to the type of `to`.
Status Convert(const KernelContext& ctx, const Tensor& from, const Tensor& to) {
  const UnaryLoop cast = CastLoop(from.dtype(), to.dtype());
  if (cast == nullptr) return InvalidArgument("cannot convert elements of type {} to {}", from.dtype(), to.dtype());
  return ctx.ParallelFor(from.num_elements(), 1, [&](int64_t begin, int64_t end) {
    cast(static_cast<const char*>(from.raw()) + begin * static_cast<int64_t>(ElementSize(from.dtype())),
         static_cast<char*>(to.raw()) + begin * static_cast<int64_t>(ElementSize(to.dtype())), end - begin);
  });
}

}  // namespace

RowReducer::RowReducer(RowOp op, DType dtype, BinaryLoop combine)
    : op_(op), dtype_(dtype), size_(ElementSize(dtype)), combine_(combine) {}

Result<RowReducer> RowReducer::For(RowOp op, DType data_type) {
  const bool exact = op == RowOp::kMax || op == RowOp::kMin;
  const DType dtype = IsNarrow(data_type) && !exact ? kFloat : data_type;
  const BinaryLoop combine = FindLoop(op, dtype);
  if (combine == nullptr) return InvalidArgument("segment reductions of type {} are not supported", data_type);
  return RowReducer(op, dtype, combine);
}

void RowReducer::Copy(void* to, const void* from, int64_t n) const {
  if (n > 0) std::memcpy(to, from, static_cast<size_t>(n) * size_);
}

bool RowReducer::CombineElements(void* to, const std::vector<int64_t>& rows, const void* from) const {
  if (op_ != RowOp::kSum) return false;
  auto add = [&]<class T>(TypeTag<T>) {
    T* sums = static_cast<T*>(to);
    const T* x = static_cast<const T*>(from);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= 0) sums[rows[i]] += x[i];
    }
    return true;
  };
  switch (dtype_) {
    case kFloat:
      return add(TypeTag<float>{});
    case kDouble:
      return add(TypeTag<double>{});
    case kInt32:
      return add(TypeTag<uint32_t>{});
    case kInt64:
      return add(TypeTag<uint64_t>{});
    default:
      return false;
  }
}

void RowReducer::Finish(void* row, int64_t n, int64_t count) const {
  if (!IsMean(op_) || count <= 1) return;
  ForNumberType(dtype_, [&]<class T>(TypeTag<T>) {
    T* x = static_cast<T*>(row);
    if constexpr (std::is_integral_v<T>) {
      using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
      for (int64_t i = 0; i < n; ++i) x[i] = static_cast<T>(Wide{x[i]} / static_cast<Wide>(count));
    } else if constexpr (!std::is_same_v<T, half> && !std::is_same_v<T, bfloat16>) {
      const double divisor = op_ == RowOp::kMean ? static_cast<double>(count) : std::sqrt(static_cast<double>(count));
      for (int64_t i = 0; i < n; ++i) x[i] /= static_cast<decltype(std::abs(T()))>(divisor);
    }
  });
}

void RowReducer::FillIdentity(void* to, int64_t n) const {
  if (op_ != RowOp::kMax && op_ != RowOp::kMin) return FillGap(to, n);
  ForNumberType(dtype_,
                [&]<class T>(TypeTag<T>) { std::fill_n(static_cast<T*>(to), n, Extreme<T>(op_ == RowOp::kMin)); });
}

void RowReducer::FillGap(void* to, int64_t n) const {
  if (n <= 0) return;
  if (op_ != RowOp::kProd) {
    std::memset(to, 0, static_cast<size_t>(n) * size_);
  } else {
    ForNumberType(dtype_, [&]<class T>(TypeTag<T>) { std::fill_n(static_cast<T*>(to), n, static_cast<T>(1.0f)); });
  }
}

std::vector<int64_t> RowIds(const Tensor& ids) {
  auto as = [&]<class I>(TypeTag<I>) {
    const absl::Span<I> values = ids.flat<I>();
    return std::vector<int64_t>(values.begin(), values.end());
  };
  switch (ids.dtype()) {
    case kInt16:
      return as(TypeTag<int16_t>{});
    case kInt32:
      return as(TypeTag<int32_t>{});
    default:
      return as(TypeTag<int64_t>{});
  }
}

Status ReduceWide(KernelContext& ctx, const RowReducer& reducer, const Shape& shape,
                  FunctionRef<Status(const Tensor&, const Tensor&)> reduce) {
  const Tensor& data = ctx.input(0);
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
  if (data.dtype() == reducer.dtype()) return reduce(data, out);
  WEIR_ASSIGN(const Tensor wide, Tensor::Allocate(reducer.dtype(), data.shape()));
  WEIR_ASSIGN(const Tensor wide_out, Tensor::Allocate(reducer.dtype(), shape));
  WEIR_TRY(Convert(ctx, data, wide));
  WEIR_TRY(reduce(wide, wide_out));
  return Convert(ctx, wide_out, out);
}

Status ScatterRows(KernelContext& ctx, const RowReducer& reducer, const Tensor& data, const Tensor& out, int64_t width,
                   const std::vector<int64_t>& to, const std::vector<int64_t>& from) {
  WEIR_TRY(ctx.ParallelFor(out.num_elements(), 1, [&](int64_t begin, int64_t end) {
    reducer.FillIdentity(reducer.Row(out, begin, 1), end - begin);
  }));
  if (width == 0) return OkStatus();
  // For single elements, splitting costs more than the work.
  if (width == 1 && from.empty() && reducer.CombineElements(out.raw(), to, data.raw())) return OkStatus();
  // Every thread scans all of `to` and processes the rows that hash to its shard.
  const auto n = static_cast<int64_t>(to.size());
  const int threads = ctx.step().pool == nullptr ? 1 : std::max(1, ctx.step().pool->num_threads());
  const double cost = static_cast<double>(n) * static_cast<double>(reducer.Cost(width));
  const auto shards = static_cast<uint64_t>(std::clamp(cost / 50000, 1.0, static_cast<double>(threads)));
  auto shard_of = [shards](int64_t row) { return (static_cast<uint64_t>(row) * 0x9e3779b97f4a7c15u >> 32) % shards; };
  return ctx.ParallelFor(static_cast<int64_t>(shards), static_cast<int64_t>(cost) / static_cast<int64_t>(shards),
                         [&](int64_t shard) {
                           for (int64_t i = 0; i < n; ++i) {
                             const int64_t row = to[static_cast<size_t>(i)];
                             if (row < 0 || (shards > 1 && shard_of(row) != static_cast<uint64_t>(shard))) continue;
                             const int64_t source = from.empty() ? i : from[static_cast<size_t>(i)];
                             reducer.Combine(reducer.Row(out, row, width), reducer.Row(data, source, width), width);
                           }
                         });
}

Result<std::vector<Segment>> SortedSegments(const std::vector<int64_t>& ids) {
  std::vector<Segment> segments;
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (ids[i] < 0) return InvalidArgument("segment ids must be >= 0, segment_ids[{}] = {}", at, ids[i]);
    if (i > 0 && ids[i] < ids[i - 1])
      return InvalidArgument("segment ids are not increasing: segment_ids[{}] = {} comes after {}", at, ids[i],
                             ids[i - 1]);
    if (i > 0 && ids[i] == ids[i - 1]) {
      segments.back().end = at + 1;
    } else {
      segments.push_back({ids[i], at, at + 1});
    }
  }
  return segments;
}

Status ReduceSegments(KernelContext& ctx, const RowReducer& reducer, const Tensor& data, const Tensor& out,
                      int64_t width, const std::vector<Segment>& segments, const std::vector<int64_t>& rows) {
  if (width == 0) return OkStatus();
  auto source = [&](int64_t i) { return reducer.Row(data, rows.empty() ? i : rows[static_cast<size_t>(i)], width); };
  auto fill_gap = [&](int64_t begin, int64_t end) {
    reducer.FillGap(reducer.Row(out, begin, width), (end - begin) * width);
  };
  const auto count = static_cast<int64_t>(segments.size());
  const int64_t positions = segments.empty() ? 0 : segments.back().end;
  const int64_t cost = positions * reducer.Cost(width) / std::max<int64_t>(count, 1);
  fill_gap(segments.empty() ? 0 : segments.back().row + 1, out.dim(0));
  return ctx.ParallelFor(count, cost, [&](int64_t k) {
    const Segment& s = segments[static_cast<size_t>(k)];
    fill_gap(k == 0 ? 0 : segments[static_cast<size_t>(k - 1)].row + 1, s.row);
    char* to = reducer.Row(out, s.row, width);
    reducer.Copy(to, source(s.begin), width);
    for (int64_t i = s.begin + 1; i < s.end; ++i) reducer.Combine(to, source(i), width);
    reducer.Finish(to, width, s.end - s.begin);
  });
}

Result<Shape> WithRows(const Shape& shape, int dropped, int64_t rows) {
  DimVector dims = {rows};
  dims.insert(dims.end(), shape.begin() + dropped, shape.end());
  return Shape::Make(dims);
}

int64_t RowWidth(const Shape& shape, int dropped) {
  int64_t width = 1;
  for (int i = dropped; i < shape.rank(); ++i) {
    // Another dimension may be 0, so partial products may overflow.
    const Result<int64_t> product = CheckedMultiply(width, shape[i]);
    if (!product.ok()) return 0;
    width = *product;
  }
  return width;
}

}  // namespace weir::ops
