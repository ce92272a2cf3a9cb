// How queues, accumulators and readers are named. With a shared_name a resource belongs to its container and whoever
// names it there; without one it belongs to its node's kernel, under a name of its own, and goes with it.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "op/kernel.h"

namespace weir::ops {

// kRef: a reference to the strings {container, name}. kResource: a resource handle.
enum class HandleFace { kRef, kResource };
inline constexpr HandleFace kHandleFaces[] = {HandleFace::kRef, HandleFace::kResource};
// The names of an op in its two forms.
struct FaceNames {
  const char* ref;
  const char* resource;
  const char* of(HandleFace face) const { return face == HandleFace::kRef ? ref : resource; }
};
// The type of the handle in signatures.
inline const char* HandleType(HandleFace face) { return face == HandleFace::kRef ? "Ref(string)" : "resource"; }

class OwnedHandle final {
 public:
  // Made once per node, by its factory. `type_name` is what a resource handle says it is.
  static Result<std::shared_ptr<OwnedHandle>> Make(const KernelSetup& setup, HandleFace face,
                                                   const std::string& type_name);
  ~OwnedHandle();
  OwnedHandle(const OwnedHandle&) = delete;
  OwnedHandle& operator=(const OwnedHandle&) = delete;

  const std::string& container() const { return container_; }
  const std::string& name() const { return name_; }    // in the container
  const std::string& title() const { return title_; }  // for people
  bool is_private() const { return is_private_; }      // without a shared_name
  // The resource, made by `make` where there is none; not yet held against what the node wants.
  template <class T>
  Result<ResourcePtr<T>> Get(KernelContext& ctx, FunctionRef<Result<ResourcePtr<T>>()> make) {
    ResourceManager& manager = ctx.resources();
    manager_.store(&manager, std::memory_order_relaxed);
    return manager.LookupOrCreate<T>(container_, name_, make);
  }
  // Sets output 0.
  void Give(KernelContext& ctx) const;

 private:
  OwnedHandle() = default;
  std::string container_;
  std::string name_;
  std::string title_;
  bool is_private_ = false;
  std::atomic<ResourceManager*> manager_{nullptr};  // where the resource is; outlives the kernels of its sessions
  Tensor resource_;
  ResourcePtr<VariableState> ref_;
};

// What the handle in an input stands for.
template <class T>
Result<ResourcePtr<T>> LookupHandle(const KernelContext& ctx, int input = 0) {
  const Tensor& handle = ctx.input(input);
  if (handle.dtype() == kResource) return ctx.LookupResource<T>(input);
  if (handle.dtype() != kString || handle.num_elements() != 2) {
    return InvalidArgument("a handle must be two strings, but is {} of shape {}", handle.dtype(), handle.shape());
  }
  const std::string* names = handle.data<std::string>();
  return ctx.resources().Lookup<T>(names[0], names[1]);
}

}  // namespace weir::ops
