// Resources: state that outlives a step (variables, tables, queues). A ResourceManager holds the resources of a session
// or server by container and name. Both are thread-safe. Resources are reference-counted: a step keeps those that it
// uses alive.
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

// The value of a variable, for both kinds of TensorFlow variables: reference variables and resource variables.
// mu() guards the value. Writers hold it exclusively for the whole update. Reads of a reference variable within a step
// alias the buffer without holding it, as in TensorFlow. ops/state/variable_access.h has the rules for writing in
// place.
class VariableState final : public Resource {
 public:
  explicit VariableState(DType dtype, PartialShape declared = {})
      : dtype_(dtype), declared_shape_(std::move(declared)) {}
  DType dtype() const { return dtype_; }
  // The shape that the first value must have, unless it is assigned without validation.
  const PartialShape& declared_shape() const { return declared_shape_; }
  std::shared_mutex& mu() { return mu_; }

  // The current value (an alias, not a copy); an invalid tensor if not initialized. Takes mu, shared.
  Tensor Read() const;
  // A copy that later updates do not change. FailedPrecondition if not initialized. The message does not name the
  // variable: callers that know the name check initialized() first.
  Result<Tensor> Snapshot() const;
  // Replaces the value. Readers keep the old buffer. Takes mu.
  void Write(Tensor value);
  bool initialized() const;

  // REQUIRES: mu held.
  Tensor& value_locked() { return value_; }
  // Set by the first sparse update in place: from then on reads of a resource variable copy the value.
  // REQUIRES: mu held.
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

  // An empty `container` means the default container. Errors name the container, the resource and the type found.
  template <class T>
  Result<ResourcePtr<T>> Lookup(std::string_view container, std::string_view name) const {
    WEIR_ASSIGN(ResourcePtr<Resource> found, LookupAny(container, name));
    T* typed = dynamic_cast<T*>(found.get());
    if (typed == nullptr) return WrongType(container, name, *found);
    return ResourcePtr<T>::Share(typed);
  }
  // `make` runs with the manager's lock held: it must not call the manager.
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
