// SpaceToBatch(ND) and BatchToSpace(ND): move blocks of the spatial dimensions to the batch and back. Each is the
// gradient of the other. Batch b of block position p becomes batch p * batches + b.
#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

using BlockDims = absl::InlinedVector<CopyDim, 8>;

// The blocked dimensions 1..block.size(), and the padding (or cropping) before and after them.
struct Blocks {
  Ints block, before, after;
  int64_t count = 1;  // positions per block
  int rank() const { return static_cast<int>(block.size()); }
};

Result<Blocks> MakeBlocks(Ints block, const Ints& pads, const char* what) {
  Blocks b;
  b.block = std::move(block);
  if (pads.size() != 2 * b.block.size())
    return InvalidArgument("{} should have shape [{}, 2], got {} values", what, b.block.size(), pads.size());
  for (size_t i = 0; i < b.block.size(); ++i) {
    if (b.block[i] < 1)
      return InvalidArgument("All values in block_shape must be positive, got value, {} at index {}.", b.block[i], i);
    WEIR_ASSIGN(b.count, CheckedMultiply(b.count, b.block[i]));
    b.before.push_back(pads[2 * i]);
    b.after.push_back(pads[2 * i + 1]);
    if (pads[2 * i] < 0 || pads[2 * i + 1] < 0)
      return InvalidArgument("{} cannot be negative, got ({}, {}) at index {}", what, pads[2 * i], pads[2 * i + 1], i);
    if (pads[2 * i] > (int64_t{1} << 40) || pads[2 * i + 1] > (int64_t{1} << 40))
      return InvalidArgument("{} ({}, {}) at index {} are too large", what, pads[2 * i], pads[2 * i + 1], i);
  }
  return b;
}

// The size of dimension 1 + i after the move, in either direction; -1 stays unknown.
Result<int64_t> BlockedSize(const Blocks& b, size_t i, int64_t size) {
  if (size < 0) return kUnknownDim;
  int64_t padded = 0;
  if (__builtin_add_overflow(size, b.before[i] + b.after[i], &padded))
    return InvalidArgument("dimension {} of {} elements is too large to be padded", i + 1, size);
  if (padded % b.block[i] != 0)
    return InvalidArgument("padded_shape[{}]={} is not divisible by block_shape[{}]={}", i, padded, i, b.block[i]);
  return padded / b.block[i];
}
Result<int64_t> UnblockedSize(const Blocks& b, size_t i, int64_t size) {
  if (size < 0) return kUnknownDim;
  WEIR_ASSIGN(int64_t whole, CheckedMultiply(size, b.block[i]));
  if (b.before[i] > whole || b.after[i] > whole - b.before[i])
    return InvalidArgument("cropped_shape[{}]={} must be non-negative", i, whole - b.before[i] - b.after[i]);
  return whole - b.before[i] - b.after[i];
}

// The blocked indices of dimension 1 + i, at one position in the block, that are elements and not padding.
struct Inside {
  int64_t first, count;
};
Inside InsideOf(const Blocks& b, size_t i, int64_t position, int64_t blocked, int64_t space) {
  // Blocked index s stands for spatial index s * block + position - before, which must lie in [0, space).
  const int64_t shift = b.before[i] - position;
  const int64_t first = shift <= 0 ? 0 : (shift + b.block[i] - 1) / b.block[i];
  const int64_t limit = space + shift;
  const int64_t end = limit <= 0 ? 0 : std::min(blocked, (limit + b.block[i] - 1) / b.block[i]);
  return {first, std::max<int64_t>(0, end - first)};
}

// Copies between `space` [batch, spatial..., rest] and `blocks` [count * batch, blocked..., rest], in either direction.
void MoveBlocks(const KernelContext& ctx, const Blocks& b, const Tensor& space, const Tensor& blocks, bool to_blocks) {
  const int m = b.rank();
  const DimVector ss = RowMajorStrides(space.shape()), bs = RowMajorStrides(blocks.shape());
  const Elements elements(space.dtype());
  const int64_t batch = space.dim(0);
  for (int64_t k = 0; k < b.count; ++k) {
    int64_t rest = k, space_first = 0, blocks_first = k * batch * bs[0];
    BlockDims dims(static_cast<size_t>(space.rank()));
    dims[0] = {batch, ss[0], bs[0]};
    for (int i = m - 1; i >= 0; --i) {
      const auto u = static_cast<size_t>(i);
      const int64_t position = rest % b.block[u];
      rest /= b.block[u];
      const Inside inside = InsideOf(b, u, position, blocks.dim(i + 1), space.dim(i + 1));
      dims[u + 1] = {inside.count, ss[i + 1] * b.block[u], bs[i + 1]};
      if (inside.count == 0) break;
      space_first += (inside.first * b.block[u] + position - b.before[u]) * ss[i + 1];
      blocks_first += inside.first * bs[i + 1];
    }
    bool empty = false;
    for (int i = 0; i < m; ++i) empty = empty || dims[static_cast<size_t>(i) + 1].size == 0;
    if (empty) continue;
    for (int i = m + 1; i < space.rank(); ++i) dims[static_cast<size_t>(i)] = {space.dim(i), ss[i], bs[i]};
    if (to_blocks) {
      StridedCopy(ctx, space.dtype(), dims, elements.At(space, space_first), elements.At(blocks, blocks_first));
    } else {
      for (CopyDim& d : dims) std::swap(d.from_stride, d.to_stride);
      StridedCopy(ctx, space.dtype(), dims, elements.At(blocks, blocks_first), elements.At(space, space_first));
    }
  }
}

Status RunSpaceToBatch(KernelContext& ctx, const Blocks& b) {
  const Tensor& t = ctx.input(0);
  if (t.rank() < 1 + b.rank())
    return InvalidArgument("input rank should be >= {} instead of {}", 1 + b.rank(), t.rank());
  DimVector dims(t.shape().begin(), t.shape().end());
  WEIR_ASSIGN(dims[0], CheckedMultiply(dims[0], b.count));
  for (int i = 0; i < b.rank(); ++i) {
    WEIR_ASSIGN(dims[static_cast<size_t>(i) + 1], BlockedSize(b, static_cast<size_t>(i), t.dim(i + 1)));
  }
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  bool padded = false;
  for (size_t i = 0; i < b.block.size(); ++i) padded = padded || b.before[i] > 0 || b.after[i] > 0;
  if (padded) Elements(out.dtype()).Clear(out.raw(), out.num_elements());
  if (t.num_elements() > 0) MoveBlocks(ctx, b, t, out, /*to_blocks=*/true);
  return OkStatus();
}

Status RunBatchToSpace(KernelContext& ctx, const Blocks& b) {
  const Tensor& t = ctx.input(0);
  if (t.rank() < 1 + b.rank())
    return InvalidArgument("input rank should be >= {} instead of {}", 1 + b.rank(), t.rank());
  if (t.dim(0) % b.count != 0)
    return InvalidArgument("Input batch dimension ({}) is not divisible by product of block sizes ({})", t.dim(0),
                           b.count);
  DimVector dims(t.shape().begin(), t.shape().end());
  dims[0] /= b.count;
  for (int i = 0; i < b.rank(); ++i) {
    WEIR_ASSIGN(dims[static_cast<size_t>(i) + 1], UnblockedSize(b, static_cast<size_t>(i), t.dim(i + 1)));
  }
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() > 0) MoveBlocks(ctx, b, out, t, /*to_blocks=*/false);
  return OkStatus();
}

// Reads the block shape from an input (ND) or an attribute, and the paddings from the last input.
Result<Blocks> BlocksOf(KernelContext& ctx, int64_t block_size, const char* what) {
  Ints block;
  const Tensor& pads = ctx.input(block_size > 0 ? 1 : 2);
  if (block_size > 0) {
    block = {block_size, block_size};
    if (ctx.input(0).rank() != 4) return InvalidArgument("input rank should be: 4 instead of: {}", ctx.input(0).rank());
  } else {
    WEIR_ASSIGN(block, VectorInts(ctx.input(1), "block_shape"));
  }
  if (pads.rank() != 2 || pads.dim(1) != 2 || pads.dim(0) != static_cast<int64_t>(block.size()))
    return InvalidArgument("{} should have shape [{}, 2] instead of {}", what, block.size(), pads.shape());
  return MakeBlocks(std::move(block), IntsOf(pads), what);
}

template <bool kToBatch, bool kNd>
Result<Kernel> MakeSpaceBatch(KernelSetup& setup) {
  int64_t block_size = 0;
  if constexpr (!kNd) {
    WEIR_ASSIGN(block_size, setup.Attr<int64_t>("block_size"));
  }
  return Kernel::Sync([block_size](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Blocks b, BlocksOf(ctx, block_size, kToBatch ? "paddings" : "crops"));
    return kToBatch ? RunSpaceToBatch(ctx, b) : RunBatchToSpace(ctx, b);
  });
}

Status InferShape(ShapeContext& ctx, bool to_batch, bool nd) {
  PartialShape in = ctx.input(0);
  std::optional<Ints> block;
  if (nd) {
    WEIR_ASSIGN(PartialShape block_shape, ctx.WithRank(1, 1));
    block = ConstantInts(ctx, 1);
    if (!block && in.known_rank() && block_shape.known_rank() && block_shape[0] >= 0) {
      // The dimensions after the blocked ones keep their sizes.
      if (in.rank() <= block_shape[0])
        return InvalidArgument("input {} must have a rank of more than {}", in, block_shape[0]);
      for (int i = 0; i <= block_shape[0]; ++i) in.SetDim(i, kUnknownDim);
      ctx.set_output(0, std::move(in));
      return OkStatus();
    }
  } else {
    WEIR_ASSIGN(int64_t size, ctx.Attr<int64_t>("block_size"));
    WEIR_ASSIGN(in, ctx.WithRank(0, 4));
    block = Ints{size, size};
  }
  if (!block || !in.known_rank()) {
    if (in.known_rank() && !block) ctx.set_output(0, PartialShape::OfRank(in.rank()));
    return OkStatus();
  }
  if (in.rank() < 1 + static_cast<int>(block->size()))
    return InvalidArgument("input {} must have rank >= {}", in, 1 + block->size());
  const int pads_input = nd ? 2 : 1;
  WEIR_TRY(ctx.WithRank(pads_input, 2).status());
  const std::optional<Ints> pads = ConstantInts(ctx, pads_input);
  WEIR_ASSIGN(Blocks b, MakeBlocks(*block, pads ? *pads : Ints(2 * block->size(), 0), to_batch ? "paddings" : "crops"));
  if (in[0] >= 0) {
    if (to_batch) {
      WEIR_ASSIGN(int64_t batch, CheckedMultiply(in[0], b.count));
      in.SetDim(0, batch);
    } else {
      if (in[0] % b.count != 0)
        return InvalidArgument("Dimension size must be evenly divisible by {} but is {}", b.count, in[0]);
      in.SetDim(0, in[0] / b.count);
    }
  }
  for (int i = 0; i < b.rank(); ++i) {
    if (!pads) {
      in.SetDim(i + 1, kUnknownDim);
      continue;
    }
    const auto u = static_cast<size_t>(i);
    WEIR_ASSIGN(int64_t size, to_batch ? BlockedSize(b, u, in[i + 1]) : UnblockedSize(b, u, in[i + 1]));
    in.SetDim(i + 1, size);
  }
  ctx.set_output(0, std::move(in));
  return OkStatus();
}

}  // namespace

void RegisterSpaceBatch(OpRegistry& registry) {
  registry.Add({
      .name = "SpaceToBatch",
      .signature = "input: T, paddings: Tpaddings -> output: T",
      .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32", "block_size: int >= 2"},
      .shape = [](ShapeContext& ctx) { return InferShape(ctx, true, false); },
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(int64_t block, g.Attr<int64_t>("block_size"));
        return Gradients{BatchToSpace(g.d_output(0), g.input(1), block), std::monostate{}};
      },
      .kernels = CpuKernel(MakeSpaceBatch<true, false>),
  });
  registry.Add({
      .name = "SpaceToBatchND",
      .signature = "input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T",
      .attrs = {"T: type", "Tblock_shape: {int32, int64} = DT_INT32", "Tpaddings: {int32, int64} = DT_INT32"},
      .shape = [](ShapeContext& ctx) { return InferShape(ctx, true, true); },
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{BatchToSpaceND(g.d_output(0), g.input(1), g.input(2)), std::monostate{}, std::monostate{}};
      },
      .kernels = CpuKernel(MakeSpaceBatch<true, true>),
  });
  registry.Add({
      .name = "BatchToSpace",
      .signature = "input: T, crops: Tidx -> output: T",
      .attrs = {"T: type", "block_size: int >= 2", "Tidx: {int32, int64} = DT_INT32"},
      .shape = [](ShapeContext& ctx) { return InferShape(ctx, false, false); },
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(int64_t block, g.Attr<int64_t>("block_size"));
        return Gradients{SpaceToBatch(g.d_output(0), g.input(1), block), std::monostate{}};
      },
      .kernels = CpuKernel(MakeSpaceBatch<false, false>),
  });
  registry.Add({
      .name = "BatchToSpaceND",
      .signature = "input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T",
      .attrs = {"T: type", "Tblock_shape: {int32, int64} = DT_INT32", "Tcrops: {int32, int64} = DT_INT32"},
      .shape = [](ShapeContext& ctx) { return InferShape(ctx, false, true); },
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{SpaceToBatchND(g.d_output(0), g.input(1), g.input(2)), std::monostate{}, std::monostate{}};
      },
      .kernels = CpuKernel(MakeSpaceBatch<false, true>),
  });
}

}  // namespace weir::ops
