#include "bind/flat_values.h"

#include <cstring>

#include "bind/errors.h"
#include "bind/numpy.h"
#include "bind/shape.h"

namespace weir::python {
namespace {

enum class Kind { kBool, kInt, kFloat, kComplex, kString, kNumpy, kOther };

Kind KindOf(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  if (type == &PyFloat_Type) return Kind::kFloat;
  if (type == &PyLong_Type) return Kind::kInt;
  if (type == &PyBool_Type) return Kind::kBool;
  if (PyUnicode_Check(value) || PyBytes_Check(value)) return Kind::kString;
  if (IsNumpyScalar(value) || IsArray(value)) return Kind::kNumpy;
  if (PyFloat_Check(value)) return Kind::kFloat;
  if (PyLong_Check(value)) return Kind::kInt;
  if (PyComplex_Check(value)) return Kind::kComplex;
  if (SizeOfDimension(value).has_value()) return Kind::kInt;
  if (PyIndex_Check(value) != 0) return Kind::kInt;
  return Kind::kOther;
}

// The leaves of nested lists in order (borrowed references), and the shape of the nesting.
struct Leaves {
  std::vector<PyObject*> items;
  std::vector<py::object> lists;  // owns the lists that ranges were converted to
  DimVector dims;
  bool kinds[7] = {};

  bool has(Kind kind) const { return kinds[static_cast<int>(kind)]; }
};

[[noreturn]] void RaiseRagged(py::handle value) {
  RaiseValue(fmt::format("Argument must be a dense tensor: {} has lists of different lengths or depths", Repr(value)));
}

void Collect(PyObject* value, size_t depth, py::handle whole, Leaves* out) {
  if (PyRange_Check(value)) {
    out->lists.push_back(py::list(py::reinterpret_borrow<py::object>(py::handle(value))));
    value = out->lists.back().ptr();
  }
  if (!PyList_Check(value) && !PyTuple_Check(value)) {
    if (depth != out->dims.size()) RaiseRagged(whole);
    out->kinds[static_cast<int>(KindOf(value))] = true;
    out->items.push_back(value);
    return;
  }
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
  if (depth == out->dims.size()) {
    // Only the first path from the outermost list may add dimensions.
    if (!out->items.empty() || depth > kMaxRank) RaiseRagged(whole);
    for (size_t i = 0; i < depth; ++i)
      if (out->dims[i] == 0) RaiseRagged(whole);
    out->dims.push_back(size);
  } else if (out->dims[depth] != size) {
    RaiseRagged(whole);
  }
  for (Py_ssize_t i = 0; i < size; ++i) Collect(PySequence_Fast_GET_ITEM(value, i), depth + 1, whole, out);
}

// An empty list also ends a path: [[], []] has dims (2, 0), and no other list may be nested deeper.
Leaves CollectLeaves(py::handle value) {
  Leaves leaves;
  Collect(value.ptr(), 0, value, &leaves);
  int64_t count = 1;
  for (int64_t d : leaves.dims) count *= d;
  if (count != static_cast<int64_t>(leaves.items.size())) RaiseRagged(value);
  return leaves;
}

[[noreturn]] void RaiseUnexpected(DType wanted, py::handle item) {
  RaiseType(fmt::format("Expected {}, but got {} of type '{}'.", DTypeName(wanted), Str(item), TypeName(item)));
}

bool IntegerLike(PyObject* item, Kind kind) {
  if (kind == Kind::kBool || kind == Kind::kInt) return true;
  if (kind != Kind::kNumpy) return false;
  const DType t = DTypeOfNumpy(py::handle(item).attr("dtype"));
  return IsInteger(t);
}

bool Fits(DType wanted, PyObject* item) {
  const Kind kind = KindOf(item);
  if (wanted == kString) return kind == Kind::kString;
  if (wanted == kBool)
    return kind == Kind::kBool || (kind == Kind::kNumpy && DTypeOfNumpy(py::handle(item).attr("dtype")) == kBool);
  if (IsInteger(wanted) || IsQuantized(wanted)) return IntegerLike(item, kind);
  if (kind == Kind::kNumpy) {
    const DType t = DTypeOfNumpy(py::handle(item).attr("dtype"));
    return IsComplex(wanted) ? IsNumeric(t) || t == kBool : IsInteger(t) || IsFloating(t) || t == kBool;
  }
  if (kind == Kind::kComplex) return IsComplex(wanted);
  return kind == Kind::kBool || kind == Kind::kInt || kind == Kind::kFloat;
}

int64_t IntOf(PyObject* item) {
  if (auto size = SizeOfDimension(item)) {
    if (*size < 0) RaiseValue("Cannot convert an unknown Dimension to a Tensor: ?");
    return *size;
  }
  const int64_t value = PyLong_AsLongLong(item);
  if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

double FloatOf(PyObject* item) {
  if (PyFloat_Check(item)) return PyFloat_AS_DOUBLE(item);
  if (SizeOfDimension(item)) return static_cast<double>(IntOf(item));
  const double value = PyFloat_AsDouble(item);
  if (value == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

template <class T>
void WriteInts(const Leaves& leaves, const Tensor& out) {
  T* data = static_cast<T*>(out.raw());
  for (size_t i = 0; i < leaves.items.size(); ++i) {
    const int64_t value = IntOf(leaves.items[i]);
    if (static_cast<int64_t>(static_cast<T>(value)) != value) {
      PyErr_Format(PyExc_ValueError, "%lld does not fit %s", static_cast<long long>(value),
                   DTypeName(out.dtype()).c_str());
      throw py::error_already_set();
    }
    data[i] = static_cast<T>(value);
  }
}

template <class T>
void WriteFloats(const Leaves& leaves, const Tensor& out) {
  T* data = static_cast<T*>(out.raw());
  for (size_t i = 0; i < leaves.items.size(); ++i) data[i] = static_cast<T>(FloatOf(leaves.items[i]));
}

template <class T>
void WriteComplex(const Leaves& leaves, const Tensor& out) {
  T* data = static_cast<T*>(out.raw());
  for (size_t i = 0; i < leaves.items.size(); ++i) {
    const Py_complex value = PyComplex_AsCComplex(leaves.items[i]);
    if (value.real == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    data[i] = T(static_cast<typename T::value_type>(value.real), static_cast<typename T::value_type>(value.imag));
  }
}

Tensor WriteLeaves(const Leaves& leaves, DType dtype) {
  const Shape shape = Take(Shape::Make(leaves.dims));
  Tensor out = Take(Tensor::Allocate(dtype, shape));
  switch (dtype) {
    case kFloat:
      WriteFloats<float>(leaves, out);
      break;
    case kDouble:
      WriteFloats<double>(leaves, out);
      break;
    case kHalf:
      WriteFloats<half>(leaves, out);
      break;
    case kBFloat16:
      WriteFloats<bfloat16>(leaves, out);
      break;
    case kInt8:
    case kQint8:
      WriteInts<int8_t>(leaves, out);
      break;
    case kInt16:
    case kQint16:
      WriteInts<int16_t>(leaves, out);
      break;
    case kInt32:
    case kQint32:
      WriteInts<int32_t>(leaves, out);
      break;
    case kInt64:
      WriteInts<int64_t>(leaves, out);
      break;
    case kUint8:
    case kQuint8:
      WriteInts<uint8_t>(leaves, out);
      break;
    case kUint16:
    case kQuint16:
      WriteInts<uint16_t>(leaves, out);
      break;
    case kUint32:
      WriteInts<uint32_t>(leaves, out);
      break;
    case kBool:
      for (size_t i = 0; i < leaves.items.size(); ++i) out.data<bool>()[i] = leaves.items[i] == Py_True;
      break;
    case kComplex64:
      WriteComplex<std::complex<float>>(leaves, out);
      break;
    case kComplex128:
      WriteComplex<std::complex<double>>(leaves, out);
      break;
    case kString:
      for (size_t i = 0; i < leaves.items.size(); ++i) BytesOf(leaves.items[i], &out.data<std::string>()[i]);
      break;
    default:
      RaiseType(fmt::format("cannot convert Python values to type {}", DTypeName(dtype)));
  }
  return out;
}

bool AllFit(const Leaves& leaves, int64_t least, int64_t greatest) {
  for (PyObject* item : leaves.items) {
    int overflow = 0;
    const int64_t value = PyLong_Check(item) ? PyLong_AsLongLongAndOverflow(item, &overflow) : IntOf(item);
    if (overflow != 0 || value < least || value > greatest) return false;
  }
  return true;
}

// Converts through numpy: values with numpy types, and integers that do not fit into int64.
Tensor ThroughNumpy(py::handle value, DType wanted) {
  if (wanted != kInvalidType) return TensorFromNumpy(AsArray(value), wanted, Memory::kCopy);
  py::object array = AsArray(value);
  DType natural = DTypeOfNumpy(array.attr("dtype"));
  if (natural == kDouble) natural = kFloat;
  if (natural == kInt64) {
    Tensor wide = TensorFromNumpy(array, kInt64, Memory::kCopy);
    for (int64_t v : wide.flat<int64_t>())
      if (v != static_cast<int32_t>(v)) return wide;
    natural = kInt32;
  }
  if (natural == kInvalidType || array.attr("dtype").attr("kind").cast<std::string>() == "O")
    RaiseType(fmt::format(
        "Failed to convert object of type {} to Tensor. Contents: {}. Consider casting elements to a supported type.",
        Str(py::type::handle_of(value)), Repr(value)));
  return TensorFromNumpy(array, natural, Memory::kCopy);
}

[[noreturn]] void RaiseNotATensor(py::handle value) {
  RaiseType(fmt::format(
      "Failed to convert object of type {} to Tensor. Contents: {}. Consider casting elements to a supported type.",
      Str(py::type::handle_of(value)), Repr(value)));
}

DType NaturalType(const Leaves& leaves, py::handle value) {
  if (leaves.items.empty()) return kFloat;
  if (leaves.has(Kind::kOther)) {
    RaiseNotATensor(value);
  }
  if (leaves.has(Kind::kString)) {
    if (leaves.has(Kind::kBool) || leaves.has(Kind::kInt) || leaves.has(Kind::kFloat) || leaves.has(Kind::kComplex))
      RaiseNotATensor(value);
    return kString;
  }
  if (leaves.has(Kind::kComplex)) return kComplex128;
  if (leaves.has(Kind::kFloat)) return kFloat;
  if (leaves.has(Kind::kInt)) {
    if (AllFit(leaves, INT32_MIN, INT32_MAX)) return kInt32;
    return AllFit(leaves, INT64_MIN, INT64_MAX) ? kInt64 : kUint64;
  }
  return kBool;
}

}  // namespace

Tensor TensorFromValues(py::handle value, DType wanted) {
  const Leaves leaves = CollectLeaves(value);
  if (wanted != kInvalidType) {
    for (PyObject* item : leaves.items) {
      if (!Fits(wanted, item)) RaiseUnexpected(wanted, item);
    }
    if (leaves.has(Kind::kNumpy) || wanted == kUint64) return ThroughNumpy(value, wanted);
    return WriteLeaves(leaves, wanted);
  }
  if (leaves.has(Kind::kNumpy)) return ThroughNumpy(value, kInvalidType);
  const DType natural = NaturalType(leaves, value);
  if (natural == kBool && leaves.has(Kind::kInt)) return WriteLeaves(leaves, kInt32);
  return natural == kUint64 ? ThroughNumpy(value, kInvalidType) : WriteLeaves(leaves, natural);
}

DType NaturalTypeOf(py::handle value) {
  PyObject* leaf = value.ptr();
  while (PyList_Check(leaf) || PyTuple_Check(leaf)) {
    if (PySequence_Fast_GET_SIZE(leaf) == 0) return kFloat;
    leaf = PySequence_Fast_GET_ITEM(leaf, 0);
  }
  if (PyRange_Check(leaf)) return kInt32;
  if (IsArray(leaf)) return DTypeOfNumpy(py::handle(leaf).attr("dtype"));
  switch (KindOf(leaf)) {
    case Kind::kBool:
      return kBool;
    case Kind::kInt:
      return kInt32;
    case Kind::kFloat:
      return kFloat;
    case Kind::kComplex:
      return kComplex128;
    case Kind::kString:
      return kString;
    case Kind::kNumpy:
      return DTypeOfNumpy(py::handle(leaf).attr("dtype"));
    default:
      return kInvalidType;
  }
}

Tensor FillShape(const Tensor& tensor, const PartialShape& wanted, bool verify_shape) {
  if (!wanted.fully_defined())
    RaiseType(fmt::format("the shape of a constant must be known, but is {}", ShapeText(wanted)));
  const Shape shape = wanted.ToShape();
  if (verify_shape && !(shape == tensor.shape()))
    RaiseType(fmt::format("Expected Tensor's shape: {}, got {}.", ShapeText(wanted),
                          ShapeText(PartialShape(tensor.shape()))));
  if (shape.num_elements() == tensor.num_elements()) return tensor.Reshaped(shape);
  if (tensor.num_elements() > shape.num_elements())
    RaiseValue(fmt::format("Too many elements provided. Needed at most {}, but received {}", shape.num_elements(),
                           tensor.num_elements()));
  if (tensor.num_elements() == 0) RaiseValue("cannot fill a constant of a given shape from an empty value");
  Tensor out = Take(Tensor::Allocate(tensor.dtype(), shape));
  const int64_t count = tensor.num_elements();
  if (tensor.dtype() == kString) {
    for (int64_t i = 0; i < out.num_elements(); ++i)
      out.data<std::string>()[i] = tensor.data<std::string>()[std::min(i, count - 1)];
    return out;
  }
  const size_t size = ElementSize(tensor.dtype());
  const char* from = static_cast<const char*>(tensor.raw());
  char* to = static_cast<char*>(out.raw());
  for (int64_t i = 0; i < out.num_elements(); ++i)
    std::memcpy(to + static_cast<size_t>(i) * size, from + static_cast<size_t>(std::min(i, count - 1)) * size, size);
  return out;
}

}  // namespace weir::python
