// Attributes by which parts of Weir tell each other something about a node; whoever does not know them ignores them.
#pragma once

namespace weir {

// What a node that stands for several others keeps of them: their names and ops, in order, each a list(string). Its
// kernel marks an error with the name of the node that it belongs to (MarkNode), and the error is told as if that had
// run.
constexpr char kFoldedNodesAttr[] = "_folded_nodes";
constexpr char kFoldedOpsAttr[] = "_folded_ops";

// What the task that cut the graph knew of the shape of a value that another one receives.
constexpr char kReceivedShapeAttr[] = "_received_shape";

}  // namespace weir
