// Resources that live for one step (stacks, TensorArrays). They are stored in the step's ResourceManager under a unique
// name. A handle to one is a resource handle or, in the first versions of the ops, a reference to the strings
// {container, name}.
#pragma once

#include <atomic>

#include "op/kernel.h"

namespace weir::ops {

// Adds `make(name)` to the step's resources under the name "<base>_<n>", with the first free n starting at `next`.
// Returns the name.
template <class T, class Make>
Result<std::string> AddToStep(KernelContext& ctx, std::string_view container, const std::string& base,
                              std::atomic<int64_t>& next, Make make) {
  if (ctx.step().step_resources == nullptr)
    return Internal("internal error: node '{}' runs without step resources", ctx.name());
  while (true) {
    std::string name = fmt::format("{}_{}", base, next.fetch_add(1, std::memory_order_relaxed));
    ResourcePtr<T> made = make(name);
    const Status status = ctx.step().step_resources->Create(container, name, std::move(made));
    if (status.ok()) return name;
    if (status.code() != StatusCode::kAlreadyExists) return status;
  }
}

inline Tensor StepHandle(std::string_view container, const std::string& name, const std::string& device) {
  ResourceHandle handle;
  handle.device = device;
  handle.container = std::string(container);
  handle.name = name;
  return Tensor::Scalar(std::move(handle));
}

// Returns the resource that the handle in input i refers to.
template <class T>
Result<ResourcePtr<T>> LookupInStep(const KernelContext& ctx, int i) {
  const Tensor& handle = ctx.input(i);
  if (ctx.step().step_resources == nullptr)
    return Internal("internal error: node '{}' runs without step resources", ctx.name());
  if (handle.valid() && handle.dtype() == kResource && handle.num_elements() == 1) {
    const ResourceHandle& h = *handle.data<ResourceHandle>();
    return ctx.step().step_resources->Lookup<T>(h.container, h.name);
  }
  if (handle.valid() && handle.dtype() == kString && handle.num_elements() == 2) {
    return ctx.step().step_resources->Lookup<T>(handle.data<std::string>()[0], handle.data<std::string>()[1]);
  }
  return InvalidArgument("input {} is not a handle of a stack or TensorArray", i);
}

}  // namespace weir::ops
