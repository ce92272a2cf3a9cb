// Transport: how calls get from one task to another. A call is a method name and bytes each way; what the bytes mean is
// the business of master and worker. Implementations: grpc/ (what TensorFlow speaks), host/ (between processes of one
// host), ucx/ (between hosts), sim/ (a network inside a test).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/arrival.h"
#include "cluster/rope.h"
#include "op/cancel.h"

namespace weir {

struct CallOptions {
  int64_t timeout_ms = 0;         // 0: none
  CancelToken* cancel = nullptr;  // outlives the call
  // Try again to connect until the deadline, instead of failing at once when nobody listens.
  bool wait_for_ready = false;
  // Of a call that came in: a large answer costs no more as a whole than in chunks.
  bool takes_whole = false;
  // Of a call that came in: how long its caller waits for the answer. 0: the transport does not say.
  int64_t caller_timeout_ms = 0;
};

// A way to one address. Thread-safe. Connects on first use and again after a failure.
class Channel {
 public:
  using Done = std::function<void(Result<Rope>)>;
  virtual ~Channel() = default;
  // `done` runs exactly once, on any thread. Unavailable when nobody answers there.
  virtual void Call(const std::string& method, Rope request, const CallOptions& options, Done done) = 0;
  virtual const std::string& address() const = 0;
};

// A call that came in. Respond exactly once, from any thread.
class IncomingCall {
 public:
  virtual ~IncomingCall() = default;
  virtual const std::string& method() const = 0;
  virtual const Rope& request() const = 0;
  // The request for one who needs it once: what is read out of it may then be the only user of its memory.
  virtual Rope TakeRequest() {
    Rope shared;
    RopeReader(request()).Take(request().size(), &shared);
    return shared;
  }
  virtual bool takes_whole() const { return false; }       // see CallOptions
  virtual int64_t caller_timeout_ms() const { return 0; }  // see CallOptions
  // Cancelled, as Unavailable, when the caller has given up or cannot be reached any more: it will not see the answer,
  // but others who wait for the same work will. Lives until Respond.
  virtual CancelToken& cancel() = 0;
  virtual void Respond(Result<Rope> response) = 0;
};

// Called for each call that comes in, on any thread, several at a time; must not block.
using CallHandler = std::function<void(std::shared_ptr<IncomingCall>)>;

// Has its address until it is destroyed, which cancels and waits for the calls that are still open.
class Listener {
 public:
  virtual ~Listener() = default;
  // Once. Calls that come in before wait.
  virtual void Serve(CallHandler handler) = 0;
  virtual int port() const = 0;  // the one that was chosen, where 0 was asked for; -1 for a socket with a path
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Where threads that wait for an answer can bring messages meanwhile; null where there is no such place.
  virtual std::shared_ptr<WaitingPlace> waiting_place() { return nullptr; }
  virtual std::shared_ptr<Channel> Connect(const std::string& address) = 0;
  // Unavailable where somebody else has the address, InvalidArgument where it is not one of this machine.
  virtual Result<std::unique_ptr<Listener>> Listen(const std::string& address) = 0;
};

}  // namespace weir
