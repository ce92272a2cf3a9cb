// Python numbers, strings and nested lists of them as tensors.
#pragma once

#include <pybind11/pybind11.h>

#include "tensor/tensor.h"

namespace weir::python {

namespace py = pybind11;

// `wanted` kInvalidType: bool, int32 (int64 where one does not fit), float32, complex128 or string, as the values ask
// for. ValueError for ragged lists, TypeError for values that the type cannot hold.
Tensor TensorFromValues(py::handle value, DType wanted);
// The type that TensorFromValues would choose, without looking at everything: from the first leaf. kInvalidType: not
// known.
DType NaturalTypeOf(py::handle value);
// `tensor` in that shape; a tensor with fewer elements is filled up with its last one.
Tensor FillShape(const Tensor& tensor, const PartialShape& shape, bool verify_shape);

}  // namespace weir::python
