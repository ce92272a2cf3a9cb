// Invariant, stronger than the header says: the product of all nonzero dimensions fits an int64. So any subset of the
// dimensions, in any order, is a valid shape.
#include "tensor/shape.h"

#include <algorithm>

#include "absl/strings/str_join.h"

namespace weir {
namespace {

// Whether the product of the positive dimensions fits. Skips 0 and unknown ones.
bool ProductFits(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t d : dims) {
    if (d > 0 && __builtin_mul_overflow(product, d, &product)) return false;
  }
  return true;
}

std::string Join(absl::Span<const int64_t> dims) {
  return "[" +
         absl::StrJoin(dims, ",",
                       [](std::string* out, int64_t d) {
                         out->append(d < 0 ? (d == kUnknownDim ? "?" : std::to_string(d)) : std::to_string(d));
                       }) +
         "]";
}

Status CheckRank(size_t rank) {
  if (rank > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument("a shape of {} dimensions: at most {} are supported", rank, kMaxRank);
  }
  return OkStatus();
}

Status CheckDims(absl::Span<const int64_t> dims, int64_t smallest) {
  WEIR_TRY(CheckRank(dims.size()));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < smallest) {
      return InvalidArgument("Dimension {} of shape [{}] must be >= {}", i, absl::StrJoin(dims, ","), smallest);
    }
  }
  if (!ProductFits(dims)) return InvalidArgument("shape {} has too many elements", Join(dims));
  return OkStatus();
}

}  // namespace

Result<int64_t> CheckedMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) {
    return InvalidArgument("the product of {} and {} is not a valid size", a, b);
  }
  return product;
}

Shape::Shape(std::initializer_list<int64_t> dims) : dims_(dims) {
  const Status status = CheckDims(dims_, 0);
  WEIR_CHECK(status.ok(), std::string(status.message()));
  Recount();
}

Result<Shape> Shape::Make(absl::Span<const int64_t> dims) {
  WEIR_TRY(CheckDims(dims, 0));
  Shape shape;
  shape.dims_.assign(dims.begin(), dims.end());
  shape.Recount();
  return shape;
}

void Shape::Recount() {
  num_elements_ = 1;
  for (int64_t d : dims_) {
    if (d == 0) {
      num_elements_ = 0;
      return;
    }
  }
  for (int64_t d : dims_) num_elements_ *= d;
}

Status Shape::AddDim(int64_t size) { return InsertDim(rank(), size); }

Status Shape::InsertDim(int at, int64_t size) {
  WEIR_CHECK(at >= 0 && at <= rank(), at, rank());
  DimVector dims = dims_;
  dims.insert(dims.begin() + at, size);
  WEIR_TRY(CheckDims(dims, 0));
  dims_ = std::move(dims);
  Recount();
  return OkStatus();
}

Status Shape::SetDim(int i, int64_t size) {
  WEIR_CHECK(i >= 0 && i < rank(), i, rank());
  const int64_t old = std::exchange(dims_[i], size);
  if (Status status = CheckDims(dims_, 0); !status.ok()) {
    dims_[i] = old;
    return status;
  }
  Recount();
  return OkStatus();
}

void Shape::RemoveDim(int i) {
  WEIR_CHECK(i >= 0 && i < rank(), i, rank());
  dims_.erase(dims_.begin() + i);
  Recount();
}

void Shape::RemoveLastDims(int count) {
  WEIR_CHECK(count >= 0 && count <= rank(), count, rank());
  dims_.resize(dims_.size() - count);
  Recount();
}

std::string Shape::ToString() const { return Join(dims_); }

Result<PartialShape> PartialShape::Make(absl::Span<const int64_t> dims) {
  WEIR_TRY(CheckDims(dims, kUnknownDim));
  return PartialShape(DimVector(dims.begin(), dims.end()));
}

bool PartialShape::fully_defined() const {
  return known_rank_ && std::none_of(dims_.begin(), dims_.end(), [](int64_t d) { return d < 0; });
}

int64_t PartialShape::num_elements() const {
  if (!fully_defined()) return -1;
  if (std::find(dims_.begin(), dims_.end(), 0) != dims_.end()) return 0;
  int64_t product = 1;
  for (int64_t d : dims_) {
    if (__builtin_mul_overflow(product, d, &product)) return -1;
  }
  return product;
}

Shape PartialShape::ToShape() const {
  WEIR_CHECK(fully_defined(), ToString());
  Result<Shape> shape = Shape::Make(dims_);
  WEIR_CHECK(shape.ok(), ToString());
  return *std::move(shape);
}

Result<PartialShape> PartialShape::Sub(int begin, int end) const {
  if (!known_rank_) return Unknown();
  const int n = rank();
  const int first = begin < 0 ? begin + n : begin;
  const int last = std::min(end < 0 ? end + n : end, n);
  if (first < 0 || first > n || last < first) {
    return InvalidArgument("dimensions {} to {} of shape {} do not exist", begin, end, *this);
  }
  return PartialShape(DimVector(dims_.begin() + first, dims_.begin() + last));
}

void PartialShape::FailRankCheck() { CheckFailed(__FILE__, __LINE__, "the rank is known", ""); }

PartialShape PartialShape::Concat(const PartialShape& other) const {
  if (!known_rank_ || !other.known_rank_) return Unknown();
  DimVector dims = dims_;
  dims.insert(dims.end(), other.dims_.begin(), other.dims_.end());
  return PartialShape(std::move(dims));
}

Result<PartialShape> PartialShape::Merge(const PartialShape& other) const {
  if (!known_rank_) return other;
  if (!other.known_rank_) return *this;
  if (dims_.size() != other.dims_.size()) {
    return InvalidArgument("Shapes must be equal rank, but are {} and {}", rank(), other.rank());
  }
  DimVector merged = dims_;
  for (size_t i = 0; i < merged.size(); ++i) {
    if (merged[i] < 0) {
      merged[i] = other.dims_[i];
    } else if (other.dims_[i] >= 0 && other.dims_[i] != merged[i]) {
      return InvalidArgument("Dimension {} in both shapes must be equal, but are {} and {}. Shapes are {} and {}.", i,
                             merged[i], other.dims_[i], *this, other);
    }
  }
  if (!ProductFits(merged)) return InvalidArgument("shape {} has too many elements", Join(merged));
  return PartialShape(std::move(merged));
}

bool PartialShape::CompatibleWith(const PartialShape& other) const {
  if (!known_rank_ || !other.known_rank_) return true;
  if (dims_.size() != other.dims_.size()) return false;
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (dims_[i] >= 0 && other.dims_[i] >= 0 && dims_[i] != other.dims_[i]) return false;
  }
  return true;
}

std::string PartialShape::ToString() const { return known_rank_ ? Join(dims_) : "<unknown>"; }

}  // namespace weir
