// A hostile case: a graph around one node whose attributes, inputs and state were thrown by dice. What the node needs
// (variables, queues, tables, datasets, iterators) is made by nodes of the registry that were thrown the same way.
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
  std::string node;                                   // the name of the node that the case is about
  std::vector<std::pair<std::string, Tensor>> feeds;  // placeholders
  std::vector<std::string> initializers;              // run before it, one by one
  bool differentiate = false;

  std::string ToString() const;
};

// Makes cases. Thread-compatible: Make changes nothing.
class CaseMaker final {
 public:
  // The registry outlives the maker.
  explicit CaseMaker(const OpRegistry& registry);
  // The op that a case is about: all ops take turns.
  const std::string& OpOf(int64_t number) const { return ops_[static_cast<size_t>(number) % ops_.size()]; }
  // Attempts of one case differ: where import refuses one, the next may get further.
  HostileCase Make(uint64_t seed, int64_t number, int attempt) const;
  size_t num_ops() const { return ops_.size(); }

 private:
  friend class CaseBuilder;
  const OpRegistry& registry_;
  std::vector<std::string> ops_;
  // Ops that give out a value of these kinds, to be the input of others.
  std::vector<const OpDef*> resource_makers_;
  std::vector<const OpDef*> variant_makers_;
  std::vector<const OpDef*> handle_makers_;  // Ref(string)
  tensorflow::FunctionDefLibrary functions_;
  std::vector<std::string> function_names_;
};

}  // namespace weir::hostile
