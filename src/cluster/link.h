// Link: a connection between two Weir processes and the calls on it. Derived classes (host/, ucx/) carry the bytes;
// this file has the code that they share. A peer that is silent while a call is open is pinged, and the link breaks if
// it does not answer within the peer timeout.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/alarms.h"
#include "cluster/in_flight.h"
#include "cluster/transport.h"
#include "cluster/transport_settings.h"

namespace weir {

class Link;

// A message of a call, without its payload.
struct LinkMessage {
  enum Kind : uint32_t { kCall, kAnswer, kError, kCancel };
  Kind kind = kCall;
  uint32_t code = 0;  // only with kError: the StatusCode
  uint64_t id = 0;    // of the call
};

// The message headers of the two transports (HostHeader, UcxHeader) number the kinds of a LinkMessage like this, from
// kCall on.
template <class Head>
Head HeadFor(const LinkMessage& message) {
  constexpr uint32_t kFirst = Head::kCall;
  static_assert(Head::kAnswer == kFirst + LinkMessage::kAnswer && Head::kError == kFirst + LinkMessage::kError &&
                Head::kCancel == kFirst + LinkMessage::kCancel);
  Head head;
  head.kind = kFirst + message.kind;
  head.code = message.code;
  head.id = message.id;
  return head;
}
// REQUIRES: the header belongs to a message of a call.
template <class Head>
LinkMessage LinkMessageOf(const Head& head) {
  return {static_cast<LinkMessage::Kind>(head.kind - uint32_t{Head::kCall}), head.code, head.id};
}

// Receives the messages of a link, which owns it: a shared_ptr to a handler shares the ownership of the whole link.
class LinkHandler {
 public:
  virtual ~LinkHandler() = default;
  // Called when a kCall begins to arrive, before OnMessage, and when a kCancel has arrived: a call is registered before
  // its cancellation can come. For a kCall the transport may hold its own locks. For a kCancel it must not: callbacks
  // run.
  virtual void OnMessageStart(const LinkMessage& message, std::string method) = 0;
  // The message is complete, or its payload could not be read. Called in any order and on any thread. Not called if the
  // link breaks first.
  virtual void OnMessage(const LinkMessage& message, Result<Rope> payload) = 0;
  // Called once, when the link has broken.
  virtual void OnBroken(const Status& reason) = 0;
  // A peer that lets more messages than this wait for it is disconnected.
  virtual size_t most_unsent() const { return std::numeric_limits<size_t>::max(); }

 protected:
  Link& link() const { return *link_; }

 private:
  friend class Link;
  Link* link_ = nullptr;
};

// Thread-safe.
class Link {
 public:
  Link(std::unique_ptr<LinkHandler> end, Alarms& alarms, const TransportSettings& settings);
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // False if the link is broken.
  virtual bool SendMessage(const LinkMessage& message, std::string_view method, Rope payload) = 0;
  // Ends the link. The first reason is the one that is reported.
  virtual void Break(const Status& reason) = 0;
  // False once the peer is known to have disconnected.
  virtual bool IsConnected() const = 0;
  // Blocks until the peer has received all that was sent, for at most `timeout_ms`.
  virtual void WaitUntilSent(int64_t timeout_ms) = 0;
  // True if a large response costs no more as one message than in chunks.
  virtual bool single_message_is_cheap() const { return false; }
  // Runs `work` soon on a thread of the event loop, without locks held. Never runs it if the transport ends first.
  virtual void Post(std::function<void()> work) = 0;
  virtual std::shared_ptr<Link> self() = 0;
  Alarms& alarms() const { return alarms_; }

  // Call them when a call begins and ends: the peer is watched while calls are open.
  void BeginCall();
  void EndCall() { --open_calls_; }

 protected:
  virtual void Ping() = 0;
  // Call it for everything that arrives from the peer.
  void RecordActivity();
  LinkHandler& link_handler() const { return *link_handler_; }
  // For a link that is created without a handler. REQUIRES: set_link_handler is called before the first message
  // arrives.
  bool has_link_handler() const { return link_handler_ != nullptr; }
  void set_link_handler(std::unique_ptr<LinkHandler> end);

 private:
  void WatchLater(int64_t nanos);
  void Watch(int64_t due_nanos);

  std::unique_ptr<LinkHandler> link_handler_;
  Alarms& alarms_;
  const int64_t peer_timeout_ms_;
  std::atomic<int> open_calls_{0};
  std::atomic<bool> watched_{false};
  std::atomic<int64_t> last_activity_nanos_;
  std::atomic<bool> pinged_{false};
};

// The calling side of a link. Thread-safe.
class LinkCaller final : public LinkHandler {
 public:
  explicit LinkCaller(std::shared_ptr<InFlight> ending)
      : ending_(std::move(ending)), link_in_flight_(ending_->Enter()) {}
  // As Channel::Call. Returns false and leaves the arguments untouched if the connection was lost before anything was
  // sent.
  bool Call(const std::string& method, Rope& request, const CallOptions& options, Channel::Done& done);
  // No more calls will follow: the link ends with the last open one.
  void CloseAfterLastCall();
  bool IsConnected() const { return link().IsConnected(); }
  void Break(const Status& reason) { link().Break(reason); }

 private:
  struct PendingCall {
    Channel::Done done;
    CancelToken* token = nullptr;
    CancelToken::Id registration = 0;
    Alarms::Id alarm = 0;
  };
  void OnMessageStart(const LinkMessage&, std::string) override {}
  void OnMessage(const LinkMessage& message, Result<Rope> payload) override;
  void OnBroken(const Status& reason) override;
  std::shared_ptr<LinkCaller> self() { return {link().self(), this}; }
  // Ends the call if it is still open. `tell_peer` sends a cancellation.
  void End(uint64_t id, Result<Rope> result, bool tell_peer);
  void PostEnd(uint64_t id, Status reason);
  void Finish(PendingCall open, Result<Rope> result);

  const std::shared_ptr<InFlight> ending_;
  std::shared_ptr<void> link_in_flight_;  // counts this link until all of its calls have been told that it broke
  std::mutex mu_;
  uint64_t next_ = 1;
  bool lost_ = false;
  bool left_ = false;
  std::unordered_map<uint64_t, PendingCall> open_;
};

// The outgoing links of a transport, so that the transport can end them. Thread-safe.
class OutgoingLinks final {
 public:
  // Makes a link with the given handler. Add returns null if it returns null, or after Close.
  using Make = std::function<std::shared_ptr<Link>(std::unique_ptr<LinkHandler> end)>;
  std::shared_ptr<LinkCaller> Add(const Make& make);
  // Ends all open calls as Cancelled and waits until their callbacks have run. Later calls of Add return null.
  void Close();
  bool closed() const {
    std::lock_guard lock(mu_);
    return closed_;
  }

 private:
  const std::shared_ptr<InFlight> ending_ = std::make_shared<InFlight>();
  mutable std::mutex mu_;
  bool closed_ = false;
  std::vector<std::weak_ptr<LinkCaller>> all_;
};

class LinkCallee;

// The open calls of a listener, and the links that they came over. Thread-safe.
class IncomingLinkCalls final {
 public:
  // `transport` is its name, for messages.
  explicit IncomingLinkCalls(std::string transport = "local", const Limits& limits = Limits())
      : transport_(std::move(transport)), limits_(limits) {}
  // Call it once, before the first link.
  void set_handler(CallHandler handler) { handler_ = std::move(handler); }
  // False after Close and for more connections than are allowed. REQUIRES: `callee` is the handler of `link` and was
  // made with this object.
  bool Add(const std::shared_ptr<Link>& link, LinkCallee* callee);
  // Refuses more links; cancels open calls, and those that still arrive on existing links.
  void Close();
  // Blocks until all calls have been answered.
  void WaitForNone() { in_flight_.WaitForNone(); }
  // After Close: blocks until all calls have been answered and the answers sent, then breaks the links. The handler is
  // not called afterwards.
  void Drain();

 private:
  friend class LinkCallee;
  // The name is short, because each call copies it.
  std::shared_ptr<const PeerIdentity> NewPeer() {
    return std::make_shared<const PeerIdentity>(
        PeerIdentity{Role::kTrusted, "", fmt::format("{} #{}", transport_, ++num_links_)});
  }
  const std::string transport_;
  const Limits limits_;
  std::atomic<int64_t> num_links_{0};
  std::atomic<uint64_t> num_refused_{0};
  CallHandler handler_;
  InFlight in_flight_;
  std::mutex mu_;
  bool closed_ = false;
  std::vector<std::weak_ptr<LinkCallee>> callees_;
};

// The serving side of a link. Thread-safe.
class LinkCallee final : public LinkHandler {
 public:
  explicit LinkCallee(std::shared_ptr<IncomingLinkCalls> calls) : calls_(std::move(calls)), peer_(calls_->NewPeer()) {}

 private:
  friend class IncomingLinkCalls;
  class Incoming;
  void OnMessageStart(const LinkMessage& message, std::string method) override;
  void OnMessage(const LinkMessage& message, Result<Rope> payload) override;
  void OnBroken(const Status& reason) override;
  void Respond(uint64_t id, Result<Rope> response);
  void CancelAll(const Status& reason);
  void StopAccepting();
  size_t most_calls() const { return static_cast<size_t>(calls_->limits_[Limit::kStreams]); }
  // An answer for each call, and the answers to pings.
  size_t most_unsent() const override { return 2 * most_calls() + 1000; }
  std::shared_ptr<LinkCallee> self() { return {link().self(), this}; }

  const std::shared_ptr<IncomingLinkCalls> calls_;
  const std::shared_ptr<const PeerIdentity> peer_;  // the connection
  std::mutex mu_;
  Status closed_;               // the reason, once new calls are cancelled
  bool refuses_calls_ = false;  // no more calls are accepted: the link is broken, or the listener ends
  std::unordered_map<uint64_t, std::shared_ptr<Incoming>> open_;
};

}  // namespace weir
