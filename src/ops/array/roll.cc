// Roll: shifts elements along dimensions, with wraparound.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

// The shift of each dimension, in [0, size).
Result<Ints> Shifts(const Tensor& t, const Tensor& shift, const Tensor& axis) {
  if (shift.rank() > 1) return InvalidArgument("shift must be a scalar or a 1-D vector. Found: {}", shift.shape());
  if (axis.rank() > 1) return InvalidArgument("axis must be a scalar or a 1-D vector. Found: {}", axis.shape());
  if (!(shift.shape() == axis.shape()))
    return InvalidArgument("shift and axis must have the same size, got {} and {}", shift.shape(), axis.shape());
  Ints out(static_cast<size_t>(t.rank()));
  const Ints shifts = IntsOf(shift), axes = IntsOf(axis);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < -t.rank() || axes[i] >= t.rank())
      return InvalidArgument("axis {} is out of range for rank {}", axes[i], t.rank());
    const int d = static_cast<int>(axes[i] < 0 ? axes[i] + t.rank() : axes[i]);
    const int64_t size = std::max<int64_t>(t.dim(d), 1);
    int64_t& sum = out[static_cast<size_t>(d)];
    sum = (sum + shifts[i] % size + size) % size;
  }
  return out;
}

Status RunRoll(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  if (t.rank() < 1) return InvalidArgument("input must be 1-D or higher");
  WEIR_ASSIGN(Ints shifts, Shifts(t, ctx.input(1), ctx.input(2)));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, t.shape()));
  if (t.num_elements() == 0) return OkStatus();
  const DimVector strides = RowMajorStrides(t.shape());
  const Elements elements(t.dtype());
  std::vector<int> moving;
  for (int i = 0; i < t.rank(); ++i) {
    if (shifts[static_cast<size_t>(i)] != 0) moving.push_back(i);
  }
  // Each shifted dimension consists of two pieces; copy each combination of pieces.
  absl::InlinedVector<CopyDim, 8> dims;
  for (int i = 0; i < t.rank(); ++i) dims.push_back({t.dim(i), strides[i], strides[i]});
  for (uint64_t choice = 0; choice < (uint64_t{1} << moving.size()); ++choice) {
    int64_t from = 0, to = 0;
    for (size_t k = 0; k < moving.size(); ++k) {
      const int d = moving[k];
      const int64_t shift = shifts[static_cast<size_t>(d)];
      const bool wraps = (choice >> k) & 1;
      dims[static_cast<size_t>(d)].size = wraps ? shift : t.dim(d) - shift;
      from += (wraps ? t.dim(d) - shift : 0) * strides[d];
      to += (wraps ? 0 : shift) * strides[d];
    }
    StridedCopy(ctx, t.dtype(), dims, elements.At(t, from), elements.At(out, to));
  }
  return OkStatus();
}

Status RollShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape in, ctx.WithRankAtLeast(0, 1));
  WEIR_ASSIGN(const PartialShape shift, ctx.WithRankAtMost(1, 1));
  WEIR_ASSIGN(const PartialShape axis, ctx.WithRankAtMost(2, 1));
  WEIR_TRY(shift.Merge(axis).status());
  ctx.set_output(0, std::move(in));
  return OkStatus();
}

}  // namespace

void RegisterRoll(OpRegistry& registry) {
  registry.Add({
      .name = "Roll",
      .signature = "input: T, shift: Tshift, axis: Taxis -> output: T",
      .attrs = {"T: type", "Tshift: {int32, int64}", "Taxis: {int32, int64}"},
      .shape = RollShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{Roll(g.d_output(0), Neg(g.input(1)), g.input(2)), std::monostate{}, std::monostate{}};
      },
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> { return Kernel::Sync(RunRoll); }),
  });
}

}  // namespace weir::ops
