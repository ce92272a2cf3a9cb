// Concatenation along an existing dimension (Concat, ConcatV2) or a new one (Pack, ParallelConcat), and the offsets of
// the parts (ConcatOffset). All parts agree in every other dimension.
#include "ops/array/concat.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/known_int.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

// Copies `part`, viewed as [outer, row], to column `at` of `out`, viewed as [outer, out_row].
void CopyPart(const KernelContext& ctx, const Tensor& part, int64_t outer, int64_t row, const Tensor& out,
              int64_t out_row, int64_t at) {
  const Elements elements(out.dtype());
  StridedCopy(ctx, out.dtype(), {{outer, row, out_row}, {row, 1, 1}}, part.raw(), elements.At(out, at));
}

Status ConcatInputs(KernelContext& ctx, int first, int count, int axis_input) {
  const Tensor& model = ctx.input(first);
  WEIR_ASSIGN(int64_t requested, ScalarInt(ctx.input(axis_input), "Concat dim tensor"));
  const int rank = model.rank();
  if (rank == 0) return InvalidArgument("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  if (requested < -rank || requested >= rank)
    return InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [{}, {}), but got {}", -rank,
                           rank, requested);
  const int axis = static_cast<int>(requested < 0 ? requested + rank : requested);
  int64_t outer = 1, inner = 1, total = 0;
  for (int i = 0; i < axis; ++i) outer *= model.dim(i);
  for (int i = axis + 1; i < rank; ++i) inner *= model.dim(i);
  for (int k = 0; k < count; ++k) {
    const Tensor& t = ctx.input(first + k);
    if (t.rank() != rank)
      return InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = {} vs. shape[{}] = {}",
                             model.shape(), k, t.shape());
    for (int i = 0; i < rank; ++i) {
      if (i != axis && t.dim(i) != model.dim(i))
        return InvalidArgument("ConcatOp : Dimension {} in both shapes must be equal: shape[0] = {} vs. shape[{}] = {}",
                               i, model.shape(), k, t.shape());
    }
    total += t.dim(axis);
  }
  Shape shape = model.shape();
  WEIR_TRY(shape.SetDim(axis, total));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  int64_t at = 0;
  for (int k = 0; k < count; ++k) {
    const Tensor& t = ctx.input(first + k);
    const int64_t row = t.dim(axis) * inner;
    CopyPart(ctx, t, outer, row, out, total * inner, at);
    at += row;
  }
  return OkStatus();
}

Result<Kernel> MakeConcat(KernelSetup& setup) {
  const int n = setup.num_inputs() - 1;
  return Kernel::Sync([n](KernelContext& ctx) { return ConcatInputs(ctx, 1, n, 0); });
}
Result<Kernel> MakeConcatV2(KernelSetup& setup) {
  const int n = setup.num_inputs() - 1;
  return CheapForIndices(Kernel::Sync([n](KernelContext& ctx) { return ConcatInputs(ctx, 0, n, n); }), setup);
}

}  // namespace

Status ConcatShapes(ShapeContext& ctx, int first, int count, int axis_input) {
  WEIR_TRY(ctx.WithRankAtMost(axis_input, 0).status());
  int rank = -1;
  for (int k = 0; k < count; ++k) {
    const PartialShape& in = ctx.input(first + k);
    if (!in.known_rank()) continue;
    if (rank >= 0 && in.rank() != rank)
      return InvalidArgument("Shapes must be equal rank, but are {} and {}: input {} is {}", rank, in.rank(), k, in);
    rank = in.rank();
  }
  if (rank < 0) return OkStatus();
  if (rank == 0) return InvalidArgument("Can't concatenate scalars (use tf.stack instead)");
  const std::optional<int64_t> requested = ConstantInt(ctx, axis_input);
  if (!requested) {
    ctx.set_output(0, PartialShape::OfRank(rank));
    return OkStatus();
  }
  WEIR_ASSIGN(int axis, CheckedAxis(*requested, rank, "concat_dim"));
  PartialShape out = PartialShape::OfRank(rank);
  int64_t total = 0;
  for (int k = 0; k < count; ++k) {
    PartialShape in = ctx.input(first + k);
    if (!in.known_rank()) {
      total = kUnknownDim;
      continue;
    }
    total = AddDims(total, in[axis]);
    in.SetDim(axis, kUnknownDim);
    Result<PartialShape> merged = out.Merge(in);
    if (!merged.ok())
      return InvalidArgument("Dimensions of input {} {} do not match those of the other inputs {}", k,
                             ctx.input(first + k), out);
    out = *std::move(merged);
  }
  out.SetDim(axis, total);
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

namespace {

// Splits a sparse gradient of a concatenation: each input gets the rows that belong to it.
void RowGradients(GradientContext& g, int first, int n, const IndexedSlices& dy, Gradients* out) {
  Output start;
  for (int i = 0; i < n; ++i) {
    const Output shape = ShapeOf(g.input(first + i), {.out_type = dy.indices.base_dtype()});
    const Output size = Reshape(Slice(shape, {0}, {1}), std::vector<int64_t>{});
    if (i == 0) start = ZerosLike(size);
    const Output end = start + size;
    const Output inside = LogicalAnd(GreaterEqual(dy.indices, start), Less(dy.indices, end));
    const Output chosen = Reshape(Where(inside), {-1});
    (*out)[static_cast<size_t>(first + i)] =
        IndexedSlices{GatherV2(dy.values, chosen, 0), GatherV2(dy.indices, chosen, 0) - start, shape};
    start = end;
  }
}

// Splits dy into the gradients of the inputs.
Result<Gradients> ConcatGradient(GradientContext& g, int first, int axis_input) {
  const int n = g.num_inputs() - 1;
  Gradients out(static_cast<size_t>(g.num_inputs()));
  if (const auto* rows = std::get_if<IndexedSlices>(&g.raw_d_output(0));
      rows != nullptr && KnownInt(g.input(axis_input)) == 0) {
    RowGradients(g, first, n, *rows, &out);
    return out;
  }
  const Output dy = g.d_output(0);
  if (n == 1) {
    out[static_cast<size_t>(first)] = dy;
    return out;
  }
  InputList parts;
  for (int i = 0; i < n; ++i) parts.push_back(g.input(first + i));
  Output axis = g.input(axis_input);
  if (axis.base_dtype() != kInt32) axis = Cast(axis, kInt32);
  axis = FloorMod(axis, Rank(parts[0]));
  const OutputList sizes = ShapeN(parts);
  const OutputList offsets = ConcatOffset(axis, InputList(sizes.begin(), sizes.end()));
  if (sizes.empty() || offsets.empty()) return out;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<size_t>(i);
    out[static_cast<size_t>(first + i)] = Slice(dy, offsets[k], sizes[k]);
  }
  return out;
}

Result<Kernel> MakeConcatOffset(KernelSetup& setup) {
  const int n = setup.num_inputs() - 1;
  return Kernel::Sync([n](KernelContext& ctx) -> Status {
           if (ctx.input(0).rank() != 0)
             return InvalidArgument("Concat dim tensor should be a scalar, but got shape {}", ctx.input(0).shape());
           WEIR_ASSIGN(int64_t requested, ScalarInt(ctx.input(0), "Concat dim tensor"));
           WEIR_ASSIGN(Ints model, VectorInts(ctx.input(1), "shape"));
           const int rank = static_cast<int>(model.size());
           WEIR_ASSIGN(int axis, CheckedAxis(requested, rank, "Concat dim"));
           int64_t offset = 0;
           for (int k = 0; k < n; ++k) {
             if (ctx.input(1 + k).rank() != 1)
               return InvalidArgument("input {} should be a vector, but got shape {}", 1 + k, ctx.input(1 + k).shape());
             WEIR_ASSIGN(Ints shape, VectorInts(ctx.input(1 + k), "shape"));
             if (shape.size() != model.size())
               return InvalidArgument("input {} should contain {} elements, but got {}", k, rank, shape.size());
             for (int i = 0; i < rank; ++i) {
               if (i != axis && shape[static_cast<size_t>(i)] != model[static_cast<size_t>(i)])
                 return InvalidArgument(
                     "All dimensions except {} must match. Input {} has shape [{}] and doesn't match "
                     "input 0 with shape [{}].",
                     axis, k, fmt::join(shape, " "), fmt::join(model, " "));
             }
             Ints at(static_cast<size_t>(rank), 0);
             at[static_cast<size_t>(axis)] = offset;
             if (__builtin_add_overflow(offset, shape[static_cast<size_t>(axis)], &offset))
               return InvalidArgument("the concatenated size of dimension {} is too large", axis);
             WEIR_ASSIGN(Tensor t, IntVector(ctx.output_type(k), at));
             ctx.set_output(k, std::move(t));
           }
           return OkStatus();
         })
      .Cheap();
}

Status ConcatOffsetShape(ShapeContext& ctx) {
  for (int i = 1; i < ctx.num_inputs(); ++i) ctx.set_output(i - 1, ctx.input(i));
  return OkStatus();
}

Status PackInputs(KernelContext& ctx, int64_t requested) {
  const Tensor& model = ctx.input(0);
  const int rank = model.rank() + 1;
  WEIR_ASSIGN(int axis, CheckedAxis(requested, rank, "axis"));
  const int n = ctx.num_inputs();
  for (int k = 1; k < n; ++k) {
    if (!(ctx.input(k).shape() == model.shape()))
      return InvalidArgument("Shapes of all inputs must match: values[0].shape = {} != values[{}].shape = {}",
                             model.shape(), k, ctx.input(k).shape());
  }
  Shape shape = model.shape();
  WEIR_TRY(shape.InsertDim(axis, n));
  if (n == 1) {
    ctx.set_output(0, model.Reshaped(shape));
    return OkStatus();
  }
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  int64_t outer = 1;
  for (int i = 0; i < axis; ++i) outer *= model.dim(i);
  const int64_t row = model.num_elements() / outer;
  for (int k = 0; k < n; ++k) CopyPart(ctx, ctx.input(k), outer, row, out, row * n, row * k);
  return OkStatus();
}

Result<Kernel> MakePack(KernelSetup& setup) {
  WEIR_ASSIGN(int64_t axis, setup.Attr<int64_t>("axis"));
  return CheapForIndices(Kernel::Sync([axis](KernelContext& ctx) { return PackInputs(ctx, axis); }), setup);
}

Status PackShape(ShapeContext& ctx) {
  PartialShape out = ctx.input(0);
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    Result<PartialShape> merged = out.Merge(ctx.input(i));
    if (!merged.ok()) return WithContext(merged.status(), fmt::format("From merging shape {} with other shapes.", i));
    out = *std::move(merged);
  }
  if (!out.known_rank()) return OkStatus();
  WEIR_ASSIGN(int64_t requested, ctx.Attr<int64_t>("axis"));
  WEIR_ASSIGN(int axis, CheckedAxis(requested, out.rank() + 1, "axis"));
  out.InsertDim(axis, ctx.num_inputs());
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

// Stacks parts of shape [1, ...]. The rows after the last part are zero.
Result<Kernel> MakeParallelConcat(KernelSetup& setup) {
  WEIR_ASSIGN(const PartialShape wanted, setup.Attr<PartialShape>("shape"));
  return Kernel::Sync([wanted](KernelContext& ctx) -> Status {
    const Tensor& model = ctx.input(0);
    const int n = ctx.num_inputs();
    if (model.rank() == 0 || model.dim(0) != 1)
      return InvalidArgument("Size of first dimension must be 1 for ParallelConcat, got {}", model.shape());
    for (int k = 1; k < n; ++k) {
      if (!(ctx.input(k).shape() == model.shape()))
        return InvalidArgument("All input shapes must match: {} != {}", model.shape(), ctx.input(k).shape());
    }
    const int64_t rows = wanted.dim(0);
    if (rows < n)
      return InvalidArgument("0th dimension of value = {} must be greater than loc_ = {}", rows,
                             std::max<int64_t>(rows, 1));
    Shape shape = model.shape();
    WEIR_TRY(shape.SetDim(0, rows));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    const int64_t row = model.num_elements();
    if (rows > n) Elements(out.dtype()).Clear(out.raw(), out.num_elements());
    for (int k = 0; k < n; ++k) CopyPart(ctx, ctx.input(k), 1, row, out, row * n, row * k);
    return OkStatus();
  });
}

Status ParallelConcatShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape shape, ctx.Attr<PartialShape>("shape"));
  if (!shape.fully_defined()) return InvalidArgument("shape attr must be fully defined.");
  if (shape.rank() < 1) return InvalidArgument("shape attr {} must have at least one dimension", shape);
  PartialShape part = shape;
  part.SetDim(0, 1);
  for (int i = 0; i < ctx.num_inputs(); ++i) WEIR_TRY(ctx.input(i).Merge(part).status());
  ctx.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

void RegisterConcat(OpRegistry& registry) {
  registry.Add({
      .name = "Concat",
      .signature = "concat_dim: int32, values: N * T -> output: T",
      .attrs = {"N: int >= 2", "T: type"},
      .shape = [](ShapeContext& ctx) { return ConcatShapes(ctx, 1, ctx.num_inputs() - 1, 0); },
      .gradient = [](GradientContext& g) { return ConcatGradient(g, 1, 0); },
      .kernels = CpuKernel(MakeConcat),
      .traits = {.shape_value = ShapeValue::kConcat},
  });
  registry.Add({
      .name = "ConcatV2",
      .signature = "values: N * T, axis: Tidx -> output: T",
      .attrs = {"N: int >= 2", "T: type", "Tidx: {int32, int64} = DT_INT32"},
      .shape = [](ShapeContext& ctx) { return ConcatShapes(ctx, 0, ctx.num_inputs() - 1, ctx.num_inputs() - 1); },
      .gradient = [](GradientContext& g) { return ConcatGradient(g, 0, g.num_inputs() - 1); },
      .kernels = CpuKernel(MakeConcatV2),
      .traits = {.shape_value = ShapeValue::kConcat},
  });
  registry.Add({
      .name = "ConcatOffset",
      .signature = "concat_dim: int32, shape: N * shape_type -> offset: N * shape_type",
      .attrs = {"N: int >= 2", "shape_type: {int32, int64} = DT_INT32"},
      .shape = ConcatOffsetShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeConcatOffset),
  });
  registry.Add({
      .name = "Pack",
      .signature = "values: N * T -> output: T",
      .attrs = {"N: int >= 1", "T: type", "axis: int = 0"},
      .shape = PackShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(int64_t axis, g.Attr<int64_t>("axis"));
        const OutputList parts = Unpack(g.d_output(0), g.num_inputs(), {.axis = axis});
        return Gradients(parts.begin(), parts.end());
      },
      .kernels = CpuKernel(MakePack),
      .traits = {.shape_value = ShapeValue::kPack},
  });
  registry.Add({
      .name = "ParallelConcat",
      .signature = "values: N * T -> output: T",
      .attrs = {"N: int >= 1", "T: type", "shape: shape"},
      .shape = ParallelConcatShape,
      .kernels = CpuKernel(MakeParallelConcat),
  });
}

}  // namespace weir::ops
