#include "cluster/grpc/grpc_channel.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "cluster/grpc/grpc_buffers.h"
#include "cluster/resolve.h"
#include "cluster/transport_errors.h"
#include "session/cluster_spec.h"

namespace weir {
namespace {

using SharedPtr = std::shared_ptr<GrpcChannel::Shared>;

int64_t Now() { return RealClock().MonotonicNanos(); }

// A silent peer is probed after a third of the peer timeout. The rest is the time that it has to answer.
int64_t ProbeAfterMs(const TransportSettings& settings) { return std::max<int64_t>(1, settings.peer_timeout_ms / 3); }
int64_t ProbeTimeoutMs(const TransportSettings& settings) {
  return std::max<int64_t>(1, settings.peer_timeout_ms - ProbeAfterMs(settings));
}
// After this much silence, new calls use a new connection. The peer may close a silent connection after three quarters
// of its timeout (see grpc_transport.cc), and this process may not notice.
int64_t StaleAfterMs(const TransportSettings& settings) { return std::max<int64_t>(1, settings.peer_timeout_ms / 2); }

// The target for gRPC. gRPC would resolve all names, even "localhost", so loopback names become numeric addresses. Both
// loopback addresses fit into one target as IPv6 addresses, the IPv4 one in its mapped form.
std::string DialTarget(const std::string& text) {
  const Result<Address> address = Address::Parse(text);
  if (!address.ok() || address->is_unix() || !IsLoopbackName(address->host)) return text;
  const Result<std::vector<SocketAddress>> loopback = Resolve(address->host, address->port);
  std::vector<std::string> targets;
  for (const SocketAddress& candidate : *loopback) {
    const std::string prefix = candidate.family() == AF_INET ? "::ffff:" : "";
    targets.push_back(Address{prefix + candidate.Host(), address->port, ""}.ToString());
  }
  return "ipv6:" + absl::StrJoin(targets, ",");
}

grpc::ChannelArguments Arguments(const std::string& address, const TransportSettings& settings) {
  grpc::ChannelArguments args;
  if (const std::string target = DialTarget(address); target != address)
    args.SetString(GRPC_ARG_DEFAULT_AUTHORITY, address);
  for (const auto& [name, value] : kStreamArguments) args.SetInt(name, value);
  args.SetMaxReceiveMessageSize(-1);
  args.SetMaxSendMessageSize(-1);
  constexpr int kFirstBackoffMs = 20;
  constexpr int kMaxBackoffMs = 1000;
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstBackoffMs);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxBackoffMs);
  // Despite its name, this is the timeout of a connection attempt.
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
              static_cast<int>(std::min<int64_t>(settings.peer_timeout_ms, std::numeric_limits<int>::max())));
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return args;
}

// True if the status comes from the peer, not from the gRPC library in this process.
bool IsAnswer(const grpc::Status& status) {
  return status.error_code() != grpc::StatusCode::UNAVAILABLE && status.error_code() != grpc::StatusCode::CANCELLED &&
         status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED;
}

// gRPC's texts for broken connections and timeouts say too little.
Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return OkStatus();
  const std::string text = status.error_message();
  if (text == "Socket closed" || text.starts_with("recvmsg:") || text.starts_with("sendmsg:"))
    return BrokenConnection(text);
  if (text.starts_with("failed to connect") && text.find("Connection refused") == std::string::npos)
    return MarkInterruption(Unavailable("{}", text), Interruption::kUnreachable);
  if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED && text.find("message larger than max") != text.npos)
    return ResourceExhausted("{}: WEIR_MAX_MESSAGE_MB of the server limits it (or --max_message_mb of weir serve)",
                             text);
  if (text == "Deadline Exceeded") return DeadlineExceeded("no response within the timeout of the call");
  return MakeStatus(static_cast<StatusCode>(status.error_code()), text);
}

// ---- watching peers ----

void CheckPeer(const SharedPtr& shared, const std::shared_ptr<GrpcConnection>& connection);

// Checks the connection after `nanos`, if it still exists. REQUIRES: the caller has set `watched`.
void Watch(const SharedPtr& shared, const std::shared_ptr<GrpcConnection>& connection, int64_t nanos) {
  shared->alarms.After(nanos, [weak = std::weak_ptr(shared), watched = std::weak_ptr(connection)] {
    const SharedPtr alive = weak.lock();
    const std::shared_ptr<GrpcConnection> there = watched.lock();
    if (alive != nullptr && there != nullptr) CheckPeer(alive, there);
  });
}

// Decides about the peer at the end of a probe.
void OnProbeEnd(const SharedPtr& shared, const std::shared_ptr<GrpcConnection>& connection, int64_t begin,
                const grpc::Status& status) {
  const int64_t timeout = ProbeTimeoutMs(shared->settings) * kNanosPerMilli;
  const int64_t now = Now();
  if (IsAnswer(status)) connection->last_activity_nanos = now;
  const bool silent =
      status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED && now - connection->last_activity_nanos >= timeout;
  // Calls that wait for a connection keep waiting. If this process was suspended itself, the silence proves nothing.
  const bool connected = connection->channel->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_READY;
  const bool slept = now - begin > timeout + timeout / 4;
  if (!silent || !connected || slept) return Watch(shared, connection, ProbeAfterMs(shared->settings) * kNanosPerMilli);
  connection->lost = true;
  shared->calls.CancelCallsOn(connection.get());
}

// Asks the peer for a sign of life.
void Probe(const SharedPtr& shared, const std::shared_ptr<GrpcConnection>& connection) {
  auto* call = new OpenCall;
  call->connection = connection;
  call->request = ToByteBuffer(Rope());
  call->context.set_deadline(std::chrono::system_clock::now() +
                             std::chrono::milliseconds(ProbeTimeoutMs(shared->settings)));
  shared->security->AddToken(&call->context);
  if (!shared->calls.Add(call)) {
    delete call;
    return;
  }
  call->Start("/weir.Connection/GiveSignOfLife", shared->events(), [shared, begin = Now()](OpenCall* call) {
    shared->calls.Remove(call);
    OnProbeEnd(shared, call->connection, begin, call->status);
    delete call;
    shared->calls.FinishRemoved();
  });
}

void CheckPeer(const SharedPtr& shared, const std::shared_ptr<GrpcConnection>& connection) {
  if (connection->open_calls == 0) {
    connection->watched = false;
    // A call that began in between saw watched == true and scheduled nothing.
    if (connection->open_calls == 0 || connection->watched.exchange(true)) return;
  }
  const int64_t after = ProbeAfterMs(shared->settings) * kNanosPerMilli;
  const int64_t silent = Now() - connection->last_activity_nanos;
  if (silent < after) return Watch(shared, connection, after - silent);
  Probe(shared, connection);
}

}  // namespace

GrpcConnection::GrpcConnection(const std::string& address, const TransportSettings& settings,
                               const std::shared_ptr<grpc::ChannelCredentials>& credentials)
    : channel(grpc::CreateCustomChannel(DialTarget(address), credentials, Arguments(address, settings))),
      stub(channel),
      last_activity_nanos(Now()) {}

// ---- OpenCall ----

void OpenCall::Start(const std::string& method, GrpcEvents& events, std::function<void(OpenCall*)> ended) {
  ended_ = std::move(ended);
  events_ = &events;
  reader_ = connection->stub.PrepareUnaryCall(&context, method, request, &events.queue());
  reader_->StartCall();
  reader_->Finish(&response, &status, this);
}

void OpenCall::OnComplete(bool /*ok*/) {
  const auto end = [this] {
    const std::function<void(OpenCall*)> ended = std::move(ended_);  // it deletes the call
    ended(this);
  };
  events_->RunBySize(response.Valid() ? response.Length() : 0, end);
}

// ---- OutgoingCalls ----

bool OutgoingCalls::Add(OpenCall* call) {
  std::lock_guard lock(mu_);
  if (closed_) return false;
  open_.insert(call);
  return true;
}

void OutgoingCalls::Remove(OpenCall* call) {
  std::lock_guard lock(mu_);
  open_.erase(call);
  ++ending_;
}

void OutgoingCalls::FinishRemoved() {
  std::lock_guard lock(mu_);
  if (--ending_ == 0 && open_.empty()) none_.notify_all();
}

void OutgoingCalls::Close() {
  std::unique_lock lock(mu_);
  closed_ = true;
  for (OpenCall* call : open_) call->context.TryCancel();
  none_.wait(lock, [&] { return open_.empty() && ending_ == 0; });
}

void OutgoingCalls::CancelCallsOn(const GrpcConnection* connection) {
  std::lock_guard lock(mu_);
  for (OpenCall* call : open_) {
    if (call->connection.get() == connection) call->context.TryCancel();
  }
}

// ---- GrpcChannel ----

GrpcChannel::GrpcChannel(std::string address, const std::string& task, std::shared_ptr<Shared> shared)
    : address_(std::move(address)),
      shared_(std::move(shared)),
      credentials_(shared_->security->ForChannel(address_, task)),
      events_(shared_->events()),
      connection_(std::make_shared<GrpcConnection>(address_, shared_->settings, credentials_)) {}

// Leaked in a forked child: gRPC would wait for threads that exist only in the parent.
GrpcChannel::~GrpcChannel() {
  if (ThisProcess() != process_) static_cast<void>(new std::shared_ptr<GrpcConnection>(std::move(connection_)));
}

std::shared_ptr<GrpcConnection> GrpcChannel::Connection(bool wait_for_ready) {
  std::shared_ptr<GrpcConnection> former;  // destroyed without the lock
  std::lock_guard lock(mu_);
  const bool stale = Now() - connection_->last_activity_nanos > StaleAfterMs(shared_->settings) * kNanosPerMilli;
  // A call that does not wait must learn the current state, not the result of gRPC's last attempt.
  const bool outdated = !wait_for_ready && connection_->channel->GetState(false) == GRPC_CHANNEL_TRANSIENT_FAILURE;
  if (connection_->lost || stale || outdated)
    former = std::exchange(connection_, std::make_shared<GrpcConnection>(address_, shared_->settings, credentials_));
  return connection_;
}

void GrpcChannel::Call(const std::string& method, Rope request, const CallOptions& options, Done done) {
  auto* call = new OpenCall;
  call->done = std::move(done);
  call->request = ToByteBuffer(request);
  const std::shared_ptr<GrpcConnection> connection = Connection(options.wait_for_ready);
  call->connection = connection;
  call->context.set_wait_for_ready(options.wait_for_ready);
  shared_->security->AddToken(&call->context);
  if (options.timeout_ms > 0)
    call->context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(options.timeout_ms));
  const auto give_up = [call](const Status& reason) {
    const Done told = std::move(call->done);
    delete call;
    told(reason);
  };
  if (options.cancel != nullptr) {
    call->token = options.cancel;
    call->registration = options.cancel->Register([call] { call->context.TryCancel(); });
    if (call->registration == 0) return give_up(options.cancel->reason());
  }
  if (!shared_->calls.Add(call)) {
    if (call->token != nullptr) call->token->Unregister(call->registration);
    return give_up(ProcessIsEnding());
  }
  ++connection->open_calls;
  if (!connection->watched.exchange(true)) Watch(shared_, connection, ProbeAfterMs(shared_->settings) * kNanosPerMilli);
  if (connection->lost) call->context.TryCancel();  // lost after it was chosen
  call->Start(method, events_, [shared = shared_](OpenCall* call) {
    const grpc::Status& status = call->status;
    shared->calls.Remove(call);
    if (call->token != nullptr) call->token->Unregister(call->registration);
    --call->connection->open_calls;
    if (IsAnswer(status)) call->connection->last_activity_nanos = Now();
    Result<Rope> result = status.ok() ? Result<Rope>(ToRope(call->response)) : Result<Rope>(FromGrpc(status));
    if (status.error_code() == grpc::StatusCode::CANCELLED) {
      if (call->token != nullptr && call->token->cancelled()) {
        result = call->token->reason();
      } else if (call->connection->lost) {
        result = LostPeer(shared->settings.peer_timeout_ms);
      }
    }
    Done told = std::move(call->done);
    delete call;
    told(std::move(result));
    told = nullptr;
    shared->calls.FinishRemoved();
  });
}

}  // namespace weir
