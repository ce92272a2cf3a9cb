#include "graph/compose/sets.h"

#include "graph/build/array_ops.h"
#include "graph/compose/dims.h"

namespace weir {
namespace {

const char* NameOf(SetOperationKind kind) {
  switch (kind) {
    case SetOperationKind::kIntersection:
      return "intersection";
    case SetOperationKind::kUnion:
      return "union";
    case SetOperationKind::kAMinusB:
      return "a-b";
    case SetOperationKind::kBMinusA:
      return "b-a";
  }
  return "";
}

SetOperationKind Turned(SetOperationKind kind) {
  if (kind == SetOperationKind::kAMinusB) return SetOperationKind::kBMinusA;
  if (kind == SetOperationKind::kBMinusA) return SetOperationKind::kAMinusB;
  return kind;
}

}  // namespace

Sparse SetOperationOf(Graph& graph, SetOperationKind kind, const SetOperand& a, const SetOperand& b,
                      const SetOptions& options) {
  const Sparse *sparse_a = std::get_if<Sparse>(&a), *sparse_b = std::get_if<Sparse>(&b);
  if (sparse_a != nullptr && sparse_b == nullptr) return SetOperationOf(graph, Turned(kind), b, a, options);
  if (sparse_a != nullptr) {
    const auto r = SparseToSparseSetOperation(graph, sparse_a->indices, sparse_a->values, sparse_a->dense_shape,
                                              sparse_b->indices, sparse_b->values, sparse_b->dense_shape, NameOf(kind),
                                              {.validate_indices = options.validate_indices});
    return {r.result_indices, r.result_values, r.result_shape};
  }
  if (sparse_b != nullptr) {
    const auto r =
        DenseToSparseSetOperation(graph, std::get<Input>(a), sparse_b->indices, sparse_b->values, sparse_b->dense_shape,
                                  NameOf(kind), {.validate_indices = options.validate_indices});
    return {r.result_indices, r.result_values, r.result_shape};
  }
  const auto [x, y] = ValuesOfOneType(graph, std::get<Input>(a), std::get<Input>(b), "a", "b");
  if (!x.valid() || !y.valid()) return {};
  const auto r = DenseToDenseSetOperation(graph, x, y, NameOf(kind), {.validate_indices = options.validate_indices});
  return {r.result_indices, r.result_values, r.result_shape};
}

Output SetSize(const Sparse& sets, const SetOptions& options) {
  return SetSize(sets.indices, sets.values, sets.dense_shape, {.validate_indices = options.validate_indices});
}

}  // namespace weir
