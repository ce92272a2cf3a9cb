// Converts Python numbers, strings and nested lists of them to tensors.
#pragma once

#include <pybind11/pybind11.h>

#include "tensor/tensor.h"

namespace weir::python {

namespace py = pybind11;

// If `wanted` is kInvalidType, the values determine the type: bool, int32 (int64 if a value does not fit), float32,
// complex128 or string. Raises ValueError for ragged lists, and TypeError for values that the type cannot represent.
Tensor TensorFromValues(py::handle value, DType wanted);
// The type that TensorFromValues would choose, judging by the first leaf only. kInvalidType if it is unknown.
DType NaturalTypeOf(py::handle value);
// Reshapes `tensor`. If it has too few elements, repeats the last one.
Tensor FillShape(const Tensor& tensor, const PartialShape& shape, bool verify_shape);

}  // namespace weir::python
