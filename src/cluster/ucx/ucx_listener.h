// UcxListener: accepts calls over UCX, in addition to another transport's listener at the same address. Peers ask for
// an invitation over the other transport; the first request loads UCX and opens its port.
#pragma once

#include <memory>

#include "cluster/transport.h"
#include "cluster/ucx/ucx_place.h"
#include "session/cluster_spec.h"

namespace weir {

class UcxListener final : public Listener {
 public:
  UcxListener(std::shared_ptr<UcxPlace> place, Address address, std::unique_ptr<Listener> other);
  ~UcxListener() override;
  void Serve(CallHandler handler) override;
  int port() const override { return other_->port(); }

 private:
  const std::shared_ptr<UcxPlace> place_;
  const Address address_;
  const std::shared_ptr<LinkCalls> calls_ = std::make_shared<LinkCalls>();
  std::unique_ptr<Listener> other_;
};

}  // namespace weir
