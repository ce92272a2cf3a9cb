// MutexV2, MutexLock and ConsumeMutexLock: locks that nodes hold while other nodes run, for critical sections.
#include "ops/queue/mutex.h"

#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/state/resource_owner.h"

namespace weir::ops {

void Mutex::Acquire(CancelToken& cancel, AcquireDone done) {
  Waiters::Update(mu_, [&](std::vector<Waiters::Ended>& ended) {
    const auto serve = [&](uint64_t id) {
      if (held_) return;
      held_ = true;
      waiters_.End(waiters_.Find(id), OkStatus(), ended);
    };
    const auto it = waiters_.Add(Call{this, std::move(done)}, cancel, serve,
                                 [self = ResourcePtr<Mutex>::Share(this)](uint64_t id) { self->CancelWaiter(id); });
    if (it != waiters_.end()) waiters_.End(it, cancel.reason(), ended);
  });
}

void Mutex::CancelWaiter(uint64_t id) {
  Waiters::Update(mu_, [&](std::vector<Waiters::Ended>& ended) {
    const auto it = waiters_.Find(id);
    if (it != waiters_.end()) waiters_.End(it, Cancelled("the wait for {} was cancelled", DebugString()), ended);
  });
}

void Mutex::Release() {
  Waiters::Update(mu_, [&](std::vector<Waiters::Ended>& ended) {
    held_ = !waiters_.empty();
    if (held_) waiters_.End(waiters_.begin(), OkStatus(), ended);
  });
}

void Mutex::Call::Finish(Status status) {
  if (!status.ok()) return done(std::move(status));
  done(MakeVariant(MakeIntrusive<MutexHold>(ResourcePtr<Mutex>::Share(mutex))));
}

namespace {

Result<Kernel> MakeMutexHandle(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<ResourceOwner> handle,
              ResourceOwner::Make(setup, HandleKind::kResource, "Mutex", ResourceOwner::Unnamed::kOfNode));
  return Kernel::Sync([handle](KernelContext& ctx) -> Status {
    const auto make = [&]() -> Result<ResourcePtr<Mutex>> { return MakeIntrusive<Mutex>(handle->name()); };
    WEIR_TRY(handle->Get<Mutex>(ctx, make).status());
    handle->SetOutput(ctx);
    return OkStatus();
  });
}

Result<Kernel> MakeMutexLock(KernelSetup&) {
  return Kernel::Async([](KernelContext& ctx, Done done) {
    Result<ResourcePtr<Mutex>> mutex = ctx.LookupResource<Mutex>(0);
    if (!mutex.ok()) return done(mutex.status());
    (*mutex)->Acquire(ctx.cancel(), [&ctx, done = std::move(done), mutex = *mutex](Result<Tensor> hold) {
      if (!hold.ok()) return done(hold.status());
      ctx.set_output(0, *std::move(hold));
      done(OkStatus());
    });
  });
}

// The lock is released with the last reference to its variant, which this node keeps until then.
Result<Kernel> MakeConsumeLock(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor lock = std::move(ctx.raw_input(0).tensor);
    const IntrusivePtr<const VariantValue> value = VariantOf(lock);
    if (dynamic_cast<const MutexHold*>(value.get()) != nullptr) return OkStatus();
    return InvalidArgument("Expected input to be a mutex lock, but got {}",
                           value ? value->DebugString() : fmt::format("a tensor of type {}", lock.dtype()));
  });
}

}  // namespace

void RegisterMutexes(OpRegistry& registry) {
  registry.Add({.name = "MutexV2",
                .signature = "-> resource: resource",
                .attrs = {"container: string = ''", "shared_name: string = ''"},
                .shape = ScalarOutputs(),
                .kernels = CpuKernel(MakeMutexHandle),
                .traits = {.state = StateRole::kHandle, .may_block = false},
                .stateful = true});
  registry.Add({.name = "MutexLock",
                .signature = "mutex: resource -> mutex_lock: variant",
                .attrs = {},
                .shape = ScalarOutputs(),
                .no_gradient = kNoGradient,
                .kernels = CpuKernel(MakeMutexLock),
                .traits = {.may_block = true},
                .stateful = true});
  registry.Add({.name = "ConsumeMutexLock",
                .signature = "mutex_lock: variant ->",
                .attrs = {},
                .shape = [](ShapeContext& ctx) { return ctx.WithRank(0, 0).status(); },
                .no_gradient = kNoGradient,
                .kernels = CpuKernel(MakeConsumeLock),
                .traits = {.may_block = false},
                .stateful = true});
}

}  // namespace weir::ops
