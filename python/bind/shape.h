// Python's tf.TensorShape and tf.Dimension over PartialShape, with the arithmetic of TensorFlow 1.15.
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
// A TensorShape, None, one size, a list of sizes (None and Dimension among them), or a TensorShapeProto.
PartialShape ShapeFrom(py::handle object);
// An int, None or Dimension.
int64_t SizeFrom(py::handle object);
// The size of an object that is a Dimension; nothing for other objects.
std::optional<int64_t> SizeOfDimension(py::handle object);
const PartialShape* ShapeOfObject(py::handle object);  // null when not a TensorShape
std::string ShapeText(const PartialShape& shape);      // "(2, ?)", "<unknown>"

void BindShape(py::module_& m);

}  // namespace weir::python
