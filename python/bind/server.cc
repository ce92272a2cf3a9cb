// Binds tf.train.Server. The Python object owns the server. Calls that may wait for steps release the GIL.
#include "bind/server.h"

#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/cluster.h"
#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/messages.h"
#include "bind/process.h"
#include "cluster/join_until_signal.h"
#include "cluster/remote_session.h"
#include "cluster/server.h"

namespace weir::python {
namespace {

namespace py = pybind11;

struct ServerObject {
  std::shared_ptr<Server> server;
  ~ServerObject() {
    const ReleaseGil waiting;
    server = nullptr;
  }
};

void CheckRun(const Status& status) {
  if (!status.ok()) RaiseRunError(status, nullptr);
}

// The task index to use if the program gives none. Raises ValueError unless the job has exactly one task.
int OnlyTaskOf(const ClusterSpec& cluster, const std::string& job) {
  const Result<const ClusterSpec::Tasks*> tasks = cluster.TasksOf(job);
  if (!tasks.ok()) RaiseValue(std::string(tasks.status().message()));
  if ((*tasks)->size() != 1) {
    RaiseValue(fmt::format("Must specify an explicit `task_index` when job '{}' has {} tasks.", job, (*tasks)->size()));
  }
  return (*tasks)->begin()->first;
}

std::string OnlyJobOf(const ClusterSpec& cluster) {
  if (cluster.jobs().size() == 1) return cluster.jobs().begin()->first;
  std::vector<std::string_view> names;
  for (const auto& [job, tasks] : cluster.jobs()) names.push_back(job);
  RaiseValue(fmt::format("Must specify an explicit `job_name` when the cluster has several jobs: {}.",
                         fmt::join(names, ", ")));
}

struct ServerArguments {
  std::optional<std::string> job_name;
  std::optional<int> task_index;
  std::optional<std::string> protocol;
};

// Does not load Python's protobuf unless the program passes messages: it would take a tenth of a parameter server's
// memory.
tensorflow::ServerDef ServerDefFrom(py::handle server_or_cluster, ServerArguments arguments, py::handle config) {
  tensorflow::ServerDef def;
  if (IsMessage(server_or_cluster, "ServerDef")) {
    def = MessageFrom<tensorflow::ServerDef>(server_or_cluster);
  } else {
    const ClusterSpec cluster = ClusterSpecFrom(server_or_cluster);
    if (!arguments.job_name) arguments.job_name = OnlyJobOf(cluster);
    if (!arguments.task_index) arguments.task_index = OnlyTaskOf(cluster, *arguments.job_name);
    *def.mutable_cluster() = cluster.ToProto();
    def.set_protocol("grpc");
  }
  if (arguments.job_name) def.set_job_name(*arguments.job_name);
  if (arguments.task_index) def.set_task_index(*arguments.task_index);
  if (arguments.protocol) def.set_protocol(*arguments.protocol);
  if (config.is_none()) return def;
  if (!IsMessage(config, "ConfigProto"))
    RaiseType(fmt::format("config must be a ConfigProto, not {} of type '{}'", Repr(config), TypeName(config)));
  def.mutable_default_session_config()->MergeFrom(MessageFrom<tensorflow::ConfigProto>(config));
  return def;
}

std::shared_ptr<ServerObject> MakeServer(const tensorflow::ServerDef& def, bool start, Server::Options options) {
  Result<std::shared_ptr<Server>> server = Process::Get().NewServer(def, std::move(options));
  CheckRun(server.status());
  auto made = std::make_shared<ServerObject>();
  made->server = *std::move(server);
  if (start) CheckRun(made->server->Start());
  return made;
}

// On the main thread, SIGTERM and SIGINT during join() let running steps finish, and then exit with status 0. On other
// threads Python's signal handling is unchanged.
void JoinServer(ServerObject& self) {
  bool ended_by_signal = false;
  const bool is_main = _PyOS_IsMainThread() != 0;
  {
    const ReleaseGil waiting;
    if (is_main) {
      ended_by_signal = JoinUntilSignal(*self.server);
    } else {
      self.server->Join();
    }
  }
  if (!ended_by_signal) return;
  PyErr_SetObject(PyExc_SystemExit, py::int_(0).ptr());
  throw py::error_already_set();
}

}  // namespace

void BindServer(py::module_& m) {
  py::class_<ServerObject, std::shared_ptr<ServerObject>>(m, "Server")
      .def(py::init([](py::handle server_or_cluster_def, std::optional<std::string> job_name,
                       std::optional<int> task_index, std::optional<std::string> protocol, py::handle config,
                       bool start, const std::string& bind_address, const std::string& end_with,
                       std::optional<std::vector<std::string>> files) {
             return MakeServer(
                 ServerDefFrom(server_or_cluster_def, {std::move(job_name), task_index, std::move(protocol)}, config),
                 start, Server::Options{.bind_address = bind_address, .end_with = end_with, .files = std::move(files)});
           }),
           py::arg("server_or_cluster_def"), py::arg("job_name"), py::arg("task_index"), py::arg("protocol"),
           py::arg("config"), py::arg("start"), py::arg("bind_address"), py::arg("end_with"), py::arg("files"))
      .def_property_readonly("target", [](const ServerObject& s) { return s.server->target(); })
      .def_property_readonly("server_def",
                             [](const ServerObject& s) { return MessageToPython("ServerDef", s.server->server_def()); })
      .def("start", [](ServerObject& s) { CheckRun(s.server->Start()); })
      .def("join", &JoinServer)
      .def(
          "stop",
          [](ServerObject& s, double grace_seconds) {
            const ReleaseGil waiting;
            constexpr double kLongestSeconds = 1e9;
            const double seconds = grace_seconds > 0 ? std::min(grace_seconds, kLongestSeconds) : 0;  // NaN: 0
            s.server->Stop(static_cast<int64_t>(seconds * 1000));
          },
          py::arg("grace_seconds") = 0.0);
  m.def(
      "use_credentials",
      [](const std::string& tls_cert, const std::string& tls_key, const std::string& tls_ca,
         const std::string& token_file, const std::string& accepted_tokens) {
        CheckRun(Process::Get().UseCredentials({.tls_cert = tls_cert,
                                                .tls_key = tls_key,
                                                .tls_ca = tls_ca,
                                                .token_file = token_file,
                                                .accepted_tokens_file = accepted_tokens}));
      },
      py::arg("tls_cert") = "", py::arg("tls_key") = "", py::arg("tls_ca") = "", py::arg("token_file") = "",
      py::arg("accepted_tokens") = "");
  m.def(
      "reset_server",
      [](const std::string& target, const std::vector<std::string>& containers, py::handle config) {
        const auto message = MessageFrom<tensorflow::ConfigProto>(config);
        Status status;
        {
          const ReleaseGil waiting;
          status = Process::Get().Reset(target, containers, message);
        }
        CheckRun(status);
      },
      py::arg("target"), py::arg("containers"), py::arg("config"));
}

}  // namespace weir::python
