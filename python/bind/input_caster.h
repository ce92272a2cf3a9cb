// pybind11 casters for arguments and results of graph-building functions: Input and InputList, Output and OutputList,
// Node*, DType, PartialShape, Name. Include this where such functions are bound.
//
//   m.def("zero_fraction", Building([](Graph& graph, Input x, const Name& name) {
//           return ZeroFraction(ValueOf(graph, x, kInvalidType, "value"), name.text);
//         }), py::arg("value"), py::arg("name") = py::none());
//
// Building finds the graph (that of the first tensor among the inputs, else the default graph) and raises errors.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <concepts>
#include <optional>

#include "bind/dtype.h"
#include "bind/errors.h"
#include "bind/literal.h"
#include "bind/objects.h"
#include "bind/shape.h"
#include "graph/input.h"

namespace weir::python {

// An optional `name=` argument. None means no name.
struct Name {
  std::string text;
  bool given() const { return !text.empty(); }
};

}  // namespace weir::python

namespace pybind11::detail {

template <>
struct type_caster<weir::Input> {
  PYBIND11_TYPE_CASTER(weir::Input, const_name("Tensor"));
  bool load(handle source, bool) {
    value = weir::python::InputFrom(source);
    return true;
  }
};

template <>
struct type_caster<weir::Output> {
  PYBIND11_TYPE_CASTER(weir::Output, const_name("Tensor"));
  bool load(handle source, bool) {
    if (source.is_none()) return true;
    if (!weir::python::IsTensor(source)) {
      if (!hasattr(source, "_as_graph_element")) return false;
      object element = source.attr("_as_graph_element")();
      if (!weir::python::IsTensor(element)) return false;
      value = weir::python::OutputOf(element);
      return true;
    }
    value = weir::python::OutputOf(source);
    return true;
  }
  static handle cast(weir::Output output, return_value_policy, handle) { return weir::python::Wrap(output).release(); }
};

template <>
struct type_caster<weir::Node> {
  // Operations are passed as pointers. pybind11 requires both of these conversions.
  static constexpr auto name = const_name("Operation");
  weir::Node* value = nullptr;
  bool load(handle source, bool) {
    if (source.is_none()) return true;
    value = weir::python::NodeFrom(source);
    return true;
  }
  static handle cast(weir::Node* node, return_value_policy, handle) { return weir::python::Wrap(node).release(); }
  operator weir::Node*() { return value; }
  template <class T>
  using cast_op_type = weir::Node*;
};

template <>
struct type_caster<weir::DType> {
  PYBIND11_TYPE_CASTER(weir::DType, const_name("DType"));
  bool load(handle source, bool) {
    value = source.is_none() ? weir::kInvalidType : weir::python::AsDType(source);
    return true;
  }
  static handle cast(weir::DType type, return_value_policy, handle) {
    return weir::python::DTypeObjectOf(type).release();
  }
};

template <>
struct type_caster<weir::PartialShape> {
  PYBIND11_TYPE_CASTER(weir::PartialShape, const_name("TensorShape"));
  bool load(handle source, bool) {
    value = weir::python::ShapeFrom(source);
    return true;
  }
  static handle cast(const weir::PartialShape& shape, return_value_policy, handle) {
    return weir::python::ShapeObjectOf(shape).release();
  }
};

template <>
struct type_caster<weir::python::Name> {
  PYBIND11_TYPE_CASTER(weir::python::Name, const_name("Optional[str]"));
  bool load(handle source, bool) {
    if (source.is_none()) return true;
    if (!PyUnicode_Check(source.ptr())) return false;
    value.text = source.cast<std::string>();
    return true;
  }
  static handle cast(const weir::python::Name& name, return_value_policy, handle) { return str(name.text).release(); }
};

}  // namespace pybind11::detail

namespace weir::python {

// --- Building --------------------------------------------------------------------------------------------------------
inline Graph* GraphOfArgument(const Input& input) { return input.is_output() ? &input.output().graph() : nullptr; }
inline Graph* GraphOfArgument(const Output& output) { return output.valid() ? &output.graph() : nullptr; }
inline Graph* GraphOfArgument(Node* node) { return node == nullptr ? nullptr : &node->graph(); }
template <class T>
Graph* GraphOfArgument(const std::vector<T>& list) {
  for (const T& item : list)
    if (Graph* graph = GraphOfArgument(item)) return graph;
  return nullptr;
}
template <class T>
Graph* GraphOfArgument(const std::optional<T>& item) {
  return item.has_value() ? GraphOfArgument(*item) : nullptr;
}
template <class T>
Graph* GraphOfArgument(const T&) {
  return nullptr;
}

// Unwraps the result of a building function. The graph's errors have been raised already.
template <class T>
T Unwrapped(T value) {
  return value;
}
template <class T>
T Unwrapped(Result<T> result) {
  return Take(std::move(result));
}
inline void Unwrapped(const Status& status) { Check(status); }

// Ends a call that built nodes of `graph`: raises the graph's errors, then unwraps the result.
template <class T>
auto FinishBuild(Graph& graph, T result) {
  RecordOrigins(graph);
  Check(graph.TakeError());
  return Unwrapped(std::move(result));
}

inline Graph& GraphOfInput(const Input& x) { return x.is_output() ? x.output().graph() : DefaultGraphRef(); }

// The graphs of the tensors among the arguments, other than `graph`.
using OtherGraphs = std::vector<Graph*>;
template <class T>
void AddOtherGraph(OtherGraphs& others, Graph* graph, const T& argument) {
  if (Graph* of = GraphOfArgument(argument); of != nullptr && of != graph) others.push_back(of);
}
template <class T>
void AddOtherGraph(OtherGraphs& others, Graph* graph, const std::vector<T>& list) {
  for (const T& item : list) AddOtherGraph(others, graph, item);
}

// Raises errors that were recorded in other graphs, because a node of theirs was the first input of a new node.
inline void CheckOtherGraphs(const OtherGraphs& others) {
  for (Graph* graph : others) Check(graph->TakeError());
}

template <class F, class R, class... Args>
auto BuildingWith(F function, R (F::*)(Graph&, Args...) const) {
  return [function](Args... args) {
    Graph* graph = nullptr;
    ((graph = graph != nullptr ? graph : GraphOfArgument(args)), ...);
    if (graph == nullptr || GraphObjectOf(DefaultGraph()).building_function) graph = &DefaultGraphRef();
    OtherGraphs others;
    (AddOtherGraph(others, graph, args), ...);
    if constexpr (std::is_void_v<R>) {
      function(*graph, std::forward<Args>(args)...);
      RecordOrigins(*graph);
      Check(graph->TakeError());
      CheckOtherGraphs(others);
    } else {
      auto result = function(*graph, std::forward<Args>(args)...);
      if (!others.empty()) {
        RecordOrigins(*graph);
        Check(graph->TakeError());
        CheckOtherGraphs(others);
      }
      return FinishBuild(*graph, std::move(result));
    }
  };
}

// Wraps a function (a lambda) whose first parameter is the graph: finds the graph and raises errors.
template <class F>
auto Building(F function) {
  return BuildingWith(function, &F::operator());
}

}  // namespace weir::python
