// Tensors to and from numpy. Nothing is copied where layout and ownership allow: an array that is fed is borrowed for
// the time of the step, and a fetched tensor that nobody else holds becomes the memory of its array. Only this file and
// bfloat16.cc know numpy.s C API.
#pragma once

#include <pybind11/pybind11.h>

#include "tensor/tensor.h"

namespace weir::python {

namespace py = pybind11;

bool IsArray(py::handle object);        // np.ndarray
bool IsNumpyScalar(py::handle object);  // np.generic

// The numpy dtype for a type (object for strings), as a new dtype object; none for handles and variants.
py::object NumpyDType(DType dtype);
// np.float32 and the like: what DType.as_numpy_dtype gives.
py::object NumpyType(DType dtype);
// What a numpy dtype, or something that numpy takes for one, stands for; kInvalidType when nothing here does.
DType DTypeOfNumpy(py::handle dtype);

enum class Memory {
  kCopy,    // the tensor has its own memory
  kBorrow,  // large arrays are shared: the caller keeps nobody from changing them once the step has ended
};
// np.asarray(value, dtype): `value` is an array, a scalar, a list, or anything with __array__. `dtype` kInvalidType:
// the array's own. Throws what numpy throws; TypeError for arrays of something that no tensor can hold.
Tensor TensorFromNumpy(py::handle value, DType dtype, Memory memory);
// np.asarray(value) without a wish for a type.
py::object AsArray(py::handle value);

// An array, or a numpy scalar for rank 0 (bytes for strings). Gives its memory away where `tensor` alone holds it.
py::object NumpyFromTensor(Tensor tensor);
// The same, but always an array.
py::object ArrayFromTensor(Tensor tensor);

// bytes or str (as UTF-8); false for anything else.
bool BytesOf(py::handle object, std::string* out);

void BindNumpy(py::module_& m);

}  // namespace weir::python
