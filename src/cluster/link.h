// Link: a connection between two processes of Weir, and the calls on it. What carries the bytes is up to who derives
// from it (host/, ucx/); here is what they share. A peer that is silent while somebody waits for it is asked for a sign
// of life, and lost when none comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/alarms.h"
#include "cluster/in_flight.h"
#include "cluster/transport.h"

namespace weir {

class Link;

// A message of a call, without what it carries.
struct LinkMessage {
  enum Kind : uint32_t { kCall, kAnswer, kError, kCancel };
  Kind kind = kCall;
  uint32_t code = 0;  // of an error
  uint64_t id = 0;    // of the call
};

// Who sends and takes the messages of a link. Is a part of it, and lives as long.
class LinkEnd {
 public:
  virtual ~LinkEnd() = default;
  // A message has begun to come: a call before it is cancelled.
  virtual void Began(const LinkMessage& message, std::string method) = 0;
  // All of it is there, or could not be had; in any order, on any thread. Not at all where the link breaks before.
  virtual void Came(const LinkMessage& message, Result<Rope> payload) = 0;
  // Once.
  virtual void Broken(const Status& reason) = 0;

 protected:
  Link& link() const { return *link_; }

 private:
  friend class Link;
  Link* link_ = nullptr;
};

// Thread-safe.
class Link {
 public:
  Link(std::unique_ptr<LinkEnd> end, Alarms& alarms, int64_t peer_timeout_ms);
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // False where the link is broken.
  virtual bool SendMessage(const LinkMessage& message, std::string_view method, Rope payload) = 0;
  // Ends it, for that reason: the first one counts.
  virtual void Break(const Status& reason) = 0;
  // False once it is known that the peer has hung up.
  virtual bool IsThere() const = 0;
  // Waits for the peer to take what it was sent, but not longer.
  virtual void WaitUntilSent(int64_t timeout_ms) = 0;
  // A large answer costs no more as a whole than in chunks.
  virtual bool takes_whole() const { return false; }
  // Runs it on a thread that may run anything, soon; not at all where the transport ends before.
  virtual void Post(std::function<void()> work) = 0;
  virtual std::shared_ptr<Link> self() = 0;
  Alarms& alarms() const { return alarms_; }

  // Somebody waits for the peer: it is watched until nobody does.
  void BeginWait();
  void EndWait() { --waits_; }

 protected:
  virtual void Ping() = 0;
  // Something has come from the peer.
  void Heard();
  LinkEnd& end() const { return *end_; }
  // Of one that was made without an end, before anything comes for it.
  bool has_end() const { return end_ != nullptr; }
  void set_end(std::unique_ptr<LinkEnd> end);

 private:
  void WatchLater(int64_t nanos);
  void Watch(int64_t due_nanos);

  std::unique_ptr<LinkEnd> end_;
  Alarms& alarms_;
  const int64_t peer_timeout_ms_;
  std::atomic<int> waits_{0};
  std::atomic<bool> watched_{false};
  std::atomic<int64_t> heard_nanos_;
  std::atomic<bool> pinged_{false};
};

// The end that calls go out from.
class LinkCaller final : public LinkEnd {
 public:
  explicit LinkCaller(std::shared_ptr<InFlight> ending) : ending_(std::move(ending)), whole_(ending_->Enter()) {}
  // As Channel::Call. False, with nothing done, where the connection was lost before anything was sent.
  bool Call(const std::string& method, Rope& request, const CallOptions& options, Channel::Done& done);
  // No more calls will come: it ends with the last.
  void Leave();
  bool IsThere() const { return link().IsThere(); }
  void Break(const Status& reason) { link().Break(reason); }

 private:
  struct Open {
    Channel::Done done;
    CancelToken* token = nullptr;
    CancelToken::Id registration = 0;
    Alarms::Id alarm = 0;
  };
  void Began(const LinkMessage&, std::string) override {}
  void Came(const LinkMessage& message, Result<Rope> payload) override;
  void Broken(const Status& reason) override;
  std::shared_ptr<LinkCaller> self() { return {link().self(), this}; }
  // Ends the call, if it still is open; the peer is told where it does not know.
  void End(uint64_t id, Result<Rope> result, bool tell_peer);
  void EndLater(uint64_t id, Status reason);
  void Finish(Open open, Result<Rope> result);

  const std::shared_ptr<InFlight> ending_;
  std::shared_ptr<void> whole_;  // until it is broken and everybody told
  std::mutex mu_;
  uint64_t next_ = 1;
  bool lost_ = false;
  bool left_ = false;
  std::unordered_map<uint64_t, Open> open_;
};

// The connections of a transport that calls go out from, so that it can end them. Thread-safe.
class LinkCallers final {
 public:
  // Makes one with the end it is given; null where that gives none, or once this is closed.
  using Make = std::function<std::shared_ptr<Link>(std::unique_ptr<LinkEnd> end)>;
  std::shared_ptr<LinkCaller> Add(const Make& make);
  // Ends what is open, as Cancelled, waits for its end, and adds no more.
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

// The calls of a listener that are open, and the connections that they came over. Thread-safe.
class LinkCalls final {
 public:
  // Once, before the first link.
  void set_handler(CallHandler handler) { handler_ = std::move(handler); }
  // False once it is closed. `link` has a LinkCallee of these calls at its end.
  bool Add(const std::shared_ptr<Link>& link, LinkCallee* callee);
  // Takes no more links, and cancels what is open and what still comes.
  void Close();
  // Waits until all calls have been answered.
  void WaitForNone() { in_flight_.WaitForNone(); }
  // After Close: waits until all calls have been answered and the answers been sent, and ends the links. The handler is
  // not called after it.
  void Drain();

 private:
  friend class LinkCallee;
  CallHandler handler_;
  InFlight in_flight_;
  std::mutex mu_;
  bool closed_ = false;
  std::vector<std::weak_ptr<LinkCallee>> callees_;
};

// The end that calls come in at.
class LinkCallee final : public LinkEnd {
 public:
  explicit LinkCallee(std::shared_ptr<LinkCalls> calls) : calls_(std::move(calls)) {}

 private:
  friend class LinkCalls;
  class Incoming;
  void Began(const LinkMessage& message, std::string method) override;
  void Came(const LinkMessage& message, Result<Rope> payload) override;
  void Broken(const Status& reason) override;
  void Respond(uint64_t id, Result<Rope> response);
  void CancelAll(const Status& reason);
  void Refuse();
  std::shared_ptr<LinkCallee> self() { return {link().self(), this}; }

  const std::shared_ptr<LinkCalls> calls_;
  std::mutex mu_;
  Status closed_;      // why, once it is
  bool gone_ = false;  // no more calls begin: the link is broken, or the listener ends
  std::unordered_map<uint64_t, std::shared_ptr<Incoming>> open_;
};

}  // namespace weir
