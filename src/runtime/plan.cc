// Compiles a plan: prune, place, rewrite, find frames, create kernels, then lay everything out in arrays. Takes time
// linear in the size of the pruned graph.
#include "runtime/plan.h"

#include <algorithm>

#include "base/out_of_memory.h"
#include "base/process_memory.h"
#include "device/gpu_device.h"
#include "device/gpu_memory.h"
#include "op/node_error.h"
#include "runtime/passes/form_gpu_regions.h"
#include "runtime/passes/order_updates.h"
#include "runtime/passes/passes.h"
#include "runtime/passes/place_memory.h"
#include "runtime/variable_guard.h"

namespace weir {
namespace {

class Compiler {
 public:
  Compiler(PlanGraph graph, KernelCache& kernels, const PlanSignature& signature, const PassOptions& options,
           bool has_gpu)
      : graph_(std::move(graph)), cache_(kernels), has_gpu_(has_gpu), plan_(std::make_shared<Plan>()) {
    plan_->late_feeds = signature.late_feeds;
    plan_->has_flow = signature.receives_dead;
    plan_->plans_memory = options.plan_memory;
    if (options.explain) plan_->explain_title = TitleOf(graph_, options.part_of);
  }

  Result<std::shared_ptr<const Plan>> Run() {
    Classify();
    FindGpus();
    consumers_ = FindConsumers(graph_);
    WEIR_TRY(TopologicalOrder(graph_, consumers_).status());
    WEIR_TRY(FindFrames());
    WEIR_TRY(MakeNodes());
    std::vector<std::vector<bool>> feeds_of_fetch;
    if (plan_->late_feeds) feeds_of_fetch = FeedsOfFetches(graph_);
    LayOutEntries();
    LayOutEdges();
    CountPending();
    if (plan_->late_feeds) plan_->feeds_of_fetch = std::move(feeds_of_fetch);
    if (plan_->has_flow) plan_->plans_memory = false;  // in a loop one output has several values at a time
    return std::shared_ptr<const Plan>(std::move(plan_));
  }

 private:
  int32_t size() const { return static_cast<int32_t>(graph_.nodes.size()); }

  void Classify() {
    absl::flat_hash_map<const OpDef*, NodeKind> known;
    kinds_.reserve(graph_.nodes.size());
    for (const PlanGraph::Node& node : graph_.nodes) {
      auto [it, is_new] = known.try_emplace(node.props->op, NodeKind::kKernel);
      if (is_new) it->second = node.op().traits.kind;
      kinds_.push_back(it->second);
      if (IsFlow(it->second)) plan_->has_flow = true;
    }
  }

  void FindGpus() {
    for (const PlanGraph::Node& node : graph_.nodes) {
      GpuDevice* const gpu = node.placed->gpu();
      if (gpu != nullptr && std::find(plan_->gpus.begin(), plan_->gpus.end(), gpu) == plan_->gpus.end())
        plan_->gpus.push_back(gpu);
    }
  }

  Status FindFrames() {
    if (plan_->has_flow) {
      WEIR_ASSIGN(frames_, AssignFrames(graph_, consumers_, kinds_));
    } else {
      frames_.frames.emplace_back();
      frames_.frame_of.assign(graph_.nodes.size(), 0);
    }
    for (StaticFrame& frame : frames_.frames) plan_->frames.emplace_back().info = std::move(frame);
    return OkStatus();
  }

  bool NeedsKernel(NodeKind kind) const {
    return kind == NodeKind::kKernel || kind == NodeKind::kSwitch || kind == NodeKind::kMerge ||
           kind == NodeKind::kTransfer || kind == NodeKind::kTrigger;
  }

  Status MakeNodes() {
    plan_->nodes.resize(graph_.nodes.size());
    plan_->kernels.reserve(graph_.nodes.size());
    plan_->costs = std::make_unique<std::atomic<uint32_t>[]>(graph_.nodes.size());
    for (int32_t n = 0; n < size(); ++n) {
      const PlanGraph::Node& from = graph_.nodes[n];
      PlanNode& node = plan_->nodes[n];
      node.kind = kinds_[n];
      node.frame = frames_.frame_of[n];
      node.num_inputs = static_cast<int32_t>(from.inputs.size());
      node.num_outputs = static_cast<int32_t>(from.props->output_types.size());
      node.allows_uninitialized = from.op().allows_uninitialized_input;
      for (int32_t i = 0; i < node.num_inputs; ++i) {
        node.has_refs = node.has_refs || IsRef(from.props->input_types[i]) || IsRef(graph_.type_of(from.inputs[i]));
      }
      if (node.kind == NodeKind::kConst) {
        WEIR_TRY(TakeConstant(n));
      } else if (NeedsKernel(node.kind)) {
        WEIR_TRY(TakeKernel(n));
      } else {
        node.cheap = true;
        TakeInfo(n);
        if (node.kind == NodeKind::kEnter) {
          Result<bool> constant = GetAttr<bool>(*from.props->attrs, "is_constant");
          node.constant_enter = constant.ok() && *constant;
          node.child_frame = frames_.child_of.at(n);
        }
      }
      plan_->costs[n].store(node.cheap || node.async ? 0 : kUnknownCost, std::memory_order_relaxed);
    }
    return OkStatus();
  }

  void TakeInfo(int32_t n) {
    const PlanGraph::Node& from = graph_.nodes[n];
    plan_->infos.push_back(std::make_unique<NodeInfo>(MakeNodeInfo(*from.props, from.placed->name())));
    plan_->nodes[n].info = plan_->infos.back().get();
  }

  Status TakeConstant(int32_t n) {
    const PlanGraph::Node& from = graph_.nodes[n];
    PlanNode& node = plan_->nodes[n];
    const Result<TensorInfo> value = GetTensorInfo(*from.props->attrs, "value");
    if (!value.ok() || node.num_outputs != 1 || value->dtype != from.props->output_types[0]) {
      return MarkNode(InvalidArgument("node '{}' ({}): the attribute 'value' is missing or does not match 'dtype'",
                                      from.name(), from.op().name),
                      from.name());
    }
    Result<const Tensor*> tensor = GetTensor(*from.props->attrs, "value");
    if (!tensor.ok()) return WithNode(tensor.status(), from.name(), from.op().name);
    node.constant = *tensor;
    if (GpuDevice* const gpu = from.placed->gpu(); gpu != nullptr && !InHostMemory(from).front()) {
      WEIR_ASSIGN(const std::shared_ptr<GpuStream> stream, gpu->stream());
      WEIR_ASSIGN(Tensor uploaded, CopyToGpu(stream, **tensor));
      plan_->gpu_constants.push_back(std::make_unique<const Tensor>(std::move(uploaded)));
      node.constant = plan_->gpu_constants.back().get();
    }
    node.cheap = true;
    node.is_source = from.control_inputs.empty() && node.frame == 0;
    if (node.is_source) plan_->constants.push_back(n);
    plan_->props.push_back(from.props);
    TakeInfo(n);
    return OkStatus();
  }

  Status TakeKernel(int32_t n) {
    const PlanGraph::Node& from = graph_.nodes[n];
    PlanNode& node = plan_->nodes[n];
    WEIR_ASSIGN(std::shared_ptr<const BoundKernel> bound, cache_.Get(from.props, *from.placed));
    node.info = &bound->info;
    node.kernel = &bound->kernel;
    node.async = bound->kernel.is_async();
    node.blocking = bound->kernel.blocking();
    node.cheap = bound->kernel.cheap() || node.kind == NodeKind::kSwitch || node.kind == NodeKind::kMerge;
    if (has_gpu_ && NeedsVariableGuard(graph_, n)) {
      plan_->guarded_kernels.push_back(std::make_unique<const Kernel>(GuardVariables(bound->kernel, from)));
      node.kernel = plan_->guarded_kernels.back().get();
    }
    plan_->kernels.push_back(std::move(bound));
    return OkStatus();
  }

  // The inputs of a node are adjacent in the entries of its frame.
  void LayOutEntries() {
    plan_->input_begin.reserve(graph_.nodes.size() + 1);
    for (int32_t n = 0; n < size(); ++n) {
      PlanNode& node = plan_->nodes[n];
      PlanFrame& frame = plan_->frames[node.frame];
      node.first_entry = frame.num_entries;
      frame.num_entries += node.num_inputs;
      node.counter = static_cast<int32_t>(frame.initial_pending.size());
      frame.initial_pending.push_back(0);
      if (!node.is_source) ++frame.num_nodes;
      plan_->input_begin.push_back(static_cast<int32_t>(plan_->inputs.size()));
      for (PlanValue input : graph_.nodes[n].inputs) plan_->inputs.push_back(input);
      for (int32_t control : graph_.nodes[n].control_inputs) plan_->inputs.push_back({control, 0});
    }
    plan_->input_begin.push_back(static_cast<int32_t>(plan_->inputs.size()));
  }

  // Sorts the edges by producer and output (counting sort).
  void LayOutEdges() {
    std::vector<int32_t> first_output(graph_.nodes.size() + 1, 0);
    for (int32_t n = 0; n < size(); ++n) first_output[n + 1] = first_output[n] + plan_->nodes[n].num_outputs;
    const int32_t num_values = first_output.back() + static_cast<int32_t>(graph_.feeds.size());
    auto value_number = [&](PlanValue v) {
      return v.fed() ? first_output.back() + v.output : first_output[v.node] + v.output;
    };
    std::vector<int32_t> begin(num_values + 1, 0);
    auto for_each_edge = [&](auto visit) {
      for (int32_t n = 0; n < size(); ++n) {
        for (int32_t i = 0; i < plan_->nodes[n].num_inputs; ++i)
          visit(graph_.nodes[n].inputs[i], PlanEdge{.node = n, .entry = plan_->nodes[n].first_entry + i});
      }
      for (size_t k = 0; k < graph_.fetches.size(); ++k)
        visit(graph_.fetches[k].value, PlanEdge{.node = kFetchEdge, .entry = static_cast<int32_t>(k)});
    };
    for_each_edge([&](PlanValue v, const PlanEdge&) { ++begin[value_number(v) + 1]; });
    for (int32_t v = 0; v < num_values; ++v) begin[v + 1] += begin[v];
    plan_->edges.resize(begin.back());
    std::vector<int32_t> next(begin.begin(), begin.end() - 1);
    for_each_edge([&](PlanValue v, PlanEdge edge) {
      const int32_t number = value_number(v);
      edge.output = v.fed() ? 0 : v.output;
      edge.last = next[number] + 1 == begin[number + 1];
      plan_->edges[next[number]++] = edge;
    });
    for (int32_t n = 0; n < size(); ++n) plan_->nodes[n].edges = {begin[first_output[n]], begin[first_output[n + 1]]};
    for (size_t k = 0; k < graph_.feeds.size(); ++k) {
      const int32_t v = first_output.back() + static_cast<int32_t>(k);
      plan_->feeds.push_back({std::move(graph_.feeds[k]), {begin[v], begin[v + 1]}});
    }
    LayOutControlEdges();
    LayOutFetches();
  }

  void LayOutControlEdges() {
    std::vector<int32_t> begin(graph_.nodes.size() + 1, 0);
    for (const PlanGraph::Node& node : graph_.nodes) {
      for (int32_t control : node.control_inputs) ++begin[control + 1];
    }
    for (int32_t n = 0; n < size(); ++n) begin[n + 1] += begin[n];
    plan_->control_edges.resize(begin.back());
    for (int32_t n = 0; n < size(); ++n) plan_->nodes[n].control_edges = {begin[n], begin[n + 1]};
    for (int32_t n = 0; n < size(); ++n) {
      for (int32_t control : graph_.nodes[n].control_inputs) plan_->control_edges[begin[control]++] = n;
    }
  }

  void LayOutFetches() {
    bool has_state = false;
    for (const PlanGraph::Node& node : graph_.nodes) {
      for (DType t : node.props->output_types) has_state = has_state || IsRef(t) || t == kResource;
    }
    for (PlanGraph::Fetch& fetch : graph_.fetches) {
      const bool is_source = fetch.value.fed() || kinds_[fetch.value.node] == NodeKind::kConst;
      plan_->fetches.push_back({std::move(fetch.name), fetch.dtype, has_state && !is_source});
    }
  }

  // Without control flow, constants and feeds are delivered before the step starts and do not count as pending. With
  // control flow, they are propagated like other values.
  void CountPending() {
    for (int32_t n = 0; n < size(); ++n) {
      const PlanNode& node = plan_->nodes[n];
      if (node.is_source) continue;
      int32_t pending = 0;
      auto waits_for = [&](PlanValue v) {
        if (plan_->has_flow) return true;
        return v.fed() ? plan_->late_feeds : !plan_->nodes[v.node].is_source;
      };
      if (node.kind != NodeKind::kMerge) {
        for (PlanValue input : plan_->inputs_of(n)) pending += waits_for(input) ? 1 : 0;
      }
      for (PlanValue control : plan_->control_inputs_of(n)) pending += waits_for(control) ? 1 : 0;
      plan_->frames[node.frame].initial_pending[node.counter] = pending;
      const bool waits_for_merge = node.kind == NodeKind::kMerge && node.num_inputs > 0;
      if (pending == 0 && !waits_for_merge) plan_->roots.push_back(n);
    }
    const auto asks = [this](int32_t n) { return plan_->nodes[n].kind == NodeKind::kTransfer; };
    const auto others = std::stable_partition(plan_->roots.begin(), plan_->roots.end(), asks);
    plan_->num_root_transfers = static_cast<int32_t>(others - plan_->roots.begin());
  }

  PlanGraph graph_;
  KernelCache& cache_;
  const bool has_gpu_;  // the session has a GPU, whether or not this plan uses it
  std::shared_ptr<Plan> plan_;
  std::vector<NodeKind> kinds_;
  Consumers consumers_;
  FrameAssignment frames_;
};

}  // namespace

std::string Plan::NameOf(PlanValue value) const {
  if (value.fed()) return feeds[value.output].what.name;
  const std::string& name = nodes[value.node].info->name;
  return value.output == 0 ? name : fmt::format("{}:{}", name, value.output);
}

Result<std::shared_ptr<const Plan>> CompilePlan(const Graph& graph, const PlanSignature& signature,
                                                const PlanEnvironment& environment) {
  return CatchOutOfMemory("the plan of a step", [&]() -> Result<std::shared_ptr<const Plan>> {
    WEIR_ASSIGN(PlanGraph pruned, PruneGraph(graph, signature.feeds, signature.fetches, signature.targets));
    WEIR_TRY(ProcessMemory::Get().ReserveKept(pruned.nodes.size() * kGraphNodeBytes));
    // With a single device all plans agree anyway.
    SessionPlacements* const placements = environment.devices.size() > 1 ? environment.placements : nullptr;
    if (placements != nullptr) placements->Request(graph, pruned, HasGpu(environment.devices));
    WEIR_TRY(PlaceNodes(graph, environment.devices, environment.placer, pruned));
    if (placements != nullptr) placements->Fix(graph, pruned);
    PassReport report;
    if (environment.passes.order_updates) {
      WEIR_TRY(OrderUpdates(pruned, graph.registry(), signature.late_feeds, report));
    }
    WEIR_TRY(RunPasses(pruned, environment.passes, report));
    WEIR_TRY(RunLocalPasses(pruned, graph.registry(), environment.passes, report));
    WEIR_TRY(PlaceMemory(pruned, graph.registry()));
    if (environment.passes.form_gpu_regions && !signature.shows_nodes && !signature.late_feeds &&
        !signature.receives_dead)
      WEIR_TRY(FormGpuRegions(pruned, graph.registry(), environment.kernels));
    return Compiler(std::move(pruned), environment.kernels, signature, environment.passes, HasGpu(environment.devices))
        .Run();
  });
}

}  // namespace weir
