// Output: a value of a graph, the index-th output of a node. A value type. The graph owns the node and must outlive the
// Output. Functions that build nodes return an invalid Output on an error. If it has a graph, the graph holds the first
// error.
#ifndef WEIR_OP_OUTPUT_H_
#define WEIR_OP_OUTPUT_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weir/tensor/dtype.h"
#include "weir/tensor/shape.h"

namespace weir {

class Graph;
class Node;

struct Output {
  Node* node = nullptr;
  int index = 0;

  Output() = default;
  Output(Node* n, int i = 0) : node(n), index(i) {}
  // The invalid Output that functions building nodes in `graph` return on an error.
  static Output Failed(Graph& graph);
  bool valid() const { return node != nullptr && index >= 0; }
  bool operator==(const Output&) const = default;

  Graph& graph() const;  // REQUIRES: has_graph()
  bool has_graph() const { return node != nullptr; }
  DType dtype() const;  // a reference type for reference outputs
  DType base_dtype() const { return BaseType(dtype()); }
  PartialShape shape() const;  // as far as known; unknown for an invalid output
  std::string name() const;    // "fc1/MatMul:0"
};
using OutputList = std::vector<Output>;

struct OutputHash {
  size_t operator()(const Output& o) const { return std::hash<Node*>()(o.node) * 31 + static_cast<size_t>(o.index); }
};

// Rows of a larger tensor: values[i] is row indices[i]. The sparse gradient of gathers.
struct IndexedSlices {
  Output values;
  Output indices;
  Output dense_shape;  // may be invalid
};

// A gradient: none, dense or sparse.
using Grad = std::variant<std::monostate, Output, IndexedSlices>;
inline bool HasGrad(const Grad& g) { return !std::holds_alternative<std::monostate>(g); }

}  // namespace weir

#endif  // WEIR_OP_OUTPUT_H_
