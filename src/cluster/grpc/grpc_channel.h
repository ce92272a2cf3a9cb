// GrpcChannel: calls to one address, each an object that lives until gRPC has reported its end. A peer from which
// nothing is heard while calls to it are open is asked for a sign of life; any answer is one, and without one its calls
// end as Unavailable. gRPC's own pings will not do: servers with its default settings, as TensorFlow's, hang up on who
// pings.
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
#include "cluster/transport.h"

namespace weir {

// Settings of both sides of a connection: large messages in large pieces, without waiting for the other side's leave to
// go on.
inline constexpr std::pair<const char*, int> kStreamArguments[] = {
    {GRPC_ARG_HTTP2_MAX_FRAME_SIZE, (1 << 24) - 1},
    {GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 1 << 27},
    {GRPC_ARG_HTTP2_BDP_PROBE, 0},
    {GRPC_ARG_TCP_READ_CHUNK_SIZE, 1 << 18},
    {GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, 1 << 18},
    {GRPC_ARG_HTTP2_WRITE_BUFFER_SIZE, 1 << 22},
    // What calls do not use, but would pay for.
    {GRPC_ARG_ENABLE_CENSUS, 0},
    {GRPC_ARG_ENABLE_CHANNELZ, 0},
    {GRPC_ARG_ENABLE_LOAD_REPORTING, 0},
    {GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0},
    {GRPC_ARG_ENABLE_RETRIES, 0},
};

// One connection, which gRPC opens on first use and opens again after a failure. Thread-safe.
struct GrpcConnection final {
  GrpcConnection(const std::string& address, int64_t peer_timeout_ms);

  const std::shared_ptr<grpc::Channel> channel;
  grpc::GenericStub stub;
  std::atomic<int64_t> heard_nanos;  // when the last answer came, or it was made
  std::atomic<int> open_calls{0};
  std::atomic<bool> watched{false};
  std::atomic<bool> lost{false};
};

struct OpenCall final : public GrpcEvent {
  // Begins the call; `ended` runs once, with the response and the status in place.
  void Start(const std::string& method, GrpcEvents& events, std::function<void(OpenCall*)> ended);
  void Happened(bool ok) override;

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

// The calls of a transport that have not ended. Thread-safe.
class OutgoingCalls final {
 public:
  bool Add(OpenCall* call);  // false once it is closed
  // The call must not be used after it by others.
  void Remove(OpenCall* call);
  void Ended();
  // Cancels what is open, waits for its end, and takes no more.
  void Close();
  void CancelOf(const GrpcConnection* connection);

 private:
  std::mutex mu_;
  std::condition_variable none_;
  std::unordered_set<OpenCall*> open_;
  int ending_ = 0;  // whose ends are being worked on
  bool closed_ = false;
};

class GrpcChannel final : public Channel {
 public:
  // What all channels of a transport share. `alarms` and `events` live until the calls are closed.
  struct Shared {
    Shared(int64_t timeout_ms, Alarms& alarms, std::function<GrpcEvents&()> events)
        : peer_timeout_ms(timeout_ms), alarms(alarms), events(std::move(events)) {}
    const int64_t peer_timeout_ms;
    Alarms& alarms;
    const std::function<GrpcEvents&()> events;  // made when they are first asked for
    OutgoingCalls calls;
  };
  GrpcChannel(std::string address, std::shared_ptr<Shared> shared);
  ~GrpcChannel() override;

  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override;
  const std::string& address() const override { return address_; }

 private:
  // The one that a call takes: a new one where the present one may be of no use any more.
  std::shared_ptr<GrpcConnection> Connection(bool wait_for_ready);

  const pid_t process_ = ThisProcess();
  const std::string address_;
  const std::shared_ptr<Shared> shared_;
  GrpcEvents& events_;
  std::mutex mu_;
  std::shared_ptr<GrpcConnection> connection_;
};

}  // namespace weir
