#include "ops/data/rows.h"

#include <algorithm>

#include "ops/array/elements.h"

namespace weir::ops {

Result<Tensor> CopyOfRow(const Tensor& batch, int64_t row) {
  Shape shape = batch.shape();
  shape.RemoveDim(0);
  WEIR_ASSIGN(Tensor value, Tensor::Allocate(batch.dtype(), shape));
  Elements(batch.dtype()).Copy(batch, row * shape.num_elements(), value, 0, shape.num_elements());
  return value;
}

void CopyIntoRow(const Tensor& from, const Tensor& to, int64_t row) {
  const Elements elements(from.dtype());
  const int64_t row_size = to.num_elements() / std::max<int64_t>(1, to.dim(0));
  if (from.num_elements() == row_size) return elements.Copy(from, 0, to, row * row_size, row_size);
  if (from.num_elements() == 0) return;
  const int rank = from.rank();
  const int64_t run = from.dim(rank - 1);
  DimVector at(static_cast<size_t>(rank), 0);  // coordinates in `from` of the next contiguous run
  for (int64_t source = 0; source < from.num_elements(); source += run) {
    int64_t target = 0;
    for (int d = 0; d < rank; ++d) target = target * to.dim(d + 1) + at[static_cast<size_t>(d)];
    elements.Copy(from, source, to, row * row_size + target, run);
    for (int d = rank - 2; d >= 0; --d) {
      if (++at[static_cast<size_t>(d)] < from.dim(d)) break;
      at[static_cast<size_t>(d)] = 0;
    }
  }
}

void FillWith(const Tensor& value, const Tensor& to) {
  Elements(to.dtype()).Fill(to.raw(), value.raw(), to.num_elements());
}

}  // namespace weir::ops
