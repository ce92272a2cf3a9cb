#include "bind/operators.h"

#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/objects.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

Output BuildOutput(NodeBuilder&& builder) { return Output(Take(builder.Build()), 0); }

// Both operands as values of one graph, converted inside the operator's name scope ("add", "add/y").
struct Sides {
  Graph& graph;
  Output x;
  Output y;
};

// Applies `op` to both operands in a name scope. An operand that is not a tensor is converted to the other's type.
template <class F>
Output Binary(py::handle a, py::handle b, const char* name, F op) {
  const Input x = InputFrom(a);
  const Input y = InputFrom(b);
  if (x.absent() || y.absent()) RaiseValue("None values not supported.");
  Graph& graph = x.is_output() ? x.output().graph() : y.is_output() ? y.output().graph() : DefaultGraphRef();
  NameScope scope(graph, name);
  auto convert = [&](const Input& side, const Input& other, const char* arg) {
    if (side.is_output()) return side.output();
    const DType wanted = other.is_output() ? other.output().base_dtype() : kInvalidType;
    return Take(side.literal()->ToOutput(graph, wanted, arg));
  };
  const Output left = convert(x, y, "x");
  const Output right = convert(y, x, "y");
  return op(graph, left, right, scope.name() + "/");
}

Output Op2(Graph& graph, const char* type, Output x, Output y, const std::string& name) {
  return BuildOutput(std::move(NodeBuilder(graph, type, name).In(x).In(y)));
}

Output CastTo(Graph& graph, Output x, DType type) {
  return BuildOutput(std::move(NodeBuilder(graph, "Cast").In(x).Attr("DstT", type)));
}

Output Add(Graph& graph, Output x, Output y, const std::string& name) {
  return Op2(graph, x.base_dtype() == kString ? "Add" : "AddV2", x, y, name);
}

Output TrueDivide(Graph& graph, Output x, Output y, const std::string& name) {
  const DType type = x.base_dtype();
  if (type != y.base_dtype())
    RaiseType(fmt::format("x and y must have the same dtype, got tf.{} != tf.{}", DTypeName(type),
                          DTypeName(y.base_dtype())));
  if (IsInteger(type)) {
    const DType real = type == kInt32 || type == kInt64 || type == kUint32 || type == kUint64 ? kDouble : kFloat;
    x = CastTo(graph, x, real);
    y = CastTo(graph, y, real);
  }
  return Op2(graph, "RealDiv", x, y, name);
}

Output MatrixMultiply(Graph& graph, Output x, Output y, const std::string& name) {
  const PartialShape a = x.shape();
  const PartialShape b = y.shape();
  const bool batched = (a.known_rank() && a.rank() > 2) || (b.known_rank() && b.rank() > 2);
  return Op2(graph, batched ? "BatchMatMulV2" : "MatMul", x, y, name);
}

Output Xor(Graph& graph, Output x, Output y, const std::string& name) {
  if (IsInteger(x.base_dtype())) return Op2(graph, "BitwiseXor", x, y, name);
  const Output either = Op2(graph, "LogicalOr", x, y, "LogicalOr");
  const Output both = Op2(graph, "LogicalAnd", x, y, "LogicalAnd");
  const Output not_both = BuildOutput(std::move(NodeBuilder(graph, "LogicalNot").In(both)));
  return Op2(graph, "LogicalAnd", either, not_both, name);
}

struct BinaryOperator {
  const char* method;     // "__add__"
  const char* reflected;  // "__radd__"
  const char* name;       // the node's name
  Output (*build)(Graph&, Output, Output, const std::string&);
};

constexpr BinaryOperator kBinary[] = {
    {"__add__", "__radd__", "add", Add},
    {"__sub__", "__rsub__", "sub",
     [](Graph& g, Output x, Output y, const std::string& n) { return Op2(g, "Sub", x, y, n); }},
    {"__mul__", "__rmul__", "mul",
     [](Graph& g, Output x, Output y, const std::string& n) { return Op2(g, "Mul", x, y, n); }},
    {"__truediv__", "__rtruediv__", "truediv", TrueDivide},
    {"__floordiv__", "__rfloordiv__", "floordiv",
     [](Graph& g, Output x, Output y, const std::string& n) { return Op2(g, "FloorDiv", x, y, n); }},
    {"__mod__", "__rmod__", "mod",
     [](Graph& g, Output x, Output y, const std::string& n) { return Op2(g, "FloorMod", x, y, n); }},
    {"__pow__", "__rpow__", "pow",
     [](Graph& g, Output x, Output y, const std::string& n) { return Op2(g, "Pow", x, y, n); }},
    {"__matmul__", "__rmatmul__", "matmul", MatrixMultiply},
    {"__and__", "__rand__", "and",
     [](Graph& g, Output x, Output y, const std::string& n) {
       return Op2(g, IsInteger(x.base_dtype()) ? "BitwiseAnd" : "LogicalAnd", x, y, n);
     }},
    {"__or__", "__ror__", "or",
     [](Graph& g, Output x, Output y, const std::string& n) {
       return Op2(g, IsInteger(x.base_dtype()) ? "BitwiseOr" : "LogicalOr", x, y, n);
     }},
    {"__xor__", "__rxor__", "LogicalXor", Xor},
    {"__lt__", nullptr, "Less",
     [](Graph& g, Output x, Output y, const std::string& n) { return Op2(g, "Less", x, y, n); }},
    {"__le__", nullptr, "LessEqual",
     [](Graph& g, Output x, Output y, const std::string& n) { return Op2(g, "LessEqual", x, y, n); }},
    {"__gt__", nullptr, "Greater",
     [](Graph& g, Output x, Output y, const std::string& n) { return Op2(g, "Greater", x, y, n); }},
    {"__ge__", nullptr, "GreaterEqual",
     [](Graph& g, Output x, Output y, const std::string& n) { return Op2(g, "GreaterEqual", x, y, n); }},
};

Output Unary(py::handle x, const char* op) {
  const Output value = InputFrom(x).output();
  return BuildOutput(std::move(NodeBuilder(value.graph(), op).In(value)));
}

// Whether to return NotImplemented, so that Python calls the reflected method of a SparseTensor on the right.
bool DefersToRightOperand(py::handle other) { return py::hasattr(other, "_weir_right_operand_first"); }

}  // namespace

void AddOperators(py::handle cls) {
  auto method = [&cls](const char* name, auto function) {
    py::setattr(cls, name, py::cpp_function(function, py::name(name), py::is_method(cls)));
  };
  for (const BinaryOperator& entry : kBinary) {
    method(entry.method, [&entry](py::handle a, py::handle b) -> py::object {
      if (DefersToRightOperand(b)) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
      return Wrap(Binary(a, b, entry.name, entry.build));
    });
    if (entry.reflected != nullptr)
      method(entry.reflected,
             [&entry](py::handle a, py::handle b) { return Wrap(Binary(b, a, entry.name, entry.build)); });
  }
  method("__neg__", [](py::handle x) { return Wrap(Unary(x, "Neg")); });
  method("__abs__", [](py::handle x) {
    return Wrap(Unary(x, IsComplex(InputFrom(x).output().base_dtype()) ? "ComplexAbs" : "Abs"));
  });
  method("__invert__", [](py::handle x) {
    return Wrap(Unary(x, IsInteger(InputFrom(x).output().base_dtype()) ? "Invert" : "LogicalNot"));
  });
  method("__getitem__", [](py::handle x, py::handle key) { return GetItem(x, key); });
}

void BindOperators(py::module_&) { AddOperators(py::type::of<TensorObject>()); }

}  // namespace weir::python
