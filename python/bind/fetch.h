// Nested fetches of a session, and results with the same nesting.
#pragma once

#include <pybind11/pybind11.h>

#include <unordered_map>
#include <vector>

#include "bind/objects.h"

namespace weir::python {

namespace py = pybind11;

class FetchMap final {
 public:
  // Raises TypeError or ValueError for values that cannot be fetched.
  FetchMap(GraphObject& graph, py::handle fetches) : graph_(graph) { root_ = Add(fetches); }

  const std::vector<Output>& outputs() const { return outputs_; }  // without duplicates
  const std::vector<Node*>& targets() const { return targets_; }
  // `values` is in the order of outputs().
  py::object Result(const std::vector<py::object>& values) const { return Rebuild(root_, values); }

 private:
  enum class Kind { kOutput, kTarget, kList, kTuple, kNamedTuple, kDict, kSparse, kSlices, kCustom };
  struct Entry {
    Kind kind;
    int output = -1;
    py::object form;  // type, keys or function for building the result
    std::vector<Entry> parts;
  };

  Entry Add(py::handle fetch);
  Entry AddElement(py::handle fetch);
  Entry AddOutput(Output output);
  Entry AddTarget(Node* node);
  void CheckFetchable(Node* node) const;
  py::object Rebuild(const Entry& entry, const std::vector<py::object>& values) const;

  GraphObject& graph_;
  std::vector<Output> outputs_;
  std::unordered_map<Output, int, OutputHash> known_;  // used only for many outputs
  std::vector<Node*> targets_;
  Entry root_;
};

// fetch_function(object) returns (list of fetches, function from their values to the result). feed_function(object,
// value) returns (key, value) pairs.
void RegisterRunConversion(py::object type, py::object fetch_function, py::object feed_function);
// Returns the feed function for `object`, or an empty object.
py::object FeedFunctionFor(py::handle object);

}  // namespace weir::python
