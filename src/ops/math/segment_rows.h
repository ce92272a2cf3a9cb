// Reducing rows of a tensor into rows of another, on untyped memory: what all segment ops are made of.
// Rows that go to one place are combined in order, on one thread, so results do not depend on the number of threads.
#ifndef WEIR_OPS_MATH_SEGMENT_ROWS_H_
#define WEIR_OPS_MATH_SEGMENT_ROWS_H_

#include <vector>

#include "op/kernel.h"
#include "ops/math/elementwise.h"

namespace weir::ops {

enum class RowOp { kSum, kMean, kSqrtN, kProd, kMax, kMin };

// How rows of one type are combined. A value.
class RowReducer final {
 public:
  // For data of a type: sums and products of 16-bit floats are computed in float, so dtype() may be a wider one.
  static Result<RowReducer> For(RowOp op, DType data_type);
  RowOp op() const { return op_; }
  DType dtype() const { return dtype_; }

  char* Row(const Tensor& t, int64_t row, int64_t width) const {
    return static_cast<char*>(t.raw()) + row * width * static_cast<int64_t>(size_);
  }
  void Copy(void* to, const void* from, int64_t n) const;
  // to = op(to, from)
  void Combine(void* to, const void* from, int64_t n) const { combine_(to, from, to, n, Moving::kBoth); }
  // to[rows[i]] = op(to[rows[i]], from[i]) for single elements; negative rows are left out. False: not for this op or
  // type.
  bool CombineElements(void* to, const std::vector<int64_t>& rows, const void* from) const;
  // What a mean over `count` rows still needs after the sum; nothing for other ops.
  void Finish(void* row, int64_t n, int64_t count) const;
  // What an empty segment of an unsorted reduction holds: 0, 1, the lowest or the highest number.
  void FillIdentity(void* to, int64_t n) const;
  // What a gap between sorted segments holds: 0, or 1 for products.
  void FillGap(void* to, int64_t n) const;
  int64_t Cost(int64_t n) const { return 8 + n * static_cast<int64_t>(size_) / 4; }

 private:
  RowReducer(RowOp op, DType dtype, BinaryLoop combine);

  RowOp op_;
  DType dtype_;
  size_t size_;
  BinaryLoop combine_;
};

// All elements of an int16, int32 or int64 tensor.
std::vector<int64_t> RowIds(const Tensor& ids);

// Runs `reduce` on input 0 and on output 0 of shape `shape`, or on wide copies of them where the reducer computes in a
// wider type.
Status ReduceWide(KernelContext& ctx, const RowReducer& reducer, const Shape& shape,
                  FunctionRef<Status(const Tensor& data, const Tensor& out)> reduce);

// out[to[i]] op= data[from[i]] for all i in order; negative to[i] are left out. An empty `from` means i itself.
// REQUIRES: all rows in range.
Status ScatterRows(KernelContext& ctx, const RowReducer& reducer, const Tensor& data, const Tensor& out, int64_t width,
                   const std::vector<int64_t>& to, const std::vector<int64_t>& from = {});

// Sorted segment ids, all >= 0: segment `row` takes the positions [begin, end).
struct Segment {
  int64_t row;
  int64_t begin;
  int64_t end;
};
Result<std::vector<Segment>> SortedSegments(const std::vector<int64_t>& ids);

// out[s.row] = reduction of data[rows[i]] over every segment, gaps filled; an empty `rows` means i itself.
Status ReduceSegments(KernelContext& ctx, const RowReducer& reducer, const Tensor& data, const Tensor& out,
                      int64_t width, const std::vector<Segment>& segments, const std::vector<int64_t>& rows = {});

// shape with its first `dropped` dimensions replaced by one of size `rows`.
Result<Shape> WithRows(const Shape& shape, int dropped, int64_t rows);
// The number of elements behind the first `dropped` dimensions.
int64_t RowWidth(const Shape& shape, int dropped);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_SEGMENT_ROWS_H_
