// Graph to GraphDef. Nodes are written in creation order, with their attributes as stored.
#include "graph/graph_def.h"

#include <algorithm>
#include <limits>

#include "graph/attr_proto.h"
#include "graph/function_library.h"

namespace weir {
namespace {

// The largest message that protobuf can read or write.
constexpr size_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();

// The first version whose readers understand the current format of functions.
constexpr int kFunctionsMinConsumer = 12;

void AddOutputShapes(const Node& node, tensorflow::NodeDef* def) {
  std::vector<PartialShape> shapes;
  shapes.reserve(node.num_outputs());
  for (int i = 0; i < node.num_outputs(); ++i) shapes.push_back(node.output_shape(i));
  if (!shapes.empty()) ToProto(AttrValue(std::move(shapes)), &(*def->mutable_attr())["_output_shapes"]);
}

}  // namespace

void ExportNodeDef(const Node& node, tensorflow::NodeDef* def) {
  def->set_name(node.name());
  def->set_op(node.type());
  def->set_device(node.assigned_device().empty() ? node.device() : node.assigned_device());
  def->mutable_input()->Reserve(static_cast<int>(node.inputs().size() + node.control_inputs().size()));
  for (const Output& input : node.inputs()) {
    if (!input.valid()) continue;
    def->add_input(input.index == 0 ? input.node->name() : input.name());
  }
  for (const Node* control : node.control_inputs()) def->add_input("^" + control->name());
  for (const auto& [name, value] : node.attrs()) ToProto(value, &(*def->mutable_attr())[name]);
}

Result<tensorflow::GraphDef> ExportGraphDef(const Graph& graph, const ExportOptions& options) {
  const Graph::NodesLock lock = graph.LockNodes();
  tensorflow::GraphDef def;
  const GraphVersions& versions = const_cast<Graph&>(graph).versions();
  def.mutable_versions()->set_producer(versions.producer);
  def.mutable_versions()->set_min_consumer(versions.min_consumer);
  graph.ForEachNode([&](Node* node) {
    if (node->id() < options.first_node) return;
    tensorflow::NodeDef* node_def = def.add_node();
    ExportNodeDef(*node, node_def);
    if (options.add_shapes) AddOutputShapes(*node, node_def);
  });
  if (options.add_library && !graph.functions().empty()) {
    graph.functions().ToProto(def.mutable_library());
    def.mutable_versions()->set_min_consumer(std::max(versions.min_consumer, kFunctionsMinConsumer));
  }
  if (size_t bytes = def.ByteSizeLong(); bytes > kMaxMessageBytes) {
    return InvalidArgument(
        "the graph takes {} bytes as a GraphDef, which cannot be larger than 2 GB: feed or load "
        "large "
        "constants instead of putting them into the graph",
        bytes);
  }
  return def;
}

}  // namespace weir
