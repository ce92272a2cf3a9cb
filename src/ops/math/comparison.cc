// Comparisons and logical ops; results are bool. As in C++, NaN is unequal to everything.
#include <cmath>

#include "device/gpu_device.h"
#include "op/shape_context.h"
#include "ops/math/broadcast.h"
#include "ops/math/elementwise.h"
#include "ops/math/gpu_elementwise.h"

namespace weir::ops {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

template <class F>
BinaryLoops Ordered(F f) {
  return BinaryFor<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, uint16_t, uint32_t, uint64_t>(f);
}
// Integers and bools are equal if their bits are equal.
template <class F>
BinaryLoops Comparable(F f) {
  BinaryLoops loops = AlsoSigned(BinaryFor<uint8_t, uint16_t, uint32_t, uint64_t>(f));
  const std::pair<DType, DType> alike[] = {{kBool, kUint8},    {kQint8, kUint8},    {kQuint8, kUint8},
                                           {kQint16, kUint16}, {kQuint16, kUint16}, {kQint32, kUint32}};
  for (auto [type, as] : alike) {
    if (BinaryLoop loop = loops.Find(as)) loops.loops.emplace_back(type, loop);
  }
  return std::move(loops).And(BinaryFor<float, double, C64, C128, std::string>(f));
}

void AddOrdering(OpRegistry& registry, const std::string& name,
                 KernelList (*kernels)(const std::vector<DType>&, const BinaryLoops&, int), const BinaryLoops& loops) {
  const std::string types = "realnumbertype";
  registry.Add({
      .name = name,
      .signature = "x: T, y: T -> z: bool",
      .attrs = {"T: {" + types + "}"},
      .shape = BroadcastInputs(),
      .no_gradient = kNoGradient,
      .kernels = WithGpu(kernels(TypesNamed(types), loops, 1), GpuElementwise()),
  });
}

// With incompatible_shape_error = false, tensors whose shapes do not broadcast are unequal.
KernelList EqualityKernels(const BinaryLoops& loops, bool value_if_incompatible) {
  KernelList list = BinaryKernels(
      TypesNamed(
          "bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string, bool, "
          "uint16, uint32, uint64, qint8, quint8, qint16, quint16, qint32"),
      loops);
  for (KernelDef& def : list) {
    const ElementLoop loop = LoopOf(def)->loop;
    auto make = [plain = def.make, value_if_incompatible](KernelSetup& setup) -> Result<Kernel> {
      WEIR_ASSIGN(const bool must_fit, setup.Attr<bool>("incompatible_shape_error"));
      WEIR_ASSIGN(Kernel kernel, plain(setup));
      if (must_fit) return kernel;
      return Kernel::Sync([kernel, value_if_incompatible](KernelContext& ctx) -> Status {
               if (BroadcastPlan::Make({&ctx.input(0).shape(), &ctx.input(1).shape()}).ok()) return kernel.Run(ctx);
               WEIR_ASSIGN(Tensor z, ctx.Allocate(0, Shape{}));
               z.scalar<bool>() = value_if_incompatible;
               return OkStatus();
             })
          .Cheap();
    };
    def.make = KernelWithLoop{.loop = loop, .make = make};
  }
  return list;
}

Result<Kernel> MakeGpuEquality(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(const bool must_fit, setup.Attr<bool>("incompatible_shape_error"));
  WEIR_ASSIGN(Kernel kernel, GpuElementwise().make(setup, gpu));
  if (must_fit) return kernel;
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  const bool if_incompatible = setup.node().op->name == "NotEqual";
  return Kernel::Sync([&gpu, stream = std::move(stream), kernel, if_incompatible](KernelContext& ctx) -> Status {
           if (BroadcastPlan::Make({&ctx.input(0).shape(), &ctx.input(1).shape()}).ok()) return kernel.Run(ctx);
           WEIR_ASSIGN(const Tensor z, gpu.Allocate(ctx, 0, Shape{}));
           return stream->Fill(z.raw(), &if_incompatible, sizeof(bool), 1);
         })
      .Cheap();
}

GpuKernel GpuEquality() {
  GpuKernel kernel = GpuElementwise();
  kernel.make = MakeGpuEquality;
  return kernel;
}

Status EqualityShape(ShapeContext& c) {
  WEIR_ASSIGN(const bool must_fit, c.Attr<bool>("incompatible_shape_error"));
  Result<PartialShape> shape = BroadcastShapes(c.input(0), c.input(1));
  if (must_fit) {
    WEIR_TRY(shape.status());
  } else if (!shape.ok() || !shape->fully_defined()) {
    shape = PartialShape();
  }
  c.set_output(0, *std::move(shape));
  return OkStatus();
}

void AddEquality(OpRegistry& registry, const std::string& name, const BinaryLoops& loops, bool value_if_incompatible) {
  registry.Add({
      .name = name,
      .signature = "x: T, y: T -> z: bool",
      .attrs = {"T: type", "incompatible_shape_error: bool = true"},
      .shape = EqualityShape,
      .no_gradient = kNoGradient,
      .kernels = WithGpu(EqualityKernels(loops, value_if_incompatible), GpuEquality()),
      .commutative = true,
  });
}

using CloseLoop = void (*)(const void* x, const void* y, float tolerance, int64_t n, bool* out);

template <class T>
bool Close(T x, T y, float tolerance) {
  if constexpr (std::is_integral_v<T>) {
    const uint64_t a = static_cast<uint64_t>(x);
    const uint64_t b = static_cast<uint64_t>(y);
    return static_cast<double>(x < y ? b - a : a - b) < static_cast<double>(tolerance);
  } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    return std::abs(static_cast<float>(x) - static_cast<float>(y)) < tolerance;
  } else {
    return std::abs(x - y) < static_cast<decltype(std::abs(x))>(tolerance);
  }
}
template <class T>
void CloseElements(const void* x, const void* y, float tolerance, int64_t n, bool* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = Close(static_cast<const T*>(x)[i], static_cast<const T*>(y)[i], tolerance);
}

Result<Kernel> MakeApproximateEqual(CloseLoop loop, KernelSetup& setup) {
  WEIR_ASSIGN(const float tolerance, setup.Attr<float>("tolerance"));
  return Kernel::Sync([loop, tolerance](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    if (!(x.shape() == y.shape())) {
      return InvalidArgument("x and y must be of the same shape. x shape: {}. y shape: {}", x.shape(), y.shape());
    }
    WEIR_ASSIGN(Tensor z, ctx.Allocate(0, x.shape()));
    loop(x.raw(), y.raw(), tolerance, x.num_elements(), z.data<bool>());
    return OkStatus();
  });
}

void AddLogic(OpRegistry& registry, const std::string& name, const BinaryLoops& loops) {
  registry.Add({
      .name = name,
      .signature = "x: bool, y: bool -> z: bool",
      .shape = BroadcastInputs(),
      .no_gradient = kNoGradient,
      .kernels = WithGpu(UntypedKernels(BinaryKernels({kBool}, loops)), GpuElementwise("")),
      .commutative = true,
  });
}

}  // namespace

void RegisterComparison(OpRegistry& registry) {
  const BinaryLoops less = Ordered([](auto x, auto y) { return x < y; });
  const BinaryLoops less_equal = Ordered([](auto x, auto y) { return x <= y; });
  AddOrdering(registry, "Less", BinaryKernels, less);
  AddOrdering(registry, "LessEqual", BinaryKernels, less_equal);
  AddOrdering(registry, "Greater", SwappedBinaryKernels, less);
  AddOrdering(registry, "GreaterEqual", SwappedBinaryKernels, less_equal);
  AddEquality(registry, "Equal", Comparable([](const auto& x, const auto& y) { return x == y; }), false);
  AddEquality(registry, "NotEqual", Comparable([](const auto& x, const auto& y) { return x != y; }), true);
  registry.Add({
      .name = "ApproximateEqual",
      .signature = "x: T, y: T -> z: bool",
      .attrs = {"T: numbertype", "tolerance: float = 9.99999975e-06"},
      .shape = MergedInputs(),
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<float, double, half, bfloat16, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                            int64_t, uint64_t, C64, C128>([](auto tag, KernelSetup& setup) {
        return MakeApproximateEqual(CloseElements<typename decltype(tag)::type>, setup);
      }),
      .commutative = true,
  });
  AddLogic(registry, "LogicalAnd", BinaryFor<bool>([](bool x, bool y) -> bool { return x & y; }));
  AddLogic(registry, "LogicalOr", BinaryFor<bool>([](bool x, bool y) -> bool { return x | y; }));
  registry.Add({
      .name = "LogicalNot",
      .signature = "x: bool -> y: bool",
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels =
          WithGpu(UntypedKernels(UnaryKernels({kBool}, UnaryFor<bool>([](bool x) { return !x; }))), GpuElementwise("")),
  });
}

}  // namespace weir::ops
