// Gather and GatherV2: select rows of a tensor by index, along any axis, with shared leading dimensions (batch_dims).
// Every index is read once and checked before use.
#include <atomic>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/known_int.h"

namespace weir::ops {
namespace {

// Viewed as: params [batch, outer, limit, inner], indices [batch, count], out [batch, outer, count, inner].
struct Layout {
  int64_t batch = 1, outer = 1, limit = 1, inner = 1, count = 1;
};

// Returns the position of a bad index, or -1.
template <class Index>
int64_t CopyRows(const KernelContext& ctx, const Layout& l, const Tensor& params, const Tensor& indices,
                 const Tensor& out) {
  const Elements elements(params.dtype());
  const Index* index = indices.data<Index>();
  std::atomic<int64_t> bad{-1};
  const int64_t n = l.batch * l.outer * l.count;
  ctx.ParallelForAll(n, elements.Cost(l.inner) + 2, [&](int64_t begin, int64_t end) {
    int64_t i = begin % l.count;
    int64_t slab = begin / l.count;
    char* to = elements.At(out, begin * l.inner);
    const int64_t step = l.inner * static_cast<int64_t>(elements.size());
    for (int64_t at = begin; at < end; ++at, to += step) {
      const int64_t position = slab / l.outer * l.count + i;
      const auto v = static_cast<int64_t>(index[position]);
      if (static_cast<uint64_t>(v) >= static_cast<uint64_t>(l.limit)) {
        bad.store(position, std::memory_order_relaxed);
        return;
      }
      elements.Copy(to, elements.At(params, (slab * l.limit + v) * l.inner), l.inner);
      if (++i == l.count) {
        i = 0;
        ++slab;
      }
    }
  });
  return bad.load();
}

std::string PositionText(const Shape& shape, int64_t flat) {
  if (shape.rank() == 0) return "";
  std::vector<int64_t> at(static_cast<size_t>(shape.rank()));
  for (int i = shape.rank() - 1; i >= 0; --i) {
    at[static_cast<size_t>(i)] = flat % shape[i];
    flat /= shape[i];
  }
  return fmt::format("[{}]", fmt::join(at, ","));
}

Status RunGather(KernelContext& ctx, const Tensor& params, const Tensor& indices, int64_t requested_axis,
                 int64_t requested_batch) {
  if (params.rank() < 1) return InvalidArgument("params must be at least 1 dimensional");
  int64_t batch_dims = requested_batch < 0 ? requested_batch + indices.rank() : requested_batch;
  if (requested_batch != 0 && (batch_dims < 0 || batch_dims > indices.rank()))
    return InvalidArgument("Expected batch_dims in the range [{}, {}], but got {}", -indices.rank(), indices.rank(),
                           requested_batch);
  if (requested_axis < -params.rank() || requested_axis >= params.rank())
    return InvalidArgument("Expected axis in the range [{}, {}), but got {}", -params.rank(), params.rank(),
                           requested_axis);
  const int axis = static_cast<int>(requested_axis < 0 ? requested_axis + params.rank() : requested_axis);
  if (batch_dims > axis || batch_dims >= params.rank())
    return InvalidArgument("batch_dims ({}) must be less than or equal to axis ({}).", batch_dims, axis);
  Layout l;
  DimVector dims;
  for (int i = 0; i < params.rank(); ++i) {
    if (i < batch_dims) {
      if (params.dim(i) != indices.dim(i))
        return InvalidArgument("params.shape[{}]: {} should be equal to indices.shape[{}]: {}", i, params.dim(i), i,
                               indices.dim(i));
      l.batch *= params.dim(i);
    } else if (i < axis) {
      l.outer *= params.dim(i);
    } else if (i > axis) {
      l.inner *= params.dim(i);
    }
  }
  l.limit = params.dim(axis);
  for (int i = 0; i < axis; ++i) dims.push_back(params.dim(i));
  for (int i = static_cast<int>(batch_dims); i < indices.rank(); ++i) {
    dims.push_back(indices.dim(i));
    l.count *= indices.dim(i);
  }
  for (int i = axis + 1; i < params.rank(); ++i) dims.push_back(params.dim(i));
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  if (indices.num_elements() == 0) return OkStatus();
  // Check the indices even if there is nothing to copy.
  if (out.num_elements() == 0) {
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      const int64_t v = IntAt(indices, i);
      if (v < 0 || v >= l.limit)
        return InvalidArgument("indices{} = {} is not in [0, {})", PositionText(indices.shape(), i), v, l.limit);
    }
    return OkStatus();
  }
  int64_t bad = -1;
  switch (indices.dtype()) {
    case kInt16:
      bad = CopyRows<int16_t>(ctx, l, params, indices, out);
      break;
    case kInt32:
      bad = CopyRows<int32_t>(ctx, l, params, indices, out);
      break;
    default:
      bad = CopyRows<int64_t>(ctx, l, params, indices, out);
      break;
  }
  if (bad >= 0)
    return InvalidArgument("indices{} = {} is not in [0, {})", PositionText(indices.shape(), bad), IntAt(indices, bad),
                           l.limit);
  return OkStatus();
}

Result<Kernel> MakeGather(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) { return RunGather(ctx, ctx.input(0), ctx.input(1), 0, 0); });
}

Result<Kernel> MakeGatherV2(KernelSetup& setup) {
  WEIR_ASSIGN(int64_t batch_dims, setup.Attr<int64_t>("batch_dims"));
  return Kernel::Sync([batch_dims](KernelContext& ctx) -> Status {
    if (ctx.input(2).rank() != 0) return InvalidArgument("axis must be a scalar, got shape {}", ctx.input(2).shape());
    return RunGather(ctx, ctx.input(0), ctx.input(1), IntAt(ctx.input(2), 0), batch_dims);
  });
}

Status GatherShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape params, ctx.WithRankAtLeast(0, 1));
  WEIR_ASSIGN(PartialShape rest, params.Sub(1));
  if (params.known_rank()) ctx.set_output(0, ctx.input(1).Concat(rest));
  return OkStatus();
}

Status GatherV2Shape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape params, ctx.WithRankAtLeast(0, 1));
  WEIR_TRY(ctx.WithRank(2, 0).status());
  WEIR_ASSIGN(int64_t batch_dims, ctx.Attr<int64_t>("batch_dims"));
  const PartialShape& indices = ctx.input(1);
  const std::optional<int64_t> requested = ConstantInt(ctx, 2);
  if (!params.known_rank()) {
    return OkStatus();
  }
  if (batch_dims < 0 && indices.known_rank()) batch_dims += indices.rank();
  if (batch_dims < 0 && !indices.known_rank()) return OkStatus();
  if (indices.known_rank() && (batch_dims < 0 || batch_dims > indices.rank()))
    return InvalidArgument("batch_dims {} exceeds the rank of indices of shape {}", batch_dims, indices);
  if (batch_dims >= params.rank())
    return InvalidArgument("batch_dims {} exceeds the rank of params of shape {}", batch_dims, params);
  if (!requested) {
    if (indices.known_rank())
      ctx.set_output(0, PartialShape::OfRank(params.rank() + indices.rank() - 1 - static_cast<int>(batch_dims)));
    return OkStatus();
  }
  WEIR_ASSIGN(int axis, CheckedAxis(*requested, params.rank(), "axis"));
  if (axis < batch_dims) return InvalidArgument("axis {} must not be less than batch_dims {}", axis, batch_dims);
  const int b = static_cast<int>(batch_dims);
  WEIR_ASSIGN(PartialShape params_batch, params.Sub(0, b));
  WEIR_ASSIGN(PartialShape indices_batch,
              indices.known_rank() ? indices.Sub(0, b) : Result<PartialShape>(PartialShape()));
  WEIR_ASSIGN(PartialShape batch, params_batch.Merge(indices_batch));
  WEIR_ASSIGN(PartialShape outer, params.Sub(b, axis));
  WEIR_ASSIGN(PartialShape picked, indices.known_rank() ? indices.Sub(b) : Result<PartialShape>(PartialShape()));
  WEIR_ASSIGN(PartialShape inner, params.Sub(axis + 1));
  ctx.set_output(0, batch.Concat(outer).Concat(picked).Concat(inner));
  return OkStatus();
}

// Colocated with the params: a table on another task must not be sent here for its shape.
Output ColocatedShape(Output params) {
  Graph& graph = params.graph();
  ColocationScope beside(graph, params.node);
  const PartialShape shape = params.shape();
  if (!shape.fully_defined()) return ShapeOf(params, {.out_type = kInt64});
  return Const(graph, Tensor::Vector<int64_t>(shape.dims()), kInt64, {.name = "Shape"});
}

// The gradient as rows of params. Nothing of the size of params is allocated.
IndexedSlices RowGradient(GradientContext& g) {
  const Output params = g.input(0), indices = g.input(1);
  const Output shape = ColocatedShape(params);
  const Output row = Cast(StridedSlice(shape, {1}, {0}, {1}, {.end_mask = 1}), kInt32);
  const Output count = ExpandDims(Size(indices), 0);
  const Output values = Reshape(g.d_output(0), ConcatV2({count, row}, 0));
  const Output flat = Reshape(indices, count);
  return IndexedSlices{values, flat, Cast(shape, kInt32)};
}

// The general case, along another axis or with batch dimensions. Moves the indexed dimension to the front and sums up
// segments; the result is dense.
Output DenseGradient(GradientContext& g, int64_t batch_dims) {
  const Output params = g.input(0), dy = g.d_output(0);
  Output indices = g.input(1);
  const Output axis = FloorMod(Cast(g.input(2), kInt32), Rank(params));
  const Output shape = ShapeOf(params);
  const Output axis1 = ExpandDims(axis, 0);
  auto part = [](Output v, Input begin, Input size) { return Slice(v, begin, size); };
  const int b = static_cast<int>(batch_dims);
  const Output batch_shape = part(shape, {0}, {b});
  const Output outer_shape = part(shape, {b}, axis1 - b);
  const Output limit = part(shape, axis1, {1});
  const Output inner_shape = part(shape, axis1 + 1, {-1});
  const Output outer = Prod(outer_shape, {0}, {.keep_dims = true});
  const Output inner = Prod(inner_shape, {0}, {.keep_dims = true});
  const Output batch = Prod(batch_shape, {0}, {.keep_dims = true});
  const Output count = Prod(part(ShapeOf(indices), {b}, {-1}), {0}, {.keep_dims = true});
  // [batch, outer, count, inner] -> [batch * count, outer, inner]
  const Output flat_dy = Reshape(Transpose(Reshape(dy, ConcatV2({batch, outer, count, inner}, 0)), {0, 2, 1, 3}),
                                 ConcatV2({batch * count, outer, inner}, 0));
  // Row `i` of batch `k` is row k * limit + i of all batches together.
  const DType index = indices.base_dtype();
  const Output batch_start =
      Cast(Range(0, Reshape(batch, std::vector<int64_t>{}), 1) * Reshape(limit, std::vector<int64_t>{}), index);
  const Output rows = Reshape(Reshape(indices, ConcatV2({batch, count}, 0)) + ExpandDims(batch_start, 1), {-1});
  const Output summed = UnsortedSegmentSum(flat_dy, rows, Reshape(batch * limit, std::vector<int64_t>{}));
  const Output apart = Transpose(Reshape(summed, ConcatV2({batch, limit, outer, inner}, 0)), {0, 2, 1, 3});
  return Reshape(apart, shape);
}

Result<Gradients> GatherV2Gradient(GradientContext& g) {
  WEIR_ASSIGN(int64_t batch_dims, g.Attr<int64_t>("batch_dims"));
  const PartialShape indices = g.input(1).shape();
  if (batch_dims < 0) {
    if (!indices.known_rank())
      return InvalidArgument("the gradient of a gather with batch_dims {} needs indices of known rank", batch_dims);
    batch_dims += indices.rank();
  }
  if (batch_dims == 0 && KnownInt(g.input(2)) == 0)
    return Gradients{RowGradient(g), std::monostate{}, std::monostate{}};
  return Gradients{DenseGradient(g, batch_dims), std::monostate{}, std::monostate{}};
}

}  // namespace

void RegisterGather(OpRegistry& registry) {
  registry.Add({
      .name = "Gather",
      .signature = "params: Tparams, indices: Tindices -> output: Tparams",
      .attrs = {"validate_indices: bool = true", "Tparams: type", "Tindices: {int32, int64}"},
      .shape = GatherShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{RowGradient(g), std::monostate{}};
      },
      .kernels = CpuKernel(MakeGather),
      .traits = {.memory = OutputMemory::kOwn, .brief = true},
  });
  registry.Add({
      .name = "GatherV2",
      .signature = "params: Tparams, indices: Tindices, axis: Taxis -> output: Tparams",
      .attrs = {"batch_dims: int = 0", "Tparams: type", "Tindices: {int16, int32, int64}", "Taxis: {int32, int64}"},
      .shape = GatherV2Shape,
      .gradient = GatherV2Gradient,
      .kernels = CpuKernel(MakeGatherV2),
      .traits = {.memory = OutputMemory::kOwn, .brief = true},
  });
}

}  // namespace weir::ops
