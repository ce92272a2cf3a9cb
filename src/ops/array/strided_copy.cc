#include "ops/array/strided_copy.h"

#include "ops/array/elements.h"

namespace weir::ops {
namespace {

using Dims = absl::InlinedVector<CopyDim, 8>;

int64_t Magnitude(int64_t v) { return v < 0 ? -v : v; }

// Drops dimensions of size 1, sorts the others by destination stride (outer to inner) and merges adjacent ones. Returns
// false if there is nothing to copy.
bool Normalize(absl::Span<const CopyDim> in, Dims* out) {
  for (const CopyDim& d : in) {
    if (d.size == 0) return false;
    if (d.size != 1) out->push_back(d);
  }
  std::stable_sort(out->begin(), out->end(),
                   [](const CopyDim& a, const CopyDim& b) { return Magnitude(a.to_stride) > Magnitude(b.to_stride); });
  Dims merged;
  for (const CopyDim& d : *out) {
    if (!merged.empty() && merged.back().from_stride == d.from_stride * d.size &&
        merged.back().to_stride == d.to_stride * d.size) {
      merged.back() = {merged.back().size * d.size, d.from_stride, d.to_stride};
    } else {
      merged.push_back(d);
    }
  }
  *out = std::move(merged);
  return true;
}

template <class T>
void CopyLine(const T* from, T* to, const CopyDim& d, int64_t count) {
  if constexpr (std::is_same_v<T, std::string>) {
    for (int64_t i = 0; i < count; ++i) CopyStrings(from + i * d.from_stride, 1, to + i * d.to_stride);
  } else if (d.to_stride == 1 && d.from_stride == 1) {
    std::copy_n(from, count, to);
  } else if (d.to_stride == 1 && d.from_stride == 0) {
    const T value = *from;
    std::fill_n(to, count, value);
  } else if (d.to_stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * d.from_stride];
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * d.to_stride] = from[i * d.from_stride];
  }
}

// Iterates over the outer `count` dimensions, starting at the flat position `at`.
class DimIterator {
 public:
  DimIterator(const Dims& dims, size_t count, int64_t at) : dims_(dims), count_(count), index_(count) {
    for (size_t i = count; i-- > 0;) {
      index_[i] = at % dims[i].size;
      at /= dims[i].size;
      from += index_[i] * dims[i].from_stride;
      to += index_[i] * dims[i].to_stride;
    }
  }
  void Next() {
    for (size_t i = count_; i-- > 0;) {
      from += dims_[i].from_stride;
      to += dims_[i].to_stride;
      if (++index_[i] < dims_[i].size) return;
      from -= dims_[i].from_stride * dims_[i].size;
      to -= dims_[i].to_stride * dims_[i].size;
      index_[i] = 0;
    }
  }
  int64_t from = 0;
  int64_t to = 0;

 private:
  const Dims& dims_;
  size_t count_;
  DimVector index_;
};

typedef uint32_t Four __attribute__((vector_size(16)));

// to[c * to_row + r] = from[r * from_row + c] for a 4 x 4 block of 4-byte elements, in registers.
inline void TransposeBlock4(const uint32_t* from, int64_t from_row, uint32_t* to, int64_t to_row) {
  Four a, b, c, d;
  std::memcpy(&a, from, 16);
  std::memcpy(&b, from + from_row, 16);
  std::memcpy(&c, from + 2 * from_row, 16);
  std::memcpy(&d, from + 3 * from_row, 16);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Four r0 = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  const Four r1 = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  const Four r2 = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  const Four r3 = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
  std::memcpy(to, &r0, 16);
  std::memcpy(to + to_row, &r1, 16);
  std::memcpy(to + 2 * to_row, &r2, 16);
  std::memcpy(to + 3 * to_row, &r3, 16);
}

// to[c * to_row + r] = from[r * from_row + c], r < rows, c < cols, in tiles that fit into the L1 cache.
template <class T>
void Transpose2D(const T* from, int64_t from_row, T* to, int64_t to_row, int64_t rows, int64_t cols) {
  constexpr int64_t kTile = sizeof(T) >= 8 ? 16 : 32;
  for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
    const int64_t r1 = std::min(rows, r0 + kTile);
    for (int64_t c0 = 0; c0 < cols; c0 += kTile) {
      const int64_t c1 = std::min(cols, c0 + kTile);
      int64_t r = r0;
      if constexpr (std::is_same_v<T, uint32_t>) {
        for (; r + 4 <= r1; r += 4) {
          int64_t c = c0;
          for (; c + 4 <= c1; c += 4) TransposeBlock4(from + r * from_row + c, from_row, to + c * to_row + r, to_row);
          for (; c < c1; ++c) {
            for (int64_t k = r; k < r + 4; ++k) to[c * to_row + k] = from[k * from_row + c];
          }
        }
      }
      for (int64_t c = c0; c < c1; ++c) {
        T* line = to + c * to_row;
        for (int64_t k = r; k < r1; ++k) line[k] = from[k * from_row + c];
      }
    }
  }
}

// Copies if dimension `inner` is contiguous in the source and the innermost one in the destination.
template <class T>
void CopyTransposing(const KernelContext& ctx, Dims dims, size_t inner, const T* from, T* to) {
  const CopyDim cols = dims[inner];  // contiguous in the source
  const CopyDim rows = dims.back();  // contiguous in the destination
  dims.erase(dims.begin() + static_cast<ptrdiff_t>(inner));
  dims.pop_back();
  // The bands of columns vary fastest in the list of work units.
  constexpr int64_t kBand = 64;
  const int64_t bands = (cols.size + kBand - 1) / kBand;
  int64_t outer = 1;
  for (const CopyDim& d : dims) outer *= d.size;
  const int64_t cost = 2 + std::min(cols.size, kBand) * rows.size * static_cast<int64_t>(sizeof(T)) / 4;
  ctx.ParallelForAll(outer * bands, cost, [&](int64_t begin, int64_t end) {
    DimIterator at(dims, dims.size(), begin / bands);
    int64_t band = begin % bands;
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t c0 = band * kBand;
      Transpose2D(from + at.from + c0, rows.from_stride, to + at.to + c0 * cols.to_stride, cols.to_stride, rows.size,
                  std::min(kBand, cols.size - c0));
      if (++band == bands) {
        band = 0;
        at.Next();
      }
    }
  });
}

template <class T>
void Copy(const KernelContext& ctx, const Dims& dims, const T* from, T* to) {
  if (dims.empty()) {
    *to = *from;
    return;
  }
  const CopyDim& line = dims.back();
  const int64_t element_cost = std::is_trivially_copyable_v<T> ? 1 : 20;
  if (dims.size() == 1) {
    ctx.ParallelForAll(line.size, element_cost, [&](int64_t begin, int64_t end) {
      CopyLine(from + begin * line.from_stride, to + begin * line.to_stride, line, end - begin);
    });
    return;
  }
  if (line.to_stride == 1 && line.from_stride != 1 && line.from_stride != 0 && line.size >= 4) {
    for (size_t i = 0; i + 1 < dims.size(); ++i) {
      if (dims[i].from_stride == 1 && dims[i].size >= 4) return CopyTransposing(ctx, dims, i, from, to);
    }
  }
  // Two dimensions at a time, so that short lines do not pay for the iteration over the outer ones.
  const CopyDim lines = dims[dims.size() - 2];
  const size_t outer_dims = dims.size() - 2;
  int64_t outer = 1;
  for (size_t i = 0; i < outer_dims; ++i) outer *= dims[i].size;
  ctx.ParallelForAll(outer * lines.size, 2 + line.size * element_cost, [&](int64_t begin, int64_t end) {
    DimIterator at(dims, outer_dims, begin / lines.size);
    int64_t first = begin % lines.size;
    int64_t left = end - begin;
    while (left > 0) {
      const int64_t count = std::min(left, lines.size - first);
      const T* f = from + at.from + first * lines.from_stride;
      T* t = to + at.to + first * lines.to_stride;
      for (int64_t i = 0; i < count; ++i, f += lines.from_stride, t += lines.to_stride) CopyLine(f, t, line, line.size);
      left -= count;
      first = 0;
      at.Next();
    }
  });
}

}  // namespace

void StridedCopy(const KernelContext& ctx, DType dtype, absl::Span<const CopyDim> dims, const void* from, void* to) {
  Dims walk;
  if (!Normalize(dims, &walk)) return;
  ForElementType(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Copy<T>(ctx, walk, static_cast<const T*>(from), static_cast<T*>(to));
  });
}

DimVector RowMajorStrides(const Shape& shape) {
  DimVector strides(shape.rank());
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

void TransposeInto(const KernelContext& ctx, const Tensor& t, absl::Span<const int> perm, const Tensor& to) {
  const DimVector from = RowMajorStrides(t.shape());
  const DimVector into = RowMajorStrides(to.shape());
  Dims dims;
  for (size_t i = 0; i < perm.size(); ++i) dims.push_back({t.dim(perm[i]), from[perm[i]], into[i]});
  StridedCopy(ctx, t.dtype(), dims, t.raw(), to.raw());
}

}  // namespace weir::ops
