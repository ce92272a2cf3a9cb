// Control flow as building functions: cond, case, while_loop and what is made of them. Branches and bodies are
// functions that build nodes; they run once, while the graph is built. docs/control-flow.md says what nodes come out.
#pragma once

#include <functional>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// A branch may give nodes without a value, as NodeItself(node); the cond then gives the predicate in its place, once
// the node has run.
inline Output NodeItself(Node* node) { return Output(node, node->num_outputs()); }
using BranchFn = std::function<Result<OutputList>()>;
using LoopCondFn = std::function<Result<Output>(const OutputList&)>;
using LoopBodyFn = std::function<Result<OutputList>(const OutputList&)>;

// The outputs of the branch that pred chooses; both give the same number and types of values.
Result<OutputList> Cond(Graph& graph, const Input& pred, const BranchFn& true_fn, const BranchFn& false_fn,
                        std::string name = "");

struct WhileOptions {
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  std::vector<PartialShape> shape_invariants = {};  // one per loop variable, or empty
  Input maximum_iterations = {};                    // absent: no bound
  std::string name = "";
};
// The loop variables at the end. TensorArrays are passed along by their flow.
Result<OutputList> WhileLoop(Graph& graph, const LoopCondFn& cond, const LoopBodyFn& body, const InputList& loop_vars,
                             const WhileOptions& options = {});

struct CaseBranch {
  Output pred;
  BranchFn fn;
};
// The first branch whose predicate is true, else default_fn (which may be empty: then one must be true).
Result<OutputList> Case(Graph& graph, const std::vector<CaseBranch>& branches, const BranchFn& default_fn,
                        bool exclusive = false, std::string name = "case");

// The branch with that number; default_fn (empty: the last branch) for all other numbers.
struct NumberedBranch {
  int64_t number;
  BranchFn fn;
};
Result<OutputList> SwitchCase(Graph& graph, const Input& index, const std::vector<NumberedBranch>& branches,
                              const BranchFn& default_fn, std::string name = "switch_case");

// `value`, given on when all of `nodes` have run.
Output WithDependencies(const std::vector<Node*>& nodes, Output value, std::string name = "control_dependency");
// The values, each given on when all of them, and `nodes`, are there. Invalid ones stay invalid.
Result<OutputList> Tuple(Graph& graph, const OutputList& values, const std::vector<Node*>& nodes = {},
                         std::string name = "tuple");

}  // namespace weir
