#include "runtime/chrome_trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace weir {
namespace {

using Json = nlohmann::ordered_json;
using tensorflow::NodeExecStats;

// The parts of "name = Op(a, b)". For a label of another form, name and op are the node name.
struct Label {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;
};
Label ParseLabel(const NodeExecStats& node) {
  const std::string& text = node.timeline_label();
  Label label{node.node_name(), node.node_name(), {}};
  const size_t equals = text.find(" = "), open = text.find('(');
  if (equals == std::string::npos || open == std::string::npos || open < equals + 3) return label;
  label.name = text.substr(0, equals);
  label.op = text.substr(equals + 3, open - equals - 3);
  const size_t close = text.rfind(')');
  std::string_view rest = std::string_view(text).substr(
      open + 1, close == std::string::npos || close < open ? std::string::npos : close - open - 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    std::string_view input = rest.substr(0, comma);
    if (input.starts_with("^")) input.remove_prefix(1);
    if (!input.empty()) label.inputs.emplace_back(input);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
  }
  return label;
}

struct Slice {
  const NodeExecStats* node;
  Label label;
  int pid;
  int tid;
  int64_t start;
  int64_t end;
};

Json Event(const char* kind, const char* category, const std::string& name, int pid, int tid, int64_t at) {
  return Json{{"ph", kind}, {"cat", category}, {"name", name}, {"pid", pid}, {"tid", tid}, {"ts", at}};
}

Json ProcessName(int pid, const std::string& name) {
  return Json{{"name", "process_name"}, {"ph", "M"}, {"pid", pid}, {"args", {{"name", name}}}};
}

// The first lane that is free at `start`. Marks it as busy until `end`.
int LaneFor(std::vector<int64_t>& busy_until, int64_t start, int64_t end) {
  for (size_t lane = 0; lane < busy_until.size(); ++lane) {
    if (busy_until[lane] > start) continue;
    busy_until[lane] = end;
    return static_cast<int>(lane);
  }
  busy_until.push_back(end);
  return static_cast<int>(busy_until.size()) - 1;
}

std::vector<Slice> SlicesOf(const tensorflow::StepStats& stats, Json& events) {
  std::vector<Slice> slices;
  int pid = 0;
  for (const tensorflow::DeviceStepStats& device : stats.dev_stats()) {
    events.push_back(ProcessName(++pid, device.device() + " Compute"));
    std::vector<const NodeExecStats*> nodes;
    for (const NodeExecStats& node : device.node_stats()) nodes.push_back(&node);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](auto* a, auto* b) { return a->all_start_micros() < b->all_start_micros(); });
    std::vector<int64_t> busy_until;
    for (const NodeExecStats* node : nodes) {
      const int64_t start = node->all_start_micros();
      const int64_t end = start + std::max<int64_t>(node->all_end_rel_micros(), 1);
      slices.push_back({node, ParseLabel(*node), pid, LaneFor(busy_until, start, end), start, end});
    }
  }
  return slices;
}

void AddOps(const std::vector<Slice>& slices, Json& events) {
  for (const Slice& s : slices) {
    Json args{{"name", s.label.name}, {"op", s.label.op}};
    for (size_t i = 0; i < s.label.inputs.size(); ++i) args["input" + std::to_string(i)] = s.label.inputs[i];
    Json event = Event("X", "Op", s.label.op, s.pid, s.tid, s.start);
    event["dur"] = s.end - s.start;
    event["args"] = std::move(args);
    events.push_back(std::move(event));
  }
}

// Arrows from the end of a producer to the start of its consumers, if they are on different devices or lanes.
void AddArrows(const std::vector<Slice>& slices, Json& events) {
  std::map<std::string, const Slice*> producers;
  for (const Slice& s : slices) producers.emplace(s.label.name, &s);
  int flow = 0;
  for (const Slice& consumer : slices) {
    for (const std::string& input : consumer.label.inputs) {
      const size_t colon = input.rfind(':');
      auto found = producers.find(input);
      if (found == producers.end() && colon != std::string::npos) found = producers.find(input.substr(0, colon));
      if (found == producers.end()) continue;
      const Slice& producer = *found->second;
      if (producer.pid == consumer.pid && producer.tid == consumer.tid) continue;
      Json begin = Event("s", "DataFlow", input, producer.pid, producer.tid, producer.end);
      Json end = Event("t", "DataFlow", input, consumer.pid, consumer.tid, consumer.start);
      begin["id"] = flow;
      end["id"] = flow++;
      events.push_back(std::move(begin));
      events.push_back(std::move(end));
    }
  }
}

// The bytes of live outputs: from the start of the producer until its last consumer has ended.
void AddMemory(const std::vector<Slice>& slices, Json& events) {
  events.push_back(ProcessName(0, "Allocators"));
  std::map<std::string, int64_t> last_use;
  for (const Slice& s : slices) {
    last_use[s.label.name] = std::max(last_use[s.label.name], s.end);
    for (const std::string& input : s.label.inputs) {
      const std::string node = input.substr(0, input.rfind(':'));
      last_use[node] = std::max(last_use[node], s.end);
    }
  }
  std::map<std::string, std::multimap<int64_t, int64_t>> changes;  // allocator -> time -> bytes
  for (const Slice& s : slices) {
    for (const tensorflow::NodeOutput& output : s.node->output()) {
      const tensorflow::AllocationDescription& memory = output.tensor_description().allocation_description();
      if (memory.requested_bytes() == 0) continue;
      auto& of_allocator = changes[memory.allocator_name().empty() ? "cpu" : memory.allocator_name()];
      of_allocator.emplace(s.start, memory.requested_bytes());
      of_allocator.emplace(last_use[s.label.name], -memory.requested_bytes());
    }
  }
  int lane = 0;
  for (const auto& [allocator, steps] : changes) {
    int64_t bytes = 0;
    for (const auto& [at, change] : steps) {
      bytes += change;
      Json event = Event("C", "Memory", allocator, 0, lane, at);
      event["args"] = Json{{allocator, bytes}};
      events.push_back(std::move(event));
    }
    ++lane;
  }
}

}  // namespace

std::string ChromeTrace(const tensorflow::StepStats& stats, const ChromeTraceOptions& options) {
  Json events = Json::array();
  const std::vector<Slice> slices = SlicesOf(stats, events);
  AddOps(slices, events);
  if (options.show_dataflow) AddArrows(slices, events);
  if (options.show_memory) AddMemory(slices, events);
  // Names may contain invalid UTF-8.
  return Json{{"traceEvents", std::move(events)}}.dump(4, ' ', false, Json::error_handler_t::replace);
}

}  // namespace weir
