#include "bind/dtype.h"

#include <array>
#include <limits>

#include "bind/errors.h"
#include "bind/numpy.h"

namespace weir::python {
namespace {

constexpr int kLastType = kUint64;

struct DTypeObject {
  DType type;
};

std::array<PyObject*, kLastType + 1>& Objects() {
  static std::array<PyObject*, kLastType + 1> objects{};
  return objects;
}
std::array<PyObject*, kLastType + 1>& RefObjects() {
  static std::array<PyObject*, kLastType + 1> objects{};
  return objects;
}

const DTypeObject* Self(py::handle object) {
  return py::isinstance<DTypeObject>(object) ? object.cast<const DTypeObject*>() : nullptr;
}

// The smallest or largest value, as in TensorFlow. Raises TypeError for types without limits.
py::object Limit(DType type, bool greatest) {
  const DType t = BaseType(type);
  if (t == kBFloat16) {
    const float value = bfloat16::FromBits(0x7f7f);
    return NumpyType(t)(greatest ? value : -value);
  }
  if (IsFloating(t)) return py::module_::import("numpy").attr("finfo")(NumpyType(t)).attr(greatest ? "max" : "min");
  if (IsInteger(t) || IsQuantized(t))
    return py::module_::import("numpy").attr("iinfo")(NumpyType(t)).attr(greatest ? "max" : "min");
  RaiseType(fmt::format("Cannot find {} value of {}.", greatest ? "maximum" : "minimum", DTypeName(type)));
}

DType RealType(DType t) {
  if (BaseType(t) == kComplex64) return kFloat;
  if (BaseType(t) == kComplex128) return kDouble;
  return t;
}

}  // namespace

py::object DTypeObjectOf(DType dtype) {
  const int number = BaseType(dtype);
  if (number <= 0 || number > kLastType) return py::none();
  return py::reinterpret_borrow<py::object>(IsRef(dtype) ? RefObjects()[number] : Objects()[number]);
}

DType DTypeFrom(py::handle object) {
  if (const DTypeObject* self = Self(object)) return self->type;
  if (object.is_none()) return kInvalidType;
  if (PyUnicode_Check(object.ptr())) {
    auto parsed = ParseDType(std::string(py::str(object)));
    return parsed.ok() ? *parsed : kInvalidType;
  }
  if (PyLong_Check(object.ptr()) && !PyBool_Check(object.ptr())) {
    const long number = PyLong_AsLong(object.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return kInvalidType;
    }
    auto known = DTypeFromNumber(static_cast<int>(number));
    return known.ok() ? *known : kInvalidType;
  }
  if (object.ptr() == reinterpret_cast<PyObject*>(&PyFloat_Type)) return kFloat;
  if (object.ptr() == reinterpret_cast<PyObject*>(&PyBool_Type)) return kBool;
  if (object.ptr() == reinterpret_cast<PyObject*>(&PyLong_Type)) return kInt32;
  if (object.ptr() == reinterpret_cast<PyObject*>(&PyUnicode_Type) ||
      object.ptr() == reinterpret_cast<PyObject*>(&PyBytes_Type))
    return kString;
  if (object.ptr() == reinterpret_cast<PyObject*>(&PyComplex_Type)) return kComplex128;
  // numpy converts nearly anything to a dtype; accept only types and dtypes here.
  if (PyType_Check(object.ptr()) || py::hasattr(object, "type") || py::hasattr(object, "dtype")) {
    py::object source = py::reinterpret_borrow<py::object>(object);
    if (!PyType_Check(object.ptr()) && !py::hasattr(object, "type")) source = object.attr("dtype");
    return DTypeOfNumpy(source);
  }
  return kInvalidType;
}

DType AsDType(py::handle object) {
  const DType type = DTypeFrom(object);
  if (type == kInvalidType) RaiseType(fmt::format("Cannot convert value {} to a TensorFlow DType.", Repr(object)));
  return type;
}

void BindDType(py::module_& m) {
  py::class_<DTypeObject> cls(m, "DType");
  cls.def(py::init([](py::handle type) { return new DTypeObject{AsDType(type)}; }))
      .def_property_readonly("name", [](const DTypeObject& d) { return DTypeName(d.type); })
      .def_property_readonly("as_datatype_enum", [](const DTypeObject& d) { return static_cast<int>(d.type); })
      .def_property_readonly("as_numpy_dtype", [](const DTypeObject& d) { return NumpyType(d.type); })
      .def_property_readonly("base_dtype", [](const DTypeObject& d) { return DTypeObjectOf(BaseType(d.type)); })
      .def_property_readonly("real_dtype", [](const DTypeObject& d) { return DTypeObjectOf(RealType(d.type)); })
      .def_property_readonly("_as_ref", [](const DTypeObject& d) { return DTypeObjectOf(RefType(d.type)); })
      .def_property_readonly("_is_ref_dtype", [](const DTypeObject& d) { return IsRef(d.type); })
      .def_property_readonly("is_bool", [](const DTypeObject& d) { return BaseType(d.type) == kBool; })
      .def_property_readonly("is_integer", [](const DTypeObject& d) { return IsInteger(BaseType(d.type)); })
      .def_property_readonly("is_floating", [](const DTypeObject& d) { return IsFloating(BaseType(d.type)); })
      .def_property_readonly("is_complex", [](const DTypeObject& d) { return IsComplex(BaseType(d.type)); })
      .def_property_readonly("is_quantized", [](const DTypeObject& d) { return IsQuantized(BaseType(d.type)); })
      .def_property_readonly("is_unsigned", [](const DTypeObject& d) { return IsUnsigned(BaseType(d.type)); })
      .def_property_readonly(
          "is_numpy_compatible",
          [](const DTypeObject& d) { return BaseType(d.type) != kResource && BaseType(d.type) != kVariant; })
      .def_property_readonly("size",
                             [](const DTypeObject& d) {
                               const DType t = BaseType(d.type);
                               return IsPlain(t) ? static_cast<int>(ElementSize(t)) : 1;
                             })
      .def_property_readonly("min", [](const DTypeObject& d) { return Limit(d.type, false); })
      .def_property_readonly("max", [](const DTypeObject& d) { return Limit(d.type, true); })
      .def_property_readonly("limits",
                             [](const DTypeObject& d) {
                               return py::make_tuple(
                                   IsFloating(BaseType(d.type)) ? py::object(py::int_(0)) : Limit(d.type, false),
                                   IsFloating(BaseType(d.type)) ? py::object(py::int_(1)) : Limit(d.type, true));
                             })
      .def("is_compatible_with",
           [](const DTypeObject& d, py::handle other) {
             const DType o = AsDType(other);
             return o == d.type || o == BaseType(d.type);
           })
      .def("__int__", [](const DTypeObject& d) { return static_cast<int>(d.type); })
      .def("__hash__", [](const DTypeObject& d) { return static_cast<int>(d.type); })
      .def("__eq__", [](const DTypeObject& d, py::handle other) { return DTypeFrom(other) == d.type; })
      .def("__ne__", [](const DTypeObject& d, py::handle other) { return DTypeFrom(other) != d.type; })
      .def("__str__", [](const DTypeObject& d) { return fmt::format("<dtype: '{}'>", DTypeName(d.type)); })
      .def("__repr__", [](const DTypeObject& d) { return "tf." + DTypeName(d.type); })
      .def("__reduce__", [](const DTypeObject& d) {
        return py::make_tuple(py::module_::import("weir._names").attr("resolve"),
                              py::make_tuple("dtype:" + DTypeName(d.type)));
      });

  py::dict all;
  for (int number = 1; number <= kLastType; ++number) {
    const DType type = static_cast<DType>(number);
    for (DType t : {type, RefType(type)}) {
      py::object object = py::cast(new DTypeObject{t}, py::return_value_policy::take_ownership);
      all[py::str(DTypeName(t))] = object;
      (IsRef(t) ? RefObjects() : Objects())[number] = object.release().ptr();
    }
  }
  m.attr("dtypes") = all;
  m.def(
      "as_dtype", [](py::handle type) { return DTypeObjectOf(AsDType(type)); }, py::arg("type_value"));
}

}  // namespace weir::python
