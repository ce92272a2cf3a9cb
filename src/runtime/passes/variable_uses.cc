// Propagates sets of variables from variables and handles along the edges, until a fixed point (because of loops).
#include "runtime/passes/variable_uses.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "op/element_loop.h"
#include "runtime/partition.h"

namespace weir {
namespace {

constexpr int32_t kNone = -1;

}  // namespace

bool VariableUses::Carries(PlanValue value, int32_t v) const {
  if (SetOf(value) == kNone) return false;
  const auto& set = sets_[SetOf(value)];
  return std::find(set.begin(), set.end(), v) != set.end();
}

class VariableFinder final {
 public:
  explicit VariableFinder(const PlanGraph& graph) : graph_(graph) {}

  VariableUses Run() {
    if (!AnyUpdates()) return std::move(uses_);
    NumberTasks();
    FindVariables();
    if (uses_.variables_.empty()) return std::move(uses_);
    PropagateSets();
    for (int32_t n = 0; n < size(); ++n) AddUsesOf(n);
    for (size_t k = 0; k < graph_.fetches.size(); ++k) AddFetch(static_cast<int32_t>(k));
    for (VariableUse& use : uses_.variables_) {
      if (use.updates.empty()) use.reads.clear();
    }
    return std::move(uses_);
  }

 private:
  int32_t size() const { return static_cast<int32_t>(graph_.nodes.size()); }
  const PlanGraph::Node& node(int32_t n) const { return graph_.nodes[n]; }

  StateRole role_of(int32_t n) const { return node(n).op().traits.state; }

  // Most plans update no variable. For them this check is the only cost.
  bool AnyUpdates() const {
    return std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [](const PlanGraph::Node& n) {
      return std::any_of(n.props->input_types.begin(), n.props->input_types.end(), [&](DType t) {
        return IsRef(t) || (t == kResource && n.op().stateful && n.op().traits.state != StateRole::kReads);
      });
    });
  }

  void NumberTasks() {
    absl::flat_hash_map<const Device*, int32_t> of_device;
    std::map<std::string, int32_t> numbers;
    uses_.task_of_.reserve(graph_.nodes.size());
    for (const PlanGraph::Node& n : graph_.nodes) {
      auto [it, is_new] = of_device.try_emplace(n.placed, 0);
      if (is_new && n.placed != nullptr)
        it->second =
            numbers.try_emplace(TaskOfDevice(n.placed->name()), static_cast<int32_t>(numbers.size())).first->second;
      uses_.task_of_.push_back(it->second);
    }
  }

  // Nodes of a task that refer to the same container and name are one variable.
  void FindVariables() {
    std::map<std::tuple<int32_t, bool, std::string, std::string>, int32_t> known;
    uses_.set_of_.assign(graph_.nodes.size(), kNone);
    for (int32_t n = 0; n < size(); ++n) {
      const StateRole role = role_of(n);
      if (role != StateRole::kVariable && role != StateRole::kVariableHandle) continue;
      const AttrMap& attrs = *node(n).props->attrs;
      Result<std::string> container = GetAttr<std::string>(attrs, "container");
      Result<std::string> name = GetAttr<std::string>(attrs, "shared_name");
      const bool is_reference = role == StateRole::kVariable;
      auto [it, is_new] = known.try_emplace({uses_.task_of_[n], is_reference, container.ok() ? *container : "",
                                             name.ok() && !name->empty() ? *name : node(n).name()},
                                            static_cast<int32_t>(uses_.variables_.size()));
      if (is_new) {
        uses_.sets_.push_back({it->second});
        uses_.variables_.push_back({.is_reference = is_reference, .variable = {n, 0}});
      }
      uses_.set_of_[n] = it->second;
    }
    uses_.set_of_feed_.assign(graph_.feeds.size(), kNone);
    for (size_t k = 0; k < graph_.feeds.size(); ++k) {
      if (graph_.feeds[k].dtype != kResource) continue;
      uses_.set_of_feed_[k] = static_cast<int32_t>(uses_.variables_.size());
      uses_.sets_.push_back({uses_.set_of_feed_[k]});
      uses_.variables_.push_back({.variable = {kFedValue, static_cast<int32_t>(k)}});
    }
  }

  int32_t Union(int32_t a, int32_t b) {
    if (a == kNone || a == b) return b;
    if (b == kNone) return a;
    std::vector<int32_t> both(uses_.sets_[a].begin(), uses_.sets_[a].end());
    both.insert(both.end(), uses_.sets_[b].begin(), uses_.sets_[b].end());
    std::sort(both.begin(), both.end());
    both.erase(std::unique(both.begin(), both.end()), both.end());
    auto [it, is_new] = unions_.try_emplace(both, static_cast<int32_t>(uses_.sets_.size()));
    if (is_new) uses_.sets_.emplace_back(both.begin(), both.end());
    return it->second;
  }

  // The set that input `i` of node n carries; kNone if it comes from another task.
  int32_t SetOfInput(int32_t n, size_t i) const {
    const PlanValue input = node(n).inputs[i];
    if (uses_.SetOf(input) == kNone) return kNone;
    return input.fed() || uses_.task_of_[input.node] == uses_.task_of_[n] ? uses_.SetOf(input) : kNone;
  }

  static bool IsMemory(DType type) { return type != kResource && type != kVariant; }

  // True if an output of node n may be input i.
  bool MayForward(int32_t n, size_t i) const {
    const NodeProps& props = *node(n).props;
    if (props.output_types.empty()) return false;
    const DType type = BaseType(props.input_types[i]);
    switch (node(n).op().output_memory()) {
      case OutputMemory::kForwardsFirst:
        return i == 0;
      case OutputMemory::kForwardsAll:
        return true;
      case OutputMemory::kForwardsRest:
        return i > 0;
      case OutputMemory::kOwn:
        return false;
      case OutputMemory::kMayShare:
      case OutputMemory::kMayShareAnyType:
        break;
    }
    if (role_of(n) == StateRole::kReads) return false;
    if (IsRef(props.input_types[i])) return i == 0 && IsRef(props.output_types[0]);  // an update
    if (!IsMemory(type)) return false;
    return node(n).op().output_memory() == OutputMemory::kMayShareAnyType ||
           std::any_of(props.output_types.begin(), props.output_types.end(),
                       [&](DType t) { return BaseType(t) == type; });
  }

  void PropagateSets() {
    for (bool changed = true; changed;) {
      changed = false;
      for (int32_t n = 0; n < size(); ++n) {
        const auto num_inputs = node(n).inputs.size();
        int32_t set = uses_.set_of_[n];
        for (size_t i = 0; i < num_inputs; ++i) {
          const int32_t input_set = SetOfInput(n, i);
          if (input_set != kNone && input_set != set && MayForward(n, i)) set = Union(set, input_set);
        }
        if (set == uses_.set_of_[n]) continue;
        uses_.set_of_[n] = set;
        changed = true;
      }
    }
  }

  void AddUsesOf(int32_t n) {
    const PlanGraph::Node& user = node(n);
    for (size_t i = 0; i < user.inputs.size(); ++i) {
      const PlanValue input = user.inputs[i];
      if (uses_.SetOf(input) == kNone) continue;
      for (int32_t v : uses_.sets_[uses_.SetOf(input)]) AddUse(n, i, v);
    }
  }

  void AddUse(int32_t n, size_t i, int32_t v) {
    VariableUse& use = uses_.variables_[v];
    const DType taken = node(n).props->input_types[i];
    const PlanValue from = node(n).inputs[i];
    const DType given = graph_.type_of(from);
    const OpDef& op = node(n).op();
    const StateRole role = op.traits.state;
    const bool forwards = Forwards(op.output_memory()) && MayForward(n, i);
    if (!use.is_reference) {
      if (given != kResource || forwards) return;
      if (role == StateRole::kReads) {
        use.reads.push_back({n, from, VariableRead::Kind::kResource});
      } else if (op.stateful) {
        AddUpdate(use, n);
      }
      return;
    }
    if (!IsMemory(BaseType(given))) return;
    if (uses_.task_of_[from.node] != uses_.task_of_[n]) {
      use.reads.push_back({n, from, VariableRead::Kind::kRemote});
    } else if (IsRef(taken)) {
      if (role == StateRole::kReads) {
        use.reads.push_back({n, from, VariableRead::Kind::kComputes});
      } else if (!forwards) {
        AddUpdate(use, n);
      }
    } else if (!forwards) {
      const bool keeps = op.output_memory() != OutputMemory::kOwn && role != StateRole::kReads && op.keeps_inputs();
      use.reads.push_back({n, from, keeps ? VariableRead::Kind::kKeeps : VariableRead::Kind::kComputes});
    }
  }

  static void AddUpdate(VariableUse& use, int32_t n) {
    if (use.updates.empty() || use.updates.back() != n) use.updates.push_back(n);
  }

  void AddFetch(int32_t k) {
    const PlanValue value = graph_.fetches[k].value;
    PlanValue read = value;
    while (!read.fed() && IsAlias(node(read.node).op().traits) && !IsRef(graph_.type_of(read)) &&
           node(read.node).control_inputs.empty())
      read = node(read.node).inputs[0];
    if (!read.fed() && role_of(read.node) == StateRole::kVariable) {
      uses_.variables_[uses_.set_of_[read.node]].fetches.push_back(k);
      return;
    }
    if (value.fed() || uses_.set_of_[value.node] == kNone || !IsMemory(BaseType(graph_.type_of(value)))) return;
    for (int32_t v : uses_.sets_[uses_.set_of_[value.node]])
      uses_.variables_[v].reads.push_back({k, value, VariableRead::Kind::kFetch});
  }

  const PlanGraph& graph_;
  VariableUses uses_;
  std::map<std::vector<int32_t>, int32_t> unions_;
};

VariableUses VariableUses::Find(const PlanGraph& graph) { return VariableFinder(graph).Run(); }

}  // namespace weir
