#include "graph/build/build_op.h"

#include <optional>

namespace weir::raw_ops {
namespace {

template <class T>
void SetAttrValue(NodeBuilder& node, const char* name, const T& value) {
  node.Attr(name, value);
}
template <class T>
void SetAttrValue(NodeBuilder& node, const char* name, const std::optional<T>& value) {
  if (value.has_value()) node.Attr(name, *value);
}

}  // namespace

template <class T>
void SetAttr(NodeBuilder& node, const char* name, const void* value) {
  SetAttrValue(node, name, *static_cast<const T*>(value));
}
template void SetAttr<DType>(NodeBuilder&, const char*, const void*);
template void SetAttr<int64_t>(NodeBuilder&, const char*, const void*);
template void SetAttr<float>(NodeBuilder&, const char*, const void*);
template void SetAttr<bool>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::string>(NodeBuilder&, const char*, const void*);
template void SetAttr<PartialShape>(NodeBuilder&, const char*, const void*);
template void SetAttr<Tensor>(NodeBuilder&, const char*, const void*);
template void SetAttr<FuncAttr>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::vector<DType>>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::vector<int64_t>>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::vector<float>>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::vector<bool>>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::vector<std::string>>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::vector<PartialShape>>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::vector<Tensor>>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::vector<FuncAttr>>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::optional<Tensor>>(NodeBuilder&, const char*, const void*);
template void SetAttr<std::optional<FuncAttr>>(NodeBuilder&, const char*, const void*);

void OpArg::AddTo(NodeBuilder& node) const {
  if (list_ != nullptr)
    node.In(*list_);
  else
    node.In(*input_);
}

Graph* OpArg::graph() const {
  if (list_ != nullptr) return GraphOf(*list_);
  return input_->output().has_graph() ? &input_->output().graph() : nullptr;
}

Output BuiltOp::output(int index) const {
  if (graph_ == nullptr) return {};
  return node_ == nullptr || index >= node_->num_outputs() ? Output::Failed(*graph_) : Output(node_, index);
}

OutputList BuiltOp::outputs() const {
  OutputList outputs;
  if (node_ != nullptr)
    for (int i = 0; i < node_->num_outputs(); ++i) outputs.emplace_back(node_, i);
  return outputs;
}

BuiltOp BuildOp(Graph* graph, const char* op, const std::string& name, std::initializer_list<OpArg> args,
                std::initializer_list<OpAttr> attrs) {
  for (const OpArg& arg : args)
    if (graph == nullptr) graph = arg.graph();
  if (graph == nullptr) return {nullptr, nullptr};
  NodeBuilder node(*graph, op, name);
  for (const OpArg& arg : args) arg.AddTo(node);
  for (const OpAttr& attr : attrs) attr.AddTo(node);
  return {graph, node.BuildNode()};
}

}  // namespace weir::raw_ops
