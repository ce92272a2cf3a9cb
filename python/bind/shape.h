// Binds tf.TensorShape and tf.Dimension, with the arithmetic of TensorFlow 1.15.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

#include "tensor/shape.h"

namespace weir::python {

namespace py = pybind11;

struct ShapeObject {
  PartialShape shape;
};
struct DimensionObject {
  int64_t size = kUnknownDim;
};

py::object ShapeObjectOf(PartialShape shape);
py::object DimensionObjectOf(int64_t size);
// Converts a TensorShape, None, one size, a list of sizes (which may contain None and Dimensions), or a
// TensorShapeProto.
PartialShape ShapeFrom(py::handle object);
// Converts an int, None or a Dimension.
int64_t SizeFrom(py::handle object);
// The size of a Dimension; nullopt for other objects.
std::optional<int64_t> SizeOfDimension(py::handle object);
const PartialShape* ShapeOfObject(py::handle object);  // null if it is not a TensorShape
std::string ShapeText(const PartialShape& shape);      // "(2, ?)", "<unknown>"

void BindShape(py::module_& m);

}  // namespace weir::python
