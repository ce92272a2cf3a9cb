#include "ops/queue/gradient_sum.h"

#include <algorithm>
#include <utility>

#include "ops/comm/lease_or_copy.h"
#include "tensor/half.h"

namespace weir::ops {
namespace {

template <class T>
void AddTo(T* sum, const T* more, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sum[i] = static_cast<T>(sum[i] + more[i]);
}
template <class T>
void Divide(T* to, const T* from, int64_t n, int64_t count) {
  const T divisor = static_cast<T>(static_cast<float>(count));
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(from[i] / divisor);
}

template <class T>
class DenseSum final : public GradientSum {
 public:
  explicit DenseSum(PartialShape shape) : shape_(std::move(shape)) {}

  // The first gradient is not copied: its memory is shared until a second one is added.
  Status Add(GradientInput gradient) override {
    Tensor& values = gradient.values;
    if (!shape_.CompatibleWith(values.shape()))
      return InvalidArgument("Shape mismatch: expected {}, got {}", shape_, values.shape());
    if (!sum_.valid()) {
      WEIR_TRY(LeaseOrCopy(&values));
      sum_ = std::move(values);
      return OkStatus();
    }
    if (!(sum_.shape() == values.shape()))
      return InvalidArgument("Shape mismatch: expected {}, got {}", sum_.shape(), values.shape());
    return Update([&](T* to, const T* from, int64_t n) {
      const T* more = values.template data<T>();
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(from[i] + more[i]);
    });
  }
  Result<std::vector<Tensor>> Finish(int64_t count, bool mean) override {
    if (mean && count > 1) {
      WEIR_TRY(Update([&](T* to, const T* from, int64_t n) { Divide(to, from, n, count); }));
    }
    return std::vector<Tensor>{std::move(sum_)};
  }

 private:
  // Updates the sum, in place if its memory is not shared.
  template <class Loop>
  Status Update(const Loop& loop) {
    if (sum_.OwnsMemoryAlone()) {
      loop(sum_.data<T>(), sum_.data<T>(), sum_.num_elements());
      return OkStatus();
    }
    WEIR_ASSIGN(Tensor to, Tensor::Allocate(sum_.dtype(), sum_.shape()));
    loop(to.data<T>(), sum_.data<T>(), sum_.num_elements());
    sum_ = std::move(to);
    return OkStatus();
  }

  const PartialShape shape_;
  Tensor sum_;
};

// An index and the gradient and row it came from.
struct RowEntry {
  int64_t index;
  uint32_t gradient;
  uint32_t row;
};

// Stable radix sort by index. REQUIRES: indices are not negative.
void SortByIndex(std::vector<RowEntry>* entries) {
  constexpr int kBits = 11;
  int64_t all = 0;
  for (const RowEntry& entry : *entries) all |= entry.index;
  std::vector<RowEntry> other(entries->size());
  for (int shift = 0; shift < 64 && (all >> shift) != 0; shift += kBits) {
    const auto digit = [shift](const RowEntry& entry) {
      return static_cast<size_t>(entry.index >> shift) & ((size_t{1} << kBits) - 1);
    };
    std::vector<size_t> begins((size_t{1} << kBits) + 1);
    for (const RowEntry& entry : *entries) ++begins[digit(entry) + 1];
    for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    for (const RowEntry& entry : *entries) other[begins[digit(entry)]++] = entry;
    entries->swap(other);
  }
}

// Stores the gradients until they exceed a size limit or the sum is requested. Only then does it add up their rows, in
// the order of the indices. Rows with equal indices are added in the order of arrival.
template <class T>
class SparseSum final : public GradientSum {
 public:
  explicit SparseSum(PartialShape shape) : shape_(std::move(shape)) {}

  Status Add(GradientInput gradient) override {
    WEIR_TRY(Check(gradient));
    Part part{gradient.indices->Ints(), std::move(gradient.values), {}};
    WEIR_TRY(LeaseOrCopy(&part.values));
    if (parts_.empty()) {
      row_shape_ = part.values.shape();
      row_shape_.RemoveDim(0);
    }
    kept_bytes_ += part.num_bytes();
    parts_.push_back(std::move(part));
    if (kept_bytes_ >= merge_at_ || parts_.size() > kMergeParts) Shrink();
    return OkStatus();
  }

  Result<std::vector<Tensor>> Finish(int64_t, bool mean) override {
    WEIR_ASSIGN(Part sum, Merge());
    const int64_t width = row_shape_.num_elements();
    for (size_t i = 0; mean && i < sum.counts.size(); ++i) {
      T* row = sum.values.template data<T>() + static_cast<int64_t>(i) * width;
      if (sum.counts[i] > 1) Divide(row, row, width, sum.counts[i]);
    }
    WEIR_ASSIGN(Tensor indices, Tensor::Allocate(kInt64, Shape{static_cast<int64_t>(sum.indices.size())}));
    std::copy(sum.indices.begin(), sum.indices.end(), indices.data<int64_t>());
    WEIR_ASSIGN(Tensor dense_shape, Tensor::Allocate(kInt64, Shape{row_shape_.rank() + 1}));
    dense_shape.data<int64_t>()[0] = shape_.known_rank() && shape_.rank() > 0 ? shape_[0] : kUnknownDim;
    std::copy(row_shape_.begin(), row_shape_.end(), dense_shape.data<int64_t>() + 1);
    return std::vector<Tensor>{std::move(indices), std::move(sum.values), std::move(dense_shape)};
  }

 private:
  static constexpr size_t kMergeBytes = size_t{64} << 20;
  static constexpr size_t kMergeParts = 1000;
  struct Part {
    size_t num_bytes() const { return values.num_bytes() + indices.size() * sizeof(RowEntry); }
    std::vector<int64_t> indices;
    Tensor values;
    std::vector<int64_t> counts;  // gradients per row, if this part is a merged sum; its indices are distinct then
  };

  // Merges the parts into one. Does nothing if memory does not suffice.
  void Shrink() {
    Result<Part> merged = Merge();
    if (!merged.ok()) return;
    parts_.clear();
    kept_bytes_ = merged->num_bytes();
    merge_at_ = std::max(kMergeBytes, 2 * kept_bytes_);
    parts_.push_back(*std::move(merged));
  }

  Result<Part> Merge() const {
    std::vector<RowEntry> entries;
    size_t num_rows = 0;
    for (const Part& part : parts_) num_rows += part.indices.size();
    entries.reserve(num_rows);
    for (size_t p = 0; p < parts_.size(); ++p) {
      const std::vector<int64_t>& indices = parts_[p].indices;
      for (size_t i = 0; i < indices.size(); ++i)
        entries.push_back({indices[i], static_cast<uint32_t>(p), static_cast<uint32_t>(i)});
    }
    SortByIndex(&entries);
    size_t distinct = 0;
    for (size_t i = 0; i < entries.size(); ++i) distinct += i == 0 || entries[i].index != entries[i - 1].index ? 1 : 0;
    Part sum;
    Shape shape = row_shape_;
    WEIR_TRY(shape.InsertDim(0, static_cast<int64_t>(distinct)));
    WEIR_ASSIGN(sum.values, Tensor::Allocate(DTypeOf<T>(), shape));
    sum.indices.reserve(distinct);
    sum.counts.reserve(distinct);
    const int64_t width = row_shape_.num_elements();
    T* out = sum.values.template data<T>();
    for (size_t i = 0; i < entries.size(); ++i) {
      const RowEntry& entry = entries[i];
      const Part& part = parts_[entry.gradient];
      const T* row = part.values.template data<T>() + static_cast<int64_t>(entry.row) * width;
      const int64_t count = part.counts.empty() ? 1 : part.counts[entry.row];
      if (i == 0 || entry.index != entries[i - 1].index) {
        if (i > 0) out += width;
        std::copy_n(row, width, out);
        sum.indices.push_back(entry.index);
        sum.counts.push_back(count);
      } else {
        AddTo(out, row, width);
        if (entry.gradient != entries[i - 1].gradient) sum.counts.back() += count;
      }
    }
    return sum;
  }

  Status Check(const GradientInput& gradient) const {
    const Tensor& indices = *gradient.indices;
    const Tensor& values = gradient.values;
    if (indices.rank() != 1)
      return InvalidArgument("Input indices should be vector but received shape: {}", indices.shape());
    if (values.rank() == 0) return InvalidArgument("Values cannot be 0-dimensional.");
    if (values.dim(0) != indices.dim(0))
      return InvalidArgument("Expected {} non-empty input values, got {}", indices.dim(0), values.dim(0));
    WEIR_ASSIGN(const int64_t limit, CheckDenseShape(gradient));
    // As in TensorFlow, the declared shape may omit trailing dimensions: a scalar shape accepts all gradients.
    if (shape_.known_rank()) WEIR_TRY(CheckValues(values, shape_, /*may_have_more=*/true));
    if (!parts_.empty()) WEIR_TRY(CheckValues(values, PartialShape{kUnknownDim}.Concat(row_shape_)));
    for (int64_t i = 0; i < indices.dim(0); ++i) {
      const int64_t index = indices.Int(i);
      if (index < 0 || (limit != kUnknownDim && index >= limit)) {
        return InvalidArgument("Shape mismatch: index of slice {} exceeded limits of shape; index is {} exceeded {}", i,
                               index, limit);
      }
    }
    return OkStatus();
  }
  // Checks the gradient's dense shape and returns the number of rows it allows, or kUnknownDim.
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
  std::vector<Part> parts_;
  size_t kept_bytes_ = 0;  // of all parts
  size_t merge_at_ = kMergeBytes;
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
      return Unimplemented("accumulators of type {} are not supported", dtype);
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
