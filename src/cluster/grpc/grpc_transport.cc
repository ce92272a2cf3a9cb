// Calls use gRPC's callback interface on both sides: its own threads run the callbacks, which only hand work on. Each
// call out is an object that lives until gRPC has reported its end; each call in is a reactor that lives until gRPC is
// done with it, while the IncomingCall that the handler holds may live longer.
#include "cluster/grpc/grpc_transport.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <unordered_set>

#include "base/log.h"

namespace weir {
namespace {

struct SliceOwner {
  std::shared_ptr<const void> owner;
};

grpc::ByteBuffer ToByteBuffer(const Rope& rope) {
  std::vector<grpc::Slice> slices;
  slices.reserve(rope.pieces().size());
  for (const Rope::Piece& piece : rope.pieces()) {
    auto* owner = new SliceOwner{piece.owner};
    slices.emplace_back(
        const_cast<char*>(piece.data), piece.size, [](void* p) { delete static_cast<SliceOwner*>(p); }, owner);
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

Rope ToRope(const grpc::ByteBuffer& buffer) {
  Rope rope;
  std::vector<grpc::Slice> slices;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return rope;
  for (grpc::Slice& slice : slices) {
    auto owner = std::make_shared<grpc::Slice>(std::move(slice));
    const void* data = owner->begin();
    const size_t size = owner->size();
    rope.Append(data, size, std::move(owner));
  }
  return rope;
}

// A few of gRPC's texts are what everybody sees of a lost peer, and say too little.
Status FromGrpc(const grpc::Status& status, int64_t peer_timeout_ms) {
  if (status.ok()) return OkStatus();
  const std::string text = status.error_message();
  if (text == "Socket closed" || text.starts_with("recvmsg:") || text.starts_with("sendmsg:"))
    return Unavailable("the connection broke ({}): its process has ended, or something between has", text);
  if (text == "keepalive watchdog timeout") {
    return Unavailable("no sign of life for {} ms: it is stopped or cut off (WEIR_PEER_TIMEOUT_MS sets how long)",
                       peer_timeout_ms);
  }
  return MakeStatus(static_cast<StatusCode>(status.error_code()), text);
}

// What gRPC puts into its own trailer must stay small.
constexpr size_t kMaxErrorText = 4096;

grpc::Status ToGrpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message()).substr(0, kMaxErrorText));
}

// "host:port" and "unix:path" as gRPC takes them.
std::string GrpcAddress(const std::string& address) { return address; }

// Large messages in large pieces, without waiting for the other side's leave to go on.
constexpr std::pair<const char*, int> kStreamArguments[] = {
    {GRPC_ARG_HTTP2_MAX_FRAME_SIZE, (1 << 24) - 1},
    {GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 1 << 27},
    {GRPC_ARG_HTTP2_BDP_PROBE, 0},
    {GRPC_ARG_TCP_READ_CHUNK_SIZE, 1 << 20},
    {GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, 1 << 22},
    {GRPC_ARG_HTTP2_WRITE_BUFFER_SIZE, 1 << 22},
};

// A peer that is stopped or cut off answers no pings: its calls end then, on both sides.
std::vector<std::pair<const char*, int>> PingArguments(int64_t peer_timeout_ms) {
  constexpr int64_t kShortestMs = 2;
  const int half =
      static_cast<int>(std::clamp<int64_t>(peer_timeout_ms, kShortestMs, std::numeric_limits<int>::max()) / 2);
  return {{GRPC_ARG_KEEPALIVE_TIME_MS, half},
          {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, half},
          {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0}};
}

grpc::ChannelArguments Arguments(int64_t peer_timeout_ms) {
  grpc::ChannelArguments args;
  for (const auto& [name, value] : kStreamArguments) args.SetInt(name, value);
  args.SetMaxReceiveMessageSize(-1);
  args.SetMaxSendMessageSize(-1);
  constexpr int kFirstBackoffMs = 20;
  constexpr int kMaxBackoffMs = 1000;
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstBackoffMs);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxBackoffMs);
  for (const auto& [name, value] : PingArguments(peer_timeout_ms)) args.SetInt(name, value);
  // In spite of its name: how long a peer may take to answer an attempt to connect.
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
              static_cast<int>(std::min<int64_t>(peer_timeout_ms, std::numeric_limits<int>::max())));
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return args;
}

struct OpenCall {
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
  Channel::Done done;
  CancelToken* token = nullptr;
  CancelToken::Id registration = 0;
};

// The calls of a transport that have not ended.
class OutgoingCalls final {
 public:
  void Add(OpenCall* call) {
    std::lock_guard lock(mu_);
    open_.insert(call);
  }
  // The call must not be used after it by others.
  void Remove(OpenCall* call) {
    std::lock_guard lock(mu_);
    open_.erase(call);
    ++ending_;
  }
  void Ended() {
    std::lock_guard lock(mu_);
    if (--ending_ == 0 && open_.empty()) none_.notify_all();
  }
  void CancelAndWait() {
    std::unique_lock lock(mu_);
    for (OpenCall* call : open_) call->context.TryCancel();
    none_.wait(lock, [&] { return open_.empty() && ending_ == 0; });
  }

 private:
  std::mutex mu_;
  std::condition_variable none_;
  std::unordered_set<OpenCall*> open_;
  int ending_ = 0;  // whose callbacks run
};

class GrpcChannel final : public Channel {
 public:
  GrpcChannel(const std::string& address, int64_t peer_timeout_ms, std::shared_ptr<OutgoingCalls> calls)
      : address_(address),
        peer_timeout_ms_(peer_timeout_ms),
        calls_(std::move(calls)),
        stub_(grpc::CreateCustomChannel(GrpcAddress(address), grpc::InsecureChannelCredentials(),
                                        Arguments(peer_timeout_ms))) {}

  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override {
    auto* call = new OpenCall;
    call->done = std::move(done);
    call->request = ToByteBuffer(request);
    call->context.set_wait_for_ready(options.wait_for_ready);
    if (options.timeout_ms > 0)
      call->context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(options.timeout_ms));
    if (options.cancel != nullptr) {
      call->token = options.cancel;
      call->registration = options.cancel->Register([call] { call->context.TryCancel(); });
      if (call->registration == 0) {
        Done give_up = std::move(call->done);
        const Status reason = options.cancel->reason();
        delete call;
        return give_up(reason);
      }
    }
    calls_->Add(call);
    stub_.UnaryCall(
        &call->context, method, grpc::StubOptions(), &call->request, &call->response,
        [call, calls = calls_, peer_timeout_ms = peer_timeout_ms_](const grpc::Status& status) {
          calls->Remove(call);
          if (call->token != nullptr) call->token->Unregister(call->registration);
          Result<Rope> result =
              status.ok() ? Result<Rope>(ToRope(call->response)) : Result<Rope>(FromGrpc(status, peer_timeout_ms));
          if (status.error_code() == grpc::StatusCode::CANCELLED && call->token != nullptr && call->token->cancelled())
            result = call->token->reason();
          Done done = std::move(call->done);
          delete call;
          done(std::move(result));
          done = nullptr;
          calls->Ended();
        });
  }
  const std::string& address() const override { return address_; }

 private:
  const std::string address_;
  const int64_t peer_timeout_ms_;
  const std::shared_ptr<OutgoingCalls> calls_;
  grpc::GenericStub stub_;
};

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
    for (const auto& [name, value] : PingArguments(peer_timeout_ms)) builder.AddChannelArgument(name, value);
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
      : peer_timeout_ms_(peer_timeout_ms), keeper_(grpc::CreateCustomChannel("", nullptr, grpc::ChannelArguments())) {
    auto* call = new OpenCall;
    call->request = ToByteBuffer(Rope());
    calls_->Add(call);
    keeper_.UnaryCall(&call->context, "/", grpc::StubOptions(), &call->request, &call->response,
                      [call, calls = calls_](const grpc::Status&) {
                        calls->Remove(call);
                        delete call;
                        calls->Ended();
                      });
  }
  ~GrpcTransport() override { calls_->CancelAndWait(); }
  std::shared_ptr<Channel> Connect(const std::string& address) override {
    return std::make_shared<GrpcChannel>(address, peer_timeout_ms_, calls_);
  }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address, CallHandler handler) override {
    auto listener = std::make_unique<GrpcListener>(std::move(handler));
    WEIR_TRY(listener->Start(address, peer_timeout_ms_));
    return std::unique_ptr<Listener>(std::move(listener));
  }

 private:
  const int64_t peer_timeout_ms_;
  const std::shared_ptr<OutgoingCalls> calls_ = std::make_shared<OutgoingCalls>();
  grpc::GenericStub keeper_;
};

}  // namespace

std::unique_ptr<Transport> MakeGrpcTransport(int64_t peer_timeout_ms) {
  // The logs of gRPC and protobuf repeat what callers are told anyway, and a caller could fill them.
  google::protobuf::SetLogHandler(nullptr);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  return std::make_unique<GrpcTransport>(peer_timeout_ms);
}

}  // namespace weir
