// The update ops of the optimizers. Each row of kUpdates defines up to four ops: Apply, SparseApply and the Resource
// form of both. All inputs are checked before anything is changed. The rows of a sparse update are applied in the order
// of the indices, so a row that occurs twice is updated twice.
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "device/gpu/updates.h"
#include "device/gpu_device.h"
#include "op/gpu_kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/state/indices.h"
#include "ops/state/update_rules.h"
#include "ops/state/variable_access.h"

namespace weir::ops {
namespace {

struct UpdateOp {
  UpdateRule rule;
  const char* gpu_rule;  // the row of gpu::UpdateOps() with the same formulas; null: there is no GPU kernel
  const char* slots;     // the names of the variable inputs
  const char* args;  // the other inputs of the dense ops, including "grad"; sparse ops take the indices after "grad"
  const char* flag;  // the boolean attribute, or null
  bool flag_default;
  // The names of its forms; null: there is no such op.
  const char* dense;
  const char* sparse;
  const char* dense_resource;
  const char* sparse_resource;
};

constexpr UpdateOp kUpdates[] = {
    {UpdateRule::kGradientDescent, "GradientDescent", "var", "alpha delta", nullptr, false, "ApplyGradientDescent",
     nullptr, "ResourceApplyGradientDescent", nullptr},
    {UpdateRule::kProximalGradientDescent, "ProximalGradientDescent", "var", "alpha l1 l2 delta", nullptr, false,
     "ApplyProximalGradientDescent", "SparseApplyProximalGradientDescent", "ResourceApplyProximalGradientDescent",
     "ResourceSparseApplyProximalGradientDescent"},
    {UpdateRule::kAdadelta, "Adadelta", "var accum accum_update", "lr rho epsilon grad", nullptr, false,
     "ApplyAdadelta", "SparseApplyAdadelta", "ResourceApplyAdadelta", "ResourceSparseApplyAdadelta"},
    {UpdateRule::kAdagrad, "Adagrad", "var accum", "lr grad", "update_slots", true, "ApplyAdagrad",
     "SparseApplyAdagrad", "ResourceApplyAdagrad", "ResourceSparseApplyAdagrad"},
    {UpdateRule::kAdagradV2, nullptr, "var accum", "lr epsilon grad", "update_slots", true, "ApplyAdagradV2",
     "SparseApplyAdagradV2", "ResourceApplyAdagradV2", "ResourceSparseApplyAdagradV2"},
    {UpdateRule::kAdagradDA, nullptr, "var gradient_accumulator gradient_squared_accumulator",
     "grad lr l1 l2 global_step", nullptr, false, "ApplyAdagradDA", "SparseApplyAdagradDA", "ResourceApplyAdagradDA",
     "ResourceSparseApplyAdagradDA"},
    {UpdateRule::kProximalAdagrad, "ProximalAdagrad", "var accum", "lr l1 l2 grad", nullptr, false,
     "ApplyProximalAdagrad", "SparseApplyProximalAdagrad", "ResourceApplyProximalAdagrad",
     "ResourceSparseApplyProximalAdagrad"},
    {UpdateRule::kFtrl, "Ftrl", "var accum linear", "grad lr l1 l2 lr_power", "multiply_linear_by_lr", false,
     "ApplyFtrl", "SparseApplyFtrl", "ResourceApplyFtrl", "ResourceSparseApplyFtrl"},
    {UpdateRule::kFtrlV2, "FtrlV2", "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", "multiply_linear_by_lr",
     false, "ApplyFtrlV2", "SparseApplyFtrlV2", "ResourceApplyFtrlV2", "ResourceSparseApplyFtrlV2"},
    {UpdateRule::kMomentum, "Momentum", "var accum", "lr grad momentum", "use_nesterov", false, "ApplyMomentum",
     "SparseApplyMomentum", "ResourceApplyMomentum", "ResourceSparseApplyMomentum"},
    {UpdateRule::kKerasMomentum, "KerasMomentum", "var accum", "lr grad momentum", "use_nesterov", false, nullptr,
     nullptr, "ResourceApplyKerasMomentum", "ResourceSparseApplyKerasMomentum"},
    {UpdateRule::kAdam, "Adam", "var m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad", "use_nesterov", false,
     "ApplyAdam", nullptr, "ResourceApplyAdam", nullptr},
    {UpdateRule::kAdamWithAmsgrad, nullptr, "var m v vhat", "beta1_power beta2_power lr beta1 beta2 epsilon grad",
     nullptr, false, nullptr, nullptr, "ResourceApplyAdamWithAmsgrad", nullptr},
    {UpdateRule::kAdaMax, "AdaMax", "var m v", "beta1_power lr beta1 beta2 epsilon grad", nullptr, false, "ApplyAdaMax",
     nullptr, "ResourceApplyAdaMax", nullptr},
    {UpdateRule::kRmsProp, "RMSProp", "var ms mom", "lr rho momentum epsilon grad", nullptr, false, "ApplyRMSProp",
     "SparseApplyRMSProp", "ResourceApplyRMSProp", "ResourceSparseApplyRMSProp"},
    {UpdateRule::kCenteredRmsProp, "CenteredRMSProp", "var mg ms mom", "lr rho momentum epsilon grad", nullptr, false,
     "ApplyCenteredRMSProp", "SparseApplyCenteredRMSProp", "ResourceApplyCenteredRMSProp",
     "ResourceSparseApplyCenteredRMSProp"},
    {UpdateRule::kAddSign, "AddSign", "var m", "lr alpha sign_decay beta grad", nullptr, false, "ApplyAddSign", nullptr,
     nullptr, nullptr},
    {UpdateRule::kPowerSign, "PowerSign", "var m", "lr logbase sign_decay beta grad", nullptr, false, "ApplyPowerSign",
     nullptr, nullptr, nullptr},
};

// Input positions of one op.
struct Layout {
  UpdateRule rule;
  HandleKind handle_kind;
  Extent extent;
  int slots = 0;
  int grad = 0;
  int indices = -1;
  absl::InlinedVector<int, kMaxUpdateScalars> scalars;
  std::vector<std::string> names;
};

Layout MakeLayout(const UpdateOp& op, HandleKind handle_kind, Extent extent) {
  Layout layout{.rule = op.rule, .handle_kind = handle_kind, .extent = extent};
  layout.names = absl::StrSplit(op.slots, ' ');
  layout.slots = static_cast<int>(layout.names.size());
  const std::vector<std::string> args = absl::StrSplit(op.args, ' ');
  for (const std::string& name : args) {
    const int at = static_cast<int>(layout.names.size());
    if (name == "grad" || name == "delta") {
      layout.grad = at;
      layout.names.emplace_back(extent == Extent::kSparse ? "grad" : name);
      if (extent == Extent::kSparse) {
        layout.indices = at + 1;
        layout.names.emplace_back("indices");
      }
    } else {
      layout.scalars.push_back(at);
      layout.names.emplace_back(name);
    }
  }
  return layout;
}

std::string Signature(const Layout& layout) {
  std::string text;
  for (int i = 0; i < static_cast<int>(layout.names.size()); ++i) {
    const char* type = "T";
    if (i < layout.slots) type = layout.handle_kind == HandleKind::kRef ? "Ref(T)" : "resource";
    if (i == layout.indices) type = "Tindices";
    if (layout.names[i] == "global_step") type = "int64";
    absl::StrAppend(&text, i == 0 ? "" : ", ", layout.names[i], ": ", type);
  }
  return text + (layout.handle_kind == HandleKind::kRef ? " -> out: Ref(T)" : " ->");
}

// --- kernels

template <class F>
Result<UpdateScalars<F>> ReadScalars(KernelContext& ctx, const Layout& layout, bool flag) {
  UpdateScalars<F> scalars;
  scalars.flag = flag;
  int at = 0;
  for (int i : layout.scalars) {
    const Tensor& t = ctx.input(i);
    if (t.rank() != 0) return InvalidArgument("{} is not a scalar: {}", layout.names[i], t.shape());
    F& value = scalars.in[at++];
    switch (t.dtype()) {
      case kFloat:
        value = static_cast<F>(*t.data<float>());
        break;
      case kDouble:
        value = static_cast<F>(*t.data<double>());
        break;
      case kHalf:
        value = static_cast<F>(static_cast<float>(*t.data<half>()));
        break;
      case kBFloat16:
        value = static_cast<F>(static_cast<float>(*t.data<bfloat16>()));
        break;
      case kInt64:
        value = static_cast<F>(*t.data<int64_t>());
        break;
      default:
        return InvalidArgument("{} has type {}", layout.names[i], t.dtype());
    }
  }
  return scalars;
}

// Compares all shapes with the variable's. Returns the number of elements per row of a sparse update.
Result<int64_t> CheckShapes(KernelContext& ctx, const Layout& layout, const VariableUpdate& update) {
  const Tensor& var = update.value(0);
  const Tensor& grad = ctx.input(layout.grad);
  for (int k = 1; k < layout.slots; ++k) {
    if (!(update.value(k).shape() == var.shape())) {
      return InvalidArgument("var and {} do not have the same shape{} {}", layout.names[k], var.shape(),
                             update.value(k).shape());
    }
  }
  if (grad.dtype() != var.dtype()) {
    return InvalidArgument("var is of type {}, {} of type {}", var.dtype(), layout.names[layout.grad], grad.dtype());
  }
  if (layout.extent == Extent::kDense) {
    if (!(grad.shape() == var.shape())) {
      return InvalidArgument("var and {} do not have the same shape{} {}", layout.names[layout.grad], var.shape(),
                             grad.shape());
    }
    return var.num_elements();
  }
  const Tensor& indices = ctx.input(layout.indices);
  if (var.rank() < 1) return InvalidArgument("var must be at least 1 dimensional, it is a scalar");
  if (indices.rank() != 1)
    return InvalidArgument("indices must be one-dimensional, they have shape {}", indices.shape());
  const bool adagrad = layout.rule == UpdateRule::kAdagrad || layout.rule == UpdateRule::kAdagradV2;
  if (adagrad && grad.rank() != var.rank()) {
    return InvalidArgument("grad must have the same number of dimensions as var: {} and {}", grad.shape(), var.shape());
  }
  if (grad.rank() < 1 || grad.dim(0) != indices.dim(0)) {
    return InvalidArgument("grad must be the same size as indices in the first dimension: {} and {}", grad.shape(),
                           indices.shape());
  }
  int64_t width = 1;
  for (int d = 1; d < var.rank(); ++d) {
    if (d >= grad.rank() || grad.dim(d) != var.dim(d)) {
      return InvalidArgument("var and grad must match in dimension {}: {} and {}", d, var.shape(), grad.shape());
    }
    width *= var.dim(d);
  }
  for (int d = var.rank(); d < grad.rank(); ++d) {
    if (grad.dim(d) != 1) {
      return InvalidArgument("grad may have more dimensions than var only if they are 1: {} and {}", grad.shape(),
                             var.shape());
    }
  }
  return width;
}

template <class T>
struct UpdateArrays {
  T* slots[kMaxUpdateSlots] = {};
  const T* grad = nullptr;
};

// 16-bit floats are converted to float in pieces, updated, and converted back.
template <class T, class F>
void RunRows(const Layout& layout, const UpdateScalars<F>& scalars, const UpdateArrays<T>& arrays,
             const UpdateRows& rows) {
  if constexpr (std::is_same_v<T, F>) {
    RunUpdate(layout.rule, scalars, arrays.slots, arrays.grad, rows);
  } else {
    constexpr int64_t kPiece = 256;
    F wide[kMaxUpdateSlots][kPiece];
    F wide_grad[kPiece];
    F* slots[kMaxUpdateSlots] = {wide[0], wide[1], wide[2], wide[3]};
    for (int64_t r = 0; r < rows.count; ++r) {
      const int64_t row = rows.rows == nullptr ? r : rows.rows[r];
      if (rows.rows != nullptr && row % rows.shards != rows.shard) continue;
      for (int64_t begin = 0; begin < rows.width; begin += kPiece) {
        const int64_t n = std::min(kPiece, rows.width - begin);
        const T* grad = arrays.grad + r * rows.width + begin;
        for (int64_t i = 0; i < n; ++i) wide_grad[i] = static_cast<F>(grad[i]);
        for (int k = 0; k < layout.slots; ++k) {
          const T* from = arrays.slots[k] + row * rows.width + begin;
          for (int64_t i = 0; i < n; ++i) wide[k][i] = static_cast<F>(from[i]);
        }
        RunUpdate(layout.rule, scalars, slots, wide_grad, {.width = n});
        for (int k = 0; k < layout.slots; ++k) {
          T* to = arrays.slots[k] + row * rows.width + begin;
          for (int64_t i = 0; i < n; ++i) to[i] = T(wide[k][i]);
        }
      }
    }
  }
}

template <class T>
Status RunUpdateOp(KernelContext& ctx, const Layout& layout, bool flag) {
  using F = std::conditional_t<std::is_same_v<T, double>, double, float>;
  WEIR_ASSIGN(VariableUpdate update, VariableUpdate::Begin(ctx, layout.handle_kind, layout.slots, layout.extent));
  if (update.value(0).dtype() != DTypeOf<T>()) {
    return InvalidArgument("Trying to update a variable of {} as {}", update.value(0).dtype(), DTypeOf<T>());
  }
  WEIR_ASSIGN(const UpdateScalars<F> scalars, ReadScalars<F>(ctx, layout, flag));
  WEIR_ASSIGN(const int64_t width, CheckShapes(ctx, layout, update));
  UpdateArrays<T> arrays{.grad = ctx.input(layout.grad).template data<T>()};
  for (int k = 0; k < layout.slots; ++k) arrays.slots[k] = update.value(k).template data<T>();
  constexpr int64_t kUnit = 64;  // elements; 16-bit types are dominated by the conversions
  const int64_t unit_cost = (layout.slots + 1) * (sizeof(T) == 2 ? 4 * kUnit : kUnit / 4);

  if (layout.extent == Extent::kDense) {
    return ctx.ParallelFor((width + kUnit - 1) / kUnit, unit_cost, [&](int64_t first, int64_t last) {
      const int64_t begin = first * kUnit;
      UpdateArrays<T> part = arrays;
      for (int k = 0; k < layout.slots; ++k) part.slots[k] += begin;
      part.grad += begin;
      RunRows<T, F>(layout, scalars, part, {.width = std::min(last * kUnit, width) - begin});
    });
  }
  const Tensor& indices = ctx.input(layout.indices);
  WEIR_ASSIGN(const std::vector<int64_t> rows, CheckedIndices(indices, update.value(0).dim(0)));
  const int64_t count = static_cast<int64_t>(rows.size());
  const int64_t row_cost = 10 + width * unit_cost / kUnit;
  const int64_t shards = RowShards(ctx, count, row_cost);
  return ctx.ParallelFor(shards, count * row_cost / shards, [&](int64_t shard) {
    RunRows<T, F>(layout, scalars, arrays,
                  {.rows = rows.data(), .count = count, .width = width, .shard = shard, .shards = shards});
  });
}

Result<Kernel> MakeUpdate(const UpdateOp& op, HandleKind handle_kind, Extent extent, KernelSetup& setup) {
  bool flag = false;
  if (op.flag != nullptr) {
    WEIR_ASSIGN(flag, setup.Attr<bool>(op.flag));
  }
  WEIR_ASSIGN(const DType dtype, setup.Attr<DType>("T"));
  auto layout = std::make_shared<const Layout>(MakeLayout(op, handle_kind, extent));
  switch (dtype) {
    case kFloat:
      return Kernel::Sync([=](KernelContext& ctx) { return RunUpdateOp<float>(ctx, *layout, flag); });
    case kDouble:
      return Kernel::Sync([=](KernelContext& ctx) { return RunUpdateOp<double>(ctx, *layout, flag); });
    case kHalf:
      return Kernel::Sync([=](KernelContext& ctx) { return RunUpdateOp<half>(ctx, *layout, flag); });
    case kBFloat16:
      return Kernel::Sync([=](KernelContext& ctx) { return RunUpdateOp<bfloat16>(ctx, *layout, flag); });
    default:
      return Unimplemented("optimizer updates of variables of type {} are not supported", dtype);
  }
}

// --- GPU kernels of the dense ops

// The row of a dense op; null if `name` is no dense op.
const UpdateOp* DenseRowOf(std::string_view name) {
  for (const UpdateOp& op : kUpdates) {
    if ((op.dense != nullptr && name == op.dense) || (op.dense_resource != nullptr && name == op.dense_resource))
      return &op;
  }
  return nullptr;
}

TypeSet GpuUpdateTypes(std::string_view name) {
  const UpdateOp* const op = DenseRowOf(name);
  return op == nullptr || op->gpu_rule == nullptr ? TypeSet() : kGpuReals;
}

Result<bool> FlagOf(KernelSetup& setup) {
  for (const char* name : {"use_nesterov", "update_slots", "multiply_linear_by_lr"}) {
    if (setup.HasAttr(name)) return setup.Attr<bool>(name);
  }
  return false;
}

Result<Kernel> MakeGpuUpdate(KernelSetup& setup, GpuDevice& gpu) {
  const OpDef& def = *setup.node().op;
  const UpdateOp* const row = DenseRowOf(def.name);
  if (row == nullptr || row->gpu_rule == nullptr) return Internal("'{}' has no GPU kernel", def.name);
  Layout layout = MakeLayout(*row, def.inputs[0].is_ref ? HandleKind::kRef : HandleKind::kResource, Extent::kDense);
  WEIR_ASSIGN(const bool flag, FlagOf(setup));
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  const gpu::UpdateOp& op = gpu::UpdateOpOf(row->gpu_rule);
  return Kernel::Sync(
      [&gpu, stream = std::move(stream), layout = std::move(layout), &op, flag](KernelContext& ctx) -> Status {
        WEIR_ASSIGN(VariableUpdate update,
                    VariableUpdate::Begin(ctx, layout.handle_kind, layout.slots, Extent::kDense, &gpu));
        WEIR_ASSIGN(const int64_t size, CheckShapes(ctx, layout, update));
        if (size == 0) return OkStatus();
        gpu::UpdateTensor tensor{.gradient = ctx.input(layout.grad).raw(), .size = size};
        for (int k = 0; k < layout.slots; ++k) tensor.slots[k] = update.value(k).raw();
        size_t at = 0;
        for (int i : layout.scalars) {
          const Tensor& scalar = ctx.input(i);
          if (scalar.rank() != 0) return InvalidArgument("{} is not a scalar: {}", layout.names[i], scalar.shape());
          tensor.scalars[at++] = scalar.raw();
        }
        return gpu::UpdateDense(*stream, op, update.value(0).dtype(), flag, {&tensor, 1});
      });
}

// --- shapes

// TensorFlow's ops on resources leave the gradient's shape to the kernel, with two exceptions.
bool ChecksGradientShape(const Layout& layout) {
  if (layout.handle_kind == HandleKind::kRef) return true;
  return layout.extent == Extent::kDense &&
         (layout.rule == UpdateRule::kGradientDescent || layout.rule == UpdateRule::kProximalAdagrad);
}

Status UpdateShape(const Layout& layout, ShapeContext& c) {
  for (int i : layout.scalars) {
    // TensorFlow leaves this one to the kernel, too.
    if (layout.rule == UpdateRule::kFtrlV2 && layout.names[i] == "lr_power") continue;
    WEIR_TRY(c.WithRank(i, 0).status());
  }
  const bool checks_gradient = ChecksGradientShape(layout);
  if (layout.extent == Extent::kSparse) {
    WEIR_ASSIGN(PartialShape indices, c.WithRank(layout.indices, 1));
    if (checks_gradient) {
      WEIR_ASSIGN(PartialShape grad, c.WithRankAtLeast(layout.grad, 1));
      if (grad.known_rank()) WEIR_TRY(MergeDims(grad[0], indices[0]).status());
    }
  }
  WEIR_ASSIGN(const DType dtype, c.Attr<DType>("T"));
  PartialShape var;
  for (int k = 0; k < layout.slots; ++k) {
    WEIR_ASSIGN(PartialShape slot, VariableShapeOf(c, layout.handle_kind, k, dtype));
    WEIR_ASSIGN(var, var.Merge(slot));
  }
  if (checks_gradient) {
    PartialShape grad = c.input(layout.grad);
    if (layout.extent == Extent::kSparse && grad.known_rank()) grad.SetDim(0, kUnknownDim);
    WEIR_ASSIGN(var, var.Merge(grad));
  }
  if (layout.handle_kind == HandleKind::kRef) c.set_output(0, std::move(var));
  return OkStatus();
}

void AddUpdate(OpRegistry& registry, const UpdateOp& op, const char* name, HandleKind handle_kind, Extent extent) {
  if (name == nullptr) return;
  Layout layout = MakeLayout(op, handle_kind, extent);
  std::vector<std::string> attrs = {"T: numbertype"};
  if (extent == Extent::kSparse) attrs.push_back("Tindices: {int32, int64}");
  attrs.push_back("use_locking: bool = false");
  if (op.flag != nullptr) attrs.push_back(absl::StrCat(op.flag, ": bool = ", op.flag_default ? "true" : "false"));
  std::string signature = Signature(layout);
  KernelList kernels = CpuKernelForTypes(
      "T", {kHalf, kBFloat16, kFloat, kDouble},
      [&op, handle_kind, extent](KernelSetup& setup) { return MakeUpdate(op, handle_kind, extent, setup); });
  if (extent == Extent::kDense)
    kernels = WithGpu(std::move(kernels), {.make = MakeGpuUpdate, .types_of = GpuUpdateTypes});
  registry.Add({
      .name = name,
      .signature = std::move(signature),
      .attrs = std::move(attrs),
      .shape = [layout = std::move(layout)](ShapeContext& c) { return UpdateShape(layout, c); },
      .kernels = std::move(kernels),
      .traits = kVariableUpdate,
      .stateful = handle_kind == HandleKind::kResource,
  });
}

}  // namespace

void RegisterApply(OpRegistry& registry) {
  for (const UpdateOp& op : kUpdates) {
    AddUpdate(registry, op, op.dense, HandleKind::kRef, Extent::kDense);
    AddUpdate(registry, op, op.sparse, HandleKind::kRef, Extent::kSparse);
    AddUpdate(registry, op, op.dense_resource, HandleKind::kResource, Extent::kDense);
    AddUpdate(registry, op, op.sparse_resource, HandleKind::kResource, Extent::kSparse);
  }
}

}  // namespace weir::ops
