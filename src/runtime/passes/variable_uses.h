// VariableUses: which nodes of a plan graph update each variable, and which use its memory. A reference variable's
// memory is used directly, and through every value that may share it (Identity, Reshape, Slice, Switch, ...); a
// resource variable is used by the ops that read it. Memory is not shared between tasks: a consumer on another task
// uses what is sent to it. A value.
#pragma once

#include <vector>

#include "runtime/plan_graph.h"

namespace weir {

struct VariableRead {
  enum class Kind {
    kComputes,   // done with the memory when the node has ended
    kKeeps,      // may keep the value where later nodes find it: TensorArrays, queues, functions
    kElsewhere,  // on another task
    kResource,   // reads a resource variable: its result never changes
    kFetch,      // `node` is the number of the fetch
  };
  int32_t node = 0;
  PlanValue from;  // the value that shares the memory, or the handle
  Kind kind = Kind::kComputes;
};

struct VariableUse {
  bool is_reference = false;
  PlanValue variable;            // the reference or the handle
  std::vector<int32_t> updates;  // in order of creation, each once
  std::vector<VariableRead> reads;
  // Fetches of the variable itself or its Identity.
  std::vector<int32_t> fetches;
};

class VariableUses final {
 public:
  // REQUIRES: every node is placed.
  static VariableUses Find(const PlanGraph& graph);

  // All of them; without reads where no node updates the variable.
  const std::vector<VariableUse>& variables() const { return variables_; }
  // True if output `value` may be, or refer to, variable number `v`.
  bool Carries(PlanValue value, int32_t v) const;
  // The number of the task that a node is placed on.
  int32_t task_of(int32_t node) const { return task_of_[node]; }

 private:
  friend class VariableFinder;
  std::vector<VariableUse> variables_;
  std::vector<absl::InlinedVector<int32_t, 2>> sets_;  // of variables; [v] is {v}
  int32_t SetOf(PlanValue value) const { return value.fed() ? set_of_feed_[value.output] : set_of_[value.node]; }
  std::vector<int32_t> set_of_;       // by node: what its outputs carry, -1: nothing
  std::vector<int32_t> set_of_feed_;  // a fed handle, as functions take them
  std::vector<int32_t> task_of_;
};

}  // namespace weir
