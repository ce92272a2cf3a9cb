#include "bind/numpy.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL weir_numpy_api
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <cstring>

#include "bind/bfloat16.h"
#include "bind/errors.h"
#include "bind/process.h"
#include "tensor/shared_blocks.h"

namespace weir::python {
namespace {

// Below this size, copying is cheaper than sharing memory.
constexpr size_t kBorrowBytes = 16 << 10;

int NumpyNumber(DType dtype) {
  switch (BaseType(dtype)) {
    case kFloat:
      return NPY_FLOAT32;
    case kDouble:
      return NPY_FLOAT64;
    case kHalf:
      return NPY_FLOAT16;
    case kBFloat16:
      return BFloat16Number();
    case kInt8:
    case kQint8:
      return NPY_INT8;
    case kInt16:
    case kQint16:
      return NPY_INT16;
    case kInt32:
    case kQint32:
      return NPY_INT32;
    case kInt64:
      return NPY_INT64;
    case kUint8:
    case kQuint8:
      return NPY_UINT8;
    case kUint16:
    case kQuint16:
      return NPY_UINT16;
    case kUint32:
      return NPY_UINT32;
    case kUint64:
      return NPY_UINT64;
    case kBool:
      return NPY_BOOL;
    case kComplex64:
      return NPY_COMPLEX64;
    case kComplex128:
      return NPY_COMPLEX128;
    case kString:
    case kResource:
    case kVariant:
      return NPY_OBJECT;
    default:
      return -1;
  }
}

DType DTypeOfNumber(int number) {
  switch (number) {
    case NPY_FLOAT:
      return kFloat;
    case NPY_DOUBLE:
      return kDouble;
    case NPY_HALF:
      return kHalf;
    case NPY_BOOL:
      return kBool;
    case NPY_BYTE:
      return kInt8;
    case NPY_SHORT:
      return kInt16;
    case NPY_INT:
      return kInt32;
    case NPY_LONG:
    case NPY_LONGLONG:
      return kInt64;
    case NPY_UBYTE:
      return kUint8;
    case NPY_USHORT:
      return kUint16;
    case NPY_UINT:
      return kUint32;
    case NPY_ULONG:
    case NPY_ULONGLONG:
      return kUint64;
    case NPY_CFLOAT:
      return kComplex64;
    case NPY_CDOUBLE:
      return kComplex128;
    case NPY_OBJECT:
    case NPY_STRING:
    case NPY_UNICODE:
      return kString;
    default:
      return number == BFloat16Number() ? kBFloat16 : kInvalidType;
  }
}

py::object Owned(PyObject* object) {
  if (object == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

PyArrayObject* Array(const py::object& object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }

Shape ShapeOfArray(PyArrayObject* array) {
  DimVector dims(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  return Take(Shape::Make(dims));
}

// Converts the elements of an object, bytes or unicode array to strings.
Tensor StringsFromArray(const py::object& given) {
  py::object array = given;
  if (PyArray_TYPE(Array(array)) != NPY_OBJECT)
    array = Owned(PyArray_FromAny(array.ptr(), PyArray_DescrFromType(NPY_OBJECT), 0, 0,
                                  NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST, nullptr));
  else if (!PyArray_IS_C_CONTIGUOUS(Array(array)))
    array = Owned(reinterpret_cast<PyObject*>(PyArray_GETCONTIGUOUS(Array(array))));
  Tensor tensor = Take(Tensor::Allocate(kString, ShapeOfArray(Array(array))));
  auto** items = static_cast<PyObject**>(PyArray_DATA(Array(array)));
  std::string* out = tensor.data<std::string>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    PyObject* item = items[i] == nullptr ? Py_None : items[i];
    if (!BytesOf(item, &out[i])) {
      RaiseType(fmt::format("Expected binary or unicode string, got {} of type '{}'", Repr(item), TypeName(item)));
    }
  }
  return tensor;
}

py::object StringsToArray(const Tensor& tensor) {
  DimVector dims = tensor.shape().dims();
  py::object array = Owned(PyArray_SimpleNew(tensor.rank(), reinterpret_cast<npy_intp*>(dims.data()), NPY_OBJECT));
  auto** items = static_cast<PyObject**>(PyArray_DATA(Array(array)));
  const std::string* strings = tensor.data<std::string>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    PyObject* bytes = PyBytes_FromStringAndSize(strings[i].data(), static_cast<Py_ssize_t>(strings[i].size()));
    if (bytes == nullptr) throw py::error_already_set();
    Py_XDECREF(items[i]);
    items[i] = bytes;
  }
  return array;
}

// Wraps a resource handle or variant, so that it can be fed again.
py::object OpaqueToArray(const Tensor& tensor) {
  py::object boxed = py::cast(tensor);
  npy_intp one = 1;
  py::object array = Owned(PyArray_SimpleNew(0, &one, NPY_OBJECT));
  auto** item = static_cast<PyObject**>(PyArray_DATA(Array(array)));
  Py_XDECREF(*item);
  *item = boxed.release().ptr();
  return array;
}

}  // namespace

bool IsArray(py::handle object) { return PyArray_Check(object.ptr()); }
bool IsNumpyScalar(py::handle object) { return PyArray_IsScalar(object.ptr(), Generic); }

py::object NumpyDType(DType dtype) {
  const int number = NumpyNumber(dtype);
  if (number < 0) RaiseType(fmt::format("{} has no numpy type", DTypeName(dtype)));
  return Owned(reinterpret_cast<PyObject*>(PyArray_DescrFromType(number)));
}

py::object NumpyType(DType dtype) {
  if (BaseType(dtype) == kResource || BaseType(dtype) == kVariant || BaseType(dtype) == kString)
    return py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
  return NumpyDType(dtype).attr("type");
}

DType DTypeOfNumpy(py::handle dtype) {
  PyArray_Descr* descr = nullptr;
  if (PyArray_DescrConverter(dtype.ptr(), &descr) == 0 || descr == nullptr) {
    PyErr_Clear();
    return kInvalidType;
  }
  const int number = descr->type_num;
  Py_DECREF(descr);
  return DTypeOfNumber(number);
}

py::object AsArray(py::handle value) { return Owned(PyArray_FromAny(value.ptr(), nullptr, 0, 0, 0, nullptr)); }

// Converts to an array of objects unless it is an array already: numpy's bytes type strips trailing zero bytes.
py::object AsArrayOfStrings(py::handle value) {
  if (IsArray(value)) return py::reinterpret_borrow<py::object>(value);
  return Owned(PyArray_FromAny(value.ptr(), PyArray_DescrFromType(NPY_OBJECT), 0, 0, 0, nullptr));
}

Tensor TensorFromNumpy(py::handle value, DType dtype, Memory memory) {
  py::object array;
  if (dtype == kInvalidType) {
    array = AsArray(value);
    dtype = DTypeOfNumber(PyArray_TYPE(Array(array)));
    if (dtype == kInvalidType)
      RaiseType(fmt::format("cannot convert a numpy array of dtype {} to a tensor", Repr(array.attr("dtype"))));
  } else {
    dtype = BaseType(dtype);
  }
  if (dtype == kString) return StringsFromArray(array ? array : AsArrayOfStrings(value));
  if (dtype == kResource || dtype == kVariant) {
    py::object boxed = IsArray(value) ? value.attr("item")() : py::reinterpret_borrow<py::object>(value);
    if (!py::isinstance<Tensor>(boxed))
      RaiseType("expected a resource handle or variant that was fetched from a session");
    return boxed.cast<Tensor>();
  }
  const int number = NumpyNumber(dtype);
  const int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_FORCECAST;
  py::handle source = array ? py::handle(array) : value;
  const bool fits =
      PyArray_Check(source.ptr()) &&
      DTypeOfNumber(PyArray_TYPE(reinterpret_cast<PyArrayObject*>(source.ptr()))) == dtype &&
      PyArray_CHKFLAGS(reinterpret_cast<PyArrayObject*>(source.ptr()), NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED) &&
      PyArray_ISNOTSWAPPED(reinterpret_cast<PyArrayObject*>(source.ptr()));
  const bool is_users = fits;
  if (fits) {
    array = py::reinterpret_borrow<py::object>(source);
  } else {
    array = Owned(PyArray_FromAny(source.ptr(), PyArray_DescrFromType(number), 0, 0, flags, nullptr));
  }
  const Shape shape = ShapeOfArray(Array(array));
  void* data = PyArray_DATA(Array(array));
  const size_t bytes = static_cast<size_t>(PyArray_NBYTES(Array(array)));
  const bool aligned = reinterpret_cast<uintptr_t>(data) % 16 == 0;
  // An array that numpy has just created for us has no other owner, so it may be kept.
  const bool fresh = !is_users && Py_REFCNT(array.ptr()) == 1 && PyArray_CHKFLAGS(Array(array), NPY_ARRAY_OWNDATA);
  if (bytes >= kBorrowBytes && aligned && (memory == Memory::kBorrow || fresh)) {
    PyObject* keep = array.release().ptr();
    return Tensor::FromBuffer(dtype, shape, WrapMemory(data, bytes, [keep] { DecrefLater(keep); }), data);
  }
  Tensor tensor = Take(Tensor::Allocate(dtype, shape));
  if (bytes > 0) std::memcpy(tensor.raw(), data, bytes);
  return tensor;
}

py::object ArrayFromTensor(Tensor tensor) {
  if (tensor.dtype() == kString) return StringsToArray(tensor);
  if (!IsPlain(tensor.dtype())) return OpaqueToArray(tensor);
  DimVector dims = tensor.shape().dims();
  auto* sizes = reinterpret_cast<npy_intp*>(dims.data());
  PyArray_Descr* descr = PyArray_DescrFromType(NumpyNumber(tensor.dtype()));
  // The array may be written, and a forked child may see it: give it private memory.
  if (tensor.num_bytes() >= kBorrowBytes && FindSharedBlock(tensor.raw(), tensor.num_bytes()).has_value()) {
    BufferPtr own = Take(AllocatePrivate(tensor.num_bytes()));
    std::memcpy(own->data(), tensor.raw(), tensor.num_bytes());
    void* data = own->data();
    tensor = Tensor::FromBuffer(tensor.dtype(), tensor.shape(), std::move(own), data);
  }
  if (tensor.num_bytes() >= kBorrowBytes && tensor.OwnsMemoryAlone()) {
    void* data = tensor.raw();
    auto* owner = new Tensor(std::move(tensor));
    py::capsule base(owner, [](void* p) { delete static_cast<Tensor*>(p); });
    py::object array = Owned(PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(dims.size()), sizes, nullptr,
                                                  data, NPY_ARRAY_CARRAY, nullptr));
    if (PyArray_SetBaseObject(Array(array), base.release().ptr()) != 0) throw py::error_already_set();
    return array;
  }
  py::object array = Owned(
      PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(dims.size()), sizes, nullptr, nullptr, 0, nullptr));
  if (tensor.num_bytes() > 0) std::memcpy(PyArray_DATA(Array(array)), tensor.raw(), tensor.num_bytes());
  return array;
}

py::object NumpyFromTensor(Tensor tensor) {
  if (tensor.rank() > 0) return ArrayFromTensor(std::move(tensor));
  if (tensor.dtype() == kString) return py::bytes(tensor.scalar<std::string>());
  if (!IsPlain(tensor.dtype())) return py::cast(tensor);
  PyArray_Descr* descr = PyArray_DescrFromType(NumpyNumber(tensor.dtype()));
  py::object holder = Owned(reinterpret_cast<PyObject*>(descr));
  return Owned(PyArray_Scalar(tensor.raw(), descr, nullptr));
}

bool BytesOf(py::handle object, std::string* out) {
  if (PyBytes_Check(object.ptr())) {
    out->assign(PyBytes_AS_STRING(object.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(object.ptr())));
    return true;
  }
  if (PyUnicode_Check(object.ptr())) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
    if (text == nullptr) throw py::error_already_set();
    out->assign(text, static_cast<size_t>(size));
    return true;
  }
  if (PyByteArray_Check(object.ptr())) {
    out->assign(PyByteArray_AS_STRING(object.ptr()), static_cast<size_t>(PyByteArray_GET_SIZE(object.ptr())));
    return true;
  }
  return false;
}

void BindNumpy(py::module_& m) {
  // A build against numpy 1 misreads the arrays of numpy 2.
  const std::string version = py::str(py::module_::import("numpy").attr("__version__"));
  if (std::atoi(version.c_str()) >= 2) {
    PyErr_Format(PyExc_ImportError, "Weir needs numpy 1 (at least 1.24); this is numpy %s", version.c_str());
    throw py::error_already_set();
  }
  if (_import_array() < 0) throw py::error_already_set();
  RegisterBFloat16(m);
  py::class_<Tensor>(m, "OpaqueTensor").def("__repr__", [](const Tensor& t) { return t.ToString(); });
}

}  // namespace weir::python
