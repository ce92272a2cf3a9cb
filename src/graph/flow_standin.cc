// Stands in for control flow until its builders and gradients are here.
#include "graph/build/array_ops.h"
#include "graph/compose/flow.h"
#include "graph/flow_gradients.h"

namespace weir {
__attribute__((weak)) std::unique_ptr<FlowGradients> FlowGradients::Make(Graph&, const std::vector<Node*>&, const std::unordered_set<Node*>&) { return nullptr; }
__attribute__((weak)) FlowGradientFn FindFlowGradient(std::string_view) { return nullptr; }
__attribute__((weak)) Result<Output> ZerosOutsideLoop(Node* node, int index) { return ZerosLike(Output(node, index)); }
__attribute__((weak)) Result<OutputList> Cond(Graph&, const Input&, const BranchFn&, const BranchFn&, std::string) { return Unimplemented("cond"); }
__attribute__((weak)) Result<OutputList> Case(Graph&, const std::vector<CaseBranch>&, const BranchFn&, bool, std::string) { return Unimplemented("case"); }
}  // namespace weir
