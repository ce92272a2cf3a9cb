// Converts tensors from and to numpy, without copying where layout and ownership allow: a fed array is borrowed during
// the step, and a fetched tensor without other references becomes the memory of its array. Only this file and
// bfloat16.cc use numpy's C API.
#pragma once

#include <pybind11/pybind11.h>

#include "tensor/tensor.h"

namespace weir::python {

namespace py = pybind11;

bool IsArray(py::handle object);        // np.ndarray
bool IsNumpyScalar(py::handle object);  // np.generic

// Returns the numpy dtype of a type (object for strings). Raises TypeError for handles and variants.
py::object NumpyDType(DType dtype);
// The value of DType.as_numpy_dtype: np.float32 and similar.
py::object NumpyType(DType dtype);
// Converts a numpy dtype, or anything that numpy converts to one. Returns kInvalidType if there is no such type.
DType DTypeOfNumpy(py::handle dtype);

enum class Memory {
  kCopy,    // the tensor owns its memory
  kBorrow,  // large arrays are shared, until the step ends: after that the user may change them
};
// Like np.asarray(value, dtype): `value` is an array, a scalar, a list, or an object with __array__. If `dtype` is
// kInvalidType, keeps the array's type. Raises numpy's exceptions, and TypeError for types that tensors do not support.
Tensor TensorFromNumpy(py::handle value, DType dtype, Memory memory);
// np.asarray(value).
py::object AsArray(py::handle value);

// Converts to an array, or to a numpy scalar for rank 0 (bytes for strings). Takes over the memory if `tensor` is its
// only owner.
py::object NumpyFromTensor(Tensor tensor);
// The same, but always an array.
py::object ArrayFromTensor(Tensor tensor);

// Extracts bytes or str (as UTF-8). Returns false for anything else.
bool BytesOf(py::handle object, std::string* out);

void BindNumpy(py::module_& m);

}  // namespace weir::python
