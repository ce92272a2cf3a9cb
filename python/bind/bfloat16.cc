#include "bind/bfloat16.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL weir_numpy_api
#define NO_IMPORT_ARRAY
#include <numpy/arrayobject.h>
#include <numpy/halffloat.h>

#include <complex>
#include <cstring>

#include "tensor/half.h"

namespace weir::python {
namespace {

namespace py = pybind11;

struct Scalar {
  PyObject_HEAD
  bfloat16 value;
};

int type_number = -1;
PyTypeObject* scalar_type = nullptr;

PyObject* NewScalar(PyTypeObject* type, bfloat16 value) {
  PyObject* object = type->tp_alloc(type, 0);
  if (object != nullptr) reinterpret_cast<Scalar*>(object)->value = value;
  return object;
}

float ValueOf(PyObject* object) { return reinterpret_cast<Scalar*>(object)->value; }

// Returns false with a Python error set if `object` is not a number.
bool FromPython(PyObject* object, bfloat16* out) {
  if (PyObject_TypeCheck(object, scalar_type)) {
    *out = reinterpret_cast<Scalar*>(object)->value;
    return true;
  }
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred() != nullptr) return false;
  *out = bfloat16(value);
  return true;
}

PyObject* ScalarNew(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* given = nullptr;
  if (!PyArg_ParseTuple(args, "|O", &given)) return nullptr;
  bfloat16 value;
  if (given != nullptr && PyArray_Check(given))
    return PyArray_Cast(reinterpret_cast<PyArrayObject*>(given), type_number);
  if (given != nullptr && PyUnicode_Check(given)) {
    PyObject* number = PyFloat_FromString(given);
    if (number == nullptr) return nullptr;
    value = bfloat16(PyFloat_AsDouble(number));
    Py_DECREF(number);
  } else if (given != nullptr && !FromPython(given, &value)) {
    return nullptr;
  }
  return NewScalar(type, value);
}

PyObject* ScalarRepr(PyObject* self) {
  PyObject* number = PyFloat_FromDouble(ValueOf(self));
  PyObject* text = PyObject_Str(number);
  Py_XDECREF(number);
  return text;
}
PyObject* ScalarFloat(PyObject* self) { return PyFloat_FromDouble(ValueOf(self)); }
PyObject* ScalarInt(PyObject* self) { return PyLong_FromDouble(ValueOf(self)); }
int ScalarBool(PyObject* self) { return ValueOf(self) != 0.0f; }
Py_hash_t ScalarHash(PyObject* self) { return _Py_HashDouble(self, ValueOf(self)); }
PyObject* ScalarCompare(PyObject* a, PyObject* b, int op) {
  bfloat16 left;
  bfloat16 right;
  if (!FromPython(a, &left) || !FromPython(b, &right)) {
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  Py_RETURN_RICHCOMPARE(float(left), float(right), op);
}

// --- numpy's functions for an element type ---------------------------------------------------------------------------
PyObject* GetItem(void* data, void*) {
  bfloat16 value;
  std::memcpy(&value, data, sizeof(value));
  return NewScalar(scalar_type, value);
}
int SetItem(PyObject* item, void* data, void*) {
  bfloat16 value;
  if (!FromPython(item, &value)) return -1;
  std::memcpy(data, &value, sizeof(value));
  return 0;
}
void CopySwapN(void* to, npy_intp to_stride, void* from, npy_intp from_stride, npy_intp n, int swap, void*) {
  for (npy_intp i = 0; i < n; ++i) {
    char* out = static_cast<char*>(to) + i * to_stride;
    if (from != nullptr) std::memcpy(out, static_cast<char*>(from) + i * from_stride, 2);
    if (swap != 0) std::swap(out[0], out[1]);
  }
}
void CopySwap(void* to, void* from, int swap, void* array) { CopySwapN(to, 0, from, 0, 1, swap, array); }
npy_bool NonZero(void* data, void*) {
  bfloat16 value;
  std::memcpy(&value, data, sizeof(value));
  return float(value) != 0.0f;
}
int Compare(const void* a, const void* b, void*) {
  const float left = *static_cast<const bfloat16*>(a);
  const float right = *static_cast<const bfloat16*>(b);
  return left < right ? -1 : left > right ? 1 : 0;
}
int Fill(void* data, npy_intp length, void*) {  // np.arange
  auto* values = static_cast<bfloat16*>(data);
  const float start = values[0];
  const float step = float(values[1]) - start;
  for (npy_intp i = 2; i < length; ++i) values[i] = bfloat16(start + static_cast<float>(i) * step);
  return 0;
}

template <class From, class To>
void CastLoop(void* from, void* to, npy_intp n, void*, void*) {
  const auto* in = static_cast<const From*>(from);
  auto* out = static_cast<To*>(to);
  for (npy_intp i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<From, bfloat16>) {
      out[i] = static_cast<To>(static_cast<float>(in[i]));
    } else if constexpr (std::is_same_v<From, std::complex<float>> || std::is_same_v<From, std::complex<double>>) {
      out[i] = bfloat16(static_cast<float>(in[i].real()));
    } else {
      out[i] = bfloat16(static_cast<float>(in[i]));
    }
  }
}

template <class T>
void AddCasts(PyArray_Descr* descr, int number) {
  PyArray_Descr* other = PyArray_DescrFromType(number);
  PyArray_RegisterCastFunc(other, type_number, CastLoop<T, bfloat16>);
  PyArray_RegisterCastFunc(descr, number, CastLoop<bfloat16, T>);
  Py_DECREF(other);
}

PyTypeObject* MakeScalarType() {
  static PyNumberMethods numbers = {};
  numbers.nb_float = ScalarFloat;
  numbers.nb_int = ScalarInt;
  numbers.nb_bool = ScalarBool;
  static PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = "weir.bfloat16";
  type.tp_doc = "A bfloat16 number.";
  type.tp_basicsize = sizeof(Scalar);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  type.tp_base = &PyGenericArrType_Type;
  type.tp_new = ScalarNew;
  type.tp_repr = ScalarRepr;
  type.tp_str = ScalarRepr;
  type.tp_hash = ScalarHash;
  type.tp_richcompare = ScalarCompare;
  type.tp_as_number = &numbers;
  return PyType_Ready(&type) == 0 ? &type : nullptr;
}

}  // namespace

int BFloat16Number() { return type_number; }

void RegisterBFloat16(py::module_& m) {
  scalar_type = MakeScalarType();
  if (scalar_type == nullptr) throw py::error_already_set();
  static PyArray_ArrFuncs functions;
  PyArray_InitArrFuncs(&functions);
  functions.getitem = GetItem;
  functions.setitem = SetItem;
  functions.copyswap = CopySwap;
  functions.copyswapn = CopySwapN;
  functions.nonzero = NonZero;
  functions.compare = Compare;
  functions.fill = Fill;
  static PyArray_Descr descr = {PyObject_HEAD_INIT(nullptr)};
  Py_SET_TYPE(&descr, &PyArrayDescr_Type);
  descr.typeobj = scalar_type;
  descr.kind = 'V';
  descr.type = 'E';
  descr.byteorder = '=';
  descr.flags = NPY_NEEDS_PYAPI | NPY_USE_GETITEM | NPY_USE_SETITEM;
  descr.elsize = 2;
  descr.alignment = 2;
  descr.f = &functions;
  descr.hash = -1;
  type_number = PyArray_RegisterDataType(&descr);
  if (type_number < 0) throw py::error_already_set();
  PyObject* as_object = reinterpret_cast<PyObject*>(&descr);
  if (PyDict_SetItemString(scalar_type->tp_dict, "dtype", as_object) != 0) throw py::error_already_set();

  AddCasts<float>(&descr, NPY_FLOAT);
  AddCasts<double>(&descr, NPY_DOUBLE);
  AddCasts<npy_bool>(&descr, NPY_BOOL);
  AddCasts<npy_byte>(&descr, NPY_BYTE);
  AddCasts<npy_short>(&descr, NPY_SHORT);
  AddCasts<npy_int>(&descr, NPY_INT);
  AddCasts<npy_long>(&descr, NPY_LONG);
  AddCasts<npy_longlong>(&descr, NPY_LONGLONG);
  AddCasts<npy_ubyte>(&descr, NPY_UBYTE);
  AddCasts<npy_ushort>(&descr, NPY_USHORT);
  AddCasts<npy_uint>(&descr, NPY_UINT);
  AddCasts<npy_ulong>(&descr, NPY_ULONG);
  AddCasts<npy_ulonglong>(&descr, NPY_ULONGLONG);
  AddCasts<half>(&descr, NPY_HALF);
  AddCasts<std::complex<float>>(&descr, NPY_CFLOAT);
  AddCasts<std::complex<double>>(&descr, NPY_CDOUBLE);
  PyArray_RegisterCanCast(&descr, NPY_FLOAT, NPY_NOSCALAR);
  PyArray_RegisterCanCast(&descr, NPY_DOUBLE, NPY_NOSCALAR);
  m.attr("bfloat16_scalar") = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(scalar_type));
}

}  // namespace weir::python
