// Scatters slices by position into zeros (ScatterNd) or into a copy of a tensor (TensorScatter*). If a position occurs
// more than once, slices are accumulated, or the last one wins for updates.
#include <optional>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/nd_index.h"
#include "ops/array/summable.h"

namespace weir::ops {
namespace {

enum class ScatterMode { kSet, kAdd, kSub };

template <class T>
void CombineAt(ScatterMode how, const NdIndices& at, const T* updates, T* out) {
  for (size_t k = 0; k < at.slices.size(); ++k) {
    T* to = out + at.slices[k] * at.slice;
    const T* from = updates + static_cast<int64_t>(k) * at.slice;
    if (how == ScatterMode::kAdd) {
      for (int64_t i = 0; i < at.slice; ++i) to[i] = static_cast<T>(to[i] + from[i]);
    } else {
      for (int64_t i = 0; i < at.slice; ++i) to[i] = static_cast<T>(to[i] - from[i]);
    }
  }
}

// Checks indices [..., depth] and updates [..., slice] against each other and against `out`.
Status CheckUpdates(const Tensor& indices, const Tensor& updates, const Shape& out) {
  if (indices.rank() < 1)
    return InvalidArgument("Indices shape must have rank at least one. Found: {}", indices.shape());
  if (out.num_elements() == 0 && indices.num_elements() + updates.num_elements() > 0)
    return InvalidArgument("Indices and updates specified for empty output. indices shape: {}", indices.shape());
  const int outer = indices.rank() - 1;
  const int64_t depth = indices.dim(outer);
  if (depth > out.rank())
    return InvalidArgument("The inner dimension of indices {} must be at most the rank of the output {}",
                           indices.shape(), out);
  bool fits = updates.rank() == outer + out.rank() - depth;
  for (int i = 0; fits && i < outer; ++i) fits = updates.dim(i) == indices.dim(i);
  for (int i = outer; fits && i < updates.rank(); ++i)
    fits = updates.dim(i) == out[static_cast<int>(depth) + i - outer];
  if (!fits)
    return InvalidArgument(
        "Must have updates.shape = indices.shape[:batch_dim] + output.shape[slice_dim:], got updates.shape: "
        "{}, indices.shape: {}, output.shape: {}",
        updates.shape(), indices.shape(), out);
  return OkStatus();
}

Status Scatter(ScatterMode how, const Tensor& indices, const Tensor& updates, const Tensor& out) {
  WEIR_TRY(CheckUpdates(indices, updates, out.shape()));
  if (updates.num_elements() == 0) return OkStatus();
  WEIR_ASSIGN(NdIndices at, ResolveNdIndices(indices, out.shape(), "output"));
  if (how == ScatterMode::kSet || out.dtype() == kString) {
    const Elements elements(out.dtype());
    for (size_t k = 0; k < at.slices.size(); ++k)
      elements.Copy(elements.At(out, at.slices[k] * at.slice), elements.At(updates, static_cast<int64_t>(k) * at.slice),
                    at.slice);
    return OkStatus();
  }
  const bool known = ForSummableType(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    CombineAt<T>(how, at, static_cast<const T*>(updates.raw()), static_cast<T*>(out.raw()));
  });
  if (!known) return Unimplemented("addition is not supported for elements of type {}", out.dtype());
  return OkStatus();
}

Result<Kernel> MakeScatterNd(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Shape shape, ShapeFromTensor(ctx.input(2), "shape"));
    WEIR_TRY(CheckUpdates(ctx.input(0), ctx.input(1), shape));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    Elements(out.dtype()).Clear(out.raw(), out.num_elements());
    return Scatter(ScatterMode::kAdd, ctx.input(0), ctx.input(1), out);
  });
}

template <ScatterMode kHow>
Result<Kernel> MakeTensorScatter(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_TRY(CheckUpdates(ctx.input(1), ctx.input(2), ctx.input(0).shape()));
    WEIR_ASSIGN(Tensor out, CopyOrForward(ctx, 0, 0));
    return Scatter(kHow, ctx.input(1), ctx.input(2), out);
  });
}

Status ScatterNdShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape indices, ctx.WithRankAtLeast(0, 1));
  WEIR_ASSIGN(PartialShape out, ShapeArgument(ctx, 2));
  WEIR_ASSIGN(PartialShape updates, ctx.WithRankAtLeast(1, 1));
  WEIR_TRY(CheckKnownNdShapes(indices, updates, out));
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

Status TensorScatterShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRankAtLeast(0, 1).status());
  WEIR_ASSIGN(PartialShape indices, ctx.WithRankAtLeast(1, 1));
  WEIR_TRY(CheckKnownNdShapes(indices, ctx.input(2), ctx.input(0)));
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

struct Row {
  const char* name;
  const char* types;
  const char* index_types;
  KernelFactory make;
  GradientFn gradient;
};

}  // namespace

void RegisterScatterNd(OpRegistry& registry) {
  registry.Add({
      .name = "ScatterNd",
      .signature = "indices: Tindices, updates: T, shape: Tindices -> output: T",
      .attrs = {"T: type", "Tindices: {int16, int32, int64}"},
      .shape = ScatterNdShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{std::monostate{}, GatherNd(g.d_output(0), g.input(0)), std::monostate{}};
      },
      .kernels = CpuKernel(MakeScatterNd),
  });
  registry.Add({
      .name = "ScatterNdNonAliasingAdd",
      .signature = "input: T, indices: Tindices, updates: T -> output: T",
      .attrs = {"T: {numbertype, bool}", "Tindices: {int32, int64}"},
      .shape = TensorScatterShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{g.raw_d_output(0), std::monostate{}, GatherNd(g.d_output(0), g.input(1))};
      },
      .kernels = CpuKernel(MakeTensorScatter<ScatterMode::kAdd>),
  });
  const Row rows[] = {
      {"TensorScatterUpdate", "T: type", "Tindices: {int16, int32, int64, uint16}",
       MakeTensorScatter<ScatterMode::kSet>,
       [](GradientContext& g) -> Result<Gradients> {
         const Output dy = g.d_output(0);
         return Gradients{TensorScatterUpdate(dy, g.input(1), ZerosLike(g.input(2))), std::monostate{},
                          GatherNd(dy, g.input(1))};
       }},
      {"TensorScatterAdd", "T: type", "Tindices: {int32, int64}", MakeTensorScatter<ScatterMode::kAdd>,
       [](GradientContext& g) -> Result<Gradients> {
         const Output dy = g.d_output(0);
         return Gradients{dy, std::monostate{}, GatherNd(dy, g.input(1))};
       }},
      {"TensorScatterSub", "T: type", "Tindices: {int32, int64}", MakeTensorScatter<ScatterMode::kSub>,
       [](GradientContext& g) -> Result<Gradients> {
         const Output dy = g.d_output(0);
         return Gradients{dy, std::monostate{}, Neg(GatherNd(dy, g.input(1)))};
       }},
  };
  for (const Row& row : rows) {
    registry.Add({
        .name = row.name,
        .signature = "tensor: T, indices: Tindices, updates: T -> output: T",
        .attrs = {row.types, row.index_types},
        .shape = TensorScatterShape,
        .gradient = row.gradient,
        .kernels = CpuKernel(row.make),
    });
  }
}

}  // namespace weir::ops
