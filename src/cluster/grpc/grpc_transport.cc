// Calls use gRPC's completion queues on both sides, mostly one for all of a process, whose thread runs what only hands
// work on. Each call in is an Exchange that lives until gRPC is done with it, while the IncomingCall that the handler
// holds may live longer.
#include "cluster/grpc/grpc_transport.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>

#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "cluster/grpc/grpc_buffers.h"
#include "cluster/grpc/grpc_channel.h"
#include "cluster/grpc/grpc_port.h"
#include "cluster/in_flight.h"
#include "cluster/transport_errors.h"

namespace weir {
namespace {

grpc::Status ToGrpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message()).substr(0, kMaxErrorText));
}

// Whose calls this server works on is pinged while it does. One that is stopped or cut off does not answer, and its
// calls are cancelled, but not before three quarters of the time: grpc_channel.cc relies on that.
void AddPings(int64_t peer_timeout_ms, grpc::ServerBuilder* builder) {
  const int quarter = static_cast<int>(peer_timeout_ms / 4);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, quarter);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 3 * quarter);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

class GrpcListener;

// A call as its handler sees it; may outlive what gRPC has for it.
class GrpcIncoming final : public IncomingCall {
 public:
  class Exchange;
  const std::string& method() const override { return method_; }
  const Rope& request() const override { return request_; }
  CancelToken& cancel() override { return cancel_; }
  int64_t caller_timeout_ms() const override { return caller_timeout_ms_; }
  void Respond(Result<Rope> response) override;

 private:
  friend class Exchange;
  // Who gets it answers; null for everybody after the first.
  Exchange* TakeExchange() { return exchange_.exchange(nullptr); }
  std::string method_;
  Rope request_;
  CancelToken cancel_;
  int64_t caller_timeout_ms_ = 0;
  std::atomic<Exchange*> exchange_{nullptr};
};

// The exchanges of a listener, open or waiting for a call, so that stopping can cancel them and wait. Thread-safe.
class Exchanges final {
 public:
  // Counts one more for as long as a copy of what is returned lives; null once it is closed.
  std::shared_ptr<void> Begin() {
    std::lock_guard lock(mu_);
    return closed_ ? nullptr : in_flight_.Enter();
  }
  void Open(const std::shared_ptr<GrpcIncoming>& call) {
    std::lock_guard lock(mu_);
    open_.emplace(call.get(), call);
    if (closed_) call->cancel().Cancel(ServerIsStopping());
  }
  void Remove(GrpcIncoming* call) {
    std::lock_guard lock(mu_);
    open_.erase(call);
  }
  // Begins no more and cancels what is open.
  void Close() {
    std::vector<std::shared_ptr<GrpcIncoming>> calls;
    {
      std::lock_guard lock(mu_);
      closed_ = true;
      for (const auto& [call, weak] : open_) {
        if (std::shared_ptr<GrpcIncoming> alive = weak.lock()) calls.push_back(std::move(alive));
      }
    }
    for (const std::shared_ptr<GrpcIncoming>& call : calls) call->cancel().Cancel(ServerIsStopping());
  }
  void Wait() { in_flight_.WaitForNone(); }

 private:
  std::mutex mu_;
  std::map<GrpcIncoming*, std::weak_ptr<GrpcIncoming>> open_;
  bool closed_ = false;
  InFlight in_flight_;
};

// What gRPC has for one call, from the wait for it to its last event. Of its events all but the end of the call,
// which may be reported at any time, come one after the other.
class GrpcIncoming::Exchange final {
 public:
  // Waits for a call, unless the listener is stopping.
  static void Accept(GrpcListener& listener);
  ~Exchange();
  // Once.
  void Send(Result<Rope> response);

 private:
  // One operation and what follows on it.
  class Operation final : public GrpcEvent {
   public:
    Operation(Exchange& exchange, void (Exchange::*then)(bool)) : exchange_(exchange), then_(then) {}
    void Happened(bool ok) override { (exchange_.*then_)(ok); }

   private:
    Exchange& exchange_;
    void (Exchange::*const then_)(bool);
  };

  Exchange(GrpcListener& listener, std::shared_ptr<void> counted)
      : counted_(std::move(counted)), listener_(listener), stream_(&context_) {}
  void Accepted(bool ok);
  void Read(bool ok);
  void Sent(bool ok);
  void Done(bool ok);
  void Finish(const grpc::Status& status) { stream_.Finish(status, &sent_); }

  const std::shared_ptr<void> counted_;  // goes last
  GrpcListener& listener_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  grpc::ByteBuffer buffer_;
  const std::shared_ptr<GrpcIncoming> call_ = std::make_shared<GrpcIncoming>();
  std::atomic<int> events_left_{2};  // Sent and Done, in any order, are the last
  Operation accepted_{*this, &Exchange::Accepted};
  Operation read_{*this, &Exchange::Read};
  Operation sent_{*this, &Exchange::Sent};
  Operation done_{*this, &Exchange::Done};
};

class GrpcListener final : public Listener {
 public:
  ~GrpcListener() override {
    if (server_ == nullptr) return;
    exchanges_.Close();
    constexpr auto kGrace = std::chrono::milliseconds(200);
    server_->Shutdown(std::chrono::system_clock::now() + kGrace);
    exchanges_.Wait();
  }

  // Binds all addresses or none: false where somebody else has one of them.
  bool Bind(const std::vector<std::string>& addresses, int port, int64_t peer_timeout_ms) {
    port_ = port;
    grpc::ServerBuilder builder;
    for (const std::string& address : addresses) builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterAsyncGenericService(&service_);
    std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
    queue_ = queue.get();
    builder.SetMaxReceiveMessageSize(-1);
    builder.SetMaxSendMessageSize(-1);
    for (const auto& [name, value] : kStreamArguments) builder.AddChannelArgument(name, value);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two servers never share a port
    AddPings(peer_timeout_ms, &builder);
    // However often others ping.
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    server_ = builder.BuildAndStart();
    events_ = std::make_shared<GrpcEvents>(std::move(queue));
    return server_ != nullptr;
  }
  void Serve(CallHandler handler) override {
    handler_ = std::move(handler);
    constexpr int kAccepting = 8;  // calls that may come in at the same time without waiting for each other
    for (int i = 0; i < kAccepting; ++i) GrpcIncoming::Exchange::Accept(*this);
  }
  int port() const override { return port_; }
  const std::shared_ptr<GrpcEvents>& events() const { return events_; }

 private:
  friend class GrpcIncoming::Exchange;
  CallHandler handler_;
  Exchanges exchanges_;
  grpc::AsyncGenericService service_;
  grpc::ServerCompletionQueue* queue_ = nullptr;  // of `events_`
  std::shared_ptr<GrpcEvents> events_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

void GrpcIncoming::Exchange::Accept(GrpcListener& listener) {
  std::shared_ptr<void> counted = listener.exchanges_.Begin();
  if (counted == nullptr) return;
  auto* exchange = new Exchange(listener, std::move(counted));
  exchange->context_.AsyncNotifyWhenDone(&exchange->done_);
  listener.service_.RequestCall(&exchange->context_, &exchange->stream_, listener.queue_, listener.queue_,
                                &exchange->accepted_);
}

GrpcIncoming::Exchange::~Exchange() { listener_.exchanges_.Remove(call_.get()); }

void GrpcIncoming::Exchange::Accepted(bool ok) {
  if (!ok) {  // the server stops, and nothing else will be reported
    delete this;
    return;
  }
  Accept(listener_);
  call_->method_ = context_.method();
  if (const auto deadline = context_.deadline(); deadline != std::chrono::system_clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::system_clock::now());
    call_->caller_timeout_ms_ = std::max<int64_t>(1, left.count());
  }
  call_->exchange_ = this;
  listener_.exchanges_.Open(call_);
  stream_.Read(&buffer_, &read_);
}

void GrpcIncoming::Exchange::Read(bool ok) {
  if (!ok) {
    if (call_->TakeExchange() != nullptr) Finish(grpc::Status(grpc::StatusCode::INTERNAL, "the call has no message"));
    return;
  }
  call_->request_ = ToRope(buffer_);
  buffer_.Clear();
  // The handler may answer, and so end the exchange, before it returns.
  listener_.events_->RunFor(call_->request_.size(),
                            [call = call_, &handler = listener_.handler_, counted = counted_] { handler(call); });
}

void GrpcIncoming::Exchange::Send(Result<Rope> response) {
  if (!response.ok()) return Finish(ToGrpc(response.status()));
  buffer_ = ToByteBuffer(*response);
  stream_.WriteAndFinish(buffer_, grpc::WriteOptions(), grpc::Status::OK, &sent_);
}

void GrpcIncoming::Exchange::Sent(bool /*ok*/) {
  if (--events_left_ == 0) delete this;
}

void GrpcIncoming::Exchange::Done(bool ok) {
  if (context_.IsCancelled()) call_->cancel_.Cancel(CallerIsGone());
  Sent(ok);
}

void GrpcIncoming::Respond(Result<Rope> response) {
  if (Exchange* exchange = TakeExchange()) exchange->Send(std::move(response));
}

class GrpcTransport final : public Transport {
 public:
  explicit GrpcTransport(int64_t peer_timeout_ms)
      : shared_(std::make_shared<GrpcChannel::Shared>(peer_timeout_ms, alarms_,
                                                      [this]() -> GrpcEvents& { return Events(); })),
        alarms_(RealClock()) {}
  ~GrpcTransport() override { shared_->calls.Close(); }
  std::shared_ptr<Channel> Connect(const std::string& address) override {
    return std::make_shared<GrpcChannel>(address, shared_);
  }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address) override {
    WEIR_ASSIGN(const Address wanted, Address::Parse(address));
    WEIR_ASSIGN(std::unique_ptr<GrpcListener> listener, Bind(wanted));
    // Of all threads that wait for gRPC's events one sees them and wakes the others whose they are: calls out share
    // the thread of the calls in.
    std::lock_guard lock(mu_);
    if (events_ == nullptr) events_ = listener->events();
    LookAfter(listener->events());
    return std::unique_ptr<Listener>(std::move(listener));
  }

 private:
  Result<std::unique_ptr<GrpcListener>> Bind(const Address& wanted) {
    std::unique_ptr<GrpcListener> listener;
    WEIR_TRY(BindFreePort(wanted, [&](const std::vector<std::string>& addresses, int port) {
               listener = std::make_unique<GrpcListener>();
               return listener->Bind(addresses, port, shared_->peer_timeout_ms);
             }).status());
    return listener;
  }
  GrpcEvents& Events() {
    std::lock_guard lock(mu_);
    if (events_ == nullptr) {
      events_ = std::make_shared<GrpcEvents>(std::make_unique<grpc::CompletionQueue>());
      LookAfter(events_);
    }
    return *events_;
  }
  // For as long as they live. REQUIRES: mu_ is held.
  void LookAfter(const std::shared_ptr<GrpcEvents>& events) {
    looked_after_.push_back(events);
    if (looked_after_.size() == 1) LookLater();
  }
  // So often that a peer that is being waited for gets its sign of life in time, on both sides.
  void LookLater() {
    constexpr int64_t kNanosPerMs = 1'000'000;
    alarms_.After(std::max<int64_t>(1, shared_->peer_timeout_ms / 8) * kNanosPerMs, [this] {
      std::vector<std::shared_ptr<GrpcEvents>> alive;  // let go of without the lock
      std::lock_guard lock(mu_);
      std::erase_if(looked_after_, [&](const std::weak_ptr<GrpcEvents>& events) {
        alive.push_back(events.lock());
        return alive.back() == nullptr;
      });
      for (const std::shared_ptr<GrpcEvents>& events : alive) {
        if (events != nullptr) events->Look();
      }
      if (!looked_after_.empty()) LookLater();
    });
  }

  std::mutex mu_;
  std::vector<std::weak_ptr<GrpcEvents>> looked_after_;
  std::shared_ptr<GrpcEvents> events_;  // of the calls out; once there, it stays
  const std::shared_ptr<GrpcChannel::Shared> shared_;
  // Goes first: it may look after a connection even now.
  ThreadAlarms alarms_;
};

// gRPC takes the memory that it reads into from malloc and gives it back with the message. Some megabytes stay with the
// process, or every read of a large tensor would fault in new pages: that took a third of the time of a transfer.
void KeepReadBuffers() {
  constexpr int kMappedBytes = 8 << 20;
  constexpr int kKeptBytes = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kMappedBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
}

}  // namespace

std::unique_ptr<Transport> MakeGrpcTransport(int64_t peer_timeout_ms) {
  KeepReadBuffers();
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);  // gRPC's mutexes would keep a graph
  // The logs of gRPC and protobuf repeat what callers are told anyway, and a caller could fill them.
  google::protobuf::SetLogHandler(nullptr);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  constexpr int64_t kShortestMs = 4;
  constexpr int64_t kLongestMs = std::numeric_limits<int>::max();
  return std::make_unique<GrpcTransport>(std::clamp(peer_timeout_ms, kShortestMs, kLongestMs));
}

}  // namespace weir
