// FreeAddresses: where servers of a test can listen. Nobody keeps the ports for them: a test takes its own soon.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cluster/grpc/grpc_transport.h"

namespace weir {

inline std::vector<std::string> FreeAddresses(int count) {
  const std::unique_ptr<Transport> transport = MakeGrpcTransport();
  std::vector<std::unique_ptr<Listener>> listeners;  // there at the same time: no two addresses are the same
  std::vector<std::string> addresses;
  for (int i = 0; i < count; ++i) {
    listeners.push_back(*transport->Listen("localhost:0"));
    addresses.push_back(fmt::format("localhost:{}", listeners.back()->port()));
  }
  return addresses;
}

}  // namespace weir
