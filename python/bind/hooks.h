// Hooks in Python: those of C++ as Python calls them, and those of Python as C++ calls them.
#pragma once

#include <pybind11/pybind11.h>

#include "bind/files.h"
#include "bind/ownership.h"
#include "bind/process.h"
#include "bind/scopes.h"
#include "bind/session_manager.h"
#include "train/hook.h"
#include "train/step_timer.h"

namespace weir::python {

namespace py = pybind11;

// As RaiseServiceError; a loss that is not a number is a NanLossDuringTrainingError.
[[noreturn]] void RaiseHookError(const Status& status, Graph* graph);

// What Python's hooks are told of a call of run, as the `note` of a RunContext.
struct RunNote {
  PyItem original_args;  // a SessionRunArgs
  PyItem context;        // the SessionRunContext, made for the first hook that sees it
  std::weak_ptr<Session> session;
};

// The hook behind an object of Python: that of C++ where it is a built-in one whose methods nobody has overridden, else
// one that calls its methods. Called without the GIL. Whoever asks keeps the object alive, where the garbage collector
// sees it: hooks tend to refer to what has them.
HookPtr HookFrom(py::object hook);

// C++ calls the hook's Begin with that graph: a built-in hook holds it from now on.
void HoldGraphOfHook(py::handle hook, const Graph& graph);

// That graph as the default one, as in `with graph.as_default():`.
class InGraph final {
 public:
  explicit InGraph(py::object graph) : scope_(EnterGraph(std::move(graph))) { scope_->EnterOnce(); }
  ~InGraph() { scope_->Exit(); }
  InGraph(const InGraph&) = delete;
  InGraph& operator=(const InGraph&) = delete;

 private:
  const std::shared_ptr<Scope> scope_;
};

// The Python object of a session that Python has made and still holds; None for any other.
void RememberSession(py::handle session);
py::object PythonSessionOf(const SessionPtr& session);
void RememberCoordinator(py::handle coordinator);
py::object PythonCoordinatorOf(const std::shared_ptr<Coordinator>& coordinator);

// `body`, which gives a Status or a Result, in Python; its exceptions as Statuses of the codes that they have.
template <class F>
auto CallingPython(F&& body) -> decltype(body()) {
  return InPython([&]() -> decltype(body()) {
    try {
      auto result = body();
      CheckSignals();  // a signal that came meanwhile is Python's, not for the step that follows
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
// `body(cancel)` without the GIL, as RunWaiting, with the errors of hooks.
template <class F>
auto RunHooks(Graph* graph, F&& body) {
  return RunWaiting(std::forward<F>(body), [graph](const Status& status) { RaiseHookError(status, graph); });
}

void BindHooks(py::module_& m);
void BindSavingHooks(py::module_& m);
void BindMonitoredSession(py::module_& m);

// A built-in hook as Python holds it.
struct HookObject {
  HookPtr hook;
  HookRequest wanted = {};          // what before_run has asked for last
  TimerPtr timer = nullptr;         // that the hook goes by, if any
  const Graph* made_for = nullptr;  // the graph of what it was made with
};
template <class H>
std::unique_ptr<HookObject> MakeHookObject(std::shared_ptr<H> hook, const Graph* made_for = nullptr) {
  auto object = std::make_unique<HookObject>();
  if constexpr (requires { hook->timer(); }) object->timer = hook->timer();
  object->hook = std::move(hook);
  object->made_for = made_for;
  return object;
}
// Lines to tf.logging: "info", "warn", "error".
std::function<void(const std::string&)> PythonLog(const char* level);

}  // namespace weir::python
