#include "cluster/answer_values.h"

#include <algorithm>

#include "graph/graph_def.h"

namespace weir {
namespace {

// What an answer takes along: more is worth calls of its own, which other values need not wait for.
constexpr size_t kAnswerBytes = size_t{128} << 10;

// Ops that neither wait nor take long, whatever they read.
bool OnlyReads(const tensorflow::NodeDef& node) {
  static constexpr std::string_view kReads[] = {
      "Const",   "VariableV2", "Variable",       "VarHandleOp", "ReadVariableOp", "Identity",
      "Gather",  "GatherV2",   "ResourceGather", "Slice",       "StridedSlice",   "Shape",
      "Reshape", "ExpandDims", "Squeeze",        "NoOp",        "_Send"};
  return std::find(std::begin(kReads), std::end(kReads), node.op()) != std::end(kReads);
}

// Of a value as NodeDefs name it ("x:1"); the largest number there is where nobody knows.
size_t BytesOf(const Graph& graph, const std::string& value) {
  constexpr size_t kUnknown = std::numeric_limits<size_t>::max();
  const InputName name = ParseInputName(value);
  const Node* node = graph.FindNode(name.node);
  if (node == nullptr || name.output >= node->num_outputs()) return kUnknown;
  const DType type = BaseType(node->output_type(name.output));
  const int64_t elements = node->output_shape(name.output).num_elements();
  if (elements < 0 || !IsPlain(type) || elements > static_cast<int64_t>(kAnswerBytes)) return kUnknown;
  return static_cast<size_t>(elements) * ElementSize(type);
}

}  // namespace

std::vector<std::string> TakeIntoAnswer(const std::string& task, const Graph& graph, Partition* part) {
  for (const tensorflow::NodeDef& node : part->graph.node()) {
    const bool is_feed = node.op() == "_Recv" && IsClientEnd(node);
    if (!is_feed && !OnlyReads(node)) return {};
  }
  std::vector<std::string> keys;
  size_t total = 0;
  for (tensorflow::NodeDef& node : *part->graph.mutable_node()) {
    if (node.op() != "_Send" || IsClientEnd(node)) continue;
    const RendezvousKey key = KeyOf(node);
    const size_t bytes = BytesOf(graph, node.input(0));
    if (TaskOfDevice(key.to) != task || bytes > kAnswerBytes - total) continue;
    total += bytes;
    (*node.mutable_attr())["client_terminated"].set_b(true);
    keys.push_back(key.ToString());
  }
  return keys;
}

}  // namespace weir
