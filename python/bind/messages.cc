#include "bind/messages.h"

namespace weir::python {

py::object MessageFromBytes(const char* name, const std::string& bytes) {
  return py::module_::import("weir.proto").attr("message_class")(name).attr("FromString")(py::bytes(bytes));
}

bool IsMessage(py::handle object, std::string_view name) {
  const py::object descriptor = py::getattr(object, "DESCRIPTOR", py::none());
  const py::object found = py::getattr(descriptor, "name", py::none());
  return py::isinstance<py::str>(found) && found.cast<std::string>() == name;
}

std::string BytesOfMessage(py::handle message) {
  if (PyBytes_Check(message.ptr())) return message.cast<std::string>();
  if (!py::hasattr(message, "SerializeToString"))
    RaiseType(fmt::format("expected a protocol message, got {} of type '{}'", Repr(message), TypeName(message)));
  return message.attr("SerializeToString")().cast<std::string>();
}

}  // namespace weir::python
