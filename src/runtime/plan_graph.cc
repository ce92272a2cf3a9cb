// Pruning takes time linear in the part that is needed, except for one array with an entry per node of the graph.
#include "runtime/plan_graph.h"

#include <algorithm>
#include <mutex>

#include "absl/container/flat_hash_map.h"

namespace weir {
namespace {

using FeedMap = absl::flat_hash_map<std::pair<const Node*, int>, int32_t>;

Status CheckOutput(const Graph& graph, const Output& output, std::string_view role) {
  if (!output.valid()) return InvalidArgument("{} is not a tensor of the graph", role);
  if (&output.node->graph() != &graph)
    return InvalidArgument("{} '{}' is not an element of this graph", role, output.name());
  if (output.index < 0 || output.index >= output.node->num_outputs())
    return InvalidArgument("{} '{}' does not exist: node '{}' ({}) has {} outputs", role, output.name(),
                           output.node->name(), output.node->type(), output.node->num_outputs());
  return OkStatus();
}

bool IsPlaceholder(const Node& node) { return node.op().traits.placeholder && node.num_inputs() == 0; }

class Pruner {
 public:
  explicit Pruner(const Graph& graph) : graph_(graph), index_(graph.num_nodes(), kUnseen) {}

  Status AddFeed(const Output& feed) {
    WEIR_TRY(CheckOutput(graph_, feed, "Feed"));
    const auto number = static_cast<int32_t>(result_.feeds.size());
    if (!feeds_.try_emplace({feed.node, feed.index}, number).second)
      return InvalidArgument("Tensor '{}' is fed more than once", feed.name());
    result_.feeds.push_back({feed.name(), feed.base_dtype(), feed.shape()});
    return OkStatus();
  }

  // Whether the node is a fed placeholder. Control edges from it are dropped too.
  bool Replaced(const Node* node) const {
    return !feeds_.empty() && IsPlaceholder(*node) && feeds_.contains(std::pair(node, 0));
  }

  void Need(Node* node) {
    int32_t& index = index_[node->id()];
    if (index != kUnseen) return;
    index = kSeen;
    needed_.push_back(node);
  }

  void NeedValue(const Output& value) {
    if (feeds_.empty() || !feeds_.contains(std::pair(value.node, value.index))) Need(value.node);
  }

  void CollectNeeded() {
    for (size_t i = 0; i < needed_.size(); ++i) {
      Node* node = needed_[i];
      for (const Output& input : node->inputs()) NeedValue(input);
      for (Node* control : node->control_inputs()) {
        if (!Replaced(control)) Need(control);
      }
    }
    std::sort(needed_.begin(), needed_.end(), [](Node* a, Node* b) { return a->id() < b->id(); });
    for (size_t i = 0; i < needed_.size(); ++i) index_[needed_[i]->id()] = static_cast<int32_t>(i);
  }

  PlanValue ValueOf(const Output& output) const {
    if (!feeds_.empty()) {
      auto fed = feeds_.find(std::pair(output.node, output.index));
      if (fed != feeds_.end()) return {kFedValue, fed->second};
    }
    return {index_[output.node->id()], output.index};
  }

  void CopyNodes() {
    result_.nodes.reserve(needed_.size());
    for (Node* node : needed_) {
      PlanGraph::Node& copy = result_.nodes.emplace_back();
      copy.props = node->props();
      copy.device = node->device();
      if (node->num_outputs() > 0) copy.shape = node->output_shape(0);
      copy.inputs.reserve(node->inputs().size());
      for (const Output& input : node->inputs()) copy.inputs.push_back(ValueOf(input));
      for (Node* control : node->control_inputs()) {
        if (!Replaced(control)) copy.control_inputs.push_back(index_[control->id()]);
      }
    }
  }

  int32_t index_of(const Node* node) const { return index_[node->id()]; }
  PlanGraph& result() { return result_; }

 private:
  static constexpr int32_t kUnseen = -1;
  static constexpr int32_t kSeen = -2;
  const Graph& graph_;
  FeedMap feeds_;
  std::vector<int32_t> index_;  // by id of the client's node: index in needed_, kUnseen or kSeen
  std::vector<Node*> needed_;
  PlanGraph result_;
};

}  // namespace

std::string PlanGraph::NameOf(PlanValue v) const {
  if (v.fed()) return feeds[v.output].name;
  return v.output == 0 ? nodes[v.node].name() : fmt::format("{}:{}", nodes[v.node].name(), v.output);
}

Result<PlanGraph> PruneGraph(const Graph& graph, const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                             const std::vector<Node*>& targets) {
  const Graph::NodesLock lock = graph.LockNodes();
  Pruner pruner(graph);
  for (const Output& feed : feeds) WEIR_TRY(pruner.AddFeed(feed));
  for (const Output& fetch : fetches) {
    WEIR_TRY(CheckOutput(graph, fetch, "Fetch"));
    pruner.NeedValue(fetch);
  }
  for (Node* target : targets) {
    if (target == nullptr) return InvalidArgument("A target is not a node of the graph");
    if (&target->graph() != &graph)
      return InvalidArgument("Target '{}' is not an element of this graph", target->name());
    if (!pruner.Replaced(target)) pruner.Need(target);
  }
  pruner.CollectNeeded();
  pruner.CopyNodes();
  PlanGraph& result = pruner.result();
  for (const Output& fetch : fetches)
    result.fetches.push_back({fetch.name(), fetch.base_dtype(), pruner.ValueOf(fetch)});
  for (Node* target : targets) {
    if (!pruner.Replaced(target)) result.targets.push_back(pruner.index_of(target));
  }
  return std::move(result);
}

Consumers FindConsumers(const PlanGraph& graph) {
  Consumers result;
  result.begin.assign(graph.nodes.size() + 1, 0);
  for (const PlanGraph::Node& node : graph.nodes) {
    for (PlanValue input : node.inputs) {
      if (!input.fed()) ++result.begin[input.node + 1];
    }
    for (int32_t control : node.control_inputs) ++result.begin[control + 1];
  }
  for (size_t i = 1; i < result.begin.size(); ++i) result.begin[i] += result.begin[i - 1];
  result.consumer.resize(result.begin.back());
  std::vector<int32_t> next(result.begin.begin(), result.begin.end() - 1);
  for (int32_t n = 0; n < static_cast<int32_t>(graph.nodes.size()); ++n) {
    for (PlanValue input : graph.nodes[n].inputs) {
      if (!input.fed()) result.consumer[next[input.node]++] = n;
    }
    for (int32_t control : graph.nodes[n].control_inputs) result.consumer[next[control]++] = n;
  }
  return result;
}

Result<std::vector<int32_t>> TopologicalOrder(const PlanGraph& graph, const Consumers& consumers) {
  const auto count = static_cast<int32_t>(graph.nodes.size());
  auto is_back_edge = [&](int32_t producer) {
    return graph.nodes[producer].op().traits.kind == NodeKind::kNextIteration;
  };
  std::vector<int32_t> pending(count, 0);
  for (int32_t n = 0; n < count; ++n) {
    if (is_back_edge(n)) continue;
    for (int32_t consumer : consumers.of(n)) ++pending[consumer];
  }
  std::vector<int32_t> order;
  order.reserve(count);
  for (int32_t n = 0; n < count; ++n) {
    if (pending[n] == 0) order.push_back(n);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    if (is_back_edge(order[i])) continue;
    for (int32_t consumer : consumers.of(order[i])) {
      if (--pending[consumer] == 0) order.push_back(consumer);
    }
  }
  if (static_cast<int32_t>(order.size()) == count) return order;
  for (int32_t n = 0; n < count; ++n) {
    if (pending[n] > 0) {
      const std::string& name = graph.nodes[n].name();
      return MarkNode(
          InvalidArgument(
              "Graph is invalid, contains a cycle: node '{}' ({}) depends on itself, and not through a NextIteration",
              name, graph.nodes[n].op().name),
          name);
    }
  }
  return order;
}

std::vector<std::vector<bool>> FeedsOfFetches(const PlanGraph& graph) {
  std::vector<std::vector<bool>> result;
  for (const PlanGraph::Fetch& fetch : graph.fetches) {
    std::vector<bool> needs(graph.feeds.size(), false);
    std::vector<bool> seen(graph.nodes.size(), false);
    std::vector<int32_t> todo;
    auto visit = [&](PlanValue v) {
      if (v.fed()) {
        needs[v.output] = true;
      } else if (!seen[v.node]) {
        seen[v.node] = true;
        todo.push_back(v.node);
      }
    };
    visit(fetch.value);
    while (!todo.empty()) {
      const PlanGraph::Node& node = graph.nodes[todo.back()];
      todo.pop_back();
      for (PlanValue input : node.inputs) visit(input);
      for (int32_t control : node.control_inputs) visit({control, 0});
    }
    result.push_back(std::move(needs));
  }
  return result;
}

void RemoveUnneeded(PlanGraph& graph) {
  std::vector<int32_t> index(graph.nodes.size(), -1);
  std::vector<int32_t> todo;
  auto need = [&](int32_t node) {
    if (node == kFedValue || index[node] == 0) return;
    index[node] = 0;
    todo.push_back(node);
  };
  for (const PlanGraph::Fetch& fetch : graph.fetches) need(fetch.value.node);
  for (int32_t target : graph.targets) need(target);
  while (!todo.empty()) {
    const PlanGraph::Node& node = graph.nodes[todo.back()];
    todo.pop_back();
    for (PlanValue input : node.inputs) need(input.node);
    for (int32_t control : node.control_inputs) need(control);
  }
  int32_t kept = 0;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (index[n] < 0) continue;
    index[n] = kept;
    if (static_cast<size_t>(kept) != n) graph.nodes[kept] = std::move(graph.nodes[n]);
    ++kept;
  }
  graph.nodes.resize(kept);
  for (PlanGraph::Node& node : graph.nodes) {
    for (PlanValue& input : node.inputs) {
      if (!input.fed()) input.node = index[input.node];
    }
    for (int32_t& control : node.control_inputs) control = index[control];
  }
  for (PlanGraph::Fetch& fetch : graph.fetches) {
    if (!fetch.value.fed()) fetch.value.node = index[fetch.value.node];
  }
  for (int32_t& target : graph.targets) target = index[target];
}

}  // namespace weir
