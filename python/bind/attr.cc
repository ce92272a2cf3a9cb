#include "bind/attr.h"

#include "bind/dtype.h"
#include "bind/errors.h"
#include "bind/literal.h"
#include "bind/messages.h"
#include "bind/numpy.h"
#include "bind/ops.h"
#include "bind/shape.h"
#include "graph/attr_proto.h"
#include "proto/attr_value.pb.h"
#include "proto/tensor.pb.h"
#include "tensor/tensor_proto.h"

namespace weir::python {
namespace {

struct Where {
  const AttrDef& def;
  const std::string& op;
};

[[noreturn]] void RaiseWrongType(const char* expected, py::handle value, const Where& where) {
  RaiseType(fmt::format("Expected {} for argument '{}' not {}.", expected, where.def.name, Repr(value)));
}

std::string StringFrom(py::handle value, const Where& where) {
  std::string text;
  if (!BytesOf(value, &text)) RaiseWrongType("string", value, where);
  return text;
}

int64_t IntFrom(py::handle value, const Where& where) {
  if (auto size = SizeOfDimension(value); size.has_value() && *size >= 0) return *size;
  // Accepts what Python's int() accepts, except text. Truncates fractions.
  py::object number;
  if (!PyUnicode_Check(value.ptr())) number = py::reinterpret_steal<py::object>(PyNumber_Long(value.ptr()));
  if (!number) {
    PyErr_Clear();
    RaiseWrongType("int", value, where);
  }
  const int64_t result = PyLong_AsLongLong(number.ptr());
  if (result == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return result;
}

float FloatFrom(py::handle value, const Where& where) {
  const double number = PyUnicode_Check(value.ptr()) ? -1.0 : PyFloat_AsDouble(value.ptr());
  if (PyUnicode_Check(value.ptr()) || (number == -1.0 && PyErr_Occurred() != nullptr)) {
    PyErr_Clear();
    RaiseWrongType("float", value, where);
  }
  return static_cast<float>(number);
}

bool BoolFrom(py::handle value, const Where& where) {
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  if (IsNumpyScalar(value) || PyLong_Check(value.ptr())) {
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth >= 0) return truth == 1;
  }
  RaiseWrongType("bool", value, where);
}

DType TypeFrom(py::handle value, const Where& where) {
  const DType type = DTypeFrom(value);
  if (type == kInvalidType) RaiseWrongType("DataType", value, where);
  return BaseType(type);
}

// Raises the same exception class as ShapeFrom, with a message that names the attribute.
PartialShape AttrToShape(py::handle value, const Where& where) {
  try {
    return ShapeFrom(value);
  } catch (py::error_already_set& error) {
    const std::string text =
        fmt::format("Error converting {} to a TensorShape: {}", where.def.name, Str(error.value()));
    if (error.matches(PyExc_TypeError)) RaiseType(text);
    if (error.matches(PyExc_ValueError)) RaiseValue(text);
    throw;
  }
}

Tensor TensorFrom(py::handle value) {
  if (py::hasattr(value, "tensor_content") && py::hasattr(value, "SerializeToString"))
    return Take(FromProto(MessageFrom<tensorflow::TensorProto>(value)));
  return TensorFromPython(value, kInvalidType);
}

FuncAttr FuncFrom(py::handle value, const Where& where) {
  if (PyUnicode_Check(value.ptr())) return {value.cast<std::string>(), nullptr};
  if (py::hasattr(value, "SerializeToString")) {  // NameAttrList
    tensorflow::AttrValue proto;
    if (!proto.mutable_func()->ParseFromString(BytesOfMessage(value))) RaiseWrongType("function", value, where);
    return *Take(FromProto(proto)).As<FuncAttr>();
  }
  if (py::hasattr(value, "add_to_graph"))
    value.attr("add_to_graph")(py::module_::import("weir._weir").attr("get_default_graph")());
  if (py::hasattr(value, "name")) return {py::str(value.attr("name")), nullptr};
  RaiseWrongType("function", value, where);
}

template <class F>
auto ListFrom(py::handle value, const Where& where, F element) {
  using T = std::decay_t<decltype(element(value, where))>;
  std::vector<T> list;
  if (const PartialShape* shape = ShapeOfObject(value); shape != nullptr && shape->known_rank()) {
    if constexpr (std::is_same_v<T, int64_t>) return std::vector<T>(shape->dims().begin(), shape->dims().end());
  }
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr()) && !IsArray(value) && !PySet_Check(value.ptr()))
    RaiseType(fmt::format("Expected list for '{}' argument to '{}' Op, not {}.", where.def.name, SnakeName(where.op),
                          Repr(value)));
  for (py::handle item : py::iter(value)) list.push_back(element(item, where));
  return list;
}

py::object ShapeMessage(const PartialShape& shape) {
  tensorflow::TensorShapeProto proto;
  ToProto(shape, &proto);
  return MessageToPython("TensorShapeProto", proto);
}

py::object TensorMessage(const Tensor& tensor) {
  tensorflow::TensorProto proto;
  ToProto(tensor, &proto);
  return MessageToPython("TensorProto", proto);
}

py::object FuncMessage(const FuncAttr& func) {
  tensorflow::AttrValue proto;
  ToProto(AttrValue(func), &proto);
  return MessageToPython("NameAttrList", proto.func());
}

template <class T, class F>
py::object ListToPython(const std::vector<T>& list, F element) {
  py::list result;
  for (const auto& item : list) result.append(element(item));
  return result;
}

struct ToPythonVisitor {
  bool as_parameter_default;

  py::object operator()(std::monostate) const { return py::none(); }
  py::object operator()(const std::string& v) const {
    return as_parameter_default ? py::object(py::str(v)) : py::object(py::bytes(v));
  }
  py::object operator()(int64_t v) const { return py::int_(v); }
  py::object operator()(float v) const { return py::float_(v); }
  py::object operator()(bool v) const { return py::bool_(v); }
  py::object operator()(DType v) const { return DTypeObjectOf(v); }
  py::object operator()(const PartialShape& v) const {
    return as_parameter_default ? ShapeObjectOf(v) : ShapeMessage(v);
  }
  py::object operator()(const Tensor& v) const { return as_parameter_default ? NumpyFromTensor(v) : TensorMessage(v); }
  py::object operator()(const AttrValue::PackedTensorPtr& v) const {
    return as_parameter_default ? NumpyFromTensor(*Take(v->Expand())) : MessageToPython("TensorProto", v->proto());
  }
  py::object operator()(const FuncAttr& v) const {
    return as_parameter_default ? py::object(py::str(v.name)) : FuncMessage(v);
  }
  py::object operator()(const AttrPlaceholder& v) const { return py::str(v.name); }
  py::object operator()(EmptyList) const { return py::list(); }
  py::object operator()(const std::vector<bool>& v) const {
    py::list result;
    for (bool item : v) result.append(py::bool_(item));
    return result;
  }
  template <class T>
  py::object operator()(const std::vector<T>& v) const {
    return ListToPython(v, *this);
  }
};

}  // namespace

AttrValue AttrFrom(py::handle value, const AttrDef& def, const std::string& op) {
  const Where where{def, op};
  const std::string& type = def.type;
  if (type == "type") return TypeFrom(value, where);
  if (type == "int") return IntFrom(value, where);
  if (type == "float") return FloatFrom(value, where);
  if (type == "bool") return BoolFrom(value, where);
  if (type == "string") return StringFrom(value, where);
  if (type == "shape") return AttrToShape(value, where);
  if (type == "tensor") return TensorFrom(value);
  if (type == "func") return FuncFrom(value, where);
  if (type == "list(type)") return ListFrom(value, where, TypeFrom);
  if (type == "list(int)") return ListFrom(value, where, IntFrom);
  if (type == "list(float)") return ListFrom(value, where, FloatFrom);
  if (type == "list(bool)") return ListFrom(value, where, BoolFrom);
  if (type == "list(string)") return ListFrom(value, where, StringFrom);
  if (type == "list(shape)") return ListFrom(value, where, AttrToShape);
  if (type == "list(tensor)") return ListFrom(value, where, [](py::handle v, const Where&) { return TensorFrom(v); });
  if (type == "list(func)") return ListFrom(value, where, FuncFrom);
  RaiseType(fmt::format("attribute '{}' of op {} has unknown type {}", def.name, op, type));
}

AttrValue AttrFromAny(py::handle value) {
  if (py::hasattr(value, "SerializeToString")) {
    tensorflow::AttrValue proto;
    if (!proto.ParseFromString(BytesOfMessage(value))) RaiseType("an AttrValue message is expected");
    return Take(FromProto(proto));
  }
  std::string text;
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  if (PyLong_Check(value.ptr())) return static_cast<int64_t>(value.cast<int64_t>());
  if (PyFloat_Check(value.ptr())) return value.cast<float>();
  if (BytesOf(value, &text)) return text;
  if (const PartialShape* shape = ShapeOfObject(value)) return *shape;
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    if (py::len(value) == 0) return AttrValue::Value(EmptyList{});
    py::object first = value.attr("__getitem__")(0);
    if (PyList_Check(first.ptr()) || PyTuple_Check(first.ptr()))
      RaiseType("a list of lists cannot be the value of an attribute");
    AttrDef def;
    def.name = "value";
    def.type = "list(" + AttrFromAny(first).Kind() + ")";
    return AttrFrom(value, def, "");
  }
  if (const DType type = DTypeFrom(value); type != kInvalidType) return type;
  RaiseType(fmt::format("{} cannot be the value of an attribute", Repr(value)));
}

py::object AttrToPython(const AttrValue& value) { return std::visit(ToPythonVisitor{false}, value.value()); }
py::object DefaultToPython(const AttrValue& value) { return std::visit(ToPythonVisitor{true}, value.value()); }

}  // namespace weir::python
