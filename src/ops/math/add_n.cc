// AddN and AccumulateNV2, which also declares the shape: sums of many tensors of one shape. Elements are added in
// blocks that fit into the cache, so every input is read once.
#include "device/gpu/elementwise.h"
#include "device/gpu_device.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/shape_context.h"
#include "ops/math/elementwise.h"
#include "ops/math/simd_loops.h"

namespace weir::ops {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

Status SameShapes(KernelContext& ctx) {
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    if (!(ctx.input(i).shape() == ctx.input(0).shape())) {
      return InvalidArgument(
          "Inputs to operation {} of type {} must have the same size and shape. Input 0: {} != input {}: {}",
          ctx.name(), ctx.node().op->name, ctx.input(0).shape(), i, ctx.input(i).shape());
    }
  }
  return OkStatus();
}

// `add` adds in the type of the elements. The output may reuse the memory of the first two inputs only: they are read
// before it is written.
Kernel MakeSum(BinaryLoop add, size_t size) {
  return Kernel::Sync([add, size](KernelContext& ctx) -> Status {
           if (ctx.num_inputs() == 1) {
             ctx.set_output(0, ctx.input(0));
             return OkStatus();
           }
           WEIR_TRY(SameShapes(ctx));
           const Shape& shape = ctx.input(0).shape();
           absl::InlinedVector<const char*, 8> in(ctx.num_inputs());
           for (int i = 0; i < ctx.num_inputs(); ++i) in[i] = static_cast<const char*>(ctx.input(i).raw());
           WEIR_ASSIGN(Tensor sum, ctx.ForwardOrAllocate({0, 1}, 0, shape));
           char* out = static_cast<char*>(sum.raw());
           return ctx.ParallelFor(shape.num_elements(), ctx.num_inputs(), [&](int64_t begin, int64_t end) {
             constexpr int64_t kBlock = 2048;
             for (int64_t at = begin; at < end; at += kBlock) {
               const int64_t n = std::min(kBlock, end - at);
               const int64_t offset = at * static_cast<int64_t>(size);
               add(in[0] + offset, in[1] + offset, out + offset, n, ScalarOperand::kNone);
               for (size_t i = 2; i < in.size(); ++i)
                 add(out + offset, in[i] + offset, out + offset, n, ScalarOperand::kNone);
             }
           });
         })
      .Cheap();
}

// 16-bit floats are rounded once, at the end.
template <class T>
Result<Kernel> MakeNarrowSum(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_TRY(SameShapes(ctx));
    WEIR_ASSIGN(Tensor sum, ctx.Allocate(0, ctx.input(0).shape()));
    T* out = sum.data<T>();
    return ctx.ParallelFor(sum.num_elements(), 2 * ctx.num_inputs(), [&](int64_t i) {
      float total = 0;
      for (int k = 0; k < ctx.num_inputs(); ++k) total += static_cast<float>(ctx.input(k).data<T>()[i]);
      out[i] = T(total);
    });
  });
}

KernelList SumKernels() {
  BinaryLoops add = std::move(SimdLoops(SimdOp::kAdd))
                        .And(AlsoSigned(BinaryFor<uint8_t, uint16_t, uint32_t, uint64_t>(
                            [](auto x, auto y) { return static_cast<decltype(x)>(x + y); })))
                        .And(BinaryFor<C64, C128>([](auto x, auto y) { return x + y; }));
  KernelList list = CpuKernels<half, bfloat16>(WEIR_FOR_TYPE(MakeNarrowSum));
  for (DType type :
       TypesNamed("float, double, int32, uint8, int16, int8, complex64, int64, uint16, complex128, uint32, uint64")) {
    BinaryLoop loop = add.Find(type);
    if (loop == nullptr) continue;
    auto make = [loop, type](KernelSetup&) -> Result<Kernel> { return MakeSum(loop, ElementSize(type)); };
    list.push_back(KernelDef{.types = {{"T", type}},
                             .make = KernelWithLoop{.loop = {.binary = loop, .folds = true}, .make = make},
                             .host_memory = {}});
  }
  return list;
}

Result<Gradients> SumGradient(GradientContext& g) { return Gradients(g.num_inputs(), g.d_output(0)); }

constexpr char kNumbers[] = "numbertype";

Result<Kernel> MakeGpuSum(KernelSetup&, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    WEIR_TRY(SameShapes(ctx));
    const Tensor first = ctx.input(0);
    if (ctx.num_inputs() == 1) {
      ctx.set_output(0, first);
      return OkStatus();
    }
    WEIR_ASSIGN(const Tensor sum, gpu.ForwardOrAllocate(ctx, {0}, 0, first.shape()));
    if (sum.num_elements() == 0) return OkStatus();
    const DimVector& dims = first.shape().dims();
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      const void* const before = i == 1 ? first.raw() : sum.raw();
      WEIR_TRY(gpu::Binary(*stream, "Add", sum.dtype(), before, dims, ctx.input(i).raw(), dims, sum.raw(), dims));
    }
    return OkStatus();
  });
}

}  // namespace

void RegisterAddN(OpRegistry& registry) {
  registry.Add({
      .name = "AddN",
      .signature = "inputs: N * T -> sum: T",
      .attrs = {"N: int >= 1", fmt::format("T: {{{}, variant}}", kNumbers)},
      .shape = MergedInputs(),
      .gradient = SumGradient,
      .kernels = WithGpu(SumKernels(), {.make = MakeGpuSum, .types = kGpuReals}),
      .traits = {.memory = OutputMemory::kMayShare},
      .commutative = true,
      .aggregate = true,
  });
  registry.Add({
      .name = "AccumulateNV2",
      .signature = "inputs: N * T -> sum: T",
      .attrs = {"N: int >= 1", fmt::format("T: {{{}}}", kNumbers), "shape: shape"},
      .shape = ShapeFromAttr(),
      .gradient = SumGradient,
      .kernels = WithGpu(SumKernels(), {.make = MakeGpuSum, .types = kGpuReals}),
      .commutative = true,
      .aggregate = true,
  });
}

}  // namespace weir::ops
