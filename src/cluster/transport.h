// Transport: carries calls from one task to another. A call is a method name, request bytes and response bytes; master
// and worker interpret the bytes. Implementations: grpc/ (TensorFlow's protocol), host/ (between processes of one
// host), ucx/ (between hosts), sim/ (a simulated network for tests).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/one_shot_event.h"
#include "cluster/peer_identity.h"
#include "cluster/rope.h"
#include "op/cancel.h"

namespace weir {

class Alarms;

struct CallOptions {
  int64_t timeout_ms = 0;         // 0: none
  CancelToken* cancel = nullptr;  // must outlive the call
  // Retry the connection until the deadline, instead of failing at once when there is no listener.
  bool wait_for_ready = false;
  // > 0: the callee recognizes copies of this call. If the connection breaks, the call is sent again on a new one. If
  // the callee cannot be reached, it is tried again for so long.
  int64_t resend_ms = 0;
  Alarms* resend_alarms = nullptr;  // for pauses between attempts, of which there are none without it
  // Incoming calls only: a large response costs no more as one message than in chunks.
  bool single_message_is_cheap = false;
  // Incoming calls only: the caller's timeout. 0: unknown to the transport.
  int64_t caller_timeout_ms = 0;
  // Incoming calls only: who calls. Lives as long as the call.
  const PeerIdentity* caller = &TrustedPeer();
};

// A connection to one address. Thread-safe. Connects on first use, and again after a failure.
class Channel {
 public:
  using Done = std::function<void(Result<Rope>)>;
  virtual ~Channel() = default;
  // Runs `done` exactly once, on any thread; possibly before Call returns. Unavailable if there is no server at the
  // address.
  virtual void Call(const std::string& method, Rope request, const CallOptions& options, Done done) = 0;
  virtual const std::string& address() const = 0;
};

// A call as its server sees it. Respond must be called exactly once, from any thread.
class IncomingCall {
 public:
  virtual ~IncomingCall() = default;
  virtual const std::string& method() const = 0;
  virtual const Rope& request() const = 0;
  // Gives up the request: tensors that are parsed out of it may then be the only owners of its memory. Call it at most
  // once, and do not use request() afterwards.
  virtual Rope TakeRequest() {
    Rope shared;
    RopeReader(request()).Take(request().size(), &shared);
    return shared;
  }
  virtual const PeerIdentity& caller() const { return TrustedPeer(); }
  virtual bool single_message_is_cheap() const { return false; }  // see CallOptions
  virtual int64_t caller_timeout_ms() const { return 0; }         // see CallOptions
  // Cancelled as Unavailable when the caller has given up or cannot be reached: the response would be lost. Work that
  // other callers share should continue. Valid until Respond.
  virtual CancelToken& cancel() = 0;
  virtual void Respond(Result<Rope> response) = 0;
};

// Handles one incoming call. Called on any thread, by several at a time. Must not block.
using CallHandler = std::function<void(std::shared_ptr<IncomingCall>)>;

// Holds its address until it is destroyed. The destructor cancels the open calls and waits for their responses.
class Listener {
 public:
  virtual ~Listener() = default;
  // Starts to deliver calls, first the queued calls that arrived earlier. Call it once.
  virtual void Serve(CallHandler handler) = 0;
  virtual int port() const = 0;  // the port that was chosen if 0 was requested; -1 for a Unix socket
};

class Transport {
 public:
  virtual ~Transport() = default;
  // A thread that waits for a response can poll this transport with it. Null if the transport cannot be polled.
  virtual std::shared_ptr<EventPoller> event_poller() { return nullptr; }
  // A transport with certificates makes sure that the server at the address is `task` ("/job:ps/replica:0/task:0"); if
  // `task` is empty, that its certificate names the host.
  virtual std::shared_ptr<Channel> Connect(const std::string& address, const std::string& task) = 0;
  std::shared_ptr<Channel> Connect(const std::string& address) { return Connect(address, ""); }
  // Why calls cannot work with the credentials that the transport was given.
  virtual Status CheckCredentials() { return OkStatus(); }
  // Unavailable if the address is in use, InvalidArgument if it does not belong to this machine.
  virtual Result<std::unique_ptr<Listener>> Listen(const std::string& address) = 0;
};

}  // namespace weir
