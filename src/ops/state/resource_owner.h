// Naming and lifetime of queues, accumulators, readers, iterators and tables. With a shared_name, the resource belongs
// to its container and can be used by every node with that name. Otherwise Unnamed determines name and lifetime.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "op/kernel.h"
#include "ops/state/handle_kind.h"

namespace weir::ops {

class ResourceOwner final {
 public:
  // The name of a resource without a shared_name. kPrivate: a unique name; the resource lives as long as the kernel of
  // its node. kOfNode: the name of the node; the resource belongs to its container.
  enum class Unnamed { kPrivate, kOfNode };
  // Called once per node, by the kernel's factory. `type_name` is the type stored in a resource handle.
  static Result<std::shared_ptr<ResourceOwner>> Make(const KernelSetup& setup, HandleKind handle_kind,
                                                     const std::string& type_name, Unnamed unnamed = Unnamed::kPrivate);
  ~ResourceOwner();
  ResourceOwner(const ResourceOwner&) = delete;
  ResourceOwner& operator=(const ResourceOwner&) = delete;

  const std::string& container() const { return container_; }
  const std::string& name() const { return name_; }    // in the container
  const std::string& title() const { return title_; }  // for error messages
  bool is_private() const { return is_private_; }      // lives as long as the kernel
  // Returns the resource, created by `make` if it does not exist. The caller checks that an existing one matches the
  // node.
  template <class T>
  Result<ResourcePtr<T>> Get(KernelContext& ctx, FunctionRef<Result<ResourcePtr<T>>()> make) {
    ResourceManager& manager = ctx.resources();
    manager_.store(&manager, std::memory_order_relaxed);
    return manager.LookupOrCreate<T>(container_, name_, make);
  }
  // Sets output 0 to the handle.
  void SetOutput(KernelContext& ctx) const;

 private:
  ResourceOwner() = default;
  std::string container_;
  std::string name_;
  std::string title_;
  bool is_private_ = false;
  std::atomic<ResourceManager*> manager_{nullptr};  // holds the resource; outlives the kernels of its sessions
  Tensor resource_;
  ResourcePtr<VariableState> ref_;
};

// Returns the resource that the handle in an input refers to.
template <class T>
Result<ResourcePtr<T>> LookupHandle(const KernelContext& ctx, int input = 0) {
  const Tensor& handle = ctx.input(input);
  if (handle.dtype() == kResource) return ctx.LookupResource<T>(input);
  if (handle.dtype() != kString || handle.num_elements() != 2) {
    return InvalidArgument("a reference handle must consist of two strings, but has type {} and shape {}",
                           handle.dtype(), handle.shape());
  }
  const std::string* names = handle.data<std::string>();
  return ctx.resources().Lookup<T>(names[0], names[1]);
}

}  // namespace weir::ops
