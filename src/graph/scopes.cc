// Scopes of the calling thread: names, devices, control dependencies, colocation. A program may close scopes out of
// order or on another thread, so a destructor tolerates an empty stack.
#include "graph/graph.h"
#include "graph/texts.h"

namespace weir {

NameScope::NameScope(Graph& graph, std::string_view name) : graph_(graph), saved_(graph.build().name_scope) {
  if (name.empty()) {
    name_ = "";
  } else if (name.back() == '/') {
    name_ = std::string(name.substr(0, name.size() - 1));
  } else {
    if (Status status = CheckScopeName(name, /*at_root=*/saved_.empty()); !status.ok()) graph.RecordError(status);
    name_ = graph.UniqueName(name);
  }
  graph.build().name_scope = name_;
}
NameScope::~NameScope() { graph_.build().name_scope = saved_; }

DeviceScope::DeviceScope(Graph& graph, DeviceRequest request) : graph_(graph) {
  graph.build().devices.push_back(std::move(request));
}
DeviceScope::~DeviceScope() {
  std::vector<DeviceRequest>& devices = graph_.build().devices;
  if (!devices.empty()) devices.pop_back();
}

ControlDependencies::ControlDependencies(Graph& graph, std::vector<Node*> inputs) : graph_(graph) {
  graph.build().control.push_back({.inputs = std::move(inputs)});
}
ControlDependencies::ControlDependencies(Graph& graph, ClearTag) : graph_(graph) {
  BuildState& state = graph.build();
  state.control.push_back({.clears = true, .saved_flow = state.flow});
  state.flow = nullptr;
}
ControlDependencies::~ControlDependencies() {
  BuildState& state = graph_.build();
  if (state.control.empty()) return;
  if (state.control.back().clears) state.flow = state.control.back().saved_flow;
  state.control.pop_back();
}

ColocationScope::ColocationScope(Graph& graph, Node* node, bool ignore_existing) : graph_(graph) {
  BuildState& state = graph.build();
  saved_colocation_ = state.colocation;
  saved_devices_ = state.devices;
  if (ignore_existing || node == nullptr) state.colocation.clear();
  if (node != nullptr) state.colocation.push_back({node});
  state.devices.clear();
}
ColocationScope::~ColocationScope() {
  BuildState& state = graph_.build();
  state.colocation = std::move(saved_colocation_);
  state.devices = std::move(saved_devices_);
}

}  // namespace weir
