#include "ops/data/rows.h"

#include <algorithm>
#include <cstring>

namespace weir::ops {
namespace {

void CopyElements(const Tensor& from, int64_t from_at, const Tensor& to, int64_t to_at, int64_t count) {
  if (count == 0) return;
  if (from.dtype() == kString) {
    std::copy_n(from.data<std::string>() + from_at, count, to.data<std::string>() + to_at);
  } else if (from.dtype() == kResource) {
    std::copy_n(from.data<ResourceHandle>() + from_at, count, to.data<ResourceHandle>() + to_at);
  } else {
    const size_t size = ElementSize(from.dtype());
    std::memcpy(static_cast<char*>(to.raw()) + static_cast<size_t>(to_at) * size,
                static_cast<const char*>(from.raw()) + static_cast<size_t>(from_at) * size,
                static_cast<size_t>(count) * size);
  }
}

}  // namespace

Result<Tensor> CopyOfRow(const Tensor& batch, int64_t row) {
  Shape shape = batch.shape();
  shape.RemoveDim(0);
  WEIR_ASSIGN(Tensor value, Tensor::Allocate(batch.dtype(), shape));
  CopyElements(batch, row * shape.num_elements(), value, 0, shape.num_elements());
  return value;
}

void CopyIntoRow(const Tensor& from, const Tensor& to, int64_t row) {
  const int64_t row_size = to.num_elements() / std::max<int64_t>(1, to.dim(0));
  if (from.num_elements() == row_size) return CopyElements(from, 0, to, row * row_size, row_size);
  if (from.num_elements() == 0) return;
  const int rank = from.rank();
  const int64_t run = from.dim(rank - 1);
  DimVector at(static_cast<size_t>(rank), 0);  // coordinates in `from` of the next contiguous run
  for (int64_t source = 0; source < from.num_elements(); source += run) {
    int64_t target = 0;
    for (int d = 0; d < rank; ++d) target = target * to.dim(d + 1) + at[static_cast<size_t>(d)];
    CopyElements(from, source, to, row * row_size + target, run);
    for (int d = rank - 2; d >= 0; --d) {
      if (++at[static_cast<size_t>(d)] < from.dim(d)) break;
      at[static_cast<size_t>(d)] = 0;
    }
  }
}

void FillWith(const Tensor& value, const Tensor& to) {
  for (int64_t i = 0; i < to.num_elements(); ++i) CopyElements(value, 0, to, i, 1);
}

}  // namespace weir::ops
