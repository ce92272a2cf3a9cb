// Shape: the dimensions of a tensor; their product fits an int64. PartialShape: a shape as far as it is known before a
// run. Unknown dimensions are -1; the rank may be unknown too. Both are value types.
#ifndef WEIR_TENSOR_SHAPE_H_
#define WEIR_TENSOR_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "weir/base/status.h"

namespace weir {

using DimVector = absl::InlinedVector<int64_t, 4>;
constexpr int kMaxRank = 254;
constexpr int64_t kUnknownDim = -1;

// Returns a * b, or an error if a or b is negative or the product overflows.
Result<int64_t> CheckedMultiply(int64_t a, int64_t b);

class Shape {
 public:
  Shape() = default;  // a scalar
  // For literals and dimensions of existing tensors. REQUIRES: dims >= 0, and their product fits.
  Shape(std::initializer_list<int64_t> dims);
  // Checks the dimensions. Use it for dimensions from a user, a file or the elements of a tensor.
  static Result<Shape> Make(absl::Span<const int64_t> dims);

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int i) const { return dims_[i]; }
  int64_t operator[](int i) const { return dims_[i]; }
  const DimVector& dims() const { return dims_; }
  auto begin() const { return dims_.begin(); }
  auto end() const { return dims_.end(); }
  int64_t num_elements() const { return num_elements_; }

  // These fail, without a change, if the product would not fit.
  Status AddDim(int64_t size);
  Status InsertDim(int at, int64_t size);
  Status SetDim(int i, int64_t size);
  void RemoveDim(int i);
  void RemoveLastDims(int count);

  bool operator==(const Shape& other) const { return dims_ == other.dims_; }
  std::string ToString() const;  // "[2,3]"

 private:
  void Recount();
  DimVector dims_;
  int64_t num_elements_ = 1;
};

class PartialShape {
 public:
  PartialShape() = default;  // unknown rank
  PartialShape(const Shape& shape) : known_rank_(true), dims_(shape.dims()) {}
  PartialShape(std::initializer_list<int64_t> dims) : known_rank_(true), dims_(dims) {}
  explicit PartialShape(DimVector dims) : known_rank_(true), dims_(std::move(dims)) {}
  static PartialShape Unknown() { return PartialShape(); }
  static PartialShape OfRank(int rank) { return PartialShape(DimVector(rank, kUnknownDim)); }
  static PartialShape Scalar() { return PartialShape(DimVector()); }
  // Fails for dimensions < -1, a rank over kMaxRank or a product that overflows.
  static Result<PartialShape> Make(absl::Span<const int64_t> dims);

  bool known_rank() const { return known_rank_; }
  int rank() const { return known_rank_ ? static_cast<int>(dims_.size()) : -1; }
  int64_t dim(int i) const { return known_rank_ ? dims_[i] : kUnknownDim; }
  int64_t operator[](int i) const { return dim(i); }
  const DimVector& dims() const { return dims_; }
  bool fully_defined() const;
  int64_t num_elements() const;  // -1 when not fully defined
  // REQUIRES: fully_defined().
  Shape ToShape() const;

  // REQUIRES: known_rank() (checked).
  void AddDim(int64_t size) {
    if (!known_rank_) [[unlikely]]
      FailRankCheck();
    dims_.push_back(size);
  }
  void SetDim(int i, int64_t size) { dims_[i] = size; }
  void InsertDim(int at, int64_t size) { dims_.insert(dims_.begin() + at, size); }
  void RemoveDim(int i) { dims_.erase(dims_.begin() + i); }
  // The dimensions [begin, end); negative indices count from the end. An unknown rank stays unknown.
  Result<PartialShape> Sub(int begin, int end = 1 << 20) const;
  PartialShape Concat(const PartialShape& other) const;

  // Combines the knowledge of both. Fails if they contradict each other; the error names both shapes.
  Result<PartialShape> Merge(const PartialShape& other) const;
  bool CompatibleWith(const PartialShape& other) const;
  bool CompatibleWith(const Shape& other) const { return CompatibleWith(PartialShape(other)); }
  // Same rank and dimensions; an unknown dimension equals only an unknown one.
  bool operator==(const PartialShape& other) const { return known_rank_ == other.known_rank_ && dims_ == other.dims_; }
  std::string ToString() const;  // "<unknown>", "[?,3]"

 private:
  [[noreturn]] static void FailRankCheck();  // reports a bug of the caller and ends the process

  bool known_rank_ = false;
  DimVector dims_;
};

}  // namespace weir

#endif  // WEIR_TENSOR_SHAPE_H_
