// Tensors that the session keeps between steps, identified by a string handle.
#include <atomic>

#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

constexpr char kContainer[] = "_session_tensors";

class SessionTensor final : public Resource {
 public:
  explicit SessionTensor(Tensor value) : value_(std::move(value)) {}
  const Tensor& value() const { return value_; }
  std::string DebugString() const override { return value_.ToString(); }

 private:
  const Tensor value_;
};

class HandleCounter final : public Resource {
 public:
  int64_t Next() { return next_.fetch_add(1, std::memory_order_relaxed); }
  std::string DebugString() const override { return "counter of session handles"; }

 private:
  std::atomic<int64_t> next_{0};
};

Result<std::string> HandleOf(const KernelContext& ctx) {
  if (ctx.input(0).num_elements() != 1)
    return InvalidArgument("a handle must be a scalar, but has shape {}", ctx.input(0).shape());
  return *ctx.input(0).data<std::string>();
}

// A handle is "<node>;<number>;<device>".
Result<Kernel> MakeGetHandle(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ResourcePtr<HandleCounter> counter,
                ctx.resources().LookupOrCreate<HandleCounter>(
                    kContainer, "counter",
                    []() -> Result<ResourcePtr<HandleCounter>> { return MakeIntrusive<HandleCounter>(); }));
    std::string handle = fmt::format("{};{};{}", ctx.name(), counter->Next(), ctx.node().device);
    WEIR_ASSIGN(Tensor copy, ctx.input(0).Clone());
    WEIR_TRY(ctx.resources().Create(kContainer, handle, MakeIntrusive<SessionTensor>(std::move(copy))));
    ctx.set_output(0, Tensor::Scalar(std::move(handle)));
    return OkStatus();
  });
}

Result<Kernel> MakeGetTensor(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string handle, HandleOf(ctx));
    Result<ResourcePtr<SessionTensor>> kept = ctx.resources().Lookup<SessionTensor>(kContainer, handle);
    if (!kept.ok()) return InvalidArgument("The tensor with handle '{}' is not in the session store.", handle);
    if ((*kept)->value().dtype() != ctx.output_type(0))
      return InvalidArgument("the tensor with handle '{}' is {}, not {}", handle, (*kept)->value().dtype(),
                             ctx.output_type(0));
    ctx.set_output(0, (*kept)->value());
    return OkStatus();
  });
}

Result<Kernel> MakeDelete(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string handle, HandleOf(ctx));
    if (!ctx.resources().Delete(kContainer, handle).ok())
      return InvalidArgument("Failed to delete a session tensor: '{}' is not in the session store.", handle);
    return OkStatus();
  });
}

Status HandleShape(ShapeContext& ctx) { return ctx.WithRank(0, 0).status(); }

}  // namespace

void RegisterSessionTensor(OpRegistry& registry) {
  registry.Add({
      .name = "GetSessionHandle",
      .signature = "value: T -> handle: string",
      .attrs = {"T: type"},
      .shape = ScalarOutputs(),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeGetHandle),
      .traits = kNeverBlocks,
      .stateful = true,
  });
  registry.Add({
      .name = "GetSessionTensor",
      .signature = "handle: string -> value: dtype",
      .attrs = {"dtype: type"},
      .shape = HandleShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeGetTensor),
      .traits = kNeverBlocks,
      .stateful = true,
  });
  registry.Add({
      .name = "DeleteSessionTensor",
      .signature = "handle: string ->",
      .shape = HandleShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDelete),
      .traits = kNeverBlocks,
      .stateful = true,
  });
}

}  // namespace weir::ops
