// Products of many matrices at once, on untyped memory: what BatchMatMul and Einsum are made of.
#ifndef WEIR_OPS_MATH_BATCH_PRODUCT_H_
#define WEIR_OPS_MATH_BATCH_PRODUCT_H_

#include <vector>

#include "device/cpu/gemm.h"
#include "op/kernel.h"

namespace weir::ops {

// Which matrix of A and of B makes matrix i of the output. Empty: matrix i itself.
struct BatchIndex {
  int64_t count = 1;
  std::vector<int64_t> a;
  std::vector<int64_t> b;
};

// The dimensions before the last two of shapes x and y, broadcast against each other. REQUIRES: ranks >= 2.
Result<DimVector> BroadcastBatch(const Shape& x, const Shape& y);
// Which matrices of x and y make each matrix of a result with these batch dimensions. REQUIRES: none of them is 0.
BatchIndex IndexBatch(const Shape& x, const Shape& y, const DimVector& batch);

// c[i] = op(a[index.a[i]]) op(b[index.b[i]]), all dense; the layout gives sizes and transposition. Types as Gemm has
// them, signed integers too.
Status BatchProduct(const KernelContext& ctx, DType dtype, const GemmLayout& layout, const BatchIndex& index,
                    const void* a, const void* b, void* c);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_BATCH_PRODUCT_H_
