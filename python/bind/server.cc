// A server is kept by its Python object; whatever may wait for steps to end does so without the GIL.
#include "bind/server.h"

#include <algorithm>

#include "bind/errors.h"
#include "bind/messages.h"
#include "bind/process.h"
#include "bind/waiting.h"
#include "cluster/join_until_signal.h"
#include "cluster/remote_session.h"
#include "cluster/server.h"

namespace weir::python {
namespace {

namespace py = pybind11;

struct ServerObject {
  std::shared_ptr<Server> server;
  ~ServerObject() {
    const Waiting waiting;
    server = nullptr;
  }
};

void CheckRun(const Status& status) {
  if (!status.ok()) RaiseRunError(status, nullptr);
}

std::shared_ptr<ServerObject> MakeServer(py::handle server_def, bool start, const std::string& bind_address) {
  const auto def = MessageFrom<tensorflow::ServerDef>(server_def);
  Result<std::shared_ptr<Server>> server = Process::Get().NewServer(def, bind_address);
  CheckRun(server.status());
  auto made = std::make_shared<ServerObject>();
  made->server = *std::move(server);
  if (start) CheckRun(made->server->Start());
  return made;
}

// While a process waits in join(), SIGTERM and SIGINT mean: finish what runs and end well. Only on the main thread,
// where Python's own handling stands.
void JoinServer(ServerObject& self) {
  bool ended_by_signal = false;
  const bool is_main = _PyOS_IsMainThread() != 0;
  {
    const Waiting waiting;
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
      .def(py::init(&MakeServer), py::arg("server_def"), py::arg("start"), py::arg("bind_address"))
      .def_property_readonly("target", [](const ServerObject& s) { return s.server->target(); })
      .def_property_readonly("server_def",
                             [](const ServerObject& s) { return MessageToPython("ServerDef", s.server->server_def()); })
      .def("start", [](ServerObject& s) { CheckRun(s.server->Start()); })
      .def("join", &JoinServer)
      .def(
          "stop",
          [](ServerObject& s, double grace_seconds) {
            const Waiting waiting;
            constexpr double kLongestSeconds = 1e9;
            const double seconds = grace_seconds > 0 ? std::min(grace_seconds, kLongestSeconds) : 0;  // NaN: 0
            s.server->Stop(static_cast<int64_t>(seconds * 1000));
          },
          py::arg("grace_seconds") = 0.0);
  m.def(
      "reset_server",
      [](const std::string& target, const std::vector<std::string>& containers, py::handle config) {
        const auto message = MessageFrom<tensorflow::ConfigProto>(config);
        Status status;
        {
          const Waiting waiting;
          status = Process::Get().Reset(target, containers, message);
        }
        CheckRun(status);
      },
      py::arg("target"), py::arg("containers"), py::arg("config"));
}

}  // namespace weir::python
