// KernelCache: the kernels of a session, made once per node and shared by all its plans, so that different signatures
// see the same state (a random generator, a reader's position). Thread-safe; kernels live as long as somebody uses
// them.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "device/device.h"
#include "graph/graph.h"
#include "op/kernel.h"

namespace weir {

// A kernel with the description it was made from.
struct BoundKernel {
  NodeInfo info;
  Kernel kernel;
  std::shared_ptr<const NodeProps> props;  // what the cache knows it by
};

class KernelCache final {
 public:
  // `resources` and `functions` are what kernel factories see; both may be null and outlive the cache.
  KernelCache(ResourceManager* resources, FunctionRunner* functions) : resources_(resources), functions_(functions) {}

  // The kernel of a node on a device. Errors name the node.
  Result<std::shared_ptr<const BoundKernel>> Get(const std::shared_ptr<const NodeProps>& props, const Device& device);
  void Clear();

 private:
  using Key = std::pair<const NodeProps*, const Device*>;
  ResourceManager* const resources_;
  FunctionRunner* const functions_;
  std::mutex mu_;
  absl::flat_hash_map<Key, std::shared_ptr<const BoundKernel>> kernels_;
};

NodeInfo MakeNodeInfo(const NodeProps& props, std::string device);

}  // namespace weir
