// OpRegistry: all known ops. Filled once at startup by an explicit list (ops/register.h). Thread-safe. Entries are
// parsed on first use, to keep startup fast.
#ifndef WEIR_OP_OP_REGISTRY_H_
#define WEIR_OP_OP_REGISTRY_H_

#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "weir/op/op_def.h"

namespace weir {

class OpRegistry final {
 public:
  OpRegistry() = default;
  OpRegistry(const OpRegistry&) = delete;
  OpRegistry& operator=(const OpRegistry&) = delete;

  // REQUIRES: no op of this name was added before.
  void Add(OpEntry entry);
  // Adds kernels, e.g. of another device, to an op. REQUIRES: the op was added, and Find was not called for it yet.
  void AddKernels(std::string_view op, KernelList kernels);

  // Null if there is no such op. The pointer stays valid as long as the registry.
  const OpDef* Find(std::string_view name) const;
  std::vector<std::string> Names() const;  // sorted
  // Parses every entry and checks its kernels against the schema. For tests.
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
