#include "graph/compose/initial_value.h"

#include <algorithm>
#include <unordered_map>

#include "graph/compose/variable.h"
#include "graph/flow_context.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

// These ops handle uninitialized variables themselves. TensorFlow copies other ops that call functions.
bool HandlesUninitialized(const Node& node) {
  const ValueUse use = node.op().traits.value_use;
  return use == ValueUse::kExistence || use == ValueUse::kGives || node.type() == "If";
}
bool IsRefVariable(const Node& node) { return node.op().traits.state == StateRole::kVariable; }
// Copies take values, so they are made with Switch.
bool IsRefSwitch(const Node& node) { return IsSwitch(node) && node.op().inputs[0].is_ref; }

class Guard {
 public:
  Guard(Graph& graph, std::string suffix) : graph_(graph), suffix_(std::move(suffix)) {
    std::replace(suffix_.begin(), suffix_.end(), '/', '_');
    std::replace(suffix_.begin(), suffix_.end(), ':', '_');
  }

  // Topological order of `node` and the nodes that it depends on. Empty if there is a cycle or no reference variable.
  std::vector<Node*> Order(Node* node) const {
    enum class State { kOpen, kDone };
    std::unordered_map<Node*, State> states;
    std::vector<std::pair<Node*, int>> path = {{node, 0}};
    std::vector<Node*> order;
    bool any = false;
    states[node] = State::kOpen;
    while (!path.empty()) {
      auto& [at, next] = path.back();
      if (HandlesUninitialized(*at) || next == at->num_inputs()) {
        any |= IsRefVariable(*at);
        states[at] = State::kDone;
        order.push_back(at);
        path.pop_back();
        continue;
      }
      Node* input = at->input(next++).node;
      const auto [state, is_new] = states.emplace(input, State::kOpen);
      if (is_new)
        path.emplace_back(input, 0);
      else if (state->second == State::kOpen)
        return {};
    }
    return any ? order : std::vector<Node*>();
  }

  Result<Output> Run(Output initial) {
    const std::vector<Node*> order = Order(initial.node);
    if (order.empty()) return initial;         // the common case: skip listing all variables
    std::unordered_map<Node*, Output> values;  // initialized values of reference variables
    std::unordered_map<Node*, Node*> copies;
    std::vector<VariablePtr> known = GlobalVariables(graph_);
    for (const VariablePtr& v : LocalVariables(graph_)) known.push_back(v);
    const auto replaced = [&](const Output& x) {
      if (const auto value = values.find(x.node); value != values.end()) return value->second;
      if (const auto copy = copies.find(x.node); copy != copies.end()) return Output(copy->second, x.index);
      return x;
    };
    for (Node* node : order) {
      if (IsRefVariable(*node)) {
        const auto it =
            std::find_if(known.begin(), known.end(), [&](const VariablePtr& v) { return v->handle().node == node; });
        if (it == known.end()) continue;
        values[node] = (*it)->InitializedValue();
        WEIR_TRY(graph_.TakeError());
        continue;
      }
      const bool changed = std::any_of(node->inputs().begin(), node->inputs().end(),
                                       [&](const Output& x) { return !(replaced(x) == x); });
      if (!changed || HandlesUninitialized(*node)) continue;
      if (NeedsReference(*node)) return initial;
      WEIR_ASSIGN(copies[node], Copy(*node, replaced));
    }
    return replaced(initial);
  }

 private:
  static bool NeedsReference(const Node& node) {
    return !IsRefSwitch(node) &&
           std::any_of(node.op().inputs.begin(), node.op().inputs.end(), [](const ArgDef& arg) { return arg.is_ref; });
  }

  template <class F>
  Result<Node*> Copy(const Node& node, const F& replaced) {
    std::string name = node.name() + "_" + suffix_;
    for (int i = 1; graph_.FindNode(name) != nullptr; ++i) name = fmt::format("{}_{}_{}", node.name(), suffix_, i);
    NodeBuilder copy(graph_, IsRefSwitch(node) ? "Switch" : node.type(), name + "/");
    int next = 0;
    for (const ArgDef& arg : node.op().inputs) {
      if (!arg.is_list()) {
        copy.In(replaced(node.input(next++)));
        continue;
      }
      WEIR_ASSIGN(const int count, ArgCount(arg, node.attrs()));
      InputList list;
      for (int i = 0; i < count; ++i) list.push_back(replaced(node.input(next++)));
      copy.In(std::move(list));
    }
    for (const auto& [key, value] : node.attrs()) copy.Attr(key, value);
    return copy.Build();
  }

  Graph& graph_;
  std::string suffix_;
};

}  // namespace

Result<Output> GuardedInitialValue(Graph& graph, Output initial, const std::string& name) {
  if (!initial.valid()) return initial;
  return Guard(graph, name).Run(initial);
}

}  // namespace weir
