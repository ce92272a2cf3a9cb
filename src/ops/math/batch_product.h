// Batched matrix products on untyped memory, for BatchMatMul and Einsum, and the shape of a single product.
#ifndef WEIR_OPS_MATH_BATCH_PRODUCT_H_
#define WEIR_OPS_MATH_BATCH_PRODUCT_H_

#include <vector>

#include "device/cpu/gemm.h"
#include "op/kernel.h"
#include "op/shape_context.h"

namespace weir::ops {

// The shape function of MatMul, by the attributes transpose_a and transpose_b.
Status MatMulShape(ShapeContext& ctx);

// The matrices of A and B that give matrix i of the output. Empty: matrix i itself.
struct BatchIndex {
  int64_t count = 1;
  std::vector<int64_t> a;
  std::vector<int64_t> b;
};

// Broadcasts all but the last two dimensions of x and y. REQUIRES: ranks >= 2.
Result<DimVector> BroadcastBatch(const Shape& x, const Shape& y);
// Returns the matrices of x and y for each matrix of a result with these batch dimensions. REQUIRES: no dimension is 0.
BatchIndex IndexBatch(const Shape& x, const Shape& y, const DimVector& batch);

// c[i] = op(a[index.a[i]]) op(b[index.b[i]]), all dense. The layout gives sizes and transposition. Supports the types
// of Gemm and signed integers.
Status BatchProduct(const KernelContext& ctx, DType dtype, const GemmLayout& layout, const BatchIndex& index,
                    const void* a, const void* b, void* c);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_BATCH_PRODUCT_H_
