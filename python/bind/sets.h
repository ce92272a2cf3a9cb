// Operands of tf.sets: SparseTensors, or values that convert to tensors.
#pragma once

#include "bind/input_caster.h"
#include "bind/sparse.h"
#include "graph/compose/sets.h"

namespace weir::python {

struct SetsArgument {
  SetOperand sets;
};
inline Graph* GraphOfArgument(const SetsArgument& argument) {
  if (const Sparse* sparse = std::get_if<Sparse>(&argument.sets)) return &sparse->values.graph();
  return GraphOfArgument(std::get<Input>(argument.sets));
}

void BindSets(py::module_& m);

}  // namespace weir::python

namespace pybind11::detail {

template <>
struct type_caster<weir::python::SetsArgument> {
  PYBIND11_TYPE_CASTER(weir::python::SetsArgument, const_name("Union[SparseTensor, Tensor]"));
  bool load(handle source, bool) {
    if (std::optional<weir::Sparse> sparse = weir::python::SparseFrom(source))
      value.sets = *sparse;
    else
      value.sets = weir::python::InputFrom(source);
    return true;
  }
};

}  // namespace pybind11::detail
