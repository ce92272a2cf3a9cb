// Propagates frames along the edges, from nodes without inputs: Enter leads into a child frame, Exit to the parent.
#include "runtime/frames.h"

#include "base/murmur.h"

namespace weir {
namespace {

constexpr int32_t kUnknown = -1;

class Assigner {
 public:
  Assigner(const PlanGraph& graph, const Consumers& consumers, const std::vector<NodeKind>& kinds)
      : graph_(graph), consumers_(consumers), kinds_(kinds) {
    result_.frames.emplace_back();
    result_.frame_of.assign(graph.nodes.size(), kUnknown);
  }

  Result<FrameAssignment> Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const PlanGraph::Node& node = graph_.nodes[n];
      bool is_root = node.control_inputs.empty();
      for (PlanValue input : node.inputs) is_root = is_root && input.fed();
      if (is_root) Enter(static_cast<int32_t>(n), 0);
    }
    while (!todo_.empty()) {
      const int32_t n = todo_.back();
      todo_.pop_back();
      WEIR_ASSIGN(int32_t frame, FrameOfOutputs(n));
      for (int32_t consumer : consumers_.of(n)) {
        const int32_t known = result_.frame_of[consumer];
        if (known == kUnknown) {
          Enter(consumer, frame);
        } else if (known != frame) {
          return Mismatch(consumer, n, frame);
        }
      }
    }
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (result_.frame_of[n] != kUnknown) continue;
      const PlanGraph::Node& node = graph_.nodes[n];
      return MarkNode(InvalidArgument("node '{}' ({}) is in a loop without an Enter node", node.name(), node.op().name),
                      node.name());
    }
    WEIR_TRY(CheckFedAndFetched());
    return std::move(result_);
  }

 private:
  void Enter(int32_t n, int32_t frame) {
    result_.frame_of[n] = frame;
    todo_.push_back(n);
  }

  Result<int32_t> FrameOfOutputs(int32_t n) {
    const int32_t frame = result_.frame_of[n];
    const PlanGraph::Node& node = graph_.nodes[n];
    if (kinds_[n] == NodeKind::kExit) {
      if (frame == 0)
        return MarkNode(InvalidArgument("node '{}' ({}) is outside of any loop", node.name(), node.op().name),
                        node.name());
      return result_.frames[frame].parent;
    }
    if (kinds_[n] != NodeKind::kEnter) return frame;
    if (auto known = result_.child_of.find(n); known != result_.child_of.end()) return known->second;
    Result<std::string> name = GetAttr<std::string>(*node.props->attrs, "frame_name");
    if (!name.ok()) return MarkNode(name.status(), node.name());
    auto [it, is_new] = children_.try_emplace({frame, *name}, static_cast<int32_t>(result_.frames.size()));
    if (is_new) {
      StaticFrame& child = result_.frames.emplace_back();
      child.name = *name;
      child.name_hash = Murmur64(*name);
      child.parent = frame;
      Result<int32_t> parallel = GetAttr<int32_t>(*node.props->attrs, "parallel_iterations");
      child.parallel_iterations = parallel.ok() && *parallel > 0 ? *parallel : 1;
    }
    ++result_.frames[it->second].num_enters;
    result_.child_of.emplace(n, it->second);
    return it->second;
  }

  Status Mismatch(int32_t consumer, int32_t producer, int32_t frame) const {
    const PlanGraph::Node& node = graph_.nodes[consumer];
    return MarkNode(
        InvalidArgument("node '{}' ({}) has inputs from different frames. The input node '{}' is in frame '{}'. "
                        "Another input is in frame '{}'.",
                        node.name(), node.op().name, graph_.nodes[producer].name(), result_.frames[frame].name,
                        result_.frames[result_.frame_of[consumer]].name),
        node.name());
  }

  Status CheckFedAndFetched() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const PlanGraph::Node& node = graph_.nodes[n];
      for (PlanValue input : node.inputs) {
        if (input.fed() && result_.frame_of[n] != 0)
          return MarkNode(
              InvalidArgument("Tensor '{}' cannot be fed: node '{}' uses it inside loop '{}'",
                              graph_.feeds[input.output].name, node.name(), result_.frames[result_.frame_of[n]].name),
              node.name());
      }
    }
    for (const PlanGraph::Fetch& fetch : graph_.fetches) {
      if (fetch.value.fed()) continue;
      WEIR_ASSIGN(int32_t frame, FrameOfOutputs(fetch.value.node));
      if (frame != 0)
        return InvalidArgument("Tensor '{}' cannot be fetched: it is inside loop '{}'", fetch.name,
                               result_.frames[frame].name);
    }
    return OkStatus();
  }

  const PlanGraph& graph_;
  const Consumers& consumers_;
  const std::vector<NodeKind>& kinds_;
  FrameAssignment result_;
  std::vector<int32_t> todo_;
  absl::flat_hash_map<std::pair<int32_t, std::string>, int32_t> children_;
};

}  // namespace

Result<FrameAssignment> AssignFrames(const PlanGraph& graph, const Consumers& consumers,
                                     const std::vector<NodeKind>& kinds) {
  return Assigner(graph, consumers, kinds).Run();
}

}  // namespace weir
