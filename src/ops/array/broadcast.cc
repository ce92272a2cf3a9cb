// BroadcastTo, the broadcast shape of two operands (BroadcastArgs), and the dimensions over which the gradient of each
// operand is summed (BroadcastGradientArgs).
#include <algorithm>

#include "device/gpu/movement.h"
#include "device/gpu_device.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

Result<Shape> BroadcastShape(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  WEIR_ASSIGN(Shape shape, ShapeFromTensor(ctx.input(1), "shape"));
  const int extra = shape.rank() - t.rank();
  bool fits = extra >= 0;
  for (int i = 0; fits && i < t.rank(); ++i) fits = t.dim(i) == 1 || t.dim(i) == shape[i + extra];
  if (!fits) return InvalidArgument("Incompatible shapes: {} vs. {}", t.shape(), shape);
  return shape;
}

// The strides of `from` along the dimensions of `to`: 0 where it is broadcast.
DimVector BroadcastStrides(const Shape& from, const Shape& to) {
  const DimVector strides = RowMajorStrides(from);
  const int extra = to.rank() - from.rank();
  DimVector result;
  for (int i = 0; i < to.rank(); ++i)
    result.push_back(i < extra || from[i - extra] == 1 ? 0 : strides[static_cast<size_t>(i - extra)]);
  return result;
}

Status RunBroadcastTo(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  WEIR_ASSIGN(const Shape shape, BroadcastShape(ctx));
  if (t.shape() == shape) {
    ctx.set_output(0, t);
    return OkStatus();
  }
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  const DimVector from = BroadcastStrides(t.shape(), shape), to = RowMajorStrides(shape);
  absl::InlinedVector<CopyDim, 8> dims;
  for (int i = 0; i < shape.rank(); ++i) dims.push_back({shape[i], from[i], to[i]});
  StridedCopy(ctx, t.dtype(), dims, t.raw(), out.raw());
  return OkStatus();
}

Result<Kernel> MakeGpuBroadcastTo(KernelSetup&, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
           const Tensor& t = ctx.input(0);
           WEIR_ASSIGN(const Shape shape, BroadcastShape(ctx));
           if (t.shape() == shape) {
             ctx.set_output(0, t);
             return OkStatus();
           }
           WEIR_ASSIGN(const Tensor out, gpu.Allocate(ctx, 0, shape));
           const DimVector from = BroadcastStrides(t.shape(), shape), to = RowMajorStrides(shape);
           return gpu::StridedCopy(*stream, ElementSize(t.dtype()), shape.dims(), {t.raw(), from}, {out.raw(), to});
         })
      .Cheap();
}

Status BroadcastToShape(ShapeContext& ctx) {
  const PartialShape& in = ctx.input(0);
  WEIR_ASSIGN(PartialShape out, ShapeArgument(ctx, 1));
  if (out.known_rank() && in.known_rank()) {
    if (in.rank() > out.rank())
      return InvalidArgument("Rank of input ({}) must be no greater than rank of output shape ({}).", in.rank(),
                             out.rank());
    for (int i = 0; i < in.rank(); ++i) {
      const int64_t o = out[i + out.rank() - in.rank()];
      if (in[i] > 1 && o >= 0 && in[i] != o)
        return InvalidArgument("Dimension {} of input {} cannot be broadcast to {}", i, in, out);
    }
  }
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

// Two shapes aligned at the last dimension; the shorter one is padded with 1.
struct Aligned {
  Ints a, b;
};
Result<Aligned> Align(KernelContext& ctx) {
  for (int i = 0; i < 2; ++i) {
    if (ctx.input(i).rank() != 1) return InvalidArgument("s{} must be a vector, got shape {}", i, ctx.input(i).shape());
  }
  Aligned s{IntsOf(ctx.input(0)), IntsOf(ctx.input(1))};
  const size_t rank = std::max(s.a.size(), s.b.size());
  const std::string text = fmt::format("[{}] vs. [{}]", fmt::join(s.a, ","), fmt::join(s.b, ","));
  s.a.insert(s.a.begin(), rank - s.a.size(), 1);
  s.b.insert(s.b.begin(), rank - s.b.size(), 1);
  for (size_t i = 0; i < rank; ++i) {
    if (s.a[i] != s.b[i] && s.a[i] != 1 && s.b[i] != 1) return InvalidArgument("Incompatible shapes: {}", text);
  }
  return s;
}

Status RunBroadcastArgs(KernelContext& ctx) {
  WEIR_ASSIGN(Aligned s, Align(ctx));
  for (size_t i = 0; i < s.a.size(); ++i) {
    if (s.a[i] == 1) s.a[i] = s.b[i];
  }
  WEIR_ASSIGN(Tensor out, IntVector(ctx.output_type(0), s.a));
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

Status RunBroadcastGradientArgs(KernelContext& ctx) {
  Ints r0, r1;
  WEIR_ASSIGN(const Aligned s, Align(ctx));
  // Equal shapes: nothing was broadcast.
  if (IntsOf(ctx.input(0)) != IntsOf(ctx.input(1))) {
    for (size_t i = 0; i < s.a.size(); ++i) {
      if (s.a[i] == 1) r0.push_back(static_cast<int64_t>(i));
      if (s.b[i] == 1) r1.push_back(static_cast<int64_t>(i));
    }
  }
  WEIR_ASSIGN(Tensor t0, IntVector(ctx.output_type(0), r0));
  WEIR_ASSIGN(Tensor t1, IntVector(ctx.output_type(1), r1));
  ctx.set_output(0, std::move(t0));
  ctx.set_output(1, std::move(t1));
  return OkStatus();
}

Status BroadcastArgsShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape a, ctx.WithRank(0, 1));
  WEIR_ASSIGN(PartialShape b, ctx.WithRank(1, 1));
  const int64_t x = a.known_rank() ? a[0] : kUnknownDim, y = b.known_rank() ? b[0] : kUnknownDim;
  ctx.set_output(0, PartialShape({x >= 0 && y >= 0 ? std::max(x, y) : kUnknownDim}));
  return OkStatus();
}

template <Status (*Run)(KernelContext&)>
Result<Kernel> MakeCheap(KernelSetup&) {
  return Kernel::Sync(Run).Cheap();
}

}  // namespace

void RegisterBroadcast(OpRegistry& registry) {
  registry.Add({
      .name = "BroadcastTo",
      .signature = "input: T, shape: Tidx -> output: T",
      .attrs = {"T: type", "Tidx: {int32, int64} = DT_INT32"},
      .shape = BroadcastToShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        const DType index = g.input(1).base_dtype();
        const Output in_shape = ShapeOf(g.input(0), {.out_type = index});
        const Output dy = g.d_output(0);
        const BroadcastGradientArgsResult axes = BroadcastGradientArgs(ShapeOf(dy, {.out_type = index}), in_shape);
        return Gradients{Reshape(Sum(dy, axes.r1, {.keep_dims = true}), in_shape), std::monostate{}};
      },
      .kernels = WithGpu(CpuKernel([](KernelSetup&) -> Result<Kernel> { return Kernel::Sync(RunBroadcastTo); }),
                         {.make = MakeGpuBroadcastTo, .types = kGpuPlain}, {"shape"}),
  });
  registry.Add({
      .name = "BroadcastArgs",
      .signature = "s0: T, s1: T -> r0: T",
      .attrs = {"T: {int32, int64} = DT_INT32"},
      .shape = BroadcastArgsShape,
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(CpuKernel(MakeCheap<RunBroadcastArgs>)),
  });
  registry.Add({
      .name = "BroadcastGradientArgs",
      .signature = "s0: T, s1: T -> r0: T, r1: T",
      .attrs = {"T: {int32, int64} = DT_INT32"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(ctx.WithRank(0, 1).status());
        WEIR_TRY(ctx.WithRank(1, 1).status());
        ctx.set_output(0, PartialShape::OfRank(1));
        ctx.set_output(1, PartialShape::OfRank(1));
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(CpuKernel(MakeCheap<RunBroadcastGradientArgs>)),
  });
}

}  // namespace weir::ops
