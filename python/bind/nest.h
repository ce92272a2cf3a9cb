// Nested structures: lists, tuples, namedtuples and dicts (by sorted keys). All other values are leaves.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "graph/input.h"

namespace weir::python {

namespace py = pybind11;

bool IsNested(py::handle object);  // a list, tuple or mapping
std::vector<py::object> FlattenNest(py::handle structure);
// Packs leaves into the structure of `structure`. REQUIRES: the number of leaves matches.
py::object PackNest(py::handle structure, const std::vector<py::object>& leaves);
// Raises ValueError or TypeError unless both have the same nesting.
void CheckSameNest(py::handle a, py::handle b, bool check_types);

// Flattens leaves to tensors: one for a Tensor or a value that converts to one, three for a SparseTensor, two or three
// for IndexedSlices, the flow for a TensorArray. With `nodes`, also accepts an Operation, as an Output with a negative
// index.
class LeafTensors {
 public:
  explicit LeafTensors(bool nodes = false) : nodes_(nodes) {}

  void Add(Graph& graph, py::handle leaf, DType wanted = kInvalidType);
  const OutputList& outputs() const { return outputs_; }
  // Rebuilds the added leaves from `outputs`. REQUIRES: outputs.size() == this->outputs().size().
  std::vector<py::object> Rebuild(const OutputList& outputs) const;
  size_t num_leaves() const { return leaves_.size(); }
  // Describes the kind of each leaf, for comparing two branches.
  std::string Kinds() const;
  // The number of outputs of leaf i.
  int count(size_t i) const { return leaves_[i].count; }
  py::handle leaf(size_t i) const { return leaves_[i].object; }

 private:
  enum class Kind { kTensor, kSparse, kSlices, kArray, kNode };
  struct Leaf {
    Kind kind;
    py::object object;
    int count;
  };
  bool nodes_;
  std::vector<Leaf> leaves_;
  OutputList outputs_;
};

void BindNest(py::module_& m);

}  // namespace weir::python
