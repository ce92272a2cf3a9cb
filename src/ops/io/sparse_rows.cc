#include "ops/io/sparse_rows.h"

#include <algorithm>

#include "ops/array/elements.h"

namespace weir::ops {
namespace {

Status CheckValueType(DType dtype) {
  if (dtype == kString || (dtype != kResource && dtype != kVariant && ElementSize(dtype) > 0)) return OkStatus();
  return InvalidArgument("sparse tensors of type {} are not supported by this op", dtype);
}

}  // namespace

Result<SparseParts> UncheckedSparseInputs(const KernelContext& ctx) {
  WEIR_TRY(CheckValueType(ctx.input(1).dtype()));
  const SparseParts parts{ctx.input(0), ctx.input(1), ctx.input(2)};
  if (parts.indices.rank() != 2)
    return InvalidArgument("Input indices should be a matrix but received shape {}", parts.indices.shape());
  if (parts.values.rank() != 1)
    return InvalidArgument("Input values should be a vector but received shape {}", parts.values.shape());
  if (parts.shape.rank() != 1)
    return InvalidArgument("Input shape should be a vector but received shape {}", parts.shape.shape());
  return parts;
}

Result<SparseParts> SparseInputs(const KernelContext& ctx, Entries entries) {
  WEIR_TRY(CheckValueType(ctx.input(1).dtype()));
  WEIR_TRY(ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "Input ", entries).status());
  return SparseParts{ctx.input(0), ctx.input(1), ctx.input(2)};
}

Result<std::vector<SparseParts>> RowsOfSparse(const SparseParts& sparse) {
  const int64_t rank = sparse.shape.num_elements();
  if (rank < 2) return InvalidArgument("Rank of input SparseTensor should be > 1, but saw rank: {}", rank);
  const int64_t rows = sparse.shape.Int(0);
  const int64_t* index = sparse.indices.data<int64_t>();
  const int64_t count = sparse.values.num_elements();
  if (rows > (int64_t{1} << 40)) return InvalidArgument("a SparseTensor of {} rows has too many rows", rows);
  WEIR_ASSIGN(const Tensor shape,
              IntVector(kInt64, absl::MakeConstSpan(sparse.shape.data<int64_t>() + 1, static_cast<size_t>(rank - 1))));
  // First count the values of each row, then copy them.
  std::vector<int64_t> sizes;
  sizes.resize(static_cast<size_t>(rows));
  for (int64_t i = 0; i < count; ++i) ++sizes[static_cast<size_t>(index[i * rank])];
  std::vector<SparseParts> parts;
  for (const int64_t size : sizes) {
    SparseParts part{.shape = shape};
    WEIR_ASSIGN(part.indices, Tensor::Allocate(kInt64, Shape{size, rank - 1}));
    WEIR_ASSIGN(part.values, Tensor::Allocate(sparse.values.dtype(), Shape{size}));
    parts.push_back(std::move(part));
  }
  std::fill(sizes.begin(), sizes.end(), 0);
  for (int64_t i = 0; i < count; ++i) {
    const auto row = static_cast<size_t>(index[i * rank]);
    const int64_t at = sizes[row]++;
    std::copy_n(index + i * rank + 1, rank - 1, parts[row].indices.data<int64_t>() + at * (rank - 1));
    Elements(sparse.values.dtype()).Copy(sparse.values, i, parts[row].values, at, 1);
  }
  return parts;
}

Result<SparseParts> StackSparse(const std::vector<SparseParts>& parts, DType dtype, absl::Span<const int64_t> outer) {
  WEIR_TRY(CheckValueType(dtype));
  if (parts.empty()) return InvalidArgument("Must have at least 1 SparseTensor, but there are none");
  const int64_t rank = parts[0].shape.num_elements();
  int64_t total = 0;
  std::vector<int64_t> shape(outer.begin(), outer.end());
  shape.resize(outer.size() + static_cast<size_t>(std::max<int64_t>(rank, 0)));
  for (size_t p = 0; p < parts.size(); ++p) {
    const SparseParts& part = parts[p];
    if (part.indices.dtype() != kInt64 || part.shape.dtype() != kInt64 || part.values.dtype() != dtype)
      return InvalidArgument(
          "SparseTensor {} has indices of {}, values of {} and a shape of {}; int64, {} and int64 are "
          "expected",
          p, part.indices.dtype(), part.values.dtype(), part.shape.dtype(), dtype);
    WEIR_TRY(
        ReadSparseInput(part.indices, part.values, part.shape, fmt::format("SparseTensor {}: ", p), Entries::kAnywhere)
            .status());
    if (part.shape.num_elements() != rank)
      return InvalidArgument(
          "Inconsistent rank across SparseTensors: rank prior to SparseTensor[{}] was: {} but rank of "
          "SparseTensor[{}] is: {}",
          p, rank, p, part.shape.num_elements());
    total += part.values.num_elements();
    for (int64_t d = 0; d < rank; ++d) {
      int64_t& size = shape[outer.size() + static_cast<size_t>(d)];
      size = std::max(size, part.shape.Int(d));
    }
  }
  const auto all = static_cast<int64_t>(shape.size());
  SparseParts stacked;
  WEIR_ASSIGN(const Shape matrix, Shape::Make({total, all}));
  WEIR_ASSIGN(stacked.indices, Tensor::Allocate(kInt64, matrix));
  WEIR_ASSIGN(stacked.values, Tensor::Allocate(dtype, Shape{total}));
  WEIR_ASSIGN(stacked.shape, IntVector(kInt64, shape));
  int64_t* to = stacked.indices.data<int64_t>();
  int64_t at = 0;
  std::vector<int64_t> place(outer.size());
  for (const SparseParts& part : parts) {
    const int64_t* from = part.indices.data<int64_t>();
    for (int64_t i = 0; i < part.values.num_elements(); ++i) {
      to = std::copy(place.begin(), place.end(), to);
      to = std::copy_n(from + i * rank, rank, to);
      Elements(part.values.dtype()).Copy(part.values, i, stacked.values, at++, 1);
    }
    for (size_t d = place.size(); d-- > 0;) {
      if (++place[d] < outer[d]) break;
      place[d] = 0;
    }
  }
  return stacked;
}

void SetSparseTensorOutputs(KernelContext& ctx, SparseParts sparse) {
  ctx.set_output(0, std::move(sparse.indices));
  ctx.set_output(1, std::move(sparse.values));
  ctx.set_output(2, std::move(sparse.shape));
}

Status CheckSparseInputShapes(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 2).status());
  WEIR_TRY(ctx.WithRank(1, 1).status());
  return ctx.WithRank(2, 1).status();
}

void SetSparseOutputShapes(ShapeContext& ctx, int64_t rank) {
  ctx.set_output(0, PartialShape{kUnknownDim, rank});
  ctx.set_output(1, PartialShape{kUnknownDim});
  ctx.set_output(2, PartialShape{rank});
}

}  // namespace weir::ops
