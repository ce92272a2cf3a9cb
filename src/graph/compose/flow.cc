#include "graph/compose/flow.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/compose/names.h"
#include "graph/cond_context.h"
#include "graph/while_context.h"

namespace weir {
namespace {

Result<Node*> MakeIdentity(Graph& graph, Output value, const std::string& name) {
  return NodeBuilder(graph, "Identity", name).In(value).Build();
}

// The results of a branch, alive only if the branch is taken.
Result<OutputList> BuildBranch(Graph& graph, CondContext& context, const BranchFn& fn) {
  FlowScope scope(graph, &context);
  WEIR_ASSIGN(OutputList values, fn());
  WEIR_TRY(graph.TakeError());
  for (Output& value : values) {
    if (!value.valid()) return InvalidArgument("a branch of '{}' returned an invalid value", context.name());
    if (value.index >= value.node->num_outputs()) {
      value = WithDependencies({value.node}, context.pivot_value());
      WEIR_TRY(graph.TakeError());
    } else {
      WEIR_ASSIGN(value, context.Capture(value));
    }
  }
  return values;
}

// True if `shape` is at least as specific as `bound`.
bool Within(const PartialShape& shape, const PartialShape& bound) {
  if (!bound.known_rank()) return true;
  if (shape.rank() != bound.rank()) return false;
  for (int i = 0; i < bound.rank(); ++i)
    if (bound[i] != kUnknownDim && bound[i] != shape[i]) return false;
  return true;
}

struct Loop {
  WhileContext* context = nullptr;
  std::vector<WhileContext::Variable> variables;
};

Status CheckInvariant(Output initial, const PartialShape& invariant) {
  if (Within(initial.shape(), invariant)) return OkStatus();
  return InvalidArgument(
      "The shape invariant specified for {} is not compatible with the initial shape of the loop variable. It enters "
      "the loop with shape {}, but the specified shape invariant is {}.",
      initial.name(), initial.shape(), invariant);
}

Status CloseLoop(Loop& loop, const OutputList& initial, const OutputList& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const WhileContext::Variable& variable = loop.variables[i];
    if (!results[i].valid())
      return InvalidArgument("the body of '{}' returned no value for loop variable {}", loop.context->name(), i);
    if (results[i].base_dtype() != variable.merge.base_dtype())
      return InvalidArgument("Input tensor '{}' enters the loop with type {}, but has type {} after one iteration.",
                             initial[i].name(), variable.merge.base_dtype(), results[i].base_dtype());
    if (!Within(results[i].shape(), variable.merge.shape()))
      return InvalidArgument(
          "Input tensor '{}' enters the loop with shape {}, but has shape {} after one iteration. To allow the shape "
          "to "
          "vary across iterations, use the `shape_invariants` argument of tf.while_loop to specify a less-specific "
          "shape.",
          initial[i].name(), variable.merge.shape(), results[i].shape());
    WEIR_TRY(loop.context->SetNext(variable, results[i]).status());
  }
  return OkStatus();
}

// Builds the loop. Everything except `cond` and `body` is built in the caller's scopes.
Result<OutputList> BuildLoop(Graph& graph, const LoopCondFn& cond, const LoopBodyFn& body, const OutputList& initial,
                             const std::vector<PartialShape>& shapes, const WhileOptions& options) {
  auto owned = std::make_unique<WhileContext>(graph, graph.UniqueName("while_context"), graph.build().flow,
                                              WhileContext::Options{.parallel_iterations = options.parallel_iterations,
                                                                    .back_prop = options.back_prop,
                                                                    .swap_memory = options.swap_memory});
  Loop loop{.context = owned.get()};
  WhileContext& context = *loop.context;
  graph.AddFlowContext(std::move(owned));
  for (size_t i = 0; i < initial.size(); ++i) {
    WEIR_ASSIGN(WhileContext::Variable variable, context.AddVariable(initial[i], shapes[i]));
    loop.variables.push_back(variable);
  }
  context.set_condition_pivot(loop.variables[0].merge.node);
  OutputList values;
  for (const auto& variable : loop.variables) values.push_back(variable.merge);
  {
    FlowScope scope(graph, &context);
    WEIR_ASSIGN(Output more, cond(values));
    WEIR_TRY(graph.TakeError());
    WEIR_TRY(context.SetCondition(more));
  }
  values.clear();
  for (auto& variable : loop.variables) WEIR_TRY(context.AddSwitchFor(&variable));
  FlowScope scope(graph, &context);
  for (auto& variable : loop.variables) {
    WEIR_ASSIGN(Node * identity, MakeIdentity(graph, variable.in_body, "Identity"));
    values.push_back(Output(identity, 0));
  }
  context.set_body_pivot(values[0].node);
  WEIR_ASSIGN(OutputList results, body(values));
  WEIR_TRY(graph.TakeError());
  if (results.size() != initial.size())
    return InvalidArgument("the body of '{}' returned {} values for {} loop variables", context.name(), results.size(),
                           initial.size());
  WEIR_TRY(CloseLoop(loop, initial, results));
  OutputList exits;
  for (const auto& variable : loop.variables) {
    WEIR_ASSIGN(Output exit, context.AddExit(variable));
    exits.push_back(exit);
  }
  return exits;
}

// A node that asserts a condition on the predicates.
Node* AssertPredicates(Graph& graph, Output holds, const char* message, Output predicates) {
  return Assert(graph, holds, {Input(message), predicates}, {.summarize = 100});
}

// Conditionals are built recursively, so this bounds the stack depth.
constexpr size_t kMaxBranches = 1000;

Result<OutputList> BuildCase(Graph& graph, const std::vector<CaseBranch>& branches, size_t first,
                             const BranchFn& default_fn) {
  if (first == branches.size()) return default_fn();
  return Cond(graph, branches[first].pred, branches[first].fn,
              [&] { return BuildCase(graph, branches, first + 1, default_fn); });
}

}  // namespace

Result<OutputList> Cond(Graph& graph, const Input& pred, const BranchFn& true_fn, const BranchFn& false_fn,
                        std::string name) {
  NameScope scope(graph, NameOrDefault(name, "cond"));
  if (pred.is_output() && pred.output().base_dtype() != kBool)
    return MarkTypeError(
        InvalidArgument("pred must be bool; '{}' has type {}", pred.output().name(), pred.output().base_dtype()));
  WEIR_ASSIGN(Output value, ToOutput(graph, pred, kBool));
  WEIR_ASSIGN(Node * decide, NodeBuilder(graph, "Switch").In(value).In(value).Build());
  WEIR_ASSIGN(Node * pivot_true, MakeIdentity(graph, Output(decide, 1), "switch_t"));
  WEIR_ASSIGN(Node * pivot_false, MakeIdentity(graph, Output(decide, 0), "switch_f"));
  WEIR_ASSIGN(Node * pred_id, MakeIdentity(graph, value, "pred_id"));
  OutputList results[2];
  for (const int branch : {1, 0}) {
    auto context =
        std::make_unique<CondContext>(graph, graph.UniqueName("cond_text"), graph.build().flow, Output(pred_id, 0),
                                      Output(branch == 1 ? pivot_true : pivot_false, 0), branch);
    CondContext& inside = *context;
    graph.AddFlowContext(std::move(context));
    WEIR_ASSIGN(results[branch], BuildBranch(graph, inside, branch == 1 ? true_fn : false_fn));
  }
  if (results[0].size() != results[1].size())
    return InvalidArgument("Outputs of 'true_fn' and 'false_fn' must have the same structure: {} and {} values",
                           results[1].size(), results[0].size());
  OutputList merged;
  for (size_t i = 0; i < results[0].size(); ++i) {
    if (results[0][i].base_dtype() != results[1][i].base_dtype())
      return InvalidArgument(
          "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received {} from 'true_fn' and {} from "
          "'false_fn'.",
          results[1][i].dtype(), results[0][i].dtype());
    WEIR_ASSIGN(Node * merge, AddMerge(graph, {results[0][i], results[1][i]}));
    merged.push_back(Output(merge, 0));
  }
  return merged;
}

Result<OutputList> WhileLoop(Graph& graph, const LoopCondFn& cond, const LoopBodyFn& body, const InputList& loop_vars,
                             const WhileOptions& options) {
  if (loop_vars.empty()) return InvalidArgument("'loop_vars' must be provided.");
  if (options.parallel_iterations < 1)
    return MarkTypeError(
        InvalidArgument("'parallel_iterations' must be a positive integer, not {}", options.parallel_iterations));
  if (!options.shape_invariants.empty() && options.shape_invariants.size() != loop_vars.size())
    return InvalidArgument("{} shape invariants were given for {} loop variables", options.shape_invariants.size(),
                           loop_vars.size());
  NameScope scope(graph, NameOrDefault(options.name, "while"));
  OutputList initial;
  std::vector<PartialShape> shapes;
  Output limit;
  if (!options.maximum_iterations.absent()) {
    WEIR_ASSIGN(limit, ToOutput(graph, options.maximum_iterations, kInvalidType, "maximum_iterations"));
    if (limit.base_dtype() != kInt32 && limit.base_dtype() != kInt64)
      return MarkTypeError(InvalidArgument("'maximum_iterations' must be an integer, not {}", limit.base_dtype()));
    if (limit.shape().known_rank() && limit.shape().rank() != 0)
      return InvalidArgument("'maximum_iterations' must be a scalar. Received shape: {}", limit.shape());
    initial.push_back(Constant(graph,
                               limit.base_dtype() == kInt32 ? Tensor::Scalar(int32_t{0}) : Tensor::Scalar(int64_t{0}),
                               "iteration_counter"));
    shapes.push_back(PartialShape::Scalar());
  }
  for (size_t i = 0; i < loop_vars.size(); ++i) {
    WEIR_ASSIGN(Output value, ToOutput(graph, loop_vars[i]));
    if (IsRef(value.dtype())) {
      WEIR_ASSIGN(Node * read, MakeIdentity(graph, value, "Identity"));
      value = Output(read, 0);
    }
    initial.push_back(value);
    shapes.push_back(options.shape_invariants.empty() ? value.shape() : options.shape_invariants[i]);
    WEIR_TRY(CheckInvariant(value, shapes.back()));
  }
  WEIR_TRY(graph.TakeError());
  if (!limit.valid()) return BuildLoop(graph, cond, body, initial, shapes, options);

  const auto counted_cond = [&](const OutputList& values) -> Result<Output> {
    Output below = Less(values[0], limit);
    WEIR_ASSIGN(Output more, cond(OutputList(values.begin() + 1, values.end())));
    return LogicalAnd(below, more);
  };
  const auto counted_body = [&](const OutputList& values) -> Result<OutputList> {
    Output next = AddV2(values[0], 1, {.name = "add"});
    WEIR_ASSIGN(OutputList results, body(OutputList(values.begin() + 1, values.end())));
    results.insert(results.begin(), next);
    return results;
  };
  WEIR_ASSIGN(OutputList exits, BuildLoop(graph, counted_cond, counted_body, initial, shapes, options));
  exits.erase(exits.begin());
  return exits;
}

Result<OutputList> Case(Graph& graph, const std::vector<CaseBranch>& branches, const BranchFn& default_fn,
                        bool exclusive, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "case"));
  if (branches.empty()) {
    if (!default_fn) return InvalidArgument("a case needs a branch or a default");
    return default_fn();
  }
  if (branches.size() > kMaxBranches)
    return InvalidArgument("case has {} branches; the maximum is {}", branches.size(), kMaxBranches);
  std::vector<Node*> checks;
  Output predicates;
  if (exclusive || !default_fn) {
    InputList list;
    for (const CaseBranch& branch : branches) list.push_back(branch.pred);
    predicates = Pack(graph, list, {.name = "preds_c"});
  }
  if (exclusive) {
    Output count = Sum(Cast(predicates, kInt32), 0, {.name = "num_true_conds"});
    checks.push_back(AssertPredicates(
        graph, LessEqual(count, 1),
        "Input error: exclusive=True: more than 1 conditions (in order) evaluated as True:", predicates));
  }
  if (!default_fn) {
    checks.push_back(
        AssertPredicates(graph, Any(predicates, 0), "Input error: None of conditions evaluated as True:", predicates));
  }
  WEIR_TRY(graph.TakeError());
  ControlDependencies after(graph, checks);
  if (default_fn) return BuildCase(graph, branches, 0, default_fn);
  // One predicate is true, so the last branch needs no test.
  const std::vector<CaseBranch> asked(branches.begin(), branches.end() - 1);
  return BuildCase(graph, asked, 0, branches.back().fn);
}

Result<OutputList> SwitchCase(Graph& graph, const Input& index_in, const std::vector<NumberedBranch>& branches,
                              const BranchFn& default_fn, std::string name) {
  if (branches.empty()) return InvalidArgument("switch_case needs at least one branch");
  NameScope scope(graph, NameOrDefault(name, "switch_case"));
  WEIR_ASSIGN(Output index, ToOutput(graph, index_in, index_in.is_output() ? kInvalidType : kInt32, "branch_index"));
  if (index.base_dtype() != kInt32)
    return MarkTypeError(InvalidArgument("branch_index must be int32, not {}", index.base_dtype()));
  std::vector<CaseBranch> pairs;
  const size_t explicit_ones = default_fn ? branches.size() : branches.size() - 1;
  for (size_t i = 0; i < explicit_ones; ++i)
    pairs.push_back({Equal(index, Tensor::Scalar(static_cast<int32_t>(branches[i].number))), branches[i].fn});
  WEIR_TRY(graph.TakeError());
  const BranchFn& rest = default_fn ? default_fn : branches.back().fn;
  if (pairs.empty()) return rest();
  return Case(graph, pairs, rest, /*exclusive=*/false, "case");
}

Output WithDependencies(const std::vector<Node*>& nodes, Output value, std::string name) {
  ControlDependencies after(value.graph(), nodes);
  ColocationScope colocation(value.graph(), value.node);
  return Identity(value, {.name = std::move(name)});
}

Result<OutputList> Tuple(Graph& graph, const OutputList& values, const std::vector<Node*>& nodes, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "tuple"));
  std::vector<Node*> waits;
  for (const Output& value : values)
    if (value.valid() && std::find(waits.begin(), waits.end(), value.node) == waits.end()) waits.push_back(value.node);
  if (waits.empty()) return InvalidArgument("Must have at least one Tensor: all {} are missing", values.size());
  waits.insert(waits.end(), nodes.begin(), nodes.end());
  NodeBuilder gate_builder(graph, "NoOp", "group_deps");
  for (Node* node : waits) gate_builder.ControlInput(node);
  WEIR_ASSIGN(Node * gate, gate_builder.Build());
  OutputList result;
  for (const Output& value : values) result.push_back(value.valid() ? WithDependencies({gate}, value) : Output());
  WEIR_TRY(graph.TakeError());
  return result;
}

}  // namespace weir
