// UcxLink: one connection over UCX, and the messages on it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/host/host_loop.h"
#include "cluster/link.h"
#include "cluster/ucx/ucx_worker.h"

namespace weir {

class UcxLink final : public Link, public std::enable_shared_from_this<UcxLink> {
 public:
  // What the links of a transport share; lives until all of them are broken.
  struct Shared {
    HostLoop& loop;
    Alarms& alarms;
    int64_t peer_timeout_ms;
    std::shared_ptr<UcxWorker> worker;
  };
  // Whose calls those are that come from a peer who was asked in by that number; null where nobody was.
  using Host = std::function<std::shared_ptr<LinkCalls>(uint64_t invitation)>;
  // Of who connects.
  UcxLink(const Shared& shared, std::unique_ptr<LinkEnd> end)
      : Link(std::move(end), shared.alarms, shared.peer_timeout_ms), shared_(shared) {}
  // Of who was connected to.
  UcxLink(const Shared& shared, Host host)
      : Link(nullptr, shared.alarms, shared.peer_timeout_ms), shared_(shared), host_(std::move(host)) {}

  // Tells the peer that it was asked in, and waits for its word, but not longer. Why there is none, where there is
  // none.
  Status Greet(uint64_t invitation, int64_t timeout_ms);
  // Who does not greet is lost.
  void AwaitGreeting() { BeginWait(); }

  bool SendMessage(const LinkMessage& message, std::string_view method, Rope payload) override;
  void Break(const Status& reason) override;
  bool IsThere() const override { return !broken_; }
  void WaitUntilSent(int64_t timeout_ms) override;
  void Post(std::function<void()> work) override { shared_.loop.Post(std::move(work)); }
  std::shared_ptr<Link> self() override { return shared_from_this(); }
  bool takes_whole() const override { return true; }

 private:
  friend class UcxWorker;
  // For the worker, under its lock. False for who has not greeted, or as nobody that was asked in.
  bool Admits(const UcxHead& head);
  // A message has begun: nothing is called that could call the worker.
  void Began(const UcxHead& head, const std::string& method);
  // It is there.
  void Came(UcxInbox::Message message);

  bool Send(UcxHead head, std::string_view method, Rope payload);
  void Ping() override { Send({.kind = UcxHead::kPing}, "", Rope()); }

  const Shared shared_;
  const Host host_;
  std::atomic<bool> broken_{false};
  // Of the worker, under its lock.
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
