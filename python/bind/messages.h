// Passes protocol messages as serialized bytes between C++ (lite messages) and Python (protobuf classes of weir.proto).
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

#include "bind/errors.h"

namespace weir::python {

namespace py = pybind11;

py::object MessageFromBytes(const char* name, const std::string& bytes);

template <class Message>
py::object MessageToPython(const char* name, const Message& message) {
  return MessageFromBytes(name, message.SerializeAsString());
}

// Whether an object is a message with that name, from any package and descriptor pool.
bool IsMessage(py::handle object, std::string_view name);

// The serialized bytes of a Python message. Also accepts bytes.
std::string BytesOfMessage(py::handle message);

template <class Message>
Message MessageFrom(py::handle object) {
  Message message;
  if (!object.is_none() && !message.ParseFromString(BytesOfMessage(object)))
    RaiseValue("cannot parse the protocol message: it has another type or is corrupt");
  return message;
}

}  // namespace weir::python
