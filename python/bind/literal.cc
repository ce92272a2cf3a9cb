#include "bind/literal.h"

#include "bind/errors.h"
#include "bind/flat_values.h"
#include "bind/input_caster.h"
#include "bind/numpy.h"
#include "bind/objects.h"
#include "bind/recursion.h"
#include "bind/shape.h"
#include "graph/literal_error.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

struct Conversion {
  int priority;
  py::object types;           // a type or a tuple of types
  py::object function;        // (value, dtype, name, as_ref) -> Tensor; or
  OutputConverter converter;  // for bound types
};

// In order of priority.
std::vector<Conversion>& Conversions() {
  static auto* conversions = new std::vector<Conversion>;
  return *conversions;
}

void AddConversion(Conversion conversion) {
  auto& all = Conversions();
  auto at = std::find_if(all.begin(), all.end(), [&](const Conversion& c) { return c.priority > conversion.priority; });
  all.insert(at, std::move(conversion));
}

bool IsInstance(py::handle value, py::handle types) {
  const int answer = PyObject_IsInstance(value.ptr(), types.ptr());
  if (answer < 0) throw py::error_already_set();
  return answer == 1;
}

const Conversion* FindConversion(py::handle value) {
  for (const Conversion& c : Conversions())
    if (IsInstance(value, c.types)) return &c;
  return nullptr;
}

// Values whose types have no registered conversion. Checked first, because nearly all values are of these types.
bool IsPlainValue(py::handle value) {
  PyTypeObject* type = Py_TYPE(value.ptr());
  return type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type || type == &PyUnicode_Type ||
         type == &PyBytes_Type || type == &PyComplex_Type;
}

bool IsList(py::handle value) { return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()); }

// Whether the list contains a Tensor, or a value with a registered conversion.
bool HoldsTensor(py::handle list) {
  const RecursionGuard guard(" while converting a list to a Tensor");
  for (py::handle item : py::reinterpret_borrow<py::sequence>(list)) {
    if (IsPlainValue(item)) continue;
    if (IsTensor(item)) return true;
    if (IsList(item)) {
      if (HoldsTensor(item)) return true;
    } else if (!IsArray(item) && FindConversion(item) != nullptr) {
      return true;
    }
  }
  return false;
}

// The type of the first tensor in the list.
DType TypeOfTensors(py::handle list, Graph& graph) {
  const RecursionGuard guard(" while converting a list to a Tensor");
  for (py::handle item : py::reinterpret_borrow<py::sequence>(list)) {
    if (IsPlainValue(item)) continue;
    if (IsTensor(item)) return OutputOf(item).base_dtype();
    if (IsList(item)) {
      if (DType t = TypeOfTensors(item, graph); t != kInvalidType) return t;
    } else if (auto converted = ConvertRegistered(item, graph, kInvalidType, false)) {
      return Take(*std::move(converted)).base_dtype();
    }
  }
  return kInvalidType;
}

Output MakeConst(Graph& graph, const Tensor& value, const std::string& name) {
  return Output(Take(NodeBuilder(graph, "Const", name).Attr("dtype", value.dtype()).Attr("value", value).Build()), 0);
}

Output Pack(Graph& graph, py::handle list, DType dtype, bool cast, const std::string& name);

// Converts one element of a packed list.
Output PackElement(Graph& graph, py::handle item, DType dtype, bool cast, const std::string& name) {
  std::optional<Output> value;
  if (IsTensor(item)) {
    value = functions_being_traced == 0 ? OutputOf(item) : Captured(OutputOf(item));
  } else if (!IsPlainValue(item)) {
    if (IsList(item)) {
      if (HoldsTensor(item)) return Pack(graph, item, dtype, cast, name);
    } else if (auto converted = ConvertRegistered(item, graph, kInvalidType, false)) {
      value = Take(*std::move(converted));
    }
  }
  if (!value) return MakeConst(graph, TensorFromPython(item, dtype), name);
  if (value->base_dtype() == dtype) return *value;
  if (!cast)
    RaiseType(fmt::format("Cannot convert a list containing a tensor of dtype {} to {} (Tensor is: {})",
                          DTypeName(value->base_dtype()), DTypeName(dtype), Repr(Wrap(*value))));
  return Output(Take(NodeBuilder(graph, "Cast").In(*value).Attr("DstT", dtype).Build()), 0);
}

// Converts a list that contains Tensors, with one Pack per level. Other elements become constants of the tensors' type.
Output Pack(Graph& graph, py::handle list, DType dtype, bool cast, const std::string& name) {
  const RecursionGuard guard(" while converting a list to a Tensor");
  NameScope scope(graph, name);
  Check(graph.TakeError());
  InputList elements;
  int i = 0;
  for (py::handle item : py::reinterpret_borrow<py::sequence>(list))
    elements.push_back(PackElement(graph, item, dtype, cast, std::to_string(i++)));
  return Output(Take(NodeBuilder(graph, "Pack", scope.name() + "/").In(std::move(elements)).Build()), 0);
}

Output PackList(Graph& graph, py::handle list, DType wanted, const std::string& name) {
  const DType inferred = TypeOfTensors(list, graph);
  const DType dtype = wanted == kInvalidType ? inferred : wanted;
  return Pack(graph, list, dtype, dtype != inferred, name == "Const" ? "packed" : name);
}

Tensor TensorOfShape(const PartialShape& shape, DType wanted) {
  if (!shape.fully_defined())
    RaiseValue(fmt::format("Cannot convert a partially known TensorShape to a Tensor: {}", ShapeText(shape)));
  if (wanted != kInvalidType && wanted != kInt32 && wanted != kInt64)
    RaiseType(fmt::format("Cannot convert a TensorShape to dtype: {}", DTypeName(wanted)));
  const bool wide = wanted == kInt64 ||
                    (wanted == kInvalidType &&
                     std::any_of(shape.dims().begin(), shape.dims().end(), [](int64_t d) { return d > INT32_MAX; }));
  Tensor tensor = Take(Tensor::Allocate(wide ? kInt64 : kInt32, Shape{shape.rank()}));
  for (int i = 0; i < shape.rank(); ++i) {
    if (wide)
      tensor.data<int64_t>()[i] = shape.dim(i);
    else
      tensor.data<int32_t>()[i] = static_cast<int32_t>(shape.dim(i));
  }
  return tensor;
}

Output FromConversion(const Conversion& conversion, py::handle value, Graph& graph, DType wanted,
                      const std::string& name, bool as_ref) {
  if (conversion.converter) return Take(conversion.converter(value, graph, wanted, as_ref));
  py::object result =
      conversion.function(value, py::arg("dtype") = wanted == kInvalidType ? py::object(py::none()) : py::cast(wanted),
                          py::arg("name") = name, py::arg("as_ref") = as_ref);
  if (result.ptr() == Py_NotImplemented)
    RaiseType(fmt::format("no registered conversion function can convert {} to a Tensor", Repr(value)));
  if (!IsTensor(result))
    RaiseRuntime(
        fmt::format("the conversion function for '{}' returned {}, not a Tensor", TypeName(value), Repr(result)));
  const Output output = OutputOf(result);
  if (wanted != kInvalidType && output.base_dtype() != BaseType(wanted))
    RaiseType(fmt::format("the conversion function for '{}' returned dtype {}, expected {}", TypeName(value),
                          DTypeName(output.base_dtype()), DTypeName(wanted)));
  return output;
}

Output Convert(Graph& graph, py::handle value, DType wanted, const std::string& name, bool as_ref) {
  if (PyRange_Check(value.ptr()))
    return Convert(graph, py::list(py::reinterpret_borrow<py::object>(value)), wanted, name, as_ref);
  if (wanted != kInvalidType) wanted = BaseType(wanted);
  if (IsPlainValue(value)) return MakeConst(graph, TensorFromPython(value, wanted), name);
  if (value.is_none()) RaiseValue("None values not supported.");
  if (IsTensor(value)) {
    const Output output = OutputOf(value);
    if (wanted != kInvalidType && output.base_dtype() != wanted)
      RaiseValue(fmt::format("Tensor conversion requested dtype {} for Tensor with dtype {}: {}", DTypeName(wanted),
                             DTypeName(output.base_dtype()), Repr(value)));
    return output;
  }
  if (IsList(value)) {
    if (HoldsTensor(value)) return PackList(graph, value, wanted, name);
    return MakeConst(graph, TensorFromPython(value, wanted), name);
  }
  if (!IsArray(value)) {
    if (const Conversion* conversion = FindConversion(value))
      return FromConversion(*conversion, value, graph, wanted, name, as_ref);
    if (IsOperation(value)) RaiseType(fmt::format("Can't convert Operation '{}' to Tensor", NodeOf(value)->name()));
  }
  return MakeConst(graph, TensorFromPython(value, wanted), name);
}

}  // namespace

Tensor TensorFromPython(py::handle value, DType wanted) {
  if (value.is_none()) RaiseValue("None values not supported.");
  if (PyRange_Check(value.ptr())) {
    const py::list items(py::reinterpret_borrow<py::object>(value));
    return TensorFromPython(items, wanted == kInvalidType && items.empty() ? kInt32 : wanted);
  }
  if (wanted != kInvalidType) wanted = BaseType(wanted);
  if (wanted == kVariant || wanted == kResource)
    RaiseType(fmt::format("`dtype` <dtype: '{}'> is not compatible with {} of dtype {}.", DTypeName(wanted), Str(value),
                          Str(AsArray(value).attr("dtype"))));
  if (IsArray(value) || IsNumpyScalar(value)) return TensorFromNumpy(value, wanted, Memory::kCopy);
  if (auto size = SizeOfDimension(value)) {
    if (*size < 0) RaiseValue("Cannot convert an unknown Dimension to a Tensor: ?");
    return TensorFromPython(py::int_(*size), wanted);
  }
  if (const PartialShape* shape = ShapeOfObject(value)) return TensorOfShape(*shape, wanted);
  if (IsPlainValue(value) || IsList(value)) return TensorFromValues(value, wanted);
  if (py::hasattr(value, "__array__") || PyObject_CheckBuffer(value.ptr()) != 0)
    return TensorFromNumpy(AsArray(value), wanted, Memory::kCopy);
  return TensorFromValues(value, wanted);
}

Result<Output> PyLiteral::ToOutput(Graph& graph, DType wanted, const std::string& name) const {
  py::gil_scoped_acquire gil;
  return CatchExceptions([&]() -> Result<Output> {
    const py::object value = value_.get();
    try {
      return Convert(graph, value, wanted, name, /*as_ref=*/false);
    } catch (py::error_already_set& error) {
      // An exception of a user's conversion function is passed on unchanged.
      const bool is_type_error = error.matches(PyExc_TypeError);
      if ((!is_type_error && !error.matches(PyExc_ValueError)) || FindConversion(value) != nullptr) throw;
      const Status status = InvalidArgument("{}", Str(error.value()));
      return WithLiteral(is_type_error ? MarkTypeError(status) : status,
                         fmt::format("{} of type '{}'", Repr(value), TypeName(value)));
    }
  });
}

std::optional<Tensor> PyLiteral::Value(DType wanted) const {
  py::gil_scoped_acquire gil;
  Result<Tensor> tensor = CatchExceptions([&]() -> Result<Tensor> {
    const py::object value = value_.get();
    const bool stands_for_a_node =
        !IsPlainValue(value) &&
        (IsList(value) ? HoldsTensor(value) : !IsArray(value) && FindConversion(value) != nullptr);
    if (stands_for_a_node) return NotFound("the value needs graph nodes");
    return TensorFromPython(value, wanted);
  });
  return tensor.ok() ? std::optional<Tensor>(*std::move(tensor)) : std::nullopt;
}

DType PyLiteral::NaturalType() const {
  py::gil_scoped_acquire gil;
  return NaturalTypeOf(value_.ptr());
}

Input InputFrom(py::handle value, bool as_ref) {
  if (IsTensor(value)) return Input(functions_being_traced == 0 ? OutputOf(value) : Captured(OutputOf(value)));
  if (value.is_none()) return Input();
  if (PyRange_Check(value.ptr())) return InputFrom(py::list(py::reinterpret_borrow<py::object>(value)), as_ref);
  if (!IsPlainValue(value) && !IsList(value) && !IsArray(value)) {
    // Variables and similar types convert to an Output right away: ops infer types from it.
    for (const Conversion& c : Conversions())
      if (c.converter && IsInstance(value, c.types)) {
        const Output output = Take(c.converter(value, DefaultGraphRef(), kInvalidType, as_ref));
        return Input(functions_being_traced == 0 ? output : Captured(output));
      }
  }
  return Input(std::make_shared<const PyLiteral>(py::reinterpret_borrow<py::object>(value)));
}

void RegisterOutputConverter(py::handle type, OutputConverter convert) {
  AddConversion({.priority = 0,
                 .types = py::reinterpret_borrow<py::object>(type),
                 .function = {},
                 .converter = std::move(convert)});
}

std::optional<Result<Output>> ConvertRegistered(py::handle value, Graph& graph, DType wanted, bool as_ref) {
  const Conversion* conversion = FindConversion(value);
  if (conversion == nullptr) return std::nullopt;
  return FromConversion(*conversion, value, graph, wanted, "value", as_ref);
}

void BindLiteral(py::module_& m) {
  m.def(
      "convert_to_tensor",
      [](py::handle value, DType dtype, const Name& name, DType preferred_dtype, DType dtype_hint, bool as_ref) {
        Graph& graph = IsTensor(value) ? OutputOf(value).graph() : DefaultGraphRef();
        const std::string node = name.text.empty() ? "Const" : name.text;
        if (preferred_dtype == kInvalidType) preferred_dtype = dtype_hint;
        if (dtype == kInvalidType && preferred_dtype != kInvalidType && !IsTensor(value)) {
          try {
            return Convert(graph, value, preferred_dtype, node, as_ref);
          } catch (py::error_already_set& error) {
            if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
          }
        }
        return Convert(graph, value, dtype, node, as_ref);
      },
      py::arg("value"), py::arg("dtype") = py::none(), py::arg("name") = py::none(),
      py::arg("preferred_dtype") = py::none(), py::arg("dtype_hint") = py::none(), py::arg("as_ref") = false);
  m.def(
      "register_tensor_conversion_function",
      [](py::object base_type, py::object conversion_func, int priority) {
        if (!PyType_Check(base_type.ptr()) && !PyTuple_Check(base_type.ptr()))
          RaiseType("base_type must be a type or a tuple of types.");
        if (PyCallable_Check(conversion_func.ptr()) == 0) RaiseType("conversion_func must be callable.");
        AddConversion({.priority = priority,
                       .types = std::move(base_type),
                       .function = std::move(conversion_func),
                       .converter = {}});
      },
      py::arg("base_type"), py::arg("conversion_func"), py::arg("priority") = 100);
  // Creates a constant. `shape` reshapes the value; missing elements repeat the last one.
  m.def(
      "constant",
      [](py::handle value, DType dtype, py::handle shape, const Name& name, bool verify_shape) {
        Graph& graph = DefaultGraphRef();
        Tensor tensor = TensorFromPython(value, dtype);
        if (!shape.is_none()) {
          const PartialShape wanted = ShapeFrom(shape);
          // TensorFlow ignores the value of an empty constant, unless it is an array.
          const bool ignored = wanted.num_elements() == 0 && !verify_shape && !IsArray(value);
          tensor = ignored ? Take(Tensor::Allocate(tensor.dtype(), wanted.ToShape()))
                           : FillShape(tensor, wanted, verify_shape);
        }
        return MakeConst(graph, tensor, name.text.empty() ? "Const" : name.text);
      },
      py::arg("value"), py::arg("dtype") = py::none(), py::arg("shape") = py::none(), py::arg("name") = "Const",
      py::arg("verify_shape") = false);
}

}  // namespace weir::python
