// VariableUses: the nodes of a plan graph that update each variable, and those that use its memory. The memory of a
// reference variable is used directly and through every value that may share it (Identity, Reshape, Slice, Switch,
// ...). A resource variable is used by the ops that read it. Memory is not shared between tasks: a consumer on another
// task uses the value that is sent to it. Immutable after Find.
#pragma once

#include <vector>

#include "runtime/plan_graph.h"

namespace weir {

struct VariableRead {
  enum class Kind {
    kComputes,  // does not use the memory after the node has ended
    kKeeps,     // may store the value for later nodes: TensorArrays, queues, functions
    kRemote,    // on another task
    kResource,  // reads a resource variable: its result never changes
    kFetch,     // `node` is the number of the fetch
  };
  int32_t node = 0;
  PlanValue from;  // the value that shares the memory, or the resource handle
  Kind kind = Kind::kComputes;
};

struct VariableUse {
  bool is_reference = false;
  PlanValue variable;            // the reference or the resource handle
  std::vector<int32_t> updates;  // in order of creation, each once
  std::vector<VariableRead> reads;
  // Fetches of the variable itself, or of an Identity of it.
  std::vector<int32_t> fetches;
};

class VariableUses final {
 public:
  // REQUIRES: every node is placed.
  static VariableUses Find(const PlanGraph& graph);

  // All variables. `reads` is empty if no node updates the variable.
  const std::vector<VariableUse>& variables() const { return variables_; }
  // Whether `value` may share the memory of, or be a handle of, variable number `v`.
  bool Carries(PlanValue value, int32_t v) const;
  // The number of the task that a node is placed on.
  int32_t task_of(int32_t node) const { return task_of_[node]; }

 private:
  friend class VariableFinder;
  std::vector<VariableUse> variables_;
  std::vector<absl::InlinedVector<int32_t, 2>> sets_;  // sets of variables; sets_[v] is {v}
  int32_t SetOf(PlanValue value) const { return value.fed() ? set_of_feed_[value.output] : set_of_[value.node]; }
  std::vector<int32_t> set_of_;       // indexed by node: the set that its outputs carry; -1: none
  std::vector<int32_t> set_of_feed_;  // indexed by feed: for fed resource handles, as in functions
  std::vector<int32_t> task_of_;
};

}  // namespace weir
