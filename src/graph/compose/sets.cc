#include "graph/compose/sets.h"

#include <algorithm>
#include <iterator>

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

Status CheckTypes(DType a, DType b) {
  constexpr DType kTypes[] = {kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kString};
  if (std::find(std::begin(kTypes), std::end(kTypes), a) == std::end(kTypes))
    return MarkTypeError(
        InvalidArgument("'a' has invalid dtype `{}` not in supported dtypes: {}", a, fmt::join(kTypes, ", ")));
  if (a == b) return OkStatus();
  return MarkTypeError(InvalidArgument("Types don't match, <dtype: '{}'> vs <dtype: '{}'>.", a, b));
}

DType TypeOf(const SetOperand& operand) {
  if (const auto* sparse = std::get_if<Sparse>(&operand)) return sparse->values.base_dtype();
  return std::get<Input>(operand).output().base_dtype();
}

// A dense operand becomes a tensor of the graph.
SetOperand Converted(Graph& graph, const SetOperand& operand, const char* name) {
  const Input* dense = std::get_if<Input>(&operand);
  return dense == nullptr ? operand : SetOperand(Input(ValueOf(graph, *dense, kInvalidType, name)));
}

bool IsValid(const SetOperand& operand) {
  if (const auto* sparse = std::get_if<Sparse>(&operand)) return sparse->values.valid();
  return std::get<Input>(operand).output().valid();
}

}  // namespace

Sparse SetOperationOf(Graph& graph, SetOperationKind kind, const SetOperand& a_in, const SetOperand& b_in,
                      const SetOptions& options) {
  const SetOperand a = Converted(graph, a_in, "a"), b = Converted(graph, b_in, "b");
  if (!IsValid(a) || !IsValid(b)) return {};
  if (const Status types = CheckTypes(TypeOf(a), TypeOf(b)); !types.ok()) {
    graph.RecordError(types);
    return {};
  }
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
  const auto r = DenseToDenseSetOperation(graph, std::get<Input>(a), std::get<Input>(b), NameOf(kind),
                                          {.validate_indices = options.validate_indices});
  return {r.result_indices, r.result_values, r.result_shape};
}

Output SetSize(const Sparse& sets, const SetOptions& options) {
  return SetSize(sets.indices, sets.values, sets.dense_shape, {.validate_indices = options.validate_indices});
}

}  // namespace weir
