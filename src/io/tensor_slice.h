// TensorSlice: the part of a tensor that a checkpoint's entry holds: a range, or everything, along each axis.
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
  // "0,2:-": start and length, or everything, for each axis.
  static Result<TensorSlice> Parse(std::string_view text);
  static Result<TensorSlice> FromProto(const tensorflow::TensorSliceProto& proto);
  void ToProto(tensorflow::TensorSliceProto* proto) const;
  std::string ToString() const;

  int rank() const { return static_cast<int>(extents_.size()); }
  const Extent& extent(int axis) const { return extents_[static_cast<size_t>(axis)]; }
  // With full extents spelled out; an error where it is not a part of `shape`.
  Result<TensorSlice> Within(const Shape& shape) const;
  // The same for a part that is to be saved; an error also where the tensor in it does not have the part's shape.
  Result<TensorSlice> Filled(const Shape& shape, const Shape& tensor) const;
  // REQUIRES: no full extents.
  Result<Shape> shape() const;
  // True if it is all of `shape`. REQUIRES: it is a part of it.
  bool Covers(const Shape& shape) const;
  // The name of its entry among the keys of a checkpoint; in the order of names, then of places.
  std::string Key(std::string_view tensor_name) const;
  bool operator==(const TensorSlice&) const = default;

 private:
  std::vector<Extent> extents_;
};

// "4 3 0,2:-": the shape of a whole tensor and a slice of it.
struct ShapeAndSlice {
  Shape shape;
  TensorSlice slice;   // as it was written
  TensorSlice within;  // with full extents spelled out
  Shape slice_shape;
};
Result<ShapeAndSlice> ParseShapeAndSlice(std::string_view text);

// Copies what both parts of one tensor share out of the memory of one into that of the other; returns the number of
// elements. REQUIRES: no full extents, the tensors have the slices' shapes and one type.
int64_t CopyOverlap(const TensorSlice& from_slice, const Tensor& from, const TensorSlice& to_slice, const Tensor& to);
// The number of elements that both parts share. REQUIRES: the same rank, no full extents.
int64_t Overlap(const TensorSlice& a, const TensorSlice& b);

}  // namespace weir::io

#endif  // WEIR_IO_TENSOR_SLICE_H_
