// Node: one operation of a graph, with its inputs and outputs. NodeProps is the part that
// the graph shares with the plans compiled from it. A node belongs to its graph and never
// moves; after creation only the graph changes it (see graph.h for what can change).
#ifndef WEIR_GRAPH_NODE_H_
#define WEIR_GRAPH_NODE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/op/attr_value.h"
#include "weir/op/op_registry.h"
#include "weir/op/output.h"

namespace weir {

class FlowContext;

// The immutable part of a node, shared between a graph and the plans compiled from it.
struct NodeProps {
  std::string name;
  const OpDef* op = nullptr;
  std::shared_ptr<const AttrMap> attrs;
  std::vector<DType> input_types;
  std::vector<DType> output_types;
};

class Node final {
 public:
  int id() const { return id_; }
  Graph& graph() const { return *graph_; }
  const std::string& name() const { return props_->name; }
  const OpDef& op() const { return *props_->op; }
  const std::string& type() const { return props_->op->name; }
  const AttrMap& attrs() const { return *props_->attrs; }
  template <class T>
  Result<T> Attr(std::string_view name) const {
    return GetAttr<T>(attrs(), name);
  }
  const AttrValue* FindAttr(std::string_view name) const;
  const std::shared_ptr<const NodeProps>& props() const { return props_; }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(props_->output_types.size()); }
  Output input(int i) const { return inputs_[i]; }
  const std::vector<Output>& inputs() const { return inputs_; }
  const std::vector<Node*>& control_inputs() const { return control_inputs_; }
  // Data consumers (one entry per edge) and nodes with a control edge from this one.
  const std::vector<Node*>& consumers() const { return consumers_; }
  const std::vector<Node*>& control_outputs() const { return control_outputs_; }
  Output output(int i) { return Output(this, i); }
  DType output_type(int i) const { return props_->output_types[i]; }
  PartialShape output_shape(int i) const;
  const std::string& device() const { return *device_; }  // the requested device
  FlowContext* flow_context() const { return flow_context_; }
  // Overrides the requested device when the node is written to a GraphDef.
  const std::string& assigned_device() const { return *assigned_device_; }
  void set_assigned_device(std::string_view device);

 private:
  friend class Graph;
  friend class NodeBuilder;
  friend class ShapeRefiner;
  friend struct Output;
  explicit Node(Graph& graph);
  Graph* graph_;
  int id_ = 0;
  std::shared_ptr<const NodeProps> props_;
  std::vector<Output> inputs_;
  std::vector<Node*> control_inputs_;
  std::vector<Node*> consumers_;
  std::vector<Node*> control_outputs_;
  std::vector<PartialShape> output_shapes_;
  // Owned by the graph, because many nodes have the same device.
  const std::string* device_;
  const std::string* assigned_device_;
  FlowContext* flow_context_ = nullptr;
};

}  // namespace weir

#endif  // WEIR_GRAPH_NODE_H_
