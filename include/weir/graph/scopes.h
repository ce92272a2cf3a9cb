// Scopes that apply to the nodes which the calling thread builds while they exist: names, devices, control
// dependencies, colocation.
#ifndef WEIR_GRAPH_SCOPES_H_
#define WEIR_GRAPH_SCOPES_H_

#include <string>
#include <string_view>
#include <vector>

#include "weir/graph/build_state.h"

namespace weir {

class NameScope final {
 public:
  // Opens a scope with a unique name below the current one. "" selects the root scope. "a/b/" (trailing slash)
  // re-enters exactly that scope.
  NameScope(Graph& graph, std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;
  const std::string& name() const { return name_; }  // without a trailing slash

 private:
  Graph& graph_;
  std::string saved_;
  std::string name_;
};

class DeviceScope final {
 public:
  DeviceScope(Graph& graph, DeviceRequest request);
  DeviceScope(Graph& graph, std::string name) : DeviceScope(graph, DeviceRequest{.name = std::move(name)}) {}
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Graph& graph_;
};

class ControlDependencies final {
 public:
  ControlDependencies(Graph& graph, std::vector<Node*> inputs);
  // Hides the outer control dependencies and the flow context.
  static ControlDependencies Cleared(Graph& graph) { return ControlDependencies(graph, ClearTag{}); }
  ~ControlDependencies();
  ControlDependencies(const ControlDependencies&) = delete;
  ControlDependencies& operator=(const ControlDependencies&) = delete;

 private:
  struct ClearTag {};
  ControlDependencies(Graph& graph, ClearTag);
  Graph& graph_;
};

class ColocationScope final {
 public:
  // Colocates new nodes with `node`; null only ignores outer colocation. Outer device requests do not apply inside.
  ColocationScope(Graph& graph, Node* node, bool ignore_existing = false);
  ~ColocationScope();
  ColocationScope(const ColocationScope&) = delete;
  ColocationScope& operator=(const ColocationScope&) = delete;

 private:
  Graph& graph_;
  std::vector<std::vector<Node*>> saved_colocation_;
  std::vector<DeviceRequest> saved_devices_;
};

}  // namespace weir

#endif  // WEIR_GRAPH_SCOPES_H_
