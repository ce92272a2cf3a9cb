// SparseTensor and IndexedSlices: three tensors that belong together, as Python's classes.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

#include "op/output.h"

namespace weir::python {

namespace py = pybind11;

struct SparseObject {
  Output indices;
  Output values;
  Output dense_shape;
  py::object graph;
};
struct SlicesObject {
  IndexedSlices slices;
  py::object graph;
};

bool IsSparse(py::handle object);
bool IsSlices(py::handle object);
const SparseObject& SparseOf(py::handle object);
const IndexedSlices& SlicesOf(py::handle object);
py::object Wrap(const IndexedSlices& slices);
py::object WrapSparse(Output indices, Output values, Output dense_shape);
// None, a Tensor or an IndexedSlices.
py::object Wrap(const Grad& grad);
Grad GradFrom(py::handle object);

void BindSparse(py::module_& m);

}  // namespace weir::python
