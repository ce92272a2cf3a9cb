// The ownership rule: a Python object that refers to part of a graph (a node, an output, the graph itself) holds a
// reference to the Python Graph that the garbage collector can see. Structs of the binding have it in a member `graph`.
// For C++ classes that are bound directly (Variable, Saver, optimizers, ...), VisitGraphs lists their graphs, and
// HoldGraphsOf makes every new object hold them. A method that makes an object refer to another graph calls HoldGraph.
// C++ objects inside the graph (in its collections) hold nothing, so that an unreferenced graph is freed.
#pragma once

#include "base/function_ref.h"
#include "bind/gc.h"
#include "bind/objects.h"

namespace weir::python {

// Makes `object`, of a GarbageCollected type, hold the Python object of `graph`. Idempotent.
void HoldGraph(py::handle object, const Graph& graph);

using GraphVisitor = FunctionRef<void(const Graph&)>;

template <class T, void (*VisitGraphs)(const T&, GraphVisitor), class... Options>
void HoldGraphsOf(py::class_<T, Options...>&) {
  using Init = void (*)(py::detail::instance*, const void*);
  static Init init = nullptr;
  py::detail::type_info* type = py::detail::get_type_info(typeid(T), /*throw_if_missing=*/true);
  init = type->init_instance;
  // pybind11 calls this for every new object, created by a constructor or converted from C++.
  type->init_instance = [](py::detail::instance* self, const void* holder) {
    init(self, holder);
    const auto* value = static_cast<const T*>(self->get_value_and_holder().value_ptr());
    const auto object = reinterpret_cast<PyObject*>(self);
    VisitGraphs(*value, [object](const Graph& graph) { HoldGraph(object, graph); });
  };
}

// For a constructor: the object keeps all arguments alive, like py::keep_alive for one. Used for tensors and variables
// to which C++ has plain pointers.
struct KeepArgumentsAlive {};

}  // namespace weir::python

namespace pybind11::detail {

template <>
struct process_attribute<weir::python::KeepArgumentsAlive>
    : process_attribute_default<weir::python::KeepArgumentsAlive> {
  static void precall(function_call&) {}
  static void postcall(function_call& call, handle) {
    for (size_t i = 1; i < call.args.size(); ++i) keep_alive_impl(call.init_self, call.args[i]);
  }
};

}  // namespace pybind11::detail
