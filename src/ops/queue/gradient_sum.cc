#include "ops/queue/gradient_sum.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tensor/half.h"

namespace weir::ops {
namespace {

template <class T>
void AddTo(T* sum, const T* more, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sum[i] = static_cast<T>(sum[i] + more[i]);
}
template <class T>
void DivideBy(T* values, int64_t n, int64_t count) {
  const T divisor = static_cast<T>(static_cast<float>(count));
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(values[i] / divisor);
}

template <class T>
class DenseSum final : public GradientSum {
 public:
  explicit DenseSum(PartialShape shape) : shape_(std::move(shape)) {}

  Status Add(GradientInput gradient) override {
    Tensor& values = gradient.values;
    if (!shape_.CompatibleWith(values.shape()))
      return InvalidArgument("Shape mismatch: expected {}, got {}", shape_, values.shape());
    if (!sum_.valid()) {
      if (values.OwnsMemoryAlone()) {
        sum_ = std::move(values);
        return OkStatus();
      }
      WEIR_ASSIGN(sum_, values.Clone());
      return OkStatus();
    }
    if (!(sum_.shape() == values.shape()))
      return InvalidArgument("Shape mismatch: expected {}, got {}", sum_.shape(), values.shape());
    AddTo(sum_.data<T>(), values.data<T>(), sum_.num_elements());
    return OkStatus();
  }
  Result<std::vector<Tensor>> Finish(int64_t count, bool mean) override {
    if (mean && count > 1) DivideBy(sum_.data<T>(), sum_.num_elements(), count);
    return std::vector<Tensor>{std::move(sum_)};
  }

 private:
  const PartialShape shape_;
  Tensor sum_;
};

// Rows in the order in which they first came; they leave in the order of their indices.
template <class T>
class SparseSum final : public GradientSum {
 public:
  explicit SparseSum(PartialShape shape) : shape_(std::move(shape)) {}

  Status Add(GradientInput gradient) override {
    WEIR_TRY(Check(gradient));
    const Tensor& values = gradient.values;
    if (gradients_++ == 0) {
      row_shape_ = values.shape();
      row_shape_.RemoveDim(0);
    }
    const int64_t width = row_shape_.num_elements();
    for (int64_t i = 0; i < values.dim(0); ++i) {
      const T* more = values.data<T>() + i * width;
      const auto [it, is_new] = rows_.try_emplace(gradient.indices->Int(i), rows_.size());
      if (is_new) {
        sums_.insert(sums_.end(), more, more + width);
        counts_.push_back({.gradients = 1, .last = gradients_});
        continue;
      }
      AddTo(sums_.data() + static_cast<int64_t>(it->second) * width, more, width);
      Count& count = counts_[it->second];
      if (std::exchange(count.last, gradients_) != gradients_) ++count.gradients;
    }
    return OkStatus();
  }

  Result<std::vector<Tensor>> Finish(int64_t, bool mean) override {
    std::vector<std::pair<int64_t, size_t>> order(rows_.begin(), rows_.end());
    std::sort(order.begin(), order.end());
    const auto n = static_cast<int64_t>(order.size());
    const int64_t width = row_shape_.num_elements();
    Shape shape = row_shape_;
    WEIR_TRY(shape.InsertDim(0, n));
    WEIR_ASSIGN(Tensor indices, Tensor::Allocate(kInt64, Shape{n}));
    WEIR_ASSIGN(Tensor values, Tensor::Allocate(DTypeOf<T>(), shape));
    for (int64_t i = 0; i < n; ++i) {
      const auto [index, row] = order[static_cast<size_t>(i)];
      indices.data<int64_t>()[i] = index;
      T* out = values.data<T>() + i * width;
      std::copy_n(sums_.data() + static_cast<int64_t>(row) * width, width, out);
      if (mean && counts_[row].gradients > 1) DivideBy(out, width, counts_[row].gradients);
    }
    WEIR_ASSIGN(Tensor dense_shape, Tensor::Allocate(kInt64, Shape{row_shape_.rank() + 1}));
    dense_shape.data<int64_t>()[0] = shape_.known_rank() && shape_.rank() > 0 ? shape_[0] : kUnknownDim;
    std::copy(row_shape_.begin(), row_shape_.end(), dense_shape.data<int64_t>() + 1);
    return std::vector<Tensor>{std::move(indices), std::move(values), std::move(dense_shape)};
  }

 private:
  struct Count {
    int64_t gradients = 0;
    int64_t last = 0;  // the last gradient that had the row
  };

  Status Check(const GradientInput& gradient) const {
    const Tensor& indices = *gradient.indices;
    const Tensor& values = gradient.values;
    if (indices.rank() != 1)
      return InvalidArgument("Input indices should be vector but received shape: {}", indices.shape());
    if (values.rank() == 0) return InvalidArgument("Values cannot be 0-dimensional.");
    if (values.dim(0) != indices.dim(0))
      return InvalidArgument("Expected {} non-empty input values, got {}", indices.dim(0), values.dim(0));
    WEIR_ASSIGN(const int64_t limit, CheckDenseShape(gradient));
    // As in TensorFlow the shape may leave out the last dimensions: that of a scalar fits all gradients.
    if (shape_.known_rank()) WEIR_TRY(CheckValues(values, shape_, /*may_have_more=*/true));
    if (gradients_ > 0) WEIR_TRY(CheckValues(values, PartialShape{kUnknownDim}.Concat(row_shape_)));
    for (int64_t i = 0; i < indices.dim(0); ++i) {
      const int64_t index = indices.Int(i);
      if (index < 0 || (limit != kUnknownDim && index >= limit)) {
        return InvalidArgument("Shape mismatch: index of slice {} exceeded limits of shape; index is {} exceeded {}", i,
                               index, limit);
      }
    }
    return OkStatus();
  }
  // How many rows a dense gradient would have, as far as known.
  Result<int64_t> CheckDenseShape(const GradientInput& gradient) const {
    int64_t limit = shape_.known_rank() && shape_.rank() > 0 ? shape_[0] : kUnknownDim;
    if (gradient.dense_shape == nullptr) return limit;
    const std::vector<int64_t> dims = gradient.dense_shape->Ints();
    if (static_cast<int>(dims.size()) < gradient.values.rank()) {
      return InvalidArgument("Shape mismatch: expected shape rank at least {}, got {}", gradient.values.rank(),
                             dims.size());
    }
    for (int d = 0; d < std::min(shape_.rank(), static_cast<int>(dims.size())); ++d) {
      const int64_t size = dims[static_cast<size_t>(d)];
      if (shape_[d] != kUnknownDim && shape_[d] != size)
        return InvalidArgument("Shape mismatch: expected shape dim {} to be {}, got {}", d, shape_[d], size);
    }
    return limit == kUnknownDim && dims[0] >= 0 ? dims[0] : limit;
  }
  static Status CheckValues(const Tensor& values, const PartialShape& expected, bool may_have_more = false) {
    if (may_have_more ? values.rank() < expected.rank() : values.rank() != expected.rank()) {
      return InvalidArgument("Shape mismatch: expected values rank {}, got {}", expected.rank(), values.rank());
    }
    for (int d = 1; d < expected.rank(); ++d) {
      if (expected[d] != kUnknownDim && expected[d] != values.dim(d)) {
        return InvalidArgument("Shape mismatch: expected values dim {} to be {}, got {}", d, expected[d],
                               values.dim(d));
      }
    }
    return OkStatus();
  }

  const PartialShape shape_;
  Shape row_shape_;
  int64_t gradients_ = 0;
  absl::flat_hash_map<int64_t, size_t> rows_;  // by index
  std::vector<T> sums_;
  std::vector<Count> counts_;
};

template <template <class> class Sum>
Result<std::unique_ptr<GradientSum>> MakeSum(DType dtype, const PartialShape& shape) {
  std::unique_ptr<GradientSum> sum;
  switch (dtype) {
    case kHalf:
      sum = std::make_unique<Sum<half>>(shape);
      break;
    case kFloat:
      sum = std::make_unique<Sum<float>>(shape);
      break;
    case kDouble:
      sum = std::make_unique<Sum<double>>(shape);
      break;
    default:
      return Unimplemented("accumulators of {}", dtype);
  }
  return sum;
}

}  // namespace

Result<std::unique_ptr<GradientSum>> MakeDenseSum(DType dtype, const PartialShape& shape) {
  return MakeSum<DenseSum>(dtype, shape);
}

Result<std::unique_ptr<GradientSum>> MakeSparseSum(DType dtype, const PartialShape& shape) {
  return MakeSum<SparseSum>(dtype, shape);
}

}  // namespace weir::ops
