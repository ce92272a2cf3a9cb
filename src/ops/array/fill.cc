// Tensors of one value: Fill, ZerosLike, OnesLike, and Empty, whose values are unspecified unless `init` is set.
#include "device/gpu_device.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

void FillAll(const KernelContext& ctx, const Tensor& out, const void* value) {
  const Elements elements(out.dtype());
  ctx.ParallelForAll(out.num_elements(), elements.plain() ? 1 : 20,
                     [&](int64_t begin, int64_t end) { elements.Fill(elements.At(out, begin), value, end - begin); });
}

void ClearAll(const KernelContext& ctx, const Tensor& out) {
  const Elements elements(out.dtype());
  ctx.ParallelForAll(out.num_elements(), 1,
                     [&](int64_t begin, int64_t end) { elements.Clear(elements.At(out, begin), end - begin); });
}

Result<Shape> FilledShape(const KernelContext& ctx) {
  const Tensor& value = ctx.input(1);
  if (value.rank() != 0 && !(value.rank() == 1 && value.dim(0) == 1))
    return InvalidArgument("value must represent a scalar, got shape {}", value.shape());
  WEIR_ASSIGN(const Ints dims, VectorInts(ctx.input(0), "dims"));  // TensorFlow takes a scalar, too
  for (const int64_t dim : dims) {
    if (dim < 0) return InvalidArgument("Dimension {} must be >= 0: dims is [{}]", dim, fmt::join(dims, ","));
  }
  return Shape::Make(dims);
}

Result<Kernel> MakeFill(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, FilledShape(ctx));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    FillAll(ctx, out, ctx.input(1).raw());
    return OkStatus();
  });
}

Status FillOnGpu(GpuStream& stream, const Tensor& out, const Tensor& value) {
  return stream.Fill(out.raw(), value.raw(), ElementSize(out.dtype()), static_cast<size_t>(out.num_elements()));
}

Result<Kernel> MakeGpuFill(KernelSetup&, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Shape shape, FilledShape(ctx));
    WEIR_ASSIGN(const Tensor out, gpu.Allocate(ctx, 0, shape));
    return FillOnGpu(*stream, out, ctx.input(1));
  });
}

Result<Kernel> MakeZerosLike(KernelSetup& setup) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Tensor out, ctx.ForwardOrAllocate(0, 0));
    ClearAll(ctx, out);
    return OkStatus();
  });
}

Tensor OneOfType(DType dtype) {
  Tensor one;
  ForType(dtype, kFloatingTypes + kComplexTypes + kIntegerTypes + TypeList<bool>(),
          [&]<class T>(TypeTag<T>) { one = Tensor::Scalar(static_cast<T>(1.0f)); });
  return one;
}

Result<Kernel> MakeOnesLike(KernelSetup& setup) {
  const Tensor one = OneOfType(BaseType(setup.output_type(0)));
  return Kernel::Sync([one](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Tensor out, ctx.ForwardOrAllocate(0, 0));
    FillAll(ctx, out, one.raw());
    return OkStatus();
  });
}

// ZerosLike and OnesLike.
template <bool one>
Result<Kernel> MakeGpuLike(KernelSetup& setup, GpuDevice& gpu) {
  const DType dtype = BaseType(setup.output_type(0));
  WEIR_ASSIGN(const Tensor value, one ? Result<Tensor>(OneOfType(dtype)) : Tensor::Zeros(dtype, {}));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream), value](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Tensor out, gpu.ForwardOrAllocate(ctx, {0}, 0, ctx.input(0).shape()));
    return FillOnGpu(*stream, out, value);
  });
}

Result<Kernel> MakeEmpty(KernelSetup& setup) {
  WEIR_ASSIGN(bool init, setup.Attr<bool>("init"));
  return Kernel::Sync([init](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    if (init) ClearAll(ctx, out);
    return OkStatus();
  });
}

Status FillShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape shape, ShapeArgument(ctx, 0));
  if (const std::optional<Ints> dims = ConstantInts(ctx, 0)) {
    for (size_t i = 0; i < dims->size(); ++i) {
      if ((*dims)[i] < 0) return InvalidArgument("Fill dimensions must be >= 0: dimension {} is {}", i, (*dims)[i]);
    }
  }
  WEIR_TRY(ctx.WithRank(1, 0).status());
  ctx.set_output(0, std::move(shape));
  return OkStatus();
}

Status EmptyShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape shape, ShapeArgument(ctx, 0));
  ctx.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

void RegisterFill(OpRegistry& registry) {
  registry.Add({
      .name = "Fill",
      .signature = "dims: index_type, value: T -> output: T",
      .attrs = {"T: type", "index_type: {int32, int64} = DT_INT32"},
      .shape = FillShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        const Output dy = g.d_output(0);
        return Gradients{std::monostate{}, Sum(dy, Range(0, Rank(dy), 1))};
      },
      .kernels =
          WithGpu(CpuKernel(MakeFill), {.make = MakeGpuFill, .types = kGpuPlain, .runs = GpuKernel::Runs::kCopies},
                  {"dims", "value"}),
  });
  registry.Add({
      .name = "ZerosLike",
      .signature = "x: T -> y: T",
      .attrs = {"T: type"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = WithGpu(CpuKernel(MakeZerosLike),
                         {.make = MakeGpuLike<false>, .types = kGpuPlain, .runs = GpuKernel::Runs::kCopies}),
  });
  registry.Add({
      .name = "OnesLike",
      .signature = "x: T -> y: T",
      .attrs =
          {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, "
           "complex128, bool}"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = WithGpu(CpuKernel(MakeOnesLike),
                         {.make = MakeGpuLike<true>, .types = kGpuPlain, .runs = GpuKernel::Runs::kCopies}),
  });
  registry.Add({
      .name = "Empty",
      .signature = "shape: int32 -> output: dtype",
      .attrs = {"dtype: type", "init: bool = false"},
      .shape = EmptyShape,
      .kernels = CpuKernel(MakeEmpty),
      .traits = kComputesOnly,
      .stateful = true,
  });
}

}  // namespace weir::ops
