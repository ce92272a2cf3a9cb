// Internal node attributes. Code that does not know them ignores them.
#pragma once

namespace weir {

// The names of the nodes that a fused node replaces, in order: a list(string). Errors of its kernel name the original
// node that they belong to.
constexpr char kFoldedNodesAttr[] = "_folded_nodes";

// On a receive node: the shape of the value as known to the task that partitioned the graph.
constexpr char kReceivedShapeAttr[] = "_received_shape";

}  // namespace weir
