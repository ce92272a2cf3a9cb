// A value has a place: host memory (null) or a GPU. A value that may be the memory of a variable is copied separately
// for each consumer, right before it, because updates that are ordered before that consumer change the memory.
#include "runtime/passes/place_memory.h"

#include <algorithm>
#include <map>

#include "device/gpu_device.h"
#include "runtime/passes/added_nodes.h"

namespace weir {
namespace {

using Place = const Device*;  // null: host memory

// Whether the node looks only at the shapes of its inputs.
bool TakesAnyMemory(const PlanGraph::Node& node) {
  return node.placed->gpu() != nullptr && FindGpuKernel(node.op(), *node.props->attrs).only_shapes();
}

class MemoryPlacer {
 public:
  MemoryPlacer(PlanGraph& graph, const OpRegistry& registry) : graph_(graph), added_(graph, registry) {}

  Status Run() {
    const auto count = static_cast<int32_t>(graph_.nodes.size());
    for (const PlanGraph::Node& node : graph_.nodes) on_host_.push_back(InHostMemory(node));
    may_alias_.assign(graph_.nodes.size(), kUnseen);
    for (int32_t n = 0; n < count; ++n) {
      const bool takes_any = TakesAnyMemory(graph_.nodes[n]);
      for (int32_t i = 0; i < static_cast<int32_t>(graph_.nodes[n].inputs.size()); ++i) {
        const PlanValue value = graph_.nodes[n].inputs[i];
        if (IsRef(graph_.nodes[n].props->input_types[i]) && IsRef(graph_.type_of(value))) continue;
        if (takes_any) continue;
        const Place wanted = on_host_[n][i] ? nullptr : GpuOf(n);
        if (PlaceOf(value) == wanted) continue;
        WEIR_ASSIGN(const PlanValue moved, Move(value, wanted, n));
        graph_.nodes[n].inputs[i] = moved;
      }
    }
    for (PlanGraph::Fetch& fetch : graph_.fetches) {
      if (PlaceOf(fetch.value) == nullptr) continue;
      WEIR_ASSIGN(fetch.value, Move(fetch.value, nullptr, kNoConsumer));
    }
    return OkStatus();
  }

 private:
  static constexpr int32_t kNoConsumer = -1;
  enum Alias : int8_t { kUnseen, kNo, kYes };

  Place GpuOf(int32_t n) const { return graph_.nodes[n].placed->gpu() != nullptr ? graph_.nodes[n].placed : nullptr; }

  Place PlaceOf(PlanValue value) const {
    if (value.fed()) return nullptr;
    const PlanGraph::Node& node = graph_.nodes[value.node];
    return on_host_[value.node][node.inputs.size() + value.output] ? nullptr : GpuOf(value.node);
  }

  // Whether the value may be the memory of a reference variable.
  bool MayAliasVariable(PlanValue value) {
    if (value.fed()) return false;
    if (IsRef(graph_.type_of(value))) return true;
    Alias& known = may_alias_[value.node];
    if (known != kUnseen) return known == kYes;
    known = kNo;  // ends cycles through loops
    const PlanGraph::Node& node = graph_.nodes[value.node];
    if (node.op().output_memory() == OutputMemory::kOwn) return false;
    const bool found =
        std::any_of(node.inputs.begin(), node.inputs.end(), [this](PlanValue in) { return MayAliasVariable(in); });
    may_alias_[value.node] = found ? kYes : kNo;
    return found;
  }

  // The value in the wanted place, for a consumer.
  Result<PlanValue> Move(PlanValue value, Place wanted, int32_t consumer) {
    const bool own_copy = consumer != kNoConsumer && MayAliasVariable(value);
    const auto key = std::tuple(value.node, value.output, wanted);
    if (!own_copy) {
      if (auto moved = moved_.find(key); moved != moved_.end()) return moved->second;
    }
    PlanValue moved = value;
    if (!value.fed() && graph_.nodes[value.node].op().traits.kind == NodeKind::kConst) {
      WEIR_ASSIGN(moved, Repeat(value.node, wanted));
    } else {
      if (const Place from = PlaceOf(value); from != nullptr) {
        WEIR_ASSIGN(moved, Copy(moved, "_CopyToHost", "to_host", from));
      }
      if (wanted != nullptr) {
        WEIR_ASSIGN(moved, Copy(moved, "_CopyToGpu", "to_gpu", wanted));
      }
      if (own_copy) OrderLike(value, moved, consumer);
    }
    if (!own_copy) moved_.emplace(key, moved);
    return moved;
  }

  Result<PlanValue> Add(const std::string& base, std::string_view suffix, const std::string& op, AttrMap attrs,
                        const Device* device) {
    PlanGraph::Node near;
    near.placed = device;
    WEIR_ASSIGN(const int32_t added, added_.Add(base, suffix, op, std::move(attrs), near));
    on_host_.push_back(InHostMemory(graph_.nodes[added]));
    may_alias_.push_back(kNo);
    return PlanValue{added, 0};
  }

  Result<PlanValue> Repeat(int32_t constant, Place wanted) {
    const std::shared_ptr<const NodeProps> props = graph_.nodes[constant].props;
    const bool on_host = wanted == nullptr;
    WEIR_ASSIGN(const PlanValue added, Add(props->name, "const", on_host ? "_HostConst" : props->op->name,
                                           *props->attrs, on_host ? graph_.nodes[constant].placed : wanted));
    graph_.nodes[added.node].control_inputs = graph_.nodes[constant].control_inputs;
    graph_.nodes[added.node].shape = graph_.nodes[constant].shape;
    return added;
  }

  Result<PlanValue> Copy(PlanValue value, const char* op, std::string_view suffix, Place gpu) {
    const DType type = BaseType(graph_.type_of(value));
    AttrMap attrs;
    attrs.emplace("T", AttrValue(type));
    std::string base = value.fed() ? graph_.feeds[value.output].name : graph_.nodes[value.node].name();
    std::replace(base.begin(), base.end(), ':', '_');
    WEIR_ASSIGN(const PlanValue added, Add(base, suffix, op, std::move(attrs), gpu));
    graph_.nodes[added.node].inputs.push_back(value);
    if (value.fed()) {
      graph_.nodes[added.node].shape = graph_.feeds[value.output].shape;
    } else if (value.output == 0) {
      graph_.nodes[added.node].shape = graph_.nodes[value.node].shape;
    }
    return added;
  }

  // Lets the copy of `value` wait for everything that the consumer waits for.
  void OrderLike(PlanValue value, PlanValue copy, int32_t consumer) {
    int32_t first = copy.node;
    while (!(graph_.nodes[first].inputs[0] == value)) first = graph_.nodes[first].inputs[0].node;
    absl::InlinedVector<int32_t, 1> before = graph_.nodes[consumer].control_inputs;
    for (PlanValue other : graph_.nodes[consumer].inputs) {
      if (!other.fed() && other.node != value.node && graph_.nodes[other.node].op().traits.kind != NodeKind::kConst)
        before.push_back(other.node);
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    graph_.nodes[first].control_inputs = std::move(before);
  }

  PlanGraph& graph_;
  AddedNodes added_;
  std::vector<std::vector<bool>> on_host_;  // InHostMemory of each node
  std::vector<Alias> may_alias_;            // by node, for outputs that are not references
  std::map<std::tuple<int32_t, int32_t, Place>, PlanValue> moved_;
};

}  // namespace

std::vector<bool> InHostMemory(const PlanGraph::Node& node) {
  const size_t count = node.inputs.size() + node.props->output_types.size();
  if (node.placed->gpu() == nullptr || node.op().is_function) return std::vector<bool>(count, true);
  const GpuKernelChoice choice = FindGpuKernel(node.op(), *node.props->attrs);
  if (!choice.found()) return std::vector<bool>(count, true);
  std::vector<bool> on_host = InHostMemory(choice, node.op(), *node.props->attrs);
  on_host.resize(count, true);
  return on_host;
}

Status PlaceMemory(PlanGraph& graph, const OpRegistry& registry) {
  const bool on_gpu = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                  [](const PlanGraph::Node& node) { return node.placed->gpu() != nullptr; });
  return on_gpu ? MemoryPlacer(graph, registry).Run() : OkStatus();
}

}  // namespace weir
