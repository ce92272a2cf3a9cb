// TensorSlice: a part of a tensor in a checkpoint: a range, or the full extent, along each axis.
#ifndef WEIR_IO_TENSOR_SLICE_H_
#define WEIR_IO_TENSOR_SLICE_H_

#include <string>
#include <string_view>
#include <vector>

#include "proto/tensor_shape.pb.h"
#include "tensor/tensor.h"

namespace weir::io {

class TensorSlice final {
 public:
  static constexpr int64_t kFull = -1;
  struct Extent {
    int64_t start = 0;
    int64_t length = kFull;
    bool operator==(const Extent&) const = default;
  };

  TensorSlice() = default;
  explicit TensorSlice(std::vector<Extent> extents) : extents_(std::move(extents)) {}
  static TensorSlice Full(int rank) { return TensorSlice(std::vector<Extent>(static_cast<size_t>(rank))); }
  // Format "0,2:-": per axis, start and length, or "-" for the full extent.
  static Result<TensorSlice> Parse(std::string_view text);
  static Result<TensorSlice> FromProto(const tensorflow::TensorSliceProto& proto);
  void ToProto(tensorflow::TensorSliceProto* proto) const;
  std::string ToString() const;

  int rank() const { return static_cast<int>(extents_.size()); }
  const Extent& extent(int axis) const { return extents_[static_cast<size_t>(axis)]; }
  // Replaces full extents by numbers. Fails if the slice is not inside `shape`.
  Result<TensorSlice> Within(const Shape& shape) const;
  // The same for a part that is to be saved. Also fails if `tensor`, the shape of the part's value, differs from the
  // shape of the slice.
  Result<TensorSlice> WithinForValue(const Shape& shape, const Shape& tensor) const;
  // REQUIRES: no full extents.
  Result<Shape> shape() const;
  // True if the slice is all of `shape`. REQUIRES: it is inside `shape`.
  bool Covers(const Shape& shape) const;
  // The key of this part in a checkpoint. Keys are ordered by name, then by position.
  std::string Key(std::string_view tensor_name) const;
  bool operator==(const TensorSlice&) const = default;

 private:
  std::vector<Extent> extents_;
};

// "4 3 0,2:-": the shape of a whole tensor and a slice of it.
struct ShapeAndSlice {
  Shape shape;
  TensorSlice slice;   // as in the text
  TensorSlice within;  // with full extents replaced by numbers
  Shape slice_shape;
};
Result<ShapeAndSlice> ParseShapeAndSlice(std::string_view text);

// Copies the elements that both slices of a tensor contain from `from` to `to`. Returns their number.
// REQUIRES: no full extents; `from` and `to` have the shapes of their slices and the same type.
int64_t CopyOverlap(const TensorSlice& from_slice, const Tensor& from, const TensorSlice& to_slice, const Tensor& to);
// The number of elements that both slices contain. REQUIRES: equal rank, no full extents.
int64_t Overlap(const TensorSlice& a, const TensorSlice& b);

}  // namespace weir::io

#endif  // WEIR_IO_TENSOR_SLICE_H_
