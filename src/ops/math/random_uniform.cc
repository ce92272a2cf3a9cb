// Uniform, normal and truncated normal numbers in a shape given at run time, from the node's own sequence or from a
// seed input.
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"
#include "ops/math/random_fill.h"

namespace weir::ops {
namespace {

// Fills the whole output, starting at a position of a sequence.
using Fill = Status (*)(const KernelContext& ctx, const Philox& start, const Tensor& out);

template <template <class> class Distribution, class T>
Status FillTensor(const KernelContext& ctx, const Philox& start, const Tensor& out) {
  if constexpr (std::is_invocable_v<Distribution<T>, Philox&>) {
    return FillFromBlocks(ctx, start, out.data<T>(), out.num_elements(), Distribution<T>());
  } else {
    return FillFromSamples(ctx, start, out.data<T>(), out.num_elements(), Distribution<T>());
  }
}

Result<Kernel> MakeStateful(KernelSetup& setup, Fill fill) {
  WEIR_ASSIGN(std::shared_ptr<NodeGenerator> generator, NodeGenerator::Make(setup));
  return Kernel::Sync([generator, fill](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    return fill(ctx, generator->ReserveOutputs(out.num_elements()), out);
  });
}

Result<Kernel> MakeStateless(KernelSetup&, Fill fill) {
  return Kernel::Sync([fill](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    WEIR_ASSIGN(const Philox start, GeneratorFromSeed(ctx.input(1)));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    return fill(ctx, start, out);
  });
}

template <template <class> class Distribution>
KernelList Kernels(Result<Kernel> (*make)(KernelSetup&, Fill)) {
  return CpuKernelsFor<half, bfloat16, float, double>("dtype", [make](auto tag, KernelSetup& setup) {
    return make(setup, &FillTensor<Distribution, typename decltype(tag)::type>);
  });
}

template <template <class> class Distribution>
void AddPair(OpRegistry& registry, std::string name, std::string stateless_name) {
  registry.Add({
      .name = std::move(name),
      .signature = "shape: T -> output: dtype",
      .attrs = {"seed: int = 0", "seed2: int = 0", "dtype: {half, bfloat16, float, double}", "T: {int32, int64}"},
      .shape = RandomShape(),
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(Kernels<Distribution>(MakeStateful)),
      .traits = kComputesOnly,
      .stateful = true,
  });
  registry.Add({
      .name = std::move(stateless_name),
      .signature = "shape: T, seed: Tseed -> output: dtype",
      .attrs = {"dtype: {half, bfloat16, float, double} = DT_FLOAT", "T: {int32, int64} = DT_INT32",
                "Tseed: {int32, int64} = DT_INT64"},
      .shape = RandomShape(/*seed=*/1),
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(Kernels<Distribution>(MakeStateless)),
  });
}

// Integers in [minval, maxval), which are the scalar inputs `first` and `first` + 1.
template <class T>
Status FillInts(KernelContext& ctx, const Tensor& out, int first, const std::function<Philox()>& start) {
  const Tensor& low = ctx.input(first);
  const Tensor& high = ctx.input(first + 1);
  if (low.rank() != 0) return InvalidArgument("minval must be 0-D, got shape {}", low.shape());
  if (high.rank() != 0) return InvalidArgument("maxval must be 0-D, got shape {}", high.shape());
  if (out.num_elements() == 0) return OkStatus();
  const T lo = low.scalar<T>();
  const T hi = high.scalar<T>();
  if (!(lo < hi)) return InvalidArgument("Need minval < maxval, got {} >= {}", lo, hi);
  using Unsigned = std::make_unsigned_t<T>;
  const UniformInts<T> ints{lo, static_cast<Unsigned>(static_cast<Unsigned>(hi) - static_cast<Unsigned>(lo))};
  return FillFromBlocks(ctx, start(), out.data<T>(), out.num_elements(), ints);
}

template <class T>
Result<Kernel> MakeInts(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<NodeGenerator> generator, NodeGenerator::Make(setup));
  return Kernel::Sync([generator](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    return FillInts<T>(ctx, out, 1, [&] { return generator->ReserveOutputs(out.num_elements()); });
  });
}

template <class T>
Result<Kernel> MakeStatelessInts(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    WEIR_ASSIGN(const Philox start, GeneratorFromSeed(ctx.input(1)));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    return FillInts<T>(ctx, out, 2, [&] { return start; });
  });
}

}  // namespace

void RegisterRandomUniform(OpRegistry& registry) {
  AddPair<Uniform>(registry, "RandomUniform", "StatelessRandomUniform");
  AddPair<Normal>(registry, "RandomStandardNormal", "StatelessRandomNormal");
  AddPair<TruncatedNormal>(registry, "TruncatedNormal", "StatelessTruncatedNormal");
  registry.Add({
      .name = "RandomUniformInt",
      .signature = "shape: T, minval: Tout, maxval: Tout -> output: Tout",
      .attrs = {"seed: int = 0", "seed2: int = 0", "Tout: {int32, int64}", "T: {int32, int64}"},
      .shape = RandomShape(),
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(CpuKernelsFor<int32_t, int64_t>("Tout", WEIR_FOR_TYPE(MakeInts))),
      .traits = kComputesOnly,
      .stateful = true,
  });
  registry.Add({
      .name = "StatelessRandomUniformInt",
      .signature = "shape: T, seed: Tseed, minval: dtype, maxval: dtype -> output: dtype",
      .attrs = {"dtype: {int32, int64}", "T: {int32, int64}", "Tseed: {int32, int64} = DT_INT64"},
      .shape = RandomShape(/*seed=*/1),
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(CpuKernelsFor<int32_t, int64_t>("dtype", WEIR_FOR_TYPE(MakeStatelessInts))),
  });
}

}  // namespace weir::ops
