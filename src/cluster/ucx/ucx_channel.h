// UcxChannel: calls to an address that go over UCX once its peer was asked for that and connected to, and over another
// transport until then, or where the peer has no UCX.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/transport.h"
#include "cluster/ucx/ucx_place.h"

namespace weir {

class UcxChannel final : public Channel, public std::enable_shared_from_this<UcxChannel> {
 public:
  // `other` makes the channel of the other transport, when it is first needed; null when there is none any more.
  UcxChannel(std::string address, std::shared_ptr<UcxPlace> place, std::function<std::shared_ptr<Channel>()> other);
  ~UcxChannel() override;
  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override;
  const std::string& address() const override { return address_; }

  // Asks the peer, if that has not been done. True when there is a connection; false after that time, or where there
  // will be none.
  bool WaitUntilConnected(int64_t timeout_ms);

 private:
  enum class State { kNotAsked, kAsking, kConnected, kRefused };
  // The connection there is; asks for one where that makes sense.
  std::shared_ptr<LinkCaller> Caller();
  std::shared_ptr<Channel> Other();
  void Ask(const std::shared_ptr<Channel>& other);
  void Connect(const UcxInvitation& invitation);
  void Refused(const Status& why);

  const std::string address_;
  const bool wanted_;
  const std::shared_ptr<UcxPlace> place_;
  const std::function<std::shared_ptr<Channel>()> make_other_;
  std::mutex mu_;
  std::condition_variable changed_;
  State state_ = State::kNotAsked;
  bool may_ask_ = true;           // of a refusal: something has happened since that may have changed it
  int64_t not_before_nanos_ = 0;  // asks again
  std::shared_ptr<LinkCaller> caller_;
  std::shared_ptr<Channel> other_;
};

}  // namespace weir
