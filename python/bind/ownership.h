// The ownership rule: a Python object that can reach a piece of a graph (a node, an output, the graph itself) holds a
// reference to the Python Graph, and the garbage collector sees that reference. Structs of the binding that stand for
// a piece have it in a member `graph`. Classes of C++ that are bound as they are (Variable, Saver, optimizers, ...) say
// in VisitGraphs which graphs they reach: HoldGraphsOf makes every object of the class hold these from its creation
// on. A method after which an object reaches another graph calls HoldGraph. Objects that C++ keeps in the graph itself
// (in its collections) hold nothing, so a graph that no Python object reaches is freed.
#pragma once

#include "base/function_ref.h"
#include "bind/gc.h"
#include "bind/objects.h"

namespace weir::python {

// Lets `object`, of a Collected type, hold the Python object of `graph`, once.
void HoldGraph(py::handle object, const Graph& graph);

using GraphVisitor = FunctionRef<void(const Graph&)>;

template <class T, void (*VisitGraphs)(const T&, GraphVisitor), class... Options>
void HoldGraphsOf(py::class_<T, Options...>&) {
  using Init = void (*)(py::detail::instance*, const void*);
  static Init init = nullptr;
  py::detail::type_info* type = py::detail::get_type_info(typeid(T), /*throw_if_missing=*/true);
  init = type->init_instance;
  // pybind11 calls this for every new object, of constructors and of values that come from C++ alike.
  type->init_instance = [](py::detail::instance* self, const void* holder) {
    init(self, holder);
    const auto* value = static_cast<const T*>(self->get_value_and_holder().value_ptr());
    const auto object = reinterpret_cast<PyObject*>(self);
    VisitGraphs(*value, [object](const Graph& graph) { HoldGraph(object, graph); });
  };
}

// For a constructor: the object keeps its arguments alive, as py::keep_alive does with one of them. For tensors and
// variables that C++ keeps as plain pointers.
struct KeepsArguments {};

}  // namespace weir::python

namespace pybind11::detail {

template <>
struct process_attribute<weir::python::KeepsArguments> : process_attribute_default<weir::python::KeepsArguments> {
  static void precall(function_call&) {}
  static void postcall(function_call& call, handle) {
    for (size_t i = 1; i < call.args.size(); ++i) keep_alive_impl(call.init_self, call.args[i]);
  }
};

}  // namespace pybind11::detail
