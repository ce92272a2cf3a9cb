// HostListener: takes calls from processes of this host beside those that another transport's listener takes at the
// same address.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/host/host_link.h"
#include "cluster/in_flight.h"
#include "cluster/transport.h"

namespace weir {

class HostCallee;

// The calls of a listener that are open. Thread-safe.
struct HostCalls final {
  CallHandler handler;
  InFlight in_flight;
  std::mutex mu;
  bool closed = false;
  std::vector<std::weak_ptr<HostCallee>> callees;
};

// The end of a connection that calls come in at.
class HostCallee final : public HostLink {
 public:
  HostCallee(const Shared& shared, OwnedFd fd, std::shared_ptr<HostCalls> calls)
      : HostLink(shared, std::move(fd)), calls_(std::move(calls)) {}
  // Cancels what is open and what still comes.
  void Close();

 private:
  class Incoming;
  void Began(const HostHead& head, std::string method) override;
  void Came(const HostHead& head, Result<Rope> payload) override;
  void Broken(const Status& reason) override;
  void Respond(uint64_t id, Result<Rope> response);
  void CancelAll(const Status& reason);

  const std::shared_ptr<HostCalls> calls_;
  std::mutex mu_;
  Status closed_;  // why, once it is
  std::unordered_map<uint64_t, std::shared_ptr<Incoming>> open_;
};

class HostListener final : public Listener {
 public:
  HostListener(const HostLink::Shared& shared, const Address& address, std::unique_ptr<Listener> other);
  ~HostListener() override;
  void Serve(CallHandler handler) override;
  int port() const override { return port_; }

 private:
  class Door;
  const HostLink::Shared shared_;
  const int port_;
  const std::shared_ptr<HostCalls> calls_ = std::make_shared<HostCalls>();
  std::vector<std::shared_ptr<Door>> doors_;
  std::unique_ptr<Listener> other_;
};

}  // namespace weir
