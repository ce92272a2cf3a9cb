// UcxLink: one connection over UCX, and the messages on it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/epoll_loop.h"
#include "cluster/link.h"
#include "cluster/ucx/ucx_worker.h"

namespace weir {

class UcxLink final : public Link, public std::enable_shared_from_this<UcxLink> {
 public:
  // Shared by the links of a transport. Must live until all of them are broken.
  struct Shared {
    EpollLoop& loop;
    Alarms& alarms;
    TransportSettings settings;
    std::shared_ptr<UcxWorker> worker;
  };
  // Returns the calls that a peer with this invitation number belongs to; null if the number is not valid.
  using FindCalls = std::function<std::shared_ptr<IncomingLinkCalls>(uint64_t invitation)>;
  // For the connecting side.
  UcxLink(const Shared& shared, std::unique_ptr<LinkHandler> end)
      : Link(std::move(end), shared.alarms, shared.settings), shared_(shared) {}
  // For the accepting side. Gets its handler with the peer's kHello.
  UcxLink(const Shared& shared, FindCalls find_calls)
      : Link(nullptr, shared.alarms, shared.settings), shared_(shared), find_calls_(std::move(find_calls)) {}

  // Sends the invitation to the peer and waits for its kHello, for at most `timeout_ms`. The error says why no kHello
  // arrived.
  Status ExchangeHello(uint64_t invitation, int64_t timeout_ms);
  // Starts the peer timeout: a peer that does not send kHello in time is lost.
  void AwaitHello() { BeginCall(); }

  bool SendMessage(const LinkMessage& message, std::string_view method, Rope payload) override;
  void Break(const Status& reason) override;
  bool IsConnected() const override { return !broken_; }
  void WaitUntilSent(int64_t timeout_ms) override;
  void Post(std::function<void()> work) override { shared_.loop.Post(std::move(work)); }
  std::shared_ptr<Link> self() override { return shared_from_this(); }
  bool single_message_is_cheap() const override { return true; }

 private:
  friend class UcxWorker;
  // Called by the worker under its lock. False if the peer has not sent kHello, or its invitation is not
  // valid.
  bool AcceptsMessage(const UcxHeader& head);
  // A message has begun to arrive. Called by the worker under its lock: must not call the worker.
  void OnMessageStart(const UcxHeader& head, const std::string& method);
  // The message is complete. Called without the lock.
  void OnMessageComplete(UcxInbox::Message message);

  bool Send(UcxHeader head, std::string_view method, Rope payload);
  void Ping() override { Send({.kind = UcxHeader::kPing}, "", Rope()); }

  const Shared shared_;
  const FindCalls find_calls_;
  std::atomic<bool> broken_{false};
  // Guarded by the lock of the worker:
  ucp_ep_h endpoint_ = nullptr;
  bool settled_ = false;  // the connection was set up, or has failed
  bool dropped_ = false;  // the endpoint is to be closed once it is settled
  uint64_t next_message_ = 1;
  UcxInbox inbox_;

  std::mutex mu_;
  std::condition_variable changed_;
  bool greeted_ = false;
  uint64_t pings_ = 0;
  uint64_t last_pong_ = 0;
  Status reason_;  // why it is broken
};

}  // namespace weir
