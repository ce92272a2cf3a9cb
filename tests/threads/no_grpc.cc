// Stub for gRPC in the thread sanitizer's tests of the shared-memory transport, because gRPC is not instrumented. It
// provides addresses, but no call over it succeeds. UCX is missing too, because peers negotiate it over gRPC.
#include "cluster/grpc/grpc_port.h"
#include "cluster/grpc/grpc_transport.h"
#include "cluster/ucx/ucx_transport.h"

namespace weir {
namespace {

class UnreachableListener final : public Listener {
 public:
  explicit UnreachableListener(int port) : port_(port) {}
  void Serve(CallHandler /*handler*/) override {}
  int port() const override { return port_; }

 private:
  const int port_;
};

class UnreachableChannel final : public Channel {
 public:
  explicit UnreachableChannel(std::string address) : address_(std::move(address)) {}
  void Call(const std::string& /*method*/, Rope /*request*/, const CallOptions& /*options*/, Done done) override {
    done(Unavailable("failed to connect to {}", address_));
  }
  const std::string& address() const override { return address_; }

 private:
  const std::string address_;
};

class NoGrpc final : public Transport {
 public:
  using Transport::Connect;
  std::shared_ptr<Channel> Connect(const std::string& address, const std::string& /*task*/) override {
    return std::make_shared<UnreachableChannel>(address);
  }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address) override {
    WEIR_ASSIGN(const Address wanted, Address::Parse(address));
    WEIR_ASSIGN(const int port, BindFreePort(wanted, [](const std::vector<std::string>&, int) { return true; }));
    return std::unique_ptr<Listener>(std::make_unique<UnreachableListener>(port));
  }
};

}  // namespace

std::unique_ptr<Transport> MakeGrpcTransport(const TransportSettings& /*settings*/) {
  return std::make_unique<NoGrpc>();
}

std::unique_ptr<Transport> MakeUcxTransport(std::unique_ptr<Transport> other, const TransportSettings& /*settings*/) {
  return other;
}
bool WaitUntilUcxIsUsed(Channel& /*channel*/, int64_t /*timeout_ms*/) { return false; }

}  // namespace weir
