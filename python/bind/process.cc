#include "bind/process.h"

#include "bind/errors.h"
#include "graph/attr_proto.h"
#include "graph/compose/variable_scope.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <system_error>
#include <thread>

#include "base/live_line.h"
#include "base/startup_pages.h"
#include "bind/gil.h"
#include "bind/interrupt.h"
#include "bind/py_func.h"
#include "cluster/remote_session.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_session.h"

namespace weir::python {
namespace {

std::mutex pending_mu;
std::vector<PyObject*> pending;
std::atomic<bool> any_pending{false};

// Runs `work` on a new thread. Returns false if it still runs after a few seconds: a Python function called by a step
// may block forever, and a kernel may compute for minutes.
bool RunWithTimeout(const std::function<void()>& work) {
  constexpr std::chrono::seconds kTimeout(3);
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> ended = done->get_future();
  std::thread thread;
  try {
    thread = std::thread([work, done] {
      work();
      done->set_value();
    });
  } catch (const std::system_error&) {  // cannot create a thread
    work();
    return true;
  }
  const bool in_time = ended.wait_for(kTimeout) == std::future_status::ready;
  in_time ? thread.join() : thread.detach();
  return in_time;
}

// Makes the process exit without destroying static objects, which running threads may still use.
void ExitWithoutDestructors() {
  on_exit(
      [](int status, void*) {
        fflush(nullptr);
        _exit(status);
      },
      nullptr);
}

}  // namespace

void DecrefLater(PyObject* object) {
  if (object == nullptr || !Py_IsInitialized()) return;
  if (PyGILState_Check() != 0) {
    Py_DECREF(object);
    return;
  }
  std::lock_guard<std::mutex> lock(pending_mu);
  pending.push_back(object);
  any_pending.store(true, std::memory_order_release);
}

void DrainDecrefs() {
  if (!any_pending.load(std::memory_order_acquire)) return;
  std::vector<PyObject*> objects;
  {
    std::lock_guard<std::mutex> lock(pending_mu);
    objects.swap(pending);
    any_pending.store(false, std::memory_order_release);
  }
  for (PyObject* object : objects) Py_DECREF(object);
}

Process::Process() : py_functions_(std::make_unique<PyFunctions>()) {
  ops::RegisterAllOps(registry_);
  ReleaseStartupPages();
}
Process::~Process() = default;

Process& Process::Get() {
  // Never destroyed: objects destroyed late in shutdown may still use it.
  static Process* process = new Process;
  return *process;
}

std::shared_ptr<Graph> Process::NewGraph() {
  auto graph = std::make_shared<Graph>(registry_);
  if (evaluator_ == nullptr) evaluator_ = MakeLocalConstantEvaluator(env_);
  graph->set_constant_evaluator(evaluator_);
  if (resource_variables_) VariableStore::Of(*graph)->resource_by_default = true;
  return graph;
}

Status Process::EnsurePools() {
  if (stopped_) return FailedPrecondition("the interpreter is shutting down");
  if (pool_ == nullptr) {
    pool_ = std::make_unique<ThreadPool>("weir", 0);
    blocking_pool_ = std::make_unique<ElasticPool>("weir_blocking");
    process_ = getpid();
  }
  return OkStatus();
}

Result<std::shared_ptr<Session>> Process::NewSession(const std::string& target, std::shared_ptr<Graph> graph,
                                                     const tensorflow::ConfigProto& config) {
  std::lock_guard<std::mutex> lock(mu_);
  WEIR_TRY(EnsurePools());
  std::shared_ptr<Session> session;
  if (target.empty()) {
    session = std::make_shared<LocalSession>(std::move(graph),
                                             LocalSession::Dependencies{.pool = *pool_,
                                                                        .blocking_pool = *blocking_pool_,
                                                                        .env = env_,
                                                                        .resources = nullptr,
                                                                        .config = config,
                                                                        .py_functions = py_functions_.get()});
  } else {
    WEIR_ASSIGN(session, network_.NewSession(target, std::move(graph), config));
  }
  std::erase_if(sessions_, [](const std::weak_ptr<Session>& s) { return s.expired(); });
  sessions_.push_back(session);
  return session;
}

Result<std::shared_ptr<Server>> Process::NewServer(const tensorflow::ServerDef& def, const Server::Options& options) {
  std::lock_guard<std::mutex> lock(mu_);
  WEIR_TRY(EnsurePools());
  WEIR_ASSIGN(std::unique_ptr<Server> made,
              Server::Make(def, options, ProcessParts{registry_, *pool_, *blocking_pool_, env_, py_functions_.get()},
                           network_));
  std::shared_ptr<Server> server = std::move(made);
  std::erase_if(servers_, [](const std::weak_ptr<Server>& s) { return s.expired(); });
  servers_.push_back(server);
  return server;
}

Status Process::Reset(const std::string& target, const std::vector<std::string>& containers,
                      const tensorflow::ConfigProto& config) {
  WEIR_ASSIGN(std::shared_ptr<MasterService> master, network_.FindMaster(target));
  return ResetServer(*master, containers, config);
}

void Process::Stop(bool failed) {
  // In a forked child the threads do not exist, and sessions and servers belong to the parent.
  if (pool_ != nullptr && getpid() != process_) return;
  std::vector<std::weak_ptr<Session>> sessions;
  std::vector<std::weak_ptr<Server>> servers;
  {
    std::lock_guard<std::mutex> lock(mu_);
    sessions.swap(sessions_);
    servers.swap(servers_);
    stopped_ = true;
  }
  py::gil_scoped_release release;
  LiveLine::OfProcess().End();
  StopInterruptWatcher();
  const auto close_all = [this, failed, sessions = std::move(sessions), servers = std::move(servers)] {
    for (const std::weak_ptr<Session>& weak : sessions)
      if (std::shared_ptr<Session> session = weak.lock()) session->Close().IgnoreError();
    for (const std::weak_ptr<Server>& weak : servers)
      if (std::shared_ptr<Server> server = weak.lock()) server->Stop(/*grace_ms=*/0, /*will_return=*/failed);
    // Do not let a call that cannot be interrupted (a Python function, a library) delay the exit.
    constexpr std::chrono::seconds kTimeout(1);
    if (blocking_pool_ != nullptr && !blocking_pool_->IsIdle(kTimeout)) {
      (void)blocking_pool_.release();
      (void)pool_.release();
      ExitWithoutDestructors();
      return;
    }
    blocking_pool_.reset();
    if (pool_ != nullptr && !pool_->IsIdle(kTimeout)) {
      (void)pool_.release();
      ExitWithoutDestructors();
    }
    pool_.reset();
  };
  if (!RunWithTimeout(close_all)) ExitWithoutDestructors();
}

void BindProcess(py::module_& m) {
  m.def("live_line_on_terminal", [] { return LiveLine::OfProcess().kind() == LiveLine::Kind::kTerminal; });
  m.def("live_line_hide", [] { LiveLine::OfProcess().Hide(); });
  m.def(
      "live_line_show", [](bool at_line_start) { LiveLine::OfProcess().Show(at_line_start); },
      py::arg("at_line_start"));
  // Park the other threads first: otherwise they would fail and print errors when sessions close.
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    ParkOtherThreads();
    Process::Get().Stop(/*failed=*/PySys_GetObject("last_type") != nullptr);  // set by an exception that ends Python
  }));
  m.def("op_names", [] { return Process::Get().registry().Names(); });
  // Returns the serialized OpDef message of an op.
  m.def(
      "op_def",
      [](const std::string& name) {
        const OpDef* op = Process::Get().registry().Find(name);
        if (op == nullptr) RaiseKey(fmt::format("no op named '{}'", name));
        tensorflow::OpDef message;
        ToProto(*op, &message);
        return py::bytes(message.SerializeAsString());
      },
      py::arg("name"));
}

}  // namespace weir::python
