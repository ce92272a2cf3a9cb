// Incoming and outgoing calls use completion queues, usually one for the whole process. The thread of a queue only
// dispatches work. Each incoming call has a ServerCall that lives until gRPC is done with it. The IncomingCall that the
// handler holds may live longer.
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
#include "base/env.h"
#include "cluster/grpc/grpc_acceptor.h"
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

// Pings clients while their calls are open. A client that is suspended or cut off does not answer, and its calls are
// cancelled, but not before three quarters of the peer timeout: grpc_channel.cc relies on that.
void AddPings(const TransportSettings& settings, grpc::ServerBuilder* builder) {
  const int quarter = static_cast<int>(settings.peer_timeout_ms / 4);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, quarter);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 3 * quarter);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

class GrpcListener;

// A call as its handler sees it. May outlive gRPC's state of the call.
class GrpcIncoming final : public IncomingCall {
 public:
  class ServerCall;
  const std::string& method() const override { return method_; }
  const Rope& request() const override { return request_; }
  CancelToken& cancel() override { return cancel_; }
  const PeerIdentity& caller() const override { return caller_; }
  int64_t caller_timeout_ms() const override { return caller_timeout_ms_; }
  void Respond(Result<Rope> response) override;

 private:
  friend class ServerCall;
  // The first caller gets the ServerCall and must answer; all others get null.
  ServerCall* TakeServerCall() { return server_call_.exchange(nullptr); }
  std::string method_;
  Rope request_;
  CancelToken cancel_;
  PeerIdentity caller_;
  int64_t caller_timeout_ms_ = 0;
  std::atomic<ServerCall*> server_call_{nullptr};
};

// The ServerCalls of a listener, with an open call or waiting for one, so
// that Close can cancel them and Wait can wait for them. Thread-safe.
class ServerCalls final {
 public:
  // Counts a ServerCall until the last copy of the returned pointer is gone. Null after Close.
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
  // Refuses new ServerCalls and cancels the open calls.
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

// gRPC's state of one call, from waiting for it to its last event. Its events come one after the other, except Done,
// which may come at any time.
class GrpcIncoming::ServerCall final {
 public:
  // Starts to wait for a call, unless the listener is stopping.
  static void Accept(GrpcListener& listener);
  ~ServerCall();
  // Call it once.
  void Send(Result<Rope> response);

 private:
  // An operation and the method that handles its completion.
  class Operation final : public GrpcEvent {
   public:
    Operation(ServerCall& server_call, void (ServerCall::*then)(bool)) : server_call_(server_call), then_(then) {}
    void OnComplete(bool ok) override { (server_call_.*then_)(ok); }

   private:
    ServerCall& server_call_;
    void (ServerCall::*const then_)(bool);
  };

  ServerCall(GrpcListener& listener, std::shared_ptr<void> counted)
      : counted_(std::move(counted)), listener_(listener), stream_(&context_) {}
  void Accepted(bool ok);
  void Read(bool ok);
  void Handle();
  void Sent(bool ok);
  void Done(bool ok);
  void Finish(const grpc::Status& status) { stream_.Finish(status, &sent_); }

  const std::shared_ptr<void> counted_;  // destroyed last
  GrpcListener& listener_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  grpc::ByteBuffer buffer_;
  const std::shared_ptr<GrpcIncoming> call_ = std::make_shared<GrpcIncoming>();
  Quota::Share share_;
  std::atomic<int> events_left_{2};  // Sent and Done are the last, in any order
  Operation accepted_{*this, &ServerCall::Accepted};
  Operation read_{*this, &ServerCall::Read};
  Operation sent_{*this, &ServerCall::Sent};
  Operation done_{*this, &ServerCall::Done};
};

class GrpcListener final : public Listener {
 public:
  GrpcListener(std::shared_ptr<const GrpcSecurity> security, const Limits& limits)
      : security_(std::move(security)), calls_quota_(limits, Limit::kStreams) {}
  ~GrpcListener() override {
    acceptor_ = nullptr;
    if (server_ == nullptr) return;
    server_calls_.Close();
    constexpr auto kGrace = std::chrono::milliseconds(200);
    server_->Shutdown(std::chrono::system_clock::now() + kGrace);
    server_calls_.Wait();
  }

  // Binds all addresses or none. False if one of them is in use.
  bool Bind(const std::vector<std::string>& addresses, int port, const TransportSettings& settings) {
    port_ = port;
    grpc::ServerBuilder builder;
    auto acceptor = std::make_unique<GrpcAcceptor>(settings.limits);
    for (const std::string& address : addresses) {
      if (port < 0) {
        builder.AddListeningPort(address, security_->ForServer());  // a Unix socket
      } else if (!acceptor->Listen(address)) {
        return false;
      }
    }
    if (port >= 0) {
      using Kind = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
      connections_ = builder.experimental().AddExternalConnectionAcceptor(Kind::FROM_FD, security_->ForServer());
    }
    builder.RegisterAsyncGenericService(&service_);
    std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
    queue_ = queue.get();
    const int64_t most_bytes = settings.limits[Limit::kMessageBytes];
    constexpr int64_t kMostInt = std::numeric_limits<int>::max();
    builder.SetMaxReceiveMessageSize(most_bytes > kMostInt ? -1 : static_cast<int>(most_bytes));
    // Peers that do as HTTP/2 says wait then. calls_quota_ counts those of the others.
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                               static_cast<int>(std::min(settings.limits[Limit::kStreams], kMostInt)));
    builder.SetMaxSendMessageSize(-1);
    for (const auto& [name, value] : kStreamArguments) builder.AddChannelArgument(name, value);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two servers never share a port
    AddPings(settings, &builder);
    // A connection that does not get as far as to speak HTTP/2 ends.
    constexpr int64_t kShortestHandshakeMs = 10'000;
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                               static_cast<int>(std::max(kShortestHandshakeMs, settings.peer_timeout_ms)));
    // Accept pings from clients at any rate.
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    server_ = builder.BuildAndStart();
    events_ = std::make_shared<GrpcEvents>(std::move(queue));
    if (server_ == nullptr) return false;
    acceptor_ = std::move(acceptor);
    acceptor_->Start([this](int listening_fd, int connection_fd) {
      grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
      connection.listener_fd = listening_fd;
      connection.fd = connection_fd;
      connections_->HandleNewConnection(&connection);
    });
    return true;
  }
  void Serve(CallHandler handler) override {
    handler_ = std::move(handler);
    constexpr int kAccepting = 8;  // calls that can be accepted at the same time
    for (int i = 0; i < kAccepting; ++i) GrpcIncoming::ServerCall::Accept(*this);
  }
  int port() const override { return port_; }
  const std::shared_ptr<GrpcEvents>& events() const { return events_; }

 private:
  friend class GrpcIncoming::ServerCall;
  const std::shared_ptr<const GrpcSecurity> security_;
  Quota calls_quota_;  // of each connection
  CallHandler handler_;
  ServerCalls server_calls_;
  grpc::AsyncGenericService service_;
  grpc::ServerCompletionQueue* queue_ = nullptr;  // owned by events_
  std::shared_ptr<GrpcEvents> events_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections_;  // gRPC's side of acceptor_
  std::unique_ptr<GrpcAcceptor> acceptor_;
};

void GrpcIncoming::ServerCall::Accept(GrpcListener& listener) {
  std::shared_ptr<void> counted = listener.server_calls_.Begin();
  if (counted == nullptr) return;
  auto* server_call = new ServerCall(listener, std::move(counted));
  server_call->context_.AsyncNotifyWhenDone(&server_call->done_);
  listener.service_.RequestCall(&server_call->context_, &server_call->stream_, listener.queue_, listener.queue_,
                                &server_call->accepted_);
}

GrpcIncoming::ServerCall::~ServerCall() { listener_.server_calls_.Remove(call_.get()); }

void GrpcIncoming::ServerCall::Accepted(bool ok) {
  if (!ok) {  // the server is stopping: no other event follows
    delete this;
    return;
  }
  Accept(listener_);
  call_->method_ = context_.method();
  call_->caller_ = listener_.security_->Identify(context_);
  Result<Quota::Share> share = listener_.calls_quota_.Take(call_->caller_.address);
  if (!share.ok()) return Finish(ToGrpc(share.status()));
  share_ = *std::move(share);
  if (const auto deadline = context_.deadline(); deadline != std::chrono::system_clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::system_clock::now());
    call_->caller_timeout_ms_ = std::max<int64_t>(1, left.count());
  }
  call_->server_call_ = this;
  listener_.server_calls_.Open(call_);
  // The request of a caller without credentials is not read: the handler denies the call anyway.
  if (call_->caller_.role == Role::kNone) return Handle();
  stream_.Read(&buffer_, &read_);
}

void GrpcIncoming::ServerCall::Read(bool ok) {
  if (!ok) {
    if (call_->TakeServerCall() != nullptr)
      Finish(grpc::Status(grpc::StatusCode::INTERNAL, "the call has no request message"));
    return;
  }
  call_->request_ = ToRope(buffer_);
  buffer_.Clear();
  Handle();
}

void GrpcIncoming::ServerCall::Handle() {
  // The handler may respond, which ends the ServerCall, before it returns.
  listener_.events_->RunBySize(call_->request_.size(),
                               [call = call_, &handler = listener_.handler_, counted = counted_] { handler(call); });
}

void GrpcIncoming::ServerCall::Send(Result<Rope> response) {
  if (!response.ok()) return Finish(ToGrpc(response.status()));
  buffer_ = ToByteBuffer(*response);
  stream_.WriteAndFinish(buffer_, grpc::WriteOptions(), grpc::Status::OK, &sent_);
}

void GrpcIncoming::ServerCall::Sent(bool /*ok*/) {
  if (--events_left_ == 0) delete this;
}

void GrpcIncoming::ServerCall::Done(bool ok) {
  if (context_.IsCancelled()) call_->cancel_.Cancel(CallerIsGone());
  Sent(ok);
}

void GrpcIncoming::Respond(Result<Rope> response) {
  if (ServerCall* server_call = TakeServerCall()) server_call->Send(std::move(response));
}

class GrpcTransport final : public Transport {
 public:
  explicit GrpcTransport(const TransportSettings& settings)
      : shared_(std::make_shared<GrpcChannel::Shared>(
            settings, std::make_shared<GrpcSecurity>(settings.credentials, settings.env, RealClock()), alarms_,
            [this]() -> GrpcEvents& { return Events(); })),
        alarms_(RealClock()) {}
  ~GrpcTransport() override { shared_->calls.Close(); }
  std::shared_ptr<Channel> Connect(const std::string& address, const std::string& task) override {
    return std::make_shared<GrpcChannel>(address, task, shared_);
  }
  Status CheckCredentials() override { return shared_->security->Check(/*serves=*/false); }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address) override {
    WEIR_ASSIGN(const Address wanted, Address::Parse(address));
    WEIR_TRY(shared_->security->Check(/*serves=*/true));
    WEIR_ASSIGN(std::unique_ptr<GrpcListener> listener, Bind(wanted));
    // If several threads wait for gRPC events, one of them sees all events and must wake the others. So outgoing calls
    // share the queue of incoming ones.
    std::lock_guard lock(mu_);
    if (events_ == nullptr) events_ = listener->events();
    CheckPeriodically(listener->events());
    return std::unique_ptr<Listener>(std::move(listener));
  }

 private:
  Result<std::unique_ptr<GrpcListener>> Bind(const Address& wanted) {
    std::unique_ptr<GrpcListener> listener;
    WEIR_TRY(BindFreePort(wanted, [&](const std::vector<std::string>& addresses, int port) {
               listener = std::make_unique<GrpcListener>(shared_->security, shared_->settings.limits);
               return listener->Bind(addresses, port, shared_->settings);
             }).status());
    return listener;
  }
  GrpcEvents& Events() {
    std::lock_guard lock(mu_);
    if (events_ == nullptr) {
      events_ = std::make_shared<GrpcEvents>(std::make_unique<grpc::CompletionQueue>());
      CheckPeriodically(events_);
    }
    return *events_;
  }
  // Checks on `events` as long as they exist. REQUIRES: mu_ is held.
  void CheckPeriodically(const std::shared_ptr<GrpcEvents>& events) {
    checked_events_.push_back(events);
    if (!std::exchange(checks_, true))
      weir::CheckPeriodically(alarms_, shared_->settings.peer_timeout_ms, [this] { CheckForStall(); });
  }
  void CheckForStall() {
    std::vector<std::shared_ptr<GrpcEvents>> alive;  // destroyed without the lock
    std::lock_guard lock(mu_);
    std::erase_if(checked_events_, [&](const std::weak_ptr<GrpcEvents>& events) {
      alive.push_back(events.lock());
      return alive.back() == nullptr;
    });
    for (const std::shared_ptr<GrpcEvents>& events : alive) {
      if (events != nullptr) events->CheckForStall();
    }
  }

  std::mutex mu_;
  bool checks_ = false;  // CheckForStall is called periodically
  std::vector<std::weak_ptr<GrpcEvents>> checked_events_;
  std::shared_ptr<GrpcEvents> events_;  // for outgoing calls; set once
  const std::shared_ptr<GrpcChannel::Shared> shared_;
  // Declared last, so destroyed first: an alarm may still use a connection.
  ThreadAlarms alarms_;
};

// gRPC allocates read buffers with malloc and frees them with the message. Keep some megabytes in the heap: faulting in
// new pages for every large tensor took a third of the transfer time.
void KeepReadBuffers() {
  constexpr int kMappedBytes = 8 << 20;
  constexpr int kKeptBytes = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kMappedBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
}

}  // namespace

std::unique_ptr<Transport> MakeGrpcTransport(const TransportSettings& settings) {
  KeepReadBuffers();
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);  // gRPC's mutexes would grow a lock graph
  // The logs of gRPC and protobuf repeat errors that callers get anyway, and a remote caller could flood them.
  google::protobuf::SetLogHandler(nullptr);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  return std::make_unique<GrpcTransport>(WithUsableTimeout(settings));
}

}  // namespace weir
