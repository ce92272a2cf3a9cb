// Times are measured in nanoseconds and reported in both micro- and nanoseconds, as in TensorFlow.
#include "runtime/step_trace.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "absl/strings/str_join.h"

#include "graph/attr_proto.h"
#include "runtime/fused_elementwise.h"
#include "tensor/tensor_proto.h"

namespace weir {
namespace {

constexpr char kAllocatorName[] = "cpu";

// The name of the node for a feed or fetch of the plan; `index` is its number.
std::string ArgumentName(std::string_view prefix, std::string name, int32_t index) {
  std::replace(name.begin(), name.end(), ':', '_');
  return fmt::format("{}_{}_{}", prefix, name, index);
}

std::string FeedName(const Plan& plan, int32_t feed) { return ArgumentName("_arg", plan.feeds[feed].what.name, feed); }

std::string SourceName(const Plan& plan, PlanValue value) {
  return value.fed() ? FeedName(plan, value.output) : plan.NameOf(value);
}

std::string Label(const std::string& name, const OpDef& op, const std::vector<std::string>& inputs) {
  return fmt::format("{} = {}({})", name, op.name, absl::StrJoin(inputs, ", "));
}

std::vector<std::string> SourceNames(const Plan& plan, int32_t node) {
  std::vector<std::string> names;
  for (PlanValue input : plan.inputs_of(node)) names.push_back(SourceName(plan, input));
  return names;
}

// The labels of the members of a fused node, each with its own inputs.
std::vector<std::string> PartLabels(const FusedRegion& region, std::vector<std::string> inputs) {
  inputs.insert(inputs.end(), region.constant_names.begin(), region.constant_names.end());
  std::vector<std::string> labels;
  for (const FusedRegion::Member& member : region.members) {
    std::vector<std::string> names;
    for (int32_t operand : member.operands)
      names.push_back(operand < 0 ? inputs[~operand] : region.members[operand].props->name);
    labels.push_back(Label(member.props->name, *member.props->op, names));
  }
  return labels;
}

void SetTimes(const StepTrace::Times& times, int64_t recorded, tensorflow::NodeExecStats* stats) {
  stats->set_thread_id(static_cast<uint32_t>(syscall(SYS_gettid)));
  stats->mutable_memory_stats();
  stats->set_scheduled_micros(times.scheduled / 1000);
  stats->set_scheduled_nanos(times.scheduled);
  stats->set_all_start_micros(times.start / 1000);
  stats->set_all_start_nanos(times.start);
  stats->set_op_end_rel_micros((times.end - times.start) / 1000);
  stats->set_op_end_rel_nanos(times.end - times.start);
  stats->set_all_end_rel_micros(std::max<int64_t>((recorded - times.start) / 1000, 1));
  stats->set_all_end_rel_nanos(recorded - times.start);
}

void Describe(int slot, const Tensor& tensor, tensorflow::NodeExecStats* stats) {
  tensorflow::NodeOutput* output = stats->add_output();
  output->set_slot(slot);
  tensorflow::TensorDescription* description = output->mutable_tensor_description();
  description->set_dtype(static_cast<tensorflow::DataType>(tensor.dtype()));
  ToProto(PartialShape(tensor.shape()), description->mutable_shape());
  tensorflow::AllocationDescription* allocation = description->mutable_allocation_description();
  allocation->set_requested_bytes(static_cast<int64_t>(tensor.num_bytes()));
  allocation->set_allocated_bytes(static_cast<int64_t>(tensor.buffer() ? tensor.buffer()->size() : 0));
  allocation->set_allocator_name(kAllocatorName);
  allocation->set_has_single_reference(tensor.OwnsMemoryAlone());
  allocation->set_ptr(reinterpret_cast<uintptr_t>(tensor.raw()));
}

}  // namespace

int64_t StepTrace::Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The times of the single members are unknown: each gets an equal part of the total time.
StepTrace::Times StepTrace::RecordParts(const Plan& plan, int32_t node, Times times) {
  const NodeInfo& info = *plan.nodes[node].info;
  const FusedRegion& region = *RegionOf(*info.op);
  const std::vector<std::string> labels = PartLabels(region, SourceNames(plan, node));
  const auto count = static_cast<int64_t>(labels.size());
  const int64_t taken = times.end - times.start;
  const int64_t start = times.start;
  std::lock_guard lock(mu_);
  for (int64_t i = 0; i < count; ++i) {
    times.start = start + taken * i / count;
    times.end = start + taken * (i + 1) / count;
    if (i + 1 == count) break;
    Entry& entry = entries_.emplace_back(Entry{&info.device, {}});
    entry.stats.set_node_name(region.members[i].props->name);
    entry.stats.set_timeline_label(labels[i]);
    SetTimes(times, times.end, &entry.stats);
  }
  return times;
}

void StepTrace::Record(const Plan& plan, int32_t node, const Times& whole, absl::Span<const EdgeValue> outputs) {
  const NodeInfo& info = *plan.nodes[node].info;
  const FusedRegion* region = RegionOf(*info.op);
  const Times times = region == nullptr ? whole : RecordParts(plan, node, whole);
  tensorflow::NodeExecStats stats;
  stats.set_node_name(info.name);
  stats.set_timeline_label(region == nullptr ? Label(info.name, *info.op, SourceNames(plan, node))
                                             : PartLabels(*region, SourceNames(plan, node)).back());
  int64_t fresh_bytes = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor tensor = outputs[i].ref ? outputs[i].ref->Read() : outputs[i].tensor;
    if (!tensor.valid()) continue;
    Describe(static_cast<int>(i), tensor, &stats);
    if (outputs[i].tensor.valid() && outputs[i].tensor.OwnsMemoryAlone()) fresh_bytes += outputs[i].tensor.num_bytes();
  }
  if (fresh_bytes > 0) {
    tensorflow::AllocatorMemoryUsed* memory = stats.add_memory();
    memory->set_allocator_name(kAllocatorName);
    memory->set_total_bytes(fresh_bytes);
    memory->set_peak_bytes(fresh_bytes);
    memory->set_live_bytes(fresh_bytes);
  }
  SetTimes(times, Now(), &stats);
  std::lock_guard lock(mu_);
  entries_.push_back({&info.device, std::move(stats)});
}

void StepTrace::WriteTo(tensorflow::StepStats* stats) {
  std::lock_guard lock(mu_);
  std::map<std::string, tensorflow::DeviceStepStats*> devices;
  for (Entry& entry : entries_) {
    tensorflow::DeviceStepStats*& device = devices[*entry.device];
    if (device == nullptr) {
      device = stats->add_dev_stats();
      device->set_device(*entry.device);
    }
    *device->add_node_stats() = std::move(entry.stats);
  }
  entries_.clear();
}

void ExportPlan(const Plan& plan, tensorflow::GraphDef* graph) {
  const std::string* any_device = nullptr;
  for (int32_t n = 0; n < static_cast<int32_t>(plan.nodes.size()); ++n) {
    const NodeInfo& info = *plan.nodes[n].info;
    any_device = &info.device;
    tensorflow::NodeDef* def = graph->add_node();
    def->set_name(info.name);
    def->set_op(info.op->name);
    def->set_device(info.device);
    for (PlanValue input : plan.inputs_of(n)) def->add_input(SourceName(plan, input));
    for (PlanValue control : plan.control_inputs_of(n)) def->add_input("^" + plan.NameOf({control.node, 0}));
    for (const auto& [name, value] : *info.attrs) ToProto(value, &(*def->mutable_attr())[name]);
  }
  for (int32_t k = 0; k < static_cast<int32_t>(plan.feeds.size()); ++k) {
    tensorflow::NodeDef* def = graph->add_node();
    def->set_name(FeedName(plan, k));
    def->set_op("_Arg");
    if (any_device != nullptr) def->set_device(*any_device);
    ToProto(AttrValue(plan.feeds[k].what.dtype), &(*def->mutable_attr())["T"]);
    ToProto(AttrValue(k), &(*def->mutable_attr())["index"]);
  }
  // As in TensorFlow, fetched feeds have no node.
  for (int32_t n = 0; n < static_cast<int32_t>(plan.nodes.size()); ++n) {
    for (int32_t e = plan.nodes[n].edges.begin; e < plan.nodes[n].edges.end; ++e) {
      const PlanEdge& edge = plan.edges[e];
      if (edge.node != kFetchEdge) continue;
      const PlanFetch& fetch = plan.fetches[edge.entry];
      tensorflow::NodeDef* def = graph->add_node();
      def->set_name(ArgumentName("_retval", fetch.name, edge.entry));
      def->set_op("_Retval");
      def->set_device(plan.nodes[n].info->device);
      def->add_input(plan.NameOf({n, edge.output}));
      ToProto(AttrValue(fetch.dtype), &(*def->mutable_attr())["T"]);
      ToProto(AttrValue(edge.entry), &(*def->mutable_attr())["index"]);
    }
  }
}

}  // namespace weir
