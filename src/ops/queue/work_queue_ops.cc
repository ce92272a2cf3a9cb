// The ops of work queues, which TensorFlow does not have.
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/queue/session_membership.h"
#include "ops/queue/work_queue.h"
#include "ops/state/resource_owner.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeWorkQueueHandle(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<ResourceOwner> handle,
              ResourceOwner::Make(setup, HandleKind::kResource, "WorkQueue", ResourceOwner::Unnamed::kOfNode));
  return Kernel::Sync([handle](KernelContext& ctx) -> Status {
           const auto make = [&]() -> Result<ResourcePtr<WorkQueue>> {
             return MakeIntrusive<WorkQueue>(handle->title());
           };
           WEIR_TRY(handle->Get<WorkQueue>(ctx, make).status());
           handle->SetOutput(ctx);
           return OkStatus();
         })
      .Cheap();
}

// The attributes; `works` is the node's input 1.
Result<WorkQueueSpec> WorkQueueSpecOf(const KernelSetup& setup) {
  WorkQueueSpec spec;
  WEIR_ASSIGN(spec.num_epochs, setup.Attr<int64_t>("num_epochs"));
  WEIR_ASSIGN(spec.shuffle, setup.Attr<bool>("shuffle"));
  WEIR_ASSIGN(spec.seed, setup.Attr<int64_t>("seed"));
  WEIR_ASSIGN(spec.seed2, setup.Attr<int64_t>("seed2"));
  WEIR_ASSIGN(spec.num_slices, setup.Attr<int64_t>("num_slices"));
  return spec;
}

Result<Kernel> MakeWorkQueueCreate(KernelSetup& setup) {
  WEIR_ASSIGN(const WorkQueueSpec attrs, WorkQueueSpecOf(setup));
  return Kernel::Sync([attrs](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<WorkQueue> queue, ctx.LookupResource<WorkQueue>(0));
    WorkQueueSpec spec = attrs;
    spec.works = ctx.input(1);
    WEIR_ASSIGN(const int64_t slices, queue->Fill(std::move(spec)));
    ctx.set_output(0, Tensor::Scalar(slices));
    return OkStatus();
  });
}

Result<Kernel> MakeWorkQueueTake(KernelSetup&) {
  return Kernel::Async([membership = std::make_shared<SessionMembership<WorkQueue>>()](KernelContext& ctx, Done done) {
    Result<ResourcePtr<WorkQueue>> queue = ctx.LookupResource<WorkQueue>(0);
    if (!queue.ok()) return done(queue.status());
    const std::string member = membership->In(**queue, ctx);
    (*queue)->Take(member, ctx.cancel(), [&ctx, done = std::move(done)](Result<std::string> work) {
      if (!work.ok()) return done(work.status());
      ctx.set_output(0, Tensor::Scalar(*std::move(work)));
      done(OkStatus());
    });
  });
}

Result<Kernel> MakeWorkQueueSave(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<WorkQueue> queue, ctx.LookupResource<WorkQueue>(0));
    WEIR_ASSIGN(const WorkQueue::State state, queue->Save());
    ctx.set_output(0, Tensor::Vector<std::string>(absl::MakeConstSpan(state.works)));
    ctx.set_output(1, Tensor::Vector<int64_t>({state.epoch, state.seed, state.seed2}));
    return OkStatus();
  });
}

Result<Kernel> MakeWorkQueueRestore(KernelSetup& setup) {
  WEIR_ASSIGN(const WorkQueueSpec attrs, WorkQueueSpecOf(setup));
  return Kernel::Sync([attrs](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<WorkQueue> queue, ctx.LookupResource<WorkQueue>(0));
    const Tensor& left = ctx.input(2);
    const Tensor& numbers = ctx.input(3);
    if (numbers.num_elements() != 3)
      return InvalidArgument("the state of a work queue must be 3 numbers, but has the shape {}", numbers.shape());
    WorkQueueSpec spec = attrs;
    spec.works = ctx.input(1);
    WorkQueue::State state;
    state.works.assign(left.data<std::string>(), left.data<std::string>() + left.num_elements());
    state.epoch = numbers.Int(0);
    state.seed = numbers.Int(1);
    state.seed2 = numbers.Int(2);
    return queue->Restore(std::move(spec), std::move(state));
  });
}

Result<Kernel> MakeWorkQueueSize(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<WorkQueue> queue, ctx.LookupResource<WorkQueue>(0));
           WEIR_ASSIGN(const int64_t size, queue->size());
           ctx.set_output(0, Tensor::Scalar(size));
           return OkStatus();
         })
      .Cheap();
}

// A scalar handle, then vectors; the outputs have the shapes `outputs`.
ShapeFn VectorsAfterHandle(std::vector<PartialShape> outputs) {
  return [outputs = std::move(outputs)](ShapeContext& c) -> Status {
    WEIR_TRY(c.WithRank(0, 0).status());
    for (int i = 1; i < c.num_inputs(); ++i) WEIR_TRY(c.WithRank(i, 1).status());
    for (size_t i = 0; i < outputs.size(); ++i) c.set_output(static_cast<int>(i), outputs[i]);
    return OkStatus();
  };
}

struct WorkQueueOp {
  const char* name;
  const char* signature;
  std::vector<std::string> attrs;
  ShapeFn shape;
  KernelFactory make;
  OpTraits traits;
};

}  // namespace

void RegisterWorkQueues(OpRegistry& registry) {
  const std::vector<std::string> parts = {"num_epochs: int >= 1 = 1", "shuffle: bool = true", "seed: int = 0",
                                          "seed2: int = 0", "num_slices: int >= 0 = 0"};
  const PartialShape scalar = PartialShape::Scalar();
  const PartialShape vector = {kUnknownDim};
  constexpr OpTraits kHandle = {.state = StateRole::kHandle, .may_block = false, .brief = true};
  constexpr OpTraits kFill = {.state = StateRole::kUpdates, .may_block = false, .keeps_inputs = true};
  constexpr OpTraits kTake = {.state = StateRole::kUpdates, .may_block = true, .keeps_inputs = false, .brief = true};
  constexpr OpTraits kSave = {.state = StateRole::kReads, .may_block = false};
  for (const WorkQueueOp& op : {
           WorkQueueOp{"WorkQueueHandleOp",
                       "-> handle: resource",
                       {"container: string = ''", "shared_name: string = ''"},
                       ScalarOutputs(),
                       MakeWorkQueueHandle,
                       kHandle},
           WorkQueueOp{"WorkQueueCreate", "handle: resource, works: string -> slices: int64", parts,
                       VectorsAfterHandle({scalar}), MakeWorkQueueCreate, kFill},
           WorkQueueOp{"WorkQueueTake",
                       "handle: resource -> work: string",
                       {},
                       VectorsAfterHandle({scalar}),
                       MakeWorkQueueTake,
                       kTake},
           WorkQueueOp{"WorkQueueSave",
                       "handle: resource -> works: string, state: int64",
                       {},
                       VectorsAfterHandle({vector, {3}}),
                       MakeWorkQueueSave,
                       kSave},
           WorkQueueOp{"WorkQueueRestore", "handle: resource, works: string, left: string, state: int64 ->", parts,
                       VectorsAfterHandle({}), MakeWorkQueueRestore, kFill},
           WorkQueueOp{"WorkQueueSize",
                       "handle: resource -> size: int64",
                       {},
                       VectorsAfterHandle({scalar}),
                       MakeWorkQueueSize,
                       kVariableRead},
       }) {
    registry.Add({.name = op.name,
                  .signature = op.signature,
                  .attrs = op.attrs,
                  .shape = op.shape,
                  .no_gradient = kNoGradient,
                  .kernels = CpuKernel(op.make),
                  .traits = op.traits,
                  .stateful = true});
  }
}

}  // namespace weir::ops
