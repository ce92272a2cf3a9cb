// UcxChannel: sends calls over UCX once the peer has agreed and is connected. Until then, and if the peer has no UCX,
// calls go over another transport.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/transport.h"
#include "cluster/ucx/ucx_runtime.h"

namespace weir {

class UcxChannel final : public Channel, public std::enable_shared_from_this<UcxChannel> {
 public:
  // `other` creates the channel of the other transport, when it is first needed; null if that transport is closed.
  UcxChannel(std::string address, std::shared_ptr<UcxRuntime> runtime, std::function<std::shared_ptr<Channel>()> other);
  ~UcxChannel() override;
  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override;
  const std::string& address() const override { return address_; }

  // Asks the peer for a connection if it was not asked yet, and blocks. Returns true once connected; false after
  // `timeout_ms`, or if the peer refuses.
  bool WaitUntilConnected(int64_t timeout_ms);

 private:
  enum class State { kNotAsked, kAsking, kConnected, kRefused };
  // The connection; null if there is none. Asks the peer for one, unless a request is pending or the last one was
  // refused and nothing has changed since.
  std::shared_ptr<LinkCaller> Caller();
  std::shared_ptr<Channel> Other();
  void Ask(const std::shared_ptr<Channel>& other);
  void Connect(const UcxInvitation& invitation);
  void Refused(const Status& why);

  const std::string address_;
  const bool wanted_;
  const std::shared_ptr<UcxRuntime> runtime_;
  const std::function<std::shared_ptr<Channel>()> make_other_;
  std::mutex mu_;
  std::condition_variable changed_;
  State state_ = State::kNotAsked;
  bool may_ask_ = true;           // after a refusal: true if the peer may be asked again, because something has changed
  int64_t not_before_nanos_ = 0;  // when to ask again
  std::shared_ptr<LinkCaller> caller_;
  std::shared_ptr<Channel> other_;
};

}  // namespace weir
