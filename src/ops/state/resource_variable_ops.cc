// Resource variables: a handle refers to the state, and a read returns a value that later updates do not change.
// Gathers read rows under the variable's lock and never copy the whole value.
#include "graph/build/array_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/shape_context.h"
#include "ops/array/elements.h"
#include "ops/state/variable_access.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeVarHandle(KernelSetup& setup) {
  ResourceHandle handle;
  WEIR_ASSIGN(handle.container, setup.Attr<std::string>("container"));
  WEIR_ASSIGN(handle.name, setup.Attr<std::string>("shared_name"));
  if (handle.name.empty()) handle.name = setup.node().name;
  if (handle.container.empty() && setup.resources() != nullptr)
    handle.container = setup.resources()->default_container();
  handle.device = setup.node().device;
  handle.type_name = "Variable";
  return Kernel::Sync([handle = Tensor::Scalar(std::move(handle))](KernelContext& ctx) -> Status {
           ctx.set_output(0, handle);
           return OkStatus();
         })
      .Cheap();
}

// A variable with its value, locked in shared mode to block sparse updates.
struct LockedRead {
  ResourcePtr<VariableState> variable;
  std::shared_lock<std::shared_mutex> lock;
  const Tensor& value() const { return variable->value_locked(); }
};

Result<LockedRead> BeginRead(KernelContext& ctx) {
  WEIR_ASSIGN(ResourcePtr<VariableState> variable, VariableInput(ctx, HandleKind::kResource, 0));
  LockedRead read{variable, std::shared_lock(variable->mu())};
  if (!read.value().valid()) return UninitializedError(ctx, HandleKind::kResource, 0);
  return read;
}

Status WrongType(KernelContext& ctx, const Tensor& value, DType wanted) {
  return InvalidArgument("Trying to read variable with wrong dtype. Expected {} got {} (node '{}')", wanted,
                         value.dtype(), ctx.name());
}

Result<Kernel> MakeReadVariable(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    auto variable = VariableInput(ctx, HandleKind::kResource, 0);
    if (variable.status().code() == StatusCode::kNotFound) return UninitializedError(ctx, HandleKind::kResource, 0);
    WEIR_TRY(variable.status());
    WEIR_ASSIGN(Tensor value, ReadResourceVariable(**variable));
    if (!value.valid()) return UninitializedError(ctx, HandleKind::kResource, 0);
    if (value.dtype() != ctx.output_type(0)) return WrongType(ctx, value, ctx.output_type(0));
    ctx.set_output(0, std::move(value));
    return OkStatus();
  });
}

Result<Kernel> MakeVarIsInitialized(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           auto variable = VariableInput(ctx, HandleKind::kResource, 0);
           if (!variable.ok() && variable.status().code() != StatusCode::kNotFound) return variable.status();
           WEIR_ASSIGN(Tensor out, ctx.Allocate(0, {}));
           *out.data<bool>() = variable.ok() && (*variable)->initialized();
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeVariableShape(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(LockedRead read, BeginRead(ctx));
           const Shape shape = read.value().shape();
           WEIR_ASSIGN(Tensor out, ctx.Allocate(0, {shape.rank()}));
           for (int i = 0; i < shape.rank(); ++i) {
             if (out.dtype() == kInt64) {
               out.data<int64_t>()[i] = shape[i];
             } else if (shape[i] > std::numeric_limits<int32_t>::max()) {
               return InvalidArgument("dimension {} of the variable is {}: use out_type=int64", i, shape[i]);
             } else {
               out.data<int32_t>()[i] = static_cast<int32_t>(shape[i]);
             }
           }
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeDestroyResource(KernelSetup& setup) {
  WEIR_ASSIGN(bool ignore, setup.Attr<bool>("ignore_lookup_error"));
  return Kernel::Sync([ignore](KernelContext& ctx) -> Status {
    const Tensor& handle = ctx.input(0);
    if (handle.dtype() != kResource || handle.num_elements() != 1)
      return InvalidArgument("input 0 is not a resource handle");
    const ResourceHandle& h = *handle.data<ResourceHandle>();
    Status deleted = ctx.resources().Delete(h.container, h.name);
    if (ignore && deleted.code() == StatusCode::kNotFound) return OkStatus();
    return deleted;
  });
}

// Copies `count` rows of `row_elements` elements to `to`; row(i) is the number of the source row.
template <class RowOf>
Status CopyRows(KernelContext& ctx, const Tensor& from, const Tensor& to, int64_t count, int64_t row_elements,
                RowOf row) {
  const Elements elements(from.dtype());
  const bool is_string = from.dtype() == kString;
  if (!elements.plain() && !is_string)
    return Unimplemented("gathering elements of type {} is not supported", from.dtype());
  const auto copy = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      elements.Copy(from, row(i) * row_elements, to, i * row_elements, row_elements);
  };
  if (!is_string) return ctx.ParallelFor(count, /*cost_per_unit=*/18 + elements.Cost(row_elements), copy);
  copy(0, count);
  return OkStatus();
}

// params [b..., n, rest...], indices [b..., k...] -> [b..., k..., rest...].
Result<Kernel> MakeResourceGather(KernelSetup& setup) {
  WEIR_ASSIGN(int64_t batch_dims, setup.Attr<int64_t>("batch_dims"));
  return Kernel::Sync([batch_dims](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(LockedRead read, BeginRead(ctx));
    const Tensor& params = read.value();
    const Tensor& indices = ctx.input(1);
    if (params.dtype() != ctx.output_type(0)) return WrongType(ctx, params, ctx.output_type(0));
    if (params.rank() < 1) return InvalidArgument("params must be at least 1 dimensional");
    const int64_t batch = batch_dims < 0 ? batch_dims + indices.rank() : batch_dims;
    if (batch < 0 || batch > indices.rank() || batch >= params.rank()) {
      return InvalidArgument("batch_dims ({}) exceeds the rank of indices of shape {} or params of shape {}",
                             batch_dims, indices.shape(), params.shape());
    }
    Shape shape;
    int64_t batches = 1;
    for (int i = 0; i < batch; ++i) {
      if (params.dim(i) != indices.dim(i)) {
        return InvalidArgument("params.shape[{}] ({}) should be equal to indices.shape[{}] ({})", i, params.dim(i), i,
                               indices.dim(i));
      }
      batches *= params.dim(i);
    }
    for (int64_t d : indices.shape()) WEIR_TRY(shape.AddDim(d));
    int64_t row_elements = 1;
    for (int i = static_cast<int>(batch) + 1; i < params.rank(); ++i) {
      WEIR_TRY(shape.AddDim(params.dim(i)));
      row_elements *= params.dim(i);
    }
    const int64_t rows = params.dim(static_cast<int>(batch));
    const int64_t count = indices.num_elements();
    for (int64_t i = 0; i < count; ++i) {
      if (const int64_t index = indices.Int(i); index < 0 || index >= rows) {
        return InvalidArgument("indices[{}] = {} is not in [0, {})", i, index, rows);
      }
    }
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    const int64_t per_batch = count / std::max<int64_t>(batches, 1);
    return CopyRows(ctx, params, out, count, row_elements,
                    [&](int64_t i) { return (i / per_batch) * rows + indices.Int(i); });
  });
}

Result<Kernel> MakeResourceGatherNd(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(LockedRead read, BeginRead(ctx));
    const Tensor& params = read.value();
    const Tensor& indices = ctx.input(1);
    if (params.dtype() != ctx.output_type(0)) return WrongType(ctx, params, ctx.output_type(0));
    if (params.rank() < 1) return InvalidArgument("params must be at least a vector");
    if (indices.rank() < 1) return InvalidArgument("indices must be at least a vector");
    const int64_t depth = indices.dim(indices.rank() - 1);
    if (depth > params.rank()) {
      return InvalidArgument("index innermost dimension length must be <= params rank; saw: {} vs. {}", depth,
                             params.rank());
    }
    Shape shape;
    int64_t count = 1;
    for (int i = 0; i + 1 < indices.rank(); ++i) {
      WEIR_TRY(shape.AddDim(indices.dim(i)));
      count *= indices.dim(i);
    }
    int64_t row_elements = 1;
    for (int i = static_cast<int>(depth); i < params.rank(); ++i) {
      WEIR_TRY(shape.AddDim(params.dim(i)));
      row_elements *= params.dim(i);
    }
    std::vector<int64_t> rows(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      int64_t row = 0;
      for (int d = 0; d < depth; ++d) {
        const int64_t index = indices.Int(i * depth + d);
        if (index < 0 || index >= params.dim(d)) {
          return InvalidArgument("indices[{}] has {} in dimension {}, which does not index into params of shape {}", i,
                                 index, d, params.shape());
        }
        row = row * params.dim(d) + index;
      }
      rows[static_cast<size_t>(i)] = row;
    }
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    return CopyRows(ctx, params, out, count, row_elements, [&](int64_t i) { return rows[static_cast<size_t>(i)]; });
  });
}

Status ReadVariableShape(ShapeContext& c) {
  WEIR_ASSIGN(const DType dtype, c.Attr<DType>("dtype"));
  WEIR_ASSIGN(PartialShape shape, VariableShapeOf(c, HandleKind::kResource, 0, dtype));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status VariableShapeShape(ShapeContext& c) {
  c.set_output(0, PartialShape{c.handle(0).shape.rank()});  // -1 if the rank is unknown
  return OkStatus();
}

Status ResourceGatherShape(ShapeContext& c) {
  WEIR_ASSIGN(const DType dtype, c.Attr<DType>("dtype"));
  WEIR_ASSIGN(const int64_t batch_dims, c.Attr<int64_t>("batch_dims"));
  WEIR_ASSIGN(PartialShape params, VariableShapeOf(c, HandleKind::kResource, 0, dtype));
  const PartialShape& indices = c.input(1);
  if (params.rank() == 0) return InvalidArgument("the variable must be at least 1-D, it is a scalar");
  if (!params.known_rank() || !indices.known_rank()) return OkStatus();
  const int64_t batch = batch_dims < 0 ? batch_dims + indices.rank() : batch_dims;
  if (batch < 0 || batch > indices.rank() || batch >= params.rank()) {
    return InvalidArgument("batch_dims ({}) exceeds the rank of indices of shape {} or params of shape {}", batch_dims,
                           indices, params);
  }
  PartialShape out = indices;
  for (int i = 0; i < batch; ++i) {
    WEIR_ASSIGN(const int64_t dim, MergeDims(params[i], indices[i]));
    out.SetDim(i, dim);
  }
  WEIR_ASSIGN(const PartialShape rest, params.Sub(static_cast<int>(batch) + 1));
  c.set_output(0, out.Concat(rest));
  return OkStatus();
}

Status ResourceGatherNdShape(ShapeContext& c) {
  WEIR_ASSIGN(const DType dtype, c.Attr<DType>("dtype"));
  WEIR_ASSIGN(PartialShape params, VariableShapeOf(c, HandleKind::kResource, 0, dtype));
  WEIR_ASSIGN(const PartialShape indices, c.WithRankAtLeast(1, 1));
  if (!params.known_rank() || !indices.known_rank() || indices[indices.rank() - 1] < 0) return OkStatus();
  const int64_t depth = indices[indices.rank() - 1];
  if (depth > params.rank()) {
    return InvalidArgument("the last dimension of indices {} is more than the rank of the variable {}", indices,
                           params);
  }
  WEIR_ASSIGN(const PartialShape batch, indices.Sub(0, indices.rank() - 1));
  WEIR_ASSIGN(const PartialShape slice, params.Sub(static_cast<int>(depth)));
  c.set_output(0, batch.Concat(slice));
  return OkStatus();
}

// The gradient is sparse: rows of the variable.
Result<Gradients> ResourceGatherGradient(GradientContext& g) {
  WEIR_ASSIGN(const int64_t batch_dims, g.Attr<int64_t>("batch_dims"));
  if (batch_dims != 0)
    return Unimplemented("the gradient of ResourceGather is not supported for batch_dims = {}", batch_dims);
  Output handle = g.input(0);
  Output indices = g.input(1);
  Output shape = VariableShape(handle);
  Output size = ExpandDims(Size(indices), 0);
  Output row_shape = Slice(shape, {1}, {-1});
  Output values = Reshape(g.d_output(0), ConcatV2({size, row_shape}, 0));
  return Gradients{IndexedSlices{values, Reshape(indices, size), shape}, std::monostate{}};
}

Result<Gradients> ResourceGatherNdGradient(GradientContext& g) {
  Output handle = g.input(0);
  Output indices = g.input(1);
  Output shape = VariableShape(handle, {.out_type = indices.base_dtype()});
  PartialShape known = indices.shape();
  if (known.rank() == 2 && known[1] == 1) {
    return Gradients{IndexedSlices{g.d_output(0), Squeeze(indices, {.squeeze_dims = {-1}}), shape}, std::monostate{}};
  }
  return Gradients{ScatterNd(indices, g.d_output(0), shape), std::monostate{}};
}

}  // namespace

void RegisterResourceVariables(OpRegistry& registry) {
  registry.Add({
      .name = "VarHandleOp",
      .signature = "-> resource: resource",
      .attrs = {"container: string = ''", "shared_name: string = ''", "dtype: type", "shape: shape"},
      .shape = ScalarOutputs(),
      .kernels = HostOnGpu(CpuKernel(MakeVarHandle)),
      .traits = {.state = StateRole::kVariableHandle, .may_block = false, .brief = true},
      .stateful = true,
  });
  registry.Add({
      .name = "ReadVariableOp",
      .signature = "resource: resource -> value: dtype",
      .attrs = {"dtype: type"},
      .shape = ReadVariableShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> { return Gradients{g.raw_d_output(0)}; },
      .kernels = ForwardsOnGpu(CpuKernel(MakeReadVariable), {}, "dtype"),
      .traits = {.state = StateRole::kReads, .may_block = false, .brief = true, .value_use = ValueUse::kGives},
      .stateful = true,
  });
  registry.Add({
      .name = "DestroyResourceOp",
      .signature = "resource: resource ->",
      .attrs = {"ignore_lookup_error: bool = true"},
      .shape = NoOutputs(),
      .kernels = HostOnGpu(CpuKernel(MakeDestroyResource)),
      .traits = {.state = StateRole::kUpdates, .may_block = false, .value_use = ValueUse::kExistence},
      .stateful = true,
  });
  registry.Add({
      .name = "VarIsInitializedOp",
      .signature = "resource: resource -> is_initialized: bool",
      .shape = ScalarOutputs(),
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(CpuKernel(MakeVarIsInitialized)),
      .traits = {.state = StateRole::kReads, .may_block = false, .brief = true, .value_use = ValueUse::kExistence},
      .stateful = true,
  });
  registry.Add({
      .name = "VariableShape",
      .signature = "input: resource -> output: out_type",
      .attrs = {"out_type: {int32, int64} = DT_INT32"},
      .shape = VariableShapeShape,
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(CpuKernel(MakeVariableShape)),
      .traits = {.state = StateRole::kReads,
                 .may_block = false,
                 .brief = true,
                 .shape_value = ShapeValue::kVariableShape,
                 .value_use = ValueUse::kShape},
      .stateful = true,
  });
  registry.Add({
      .name = "ResourceGather",
      .signature = "resource: resource, indices: Tindices -> output: dtype",
      .attrs = {"batch_dims: int = 0", "validate_indices: bool = true", "dtype: type", "Tindices: {int32, int64}"},
      .shape = ResourceGatherShape,
      .gradient = ResourceGatherGradient,
      .kernels = CpuKernel(MakeResourceGather),
      .traits = kVariableRead,
      .stateful = true,
  });
  registry.Add({
      .name = "ResourceGatherNd",
      .signature = "resource: resource, indices: Tindices -> output: dtype",
      .attrs = {"dtype: type", "Tindices: {int32, int64}"},
      .shape = ResourceGatherNdShape,
      .gradient = ResourceGatherNdGradient,
      .kernels = CpuKernel(MakeResourceGatherNd),
      .traits = kVariableRead,
      .stateful = true,
  });
}

}  // namespace weir::ops
