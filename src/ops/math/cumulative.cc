// Cumsum and Cumprod along one axis, from either end, including or excluding the element itself.
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/shape_context.h"
#include "ops/math/elementwise.h"

namespace weir::ops {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

// The accumulator type for T. Integers are unsigned, so that they wrap around.
template <class T>
struct Running {
  using Type = T;
};
template <>
struct Running<half> {
  using Type = float;
};
template <>
struct Running<bfloat16> {
  using Type = float;
};

// Processes a line of n elements that are `step` apart.
using LineLoop = void (*)(const void* x, void* y, int64_t n, int64_t step, bool exclusive);

template <class T, bool kProduct>
struct Scan {
  using Acc = typename Running<T>::Type;
  static Acc Join(Acc a, T b) {
    const Acc x = static_cast<Acc>(b);
    if constexpr (std::is_integral_v<T>) {
      using Wide = std::common_type_t<T, unsigned>;
      return static_cast<Acc>(kProduct ? static_cast<Wide>(a) * static_cast<Wide>(x)
                                       : static_cast<Wide>(a) + static_cast<Wide>(x));
    } else {
      return kProduct ? a * x : a + x;
    }
  }
  static void Line(const void* in, void* out, int64_t n, int64_t step, bool exclusive) {
    const T* x = static_cast<const T*>(in);
    T* y = static_cast<T*>(out);
    Acc acc = Acc(kProduct ? 1 : 0);
    for (int64_t k = 0; k < n; ++k, x += step, y += step) {
      const Acc with = Join(acc, *x);
      *y = static_cast<T>(exclusive ? acc : with);
      acc = with;
    }
  }
};

Result<Kernel> MakeScan(LineLoop loop, KernelSetup& setup) {
  WEIR_ASSIGN(const bool exclusive, setup.Attr<bool>("exclusive"));
  WEIR_ASSIGN(const bool reverse, setup.Attr<bool>("reverse"));
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
           const Tensor& x = ctx.input(0);
           const Tensor& axis_tensor = ctx.input(1);
           if (axis_tensor.rank() != 0) {
             return InvalidArgument("ScanOp: axis must be a scalar, not {}", axis_tensor.shape());
           }
           const int64_t given = axis_tensor.Int(0);
           if (given < -x.rank() || given >= x.rank()) {
             return InvalidArgument("ScanOp: Expected scan axis in the range [{}, {}), but got {}", -x.rank(), x.rank(),
                                    given);
           }
           const int axis = static_cast<int>(given < 0 ? given + x.rank() : given);
           WEIR_ASSIGN(Tensor y, ctx.Allocate(0, x.shape()));
           if (x.num_elements() == 0) return OkStatus();
           const int64_t n = x.dim(axis);
           int64_t inner = 1;
           for (int d = axis + 1; d < x.rank(); ++d) inner *= x.dim(d);
           const char* in = static_cast<const char*>(x.raw());
           char* out = static_cast<char*>(y.raw());
           const int64_t size = static_cast<int64_t>(ElementSize(x.dtype()));
           return ctx.ParallelFor(x.num_elements() / n, 2 * n + 5, [&](int64_t line) {
             const int64_t start = (line / inner * n * inner + line % inner + (reverse ? (n - 1) * inner : 0)) * size;
             loop(in + start, out + start, n, reverse ? -inner : inner, exclusive);
           });
         })
      .Cheap();
}

template <bool kProduct, class... Ts>
KernelList ScanKernelsFor() {
  KernelList list;
  auto add = [&]<class T>(TypeTag<T>, std::initializer_list<DType> types) {
    if constexpr (kCompiled<T>) {
      for (DType type : types) {
        list.push_back(KernelDef{.types = {{"T", type}},
                                 .make = [](KernelSetup& setup) { return MakeScan(&Scan<T, kProduct>::Line, setup); },
                                 .host_memory = {}});
      }
    }
  };
  (add(TypeTag<Ts>{}, {DTypeOf<Ts>()}), ...);
  add(TypeTag<uint8_t>{}, {kUint8, kInt8});
  add(TypeTag<uint16_t>{}, {kUint16, kInt16});
  add(TypeTag<uint32_t>{}, {kUint32, kInt32});
  add(TypeTag<uint64_t>{}, {kUint64, kInt64});
  return list;
}
template <bool kProduct>
KernelList ScanKernels() {
  return ScanKernelsFor<kProduct, float, double, half, bfloat16, C64, C128>();
}

Result<Gradients> CumsumGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool exclusive, g.Attr<bool>("exclusive"));
  WEIR_ASSIGN(const bool reverse, g.Attr<bool>("reverse"));
  return Gradients{Cumsum(g.d_output(0), g.input(1), {.exclusive = exclusive, .reverse = !reverse}), std::monostate{}};
}
// As in TensorFlow, the gradient is 0 where x is 0.
Result<Gradients> CumprodGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool exclusive, g.Attr<bool>("exclusive"));
  WEIR_ASSIGN(const bool reverse, g.Attr<bool>("reverse"));
  Output later = Cumsum(g.output(0) * g.d_output(0), g.input(1), {.exclusive = exclusive, .reverse = !reverse});
  return Gradients{DivNoNan(later, g.input(0)), std::monostate{}};
}

void AddScan(OpRegistry& registry, const std::string& name, KernelList kernels, GradientFn gradient) {
  registry.Add({
      .name = name,
      .signature = "x: T, axis: Tidx -> out: T",
      .attrs = {"exclusive: bool = false", "reverse: bool = false", "T: numbertype", "Tidx: {int32, int64} = DT_INT32"},
      .shape = SameAsInput(0),
      .gradient = std::move(gradient),
      .kernels = std::move(kernels),
  });
}

}  // namespace

void RegisterCumulative(OpRegistry& registry) {
  AddScan(registry, "Cumsum", ScanKernels<false>(), CumsumGradient);
  AddScan(registry, "Cumprod", ScanKernels<true>(), CumprodGradient);
}

}  // namespace weir::ops
