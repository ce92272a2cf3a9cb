#include "device/cpu/gemm.h"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include <oneapi/dnnl/dnnl.h>

#include "device/cpu/gemm_simd.h"
#include "device/cpu/one_openmp_thread.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

GemmLayout Completed(GemmLayout l) {
  if (l.lda == 0) l.lda = std::max<int64_t>(1, l.transpose_a ? l.m : l.k);
  if (l.ldb == 0) l.ldb = std::max<int64_t>(1, l.transpose_b ? l.k : l.n);
  if (l.ldc == 0) l.ldc = std::max<int64_t>(1, l.n);
  return l;
}

// A part of the product: rows [i, i + m) and columns [j, j + n). REQUIRES: a completed layout.
struct Part {
  int64_t i, m, j, n;
};

template <class T>
const T* RowOfA(const GemmLayout& l, const T* a, int64_t i) {
  return a + (l.transpose_a ? i : i * l.lda);
}
template <class T>
const T* ColumnOfB(const GemmLayout& l, const T* b, int64_t j) {
  return b + (l.transpose_b ? j * l.ldb : j);
}

Status MultiplyWithOneDnn(char transpose_a, char transpose_b, const GemmLayout& l, Part p, const float* a,
                          const float* b, float* c) {
  const OneOpenMpThread one;
  const dnnl_status_t status = dnnl_sgemm(transpose_a, transpose_b, p.m, p.n, l.k, 1.0f, a, l.lda, b, l.ldb,
                                          l.accumulate ? 1.0f : 0.0f, c, l.ldc);
  if (status == dnnl_out_of_memory)
    return ResourceExhausted("out of memory in a product of [{},{}] and [{},{}]", l.m, l.k, l.k, l.n);
  if (status != dnnl_success) return Internal("oneDNN failed to multiply [{},{}] and [{},{}]", l.m, l.k, l.k, l.n);
  return OkStatus();
}

// to[j][i] = from[i][j], or += if `add`.
void Transpose(int64_t rows, int64_t columns, const float* from, int64_t from_stride, float* to, int64_t to_stride,
               bool add) {
  constexpr int64_t kBlock = 16;
  for (int64_t j0 = 0; j0 < columns; j0 += kBlock) {
    const int64_t end = std::min(columns, j0 + kBlock);
    for (int64_t i = 0; i < rows; ++i) {
      const float* x = from + i * from_stride;
      if (add) {
        for (int64_t j = j0; j < end; ++j) to[j * to_stride + i] += x[j];
      } else {
        for (int64_t j = j0; j < end; ++j) to[j * to_stride + i] = x[j];
      }
    }
  }
}

// A B^T with few rows in A and a large B, as in the gradient of a layer's input. Transposing B (as oneDNN does) would
// take as long as the product, so (B A^T)^T is computed instead, which transposes only the small matrices A and C.
bool TransposesSmallOperand(const GemmLayout& l, Part p) {
  return !l.transpose_a && l.transpose_b && p.m >= 16 && p.m <= 256 && p.n >= 4 * p.m && l.k >= 4 * p.m;
}
Status MultiplyTransposed(const GemmLayout& l, Part p, const float* a, const float* b, float* c) {
  WEIR_ASSIGN(const Tensor scratch, Tensor::Allocate(kFloat, Shape{p.m * (l.k + p.n)}));
  float* transposed_a = scratch.data<float>();
  float* transposed_c = transposed_a + p.m * l.k;
  Transpose(p.m, l.k, a, l.lda, transposed_a, p.m, false);
  GemmLayout turned{.m = p.n, .n = p.m, .k = l.k, .lda = l.ldb, .ldb = p.m, .ldc = p.m};
  WEIR_TRY(MultiplyWithOneDnn('N', 'N', turned, Part{0, p.n, 0, p.m}, b, transposed_a, transposed_c));
  Transpose(p.n, p.m, transposed_c, p.m, c, l.ldc, l.accumulate);
  return OkStatus();
}

Status Multiply(const GemmLayout& l, Part p, const float* a, const float* b, float* c) {
  a = RowOfA(l, a, p.i);
  b = ColumnOfB(l, b, p.j);
  c += p.i * l.ldc + p.j;
  if (TransposesSmallOperand(l, p)) return MultiplyTransposed(l, p, a, b, c);
  return MultiplyWithOneDnn(l.transpose_a ? 'T' : 'N', l.transpose_b ? 'T' : 'N', l, p, a, b, c);
}

template <class T>
void ClearPart(const GemmLayout& l, Part p, T* c) {
  for (int64_t i = p.i; i < p.i + p.m; ++i) std::fill_n(c + i * l.ldc + p.j, p.n, T(0));
}

Status Multiply(const GemmLayout& l, Part p, const double* a, const double* b, double* c) {
  WEIR_ASSIGN(const Tensor scratch, Tensor::Allocate(kDouble, Shape{kPackedDoubles}));
  if (!l.accumulate) ClearPart(l, p, c);
  AddProduct(p.m, p.n, l.k, RowOfA(l, a, p.i), l.transpose_a ? 1 : l.lda, l.transpose_a ? l.lda : 1,
             ColumnOfB(l, b, p.j), l.transpose_b ? 1 : l.ldb, l.transpose_b ? l.ldb : 1, c + p.i * l.ldc + p.j, l.ldc,
             scratch.data<double>());
  return OkStatus();
}

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T>
T MultiplyAdd(T x, T y, T sum) {
  if constexpr (kIsComplex<T>) {
    return T(sum.real() + x.real() * y.real() - x.imag() * y.imag(),
             sum.imag() + x.real() * y.imag() + x.imag() * y.real());
  } else {
    using Wide = std::common_type_t<T, unsigned>;
    return static_cast<T>(static_cast<Wide>(sum) + static_cast<Wide>(x) * static_cast<Wide>(y));
  }
}

// All other types: adds multiples of rows of B to rows of C, over blocks of B that stay in the cache.
template <class T>
Status Multiply(const GemmLayout& l, Part p, const T* a, const T* b, T* c) {
  constexpr int64_t kDepth = 64;
  constexpr int64_t kWide = 256;
  T block[kDepth * kWide];
  if (!l.accumulate) ClearPart(l, p, c);
  auto taken = [](T x, bool conjugate) {
    if constexpr (kIsComplex<T>) return conjugate ? std::conj(x) : x;
    return x;
  };
  for (int64_t j0 = p.j; j0 < p.j + p.n; j0 += kWide) {
    const int64_t nb = std::min(kWide, p.j + p.n - j0);
    for (int64_t p0 = 0; p0 < l.k; p0 += kDepth) {
      const int64_t kb = std::min(kDepth, l.k - p0);
      for (int64_t x = 0; x < kb; ++x) {
        for (int64_t j = 0; j < nb; ++j) {
          block[x * kWide + j] =
              taken(l.transpose_b ? b[(j0 + j) * l.ldb + p0 + x] : b[(p0 + x) * l.ldb + j0 + j], l.conjugate_b);
        }
      }
      for (int64_t i = p.i; i < p.i + p.m; ++i) {
        T* row = c + i * l.ldc + j0;
        for (int64_t x = 0; x < kb; ++x) {
          const T v = taken(l.transpose_a ? a[(p0 + x) * l.lda + i] : a[i * l.lda + p0 + x], l.conjugate_a);
          const T* from = block + x * kWide;
          for (int64_t j = 0; j < nb; ++j) row[j] = MultiplyAdd(v, from[j], row[j]);
        }
      }
    }
  }
  return OkStatus();
}

template <class T>
double NanosPerMultiply() {
  if (std::is_same_v<T, float>) return 0.02;
  if (std::is_same_v<T, double>) return 0.05;
  return 0.5;
}

// Splits the longer side of C into one part per thread. Every part packs the whole other operand, so more parts would
// cost more. Parts begin at multiples of oneDNN's inner block sizes. Calls finish(part) after each part.
template <class T, class F>
Status Split(ThreadPool* pool, const GemmLayout& l, const T* a, const T* b, T* c, F finish) {
  const int threads = pool == nullptr ? 1 : std::max(1, pool->num_threads());
  const bool by_rows = 2 * l.m >= l.n;
  const int64_t length = by_rows ? l.m : l.n;
  const int64_t unit = by_rows ? 8 : 48;
  const int64_t units = (length - 1) / unit + 1;
  const int64_t size = ((units - 1) / threads + 1) * unit;
  const int64_t parts = (length - 1) / size + 1;
  const int64_t cost = GemmCost<T>(l);
  auto multiply = [&](int64_t begin, int64_t end) {
    const int64_t from = begin * size;
    const int64_t count = std::min(length, end * size) - from;
    const Part part = by_rows ? Part{from, count, 0, l.n} : Part{0, l.m, from, count};
    Status status = Multiply(l, part, a, b, c);
    if (status.ok()) finish(part);
    return status;
  };
  if (parts == 1 || cost < 30000) return multiply(0, parts);
  std::atomic<bool> failed{false};
  Status error;
  pool->ParallelFor(parts, cost / parts, [&](int64_t begin, int64_t end) {
    Status status = multiply(begin, end);
    if (!status.ok() && !failed.exchange(true)) error = std::move(status);
  });
  return error;
}

// Multiplies 16-bit floats as floats and rounds once at the end.
template <class T>
Status MultiplyAs32Bit(ThreadPool* pool, const GemmLayout& l, const T* a, const T* b, T* c) {
  auto widened = [](const T* from, int64_t rows, int64_t columns, int64_t stride) -> Result<Tensor> {
    WEIR_ASSIGN(const Shape shape, Shape::Make({rows, columns}));
    WEIR_ASSIGN(Tensor wide, Tensor::Allocate(kFloat, shape));
    float* to = wide.data<float>();
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) *to++ = static_cast<float>(from[i * stride + j]);
    }
    return wide;
  };
  WEIR_ASSIGN(const Tensor wide_a, widened(a, l.transpose_a ? l.k : l.m, l.transpose_a ? l.m : l.k, l.lda));
  WEIR_ASSIGN(const Tensor wide_b, widened(b, l.transpose_b ? l.n : l.k, l.transpose_b ? l.k : l.n, l.ldb));
  WEIR_ASSIGN(const Tensor wide_c, widened(c, l.accumulate ? l.m : 0, l.n, l.ldc));
  Tensor product = wide_c;
  if (!l.accumulate) {
    WEIR_ASSIGN(const Shape shape, Shape::Make({l.m, l.n}));
    WEIR_ASSIGN(product, Tensor::Allocate(kFloat, shape));
  }
  GemmLayout dense = l;
  dense.lda = dense.ldb = dense.ldc = 0;
  WEIR_TRY(Gemm(pool, dense, wide_a.data<float>(), wide_b.data<float>(), product.data<float>()));
  const float* from = product.data<float>();
  for (int64_t i = 0; i < l.m; ++i) {
    for (int64_t j = 0; j < l.n; ++j) c[i * l.ldc + j] = T(*from++);
  }
  return OkStatus();
}

}  // namespace

template <class T>
int64_t GemmCost(const GemmLayout& l) {
  const double multiplies = static_cast<double>(l.m) * static_cast<double>(l.n) * static_cast<double>(l.k);
  return static_cast<int64_t>(std::min(1e15, multiplies * NanosPerMultiply<T>()));
}

template <class T>
Status Gemm(ThreadPool* pool, const GemmLayout& layout, const T* a, const T* b, T* c) {
  const GemmLayout l = Completed(layout);
  if (l.m <= 0 || l.n <= 0) return OkStatus();
  if (l.k <= 0) {
    if (!l.accumulate) ClearPart(l, Part{0, l.m, 0, l.n}, c);
    return OkStatus();
  }
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    return MultiplyAs32Bit(pool, l, a, b, c);
  } else {
    return Split(pool, l, a, b, c, [](Part) {});
  }
}

Status GemmWithEpilogue(ThreadPool* pool, const GemmLayout& layout, const float* a, const float* b, float* c,
                        RowEpilogue finish) {
  const GemmLayout l = Completed(layout);
  if (l.m <= 0 || l.n <= 0) return OkStatus();
  auto finish_part = [&](Part p) { finish(c + p.i * l.ldc + p.j, p.m, l.ldc, p.j, p.n); };
  if (l.k > 0) return Split(pool, l, a, b, c, finish_part);
  const Part all{0, l.m, 0, l.n};
  ClearPart(l, all, c);
  finish_part(all);
  return OkStatus();
}

#define WEIR_GEMM(T)                                                               \
  template Status Gemm<T>(ThreadPool*, const GemmLayout&, const T*, const T*, T*); \
  template int64_t GemmCost<T>(const GemmLayout&);
WEIR_GEMM(float)
WEIR_GEMM(double)
WEIR_GEMM(half)
WEIR_GEMM(bfloat16)
WEIR_GEMM(uint8_t)
WEIR_GEMM(uint16_t)
WEIR_GEMM(uint32_t)
WEIR_GEMM(uint64_t)
WEIR_GEMM(std::complex<float>)
WEIR_GEMM(std::complex<double>)
#undef WEIR_GEMM

}  // namespace weir
