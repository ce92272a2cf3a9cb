// One pass over the nodes in order. The first consumer on another task creates the send and receive of a value.
// A loop with nodes on several tasks gets a control loop on each of them: a bool that iterates as long as the condition
// of the loop, received from the task that computes it, is true. Receives inside the loop have the control loop as a
// control input, so that they run once per iteration, like the sends on the other side.
#include "runtime/partition.h"

#include <map>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "graph/attr_proto.h"
#include "op/hidden_attrs.h"
#include "runtime/frames.h"

namespace weir {
namespace {

class Partitioner {
 public:
  explicit Partitioner(const PlanGraph& graph) : graph_(graph) {}

  Result<Partitions> Run() {
    for (const PlanGraph::Node& node : graph_.nodes) {
      kinds_.push_back(node.op().traits.kind);
      placed_.push_back(node.placed);
      names_.insert(node.name());
      result_.has_flow = result_.has_flow || IsFlow(kinds_.back());
    }
    if (result_.has_flow) {
      WEIR_ASSIGN(frames_, AssignFrames(graph_, FindConsumers(graph_), kinds_));
      ColocateLoopEdges();
    }
    for (const Device* device : placed_) part_of_node_.push_back(PartOf(*device));
    if (result_.has_flow) WEIR_TRY(AddControlLoops());
    for (size_t n = 0; n < graph_.nodes.size(); ++n) AddNode(static_cast<int32_t>(n));
    AddFetches();
    return std::move(result_);
  }

 private:
  // Places Enter and NextIteration on the device of their Merge, and Exit on the device of its Switch.
  void ColocateLoopEdges() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const PlanGraph::Node& node = graph_.nodes[n];
      if (kinds_[n] == NodeKind::kMerge) {
        for (PlanValue input : node.inputs) {
          if (input.fed()) continue;
          if (kinds_[input.node] == NodeKind::kEnter || kinds_[input.node] == NodeKind::kNextIteration)
            placed_[input.node] = placed_[n];
        }
      } else if (kinds_[n] == NodeKind::kExit && !node.inputs[0].fed()) {
        placed_[n] = placed_[node.inputs[0].node];
      }
    }
  }

  int PartOf(const Device& device) {
    std::string task = TaskOfDevice(device.name());
    auto [it, is_new] = part_numbers_.try_emplace(task, static_cast<int>(result_.parts.size()));
    if (is_new) {
      result_.parts.emplace_back().task = std::move(task);
      any_device_.push_back(&device);
    }
    return it->second;
  }

  std::string NewName(const std::string& base) {
    for (;;) {
      std::string name = fmt::format("{}/_{}", base, next_name_++);
      if (names_.insert(name).second) return name;
    }
  }

  tensorflow::NodeDef* Add(int part, std::string name, const std::string& op, const std::string& device) {
    tensorflow::NodeDef* def = result_.parts[part].graph.add_node();
    def->set_name(std::move(name));
    def->set_op(op);
    def->set_device(device);
    return def;
  }
  static void SetAttr(tensorflow::NodeDef* def, const std::string& name, const AttrValue& value) {
    ToProto(value, &(*def->mutable_attr())[name]);
  }

  // Sets the attributes that a send and its receive share, and returns the rendezvous key.
  static std::string SetEdge(tensorflow::NodeDef* def, const Device& from, const Device& to, const std::string& edge,
                             bool client) {
    RendezvousKey key{from.name(), from.attributes().incarnation(), to.name(), edge};
    SetAttr(def, "tensor_name", edge);
    SetAttr(def, "send_device", key.from);
    SetAttr(def, "send_device_incarnation", static_cast<int64_t>(key.incarnation));
    SetAttr(def, "recv_device", key.to);
    SetAttr(def, "client_terminated", client);
    return key.ToString();
  }

  int32_t FrameOfOutputs(int32_t n) const {
    if (!result_.has_flow) return 0;
    if (kinds_[n] == NodeKind::kEnter) return frames_.child_of.at(n);
    const int32_t frame = frames_.frame_of[n];
    return kinds_[n] == NodeKind::kExit ? frames_.frames[frame].parent : frame;
  }

  // Adds a send of `source` (in the syntax of NodeDef inputs) on `from` and its receive on `to`. Returns the name of
  // the receive.
  std::string Transfer(const std::string& base, const std::string& source, DType type, const Device& from,
                       const Device& to, int32_t frame, const PartialShape& shape = {}) {
    const int part = PartOf(to);
    const std::string edge = fmt::format("edge_{}_{}", next_edge_++, base);
    tensorflow::NodeDef* send = Add(PartOf(from), NewName(base), "_Send", from.name());
    send->add_input(source);
    SetAttr(send, "T", type);
    SetEdge(send, from, to, edge, false);
    std::string name = NewName(base);
    tensorflow::NodeDef* recv = Add(part, name, "_Recv", to.name());
    SetAttr(recv, "tensor_type", type);
    if (shape.known_rank()) SetAttr(recv, kReceivedShapeAttr, shape);
    SetEdge(recv, from, to, edge, false);
    if (!result_.has_flow) SetAttr(recv, kNeverDeadAttr, true);
    if (frame != 0) recv->add_input("^" + loops_.at({frame, part}));
    return name;
  }

  static std::string InputText(const std::string& node, int32_t output) {
    return output == 0 ? node : fmt::format("{}:{}", node, output);
  }

  // The value as an input of a node on `to`; adds a send and receive if needed.
  std::string ValueFor(PlanValue value, const Device& to) {
    const int part = PartOf(to);
    if (value.fed()) return FeedFor(value.output, to, part);
    const std::string& name = graph_.nodes[value.node].name();
    if (part_of_node_[value.node] == part) return InputText(name, value.output);
    auto [it, is_new] = received_.try_emplace({value.node, value.output, part});
    if (is_new) {
      it->second =
          Transfer(name, InputText(name, value.output), BaseType(graph_.type_of(value)), *placed_[value.node], to,
                   FrameOfOutputs(value.node), value.output == 0 ? graph_.nodes[value.node].shape : PartialShape());
    }
    return it->second;
  }

  // A control input of a node on `to`. Between tasks it is sent as a dummy value.
  std::string ControlFor(int32_t node, const Device& to) {
    const int part = PartOf(to);
    const std::string& name = graph_.nodes[node].name();
    if (part_of_node_[node] == part) return "^" + name;
    constexpr int32_t kControl = -1;
    auto [it, is_new] = received_.try_emplace({node, kControl, part});
    if (is_new) {
      auto [signal, first] = signals_.try_emplace(node);
      if (first) {
        signal->second = NewName(name);
        tensorflow::NodeDef* dummy = Add(part_of_node_[node], signal->second, "Const", placed_[node]->name());
        SetAttr(dummy, "dtype", kFloat);
        SetAttr(dummy, "value", Tensor::Scalar(0.0f));
        dummy->add_input("^" + name);
      }
      const std::string received = Transfer(name, signal->second, kFloat, *placed_[node], to, FrameOfOutputs(node));
      // A receive runs even if its value is dead. The Identity after it is then dead, and so are its control outputs.
      it->second = NewName(name);
      tensorflow::NodeDef* follower = Add(part, it->second, "Identity", to.name());
      follower->add_input(received);
      SetAttr(follower, "T", kFloat);
    }
    return "^" + it->second;
  }

  std::string FeedFor(int32_t feed, const Device& to, int part) {
    auto [it, is_new] = fed_.try_emplace({feed, part});
    if (is_new) {
      it->second = NewName("_recv");
      tensorflow::NodeDef* recv = Add(part, it->second, "_Recv", to.name());
      SetAttr(recv, "tensor_type", BaseType(graph_.feeds[feed].dtype));
      const std::string key = SetEdge(recv, to, to, graph_.feeds[feed].name, true);
      result_.parts[part].feeds.push_back({feed, key});
    }
    return it->second;
  }

  void AddNode(int32_t n) {
    const PlanGraph::Node& node = graph_.nodes[n];
    const Device& device = *placed_[n];
    std::vector<std::string> inputs;
    for (PlanValue input : node.inputs) inputs.push_back(ValueFor(input, device));
    for (int32_t control : node.control_inputs) inputs.push_back(ControlFor(control, device));
    tensorflow::NodeDef* def = Add(part_of_node_[n], node.name(), node.op().name, device.name());
    for (std::string& input : inputs) def->add_input(std::move(input));
    for (const auto& [name, value] : *node.props->attrs) SetAttr(def, name, value);
  }

  void AddFetches() {
    std::map<std::pair<int32_t, int32_t>, std::string> sent;
    for (size_t k = 0; k < graph_.fetches.size(); ++k) {
      const PlanGraph::Fetch& fetch = graph_.fetches[k];
      if (fetch.value.fed()) continue;
      const int part = part_of_node_[fetch.value.node];
      const Device& device = *placed_[fetch.value.node];
      auto [it, is_new] = sent.try_emplace({fetch.value.node, fetch.value.output});
      if (is_new) {
        tensorflow::NodeDef* send = Add(part, NewName("_send"), "_Send", device.name());
        send->add_input(InputText(graph_.nodes[fetch.value.node].name(), fetch.value.output));
        SetAttr(send, "T", BaseType(graph_.type_of(fetch.value)));
        it->second = SetEdge(send, device, device, fetch.name, true);
      }
      result_.parts[part].fetches.push_back({static_cast<int32_t>(k), it->second});
    }
  }

  Status AddControlLoops() {
    const size_t num_frames = frames_.frames.size();
    std::vector<std::set<int>> parts(num_frames);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      parts[frames_.frame_of[n]].insert(part_of_node_[n]);
      parts[FrameOfOutputs(static_cast<int32_t>(n))].insert(part_of_node_[n]);
    }
    for (size_t f = num_frames; f-- > 1;) {  // inner loops have higher numbers than outer ones
      if (parts[f].size() > 1) parts[frames_.frames[f].parent].insert(parts[f].begin(), parts[f].end());
    }
    for (size_t f = 1; f < num_frames; ++f) {
      if (parts[f].size() < 2) continue;
      const int32_t condition = ConditionOf(static_cast<int32_t>(f));
      if (condition < 0)
        return InvalidArgument("loop '{}' spans several tasks but has no LoopCond node", frames_.frames[f].name);
      // Create all names first: the receive of a condition refers to the control loop of its task.
      for (int part : parts[f]) loops_[{static_cast<int32_t>(f), part}] = NewName(frames_.frames[f].name);
      for (int part : parts[f]) AddControlLoop(static_cast<int32_t>(f), part, condition);
    }
    return OkStatus();
  }

  int32_t ConditionOf(int32_t frame) const {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (kinds_[n] == NodeKind::kLoopCond && frames_.frame_of[n] == frame) return static_cast<int32_t>(n);
    }
    return -1;
  }

  void AddControlLoop(int32_t frame, int part, int32_t condition) {
    const StaticFrame& info = frames_.frames[frame];
    const Device& device = *any_device_[part];
    tensorflow::NodeDef* start = Add(part, NewName(info.name), "Const", device.name());
    SetAttr(start, "dtype", kBool);
    SetAttr(start, "value", Tensor::Scalar(false));
    if (auto outer = loops_.find({info.parent, part}); outer != loops_.end()) start->add_input("^" + outer->second);
    tensorflow::NodeDef* enter = Add(part, NewName(info.name), "Enter", device.name());
    enter->add_input(start->name());
    SetAttr(enter, "T", kBool);
    SetAttr(enter, "frame_name", info.name);
    SetAttr(enter, "is_constant", false);
    SetAttr(enter, "parallel_iterations", info.parallel_iterations);
    const std::string& merge_name = loops_.at({frame, part});
    const std::string next_name = NewName(info.name);
    tensorflow::NodeDef* merge = Add(part, merge_name, "Merge", device.name());
    merge->add_input(enter->name());
    merge->add_input(next_name);
    SetAttr(merge, "T", kBool);
    SetAttr(merge, "N", 2);
    const std::string condition_value = ValueFor({condition, 0}, device);
    tensorflow::NodeDef* turn = Add(part, NewName(info.name), "Switch", device.name());
    turn->add_input(merge_name);
    turn->add_input(condition_value);
    SetAttr(turn, "T", kBool);
    tensorflow::NodeDef* next = Add(part, next_name, "NextIteration", device.name());
    next->add_input(turn->name() + ":1");
    SetAttr(next, "T", kBool);
  }

  const PlanGraph& graph_;
  Partitions result_;
  std::vector<NodeKind> kinds_;
  FrameAssignment frames_;
  std::vector<const Device*> placed_;
  std::vector<int> part_of_node_;
  std::map<std::string, int> part_numbers_;
  std::vector<const Device*> any_device_;  // by partition
  absl::flat_hash_set<std::string> names_;
  int64_t next_name_ = 0;
  int64_t next_edge_ = 0;
  std::map<std::tuple<int32_t, int32_t, int>, std::string> received_;  // node, output, partition -> _Recv
  std::map<int32_t, std::string> signals_;                             // node -> the dummy value of its control edges
  std::map<std::pair<int32_t, int>, std::string> fed_;
  std::map<std::pair<int32_t, int>, std::string> loops_;  // frame, partition -> the Merge of its control loop
};

}  // namespace

bool IsClientEnd(const tensorflow::NodeDef& node) {
  const auto it = node.attr().find("client_terminated");
  return it != node.attr().end() && it->second.b();
}

RendezvousKey KeyOf(const tensorflow::NodeDef& node) {
  const auto& attrs = node.attr();
  return {attrs.at("send_device").s(), static_cast<uint64_t>(attrs.at("send_device_incarnation").i()),
          attrs.at("recv_device").s(), attrs.at("tensor_name").s()};
}

std::string TaskOfDevice(const std::string& device) {
  const size_t at = device.rfind("/device:");
  return at == std::string::npos ? device : device.substr(0, at);
}

Result<Partitions> PartitionGraph(const PlanGraph& graph) { return Partitioner(graph).Run(); }

}  // namespace weir
