// HostChannel: sends calls directly to a process of this host if one listens at the address, else over another
// transport. While there is no connection, each call tries to connect again.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/host/host_link.h"
#include "cluster/transport.h"

namespace weir {

class HostChannel final : public Channel {
 public:
  // `other` creates the channel of the other transport, when it is first needed; null if that transport is closed.
  HostChannel(std::string address, std::shared_ptr<OutgoingLinks> callers, std::function<HostLink::Shared()> shared,
              std::function<std::shared_ptr<Channel>()> other);
  ~HostChannel() override;
  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override;
  const std::string& address() const override { return address_; }

 private:
  std::shared_ptr<LinkCaller> Caller();
  std::shared_ptr<LinkCaller> Connect() const;
  std::shared_ptr<Channel> Other();

  const std::string address_;
  const std::vector<std::string> on_host_;
  const std::shared_ptr<OutgoingLinks> callers_;
  const std::function<HostLink::Shared()> shared_;  // REQUIRES: callers_ is not closed
  const std::function<std::shared_ptr<Channel>()> make_other_;
  std::mutex mu_;
  std::shared_ptr<LinkCaller> caller_;
  std::shared_ptr<Channel> other_;
};

}  // namespace weir
