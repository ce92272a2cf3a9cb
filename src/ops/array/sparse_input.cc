#include "ops/array/sparse_input.h"

namespace weir::ops {

int SparseInput::Compare(int64_t i, const SparseInput& other, int64_t j) const {
  const absl::Span<const int64_t> a = index(i), b = other.index(j);
  for (size_t d = 0; d < a.size(); ++d) {
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  }
  return 0;
}

Result<SparseInput> ReadSparseEntries(const Tensor& indices, const Tensor& values, const Tensor& shape,
                                      std::string_view what) {
  if (indices.rank() != 2)
    return InvalidArgument("{}indices should be a matrix but received shape {}", what, indices.shape());
  if (values.rank() != 1)
    return InvalidArgument("{}values should be a vector but received shape {}", what, values.shape());
  if (shape.rank() != 1)
    return InvalidArgument("{}shape should be a vector but received shape {}", what, shape.shape());
  if (indices.dim(0) != values.dim(0) || indices.dim(1) != shape.dim(0))
    return InvalidArgument("the shapes of {}indices ({}), values ({}) and shape ({}) do not match", what,
                           indices.shape(), values.shape(), shape.shape());
  SparseInput s;
  s.values = values;
  s.count = indices.dim(0);
  s.rank = static_cast<int>(indices.dim(1));
  s.indices = IntsOf(indices);
  return s;
}

Result<SparseInput> ReadSparseInput(const Tensor& indices, const Tensor& values, const Tensor& shape,
                                    std::string_view what, Entries entries) {
  WEIR_ASSIGN(SparseInput s, ReadSparseEntries(indices, values, shape, what));
  WEIR_ASSIGN(s.shape, ShapeFromTensor(shape, std::string(what) + "shape"));
  if (entries == Entries::kAnywhere) return s;
  for (int64_t i = 0; i < s.count; ++i) {
    for (int d = 0; d < s.rank; ++d) {
      const int64_t v = s.index(i)[static_cast<size_t>(d)];
      if (v < 0 || v >= s.shape[d])
        return InvalidArgument("{}indices[{},{}] = {} is not in [0, {})", what, i, d, v, s.shape[d]);
    }
  }
  return s;
}

Status CheckReductionAxes(const Tensor& axes) {
  if (axes.rank() <= 1) return OkStatus();
  return InvalidArgument("Expected reduction_axes to be a scalar or a vector; got shape: {}", axes.shape());
}

Status SparseReduceShape(ShapeContext& ctx) {
  const Tensor* shape = ctx.constant(2);
  if (shape != nullptr && ctx.constant(3) != nullptr && shape->num_elements() == 0)
    return InvalidArgument("Number of dims in shape tensor must not be 0");
  return UnknownOutputs()(ctx);
}

Result<Tensor> IndexMatrix(absl::Span<const int64_t> indices, int64_t count, int rank) {
  WEIR_ASSIGN(Shape shape, Shape::Make({count, rank}));
  WEIR_ASSIGN(Tensor t, Tensor::Allocate(kInt64, shape));
  std::copy(indices.begin(), indices.end(), t.data<int64_t>());
  return t;
}

}  // namespace weir::ops
