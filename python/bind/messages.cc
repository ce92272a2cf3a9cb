#include "bind/messages.h"

namespace weir::python {

py::object MessageFromBytes(const char* name, const std::string& bytes) {
  return py::module_::import("weir.proto").attr("message_class")(name).attr("FromString")(py::bytes(bytes));
}

std::string BytesOfMessage(py::handle message) {
  if (PyBytes_Check(message.ptr())) return message.cast<std::string>();
  if (!py::hasattr(message, "SerializeToString"))
    RaiseType(fmt::format("a protocol message is expected, not {} of type '{}'", Repr(message), TypeName(message)));
  return message.attr("SerializeToString")().cast<std::string>();
}

}  // namespace weir::python
