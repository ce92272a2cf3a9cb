// FreeAddresses: addresses for the servers of a test. The ports are free but not reserved: bind them soon.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cluster/grpc/grpc_transport.h"

namespace weir {

inline std::vector<std::string> FreeAddresses(int count) {
  const std::unique_ptr<Transport> transport = MakeGrpcTransport();
  std::vector<std::unique_ptr<Listener>> listeners;  // open at the same time, so that all addresses differ
  std::vector<std::string> addresses;
  for (int i = 0; i < count; ++i) {
    listeners.push_back(*transport->Listen("localhost:0"));
    addresses.push_back(fmt::format("localhost:{}", listeners.back()->port()));
  }
  return addresses;
}

}  // namespace weir
