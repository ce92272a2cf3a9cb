// Where nodes were made: the Python stack for each node of a graph, kept as one number per node in a tree of stack
// frames. A call that builds nodes records its stack once for all of them. All of it under the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace weir::python {

namespace py = pybind11;

class Origins final {
 public:
  Origins();
  ~Origins();
  Origins(const Origins&) = delete;
  Origins& operator=(const Origins&) = delete;

  // Every node below `num_nodes` that has no stack yet gets the current one.
  void Record(int num_nodes) {
    if (static_cast<size_t>(num_nodes) > stacks_.size()) RecordNew(num_nodes);
  }
  // [(file, line, function, text of the line), ...], the innermost last.
  py::list StackOf(int node) const;

 private:
  struct Frame {
    uint32_t parent;
    PyCodeObject* code;  // owned
    int instruction;
  };
  struct Hash {
    size_t operator()(const Frame& f) const {
      return (reinterpret_cast<size_t>(f.code) >> 4) * 31 + static_cast<size_t>(f.instruction) * 17 +
             f.parent * 0x9e3779b97f4a7c15ull;
    }
  };
  struct Same {
    bool operator()(const Frame& a, const Frame& b) const {
      return a.parent == b.parent && a.code == b.code && a.instruction == b.instruction;
    }
  };
  void RecordNew(int num_nodes);
  uint32_t CurrentStack();

  std::vector<Frame> frames_;  // 0: no stack
  std::unordered_map<Frame, uint32_t, Hash, Same> known_;
  std::vector<uint32_t> stacks_;  // by node id: its innermost frame
};

}  // namespace weir::python
