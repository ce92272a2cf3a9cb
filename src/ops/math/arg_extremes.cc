// ArgMax and ArgMin: the index of the first largest or smallest element along one axis. NaNs are ignored.
#include <limits>

#include "device/gpu/rows.h"
#include "device/gpu_device.h"
#include "op/gpu_kernel.h"
#include "op/shape_context.h"
#include "ops/math/elementwise.h"

namespace weir::ops {
namespace {

// Computes indices along an axis of n elements that are `inner` apart, for `count` adjacent positions at once.
using ArgLoop = void (*)(const void* x, int64_t n, int64_t inner, int64_t count, int64_t* out);
constexpr int64_t kTile = 256;  // upper bound of `count`

template <class T, bool kMax>
struct ArgExtreme {
  static bool Better(T a, T b) { return kMax ? a > b : a < b; }
  static T Worst() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
      return T(kMax ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity());
    } else if constexpr (Limits::has_infinity) {
      return kMax ? -Limits::infinity() : Limits::infinity();
    } else {
      return kMax ? Limits::lowest() : Limits::max();
    }
  }
  static void Loop(const void* in, int64_t n, int64_t inner, int64_t count, int64_t* out) {
    const T* x = static_cast<const T*>(in);
    if (inner == 1) return Row(x, n, out);
    T best[kTile];
    for (int64_t j = 0; j < count; ++j) {
      best[j] = Worst();
      out[j] = 0;
    }
    for (int64_t k = 0; k < n; ++k, x += inner) {
      for (int64_t j = 0; j < count; ++j) {
        if (Better(x[j], best[j])) {
          best[j] = x[j];
          out[j] = k;
        }
      }
    }
  }
  static void Row(const T* x, int64_t n, int64_t* out) {
    T best = Worst();
    int64_t at = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (Better(x[k], best)) {
        best = x[k];
        at = k;
      }
    }
    *out = at;
  }
};

void Store(const int64_t* indices, int64_t n, DType type, void* out) {
  for (int64_t i = 0; i < n; ++i) {
    switch (type) {
      case kInt64:
        static_cast<int64_t*>(out)[i] = indices[i];
        break;
      case kInt32:
        static_cast<int32_t*>(out)[i] = static_cast<int32_t>(indices[i]);
        break;
      case kInt16:
        static_cast<int16_t*>(out)[i] = static_cast<int16_t>(indices[i]);
        break;
      default:
        static_cast<uint16_t*>(out)[i] = static_cast<uint16_t>(indices[i]);
        break;
    }
  }
}

Result<int64_t> AxisValue(const Tensor& axis, int rank) {
  if (axis.num_elements() != 1 || axis.rank() > 0) {
    return InvalidArgument("dim must be a scalar, but received tensor of shape: {}", axis.shape());
  }
  const int64_t value = axis.dtype() == kInt16 ? axis.scalar<int16_t>() : axis.Int(0);
  if (value < -rank || value >= rank) {
    return InvalidArgument("Expected dimension in the range [{}, {}), but got {}", -rank, rank, value);
  }
  return value < 0 ? value + rank : value;
}

Kernel MakeArg(ArgLoop loop, size_t in_size) {
  return Kernel::Sync([loop, in_size](KernelContext& ctx) -> Status {
           const Tensor& x = ctx.input(0);
           WEIR_ASSIGN(const int64_t axis, AxisValue(ctx.input(1), x.rank()));
           const int64_t n = x.dim(static_cast<int>(axis));
           if (n == 0) return InvalidArgument("Reduction axis {} is empty in shape {}", axis, x.shape());
           Shape shape = x.shape();
           shape.RemoveDim(static_cast<int>(axis));
           WEIR_ASSIGN(Tensor y, ctx.Allocate(0, shape));
           if (y.num_elements() == 0) return OkStatus();
           int64_t inner = 1;
           for (int d = static_cast<int>(axis) + 1; d < x.rank(); ++d) inner *= x.dim(d);
           const int64_t outer = y.num_elements() / inner;
           const char* in = static_cast<const char*>(x.raw());
           char* out = static_cast<char*>(y.raw());
           const int64_t out_size = static_cast<int64_t>(ElementSize(y.dtype()));
           const int64_t blocks = (inner + kTile - 1) / kTile;
           return ctx.ParallelFor(outer * blocks, n * std::min(inner, kTile) + 5, [&](int64_t unit) {
             const int64_t o = unit / blocks;
             const int64_t begin = unit % blocks * kTile;
             const int64_t count = std::min(kTile, inner - begin);
             int64_t indices[kTile];
             loop(in + (o * n * inner + begin) * static_cast<int64_t>(in_size), n, inner, count, indices);
             Store(indices, count, y.dtype(), out + (o * inner + begin) * out_size);
           });
         })
      .Cheap();
}

template <bool kMax>
Result<Kernel> MakeGpuArg(KernelSetup&, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
           const Tensor& x = ctx.input(0);
           WEIR_ASSIGN(const int64_t axis, AxisValue(ctx.input(1), x.rank()));
           const int64_t n = x.dim(static_cast<int>(axis));
           if (n == 0) return InvalidArgument("Reduction axis {} is empty in shape {}", axis, x.shape());
           Shape shape = x.shape();
           shape.RemoveDim(static_cast<int>(axis));
           WEIR_ASSIGN(const Tensor y, gpu.Allocate(ctx, 0, shape));
           if (y.num_elements() == 0) return OkStatus();
           int64_t inner = 1;
           for (int d = static_cast<int>(axis) + 1; d < x.rank(); ++d) inner *= x.dim(d);
           return gpu::ArgExtreme(*stream, kMax, x.dtype(), x.raw(), y.dtype(), y.raw(), y.num_elements() / inner, n,
                                  inner);
         })
      .Cheap();
}

Status ArgShape(ShapeContext& c) {
  WEIR_TRY(c.WithRank(1, 0).status());
  PartialShape shape = c.input(0);
  if (!shape.known_rank()) {
    c.set_output(0, shape);
    return OkStatus();
  }
  if (shape.rank() <= 1) {
    c.set_output(0, PartialShape::Scalar());
    return OkStatus();
  }
  const Tensor* axis = c.constant(1);
  if (axis == nullptr) {
    c.set_output(0, PartialShape::OfRank(shape.rank() - 1));
    return OkStatus();
  }
  WEIR_ASSIGN(const int64_t d, AxisValue(*axis, shape.rank()));
  shape.RemoveDim(static_cast<int>(d));
  c.set_output(0, shape);
  return OkStatus();
}

template <bool kMax, class... Ts>
KernelList ArgKernelsFor() {
  KernelList list;
  auto add = [&]<class T>(TypeTag<T>) {
    if constexpr (kCompiled<T>) {
      list.push_back(KernelDef{
          .types = {{"T", DTypeOf<T>()}},
          .make = [](KernelSetup&) -> Result<Kernel> { return MakeArg(&ArgExtreme<T, kMax>::Loop, sizeof(T)); },
          .host_memory = {}});
    }
  };
  (add(TypeTag<Ts>{}), ...);
  return list;
}
template <bool kMax>
KernelList ArgKernels() {
  return ArgKernelsFor<kMax, float, double, half, bfloat16, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                       int64_t, uint64_t, bool>();
}

}  // namespace

void RegisterArgExtremes(OpRegistry& registry) {
  const std::string types = "T: {realnumbertype, quantizedtype, bool}";
  registry.Add({
      .name = "ArgMax",
      .signature = "input: T, dimension: Tidx -> output: output_type",
      .attrs = {types, "Tidx: {int16, int32, int64} = DT_INT32",
                "output_type: {int16, uint16, int32, int64} = DT_INT64"},
      .shape = ArgShape,
      .no_gradient = kNoGradient,
      .kernels = WithGpu(ArgKernels<true>(), {.make = MakeGpuArg<true>, .types = kGpuReals}, {"dimension"}),
  });
  registry.Add({
      .name = "ArgMin",
      .signature = "input: T, dimension: Tidx -> output: output_type",
      .attrs = {types, "Tidx: {int32, int64} = DT_INT32", "output_type: {int32, int64} = DT_INT64"},
      .shape = ArgShape,
      .no_gradient = kNoGradient,
      .kernels = WithGpu(ArgKernels<false>(), {.make = MakeGpuArg<false>, .types = kGpuReals}, {"dimension"}),
  });
}

}  // namespace weir::ops
