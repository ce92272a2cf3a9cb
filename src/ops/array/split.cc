// Split (equal parts), SplitV (given sizes), Unpack (parts of size one, without the dimension). Parts along dimension 0
// share the input's memory.
#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

// Splits `t` along `axis` into parts of the given sizes. `keep`: the parts keep the dimension.
Status SplitAlong(KernelContext& ctx, const Tensor& t, int axis, const Ints& sizes, bool keep) {
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= t.dim(i);
  for (int i = axis + 1; i < t.rank(); ++i) inner *= t.dim(i);
  const Elements elements(t.dtype());
  int64_t at = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    Shape shape = t.shape();
    if (keep) {
      WEIR_TRY(shape.SetDim(axis, sizes[k]));
    } else {
      shape.RemoveDim(axis);
    }
    const int output = static_cast<int>(k);
    if (axis == 0) {
      const Tensor part = t.Slice(at, at + sizes[k]);
      ctx.set_output(output, keep ? part : part.Reshaped(shape));
    } else {
      WEIR_ASSIGN(Tensor out, ctx.Allocate(output, shape));
      const int64_t row = sizes[k] * inner;
      if (out.num_elements() > 0) {
        StridedCopy(ctx, t.dtype(), {{outer, t.dim(axis) * inner, row}, {row, 1, 1}}, elements.At(t, at * inner),
                    out.raw());
      }
    }
    at += sizes[k];
  }
  return OkStatus();
}

Result<Kernel> MakeSplit(KernelSetup& setup) {
  const int n = setup.num_outputs();
  return Kernel::Sync([n](KernelContext& ctx) -> Status {
    const Tensor& t = ctx.input(1);
    if (ctx.input(0).rank() != 0)
      return InvalidArgument("split_dim must be a scalar but has rank {}", ctx.input(0).rank());
    WEIR_ASSIGN(int64_t requested, ScalarInt(ctx.input(0), "split_dim"));
    WEIR_ASSIGN(int axis, CheckedAxis(requested, t.rank(), "split_dim"));
    if (t.dim(axis) % n != 0)
      return InvalidArgument(
          "Number of ways to split should evenly divide the split dimension, but got split_dim {} "
          "(size = {}) and num_split {}",
          axis, t.dim(axis), n);
    return SplitAlong(ctx, t, axis, Ints(static_cast<size_t>(n), t.dim(axis) / n), /*keep=*/true);
  });
}

Status SplitShape(ShapeContext& ctx) {
  const PartialShape& in = ctx.input(1);
  WEIR_TRY(ctx.WithRank(0, 0).status());
  if (!in.known_rank()) return OkStatus();
  const std::optional<int64_t> requested = ConstantInt(ctx, 0);
  PartialShape out = PartialShape::OfRank(in.rank());
  if (requested) {
    WEIR_ASSIGN(int axis, CheckedAxis(*requested, in.rank(), "split_dim"));
    out = in;
    const int64_t n = ctx.num_outputs();
    if (in[axis] >= 0) {
      if (in[axis] % n != 0)
        return InvalidArgument("Dimension size must be evenly divisible by {} but is {}: split_dim {} of {}", n,
                               in[axis], axis, in);
      out.SetDim(axis, in[axis] / n);
    }
  }
  for (int i = 0; i < ctx.num_outputs(); ++i) ctx.set_output(i, out);
  return OkStatus();
}

// Computes the one size that may be -1.
Status CompleteSizes(Ints* sizes, int64_t total) {
  int64_t sum = 0;
  int unknown = -1;
  for (size_t i = 0; i < sizes->size(); ++i) {
    const int64_t s = (*sizes)[i];
    if (s == -1 && unknown < 0) {
      unknown = static_cast<int>(i);
    } else if (s < 0) {
      return InvalidArgument("Split size at index {} must be >= 0. Got: {}", i, s);
    } else if (s > total - sum) {
      return InvalidArgument(
          "Determined shape must either match input shape along split_dim exactly if fully specified, or "
          "be less than the size of the input along split_dim if not fully specified. Got: more than {} "
          "of {}",
          sum, total);
    } else {
      sum += s;
    }
  }
  if (unknown >= 0) {
    (*sizes)[static_cast<size_t>(unknown)] = total - sum;
  } else if (sum != total) {
    return InvalidArgument(
        "Determined shape must either match input shape along split_dim exactly if fully specified, or be "
        "less than the size of the input along split_dim if not fully specified. Got: {} of {}",
        sum, total);
  }
  return OkStatus();
}

Result<Kernel> MakeSplitV(KernelSetup& setup) {
  const int n = setup.num_outputs();
  return Kernel::Sync([n](KernelContext& ctx) -> Status {
    const Tensor& t = ctx.input(0);
    WEIR_ASSIGN(Ints sizes, VectorInts(ctx.input(1), "size_splits"));
    WEIR_ASSIGN(int64_t requested, ScalarInt(ctx.input(2), "split_dim"));
    WEIR_ASSIGN(int axis, CheckedAxis(requested, t.rank(), "split_dim"));
    if (static_cast<int>(sizes.size()) != n)
      return InvalidArgument("size of the split_tensor must be 1-D and have {} elements, got {}", n, sizes.size());
    WEIR_TRY(CompleteSizes(&sizes, t.dim(axis)));
    return SplitAlong(ctx, t, axis, sizes, /*keep=*/true);
  });
}

Status SplitVShape(ShapeContext& ctx) {
  const PartialShape& in = ctx.input(0);
  WEIR_TRY(ctx.WithRank(1, 1).status());
  const int n = ctx.num_outputs();
  if (ctx.constant(2) != nullptr && ctx.constant(2)->rank() != 0)
    return InvalidArgument("Input must be scalar but has rank {}", ctx.constant(2)->rank());
  const std::optional<int64_t> requested = ConstantInt(ctx, 2);
  const std::optional<Ints> sizes = ConstantInts(ctx, 1);
  if (sizes && static_cast<int>(sizes->size()) != n)
    return InvalidArgument("Length of size_splits should be equal to num_outputs: {} vs {}", sizes->size(), n);
  if (!in.known_rank()) return OkStatus();
  if (!requested) {
    for (int i = 0; i < n; ++i) ctx.set_output(i, n == 1 ? in : PartialShape::OfRank(in.rank()));
    return OkStatus();
  }
  WEIR_ASSIGN(int axis, CheckedAxis(*requested, in.rank(), "split_dim"));
  Ints known(static_cast<size_t>(n), kUnknownDim);
  if (sizes) known = *sizes;
  if (sizes && in[axis] >= 0) WEIR_TRY(CompleteSizes(&known, in[axis]));
  for (int i = 0; i < n; ++i) {
    PartialShape out = in;
    out.SetDim(axis,
               n == 1 && in[axis] >= 0 ? in[axis] : std::max<int64_t>(known[static_cast<size_t>(i)], kUnknownDim));
    ctx.set_output(i, std::move(out));
  }
  return OkStatus();
}

Result<Kernel> MakeUnpack(KernelSetup& setup) {
  WEIR_ASSIGN(int64_t requested, setup.Attr<int64_t>("axis"));
  const int n = setup.num_outputs();
  return Kernel::Sync([requested, n](KernelContext& ctx) -> Status {
    const Tensor& t = ctx.input(0);
    WEIR_ASSIGN(int axis, CheckedAxis(requested, t.rank(), "axis"));
    if (t.dim(axis) != n) return InvalidArgument("Input shape axis {} must equal {}, got shape {}", axis, n, t.shape());
    return SplitAlong(ctx, t, axis, Ints(static_cast<size_t>(n), 1), /*keep=*/false);
  });
}

Status UnpackShape(ShapeContext& ctx) {
  PartialShape out = ctx.input(0);
  if (!out.known_rank()) return OkStatus();
  WEIR_ASSIGN(int64_t requested, ctx.Attr<int64_t>("axis"));
  WEIR_ASSIGN(int axis, CheckedAxis(requested, out.rank(), "axis"));
  if (out[axis] != kUnknownDim && out[axis] != ctx.num_outputs())
    return InvalidArgument("Dimension must be {} but is {}: axis {} of {}", ctx.num_outputs(), out[axis], axis, out);
  out.RemoveDim(axis);
  for (int i = 0; i < ctx.num_outputs(); ++i) ctx.set_output(i, out);
  return OkStatus();
}

OutputList AllDOutputs(GradientContext& g) {
  OutputList dys;
  for (int i = 0; i < g.num_outputs(); ++i) dys.push_back(g.d_output(i));
  return dys;
}

Output JoinDOutputs(GradientContext& g, Output axis) {
  const OutputList dys = AllDOutputs(g);
  if (dys.size() == 1) return dys[0];
  return ConcatV2(InputList(dys.begin(), dys.end()), axis);
}

}  // namespace

void RegisterSplit(OpRegistry& registry) {
  registry.Add({
      .name = "Split",
      .signature = "split_dim: int32, value: T -> output: num_split * T",
      .attrs = {"num_split: int >= 1", "T: type"},
      .shape = SplitShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{std::monostate{}, JoinDOutputs(g, g.input(0))};
      },
      .kernels = CpuKernel(MakeSplit),
  });
  registry.Add({
      .name = "SplitV",
      .signature = "value: T, size_splits: Tlen, split_dim: int32 -> output: num_split * T",
      .attrs = {"num_split: int >= 1", "T: type", "Tlen: {int8, int32, int64} = DT_INT64"},
      .shape = SplitVShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{JoinDOutputs(g, g.input(2)), std::monostate{}, std::monostate{}};
      },
      .kernels = CpuKernel(MakeSplitV),
  });
  registry.Add({
      .name = "Unpack",
      .signature = "value: T -> output: num * T",
      .attrs = {"num: int >= 0", "T: type", "axis: int = 0"},
      .shape = UnpackShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(int64_t axis, g.Attr<int64_t>("axis"));
        const OutputList dys = AllDOutputs(g);
        return Gradients{Pack(InputList(dys.begin(), dys.end()), {.axis = axis})};
      },
      .kernels = CpuKernel(MakeUnpack),
  });
}

}  // namespace weir::ops
