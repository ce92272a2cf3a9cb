// HostListener: accepts calls from processes of this host, in addition to another transport's listener at the same
// address.
#pragma once

#include <memory>
#include <vector>

#include "cluster/host/host_link.h"
#include "cluster/transport.h"
#include "session/cluster_spec.h"

namespace weir {

class HostListener final : public Listener {
 public:
  HostListener(const HostLink::Shared& shared, const Address& address, std::unique_ptr<Listener> other);
  ~HostListener() override;
  void Serve(CallHandler handler) override;
  int port() const override { return port_; }

 private:
  class ListeningSocket;
  const HostLink::Shared shared_;
  const int port_;
  const std::shared_ptr<IncomingLinkCalls> calls_ =
      std::make_shared<IncomingLinkCalls>("host", shared_.settings.limits);
  std::vector<std::shared_ptr<ListeningSocket>> sockets_;
  std::unique_ptr<Listener> other_;
};

}  // namespace weir
