// Process: state with the lifetime of the interpreter: the op registry, the constant evaluator, creation of sessions.
// Created when the module is loaded. Starts no thread before the first step; Stop ends all threads before the
// interpreter exits.
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
  // The singleton of this module.
  static Process& Get();

  const OpRegistry& registry() const { return registry_; }
  // The files that Python, sessions and servers use.
  Env& env() const { return env_; }
  std::shared_ptr<Graph> NewGraph();
  // Creates a session on `target`; "" means in this process.
  Result<std::shared_ptr<Session>> NewSession(const std::string& target, std::shared_ptr<Graph> graph,
                                              const tensorflow::ConfigProto& config);
  // Uses these credentials for all servers and sessions; the environment's where nothing is given.
  Status UseCredentials(const Credentials& credentials) { return network_.UseCredentials(credentials); }
  Result<std::shared_ptr<Server>> NewServer(const tensorflow::ServerDef& def, const Server::Options& options);
  // Closes the sessions of the server at `target` and clears the resource containers of its cluster.
  Status Reset(const std::string& target, const std::vector<std::string>& containers,
               const tensorflow::ConfigProto& config);
  // Closes all sessions, stops all servers and joins all threads, except those that take longer than a few seconds.
  // `failed`: the program ends with an exception, so its tasks are expected to come back.
  void Stop(bool failed = false);
  // tf.enable_resource_variables: whether variables of new graphs are resources unless a program says otherwise.
  bool resource_variables() const { return resource_variables_; }
  void set_resource_variables(bool enable) { resource_variables_ = enable; }
  PyFunctions& py_functions() { return *py_functions_; }

 private:
  Process();
  ~Process();
  Status EnsurePools();  // REQUIRES: mu_ is held
  Env& env_ = RealEnv();
  OpRegistry registry_;
  Network network_{env_};
  std::shared_ptr<ConstantEvaluator> evaluator_;
  std::unique_ptr<PyFunctions> py_functions_;
  std::mutex mu_;
  std::vector<std::weak_ptr<Session>> sessions_;
  std::vector<std::weak_ptr<Server>> servers_;
  std::unique_ptr<ThreadPool> pool_;  // both created with the first session
  std::unique_ptr<ElasticPool> blocking_pool_;
  pid_t process_ = 0;  // the process that created them
  std::atomic<bool> stopped_{false};
  std::atomic<bool> resource_variables_{false};
};

// Drops a reference to a Python object, on any thread: at once if it holds the GIL, else in the next DrainDecrefs. So
// no thread waits for the GIL while it holds one of our locks.
void DecrefLater(PyObject* object);
void DrainDecrefs();

// A Python object inside C++ data (a collection item, a callback). May be copied and destroyed without the GIL.
class SharedPyObject {
 public:
  SharedPyObject() = default;
  explicit SharedPyObject(py::object object) : object_(object.release().ptr(), [](PyObject* p) { DecrefLater(p); }) {}
  py::object get() const { return py::reinterpret_borrow<py::object>(object_.get()); }
  PyObject* ptr() const { return object_.get(); }
  const std::shared_ptr<PyObject>& shared() const { return object_; }

 private:
  std::shared_ptr<PyObject> object_;
};

void BindProcess(py::module_& m);

}  // namespace weir::python
