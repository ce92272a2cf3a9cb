// How NodeBuilder infers type attributes for calls of Python.
#ifndef WEIR_GRAPH_TYPES_IN_ORDER_H_
#define WEIR_GRAPH_TYPES_IN_ORDER_H_

namespace weir {

// Set on a NodeBuilder, which takes it off the node: the first argument that has a say decides a type, even if it is a
// literal, as in TensorFlow's Python functions. Without it the first tensor decides, and literals take its type.
constexpr char kTypesInOrderAttr[] = "_types_in_order";

}  // namespace weir

#endif  // WEIR_GRAPH_TYPES_IN_ORDER_H_
