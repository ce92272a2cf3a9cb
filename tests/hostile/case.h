// A hostile case: a graph around one node with random attributes, inputs and state. Resources that the node needs
// (variables, queues, tables, datasets, iterators) are created by other nodes, which are random too.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "op/op_registry.h"
#include "proto/graph.pb.h"
#include "tests/hostile/dice.h"
#include "tests/hostile/values.h"

namespace weir::hostile {

struct HostileCase {
  tensorflow::GraphDef graph;
  std::string node;                                   // name of the node under test
  std::vector<std::pair<std::string, Tensor>> feeds;  // placeholders
  std::vector<std::string> initializers;              // run before the node, one by one
  bool differentiate = false;

  std::string ToString() const;
};

// Generates cases. Thread-safe.
class CaseMaker final {
 public:
  // The registry outlives the maker.
  explicit CaseMaker(const OpRegistry& registry);
  // The op under test in a case. Consecutive cases cycle through all ops.
  const std::string& OpOf(int64_t number) const { return ops_[static_cast<size_t>(number) % ops_.size()]; }
  // Each attempt of a case is different. If the import rejects one, the caller tries the next.
  HostileCase Make(uint64_t seed, int64_t number, int attempt) const;
  size_t num_ops() const { return ops_.size(); }

 private:
  friend class CaseBuilder;
  const OpRegistry& registry_;
  std::vector<std::string> ops_;
  // Ops whose outputs can be inputs of these kinds.
  std::vector<const OpDef*> resource_makers_;
  std::vector<const OpDef*> variant_makers_;
  std::vector<const OpDef*> handle_makers_;  // Ref(string)
  tensorflow::FunctionDefLibrary functions_;
  std::vector<std::string> function_names_;
};

}  // namespace weir::hostile
