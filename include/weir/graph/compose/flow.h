// Control flow functions: cond, case, while_loop and variants. Branches and bodies are functions that build nodes; each
// is called once, at construction time. docs/control-flow.md describes the resulting nodes.
#pragma once

#include <functional>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// A branch result that is a node without outputs. Cond then returns the predicate in its place, after the node has run.
inline Output NodeAsOutput(Node* node) { return Output(node, node->num_outputs()); }
using BranchFn = std::function<Result<OutputList>()>;
using LoopCondFn = std::function<Result<Output>(const OutputList&)>;
using LoopBodyFn = std::function<Result<OutputList>(const OutputList&)>;

// The outputs of the branch that `pred` selects. Both branches return the same number and types of values.
Result<OutputList> Cond(Graph& graph, const Input& pred, const BranchFn& true_fn, const BranchFn& false_fn,
                        std::string name = "");

struct WhileOptions {
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  std::vector<PartialShape> shape_invariants = {};  // one per loop variable, or empty
  Input maximum_iterations = {};                    // absent: unlimited
  std::string name = "";
};
// Returns the final loop variables. A TensorArray is passed as its flow value.
Result<OutputList> WhileLoop(Graph& graph, const LoopCondFn& cond, const LoopBodyFn& body, const InputList& loop_vars,
                             const WhileOptions& options = {});

struct CaseBranch {
  Output pred;
  BranchFn fn;
};
// Runs the first branch whose predicate is true, else default_fn. If default_fn is empty, one predicate must be true.
Result<OutputList> Case(Graph& graph, const std::vector<CaseBranch>& branches, const BranchFn& default_fn,
                        bool exclusive = false, std::string name = "case");

// Runs the branch with number `index`; for any other index default_fn, or the last branch if that is empty.
struct NumberedBranch {
  int64_t number;
  BranchFn fn;
};
Result<OutputList> SwitchCase(Graph& graph, const Input& index, const std::vector<NumberedBranch>& branches,
                              const BranchFn& default_fn, std::string name = "switch_case");

// Forwards `value` after all of `nodes` have run.
Output WithDependencies(const std::vector<Node*>& nodes, Output value, std::string name = "control_dependency");
// Forwards each value after all values and `nodes` are computed. Invalid values stay invalid.
Result<OutputList> Tuple(Graph& graph, const OutputList& values, const std::vector<Node*>& nodes = {},
                         std::string name = "tuple");

}  // namespace weir
