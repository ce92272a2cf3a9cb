// Attributes by which parts of Weir tell each other something about a node; whoever does not know them ignores them.
#pragma once

namespace weir {

// The names of the nodes that a node stands for, in order: a list(string). Its kernel says in an error which of them it
// belongs to, as if that had run.
constexpr char kFoldedNodesAttr[] = "_folded_nodes";

// What the task that cut the graph knew of the shape of a value that another one receives.
constexpr char kReceivedShapeAttr[] = "_received_shape";

}  // namespace weir
