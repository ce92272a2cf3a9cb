// Resources: state that outlives a step (variables, tables, queues). A ResourceManager holds them by container and
// name, for one session or one server. Both are thread-safe; resources are counted, so a step keeps what it uses.
#ifndef WEIR_OP_RESOURCE_H_
#define WEIR_OP_RESOURCE_H_

#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <typeinfo>

#include "base/function_ref.h"
#include "base/intrusive_ptr.h"
#include "tensor/tensor.h"

namespace weir {

class Resource : public RefCounted {
 public:
  virtual std::string DebugString() const = 0;
};
template <class T>
using ResourcePtr = IntrusivePtr<T>;

// The value behind a variable, for both of TensorFlow's faces: reference variables and resource variables.
// mu guards the value: writers hold it alone for the whole update; reads of a reference variable inside a step alias
// the buffer without holding it, as in TensorFlow. Who may write where: ops/state/variable_access.h.
class VariableState final : public Resource {
 public:
  explicit VariableState(DType dtype, PartialShape declared = {})
      : dtype_(dtype), declared_shape_(std::move(declared)) {}
  DType dtype() const { return dtype_; }
  // What its first value must fit, unless that is assigned without validation.
  const PartialShape& declared_shape() const { return declared_shape_; }
  std::shared_mutex& mu() { return mu_; }

  // The current value, sharing memory; invalid when not initialized. Takes mu, shared.
  Tensor Read() const;
  // A value that later updates will not change. FailedPrecondition when not initialized (without the variable's name:
  // who knows it asks initialized() first).
  Result<Tensor> Snapshot() const;
  // Replaces the value (the old buffer stays with those who read it). Takes mu.
  void Write(Tensor value);
  bool initialized() const;

  // REQUIRES: mu held.
  Tensor& value_locked() { return value_; }
  // True once a sparse update has written in place: a resource read copies from then on.
  bool& copy_on_read_locked() { return copy_on_read_; }
  std::string DebugString() const override;

 private:
  const DType dtype_;
  const PartialShape declared_shape_;
  mutable std::shared_mutex mu_;
  Tensor value_;
  bool copy_on_read_ = false;
};

class ResourceManager final {
 public:
  explicit ResourceManager(std::string default_container = "localhost")
      : default_container_(std::move(default_container)) {}
  ResourceManager(const ResourceManager&) = delete;
  ResourceManager& operator=(const ResourceManager&) = delete;

  const std::string& default_container() const { return default_container_; }

  // An empty container means the default one. Errors name container, resource and the type found.
  template <class T>
  Result<ResourcePtr<T>> Lookup(std::string_view container, std::string_view name) const {
    WEIR_ASSIGN(ResourcePtr<Resource> found, LookupAny(container, name));
    T* typed = dynamic_cast<T*>(found.get());
    if (typed == nullptr) return WrongType(container, name, *found);
    return ResourcePtr<T>::Share(typed);
  }
  // `make` runs at most once at a time, with the manager's lock held: it must not come back to the manager.
  template <class T>
  Result<ResourcePtr<T>> LookupOrCreate(std::string_view container, std::string_view name,
                                        FunctionRef<Result<ResourcePtr<T>>()> make) {
    WEIR_ASSIGN(ResourcePtr<Resource> found, LookupOrCreateAny(container, name, [&]() -> Result<ResourcePtr<Resource>> {
                  WEIR_ASSIGN(ResourcePtr<T> made, make());
                  return ResourcePtr<Resource>(std::move(made));
                }));
    T* typed = dynamic_cast<T*>(found.get());
    if (typed == nullptr) return WrongType(container, name, *found);
    return ResourcePtr<T>::Share(typed);
  }
  Status Create(std::string_view container, std::string_view name, ResourcePtr<Resource> resource);
  Status Delete(std::string_view container, std::string_view name);
  void ClearContainer(std::string_view container);
  void ClearAll();

 private:
  Result<ResourcePtr<Resource>> LookupAny(std::string_view container, std::string_view name) const;
  Result<ResourcePtr<Resource>> LookupOrCreateAny(std::string_view container, std::string_view name,
                                                  FunctionRef<Result<ResourcePtr<Resource>>()> make);
  Status WrongType(std::string_view container, std::string_view name, const Resource& found) const;

  const std::string default_container_;
  mutable std::shared_mutex mu_;
  std::map<std::string, std::map<std::string, ResourcePtr<Resource>, std::less<>>, std::less<>> containers_;
};

}  // namespace weir

#endif  // WEIR_OP_RESOURCE_H_
