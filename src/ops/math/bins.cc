// Binning of values: Bucketize (given boundaries), Bincount (by value), HistogramFixedWidth (bins of equal width).
#include <algorithm>
#include <cmath>
#include <limits>

#include "op/shape_context.h"
#include "ops/math/elementwise.h"

namespace weir::ops {
namespace {

template <class T>
Result<Kernel> MakeBucketize(KernelSetup& setup) {
  WEIR_ASSIGN(const std::vector<float> boundaries, setup.Attr<std::vector<float>>("boundaries"));
  if (!std::is_sorted(boundaries.begin(), boundaries.end())) return InvalidArgument("Expected sorted boundaries");
  return Kernel::Sync([boundaries](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    WEIR_ASSIGN(Tensor y, ctx.Allocate(0, x.shape()));
    const T* in = x.data<T>();
    int32_t* out = y.data<int32_t>();
    return ctx.ParallelFor(x.num_elements(), 10, [&](int64_t i) {
      // Finds the first boundary above the value. A NaN goes to the last bucket.
      const auto at = std::upper_bound(boundaries.begin(), boundaries.end(), in[i],
                                       [](T value, float boundary) { return static_cast<double>(value) < boundary; });
      out[i] = static_cast<int32_t>(at - boundaries.begin());
    });
  });
}

template <class T>
Result<Kernel> MakeBincount(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& arr = ctx.input(0);
    const Tensor& weights = ctx.input(2);
    if (ctx.input(1).rank() != 0) return InvalidArgument("Shape must be rank 0 but is rank {}", ctx.input(1).rank());
    const int64_t size = ctx.input(1).scalar<int32_t>();
    if (size < 0) return InvalidArgument("size ({}) must be non-negative", size);
    const bool weighted = weights.num_elements() != 0;
    if (weighted && weights.num_elements() != arr.num_elements()) {
      return InvalidArgument(
          "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all "
          "weights equal to 1. Received {}",
          weights.shape());
    }
    WEIR_ASSIGN(Tensor bins, ctx.Allocate(0, Shape{size}));
    bins.ZeroFill();
    const int32_t* values = arr.data<int32_t>();
    const T* weight = weights.data<T>();
    T* out = bins.data<T>();
    for (int64_t i = 0; i < arr.num_elements(); ++i) {
      if (values[i] < 0) return InvalidArgument("Input arr must be non-negative!");
      if (values[i] >= size) continue;
      const T w = weighted ? weight[i] : T(1);
      if constexpr (std::is_integral_v<T>) {
        out[values[i]] = static_cast<T>(static_cast<uint64_t>(out[values[i]]) + static_cast<uint64_t>(w));
      } else {
        out[values[i]] += w;
      }
    }
    return OkStatus();
  });
}

Status LengthFrom(ShapeContext& c, int input) {
  WEIR_TRY(c.WithRank(input, 0).status());
  const Tensor* size = c.constant(input);
  if (size == nullptr) {
    c.set_output(0, PartialShape{kUnknownDim});
    return OkStatus();
  }
  const int64_t n = size->Int(0);
  if (n < 0) return InvalidArgument("size ({}) must be non-negative", n);
  c.set_output(0, PartialShape{n});
  return OkStatus();
}

template <class T>
Result<Kernel> MakeHistogram(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& values = ctx.input(0);
    const Tensor& range = ctx.input(1);
    if (range.rank() != 1 || range.dim(0) != 2) {
      return InvalidArgument("value_range should be a vector of 2 elements, but got shape {}", range.shape());
    }
    if (ctx.input(2).rank() != 0)
      return InvalidArgument("nbins should be a scalar, but got shape {}", ctx.input(2).shape());
    const double low = static_cast<double>(range.data<T>()[0]);
    const double high = static_cast<double>(range.data<T>()[1]);
    const int64_t nbins = ctx.input(2).scalar<int32_t>();
    if (!(low < high)) {
      return InvalidArgument("value_range should satisfy value_range[0] < value_range[1], but got '[{}, {}]'", low,
                             high);
    }
    if (nbins <= 0) return InvalidArgument("nbins should be a positive number, but got '{}'", nbins);
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{nbins}));
    out.ZeroFill();
    const double step = (high - low) / static_cast<double>(nbins);
    for (const T value : values.flat<T>()) {
      const double v = static_cast<double>(value);
      if (!std::isfinite(v)) return InvalidArgument("values must be finite, but got {}", v);
      const double bin = std::min(std::max(v - low, 0.0) / step, static_cast<double>(nbins - 1));
      const int64_t at = bin > 0 ? static_cast<int64_t>(bin) : 0;  // NaN if the range overflows the type
      if (out.dtype() == kInt32) {
        ++out.data<int32_t>()[at];
      } else {
        ++out.data<int64_t>()[at];
      }
    }
    return OkStatus();
  });
}

}  // namespace

void RegisterBins(OpRegistry& registry) {
  registry.Add({
      .name = "Bucketize",
      .signature = "input: T -> output: int32",
      .attrs = {"T: {int32, int64, float, double}", "boundaries: list(float)"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<int32_t, int64_t, float, double>(WEIR_FOR_TYPE(MakeBucketize)),
  });
  registry.Add({
      .name = "Bincount",
      .signature = "arr: int32, size: int32, weights: T -> bins: T",
      .attrs = {"T: {int32, int64, float, double}"},
      .shape = [](ShapeContext& c) { return LengthFrom(c, 1); },
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<int32_t, int64_t, float, double>(WEIR_FOR_TYPE(MakeBincount)),
  });
  registry.Add({
      .name = "HistogramFixedWidth",
      .signature = "values: T, value_range: T, nbins: int32 -> out: dtype",
      .attrs = {"T: {int32, int64, float, double}", "dtype: {int32, int64} = DT_INT32"},
      .shape = [](ShapeContext& c) -> Status {
        WEIR_TRY(c.WithRank(1, 1).status());
        WEIR_TRY(MergeDims(c.input(1).dim(0), 2).status());
        return LengthFrom(c, 2);
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<int32_t, int64_t, float, double>(WEIR_FOR_TYPE(MakeHistogram)),
  });
}

}  // namespace weir::ops
