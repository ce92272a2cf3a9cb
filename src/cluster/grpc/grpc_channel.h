// GrpcChannel: calls to one address. Each call is an object that lives until gRPC has reported its end. A peer that is
// silent while calls are open is probed with an extra call. Any answer counts as a sign of life; without one, the open
// calls end as Unavailable. gRPC's keepalive pings cannot be used: servers with default settings, such as TensorFlow's,
// disconnect clients that ping.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include "base/alarms.h"
#include "base/this_process.h"
#include "cluster/grpc/grpc_events.h"
#include "cluster/grpc/grpc_security.h"
#include "cluster/transport.h"
#include "cluster/transport_settings.h"

namespace weir {

// Settings of both sides of a connection: send large messages in large frames, without waiting for flow control.
inline constexpr std::pair<const char*, int> kStreamArguments[] = {
    {GRPC_ARG_HTTP2_MAX_FRAME_SIZE, (1 << 24) - 1},
    {GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 1 << 27},
    {GRPC_ARG_HTTP2_BDP_PROBE, 0},
    {GRPC_ARG_TCP_READ_CHUNK_SIZE, 1 << 18},
    {GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, 1 << 18},
    {GRPC_ARG_HTTP2_WRITE_BUFFER_SIZE, 1 << 22},
    // Features that calls do not use but would pay for.
    {GRPC_ARG_ENABLE_CENSUS, 0},
    {GRPC_ARG_ENABLE_CHANNELZ, 0},
    {GRPC_ARG_ENABLE_LOAD_REPORTING, 0},
    {GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0},
    {GRPC_ARG_ENABLE_RETRIES, 0},
};

// One connection. gRPC opens it on first use and again after a failure. Thread-safe.
struct GrpcConnection final {
  GrpcConnection(const std::string& address, const TransportSettings& settings,
                 const std::shared_ptr<grpc::ChannelCredentials>& credentials);

  const std::shared_ptr<grpc::Channel> channel;
  grpc::GenericStub stub;
  std::atomic<int64_t> last_activity_nanos;  // time of the last answer; initially the time of creation
  std::atomic<int> open_calls{0};
  std::atomic<bool> watched{false};
  std::atomic<bool> lost{false};
};

struct OpenCall final : public GrpcEvent {
  // Starts the call. `ended` runs once, when response and status are set, and deletes the call.
  void Start(const std::string& method, GrpcEvents& events, std::function<void(OpenCall*)> ended);
  void OnComplete(bool ok) override;

  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
  grpc::Status status;
  Channel::Done done;
  CancelToken* token = nullptr;
  CancelToken::Id registration = 0;
  std::shared_ptr<GrpcConnection> connection;

 private:
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
  std::function<void(OpenCall*)> ended_;
  GrpcEvents* events_ = nullptr;
};

// The open calls of a transport. Thread-safe.
class OutgoingCalls final {
 public:
  bool Add(OpenCall* call);  // false after Close
  // No other thread uses the call after it. Ended must follow.
  void Remove(OpenCall* call);
  void FinishRemoved();
  // Cancels the open calls, waits for their ends, and refuses new ones.
  void Close();
  void CancelCallsOn(const GrpcConnection* connection);

 private:
  std::mutex mu_;
  std::condition_variable none_;
  std::unordered_set<OpenCall*> open_;
  int ending_ = 0;  // removed, but Ended has not been called yet
  bool closed_ = false;
};

class GrpcChannel final : public Channel {
 public:
  // Shared by all channels of a transport. REQUIRES: `alarms` and `events` live until the calls are closed.
  struct Shared {
    Shared(const TransportSettings& settings, std::shared_ptr<GrpcSecurity> security, Alarms& alarms,
           std::function<GrpcEvents&()> events)
        : settings(settings), security(std::move(security)), alarms(alarms), events(std::move(events)) {}
    const TransportSettings settings;
    const std::shared_ptr<GrpcSecurity> security;
    Alarms& alarms;
    const std::function<GrpcEvents&()> events;  // created on first use
    OutgoingCalls calls;
  };
  // `task` as in Transport::Connect.
  GrpcChannel(std::string address, const std::string& task, std::shared_ptr<Shared> shared);
  ~GrpcChannel() override;

  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override;
  const std::string& address() const override { return address_; }

 private:
  // The connection for a new call. Replaces the current one if it may be unusable.
  std::shared_ptr<GrpcConnection> Connection(bool wait_for_ready);

  const pid_t process_ = ThisProcess();
  const std::string address_;
  const std::shared_ptr<Shared> shared_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  GrpcEvents& events_;
  std::mutex mu_;
  std::shared_ptr<GrpcConnection> connection_;
};

}  // namespace weir
