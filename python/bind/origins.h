// The Python stack that created each node of a graph, stored as one index per node into a tree of stack frames. A call
// that builds several nodes records its stack once. REQUIRES: the GIL is held.
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

  // Assigns the current stack to all nodes below `num_nodes` that have none.
  void Record(int num_nodes) {
    if (static_cast<size_t>(num_nodes) > stacks_.size()) RecordNew(num_nodes);
  }
  // Returns [(file, line, function, text of the line), ...], innermost last.
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

  std::vector<Frame> frames_;  // index 0: no stack
  std::unordered_map<Frame, uint32_t, Hash, Same> known_;
  std::vector<uint32_t> stacks_;  // innermost frame by node id
};

}  // namespace weir::python
