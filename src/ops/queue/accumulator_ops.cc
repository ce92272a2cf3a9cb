// The accumulator ops. Dense accumulators have reference handles or (Resource...) resource handles, sparse ones have
// reference handles only.
#include "absl/strings/str_cat.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/queue/accumulator.h"
#include "ops/state/resource_owner.h"

namespace weir::ops {
namespace {

constexpr char kTypes[] =
    "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
    "quint16, uint16, complex128, half, uint32, uint64}";

KernelList AccumulatorKernels(KernelFactory make) {
  return CpuKernelForTypes("dtype", {kHalf, kFloat, kDouble}, std::move(make));
}

// --- creation

Status CheckSameAccumulator(const AccumulatorSpec& existing, const AccumulatorSpec& wanted) {
  if (existing.sparse == wanted.sparse && existing.dtype == wanted.dtype && existing.shape == wanted.shape &&
      existing.mean == wanted.mean) {
    return OkStatus();
  }
  auto text = [](const AccumulatorSpec& s) {
    return fmt::format("{} {} {} of {}", s.sparse ? "sparse" : "dense", s.mean ? "MEAN" : "SUM", s.shape, s.dtype);
  };
  return InvalidArgument("Shared accumulator '{}' is {} but requested was {}", wanted.name, text(existing),
                         text(wanted));
}

Result<Kernel> MakeAccumulator(KernelSetup& setup, bool sparse, HandleKind handle_kind) {
  AccumulatorSpec spec;
  spec.sparse = sparse;
  WEIR_ASSIGN(spec.dtype, setup.Attr<DType>("dtype"));
  WEIR_ASSIGN(spec.shape, setup.Attr<PartialShape>("shape"));
  const Result<std::string> reduction = setup.Attr<std::string>("reduction_type");
  if (!reduction.ok()) return reduction.status();
  spec.mean = *reduction == "MEAN";
  WEIR_ASSIGN(std::shared_ptr<ResourceOwner> handle,
              ResourceOwner::Make(setup, handle_kind, "tensorflow::ConditionalAccumulatorBase"));
  spec.name = handle->title();
  return Kernel::Sync([spec = std::move(spec), handle = std::move(handle)](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<Accumulator> accumulator,
                       handle->Get<Accumulator>(ctx, [&]() -> Result<ResourcePtr<Accumulator>> {
                         return MakeIntrusive<Accumulator>(spec);
                       }));
           WEIR_TRY(CheckSameAccumulator(accumulator->spec(), spec));
           handle->SetOutput(ctx);
           return OkStatus();
         })
      .Cheap();
}

// The first gradient may become the sum itself.
constexpr OpTraits kAccumulatorUpdate = {
    .state = StateRole::kUpdates, .may_block = false, .keeps_inputs = true, .brief = true};
constexpr OpTraits kTake = {.state = StateRole::kUpdates, .may_block = true, .brief = true};
constexpr OpTraits kTakeSparse = {
    .state = StateRole::kUpdates, .may_block = true, .brief = true, .unique_indices = true};

void AddAccumulator(OpRegistry& registry, std::string name, bool sparse, HandleKind handle_kind) {
  registry.Add({
      .name = std::move(name),
      .signature = absl::StrCat("-> handle: ", HandleType(handle_kind)),
      .attrs = {kTypes, "shape: shape", "container: string = ''", "shared_name: string = ''",
                "reduction_type: {'MEAN', 'SUM'} = 'MEAN'"},
      .shape = HandleOutput(handle_kind),
      .no_gradient = kNoGradient,
      .kernels = AccumulatorKernels(
          [sparse, handle_kind](KernelSetup& setup) { return MakeAccumulator(setup, sparse, handle_kind); }),
      .traits = {.state = StateRole::kHandle, .may_block = false, .brief = true, .accumulator = true},
      .stateful = true,
  });
}

// --- use

Result<int64_t> ScalarInput(const KernelContext& ctx, int i, std::string_view what) {
  if (ctx.input(i).rank() != 0)
    return InvalidArgument("Argument {} must be scalar, but had bad shape {}", what, ctx.input(i).shape());
  return ctx.input(i).Int(0);
}

Status CheckKind(const Accumulator& accumulator, bool sparse, DType dtype) {
  const AccumulatorSpec& spec = accumulator.spec();
  if (spec.sparse == sparse && spec.dtype == dtype) return OkStatus();
  return InvalidArgument(
      "Signature mismatch: the node expects {} gradients of type {}, but {} accumulator '{}' has type {}",
      sparse ? "sparse" : "dense", dtype, spec.sparse ? "sparse" : "dense", spec.name, spec.dtype);
}

Result<Kernel> MakeApply(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<Accumulator> accumulator, LookupHandle<Accumulator>(ctx));
    WEIR_TRY(CheckKind(*accumulator, false, ctx.input(2).dtype()));
    WEIR_ASSIGN(const int64_t step, ScalarInput(ctx, 1, "local_step"));
    GradientInput gradient;
    gradient.values = std::move(ctx.raw_input(2).tensor);
    return accumulator->Apply(step, std::move(gradient));
  });
}

Result<Kernel> MakeSparseApply(KernelSetup& setup) {
  WEIR_ASSIGN(const bool has_shape, setup.Attr<bool>("has_known_shape"));
  return Kernel::Sync([has_shape](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<Accumulator> accumulator, LookupHandle<Accumulator>(ctx));
    WEIR_TRY(CheckKind(*accumulator, true, ctx.input(3).dtype()));
    WEIR_ASSIGN(const int64_t step, ScalarInput(ctx, 1, "local_step"));
    GradientInput gradient;
    gradient.indices = &ctx.input(2);
    gradient.values = ctx.input(3);
    if (has_shape) gradient.dense_shape = &ctx.input(4);
    return accumulator->Apply(step, std::move(gradient));
  });
}

Result<Kernel> MakeTake(KernelSetup& setup, bool sparse) {
  WEIR_ASSIGN(const DType dtype, setup.Attr<DType>("dtype"));
  return Kernel::Async([sparse, dtype](KernelContext& ctx, Done done) {
    auto start = [&]() -> Status {
      WEIR_ASSIGN(ResourcePtr<Accumulator> accumulator, LookupHandle<Accumulator>(ctx));
      WEIR_TRY(CheckKind(*accumulator, sparse, dtype));
      WEIR_ASSIGN(const int64_t required, ScalarInput(ctx, 1, "num_required"));
      if (required <= 0) return InvalidArgument("Argument num_required must be positive, but was {}", required);
      accumulator->Take(required, ctx.cancel(), [&ctx, done = std::move(done)](Result<std::vector<Tensor>> taken) {
        if (!taken.ok()) return done(taken.status());
        for (size_t i = 0; i < taken->size(); ++i) ctx.set_output(static_cast<int>(i), std::move((*taken)[i]));
        done(OkStatus());
      });
      return OkStatus();
    };
    if (Status status = start(); !status.ok()) done(std::move(status));
  });
}

Result<Kernel> MakeNumAccumulated(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<Accumulator> accumulator, LookupHandle<Accumulator>(ctx));
           ctx.set_output(0, Tensor::Scalar(static_cast<int32_t>(accumulator->num_accumulated())));
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeSetGlobalStep(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<Accumulator> accumulator, LookupHandle<Accumulator>(ctx));
           WEIR_ASSIGN(const int64_t step, ScalarInput(ctx, 1, "new_global_step"));
           accumulator->SetGlobalStep(step);
           return OkStatus();
         })
      .Cheap();
}

// Checks the shapes of the handle and of input 1, if present: a scalar (the step or a count).
ShapeFn AccumulatorOpShape(HandleKind handle_kind, ShapeFn inner) {
  return [handle_kind, inner = std::move(inner)](ShapeContext& c) -> Status {
    WEIR_TRY(CheckHandleShape(c, handle_kind));
    if (c.num_inputs() > 1) WEIR_TRY(c.WithRank(1, 0).status());
    return inner(c);
  };
}

void AddAccumulatorOp(OpRegistry& registry, std::string name, HandleKind handle_kind, std::string_view signature,
                      std::vector<std::string> attrs, ShapeFn shape, KernelFactory make, OpTraits traits) {
  const bool more = signature[0] != '-';
  const bool typed = !attrs.empty();
  registry.Add({
      .name = std::move(name),
      .signature = fmt::format("handle: {}{}{}", HandleType(handle_kind), more ? ", " : " ", signature),
      .attrs = std::move(attrs),
      .shape = AccumulatorOpShape(handle_kind, std::move(shape)),
      .no_gradient = kNoGradient,
      .kernels = typed ? AccumulatorKernels(std::move(make)) : CpuKernel(std::move(make)),
      .traits = traits,
      .stateful = handle_kind == HandleKind::kResource,
  });
}

}  // namespace

void RegisterAccumulators(OpRegistry& registry) {
  for (const HandleKind handle_kind : kHandleKinds) {
    AddAccumulator(registry,
                   HandleKindNames{"ConditionalAccumulator", "ResourceConditionalAccumulator"}.of(handle_kind), false,
                   handle_kind);
    AddAccumulatorOp(
        registry, HandleKindNames{"AccumulatorApplyGradient", "ResourceAccumulatorApplyGradient"}.of(handle_kind),
        handle_kind, "local_step: int64, gradient: dtype ->", {kTypes}, NoOutputs(), MakeApply, kAccumulatorUpdate);
    AddAccumulatorOp(
        registry, HandleKindNames{"AccumulatorTakeGradient", "ResourceAccumulatorTakeGradient"}.of(handle_kind),
        handle_kind, "num_required: int32 -> average: dtype", {kTypes}, UnknownOutputs(),
        [](KernelSetup& setup) { return MakeTake(setup, false); }, kTake);
    AddAccumulatorOp(registry,
                     HandleKindNames{"AccumulatorNumAccumulated", "ResourceAccumulatorNumAccumulated"}.of(handle_kind),
                     handle_kind, "-> num_accumulated: int32", {}, ScalarOutputs(), MakeNumAccumulated, kVariableRead);
    AddAccumulatorOp(registry,
                     HandleKindNames{"AccumulatorSetGlobalStep", "ResourceAccumulatorSetGlobalStep"}.of(handle_kind),
                     handle_kind, "new_global_step: int64 ->", {}, NoOutputs(), MakeSetGlobalStep, kAccumulatorUpdate);
  }
  AddAccumulator(registry, "SparseConditionalAccumulator", true, HandleKind::kRef);
  AddAccumulatorOp(registry, "SparseAccumulatorApplyGradient", HandleKind::kRef,
                   "local_step: int64, gradient_indices: int64, gradient_values: dtype, gradient_shape: int64 ->",
                   {kTypes, "has_known_shape: bool"}, NoOutputs(), MakeSparseApply, kAccumulatorUpdate);
  AddAccumulatorOp(
      registry, "SparseAccumulatorTakeGradient", HandleKind::kRef,
      "num_required: int32 -> indices: int64, values: dtype, shape: int64", {kTypes}, UnknownOutputs(),
      [](KernelSetup& setup) { return MakeTake(setup, true); }, kTakeSparse);
}

}  // namespace weir::ops
