// What Python's Graph, Operation and Tensor are: handles on the C++ graph. An Operation or Tensor keeps its Graph
// alive, a Graph knows the handles that exist, so that one node has one Operation object at a time. All of it under the
// GIL.
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

// A function's body that takes values of the graph around it: each becomes a placeholder of the body, once.
struct FunctionCaptures {
  Graph* body = nullptr;
  FunctionCaptures* around = nullptr;  // the function that this one is traced in
  Graph* outside = nullptr;            // the graph around all functions: variables belong to it
  std::vector<Output> outer;
  std::vector<Output> inner;

  // The placeholder that stands for `value` in the body.
  Output Capture(Output value);
};

struct GraphObject {
  std::shared_ptr<Graph> graph;
  PyObject* self = nullptr;                                   // the Python object, borrowed: it owns this
  std::unordered_map<const Node*, PyObject*> operations;      // those alive, borrowed
  std::unordered_map<Output, PyObject*, OutputHash> tensors;  // those alive, borrowed
  std::unordered_set<const Node*> not_fetchable;
  std::unordered_set<Output, OutputHash> not_feedable;
  bool building_function = false;
  FunctionCaptures* captures = nullptr;  // while it is traced
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

GraphObject& GraphObjectOf(py::handle graph);  // TypeError for anything but a Graph
py::object GraphOf(const Graph& graph);        // its Python object
py::object Wrap(Node* node);                   // None for null
py::object Wrap(Output output);                // None for an invalid one

bool IsGraph(py::handle object);
bool IsTensor(py::handle object);
bool IsOperation(py::handle object);
// TypeError for anything but a Tensor or an Operation.
Output OutputOf(py::handle tensor);
Node* NodeOf(py::handle operation);

// The default graph of the calling thread: the innermost `with g.as_default()`, or the one that the thread has of its
// own.
py::object DefaultGraph();
Graph& DefaultGraphRef();
// Objects that a `with` statement has made current on this thread.
struct ThreadStacks {
  std::vector<py::object> graphs;
  std::vector<py::object> sessions;
  py::object own_graph;  // made on demand
  // Former own graphs that were replaced while C++ may have been building into them; until the next replacement.
  std::vector<py::object> replaced_graphs;
};
ThreadStacks& Stacks();

// Graph.as_graph_element: a Tensor or Operation of this graph, also by its name. TypeError, ValueError, KeyError as
// TensorFlow.
py::object GraphElement(GraphObject& graph, py::handle object, bool allow_tensor, bool allow_operation);

// How many functions are being traced, on all threads.
extern int functions_being_traced;
// `value` as seen by the function that this thread traces: the value itself in its own graph.
Output Captured(Output value);

// Remembers the current Python stack for the nodes that the graph has got since the last time.
void RecordOrigins(const Graph& graph);

// An Operation, or the operation of a Tensor, IndexedSlices, SparseTensor or variable.
Node* NodeFrom(py::handle object);

void BindGraph(py::module_& m);
void BindScopes(py::class_<GraphObject>& graph, py::module_& m);
void BindCollections(py::class_<GraphObject>& graph, py::module_& m);
void BindOperation(py::module_& m);
void BindTensor(py::module_& m);
void BindImportGraph(py::module_& m);

}  // namespace weir::python
