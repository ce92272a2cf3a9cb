// tf.sets: sets along the last dimension of a tensor. An operand is dense or sparse; results are sparse with sorted
// elements. Errors are recorded in the graph's build state; the result is then invalid.
#pragma once

#include <variant>

#include "weir/graph/compose/sparse.h"
#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

using SetOperand = std::variant<Input, Sparse>;

enum class SetOperationKind { kIntersection, kUnion, kAMinusB, kBMinusA };
struct SetOptions {
  bool validate_indices = true;  // check that a sparse operand is sorted
};
Sparse SetOperationOf(Graph& graph, SetOperationKind kind, const SetOperand& a, const SetOperand& b,
                      const SetOptions& options = {});
// The number of distinct elements of each set.
Output SetSize(const Sparse& sets, const SetOptions& options = {});

}  // namespace weir
