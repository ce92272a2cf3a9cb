// SparseTensor and IndexedSlices: bound classes that consist of three tensors.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

#include "graph/compose/sparse.h"
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

// An argument that is a SparseTensor, or a SparseTensorValue or similar, which is converted to constants.
struct SparseArgument {
  Sparse sparse;
};
// nullopt for objects without indices, values and dense_shape.
std::optional<Sparse> SparseFrom(py::handle object);
inline Graph* GraphOfArgument(const SparseArgument& argument) { return &argument.sparse.values.graph(); }

// The same for functions where TensorFlow uses the fields of the argument without a check: another value raises
// AttributeError, not TypeError.
struct SparseFields {
  Sparse sparse;
};
inline Graph* GraphOfArgument(const SparseFields& argument) { return &argument.sparse.values.graph(); }

void BindSparse(py::module_& m);
void BindSparseFunctions(py::module_& m);

}  // namespace weir::python

namespace pybind11::detail {

template <>
struct type_caster<weir::python::SparseArgument> {
  PYBIND11_TYPE_CASTER(weir::python::SparseArgument, const_name("SparseTensor"));
  bool load(handle source, bool) {
    std::optional<weir::Sparse> found = weir::python::SparseFrom(source);
    if (!found.has_value()) return false;
    value.sparse = *found;
    return true;
  }
};

template <>
struct type_caster<weir::python::SparseFields> {
  PYBIND11_TYPE_CASTER(weir::python::SparseFields, const_name("SparseTensor"));
  bool load(handle source, bool) {
    std::optional<weir::Sparse> found = weir::python::SparseFrom(source);
    if (!found.has_value()) weir::python::RaiseMissingAttribute(source, "indices");
    value.sparse = *found;
    return true;
  }
};

// For results.
template <>
struct type_caster<weir::Sparse> {
  static constexpr auto name = const_name("SparseTensor");
  static handle cast(const weir::Sparse& s, return_value_policy, handle) {
    return weir::python::WrapSparse(s.indices, s.values, s.dense_shape).release();
  }
};

}  // namespace pybind11::detail
