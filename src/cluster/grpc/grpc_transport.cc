// Calls use gRPC's callback interface on both sides: its own threads run the callbacks, which only hand work on. Each
// call in is a reactor that lives until gRPC is done with it, while the IncomingCall that the handler holds may live
// longer.
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

#include "base/clock.h"
#include "cluster/grpc/grpc_buffers.h"
#include "cluster/grpc/grpc_channel.h"

namespace weir {
namespace {

// What gRPC puts into its own trailer must stay small.
constexpr size_t kMaxErrorText = 4096;

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

class GrpcIncoming final : public IncomingCall {
 public:
  class Reactor;
  const std::string& method() const override { return method_; }
  const Rope& request() const override { return request_; }
  CancelToken& cancel() override { return cancel_; }
  void Respond(Result<Rope> response) override;

 private:
  friend class Reactor;
  // Who gets it ends the call; null for everybody after the first.
  Reactor* TakeReactor() { return reactor_.exchange(nullptr); }
  std::string method_;
  Rope request_;
  CancelToken cancel_;
  std::atomic<Reactor*> reactor_{nullptr};
};

// The calls that are open, so that stopping can cancel them.
class OpenCalls {
 public:
  bool Add(const std::shared_ptr<GrpcIncoming>& call) {
    std::lock_guard lock(mu_);
    if (!closed_) open_.emplace(call.get(), call);
    return !closed_;
  }
  void Remove(GrpcIncoming* call) {
    std::lock_guard lock(mu_);
    open_.erase(call);
  }
  void CancelAll() {
    std::vector<std::shared_ptr<GrpcIncoming>> calls;
    {
      std::lock_guard lock(mu_);
      closed_ = true;
      for (const auto& [call, weak] : open_) {
        if (std::shared_ptr<GrpcIncoming> alive = weak.lock()) calls.push_back(std::move(alive));
      }
    }
    for (const std::shared_ptr<GrpcIncoming>& call : calls)
      call->cancel().Cancel(Unavailable("the server is stopping"));
  }

 private:
  std::mutex mu_;
  std::map<GrpcIncoming*, std::weak_ptr<GrpcIncoming>> open_;
  bool closed_ = false;
};

// One per call; gRPC calls its On... methods one after the other.
class GrpcIncoming::Reactor final : public grpc::ServerGenericBidiReactor {
 public:
  Reactor(std::string method, const CallHandler& handler, std::shared_ptr<OpenCalls> open)
      : call_(std::make_shared<GrpcIncoming>()), handler_(handler), open_(std::move(open)) {
    call_->method_ = std::move(method);
    call_->reactor_ = this;
    counted_ = open_->Add(call_);
    StartRead(&buffer_);
  }

  void OnReadDone(bool ok) override {
    if (!ok || !counted_) {
      if (call_->TakeReactor() != nullptr)
        Finish(ok ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "the server is stopping")
                  : grpc::Status(grpc::StatusCode::INTERNAL, "the call has no message"));
      return;
    }
    call_->request_ = ToRope(buffer_);
    buffer_.Clear();
    handler_(call_);
  }
  void OnCancel() override { call_->cancel_.Cancel(Unavailable("the caller has given up or is out of reach")); }
  void OnDone() override {
    if (counted_) open_->Remove(call_.get());
    delete this;
  }

  void Send(Result<Rope> response) {
    if (!response.ok()) return Finish(ToGrpc(response.status()));
    buffer_ = ToByteBuffer(*response);
    StartWriteAndFinish(&buffer_, grpc::WriteOptions(), grpc::Status::OK);
  }

 private:
  const std::shared_ptr<GrpcIncoming> call_;
  const CallHandler& handler_;
  const std::shared_ptr<OpenCalls> open_;
  grpc::ByteBuffer buffer_;
  bool counted_ = false;
};

void GrpcIncoming::Respond(Result<Rope> response) {
  if (Reactor* reactor = TakeReactor()) reactor->Send(std::move(response));
}

class GrpcListener final : public Listener {
 public:
  explicit GrpcListener(CallHandler handler)
      : handler_(std::move(handler)), open_(std::make_shared<OpenCalls>()), service_(*this) {}
  ~GrpcListener() override {
    if (server_ == nullptr) return;
    open_->CancelAll();
    constexpr auto kGrace = std::chrono::milliseconds(200);
    server_->Shutdown(std::chrono::system_clock::now() + kGrace);
    server_->Wait();
  }

  Status Start(const std::string& address, int64_t peer_timeout_ms) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(GrpcAddress(address), grpc::InsecureServerCredentials(), &port_);
    builder.RegisterCallbackGenericService(&service_);
    builder.SetMaxReceiveMessageSize(-1);
    builder.SetMaxSendMessageSize(-1);
    for (const auto& [name, value] : kStreamArguments) builder.AddChannelArgument(name, value);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two servers never share a port
    AddPings(peer_timeout_ms, &builder);
    // However often others ping.
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0) {
      server_ = nullptr;
      return Unavailable("cannot listen on {}", address);
    }
    if (address.starts_with("unix:")) port_ = -1;
    return OkStatus();
  }
  int port() const override { return port_; }

 private:
  class Service final : public grpc::CallbackGenericService {
   public:
    explicit Service(GrpcListener& listener) : listener_(listener) {}
    grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
      return new GrpcIncoming::Reactor(context->method(), listener_.handler_, listener_.open_);
    }

   private:
    GrpcListener& listener_;
  };

  const CallHandler handler_;
  const std::shared_ptr<OpenCalls> open_;
  Service service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// gRPC's callback threads end with the last channel or server that uses them, and whoever lets go of that waits for
// them. A callback may hold the last reference to its channel and would wait for itself; so there is one more channel,
// without an address, that lives as long as the transport and has used the threads.
class GrpcTransport final : public Transport {
 public:
  explicit GrpcTransport(int64_t peer_timeout_ms)
      : shared_(std::make_shared<GrpcChannel::Shared>(peer_timeout_ms, alarms_)),
        keeper_(grpc::CreateCustomChannel("", nullptr, grpc::ChannelArguments())),
        alarms_(RealClock()) {
    auto* call = new OpenCall;
    call->request = ToByteBuffer(Rope());
    shared_->calls.Add(call);
    keeper_.UnaryCall(&call->context, "/", grpc::StubOptions(), &call->request, &call->response,
                      [call, shared = shared_](const grpc::Status&) {
                        shared->calls.Remove(call);
                        delete call;
                        shared->calls.Ended();
                      });
  }
  ~GrpcTransport() override { shared_->calls.Close(); }
  std::shared_ptr<Channel> Connect(const std::string& address) override {
    return std::make_shared<GrpcChannel>(address, shared_);
  }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address, CallHandler handler) override {
    auto listener = std::make_unique<GrpcListener>(std::move(handler));
    WEIR_TRY(listener->Start(address, shared_->peer_timeout_ms));
    return std::unique_ptr<Listener>(std::move(listener));
  }

 private:
  const std::shared_ptr<GrpcChannel::Shared> shared_;
  grpc::GenericStub keeper_;
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
  // The logs of gRPC and protobuf repeat what callers are told anyway, and a caller could fill them.
  google::protobuf::SetLogHandler(nullptr);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  constexpr int64_t kShortestMs = 4;
  constexpr int64_t kLongestMs = std::numeric_limits<int>::max();
  return std::make_unique<GrpcTransport>(std::clamp(peer_timeout_ms, kShortestMs, kLongestMs));
}

}  // namespace weir
