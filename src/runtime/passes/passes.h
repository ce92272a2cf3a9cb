// Passes: rewrites of a pruned and placed plan graph that keep its meaning. Feeds, stateful nodes, flow nodes and
// everything that touches a reference stay as they are; nodes that nothing needs any more are left for RemoveUnneeded.
#pragma once

#include "graph/constant_evaluator.h"
#include "op/op_registry.h"
#include "runtime/frames.h"
#include "runtime/passes/pass_options.h"
#include "runtime/passes/pass_report.h"
#include "runtime/plan_graph.h"

namespace weir {

// Rewrites into ops that every task of a cluster knows.
Status RunPasses(PlanGraph& graph, const PassOptions& options, PassReport& report);
// Rewrites into what the kernels of this process can do better: of a graph that is compiled here. Says what all passes
// did, where the options ask for it.
Status RunLocalPasses(PlanGraph& graph, const OpRegistry& registry, const PassOptions& options, PassReport& report);

// Nodes whose inputs are all constants become constants, where the value is small. A node that fails stays: it will
// fail in the step, where its error belongs.
Status FoldConstants(PlanGraph& graph, ConstantEvaluator& evaluator, PassReport& report);
// Of nodes that compute the same from the same, one is kept.
Status MergeDuplicates(PlanGraph& graph, PassReport& report);
// What nobody takes the value of is not computed, though others wait for it.
Status SkipUnusedValues(PlanGraph& graph, PassReport& report);
// Biases and activations become part of the products and convolutions before them, where the registry has kernels for
// such nodes. REQUIRES: nothing unneeded is left, since whoever takes a value counts.
void FoldActivations(PlanGraph& graph, const OpRegistry& registry, PassReport& report);
// Elementwise nodes of which one value leaves become one node that passes over the memory once (fused_elementwise.h).
Status FuseElementwise(PlanGraph& graph, PassReport& report);
// Groups of nodes (NoOp) run where those are that wait for them, unless more edges would cross tasks then. Of a graph
// that is to be cut.
void MoveGroups(PlanGraph& graph);

// The value of a constant that waits for nothing; null for all other values.
const Tensor* ConstantOf(const PlanGraph& graph, PlanValue value);

// True if the node's outputs depend on nothing but its inputs.
bool IsPure(const PlanGraph& graph, const PlanGraph::Node& node);

}  // namespace weir
