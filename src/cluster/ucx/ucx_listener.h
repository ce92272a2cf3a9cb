// UcxListener: accepts calls over UCX, in addition to another transport's listener at the same address. Peers ask for
// an invitation over the other transport; the first request loads UCX and opens its port.
#pragma once

#include <memory>

#include "cluster/transport.h"
#include "cluster/ucx/ucx_runtime.h"
#include "session/cluster_spec.h"

namespace weir {

class UcxListener final : public Listener {
 public:
  UcxListener(std::shared_ptr<UcxRuntime> runtime, Address address, std::unique_ptr<Listener> other);
  ~UcxListener() override;
  void Serve(CallHandler handler) override;
  int port() const override { return other_->port(); }

 private:
  const std::shared_ptr<UcxRuntime> runtime_;
  const Address address_;
  const std::shared_ptr<IncomingLinkCalls> calls_ = std::make_shared<IncomingLinkCalls>("UCX");
  std::unique_ptr<Listener> other_;
};

}  // namespace weir
