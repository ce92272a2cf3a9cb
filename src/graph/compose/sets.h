// tf.sets: tensors as sets along their last dimension, one for each place in the others. An operand is dense or sparse;
// results are sparse, with the elements of each set in order. Errors stay with the graph's build state, and the result
// is then invalid.
#pragma once

#include <variant>

#include "graph/compose/sparse.h"
#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

using SetOperand = std::variant<Input, Sparse>;

enum class SetOperationKind { kIntersection, kUnion, kAMinusB, kBMinusA };
struct SetOptions {
  bool validate_indices = true;  // that a sparse operand is sorted
};
Sparse SetOperationOf(Graph& graph, SetOperationKind kind, const SetOperand& a, const SetOperand& b,
                      const SetOptions& options = {});
// How many different elements each set has.
Output SetSizeOf(const Sparse& sets, const SetOptions& options = {});

}  // namespace weir
