// GatherNd: selects slices of a tensor by position. Its gradient scatters them back.
#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/elements.h"
#include "ops/array/nd_index.h"

namespace weir::ops {
namespace {

Status RunGatherNd(KernelContext& ctx) {
  const Tensor &params = ctx.input(0), &indices = ctx.input(1);
  if (params.rank() < 1) return InvalidArgument("params must be at least a vector");
  WEIR_ASSIGN(NdIndices at, ResolveNdIndices(indices, params.shape(), "params"));
  DimVector dims(indices.shape().begin(), indices.shape().end() - 1);
  for (int i = at.depth; i < params.rank(); ++i) dims.push_back(params.dim(i));
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  const Elements elements(params.dtype());
  return ctx.ParallelFor(static_cast<int64_t>(at.slices.size()), elements.Cost(at.slice) + 2, [&](int64_t i) {
    elements.Copy(elements.At(out, i * at.slice), elements.At(params, at.slices[static_cast<size_t>(i)] * at.slice),
                  at.slice);
  });
}

Status GatherNdShape(ShapeContext& ctx) {
  const PartialShape& params = ctx.input(0);
  WEIR_ASSIGN(PartialShape indices, ctx.WithRankAtLeast(1, 1));
  if (!indices.known_rank() || !params.known_rank()) return OkStatus();
  const int64_t depth = indices[indices.rank() - 1];
  if (depth == kUnknownDim) return OkStatus();
  if (depth > params.rank())
    return InvalidArgument("indices.shape[-1] must be <= params.rank, but saw indices shape: {} and params shape: {}",
                           indices, params);
  WEIR_ASSIGN(PartialShape picked, indices.Sub(0, -1));
  WEIR_ASSIGN(PartialShape slice, params.Sub(static_cast<int>(depth)));
  ctx.set_output(0, picked.Concat(slice));
  return OkStatus();
}

Result<Gradients> GatherNdGradient(GradientContext& g) {
  const Output params = g.input(0), indices = g.input(1), dy = g.d_output(0);
  const Output shape = ShapeOf(params, {.out_type = indices.base_dtype()});
  const PartialShape known = indices.shape();
  // If whole rows are selected by number, the gradient stays sparse.
  if (known.known_rank() && known.rank() == 2 && known[1] == 1)
    return Gradients{IndexedSlices{dy, Squeeze(indices, {.squeeze_dims = {-1}}), shape}, std::monostate{}};
  return Gradients{ScatterNd(indices, dy, shape), std::monostate{}};
}

}  // namespace

void RegisterGatherNd(OpRegistry& registry) {
  registry.Add({
      .name = "GatherNd",
      .signature = "params: Tparams, indices: Tindices -> output: Tparams",
      .attrs = {"Tparams: type", "Tindices: {int16, int32, int64}"},
      .shape = GatherNdShape,
      .gradient = GatherNdGradient,
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> { return Kernel::Sync(RunGatherNd); }),
      .traits = {.memory = OutputMemory::kOwn, .brief = true},
  });
}

}  // namespace weir::ops
