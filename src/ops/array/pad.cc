// Pad and PadV2: pad a tensor with one value.
#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/padding.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

Status RunPad(KernelContext& ctx, bool with_value) {
  const Tensor& t = ctx.input(0);
  WEIR_ASSIGN(std::vector<Padding> paddings, ReadPaddings(ctx.input(1), t.rank()));
  if (with_value && ctx.input(2).rank() != 0)
    return InvalidArgument("constant_values must be a scalar. Found: {}", ctx.input(2).shape());
  DimVector dims;
  bool none = true;
  for (int i = 0; i < t.rank(); ++i) {
    WEIR_ASSIGN(int64_t size, PaddedSize(t.dim(i), paddings[static_cast<size_t>(i)]));
    dims.push_back(size);
    none = none && size == t.dim(i);
  }
  if (none) {
    ctx.set_output(0, t);
    return OkStatus();
  }
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  const Elements elements(t.dtype());
  WEIR_TRY(ctx.ParallelFor(out.num_elements(), elements.plain() ? 1 : 20, [&](int64_t begin, int64_t end) {
    if (with_value) {
      elements.Fill(elements.At(out, begin), ctx.input(2).raw(), end - begin);
    } else {
      elements.Clear(elements.At(out, begin), end - begin);
    }
  }));
  if (t.num_elements() == 0) return OkStatus();
  const DimVector from = RowMajorStrides(t.shape()), to = RowMajorStrides(shape);
  absl::InlinedVector<CopyDim, 8> box;
  int64_t first = 0;
  for (int i = 0; i < t.rank(); ++i) {
    box.push_back({t.dim(i), from[i], to[i]});
    first += paddings[static_cast<size_t>(i)].before * to[i];
  }
  StridedCopy(ctx, t.dtype(), box, t.raw(), elements.At(out, first));
  return OkStatus();
}

Result<Gradients> PadGradient(GradientContext& g) {
  const DType index = g.input(1).base_dtype();
  const Output shape = ShapeOf(g.input(0), {.out_type = index});
  const Output before = Reshape(Slice(g.input(1), {0, 0}, {-1, 1}), {-1});
  Gradients out(static_cast<size_t>(g.num_inputs()));
  out[0] = Slice(g.d_output(0), before, shape);
  return out;
}

}  // namespace

void RegisterPad(OpRegistry& registry) {
  registry.Add({
      .name = "Pad",
      .signature = "input: T, paddings: Tpaddings -> output: T",
      .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32"},
      .shape = PaddedShape,
      .gradient = PadGradient,
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> {
        return Kernel::Sync([](KernelContext& ctx) { return RunPad(ctx, false); });
      }),
  });
  registry.Add({
      .name = "PadV2",
      .signature = "input: T, paddings: Tpaddings, constant_values: T -> output: T",
      .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32"},
      .shape = PaddedShape,
      .gradient = PadGradient,
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> {
        return Kernel::Sync([](KernelContext& ctx) { return RunPad(ctx, true); });
      }),
  });
}

}  // namespace weir::ops
