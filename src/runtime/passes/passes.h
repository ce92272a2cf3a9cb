// Passes: rewrites of a pruned and placed plan graph that preserve its meaning. They do not change feeds, stateful
// nodes, control flow nodes, or nodes that use references. Nodes that become unneeded are left to RemoveUnneeded.
#pragma once

#include "graph/constant_evaluator.h"
#include "op/op_registry.h"
#include "runtime/frames.h"
#include "runtime/passes/pass_options.h"
#include "runtime/passes/pass_report.h"
#include "runtime/plan_graph.h"

namespace weir {

// Passes whose results contain only ops that every task of a cluster knows.
Status RunPasses(PlanGraph& graph, const PassOptions& options, PassReport& report);
// Passes whose results contain ops that only this process knows, for a graph that is compiled here. If options.explain
// is set, prints the report of all passes.
Status RunLocalPasses(PlanGraph& graph, const OpRegistry& registry, const PassOptions& options, PassReport& report);

// Replaces nodes whose inputs are all constants by constants, if the value is small. A node that fails stays, so that
// the error is reported by the step.
Status FoldConstants(PlanGraph& graph, ConstantEvaluator& evaluator, PassReport& report);
// Common subexpression elimination.
Status MergeDuplicates(PlanGraph& graph, PassReport& report);
// Does not compute nodes that only have control outputs. Their consumers wait for the inputs of the node instead.
Status SkipUnusedValues(PlanGraph& graph, PassReport& report);
// Folds biases and activations into the preceding products and convolutions, if the registry has kernels for the
// folded nodes. REQUIRES: the graph has no unneeded nodes, because every consumer counts.
void FoldActivations(PlanGraph& graph, const OpRegistry& registry, PassReport& report);
// Fuses regions of elementwise nodes with a single outgoing value into one node (fused_elementwise.h).
Status FuseElementwise(PlanGraph& graph, PassReport& report);
// Moves groups (NoOp nodes with control inputs) to the device of their consumers, unless that increases the number of
// edges between tasks. For a graph that will be partitioned.
void MoveGroups(PlanGraph& graph);

// The value of a constant without control inputs; null for all other values.
const Tensor* ConstantOf(const PlanGraph& graph, PlanValue value);

// Whether the node gives the shape of its only input.
bool IsShapeNode(const PlanGraph::Node& node);

// Whether the outputs of the node depend only on its inputs.
bool IsPure(const PlanGraph& graph, const PlanGraph::Node& node);

}  // namespace weir
