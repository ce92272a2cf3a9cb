#include "bind/objects.h"

#include "bind/errors.h"
#include "bind/gc.h"
#include "bind/process.h"
#include "graph/build/array_ops.h"

namespace weir::python {
namespace {

// Maps a Graph to its Python side. Guarded by the GIL.
std::unordered_map<const Graph*, GraphObject*>& KnownGraphs() {
  static auto* graphs = new std::unordered_map<const Graph*, GraphObject*>;
  return *graphs;
}

thread_local ThreadStacks* stacks_of_thread = nullptr;

template <class T>
PyTypeObject* TypeOf() {
  static auto* type = reinterpret_cast<PyTypeObject*>(py::type::of<T>().release().ptr());
  return type;
}

template <class T>
bool Is(py::handle object) {
  return PyObject_TypeCheck(object.ptr(), TypeOf<T>()) != 0;
}

// Raises TypeError for an object of another type, or one whose __init__ was not called.
template <class T>
T& ValueOf(py::handle object, const char* type) {
  void* value = nullptr;
  if (Is<T>(object)) value = reinterpret_cast<py::detail::instance*>(object.ptr())->get_value_and_holder().value_ptr();
  if (value == nullptr) RaiseType(fmt::format("expected a {}, got {}", type, TypeName(object)));
  return *static_cast<T*>(value);
}

}  // namespace

GraphObject::GraphObject() : graph(Process::Get().NewGraph()) { KnownGraphs()[graph.get()] = this; }
GraphObject::~GraphObject() { KnownGraphs().erase(graph.get()); }

OperationObject::~OperationObject() {
  if (graph) GraphObjectOf(graph).operations.erase(node);
}
TensorObject::~TensorObject() {
  if (graph) GraphObjectOf(graph).tensors.erase(output);
}

GraphObject& GraphObjectOf(py::handle graph) { return ValueOf<GraphObject>(graph, "Graph"); }

py::object GraphOf(const Graph& graph) {
  auto it = KnownGraphs().find(&graph);
  if (it == KnownGraphs().end()) RaiseRuntime("this graph has no Python object");
  GraphObject* object = it->second;
  if (object->self == nullptr)
    object->self = py::detail::get_object_handle(object, py::detail::get_type_info(typeid(GraphObject))).ptr();
  return py::reinterpret_borrow<py::object>(object->self);
}

py::object Wrap(Node* node) {
  if (node == nullptr) return py::none();
  py::object graph = GraphOf(node->graph());
  GraphObject& object = GraphObjectOf(graph);
  PyObject*& slot = object.operations[node];
  if (slot != nullptr) return py::reinterpret_borrow<py::object>(slot);
  object.origins.Record(object.graph->num_nodes());
  py::object made = py::cast(new OperationObject{std::move(graph), node}, py::return_value_policy::take_ownership);
  slot = made.ptr();
  return made;
}

py::object Wrap(Output output) {
  if (!output.valid()) return py::none();
  py::object graph = GraphOf(output.graph());
  GraphObject& object = GraphObjectOf(graph);
  PyObject*& slot = object.tensors[output];
  if (slot != nullptr) return py::reinterpret_borrow<py::object>(slot);
  object.origins.Record(object.graph->num_nodes());
  py::object made = py::cast(new TensorObject{std::move(graph), output}, py::return_value_policy::take_ownership);
  slot = made.ptr();
  return made;
}

int functions_being_traced = 0;

Output FunctionCaptures::Capture(Output value) {
  const Output seen = parent != nullptr && &value.graph() != parent->body ? parent->Capture(value) : value;
  for (size_t i = 0; i < outer.size(); ++i)
    if (outer[i] == seen) return inner[i];
  // Add the placeholder outside of control dependencies: it is a function argument, even if first used inside a loop or
  // branch.
  const ControlDependencies nothing = ControlDependencies::Cleared(*body);
  const Output placeholder = Placeholder(*body, value.base_dtype(), {.name = value.node->name()});
  if (!placeholder.valid()) return placeholder;
  const Status narrowed = body->SetShape(placeholder, value.shape());
  if (!narrowed.ok()) body->RecordError(narrowed);
  outer.push_back(seen);
  inner.push_back(placeholder);
  return placeholder;
}

Output Captured(Output value) {
  FunctionCaptures* captures = GraphObjectOf(DefaultGraph()).captures;
  return captures == nullptr || &value.graph() == captures->body ? value : captures->Capture(value);
}

void RecordOrigins(const Graph& graph) {
  auto it = KnownGraphs().find(&graph);
  if (it != KnownGraphs().end()) it->second->origins.Record(graph.num_nodes());
}

bool IsGraph(py::handle object) { return Is<GraphObject>(object); }
bool IsTensor(py::handle object) { return Is<TensorObject>(object); }
bool IsOperation(py::handle object) { return Is<OperationObject>(object); }
Output OutputOf(py::handle tensor) { return ValueOf<TensorObject>(tensor, "Tensor").output; }
Node* NodeOf(py::handle operation) { return ValueOf<OperationObject>(operation, "Operation").node; }

ThreadStacks& Stacks() {
  if (stacks_of_thread != nullptr) return *stacks_of_thread;
  // Owned by the thread's Python state dictionary, so that they are destroyed with the thread, while the GIL is held.
  PyObject* dict = PyThreadState_GetDict();
  if (dict == nullptr) RaiseRuntime("this thread has no Python state");
  auto* stacks = new ThreadStacks;
  py::capsule owner(stacks, [](void* p) {
    auto* dying = static_cast<ThreadStacks*>(p);
    if (stacks_of_thread == dying) stacks_of_thread = nullptr;
    delete dying;
  });
  if (PyDict_SetItemString(dict, "_weir_stacks", owner.ptr()) != 0) throw py::error_already_set();
  stacks_of_thread = stacks;
  return *stacks;
}

py::object DefaultGraph() {
  ThreadStacks& stacks = Stacks();
  if (!stacks.graphs.empty()) return stacks.graphs.back();
  if (!stacks.own_graph) stacks.own_graph = py::type::of<GraphObject>()();
  return stacks.own_graph;
}

Graph& DefaultGraphRef() {
  ThreadStacks& stacks = Stacks();
  if (!stacks.graphs.empty()) return *GraphObjectOf(stacks.graphs.back()).graph;
  return *GraphObjectOf(DefaultGraph()).graph;
}

Node* NodeFrom(py::handle object) {
  if (IsOperation(object)) return NodeOf(object);
  if (IsTensor(object)) return OutputOf(object).node;
  if (py::hasattr(object, "_as_graph_element")) return NodeFrom(object.attr("_as_graph_element")());
  if (py::hasattr(object, "op")) {
    py::object op = object.attr("op");
    if (IsOperation(op)) return NodeOf(op);
  }
  RaiseType(fmt::format("Can not convert a {} into an Operation.", TypeName(object)));
}

}  // namespace weir::python
