// One node per operator, named as TensorFlow's Python operators name it: "add", with a literal operand as "add/y".
#include "graph/build/operators.h"

#include "graph/build/math_ops.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

// The type of the result: the type of the first operand that is an Output. kInvalidType if neither is.
DType OperandType(const Input& a, const Input& b) {
  if (a.is_output()) return a.output().base_dtype();
  if (b.is_output()) return b.output().base_dtype();
  return kInvalidType;
}

// An Output keeps its type: the op refuses operands of two types.
Result<Output> Operand(Graph& graph, const Input& x, DType literal_type, const char* name) {
  return ToOutput(graph, x, x.is_output() ? kInvalidType : literal_type, name);
}

// False if an operand is missing. If building the operand failed, the graph already has the error; else records one.
bool BothArePresent(Graph& graph, const Input& a, const Input& b) {
  if (!a.absent() && !b.absent()) return true;
  if (!a.failed() && !b.failed())
    graph.RecordError(
        InvalidArgument("None values not supported. (an operand is missing: an Output that no graph made)"));
  return false;
}

Result<Output> Build(Graph& graph, const char* op, const std::string& scope, Input a, Input b, DType type) {
  WEIR_ASSIGN(Output x, Operand(graph, a, type, "x"));
  WEIR_ASSIGN(Output y, Operand(graph, b, type, "y"));
  WEIR_ASSIGN(Node * node, NodeBuilder(graph, op, scope + "/").In(x).In(y).Build());
  return Output(node, 0);
}

Output Binary(const char* op, const char* name, const Input& a, const Input& b) {
  Graph* graph = GraphOfAll({InputList{a}, InputList{b}});
  if (graph == nullptr) return {};
  if (!BothArePresent(*graph, a, b)) return Output::Failed(*graph);
  NameScope scope(*graph, name);
  Result<Output> z = Build(*graph, op, scope.name(), a, b, OperandType(a, b));
  if (z.ok()) return *z;
  graph->RecordError(z.status());
  return Output::Failed(*graph);
}

// The type that integers are cast to before a division: float for up to 16 bits, else double.
DType QuotientType(DType type) {
  switch (type) {
    case kInt8:
    case kUint8:
    case kInt16:
    case kUint16:
      return kFloat;
    case kInt32:
    case kUint32:
    case kInt64:
    case kUint64:
      return kDouble;
    default:
      return type;
  }
}

Result<Output> BuildDivide(Graph& graph, const std::string& scope, const Input& a, const Input& b) {
  const DType type = OperandType(a, b);
  const DType quotient = QuotientType(type);
  WEIR_ASSIGN(Output x, Operand(graph, a, type, "x"));
  WEIR_ASSIGN(Output y, Operand(graph, b, type, "y"));
  if (x.base_dtype() != y.base_dtype())
    return MarkTypeError(
        InvalidArgument("x and y must have the same dtype, got tf.{} != tf.{}", x.base_dtype(), y.base_dtype()));
  if (quotient == type) return Build(graph, "RealDiv", scope, x, y, type);
  return Build(graph, "RealDiv", scope, Cast(graph, x, quotient), Cast(graph, y, quotient), quotient);
}

}  // namespace

Output AddInput(Input a, Input b) { return Binary("AddV2", "add", a, b); }
Output SubInput(Input a, Input b) { return Binary("Sub", "sub", a, b); }
Output MulInput(Input a, Input b) { return Binary("Mul", "mul", a, b); }
Output DivInput(Input a, Input b) {
  Graph* graph = GraphOfAll({InputList{a}, InputList{b}});
  if (graph == nullptr) return {};
  if (!BothArePresent(*graph, a, b)) return Output::Failed(*graph);
  NameScope scope(*graph, "truediv");
  Result<Output> z = BuildDivide(*graph, scope.name(), a, b);
  if (z.ok()) return *z;
  graph->RecordError(z.status());
  return Output::Failed(*graph);
}
Output operator+(Output a, Output b) { return AddInput(a, b); }
Output operator-(Output a, Output b) { return SubInput(a, b); }
Output operator*(Output a, Output b) { return MulInput(a, b); }
Output operator/(Output a, Output b) { return DivInput(a, b); }
Output operator-(Output a) { return Neg(a); }

}  // namespace weir
