// The queue ops: creation and use, each with reference handles and (V2) resource handles. Ops that may wait have
// asynchronous kernels.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/queue/queue_values.h"
#include "ops/queue/session_membership.h"
#include "ops/state/resource_owner.h"

namespace weir::ops {
namespace {

std::string TypesText(const std::vector<DType>& types) {
  return absl::StrJoin(types, ", ", [](std::string* out, DType t) { *out += OpDefTypeName(t); });
}
std::string ShapesText(const std::vector<PartialShape>& shapes) {
  return absl::StrCat(
      "[", absl::StrJoin(shapes, ", ", [](std::string* out, const PartialShape& s) { *out += s.ToString(); }), "]");
}

// --- creation

Status CheckSpec(const QueueSpec& spec) {
  const bool padding = spec.kind == QueueKind::kPaddingFifo;
  if (spec.shapes.size() != spec.types.size() && (padding || !spec.shapes.empty())) {
    return InvalidArgument("Shapes must be provided for all components, but there are {} types ({}) and {} shapes ({})",
                           spec.types.size(), TypesText(spec.types), spec.shapes.size(), ShapesText(spec.shapes));
  }
  for (const PartialShape& shape : spec.shapes) {
    if (padding ? !shape.known_rank() : !shape.fully_defined()) {
      return InvalidArgument("the component shapes of a {} must {}, but are {}", QueueKindName(spec.kind),
                             padding ? "have a known rank" : "be fully defined", ShapesText(spec.shapes));
    }
  }
  if (spec.min_after_dequeue < 0) return InvalidArgument("min_after_dequeue {} must be >= 0", spec.min_after_dequeue);
  if (spec.capacity >= 0 && spec.min_after_dequeue > 0 && spec.min_after_dequeue >= spec.capacity)
    return InvalidArgument("min_after_dequeue {} must be < capacity {}", spec.min_after_dequeue, spec.capacity);
  return OkStatus();
}

Result<QueueSpec> SpecOf(const KernelSetup& setup, QueueKind kind) {
  QueueSpec spec;
  spec.kind = kind;
  WEIR_ASSIGN(spec.types, setup.Attr<std::vector<DType>>("component_types"));
  WEIR_ASSIGN(spec.shapes, setup.Attr<std::vector<PartialShape>>("shapes"));
  for (PartialShape& shape : spec.shapes) {
    // As in TensorFlow, an unknown rank stands for a scalar.
    if (kind != QueueKind::kPaddingFifo && !shape.known_rank()) shape = PartialShape::Scalar();
  }
  WEIR_ASSIGN(spec.capacity, setup.Attr<int64_t>("capacity"));
  // Set by graphs that hand out tokens to replicas. TensorFlow ignores these attributes.
  if (setup.HasAttr("_tokens_needed")) {
    WEIR_ASSIGN(spec.tokens_needed, setup.Attr<int64_t>("_tokens_needed"));
    WEIR_ASSIGN(spec.members_expected, setup.Attr<int64_t>("_members_expected"));
  }
  if (kind == QueueKind::kPriority) {  // the attributes do not list the priority component
    if (!spec.shapes.empty() && spec.shapes.size() != spec.types.size()) {
      return InvalidArgument("Different number of component types. Types: {}, Shapes: {}", TypesText(spec.types),
                             ShapesText(spec.shapes));
    }
    if (spec.shapes.size() == spec.types.size()) spec.shapes.insert(spec.shapes.begin(), PartialShape(Shape{}));
    spec.types.insert(spec.types.begin(), kInt64);
  }
  if (kind == QueueKind::kRandomShuffle) {
    WEIR_ASSIGN(spec.min_after_dequeue, setup.Attr<int64_t>("min_after_dequeue"));
    WEIR_ASSIGN(spec.seed, setup.Attr<int64_t>("seed"));
    WEIR_ASSIGN(spec.seed2, setup.Attr<int64_t>("seed2"));
  }
  WEIR_TRY(CheckSpec(spec));
  return spec;
}

// Checks that the existing queue of this name matches the node.
Status CheckSame(const QueueSpec& existing, const QueueSpec& wanted) {
  const std::string shared = fmt::format("Shared queue '{}' has", wanted.name);
  if (existing.kind != wanted.kind) {
    return InvalidArgument("{} type {} but requested type was {}", shared, QueueKindName(existing.kind),
                           QueueKindName(wanted.kind));
  }
  if (existing.capacity != wanted.capacity && (existing.capacity >= 0 || wanted.capacity >= 0)) {
    return InvalidArgument("{} capacity {} but requested capacity was {}", shared, existing.capacity, wanted.capacity);
  }
  if (existing.types != wanted.types) {
    return InvalidArgument("{} component types {} but requested component types were {}", shared,
                           TypesText(existing.types), TypesText(wanted.types));
  }
  if (existing.shapes != wanted.shapes) {
    return InvalidArgument("{} component shapes {} but requested component shapes were {}", shared,
                           ShapesText(existing.shapes), ShapesText(wanted.shapes));
  }
  if (existing.min_after_dequeue != wanted.min_after_dequeue) {
    return InvalidArgument("{} min_after_dequeue {} but requested min_after_dequeue was {}.", shared,
                           existing.min_after_dequeue, wanted.min_after_dequeue);
  }
  const bool seeded = wanted.seed != 0 || wanted.seed2 != 0;  // without a seed any order is acceptable
  if (seeded && (existing.seed != wanted.seed || existing.seed2 != wanted.seed2)) {
    return InvalidArgument("{} random seeds ({}, {}) but requested seeds are ({}, {}).", shared, existing.seed,
                           existing.seed2, wanted.seed, wanted.seed2);
  }
  return OkStatus();
}

Result<Kernel> MakeQueue(KernelSetup& setup, QueueKind kind, HandleKind handle_kind) {
  WEIR_ASSIGN(QueueSpec spec, SpecOf(setup, kind));
  WEIR_ASSIGN(std::shared_ptr<ResourceOwner> handle,
              ResourceOwner::Make(setup, handle_kind, "tensorflow::QueueInterface"));
  spec.name = handle->title();
  return Kernel::Sync([spec = std::move(spec), handle = std::move(handle)](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<QueueResource> queue,
                       handle->Get<QueueResource>(ctx, [&]() -> Result<ResourcePtr<QueueResource>> {
                         return MakeIntrusive<QueueResource>(spec);
                       }));
           WEIR_TRY(CheckSame(queue->spec(), spec));
           handle->SetOutput(ctx);
           return OkStatus();
         })
      .Cheap();
}

void AddMaker(OpRegistry& registry, QueueKind kind, HandleKindNames names, std::vector<std::string> attrs) {
  for (const char* name : {"container: string = ''", "shared_name: string = ''"}) attrs.push_back(name);
  for (HandleKind handle_kind : kHandleKinds) {
    registry.Add({
        .name = names.of(handle_kind),
        .signature = absl::StrCat("-> handle: ", HandleType(handle_kind)),
        .attrs = attrs,
        .shape = HandleOutput(handle_kind),
        .no_gradient = kNoGradient,
        .kernels = CpuKernel([kind, handle_kind](KernelSetup& setup) { return MakeQueue(setup, kind, handle_kind); }),
        .traits = {.state = StateRole::kHandle, .may_block = false, .brief = true},
        .stateful = true,
    });
  }
}

// --- use

Status CheckTimeout(const KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t timeout, setup.Attr<int64_t>("timeout_ms"));
  return timeout == -1 ? OkStatus() : InvalidArgument("Timeout not supported yet.");
}

// Compares the types of the node's components (`given`) with those of the queue.
Status CheckTypes(const QueueResource& queue, const std::vector<DType>& given, std::string_view direction) {
  const std::vector<DType>& types = queue.spec().types;
  if (given == types) return OkStatus();
  return InvalidArgument("Signature mismatch: the node's components {} have the types {}, but those of {} '{}' are {}",
                         direction, TypesText(given), QueueKindName(queue.spec().kind), queue.spec().name,
                         TypesText(types));
}

std::vector<DType> ComponentInputs(const KernelSetup& setup) {
  std::vector<DType> types;
  for (int i = 1; i < setup.num_inputs(); ++i) types.push_back(BaseType(setup.input_type(i)));
  return types;
}

// A kernel that may wait. `start` returns an error or takes care that `done` is called.
template <class Start>
Kernel AsyncQueueKernel(Start start) {
  return Kernel::Async([start = std::move(start)](KernelContext& ctx, Done done) {
    Result<ResourcePtr<QueueResource>> queue = LookupHandle<QueueResource>(ctx);
    if (!queue.ok()) return done(queue.status());
    if (Status status = start(**queue, ctx, done); !status.ok()) done(std::move(status));
  });
}

Result<Kernel> MakeEnqueue(KernelSetup& setup, bool many) {
  WEIR_TRY(CheckTimeout(setup));
  // Set by graphs that hand out tokens to replicas: the first tokens are given once, not by each new chief.
  const bool only_first = setup.HasAttr("_only_first");
  return AsyncQueueKernel([many, only_first, types = ComponentInputs(setup)](QueueResource& queue, KernelContext& ctx,
                                                                             Done& done) -> Status {
    WEIR_TRY(CheckTypes(queue, types, "to enqueue"));
    if (only_first && queue.has_received()) {
      done(OkStatus());
      return OkStatus();
    }
    std::vector<QueueElement> elements;
    if (many) {
      WEIR_ASSIGN(elements, ElementsOfBatch(queue.spec(), ctx));
      if (elements.empty()) {
        done(OkStatus());
        return OkStatus();
      }
    } else {
      WEIR_ASSIGN(QueueElement element, ElementOfInputs(queue.spec(), ctx));
      elements.push_back(std::move(element));
    }
    queue.Enqueue(std::move(elements), ctx.cancel(), std::move(done));
    return OkStatus();
  });
}

Status SetBatchOutputs(KernelContext& ctx, const QueueSpec& spec, const std::vector<QueueElement>& elements) {
  for (int c = 0; c < ctx.num_outputs(); ++c) {
    WEIR_ASSIGN(Tensor batch, BatchComponent(spec, elements, c));
    ctx.set_output(c, std::move(batch));
  }
  return OkStatus();
}

Result<Kernel> MakeDequeue(KernelSetup& setup) {
  WEIR_TRY(CheckTimeout(setup));
  WEIR_ASSIGN(const std::vector<DType> types, setup.Attr<std::vector<DType>>("component_types"));
  return AsyncQueueKernel([types, membership = std::make_shared<SessionMembership<QueueResource>>()](
                              QueueResource& queue, KernelContext& ctx, Done& done) -> Status {
    WEIR_TRY(CheckTypes(queue, types, "to dequeue"));
    const std::string member = queue.spec().tokens_needed > 0 ? membership->In(queue, ctx) : "";
    queue.Dequeue(1, false, member, ctx.cancel(),
                  [&ctx, done = std::move(done)](Result<std::vector<QueueElement>> got) {
                    if (!got.ok()) return done(got.status());
                    for (int c = 0; c < ctx.num_outputs(); ++c)
                      ctx.set_output(c, std::move((*got)[0].components[static_cast<size_t>(c)]));
                    done(OkStatus());
                  });
    return OkStatus();
  });
}

Result<Kernel> MakeDequeueMany(KernelSetup& setup, bool up_to) {
  WEIR_TRY(CheckTimeout(setup));
  WEIR_ASSIGN(const std::vector<DType> types, setup.Attr<std::vector<DType>>("component_types"));
  return AsyncQueueKernel([types, up_to](QueueResource& queue, KernelContext& ctx, Done& done) -> Status {
    WEIR_TRY(CheckTypes(queue, types, "to dequeue"));
    const Tensor& n = ctx.input(1);
    if (n.num_elements() != 1) return InvalidArgument("n must be a scalar, but has shape {}", n.shape());
    const int64_t count = n.Int(0);
    if (count < 0) return InvalidArgument("{} requested {} < 0 elements", up_to ? "DequeueUpTo" : "DequeueMany", count);
    WEIR_TRY(CheckBatches(queue.spec()));
    if (count == 0) {
      WEIR_TRY(SetBatchOutputs(ctx, queue.spec(), {}));
      done(OkStatus());
      return OkStatus();
    }
    queue.Dequeue(count, up_to, ctx.cancel(),
                  [&ctx, self = ResourcePtr<QueueResource>::Share(&queue),
                   done = std::move(done)](Result<std::vector<QueueElement>> got) {
                    done(got.ok() ? SetBatchOutputs(ctx, self->spec(), *got) : got.status());
                  });
    return OkStatus();
  });
}

Result<Kernel> MakeClose(KernelSetup& setup) {
  WEIR_ASSIGN(const bool cancel_pending, setup.Attr<bool>("cancel_pending_enqueues"));
  return AsyncQueueKernel([cancel_pending](QueueResource& queue, KernelContext& ctx, Done& done) -> Status {
    queue.Close(cancel_pending, ctx.cancel(), std::move(done));
    return OkStatus();
  });
}

Result<Kernel> MakeAwaitDequeue(KernelSetup&) {
  return AsyncQueueKernel([](QueueResource& queue, KernelContext& ctx, Done& done) -> Status {
    queue.AwaitDequeue(ctx.cancel(), std::move(done));
    return OkStatus();
  });
}

// A kernel that computes a scalar from the queue's state.
template <class ReadState>
Kernel QueueStateKernel(ReadState read_state) {
  return Kernel::Sync([read_state](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ResourcePtr<QueueResource> queue, LookupHandle<QueueResource>(ctx));
           ctx.set_output(0, read_state(*queue));
           return OkStatus();
         })
      .Cheap();
}

Status DequeueManyShape(ShapeContext& c) {
  if (const Tensor* n = c.constant(1); n != nullptr && n->num_elements() == 1 && n->Int(0) < 0)
    return InvalidArgument("Input 'n' must be >= 0, but is {}", n->Int(0));
  return OkStatus();
}

constexpr OpTraits kEnqueue = {.state = StateRole::kUpdates, .may_block = true, .keeps_inputs = true, .brief = true};
constexpr OpTraits kDequeue = {.state = StateRole::kUpdates, .may_block = true, .brief = true};
constexpr OpTraits kDequeueOne = {
    .state = StateRole::kUpdates, .may_block = true, .brief = true, .gives_element = true};
constexpr OpTraits kClose = {.state = StateRole::kUpdates, .may_block = true};

struct QueueOpDef {
  HandleKindNames names;
  const char* signature;  // without the handle
  std::vector<std::string> attrs;
  ShapeFn shape;
  KernelFactory make;
  OpTraits traits = kVariableRead;
};

void AddOpDef(OpRegistry& registry, const QueueOpDef& op) {
  for (HandleKind handle_kind : kHandleKinds) {
    const bool more = op.signature[0] != '-';
    registry.Add({
        .name = op.names.of(handle_kind),
        .signature = absl::StrCat("handle: ", HandleType(handle_kind), more ? ", " : " ", op.signature),
        .attrs = op.attrs,
        .shape = [handle_kind, inner = op.shape](ShapeContext& c) -> Status {
          WEIR_TRY(CheckHandleShape(c, handle_kind));
          return inner(c);
        },
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(op.make),
        .traits = op.traits,
        .stateful = handle_kind == HandleKind::kResource,
    });
  }
}

}  // namespace

void RegisterQueues(OpRegistry& registry) {
  const std::vector<std::string> parts = {"component_types: list(type) >= 1", "shapes: list(shape) >= 0 = []",
                                          "capacity: int = -1"};
  AddMaker(registry, QueueKind::kFifo, {"FIFOQueue", "FIFOQueueV2"}, parts);
  AddMaker(registry, QueueKind::kPaddingFifo, {"PaddingFIFOQueue", "PaddingFIFOQueueV2"}, parts);
  AddMaker(registry, QueueKind::kRandomShuffle, {"RandomShuffleQueue", "RandomShuffleQueueV2"},
           {parts[0], parts[1], parts[2], "min_after_dequeue: int = 0", "seed: int = 0", "seed2: int = 0"});
  AddMaker(registry, QueueKind::kPriority, {"PriorityQueue", "PriorityQueueV2"},
           {"component_types: list(type) >= 0 = []", "shapes: list(shape) >= 0", parts[2]});

  const std::vector<std::string> in = {"Tcomponents: list(type) >= 1", "timeout_ms: int = -1"};
  const std::vector<std::string> out = {"component_types: list(type) >= 1", "timeout_ms: int = -1"};
  AddOpDef(registry, {{"QueueEnqueue", "QueueEnqueueV2"},
                      "components: Tcomponents ->",
                      in,
                      NoOutputs(),
                      [](KernelSetup& setup) { return MakeEnqueue(setup, false); },
                      kEnqueue});
  AddOpDef(registry, {{"QueueEnqueueMany", "QueueEnqueueManyV2"},
                      "components: Tcomponents ->",
                      in,
                      NoOutputs(),
                      [](KernelSetup& setup) { return MakeEnqueue(setup, true); },
                      kEnqueue});
  AddOpDef(registry, {{"QueueDequeue", "QueueDequeueV2"},
                      "-> components: component_types",
                      out,
                      UnknownOutputs(),
                      MakeDequeue,
                      kDequeueOne});
  AddOpDef(registry, {{"QueueDequeueMany", "QueueDequeueManyV2"},
                      "n: int32 -> components: component_types",
                      out,
                      DequeueManyShape,
                      [](KernelSetup& setup) { return MakeDequeueMany(setup, false); },
                      kDequeue});
  AddOpDef(registry, {{"QueueDequeueUpTo", "QueueDequeueUpToV2"},
                      "n: int32 -> components: component_types",
                      out,
                      DequeueManyShape,
                      [](KernelSetup& setup) { return MakeDequeueMany(setup, true); },
                      kDequeue});
  AddOpDef(registry, {{"QueueClose", "QueueCloseV2"},
                      "->",
                      {"cancel_pending_enqueues: bool = false"},
                      NoOutputs(),
                      MakeClose,
                      kClose});
  AddOpDef(
      registry,
      {{"QueueSize", "QueueSizeV2"}, "-> size: int32", {}, ScalarOutputs(), [](KernelSetup& setup) -> Result<Kernel> {
         // Set by graphs that hand out tokens to replicas: the size is -1 while all members wait.
         const bool asks_who_waits = setup.HasAttr("_everyone_waits");
         return QueueStateKernel([asks_who_waits](const QueueResource& q) {
           if (asks_who_waits && q.all_members_waiting()) return Tensor::Scalar(int32_t{-1});
           return Tensor::Scalar(static_cast<int32_t>(q.size()));
         });
       }});
  AddOpDef(registry, {{"QueueIsClosed", "QueueIsClosedV2"},
                      "-> is_closed: bool",
                      {},
                      ScalarOutputs(),
                      [](KernelSetup&) -> Result<Kernel> {
                        return QueueStateKernel([](const QueueResource& q) { return Tensor::Scalar(q.is_closed()); });
                      }});
  registry.Add({.name = "QueueAwaitDequeue",  // TensorFlow has no such op
                .signature = "handle: resource ->",
                .shape = [](ShapeContext& c) { return CheckHandleShape(c, HandleKind::kResource); },
                .no_gradient = kNoGradient,
                .kernels = CpuKernel(MakeAwaitDequeue),
                .traits = {.state = StateRole::kReads, .may_block = true, .brief = true},
                .stateful = true});
}

}  // namespace weir::ops
