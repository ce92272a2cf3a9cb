// Process: what lives as long as the interpreter: the op registry, the constant evaluator, the way to make sessions.
// Made when the module is loaded; no thread starts before the first step, and Stop ends them all before the interpreter
// goes.
#pragma once

#include <pybind11/pybind11.h>
#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/thread_pool.h"
#include "cluster/network.h"
#include "cluster/server.h"
#include "graph/constant_evaluator.h"
#include "graph/graph.h"
#include "op/op_registry.h"
#include "proto/config.pb.h"
#include "session/session.h"

namespace weir::python {

namespace py = pybind11;

class PyFunctions;

class Process final {
 public:
  // The one of this module.
  static Process& Get();

  const OpRegistry& registry() const { return registry_; }
  // The files that Python, sessions and servers use.
  Env& env() const { return env_; }
  std::shared_ptr<Graph> NewGraph();
  // A session of the kind that `target` names; "" is this process itself.
  Result<std::shared_ptr<Session>> NewSession(const std::string& target, std::shared_ptr<Graph> graph,
                                              const tensorflow::ConfigProto& config);
  Result<std::shared_ptr<Server>> NewServer(const tensorflow::ServerDef& def, const std::string& bind_address);
  // Ends the sessions of the server at `target` and empties its cluster's containers.
  Status Reset(const std::string& target, const std::vector<std::string>& containers,
               const tensorflow::ConfigProto& config);
  // Closes every session that is still open, stops every server and ends every thread, but for those that take longer
  // than a few seconds.
  void Stop();
  PyFunctions& py_functions() { return *py_functions_; }

 private:
  Process();
  ~Process();
  Status EnsurePools();  // with mu_ held
  Env& env_ = RealEnv();
  OpRegistry registry_;
  Network network_;
  std::shared_ptr<ConstantEvaluator> evaluator_;
  std::unique_ptr<PyFunctions> py_functions_;
  std::mutex mu_;
  std::vector<std::weak_ptr<Session>> sessions_;
  std::vector<std::weak_ptr<Server>> servers_;
  std::unique_ptr<ThreadPool> pool_;  // both made with the first session
  std::unique_ptr<ElasticPool> blocking_pool_;
  pid_t process_ = 0;  // where they were made
  std::atomic<bool> stopped_{false};
};

// Lets go of a Python object on a thread that may not hold the GIL: at once where it does, else with the next
// ReleasePending. So that nothing waits for the GIL while it holds a lock of ours.
void ReleaseLater(PyObject* object);
void ReleasePending();

// A Python object inside C++ data (a collection's item, a callback): copied and destroyed without the GIL.
class PyItem {
 public:
  PyItem() = default;
  explicit PyItem(py::object object) : object_(object.release().ptr(), [](PyObject* p) { ReleaseLater(p); }) {}
  py::object get() const { return py::reinterpret_borrow<py::object>(object_.get()); }
  PyObject* ptr() const { return object_.get(); }
  const std::shared_ptr<PyObject>& shared() const { return object_; }

 private:
  std::shared_ptr<PyObject> object_;
};

void BindProcess(py::module_& m);

}  // namespace weir::python
