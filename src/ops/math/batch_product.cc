#include "ops/math/batch_product.h"

#include <mutex>

namespace weir::ops {
namespace {

template <class T>
Status Multiply(const KernelContext& ctx, GemmLayout layout, const BatchIndex& index, const T* a, const T* b, T* c) {
  const int64_t a_size = layout.m * layout.k;
  const int64_t b_size = layout.k * layout.n;
  const int64_t c_size = layout.m * layout.n;
  ThreadPool* pool = ctx.step().pool;
  auto one = [&](ThreadPool* threads, int64_t i) {
    const int64_t from_a = index.a.empty() ? i : index.a[static_cast<size_t>(i)];
    const int64_t from_b = index.b.empty() ? i : index.b[static_cast<size_t>(i)];
    return Gemm(threads, layout, a + from_a * a_size, b + from_b * b_size, c + i * c_size);
  };
  // Few matrices: each uses all threads. Many: one thread each.
  if (pool == nullptr || index.count < pool->num_threads()) {
    for (int64_t i = 0; i < index.count; ++i) WEIR_TRY(one(pool, i));
    return OkStatus();
  }
  std::mutex mu;
  Status error;
  WEIR_TRY(ctx.ParallelFor(index.count, GemmCost<T>(layout) + 100, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Status status = one(nullptr, i);
      if (status.ok()) continue;
      std::lock_guard lock(mu);
      error.Update(status);
    }
  }));
  return error;
}

// The size of batch dimension d of `rank`; 1 if the shape does not have it.
int64_t BatchSize(const Shape& s, int d, int rank) {
  const int own = d - (rank - (s.rank() - 2));
  return own < 0 ? 1 : s[own];
}

}  // namespace

Result<DimVector> BroadcastBatch(const Shape& x, const Shape& y) {
  DimVector dims;
  const int rank = std::max(x.rank(), y.rank()) - 2;
  for (int d = 0; d < rank; ++d) {
    const int64_t xs = BatchSize(x, d, rank), ys = BatchSize(y, d, rank);
    if (xs != ys && xs != 1 && ys != 1)
      return InvalidArgument("In[0] and In[1] must have compatible batch dimensions: {} vs. {}", x, y);
    dims.push_back(xs == 1 ? ys : xs);
  }
  return dims;
}

BatchIndex IndexBatch(const Shape& x, const Shape& y, const DimVector& batch) {
  BatchIndex index;
  bool same = true;
  const int rank = static_cast<int>(batch.size());
  for (int d = 0; d < rank; ++d) {
    index.count *= batch[d];
    same = same && BatchSize(x, d, rank) == BatchSize(y, d, rank);
  }
  if (same) return index;
  for (int64_t i = 0; i < index.count; ++i) {
    int64_t a = 0, b = 0, rest = i, x_stride = 1, y_stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t xs = BatchSize(x, d, rank), ys = BatchSize(y, d, rank);
      const int64_t at = rest % batch[d];
      rest /= batch[d];
      if (xs != 1) a += at * x_stride;
      if (ys != 1) b += at * y_stride;
      x_stride *= xs;
      y_stride *= ys;
    }
    index.a.push_back(a);
    index.b.push_back(b);
  }
  return index;
}

Status BatchProduct(const KernelContext& ctx, DType dtype, const GemmLayout& layout, const BatchIndex& index,
                    const void* a, const void* b, void* c) {
  Status status;
  const bool known =
      ForType(WithoutSign(dtype), kFloatingTypes + kComplexTypes + kUnsignedTypes, [&]<class T>(TypeTag<T>) {
        status = Multiply(ctx, layout, index, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c));
      });
  return known ? status : InvalidArgument("matrix products of type {} are not supported", dtype);
}

}  // namespace weir::ops
