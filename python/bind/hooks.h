// Converts hooks: makes C++ hooks callable from Python, and Python hooks callable from C++.
#pragma once

#include <pybind11/pybind11.h>

#include "bind/files.h"
#include "bind/ownership.h"
#include "bind/process.h"
#include "bind/scopes.h"
#include "bind/session_manager.h"
#include "train/hook.h"
#include "train/monitored_session.h"
#include "train/step_timer.h"

namespace weir::python {

namespace py = pybind11;

// Like RaiseServiceError, but a NaN loss raises NanLossDuringTrainingError.
[[noreturn]] void RaiseHookError(const Status& status, Graph* graph);

// State of one call of run for Python hooks: the `note` of a RunContext.
struct HookCallState {
  SharedPyObject original_args;  // a SessionRunArgs
  SharedPyObject context;        // the SessionRunContext, created for the first hook that needs it
  std::weak_ptr<Session> session;
};

// Returns the C++ hook for a Python object: the built-in hook itself if no method is overridden, else a wrapper that
// calls the object's methods. C++ calls it without the GIL. The caller must keep the object alive, visibly to the
// garbage collector, because hooks often refer to their owner.
HookPtr HookFrom(py::object hook);

// Calls the methods of a tf.train.CheckpointSaverListener.
CheckpointListenerPtr ListenerFrom(py::object listener);
// Writers, savers and logs of Python for the hooks of a training session with this tf.train.Scaffold.
TrainingHookParts PythonHookParts(py::object scaffold);

// Call when C++ passes `graph` to the hook's Begin: makes a built-in hook hold that graph.
void HoldGraphOfHook(py::handle hook, const Graph& graph);

// Makes a graph the default graph, like `with graph.as_default():`.
class InGraph final {
 public:
  explicit InGraph(py::object graph) : scope_(EnterGraph(std::move(graph))) { scope_->EnterOnce(); }
  ~InGraph() { scope_->Exit(); }
  InGraph(const InGraph&) = delete;
  InGraph& operator=(const InGraph&) = delete;

 private:
  const std::shared_ptr<Scope> scope_;
};

// The Python object of a session, if Python created it and still holds it; else None.
void RememberSession(py::handle session);
py::object PythonSessionOf(const SessionPtr& session);
void RememberCoordinator(py::handle coordinator);
py::object PythonCoordinatorOf(const std::shared_ptr<Coordinator>& coordinator);

// Runs `body`, which returns a Status or a Result, with the GIL. Converts exceptions to Statuses with their error
// codes.
template <class F>
auto CallPython(F&& body) -> decltype(body()) {
  return InPython([&]() -> decltype(body()) {
    try {
      auto result = body();
      CheckSignals();  // a pending signal belongs to this Python code, not to the step that follows
      return result;
    } catch (py::error_already_set& error) {
      return StatusOfRun(error);
    } catch (const py::builtin_exception& error) {
      error.set_error();
      py::error_already_set fetched;
      return StatusOfException(fetched);
    }
  });
}
// Runs `body(cancel)` without the GIL, like RunBlocking, and raises errors with RaiseHookError.
template <class F>
auto RunHooks(Graph* graph, F&& body) {
  return RunBlocking(std::forward<F>(body), [graph](const Status& status) { RaiseHookError(status, graph); });
}

void BindHooks(py::module_& m);
void BindSavingHooks(py::module_& m);
void BindMonitoredSession(py::module_& m);

// Python's representation of a built-in hook.
struct HookObject {
  HookPtr hook;
  HookRequest wanted = {};          // the last request of before_run
  TimerPtr timer = nullptr;         // the hook's timer, if any
  const Graph* made_for = nullptr;  // the graph that its arguments belong to
};
template <class H>
std::unique_ptr<HookObject> MakeHookObject(std::shared_ptr<H> hook, const Graph* made_for = nullptr) {
  auto object = std::make_unique<HookObject>();
  if constexpr (requires { hook->timer(); }) object->timer = hook->timer();
  object->hook = std::move(hook);
  object->made_for = made_for;
  return object;
}
// Writes lines to tf.logging at a level: "info", "warn" or "error".
std::function<void(const std::string&)> PythonLog(const char* level);

}  // namespace weir::python
