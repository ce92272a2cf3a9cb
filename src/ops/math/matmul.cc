// MatMul: the product of two matrices, each optionally transposed (never conjugated). An empty inner dimension gives
// zeros. _FusedMatMul: the same with a bias and an activation; created by the pass that folds activations.
#include "device/cpu/gemm.h"
#include "device/gpu_device.h"
#include "graph/build/math_ops.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/math/batch_product.h"
#include "ops/math/broadcast_gradient.h"
#include "ops/nn/folded_stages.h"

namespace weir::ops {
namespace {

Result<GemmLayout> LayoutOf(const KernelContext& ctx, bool transpose_a, bool transpose_b) {
  const Tensor& a = ctx.input(0);
  const Tensor& b = ctx.input(1);
  for (int i = 0; i < 2; ++i) {
    if (ctx.input(i).rank() != 2)
      return InvalidArgument("In[{}] is not a matrix. Instead it has shape {}", i, ctx.input(i).shape());
  }
  GemmLayout layout{.transpose_a = transpose_a, .transpose_b = transpose_b};
  layout.m = a.dim(transpose_a ? 1 : 0);
  layout.k = a.dim(transpose_a ? 0 : 1);
  layout.n = b.dim(transpose_b ? 0 : 1);
  if (layout.k != b.dim(transpose_b ? 1 : 0))
    return InvalidArgument("Matrix size-incompatible: In[0]: {}, In[1]: {}", a.shape(), b.shape());
  return layout;
}

Result<Kernel> MakeGpuMatMul(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(const bool transpose_a, setup.Attr<bool>("transpose_a"));
  WEIR_ASSIGN(const bool transpose_b, setup.Attr<bool>("transpose_b"));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([transpose_a, transpose_b, &gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const GemmLayout layout, LayoutOf(ctx, transpose_a, transpose_b));
    WEIR_ASSIGN(const Shape shape, Shape::Make({layout.m, layout.n}));
    WEIR_ASSIGN(const Tensor product, gpu.Allocate(ctx, 0, shape));
    if (product.num_elements() == 0) return OkStatus();
    return stream->MatMul({.type = product.dtype(),
                           .transpose_a = transpose_a,
                           .transpose_b = transpose_b,
                           .m = layout.m,
                           .n = layout.n,
                           .k = layout.k,
                           .a = ctx.input(0).raw(),
                           .b = ctx.input(1).raw(),
                           .c = product.raw()});
  });
}

template <class T>
Result<Kernel> MakeMatMul(KernelSetup& setup) {
  WEIR_ASSIGN(const bool transpose_a, setup.Attr<bool>("transpose_a"));
  WEIR_ASSIGN(const bool transpose_b, setup.Attr<bool>("transpose_b"));
  return Kernel::Sync([transpose_a, transpose_b](KernelContext& ctx) -> Status {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    WEIR_ASSIGN(const GemmLayout layout, LayoutOf(ctx, transpose_a, transpose_b));
    WEIR_ASSIGN(const Shape shape, Shape::Make({layout.m, layout.n}));
    WEIR_ASSIGN(const Tensor product, ctx.Allocate(0, shape));
    return Gemm(ctx.step().pool, layout, static_cast<const T*>(a.raw()), static_cast<const T*>(b.raw()),
                static_cast<T*>(product.raw()));
  });
}

Result<Kernel> MakeFusedMatMul(KernelSetup& setup, const OpRegistry& registry) {
  WEIR_ASSIGN(const bool transpose_a, setup.Attr<bool>("transpose_a"));
  WEIR_ASSIGN(const bool transpose_b, setup.Attr<bool>("transpose_b"));
  WEIR_ASSIGN(std::shared_ptr<const FoldedStages> stages, FoldedStages::Make(setup, registry, "MatMul"));
  return Kernel::Sync([transpose_a, transpose_b, stages](KernelContext& ctx) -> Status {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    const Tensor& bias = ctx.input(2);
    if (a.rank() != 2 || b.rank() != 2) return stages->RunEach(ctx);
    GemmLayout layout{.transpose_a = transpose_a, .transpose_b = transpose_b};
    layout.m = a.dim(transpose_a ? 1 : 0);
    layout.k = a.dim(transpose_a ? 0 : 1);
    layout.n = b.dim(transpose_b ? 0 : 1);
    if (layout.k != b.dim(transpose_b ? 1 : 0) || !stages->CanFinish(bias, layout.n)) return stages->RunEach(ctx);
    auto multiply = [&]() -> Status {
      WEIR_ASSIGN(const Shape shape, Shape::Make({layout.m, layout.n}));
      WEIR_ASSIGN(const Tensor product, ctx.Allocate(0, shape));
      auto finish = [&](float* rows, int64_t count, int64_t stride, int64_t column, int64_t columns) {
        stages->Finish(bias.data<float>(), rows, count, stride, column, columns);
      };
      return GemmWithEpilogue(ctx.step().pool, layout, a.data<float>(), b.data<float>(), product.data<float>(), finish);
    };
    return stages->AsProductError(multiply());
  });
}

Result<Gradients> MatMulGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool transpose_a, g.Attr<bool>("transpose_a"));
  WEIR_ASSIGN(const bool transpose_b, g.Attr<bool>("transpose_b"));
  Output a = ConjOf(g.input(0));
  Output b = ConjOf(g.input(1));
  Output dy = g.d_output(0);
  Output da = transpose_a ? MatMul(b, dy, {.transpose_a = transpose_b, .transpose_b = true})
                          : MatMul(dy, b, {.transpose_b = !transpose_b});
  Output db = transpose_b ? MatMul(dy, a, {.transpose_a = true, .transpose_b = transpose_a})
                          : MatMul(a, dy, {.transpose_a = !transpose_a});
  return Gradients{da, db};
}

}  // namespace

Status MatMulShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape a, ctx.WithRank(0, 2));
  WEIR_ASSIGN(const PartialShape b, ctx.WithRank(1, 2));
  WEIR_ASSIGN(const bool transpose_a, ctx.Attr<bool>("transpose_a"));
  WEIR_ASSIGN(const bool transpose_b, ctx.Attr<bool>("transpose_b"));
  WEIR_TRY(MergeDims(a[transpose_a ? 0 : 1], b[transpose_b ? 1 : 0]).status());
  ctx.set_output(0, PartialShape{a[transpose_a ? 1 : 0], b[transpose_b ? 0 : 1]});
  return OkStatus();
}

void RegisterMatMul(OpRegistry& registry) {
  KernelList kernels =
      CpuKernels<float, double, half, bfloat16, std::complex<float>, std::complex<double>>(WEIR_FOR_TYPE(MakeMatMul));
  // Signed integers wrap around like unsigned ones.
  kernels.push_back({.types = {{"T", kInt32}}, .make = MakeMatMul<uint32_t>, .host_memory = {}});
  kernels.push_back({.types = {{"T", kInt64}}, .make = MakeMatMul<uint64_t>, .host_memory = {}});
  registry.Add({
      .name = "MatMul",
      .signature = "a: T, b: T -> product: T",
      .attrs =
          {"transpose_a: bool = false", "transpose_b: bool = false",
           "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}"},
      .shape = MatMulShape,
      .gradient = MatMulGradient,
      .kernels =
          WithGpu(std::move(kernels), {.make = MakeGpuMatMul, .types = kGpuReals | TypeSet{kComplex64, kComplex128}}),
      .traits = {.memory = OutputMemory::kOwn, .fold = FoldStage::kProduct, .folded_op = "_FusedMatMul"},
  });
  registry.Add({
      .name = "_FusedMatMul",
      .signature = "a: T, b: T, args: num_args * T -> product: T",
      .attrs = {"transpose_a: bool = false", "transpose_b: bool = false", "T: {bfloat16, half, float}",
                "num_args: int >= 0", "fused_ops: list(string) = []", "epsilon: float = 0.0001",
                "leakyrelu_alpha: float = 0.2"},
      .shape = MatMulShape,
      .kernels = CpuKernelForTypes("T", {kFloat},
                                   [&registry](KernelSetup& setup) { return MakeFusedMatMul(setup, registry); }),
      .traits = kOwnMemory,
  });
}

}  // namespace weir::ops
