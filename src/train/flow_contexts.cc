#include "train/flow_contexts.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "graph/cond_context.h"
#include "graph/graph_keys.h"
#include "graph/while_context.h"
#include "proto/collections.pb.h"
#include "train/meta_graph.h"

namespace weir {
namespace {

using tensorflow::CondContextDef;
using tensorflow::ControlFlowContextDef;
using tensorflow::ValuesDef;
using tensorflow::WhileContextDef;

bool IsKind(Output output, NodeKind kind) { return output.valid() && output.node->op().traits.kind == kind; }

// --- Export

class Exporter {
 public:
  Exporter(const Graph& graph, const tensorflow::GraphDef& def) {
    for (const tensorflow::NodeDef& node : def.node()) exported_.insert(node.name());
    graph.ForEachNode([this](Node* node) {
      if (node->flow_context() == nullptr) return;
      nodes_.push_back(node);
      for (FlowContext* c = node->flow_context(); c != nullptr; c = c->outer())
        if (std::find(contexts_.begin(), contexts_.end(), c) == contexts_.end()) contexts_.push_back(c);
    });
  }

  // In the order in which they were built.
  const std::vector<FlowContext*>& contexts() const { return contexts_; }

  // False for contexts that cannot be imported: of loops that compute gradients, or without some of their nodes.
  bool Write(FlowContext& context, ControlFlowContextDef* def) {
    if (WhileContext* loop = context.AsWhile()) return WriteLoop(*loop, def->mutable_while_ctxt());
    return WriteBranch(*context.AsCond(), def->mutable_cond_ctxt());
  }

 private:
  bool WriteLoop(WhileContext& loop, WhileContextDef* def) {
    if (loop.runs_backwards() || !loop.condition().valid() || loop.body_pivot() == nullptr) return false;
    def->set_context_name(loop.name());
    def->set_parallel_iterations(loop.options().parallel_iterations);
    def->set_back_prop(loop.options().back_prop);
    def->set_swap_memory(loop.options().swap_memory);
    def->set_pivot_name(loop.condition().name());
    def->set_pivot_for_pred_name(Output(loop.condition_pivot(), 0).name());
    def->set_pivot_for_body_name(Output(loop.body_pivot(), 0).name());
    for (const Output& enter : loop.enters()) def->add_loop_enter_names(enter.name());
    for (const Output& exit : loop.exits()) def->add_loop_exit_names(exit.name());
    return WriteValues(loop, def->mutable_values_def()) && WriteNested(loop, def->mutable_nested_contexts());
  }

  bool WriteBranch(CondContext& branch, CondContextDef* def) {
    def->set_context_name(branch.name());
    def->set_pred_name(branch.pred().name());
    def->set_pivot_name(branch.pivot_value().name());
    def->set_branch(branch.branch());
    return WriteValues(branch, def->mutable_values_def()) && WriteNested(branch, def->mutable_nested_contexts());
  }

  bool WriteValues(const FlowContext& context, ValuesDef* def) {
    std::set<std::string> values;
    for (Node* node : nodes_) {
      if (!context.Contains(node->flow_context())) continue;
      if (!exported_.contains(node->name())) return false;
      for (int i = 0; i < node->num_outputs(); ++i) values.insert(Output(node, i).name());
    }
    std::set<std::string> entered;  // values that the context around this one captured for it; TensorFlow omits them
    if (const FlowContext* around = context.outer())
      for (const auto& [outside, inside] : around->captured())
        if (context.captured().contains(outside)) entered.insert(inside.name());
    for (const auto& [outside, inside] : context.captured()) {
      if (entered.contains(outside.name())) continue;
      if (!exported_.contains(outside.node->name())) return false;
      values.insert(outside.name());
      (*def->mutable_external_values())[outside.name()] = inside.name();
    }
    for (const std::string& value : values) def->add_values(value);
    return true;
  }

  bool WriteNested(const FlowContext& context, google::protobuf::RepeatedPtrField<ControlFlowContextDef>* nested) {
    for (FlowContext* inner : contexts_) {
      if (inner->outer() != &context) continue;
      ControlFlowContextDef def;
      if (Write(*inner, &def)) *nested->Add() = std::move(def);
    }
    return true;
  }

  std::set<std::string> exported_;
  std::vector<Node*> nodes_;  // in contexts
  std::vector<FlowContext*> contexts_;
};

// --- Import

class Importer {
 public:
  Importer(Graph& graph, const std::string& scope) : graph_(graph), scope_(scope) {}

  void MakeLoop(const WhileContextDef& def, FlowContext* outer) {
    const Output condition = Find(def.pivot_name()), in_condition = Find(def.pivot_for_pred_name()),
                 in_body = Find(def.pivot_for_body_name());
    if (!IsKind(condition, NodeKind::kLoopCond) || !in_condition.valid() || !in_body.valid()) return;
    std::vector<Output> enters, exits;
    std::string frame;
    for (const std::string& name : def.loop_enter_names()) {
      const Output enter = Find(name);
      if (!IsKind(enter, NodeKind::kEnter)) return;
      const Result<std::string> its_frame = enter.node->Attr<std::string>("frame_name");
      if (!its_frame.ok() || (!frame.empty() && *its_frame != frame)) return;
      frame = *its_frame;
      enters.push_back(enter);
    }
    for (const std::string& name : def.loop_exit_names()) {
      const Output exit = Find(name);
      if (!IsKind(exit, NodeKind::kExit)) return;
      const Node& from = *exit.node->input(0).node;
      if (!IsSwitch(from) || !(from.input(1) == condition)) return;
      exits.push_back(exit);
    }
    if (enters.empty() || def.parallel_iterations() < 1) return;
    auto made = std::make_unique<WhileContext>(graph_, frame, outer,
                                               WhileContext::Options{.parallel_iterations = def.parallel_iterations(),
                                                                     .back_prop = def.back_prop(),
                                                                     .swap_memory = def.swap_memory()});
    made->Restore(condition, in_condition.node, in_body.node, std::move(enters), std::move(exits));
    Add(std::move(made), def.values_def(), def.nested_contexts());
  }

  void MakeBranch(const CondContextDef& def, FlowContext* outer) {
    const Output pred = Find(def.pred_name()), pivot = Find(def.pivot_name());
    if (!pred.valid() || pred.base_dtype() != kBool || !pivot.valid() || def.branch() < 0 || def.branch() > 1) return;
    Add(std::make_unique<CondContext>(graph_, InScope(scope_, def.context_name()), outer, pred, pivot, def.branch()),
        def.values_def(), def.nested_contexts());
  }

 private:
  Output Find(const std::string& name) const {
    const Result<Output> found = graph_.FindOutput(InScope(scope_, name));
    return found.ok() ? *found : Output();
  }

  void Add(std::unique_ptr<FlowContext> made, const ValuesDef& values,
           const google::protobuf::RepeatedPtrField<ControlFlowContextDef>& nested) {
    FlowContext& context = *made;
    graph_.AddFlowContext(std::move(made));
    for (const std::string& name : values.values()) {
      if (values.external_values().contains(name)) continue;
      if (const Output value = Find(name); value.valid()) graph_.SetFlowContext(value.node, &context);
    }
    for (const auto& [outside, inside] : values.external_values()) {
      const Output from = Find(outside), to = Find(inside);
      if (from.valid() && to.valid() && from.base_dtype() == to.base_dtype()) context.Restore(from, to);
    }
    for (const ControlFlowContextDef& inner : nested) {  // moves its nodes from this context
      if (inner.has_while_ctxt()) MakeLoop(inner.while_ctxt(), &context);
      if (inner.has_cond_ctxt()) MakeBranch(inner.cond_ctxt(), &context);
    }
  }

  Graph& graph_;
  const std::string& scope_;
};

}  // namespace

void ExportFlowContexts(const Graph& graph, const std::string& key, tensorflow::MetaGraphDef* meta) {
  Exporter exporter(graph, meta->graph_def());
  const bool loops = key == graph_keys::kWhileContext;
  for (FlowContext* context : exporter.contexts()) {
    ControlFlowContextDef def;
    if (context->outer() != nullptr || (context->AsWhile() != nullptr) != loops) continue;
    if (!exporter.Write(*context, &def)) continue;
    (*meta->mutable_collection_def())[key].mutable_bytes_list()->add_value(loops ? def.while_ctxt().SerializeAsString()
                                                                                 : def.cond_ctxt().SerializeAsString());
  }
}

void ImportFlowContexts(Graph& graph, const std::string& key, const tensorflow::CollectionDef& def,
                        const std::string& scope) {
  Importer importer(graph, scope);
  for (const std::string& bytes : def.bytes_list().value()) {
    WhileContextDef loop;
    CondContextDef branch;
    if (key == graph_keys::kWhileContext) {
      if (loop.ParseFromString(bytes)) importer.MakeLoop(loop, graph.build().flow);
    } else if (branch.ParseFromString(bytes)) {
      importer.MakeBranch(branch, graph.build().flow);
    }
  }
}

}  // namespace weir
