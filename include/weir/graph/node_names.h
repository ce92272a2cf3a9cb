// NodeNames: the names in use in a graph, and which names are valid. Names that differ only in case count as equal, as
// in TensorFlow. Not thread-safe: the graph's lock guards it.
#ifndef WEIR_GRAPH_NODE_NAMES_H_
#define WEIR_GRAPH_NODE_NAMES_H_

#include <string>
#include <string_view>
#include <unordered_map>

namespace weir {

class NodeNames final {
 public:
  // Makes `name` unique: "x", "x_1", ... With mark_used = false only returns the name and does not reserve it.
  std::string Unique(std::string name, bool mark_used);
  void MarkUsed(std::string_view name);

 private:
  std::unordered_map<std::string, int> uses_;  // by name in lower case
};

// Whether a node may have this name: [A-Za-z0-9.][A-Za-z0-9_.\\-/>]*
bool IsValidNodeName(std::string_view name);
bool IsValidScopeName(std::string_view name);

}  // namespace weir

#endif  // WEIR_GRAPH_NODE_NAMES_H_
