// Argument types of public functions beyond those of input_caster.h, and Def, a short way to bind such functions.
//
//   Def(m, "stack", +[](Graph& graph, Values values, int64_t axis, Name name) { ... }, py::arg("values"), ...);
#pragma once

#include <cmath>

#include "bind/input_caster.h"
#include "graph/build/reduce.h"

namespace weir::python {

// A list of tensors, or a single value.
struct Values {
  InputList list;
  bool is_list = false;
};
inline Graph* GraphOfArgument(const Values& values) { return GraphOfArgument(values.list); }
inline void AddOtherGraph(OtherGraphs& others, Graph* graph, const Values& values) {
  AddOtherGraph(others, graph, values.list);
}

// Axes: None (all axes), a number or a list of numbers.
struct AxesArgument {
  Axes axes;
};

// A number that becomes an int attribute of a node. Like TensorFlow, drops the fraction of a float.
struct IntAttribute {
  int64_t value = 0;
  operator int64_t() const { return value; }
};

Values ValuesFrom(py::handle object);
std::vector<int64_t> IntsFrom(py::handle object);  // a number or a list of numbers
Axes AxesFrom(py::handle object);                  // None, a number or a list of numbers, without fractions

// Binds a function that builds nodes. Takes a function pointer, so that functions of the same type share pybind11's
// template instantiation.
template <class R, class... Args, class... Extra>
void Def(py::module_& m, const char* name, R (*function)(Graph&, Args...), Extra&&... extra) {
  auto with_graph = [function](Graph& graph, Args... args) { return function(graph, std::forward<Args>(args)...); };
  m.def(name, Building(with_graph), std::forward<Extra>(extra)...);
}

void BindMath(py::module_& m);
void BindLinalg(py::module_& m);
void BindLinearOperators(py::module_& m);
void BindSignal(py::module_& m);
void BindProbabilities(py::module_& m);
void BindArray(py::module_& m);
void BindNn(py::module_& m);
void BindRandom(py::module_& m);
void BindString(py::module_& m);
void BindChecks(py::module_& m);
void BindFlow(py::module_& m);
void BindDefun(py::module_& m);
void BindLosses(py::module_& m);
void BindImage(py::module_& m);
void BindLookup(py::module_& m);
void BindGraphParts(py::module_& m);

}  // namespace weir::python

namespace pybind11::detail {

template <>
struct type_caster<weir::python::Values> {
  PYBIND11_TYPE_CASTER(weir::python::Values, const_name("List[Tensor]"));
  bool load(handle source, bool) {
    value = weir::python::ValuesFrom(source);
    return true;
  }
};

template <>
struct type_caster<weir::python::IntAttribute> {
  PYBIND11_TYPE_CASTER(weir::python::IntAttribute, const_name("int"));
  bool load(handle source, bool convert) {
    if (PyFloat_Check(source.ptr()) != 0) {
      const double number = PyFloat_AS_DOUBLE(source.ptr());
      if (!(std::abs(number) < 0x1p63)) return false;
      value.value = static_cast<int64_t>(number);
      return true;
    }
    make_caster<int64_t> whole;
    if (!whole.load(source, convert)) return false;
    value.value = cast_op<int64_t>(whole);
    return true;
  }
};

template <>
struct type_caster<weir::python::AxesArgument> {
  PYBIND11_TYPE_CASTER(weir::python::AxesArgument, const_name("Optional[List[int]]"));
  bool load(handle source, bool) {
    value.axes = weir::python::AxesFrom(source);
    return true;
  }
};

}  // namespace pybind11::detail
