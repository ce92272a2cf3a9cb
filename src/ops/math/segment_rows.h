// Reduces rows of one tensor into rows of another, on untyped memory. Used by all segment ops. Rows with the same
// target are combined in order on one thread, so results do not depend on the number of threads.
#ifndef WEIR_OPS_MATH_SEGMENT_ROWS_H_
#define WEIR_OPS_MATH_SEGMENT_ROWS_H_

#include <vector>

#include "op/kernel.h"
#include "ops/math/elementwise.h"

namespace weir::ops {

enum class RowOp { kSum, kMean, kSqrtN, kProd, kMax, kMin };

// Combines rows of one type. A value type.
class RowReducer final {
 public:
  // Sums and products of 16-bit floats are computed in float, so dtype() may be wider than `data_type`.
  static Result<RowReducer> For(RowOp op, DType data_type);
  RowOp op() const { return op_; }
  DType dtype() const { return dtype_; }

  char* Row(const Tensor& t, int64_t row, int64_t width) const {
    return static_cast<char*>(t.raw()) + row * width * static_cast<int64_t>(size_);
  }
  void Copy(void* to, const void* from, int64_t n) const;
  // to = op(to, from)
  void Combine(void* to, const void* from, int64_t n) const { combine_(to, from, to, n, ScalarOperand::kNone); }
  // to[rows[i]] = op(to[rows[i]], from[i]) for single elements; skips negative rows. Returns false if the op or type is
  // not supported.
  bool CombineElements(void* to, const std::vector<int64_t>& rows, const void* from) const;
  // Completes a mean over `count` rows after the sum. A no-op for other ops.
  void Finish(void* row, int64_t n, int64_t count) const;
  // Fills an empty segment of an unsorted reduction: 0, 1, the lowest or the highest number.
  void FillIdentity(void* to, int64_t n) const;
  // Fills a gap between sorted segments: 0, or 1 for products.
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

// Runs `reduce` on input 0 and output 0 (of shape `shape`), or on widened copies if the reducer computes in a wider
// type.
Status ReduceWide(KernelContext& ctx, const RowReducer& reducer, const Shape& shape,
                  FunctionRef<Status(const Tensor& data, const Tensor& out)> reduce);

// out[to[i]] op= data[from[i]] for all i in order; skips negative to[i]. If `from` is empty, from[i] = i. REQUIRES: all
// rows are in range.
Status ScatterRows(KernelContext& ctx, const RowReducer& reducer, const Tensor& data, const Tensor& out, int64_t width,
                   const std::vector<int64_t>& to, const std::vector<int64_t>& from = {});

// Segment `row` consists of the positions [begin, end) of sorted ids, all >= 0.
struct Segment {
  int64_t row;
  int64_t begin;
  int64_t end;
};
Result<std::vector<Segment>> SortedSegments(const std::vector<int64_t>& ids);

// out[s.row] = reduction of data[rows[i]] over every segment; fills gaps. If `rows` is empty, rows[i] = i.
Status ReduceSegments(KernelContext& ctx, const RowReducer& reducer, const Tensor& data, const Tensor& out,
                      int64_t width, const std::vector<Segment>& segments, const std::vector<int64_t>& rows = {});

// Replaces the first `dropped` dimensions of shape by one of size `rows`.
Result<Shape> WithRows(const Shape& shape, int dropped, int64_t rows);
// The number of elements per row, after the first `dropped` dimensions.
int64_t RowWidth(const Shape& shape, int dropped);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_SEGMENT_ROWS_H_
