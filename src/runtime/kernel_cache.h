// KernelCache: the kernels of a session, created once per node and shared by all its plans, so that different
// signatures see the same state (a random generator, a reader's position). Kernels are reference-counted. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "device/device.h"
#include "graph/graph.h"
#include "op/kernel.h"

namespace weir {

// A kernel with the NodeInfo that it was created from.
struct BoundKernel {
  NodeInfo info;
  Kernel kernel;
  std::shared_ptr<const NodeProps> props;  // keeps the key of the cache alive
};

// Kernels with state (a random generator, a counter) by node name. Graphs that contain the same nodes, such as those
// that a master registers one after the other, share them, so that the state carries over. Thread-safe.
class NamedKernels final {
 public:
  std::shared_ptr<const BoundKernel> Find(const NodeProps& props, const Device& device);
  // Adds a kernel and returns the one to use: if an equal node of this name was added before, that node's kernel. A
  // different node of the same name keeps its own kernel.
  std::shared_ptr<const BoundKernel> Keep(const Device& device, std::shared_ptr<const BoundKernel> kernel);

 private:
  std::mutex mu_;
  absl::flat_hash_map<std::pair<std::string, const Device*>, std::shared_ptr<const BoundKernel>> kernels_;
};

class KernelCache final {
 public:
  // `env`, `resources` and `functions` are what kernel factories see; they outlive the cache, and the last two may be
  // null. `named` may be null too: then kernels are shared by this cache's users alone.
  KernelCache(Env& env, ResourceManager* resources, FunctionRunner* functions,
              std::shared_ptr<NamedKernels> named = nullptr)
      : env_(env), resources_(resources), functions_(functions), named_(std::move(named)) {}

  // The kernel of a node on a device. Errors name the node.
  Result<std::shared_ptr<const BoundKernel>> Get(const std::shared_ptr<const NodeProps>& props, const Device& device);
  void Clear();

 private:
  using Key = std::pair<const NodeProps*, const Device*>;
  Env& env_;
  ResourceManager* const resources_;
  FunctionRunner* const functions_;
  const std::shared_ptr<NamedKernels> named_;
  std::mutex mu_;
  absl::flat_hash_map<Key, std::shared_ptr<const BoundKernel>> kernels_;
};

NodeInfo MakeNodeInfo(const NodeProps& props, std::string device);

}  // namespace weir
