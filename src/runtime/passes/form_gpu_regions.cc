// A node can be recorded if it only adds work to the stream of its GPU, and the arguments of that work depend only on
// the shapes of its inputs. Nodes on the host that compute with shapes can be part of a recording, too. The level of a
// node is the largest number of times that a path to it leaves a region. The recordable nodes of one level and GPU form
// a region, so no path leaves a region and enters it again.
#include "runtime/passes/form_gpu_regions.h"

#include <algorithm>
#include <map>
#include <set>

#include "device/gpu_memory.h"
#include "runtime/gpu_region.h"
#include "runtime/passes/passes.h"
#include "runtime/passes/place_memory.h"
#include "runtime/variable_guard.h"

namespace weir {
namespace {

constexpr int32_t kNoRegion = -1;
// Smaller regions are not worth a graph.
constexpr int kFewestLaunches = 2;

class RegionFormer {
 public:
  RegionFormer(PlanGraph& graph, const OpRegistry& registry, KernelCache& kernels)
      : graph_(graph),
        kernels_(kernels),
        copy_to_gpu_(registry.Find("_CopyToGpu")),
        copy_to_host_(registry.Find("_CopyToHost")) {}

  Status Run() {
    for (const PlanGraph::Node& node : graph_.nodes) {
      if (IsFlow(node.op().traits.kind)) return OkStatus();
    }
    const Consumers consumers = FindConsumers(graph_);
    WEIR_ASSIGN(order_, TopologicalOrder(graph_, consumers));
    for (const PlanGraph::Node& node : graph_.nodes) on_host_.push_back(InHostMemory(node));
    Classify();
    DropWithFewLaunches();
    bool formed = false;
    for (auto& [key, members] : Groups()) {
      WEIR_TRY(Form(key, members));
      formed = true;
    }
    if (!formed) return OkStatus();
    Redirect();
    RemoveUnneeded(graph_);
    return OkStatus();
  }

 private:
  using Group = std::pair<const Device*, int32_t>;  // GPU and level

  enum class Use : uint8_t {
    kOutside,   // not recordable
    kShapes,    // on the host; depends only on shapes
    kLaunches,  // adds work to the stream
    kForwards,  // forwards values in device memory
  };

  int32_t size() const { return static_cast<int32_t>(graph_.nodes.size()); }
  const PlanGraph::Node& node(int32_t n) const { return graph_.nodes[n]; }
  bool IsConst(PlanValue value) const { return !value.fed() && ConstantOf(graph_, value) != nullptr; }
  bool Recordable(int32_t n) const { return uses_[n] != Use::kOutside; }

  // ---- which nodes ----

  void Classify() {
    uses_.assign(graph_.nodes.size(), Use::kOutside);
    devices_.assign(graph_.nodes.size(), nullptr);
    levels_.assign(graph_.nodes.size(), 0);
    for (int32_t n : order_) {
      uses_[n] = UseOf(n);
      if (Recordable(n)) devices_[n] = DeviceOf(n);
      if (devices_[n] == nullptr) uses_[n] = Use::kOutside;
      int32_t level = 0;
      ForEachProducer(n, [&](int32_t producer) {
        const bool leaves = Recordable(producer) && !(Recordable(n) && devices_[producer] == devices_[n]);
        level = std::max(level, levels_[producer] + (leaves ? 1 : 0));
      });
      levels_[n] = level;
    }
  }

  template <class F>
  void ForEachProducer(int32_t n, F f) const {
    for (PlanValue input : node(n).inputs) {
      if (!input.fed()) f(input.node);
    }
    for (int32_t control : node(n).control_inputs) f(control);
  }

  Use UseOf(int32_t n) const {
    const PlanGraph::Node& at = node(n);
    const OpTraits& traits = at.op().traits;
    if (traits.kind != NodeKind::kKernel || at.op().is_function) return Use::kOutside;
    const GpuDevice* const gpu = at.placed->gpu();
    const GpuKernelChoice choice = gpu == nullptr ? GpuKernelChoice{} : FindGpuKernel(at.op(), *at.props->attrs);
    if (gpu == nullptr || choice.on_host()) return OnHost(n);
    if (!choice.found() || NeedsVariableGuard(graph_, n)) return Use::kOutside;
    // Nodes that make a variable or give it other memory stay outside; updates in place do not.
    const bool keeps_memory = traits.state == StateRole::kNone || traits.state == StateRole::kReads ||
                              (traits.state == StateRole::kUpdates && traits.value_use == ValueUse::kComputes);
    if (!keeps_memory || (at.op().stateful && traits.state == StateRole::kNone)) return Use::kOutside;
    if (choice.only_shapes()) return traits.state == StateRole::kNone ? Use::kShapes : Use::kOutside;
    if (at.props->op == copy_to_gpu_ || at.props->op == copy_to_host_) return CopyUse(n);
    if (HasRefOutputInUse(n) || !HostArgumentsAreShapes(n)) return Use::kOutside;
    return choice.runs == GpuKernel::Runs::kForwards ? Use::kForwards : Use::kLaunches;
  }

  // A copy to the GPU takes a value from outside, or one that a member has computed from shapes.
  Use CopyUse(int32_t n) const {
    const PlanValue input = node(n).inputs[0];
    const Use producer = input.fed() ? Use::kOutside : uses_[input.node];
    if (node(n).props->op == copy_to_host_) return producer == Use::kOutside ? Use::kOutside : Use::kLaunches;
    if (producer == Use::kShapes) return Use::kForwards;  // uploaded once
    return producer == Use::kOutside ? Use::kLaunches : Use::kOutside;
  }

  Use OnHost(int32_t n) const {
    const PlanGraph::Node& at = node(n);
    const bool only_waits = at.inputs.empty() && at.props->output_types.empty() && !at.op().stateful;
    if (only_waits) return AnyProducerIsRecordable(n) ? Use::kShapes : Use::kOutside;
    if (!IsPure(graph_, at) || at.op().may_block() || at.op().traits.checks) return Use::kOutside;
    for (const DType type : at.props->output_types) {
      if (!IsPlain(type)) return Use::kOutside;
    }
    return HostArgumentsAreShapes(n) && AnyProducerIsRecordable(n) ? Use::kShapes : Use::kOutside;
  }

  bool AnyProducerIsRecordable(int32_t n) const {
    bool any = false;
    ForEachProducer(n, [&](int32_t producer) { any = any || Recordable(producer); });
    return any;
  }

  // Whether all inputs in host memory are constants or depend only on shapes. Handles of variables may come from
  // anywhere.
  bool HostArgumentsAreShapes(int32_t n) const {
    const PlanGraph::Node& at = node(n);
    for (size_t i = 0; i < at.inputs.size(); ++i) {
      const PlanValue input = at.inputs[i];
      if (!on_host_[n][i] || graph_.type_of(input) == kResource || IsConst(input)) continue;
      if (input.fed() || uses_[input.node] != Use::kShapes) return false;
    }
    return true;
  }

  // Whether a reference that the node returns is used. Such references would have to leave the region.
  bool HasRefOutputInUse(int32_t n) const {
    const auto& types = node(n).props->output_types;
    if (std::none_of(types.begin(), types.end(), [](DType type) { return IsRef(type); })) return false;
    const auto uses = [&](PlanValue value) { return !value.fed() && value.node == n; };
    for (const PlanGraph::Node& other : graph_.nodes) {
      if (std::any_of(other.inputs.begin(), other.inputs.end(), uses)) return true;
    }
    return std::any_of(graph_.fetches.begin(), graph_.fetches.end(),
                       [&](const PlanGraph::Fetch& fetch) { return uses(fetch.value); });
  }

  // The GPU of a node on the host is that of its recordable producers; null if they are on several.
  const Device* DeviceOf(int32_t n) const {
    if (uses_[n] != Use::kShapes) return node(n).placed;
    if (node(n).placed->gpu() != nullptr && !AnyProducerIsRecordable(n)) return node(n).placed;
    const Device* device = nullptr;
    bool several = false;
    ForEachProducer(n, [&](int32_t producer) {
      if (!Recordable(producer)) return;
      several = several || (device != nullptr && device != devices_[producer]);
      device = devices_[producer];
    });
    return several ? nullptr : device;
  }

  // ---- regions ----

  std::map<Group, std::vector<int32_t>> Groups() const {
    std::map<Group, std::vector<int32_t>> groups;
    for (int32_t n : order_) {
      if (Recordable(n)) groups[{devices_[n], levels_[n]}].push_back(n);
    }
    return groups;
  }

  void DropWithFewLaunches() {
    for (const auto& [key, members] : Groups()) {
      const auto launches =
          std::count_if(members.begin(), members.end(), [&](int32_t n) { return uses_[n] == Use::kLaunches; });
      if (launches >= kFewestLaunches) continue;
      for (int32_t n : members) uses_[n] = Use::kOutside;
    }
  }

  struct Formed {
    GpuRegion region;
    GpuRegionNode node;
    std::vector<PlanValue> inputs;
    std::map<std::pair<int32_t, int32_t>, int32_t> input_number;
    std::map<std::pair<int32_t, int32_t>, int32_t> constant_number;
    std::map<std::pair<int32_t, int32_t>, int32_t> value_number;
    std::vector<PlanValue> values;
  };

  Status Form(const Group& key, const std::vector<int32_t>& members) {
    const std::set<int32_t> inside(members.begin(), members.end());
    Formed formed;
    formed.region.gpu = key.first->gpu();
    std::set<int32_t> waits;
    for (int32_t n : members) {
      WEIR_TRY(AddMember(n, inside, formed));
      for (int32_t control : node(n).control_inputs) {
        if (!inside.contains(control)) waits.insert(control);
      }
    }
    AddOutputs(inside, formed);
    MarkLastUses(formed.region);
    const auto launches = [&](int32_t n) { return uses_[n] == Use::kLaunches; };
    const int32_t named = *std::find_if(members.rbegin(), members.rend(), launches);
    formed.node.name = node(named).name() + "/_region";
    PlanGraph::Node added;
    added.inputs.assign(formed.inputs.begin(), formed.inputs.end());
    added.control_inputs.assign(waits.begin(), waits.end());
    added.device = node(named).device;
    added.placed = key.first;
    added.props = MakeGpuRegion(std::move(formed.node), std::move(formed.region));
    graph_.nodes.push_back(std::move(added));
    for (int32_t n : members) region_of_[n] = size() - 1;
    return OkStatus();
  }

  Status AddMember(int32_t n, const std::set<int32_t>& inside, Formed& formed) {
    const PlanGraph::Node& at = node(n);
    GpuRegion& region = formed.region;
    GpuRegion::Member member;
    WEIR_ASSIGN(member.kernel, kernels_.Get(at.props, *at.placed));
    if (at.props->op == copy_to_gpu_) member.role = GpuRegion::Member::kCopyToGpu;
    if (at.props->op == copy_to_host_) member.role = GpuRegion::Member::kCopyToHost;
    member.allows_uninitialized = at.op().allows_uninitialized_input;
    for (size_t i = 0; i < at.inputs.size(); ++i) {
      const PlanValue input = at.inputs[i];
      const std::pair<int32_t, int32_t> key(input.node, input.output);
      if (!input.fed() && inside.contains(input.node)) {
        member.inputs.push_back({GpuRegion::Source::kValue, false, formed.value_number.at(key)});
      } else if (IsConst(input)) {
        WEIR_ASSIGN(const int32_t number, ConstantNumber(input, formed));
        member.inputs.push_back({GpuRegion::Source::kConstant, false, number});
      } else {
        const auto [found, is_new] = formed.input_number.try_emplace(key, static_cast<int32_t>(formed.inputs.size()));
        if (is_new) {
          formed.inputs.push_back(input);
          // A feed replaces a variable by a plain value.
          formed.node.input_types.push_back(input.fed() ? BaseType(graph_.type_of(input)) : graph_.type_of(input));
          region.updated_inputs.push_back(false);
          region.input_names.push_back(input.fed() ? std::string() : node(input.node).name());
        }
        if (at.op().traits.state == StateRole::kUpdates) region.updated_inputs[found->second] = true;
        member.inputs.push_back({GpuRegion::Source::kInput, false, found->second});
      }
    }
    member.first_value = region.num_values;
    member.num_outputs = static_cast<int32_t>(at.props->output_types.size());
    for (int32_t o = 0; o < member.num_outputs; ++o) {
      formed.value_number[{n, o}] = region.num_values++;
      formed.values.push_back({n, o});
    }
    region.members.push_back(std::move(member));
    return OkStatus();
  }

  Result<int32_t> ConstantNumber(PlanValue value, Formed& formed) const {
    const auto [found, is_new] = formed.constant_number.try_emplace(
        {value.node, value.output}, static_cast<int32_t>(formed.region.constants.size()));
    if (!is_new) return found->second;
    Tensor constant = *ConstantOf(graph_, value);
    const PlanGraph::Node& of = node(value.node);
    if (GpuDevice* const gpu = of.placed->gpu(); gpu != nullptr && !on_host_[value.node].front()) {
      WEIR_ASSIGN(const std::shared_ptr<GpuStream> stream, gpu->stream());
      WEIR_ASSIGN(constant, CopyToGpu(stream, constant));
    }
    formed.region.constants.push_back(std::move(constant));
    return found->second;
  }

  // The values that nodes outside or fetches use.
  void AddOutputs(const std::set<int32_t>& inside, Formed& formed) {
    std::set<std::pair<int32_t, int32_t>> used;
    for (int32_t n = 0; n < static_cast<int32_t>(on_host_.size()); ++n) {
      if (inside.contains(n)) continue;
      for (PlanValue input : node(n).inputs) used.insert({input.node, input.output});
    }
    for (const PlanGraph::Fetch& fetch : graph_.fetches) used.insert({fetch.value.node, fetch.value.output});
    for (const auto& key : used) {
      const auto value = formed.value_number.find(key);
      if (value == formed.value_number.end()) continue;
      const PlanGraph::Node& producer = node(key.first);
      const bool on_host = on_host_[key.first][producer.inputs.size() + static_cast<size_t>(key.second)];
      const int32_t region = size();  // the number that its node will get
      new_place_[key] = {region, static_cast<int32_t>(formed.region.outputs.size())};
      formed.region.outputs.push_back({.value = value->second,
                                       .on_gpu = !on_host && producer.placed->gpu() != nullptr,
                                       .copied = producer.props->op == copy_to_host_});
      formed.node.output_types.push_back(BaseType(producer.props->output_types[key.second]));
    }
  }

  static void MarkLastUses(GpuRegion& region) {
    std::set<int32_t> used;
    for (const GpuRegion::Output& output : region.outputs) used.insert(output.value);
    for (auto member = region.members.rbegin(); member != region.members.rend(); ++member) {
      for (auto input = member->inputs.rbegin(); input != member->inputs.rend(); ++input) {
        if (input->kind == GpuRegion::Source::kValue) input->last = used.insert(input->number).second;
      }
    }
  }

  // Lets all consumers of members use the regions.
  void Redirect() {
    const auto redirect = [&](PlanValue& value) {
      const auto place = new_place_.find({value.node, value.output});
      if (!value.fed() && place != new_place_.end()) value = place->second;
    };
    for (PlanGraph::Node& at : graph_.nodes) {
      for (PlanValue& input : at.inputs) redirect(input);
      for (int32_t& control : at.control_inputs) control = RegionOr(control);
      auto& controls = at.control_inputs;
      std::sort(controls.begin(), controls.end());
      controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
    }
    for (PlanGraph::Fetch& fetch : graph_.fetches) redirect(fetch.value);
    for (int32_t& target : graph_.targets) target = RegionOr(target);
  }
  int32_t RegionOr(int32_t n) const {
    const auto region = region_of_.find(n);
    return region == region_of_.end() ? n : region->second;
  }

  PlanGraph& graph_;
  KernelCache& kernels_;
  const OpDef* const copy_to_gpu_;
  const OpDef* const copy_to_host_;
  std::vector<int32_t> order_;
  std::vector<std::vector<bool>> on_host_;
  std::vector<Use> uses_;
  std::vector<const Device*> devices_;
  std::vector<int32_t> levels_;
  std::map<int32_t, int32_t> region_of_;
  std::map<std::pair<int32_t, int32_t>, PlanValue> new_place_;
};

}  // namespace

Status FormGpuRegions(PlanGraph& graph, const OpRegistry& registry, KernelCache& kernels) {
  const bool on_gpu = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                  [](const PlanGraph::Node& node) { return node.placed->gpu() != nullptr; });
  return on_gpu ? RegionFormer(graph, registry, kernels).Run() : OkStatus();
}

}  // namespace weir
