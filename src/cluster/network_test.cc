// Tests which transport a process uses by default.
#include "cluster/network.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cluster/host/host_socket.h"
#include "cluster/transport.h"

namespace weir {
namespace {

// True if processes of this host reach a listener of this network without gRPC.
bool IsOnHost(const char* transport) {
  if (transport == nullptr) {
    unsetenv("WEIR_TRANSPORT");
  } else {
    setenv("WEIR_TRANSPORT", transport, /*overwrite=*/1);
  }
  Network network(RealEnv());
  const std::unique_ptr<Listener> listener = *network.transport().Listen("127.0.0.1:0");
  listener->Serve([](const std::shared_ptr<IncomingCall>& call) { call->Respond(Rope()); });
  return ConnectOnHost(fmt::format("127.0.0.1:{}", listener->port())).valid();
}

TEST(NetworkTest, HostTransportIsTheDefaultOnOneHost) {
  EXPECT_TRUE(IsOnHost(nullptr));
  EXPECT_TRUE(IsOnHost("auto"));
  EXPECT_FALSE(IsOnHost("grpc"));
  EXPECT_TRUE(IsOnHost("pigeons"));  // unknown value: logs a warning
  unsetenv("WEIR_TRANSPORT");
}

}  // namespace
}  // namespace weir
