// OpRegistry: the ops there are. Filled once at start by an explicit list (ops/register.h), then only read: reading is
// thread-safe. Entries are parsed on first use, so that a start costs little.
#ifndef WEIR_OP_OP_REGISTRY_H_
#define WEIR_OP_OP_REGISTRY_H_

#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "op/op_def.h"

namespace weir {

class OpRegistry final {
 public:
  OpRegistry() = default;
  OpRegistry(const OpRegistry&) = delete;
  OpRegistry& operator=(const OpRegistry&) = delete;

  // A name added twice is one of our own bugs.
  void Add(OpEntry entry);
  // Adds kernels to an op added before (another device's list joins this way).
  void AddKernels(std::string_view op, KernelList kernels);

  // Null when there is none. The pointer stays valid as long as the registry.
  const OpDef* Find(std::string_view name) const;
  std::vector<std::string> Names() const;  // sorted
  // Parses every entry: what tests call to see that all schemas are well-formed.
  Status Validate() const;

 private:
  struct Slot {
    OpEntry entry;
    std::unique_ptr<OpDef> def;
  };
  mutable std::mutex mu_;
  mutable std::map<std::string, Slot, std::less<>> slots_;
};

}  // namespace weir

#endif  // WEIR_OP_OP_REGISTRY_H_
