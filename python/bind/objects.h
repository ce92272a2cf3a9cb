// Python's Graph, Operation and Tensor: handles to the C++ graph. An Operation or Tensor keeps its Graph alive. A Graph
// tracks the existing handles, so that a node has at most one Operation object at a time. REQUIRES: the GIL is held.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bind/origins.h"
#include "graph/graph.h"
#include "graph/input.h"

namespace weir::python {

namespace py = pybind11;

// Values of outer graphs used in a function's body. Each becomes one placeholder of the body.
struct FunctionCaptures {
  Graph* body = nullptr;
  FunctionCaptures* parent = nullptr;  // the enclosing function that is being traced
  Graph* outside = nullptr;            // the graph outside of all functions, which owns variables
  std::vector<Output> outer;
  std::vector<Output> inner;

  // Returns the placeholder for `value` in the body.
  Output Capture(Output value);
};

struct GraphObject {
  std::shared_ptr<Graph> graph;
  PyObject* self = nullptr;                                   // the Python object, which owns this; borrowed
  std::unordered_map<const Node*, PyObject*> operations;      // existing objects, borrowed
  std::unordered_map<Output, PyObject*, OutputHash> tensors;  // existing objects, borrowed
  std::unordered_set<const Node*> not_fetchable;
  std::unordered_set<Output, OutputHash> not_feedable;
  bool building_function = false;
  FunctionCaptures* captures = nullptr;  // set while it is traced
  Origins origins;

  GraphObject();
  ~GraphObject();
  GraphObject(const GraphObject&) = delete;
  GraphObject& operator=(const GraphObject&) = delete;
};

struct OperationObject {
  py::object graph;
  Node* node;

  ~OperationObject();
};

struct TensorObject {
  py::object graph;
  Output output;

  ~TensorObject();
};

GraphObject& GraphObjectOf(py::handle graph);  // TypeError if not a Graph
py::object GraphOf(const Graph& graph);        // its Python object
py::object Wrap(Node* node);                   // None for null
py::object Wrap(Output output);                // None for an invalid one

bool IsGraph(py::handle object);
bool IsTensor(py::handle object);
bool IsOperation(py::handle object);
// Raise TypeError for other objects.
Output OutputOf(py::handle tensor);
Node* NodeOf(py::handle operation);

// The default graph of the calling thread: the innermost `with g.as_default()`, else the thread's own graph.
py::object DefaultGraph();
Graph& DefaultGraphRef();
// Objects made current on this thread by `with` statements.
struct ThreadStacks {
  std::vector<py::object> graphs;
  std::vector<py::object> sessions;
  py::object own_graph;  // created on demand
  // Previous values of own_graph. They were replaced while C++ may still have been adding nodes to them, so they are
  // kept until the next replacement.
  std::vector<py::object> replaced_graphs;
};
ThreadStacks& Stacks();

// Graph.as_graph_element: returns a Tensor or Operation of this graph, given itself or its name. Raises TypeError,
// ValueError and KeyError as TensorFlow does.
py::object GraphElement(GraphObject& graph, py::handle object, bool allow_tensor, bool allow_operation);

// Number of functions being traced, on all threads.
extern int functions_being_traced;
// Captures `value` for the function that this thread traces. Returns it unchanged if it is in that function's graph.
Output Captured(Output value);

// Records the current Python stack for all nodes added to the graph since the last call.
void RecordOrigins(const Graph& graph);

// Returns an Operation, or the operation of a Tensor, IndexedSlices, SparseTensor or variable.
Node* NodeFrom(py::handle object);

void BindGraph(py::module_& m);
void BindScopes(py::class_<GraphObject>& graph, py::module_& m);
void BindCollections(py::class_<GraphObject>& graph, py::module_& m);
void BindOperation(py::module_& m);
void BindTensor(py::module_& m);
void BindImportGraph(py::module_& m);

}  // namespace weir::python
