// Nested structures: lists, tuples, namedtuples and dicts (in the order of their sorted keys) whose leaves are anything
// else.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "graph/input.h"

namespace weir::python {

namespace py = pybind11;

bool IsNested(py::handle object);  // a list, tuple or mapping
std::vector<py::object> FlattenNest(py::handle structure);
// The leaves in the shape of `structure`. REQUIRES: as many as it has.
py::object PackNest(py::handle structure, const std::vector<py::object>& leaves);
// ValueError or TypeError unless both nest alike.
void CheckSameNest(py::handle a, py::handle b, bool check_types);

// The tensors that a leaf stands for: a Tensor is one, a SparseTensor three, IndexedSlices two or three, a TensorArray
// its flow, and a value that can become a tensor is one. With `nodes` also an Operation: an Output with a negative
// index.
class LeafTensors {
 public:
  explicit LeafTensors(bool nodes = false) : nodes_(nodes) {}

  void Add(Graph& graph, py::handle leaf, DType wanted = kInvalidType);
  const OutputList& outputs() const { return outputs_; }
  // A leaf for each that was added, made of other outputs, as many as outputs().
  std::vector<py::object> Rebuild(const OutputList& outputs) const;
  size_t num_leaves() const { return leaves_.size(); }
  // What sort of thing each leaf is: a comparison of two branches.
  std::string Kinds() const;
  // How many outputs leaf i stands for.
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
