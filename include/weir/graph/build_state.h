// BuildState: the scopes of one thread that builds a graph. BuildStates: those of all threads.
#ifndef WEIR_GRAPH_BUILD_STATE_H_
#define WEIR_GRAPH_BUILD_STATE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weir/graph/node.h"

namespace weir {

// A device request for new nodes: a name, or a function of the node being built.
struct DeviceRequest {
  std::string name;
  std::function<Result<std::string>(Node&)> choose = {};  // when set, name is ignored
  bool ignore_outer = false;                              // tf.device(None)
};

// The scopes of one thread: they apply to every node that the thread builds.
struct BuildState {
  std::string name_scope;  // without a trailing slash
  std::vector<DeviceRequest> devices;
  struct ControlFrame {
    std::vector<Node*> inputs;
    std::set<const Node*> made_inside;
    bool clears = false;  // control_dependencies(None)
    FlowContext* saved_flow = nullptr;
  };
  std::vector<ControlFrame> control;
  std::vector<std::vector<Node*>> colocation;                     // one group per open scope
  std::vector<std::pair<std::string, AttrValue>> attrs;           // attributes added to every node
  std::vector<std::pair<std::string, std::string>> gradient_map;  // op type -> gradient type that replaces it
  std::string container;
  std::string gradient_source;  // name scope of the gradients being built; the "source" of TensorArray gradients
  FlowContext* flow = nullptr;
  Status error;  // first error of unchecked building (operators, gradient functions)
};

// Thread-safe.
class BuildStates final {
 public:
  // The state of the calling thread, which alone uses it.
  BuildState& OfThisThread();

 private:
  std::mutex mu_;
  std::unordered_map<std::thread::id, std::unique_ptr<BuildState>> states_;
};

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_STATE_H_
