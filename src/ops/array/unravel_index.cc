// UnravelIndex: converts flat indices to coordinates, one row per dimension.
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

Status RunUnravelIndex(KernelContext& ctx) {
  const Tensor &indices = ctx.input(0), &dims_input = ctx.input(1);
  if (indices.rank() > 1)
    return InvalidArgument("The indices can only be scalar or vector, got \"{}\"", indices.shape());
  if (dims_input.rank() != 1) return InvalidArgument("The indices can only be 1-D, got \"{}\"", dims_input.shape());
  const Ints dims = IntsOf(dims_input);
  const Ints flat = IntsOf(indices);
  int64_t total = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] <= 0) return InvalidArgument("Input dims[{}] = {} must be positive", i, dims[i]);
    WEIR_ASSIGN(total, CheckedMultiply(total, dims[i]));
  }
  if (flat.empty()) return InvalidArgument("received empty tensor indices");
  for (size_t i = 0; i < flat.size(); ++i) {
    // TensorFlow accepts negative indices; their coordinates are negative, too.
    if (flat[i] >= total)
      return InvalidArgument("index is out of bound as with dims: indices[{}] = {} is not less than {}", i, flat[i],
                             total);
  }
  const auto n = static_cast<int64_t>(flat.size());
  DimVector shape_dims = {static_cast<int64_t>(dims.size())};
  if (indices.rank() == 1) shape_dims.push_back(n);
  WEIR_ASSIGN(Shape shape, Shape::Make(shape_dims));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = flat[static_cast<size_t>(i)];
    for (size_t d = dims.size(); d-- > 0;) {
      const int64_t at = static_cast<int64_t>(d) * n + i;
      if (out.dtype() == kInt32) {
        out.data<int32_t>()[at] = static_cast<int32_t>(rest % dims[d]);
      } else {
        out.data<int64_t>()[at] = rest % dims[d];
      }
      rest /= dims[d];
    }
  }
  return OkStatus();
}

Status UnravelIndexShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape indices, ctx.WithRankAtMost(0, 1));
  WEIR_ASSIGN(PartialShape dims, ctx.WithRank(1, 1));
  if (!indices.known_rank()) return OkStatus();
  const PartialShape rank({dims.known_rank() ? dims[0] : kUnknownDim});
  ctx.set_output(0, rank.Concat(indices));
  return OkStatus();
}

}  // namespace

void RegisterUnravelIndex(OpRegistry& registry) {
  registry.Add({
      .name = "UnravelIndex",
      .signature = "indices: Tidx, dims: Tidx -> output: Tidx",
      .attrs = {"Tidx: {int32, int64} = DT_INT32"},
      .shape = UnravelIndexShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> { return Kernel::Sync(RunUnravelIndex); }),
  });
}

}  // namespace weir::ops
