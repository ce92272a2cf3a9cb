// How NodeBuilder infers type attributes for calls of Python.
#ifndef WEIR_GRAPH_TYPES_IN_ORDER_H_
#define WEIR_GRAPH_TYPES_IN_ORDER_H_

namespace weir {

// An attribute that NodeBuilder reads and removes. With it, the first argument determines a type, even if it is a
// literal, as in TensorFlow's Python functions. Without it, the first tensor does, and literals take its type.
constexpr char kTypesInOrderAttr[] = "_types_in_order";

}  // namespace weir

#endif  // WEIR_GRAPH_TYPES_IN_ORDER_H_
