// The values of a layer's or cell's variables, from Python.
#pragma once

#include "bind/literal.h"
#include "bind/variables.h"
#include "graph/compose/layer_weights.h"

namespace weir::python {

// From a dict by name. None means that there is no such variable.
inline WeightValues WeightValuesFrom(const py::dict& weights) {
  WeightValues values;
  for (const auto& [name, weight] : weights)
    values.Set(py::cast<std::string>(name), InputFrom(weight), IsVariable(weight) ? VariableFrom(weight) : nullptr);
  return values;
}

}  // namespace weir::python
