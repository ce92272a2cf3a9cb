#include "cluster/response_values.h"

#include <algorithm>

#include "graph/graph_def.h"

namespace weir {
namespace {

// True for nodes that read, view or send values: they neither block nor take long, and change nothing.
bool OnlyReads(const Graph& graph, const tensorflow::NodeDef& node) {
  const OpDef* op = graph.registry().Find(node.op());
  return op != nullptr && op->traits.brief && !op->may_block() && op->traits.state != StateRole::kUpdates;
}

// The size of a value that is named as in a NodeDef ("x:1").
size_t BytesOfValue(const Graph& graph, const std::string& value) {
  const InputName name = ParseInputName(value);
  const Node* node = graph.FindNode(name.node);
  if (node == nullptr || name.output >= node->num_outputs()) return kUnknownBytes;
  return InlineValueBytes(node->output_type(name.output), node->output_shape(name.output));
}

}  // namespace

size_t InlineValueBytes(DType type, const PartialShape& shape) {
  const DType base = BaseType(type);
  const int64_t elements = shape.num_elements();
  if (elements < 0 || !IsPlain(base) || elements > static_cast<int64_t>(kMaxInlineValueBytes)) return kUnknownBytes;
  return static_cast<size_t>(elements) * ElementSize(base);
}

std::vector<std::string> SendWithResponse(const std::string& task, const Graph& graph, Partition* part) {
  for (const tensorflow::NodeDef& node : part->graph.node()) {
    const bool is_feed = node.op() == "_Recv" && IsClientEnd(node);
    if (!is_feed && !OnlyReads(graph, node)) return {};
  }
  std::vector<std::string> keys;
  size_t total = 0;
  for (tensorflow::NodeDef& node : *part->graph.mutable_node()) {
    if (node.op() != "_Send" || IsClientEnd(node)) continue;
    const RendezvousKey key = KeyOf(node);
    const size_t bytes = BytesOfValue(graph, node.input(0));
    if (TaskOfDevice(key.to) != task || bytes > kMaxInlineValueBytes - total) continue;
    total += bytes;
    (*node.mutable_attr())["client_terminated"].set_b(true);
    keys.push_back(key.ToString());
  }
  return keys;
}

}  // namespace weir
