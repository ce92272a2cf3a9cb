// GatherTree: the sequences of a beam search, from the id and the parent beam of every step. It follows the parents
// back from the last step of each beam.
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeGatherTree(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor &ids = ctx.input(0), &parents = ctx.input(1), &lengths = ctx.input(2), &end = ctx.input(3);
    if (ids.rank() != 3) return InvalidArgument("step_ids must be a 3-tensor, saw shape: {}", ids.shape());
    if (!(parents.shape() == ids.shape()))
      return InvalidArgument("step_ids.shape must match parent_ids.shape. Saw: {} and {}", ids.shape(),
                             parents.shape());
    if (lengths.rank() != 1 || lengths.dim(0) != ids.dim(1))
      return InvalidArgument(
          "max_sequence_lengths must be a vector of {} elements, one per row of the batch, but has "
          "the shape {}",
          ids.dim(1), lengths.shape());
    if (end.rank() != 0) return InvalidArgument("end_token must be a scalar, saw shape: {}", end.shape());
    WEIR_ASSIGN(const Tensor beams, ctx.Allocate(0, ids.shape()));
    const int64_t times = ids.dim(0), batch = ids.dim(1), width = ids.dim(2);
    const int32_t *id = ids.data<int32_t>(), *parent = parents.data<int32_t>();
    const int32_t end_token = *end.data<int32_t>();
    int32_t* out = beams.data<int32_t>();
    std::fill_n(out, beams.num_elements(), end_token);
    for (int64_t row = 0; row < batch; ++row) {
      const int64_t length = std::min<int64_t>(times, lengths.data<int32_t>()[row]);
      for (int64_t beam = 0; beam < width && length > 0; ++beam) {
        int64_t from = beam;
        for (int64_t time = length - 1; time >= 0; --time) {
          if (from < 0 || from >= width)
            return InvalidArgument("Saw invalid parent id {} at (batch, time, beam) == ({}, {}, {})", from, row,
                                   time + 1, beam);
          const int64_t at = (time * batch + row) * width;
          out[at + beam] = id[at + from];
          from = parent[at + from];
        }
        bool ended = false;  // after the first end token there are only end tokens
        for (int64_t time = 0; time < length; ++time) {
          int32_t& token = out[(time * batch + row) * width + beam];
          if (ended) token = end_token;
          ended = ended || token == end_token;
        }
      }
    }
    return OkStatus();
  });
}

Status GatherTreeShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape ids, ctx.WithRank(0, 3));
  WEIR_ASSIGN(const PartialShape parents, ctx.WithRank(1, 3));
  WEIR_ASSIGN(const PartialShape lengths, ctx.WithRank(2, 1));
  WEIR_TRY(ctx.WithRank(3, 0).status());
  if (!ids.known_rank()) ids = PartialShape::OfRank(3);
  for (int i = 0; i < 3 && parents.known_rank(); ++i) {
    WEIR_ASSIGN(const int64_t size, MergeDims(ids[i], parents[i]));
    ids.SetDim(i, size);
  }
  if (lengths.known_rank()) {
    WEIR_ASSIGN(const int64_t batch, MergeDims(ids[1], lengths[0]));
    ids.SetDim(1, batch);
  }
  ctx.set_output(0, ids);
  return OkStatus();
}

}  // namespace

void RegisterGatherTree(OpRegistry& registry) {
  registry.Add({
      .name = "GatherTree",
      .signature = "step_ids: T, parent_ids: T, max_sequence_lengths: int32, end_token: T -> beams: T",
      .attrs = {"T: {int32}"},
      .shape = GatherTreeShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernelForTypes("T", {kInt32}, MakeGatherTree),
  });
}

}  // namespace weir::ops
