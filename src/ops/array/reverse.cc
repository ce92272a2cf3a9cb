// Reverse, ReverseV2, and ReverseSequence, which reverses only the first elements of each row.
#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

using ReversedDims = absl::InlinedVector<CopyDim, 8>;

Status ReverseDims(KernelContext& ctx, const std::vector<bool>& turn) {
  const Tensor& t = ctx.input(0);
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, t.shape()));
  if (t.num_elements() == 0) return OkStatus();
  const DimVector strides = RowMajorStrides(t.shape());
  ReversedDims dims;
  int64_t first = 0;
  for (int i = 0; i < t.rank(); ++i) {
    const bool back = turn[static_cast<size_t>(i)];
    dims.push_back({t.dim(i), back ? -strides[i] : strides[i], strides[i]});
    if (back) first += (t.dim(i) - 1) * strides[i];
  }
  StridedCopy(ctx, t.dtype(), dims, Elements(t.dtype()).At(t, first), out.raw());
  return OkStatus();
}

Result<Kernel> MakeReverse(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor &t = ctx.input(0), &dims = ctx.input(1);
    if (dims.rank() != 1 || dims.dim(0) != t.rank())
      return InvalidArgument("'dims' must have one entry per dimension of the input {}, got shape {}", t.shape(),
                             dims.shape());
    return ReverseDims(ctx, std::vector<bool>(dims.flat<bool>().begin(), dims.flat<bool>().end()));
  });
}

// Marks which of the `rank` dimensions are listed in `axes`.
Result<std::vector<bool>> ReversedAxes(const Ints& axes, int rank) {
  std::vector<bool> turn(static_cast<size_t>(rank));
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < -rank || axes[i] >= rank)
      return InvalidArgument("'axis'[{}] = {} is out of valid range [{}, {}]", i, axes[i], -rank, rank - 1);
    const auto d = static_cast<size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
    if (turn[d]) return InvalidArgument("axis {} specified more than once.", d);
    turn[d] = true;
  }
  return turn;
}

Result<Kernel> MakeReverseV2(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    if (ctx.input(1).rank() != 1) return InvalidArgument("'axis' must be 1-dimension, not {}", ctx.input(1).rank());
    WEIR_ASSIGN(Ints axes, VectorInts(ctx.input(1), "axis"));
    WEIR_ASSIGN(std::vector<bool> turn, ReversedAxes(axes, ctx.input(0).rank()));
    return ReverseDims(ctx, turn);
  });
}

Status ReverseShape(ShapeContext& ctx) {
  PartialShape in = ctx.input(0);
  WEIR_ASSIGN(PartialShape dims, ctx.WithRank(1, 1));
  if (dims.known_rank() && dims[0] >= 0) {
    if (in.known_rank() && in.rank() != dims[0])
      return InvalidArgument("reverse dims {} must have one entry per dimension of {}", dims, in);
    if (!in.known_rank() && dims[0] <= kMaxRank) in = PartialShape::OfRank(static_cast<int>(dims[0]));
  }
  ctx.set_output(0, std::move(in));
  return OkStatus();
}

Status ReverseV2Shape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(1, 1).status());
  const std::optional<Ints> axes = ConstantInts(ctx, 1);
  if (axes && ctx.input(0).known_rank()) WEIR_TRY(ReversedAxes(*axes, ctx.input(0).rank()).status());
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

Status RunReverseSequence(KernelContext& ctx, int64_t seq_attr, int64_t batch_attr) {
  const Tensor& t = ctx.input(0);
  const int rank = t.rank();
  if (seq_attr < 0 || seq_attr >= rank || batch_attr < 0 || batch_attr >= rank || seq_attr == batch_attr)
    return InvalidArgument("seq_dim {} and batch_dim {} must be two different dimensions of the input {}", seq_attr,
                           batch_attr, t.shape());
  const int seq = static_cast<int>(seq_attr), batch = static_cast<int>(batch_attr);
  WEIR_ASSIGN(Ints lengths, VectorInts(ctx.input(1), "seq_lengths"));
  if (ctx.input(1).rank() != 1 || static_cast<int64_t>(lengths.size()) != t.dim(batch))
    return InvalidArgument("Length of seq_lengths != input.dims({}), ({} vs. {})", batch, lengths.size(), t.dim(batch));
  for (size_t k = 0; k < lengths.size(); ++k) {
    if (lengths[k] < 0) return InvalidArgument("seq_lengths({}) < 0", k);
    if (lengths[k] > t.dim(seq)) return InvalidArgument("seq_lengths({}) > input.dims({})", k, seq);
  }
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, t.shape()));
  if (t.num_elements() == 0) return OkStatus();
  const Elements elements(t.dtype());
  const DimVector strides = RowMajorStrides(t.shape());
  for (size_t k = 0; k < lengths.size(); ++k) {
    const int64_t start = static_cast<int64_t>(k) * strides[batch];
    ReversedDims dims;
    for (int i = 0; i < rank; ++i) dims.push_back({i == batch ? 1 : t.dim(i), strides[i], strides[i]});
    CopyDim& along = dims[static_cast<size_t>(seq)];
    along = {lengths[k], -strides[seq], strides[seq]};
    if (lengths[k] > 0) {
      StridedCopy(ctx, t.dtype(), dims, elements.At(t, start + (lengths[k] - 1) * strides[seq]),
                  elements.At(out, start));
    }
    along = {t.dim(seq) - lengths[k], strides[seq], strides[seq]};
    const int64_t tail = start + lengths[k] * strides[seq];
    if (along.size > 0) StridedCopy(ctx, t.dtype(), dims, elements.At(t, tail), elements.At(out, tail));
  }
  return OkStatus();
}

Result<Kernel> MakeReverseSequence(KernelSetup& setup) {
  WEIR_ASSIGN(int64_t seq, setup.Attr<int64_t>("seq_dim"));
  WEIR_ASSIGN(int64_t batch, setup.Attr<int64_t>("batch_dim"));
  return Kernel::Sync([seq, batch](KernelContext& ctx) { return RunReverseSequence(ctx, seq, batch); });
}

Status ReverseSequenceShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape lengths, ctx.WithRank(1, 1));
  WEIR_ASSIGN(int64_t seq, ctx.Attr<int64_t>("seq_dim"));
  WEIR_ASSIGN(int64_t batch, ctx.Attr<int64_t>("batch_dim"));
  PartialShape in = ctx.input(0);
  if (!in.known_rank()) return OkStatus();
  if (batch >= in.rank() || batch < 0)
    return InvalidArgument("batch_dim must be < input rank: {} vs. {}", batch, in.rank());
  if (seq >= in.rank()) return InvalidArgument("seq_dim must be < input rank: {} vs. {}", seq, in.rank());
  const int b = static_cast<int>(batch);
  WEIR_ASSIGN(int64_t size, MergeDims(in[b], lengths.known_rank() ? lengths[0] : kUnknownDim));
  in.SetDim(b, size);
  ctx.set_output(0, std::move(in));
  return OkStatus();
}

}  // namespace

void RegisterReverse(OpRegistry& registry) {
  registry.Add({
      .name = "Reverse",
      .signature = "tensor: T, dims: bool -> output: T",
      .attrs = {"T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double, "
                "complex64, "
                "complex128, string}"},
      .shape = ReverseShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{Reverse(g.d_output(0), g.input(1)), std::monostate{}};
      },
      .kernels = CpuKernel(MakeReverse),
  });
  registry.Add({
      .name = "ReverseV2",
      .signature = "tensor: T, axis: Tidx -> output: T",
      .attrs = {"Tidx: {int32, int64} = DT_INT32",
                "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, float, double, "
                "complex64, "
                "complex128, string}"},
      .shape = ReverseV2Shape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{ReverseV2(g.d_output(0), g.input(1)), std::monostate{}};
      },
      .kernels = CpuKernel(MakeReverseV2),
  });
  registry.Add({
      .name = "ReverseSequence",
      .signature = "input: T, seq_lengths: Tlen -> output: T",
      .attrs = {"seq_dim: int", "batch_dim: int = 0", "T: type", "Tlen: {int32, int64} = DT_INT64"},
      .shape = ReverseSequenceShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(int64_t seq, g.Attr<int64_t>("seq_dim"));
        WEIR_ASSIGN(int64_t batch, g.Attr<int64_t>("batch_dim"));
        return Gradients{ReverseSequence(g.d_output(0), g.input(1), seq, {.batch_dim = batch}), std::monostate{}};
      },
      .kernels = CpuKernel(MakeReverseSequence),
  });
}

}  // namespace weir::ops
